// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of drivers/virtio/port.c: bytes from and to a simulated host. A blocking call sleeps only where a signal is pending or the
 * test has written wait_sleep_uninterrupted's reaction: one host thread plays both sides.
 */
#include <kernel/mm/usercopy.h>
#include <kernel/sched/wait.h>
#include <kernel/task/signal.h>

#include "../../drivers/virtio/port.h"
#include "virtio_device.h"

#define ID	     4
#define PAGES	     3
#define INPUT_PAGES  64	     /* the most that port.c takes */
#define OUTPUT_SIZE  0x10000 /* of port.c: one block */
#define NO_INTERRUPT 1	     /* flags of the available ring */

static struct rings *const receive = &rings[0], *const transmit = &rings[1];
static struct virtio_port port;

static int probe(struct virtio_device *probed)
{
	virtio_port_init(&port, probed, 0);
	virtio_device_ready(probed);
	return 0;
}

VIRTIO_DRIVER(driver, .name = "test", .id = ID, .features = 0, .probe = probe);

/* Pages and the block of a port stay with a device that stays. */
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static void begin(void)
{
	memset(&port, 0, sizeof(port));
	EXPECT_EQ(add_modern_device(ID, 0, 256), 0);
}

static void begin_reading(void)
{
	begin();
	EXPECT(virtio_port_give_pages(&port, PAGES));
}

static void end(void)
{
	remove_device();
	(void)sim_end();
}

/* The host sends TEXT. */
static void send(const char *text)
{
	int id = take_request(receive);

	EXPECT_AT(id >= 0, "no page for \"%s\"", text);
	if (id < 0)
		return;
	memcpy((void *)receive->descriptors[id].address, text, strlen(text));
	give_back(receive, (uint32_t)id, (uint32_t)strlen(text));
}

/* The host takes the block. Returns its size, 0: there is none. */
static uint32_t take_block(const void **bytes)
{
	int id = take_request(transmit);

	if (id < 0)
		return 0;
	*bytes = (const void *)transmit->descriptors[id].address;
	give_back(transmit, (uint32_t)id, 0);
	return transmit->descriptors[id].length;
}

/* The kernel's count of pages that the device has had. */
static unsigned int given(void)
{
	return receive->avail[1];
}

static ssize_t read_now(char *buffer, size_t size)
{
	return virtio_port_read(&port, buffer, size, true);
}

static ssize_t write_now(const char *text)
{
	return virtio_port_write(&port, text, strlen(text), true, true);
}

/* A device that lies: it returns more than it had. */
static void break_ring(struct rings *ring)
{
	give_back(ring, 0, 0);
	give_back(ring, 0, 0);
}

static void post_signal(void)
{
	task_signal(task_current(), 10);
}

/* The host's part while virtio_port_drain sleeps; NULL: none. */
static void (*while_asleep)(void);
static unsigned int sleeps;

int wait_sleep_uninterrupted(uint64_t deadline_ns)
{
	if (++sleeps > 100)
		return -ETIMEDOUT;
	if (while_asleep)
		while_asleep();
	return 0;
}

/* --- reading --- */

static void bytes_are_read_in_order(void)
{
	char buffer[16] = "";

	begin_reading();
	EXPECT_EQ(read_now(buffer, sizeof(buffer)), -EAGAIN);
	EXPECT(!virtio_port_is_readable(&port));
	send("abcde");
	send("fg");
	EXPECT(virtio_port_is_readable(&port));
	EXPECT_EQ(read_now(buffer, 3), 3);
	EXPECT_EQ(memcmp(buffer, "abc", 3), 0);
	/* The rest of the first page, and the second one. */
	EXPECT_EQ(read_now(buffer, sizeof(buffer)), 4);
	EXPECT_EQ(memcmp(buffer, "defg", 4), 0);
	EXPECT_EQ(read_now(buffer, sizeof(buffer)), -EAGAIN);
	EXPECT_EQ(read_now(buffer, 0), 0);
	end();
}

static void a_page_goes_back_when_it_is_read(void)
{
	char buffer[16];

	begin_reading();
	EXPECT_EQ(given(), PAGES);
	EXPECT_EQ(notify, 0);
	notify = UINT32_MAX;
	send("abcde");
	EXPECT_EQ(read_now(buffer, 4), 4);
	EXPECT_EQ(given(), PAGES);
	EXPECT_EQ(read_now(buffer, 4), 1);
	EXPECT_EQ(given(), PAGES + 1);
	EXPECT_EQ(notify, 0);
	/* All pages again and again. */
	for (unsigned int i = 0; i < 10 * PAGES; i++) {
		send("x");
		EXPECT_EQ_AT(read_now(buffer, 4), 1, "page %u", i);
	}
	EXPECT_EQ(given(), 11 * PAGES + 1);
	end();
}

static void a_page_without_bytes_is_no_end(void)
{
	char buffer[16];

	begin_reading();
	send("");
	EXPECT_EQ(read_now(buffer, sizeof(buffer)), -EAGAIN);
	EXPECT_EQ(given(), PAGES + 1);
	send("");
	send("ab");
	EXPECT_EQ(read_now(buffer, sizeof(buffer)), 2);
	end();
}

static void bytes_come_before_the_end(void)
{
	char buffer[16];

	begin_reading();
	send("abc");
	atomic_store(&port.closed, true);
	EXPECT(virtio_port_is_readable(&port));
	EXPECT_EQ(read_now(buffer, 2), 2);
	EXPECT_EQ(read_now(buffer, 2), 1);
	EXPECT(virtio_port_is_readable(&port));
	EXPECT_EQ(read_now(buffer, 2), 0);
	EXPECT_EQ(virtio_port_read(&port, buffer, 2, false), 0);
	end();
}

static void a_fault_loses_no_byte(void)
{
	char buffer[16];

	begin_reading();
	send("abc");
	send("def");
	sim_user_fault_set(buffer, sizeof(buffer));
	EXPECT_EQ(read_now(buffer, 6), -EFAULT);
	/* The first page alone can be copied. */
	sim_user_fault_set(buffer + 3, sizeof(buffer) - 3);
	EXPECT_EQ(read_now(buffer, 6), 3);
	sim_user_fault_set(NULL, 0);
	EXPECT_EQ(read_now(buffer, 6), 3);
	EXPECT_EQ(memcmp(buffer, "def", 3), 0);
	end();
}

static void a_signal_ends_the_wait_for_bytes(void)
{
	char buffer[16];

	begin_reading();
	post_signal();
	EXPECT_EQ(virtio_port_read(&port, buffer, sizeof(buffer), false), -EINTR);
	EXPECT(TAILQ_EMPTY(&port.waiters.entries));
	send("ab");
	EXPECT_EQ(virtio_port_read(&port, buffer, sizeof(buffer), false), 2);
	EXPECT(TAILQ_EMPTY(&port.waiters.entries));
	end();
}

static void pages_are_given(void)
{
	begin();
	EXPECT(virtio_port_give_pages(&port, 1000));
	EXPECT_EQ(given(), INPUT_PAGES);
	end();
	begin();
	sim_allocation_fail(2);
	EXPECT(virtio_port_give_pages(&port, 3));
	EXPECT_EQ(given(), 1);
	end();
	begin();
	sim_allocation_fail(1);
	EXPECT(!virtio_port_give_pages(&port, 3));
	EXPECT_EQ(given(), 0);
	end();
}

/* --- writing --- */

static void bytes_are_written_one_block_at_a_time(void)
{
	const void *bytes = NULL;

	begin();
	EXPECT(virtio_port_is_writable(&port));
	EXPECT_EQ(write_now("abc"), 3);
	EXPECT_EQ(notify, 1);
	/* The device has the block. */
	EXPECT(!virtio_port_is_writable(&port));
	EXPECT_EQ(write_now("x"), -EAGAIN);
	EXPECT_EQ(take_block(&bytes), 3);
	EXPECT_EQ(memcmp(bytes, "abc", 3), 0);
	EXPECT(virtio_port_is_writable(&port));
	EXPECT_EQ(write_now("defg"), 4);
	EXPECT_EQ(take_block(&bytes), 4);
	EXPECT_EQ(memcmp(bytes, "defg", 4), 0);
	EXPECT_EQ(write_now(""), 0);
	EXPECT_EQ(take_block(&bytes), 0);
	end();
}

static void a_long_write_is_cut(void)
{
	static char text[OUTPUT_SIZE + 2];
	const void *bytes = NULL;

	memset(text, 'a', sizeof(text));
	text[OUTPUT_SIZE] = 'b';
	begin();
	EXPECT_EQ(virtio_port_write(&port, text, sizeof(text), true, true), OUTPUT_SIZE);
	EXPECT_EQ(take_block(&bytes), OUTPUT_SIZE);
	EXPECT_EQ(((const char *)bytes)[OUTPUT_SIZE - 1], 'a');
	EXPECT_EQ(virtio_port_write(&port, text + OUTPUT_SIZE, 2, true, true), 2);
	EXPECT_EQ(take_block(&bytes), 2);
	EXPECT_EQ(*(const char *)bytes, 'b');
	end();
}

/* A device that handles a request during the kick: here, it has returned the block already. */
static void a_prompt_device_costs_no_interrupt(void)
{
	begin();
	EXPECT_EQ(transmit->avail[0], NO_INTERRUPT);
	give_back(transmit, 0, 0);
	EXPECT_EQ(virtio_port_write(&port, "abc", 3, true, false), 3);
	EXPECT_EQ(transmit->avail[0], NO_INTERRUPT);
	EXPECT(!port.in_flight && !port.owned);
	end();
}

static void a_signal_ends_the_wait_for_the_host(void)
{
	begin();
	post_signal();
	/* The device has the bytes. */
	EXPECT_EQ(virtio_port_write(&port, "abc", 3, true, false), 3);
	EXPECT(port.in_flight && !port.owned);
	EXPECT_EQ(virtio_port_write(&port, "def", 3, true, false), -EINTR);
	EXPECT(!port.owned);
	/* No interrupt and no waiter is left. */
	EXPECT_EQ(transmit->avail[0], NO_INTERRUPT);
	EXPECT(TAILQ_EMPTY(&port.waiters.entries));
	end();
}

static void writers_do_not_mix(void)
{
	const void *bytes = NULL;

	begin();
	port.owned = true;
	EXPECT_EQ(write_now("abc"), -EAGAIN);
	post_signal();
	EXPECT_EQ(virtio_port_write(&port, "abc", 3, true, false), -EINTR);
	EXPECT(TAILQ_EMPTY(&port.waiters.entries));
	/* The other one still writes. */
	EXPECT(port.owned);
	EXPECT_EQ(take_block(&bytes), 0);
	port.owned = false;
	EXPECT_EQ(write_now("abc"), 3);
	EXPECT(!port.owned);
	end();
}

/* One task waits for the port: the end of a write, and what comes from the host, wake it. */
static void waiters_are_woken(void)
{
	struct wait_entry entry;
	const void *bytes = NULL;

	begin_reading();
	EXPECT(virtio_port_waiters(&port) == &port.waiters);
	wait_queue_add(&port.waiters, &entry);
	EXPECT_EQ(write_now("abc"), 3);
	EXPECT(atomic_load(&task_current()->woken));
	atomic_store(&task_current()->woken, false);
	/* After a poll in vain there is an interrupt when the block comes back. */
	EXPECT_EQ(transmit->avail[0], NO_INTERRUPT);
	EXPECT(!virtio_port_is_writable(&port));
	EXPECT_EQ(transmit->avail[0], 0);
	EXPECT_EQ(take_block(&bytes), 3);
	virtio_device_interrupt(&device, 1);
	EXPECT(atomic_load(&task_current()->woken));
	atomic_store(&task_current()->woken, false);
	send("x");
	virtio_device_interrupt(&device, 0);
	EXPECT(atomic_load(&task_current()->woken));
	wait_queue_remove(&port.waiters, &entry);
	end();
}

static void a_write_that_fails_sends_nothing(void)
{
	static const char text[] = "abc";
	const void *bytes = NULL;

	begin();
	sim_allocation_fail(1);
	EXPECT_EQ(write_now(text), -ENOMEM);
	EXPECT(!port.owned);
	sim_user_fault_set(text, sizeof(text));
	EXPECT_EQ(write_now(text), -EFAULT);
	/* Kernel memory does not fault. */
	EXPECT_EQ(virtio_port_write(&port, text, 2, false, true), 2);
	sim_user_fault_set(NULL, 0);
	EXPECT_EQ(take_block(&bytes), 2);
	EXPECT_EQ(write_now(text), 3);
	EXPECT_EQ(take_block(&bytes), 3);
	end();
}

static void a_closed_port_takes_nothing(void)
{
	const void *bytes = NULL;

	begin();
	atomic_store(&port.closed, true);
	EXPECT(virtio_port_is_closed(&port));
	EXPECT(virtio_port_is_writable(&port));
	EXPECT_EQ(write_now("abc"), -EPIPE);
	EXPECT_EQ(virtio_port_write(&port, "abc", 3, true, false), -EPIPE);
	EXPECT(!port.owned);
	EXPECT_EQ(take_block(&bytes), 0);
	end();
}

static void a_device_that_lies_is_an_error(void)
{
	char buffer[16];

	begin_reading();
	break_ring(transmit);
	EXPECT_EQ(write_now("abc"), 3);
	EXPECT_EQ(write_now("abc"), -EIO);
	EXPECT(virtio_port_is_writable(&port));
	/* The other queue still works. */
	send("ab");
	EXPECT_EQ(read_now(buffer, sizeof(buffer)), 2);
	end();
	begin_reading();
	for (unsigned int i = 0; i <= PAGES; i++)
		give_back(receive, i, 1);
	EXPECT_EQ(read_now(buffer, sizeof(buffer)), -EIO);
	EXPECT(virtio_port_is_readable(&port));
	atomic_store(&port.closed, true);
	EXPECT_EQ(read_now(buffer, sizeof(buffer)), -EIO);
	end();
}

/* --- the drain --- */

static void host_takes(void)
{
	const void *bytes;

	/* Without an interrupt the kernel would sleep on. */
	EXPECT_EQ(transmit->avail[0], 0);
	EXPECT_EQ(take_block(&bytes), 3);
}

static void host_lies(void)
{
	break_ring(transmit);
}

static void host_closes(void)
{
	atomic_store(&port.closed, true);
}

static void a_drain_waits_for_the_host(void)
{
	static const struct {
		const char *what;
		void (*happens)(void);
	} rows[] = { { "the host takes the block", host_takes },
		     { "the host lies", host_lies },
		     { "the host closes the port", host_closes } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin();
		sleeps = 0;
		while_asleep = rows[i].happens;
		virtio_port_drain(&port);
		EXPECT_EQ_AT(sleeps, 0, "%s, nothing written", rows[i].what);
		EXPECT_EQ_AT(write_now("abc"), 3, "%s", rows[i].what);
		post_signal();
		virtio_port_drain(&port);
		EXPECT_EQ_AT(sleeps, 1, "%s", rows[i].what);
		EXPECT_EQ_AT(transmit->avail[0], NO_INTERRUPT, "%s", rows[i].what);
		end();
	}
}

static const struct tap_rule rules[] = {
	{ "bytes are read in order, in parts as in one piece", bytes_are_read_in_order },
	{ "a page goes back to the host when its last byte is read",
	  a_page_goes_back_when_it_is_read },
	{ "a page without bytes is no end", a_page_without_bytes_is_no_end },
	{ "the bytes before a close are read before the end", bytes_come_before_the_end },
	{ "a read that faults loses no byte", a_fault_loses_no_byte },
	{ "a signal ends the wait for bytes", a_signal_ends_the_wait_for_bytes },
	{ "the host has as many pages as there are memory and descriptors for", pages_are_given },
	{ "bytes are written one block at a time", bytes_are_written_one_block_at_a_time },
	{ "a write that is longer than a block ends where it would wait", a_long_write_is_cut },
	{ "a device that handles a request at once costs no interrupt",
	  a_prompt_device_costs_no_interrupt },
	{ "a signal ends the wait for the host, and the device has the bytes",
	  a_signal_ends_the_wait_for_the_host },
	{ "the bytes of two writers do not mix", writers_do_not_mix },
	{ "the host and the end of a write wake waiters", waiters_are_woken },
	{ "a write without memory, or whose source faults, sends nothing",
	  a_write_that_fails_sends_nothing },
	{ "a port that the host has closed takes nothing", a_closed_port_takes_nothing },
	{ "a queue of a device that lies is an error", a_device_that_lies_is_an_error },
	{ "a drain waits until the host has the bytes, or never will", a_drain_waits_for_the_host },
};

TAP_MAIN(rules)
