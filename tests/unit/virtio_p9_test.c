// SPDX-License-Identifier: BSD-2-Clause
/* Rules of drivers/virtio/p9.c with a device that lies, and with one that is late or never answers. */
#include <kernel/drivers/p9_transport.h>
#include <kernel/sched/wait.h>

#include "virtio_device.h"

extern const struct virtio_driver virtio_p9_driver;

static struct p9_transport *added;
static char request[16], reply[64];
static bool killed;	       /* a fatal signal is pending */
static unsigned int sleeps;    /* killable ones */
static unsigned int patience;  /* the others */
static unsigned int answer_at; /* the sleep during which the device answers; 0: never */

void p9_transport_add(struct p9_transport *transport)
{
	added = transport;
}

static void answer(uint32_t length)
{
	int id = take_request(&rings[0]);

	EXPECT(id >= 0);
	memset(reply, 'r', sizeof(reply));
	give_back(&rings[0], (uint32_t)id, length);
	virtio_device_interrupt(&device, -1);
}

int wait_sleep_uninterrupted(uint64_t deadline_ns)
{
	EXPECT_EQ(deadline_ns - clock_ns(), NSEC_PER_SEC);
	if (++patience == answer_at) {
		answer(5);
		return 0;
	}
	sim_clock_advance(deadline_ns - clock_ns());
	return -ETIMEDOUT;
}

int wait_sleep_killable(uint64_t deadline_ns)
{
	EXPECT_EQ(deadline_ns, UINT64_MAX);
	if (killed)
		return -EINTR;
	EXPECT_AT(++sleeps == answer_at, "the task sleeps for ever");
	answer(6);
	return 0;
}

/* Adds a device whose tag has SIZE bytes, whatever the tag is. */
static int add(const char *tag, uint16_t size)
{
	memset(config, 0, sizeof(config));
	memcpy(config, &size, sizeof(size));
	memcpy(config + 2, tag, strlen(tag));
	added = NULL;
	killed = false;
	sleeps = patience = answer_at = 0;
	return add_modern_device(VIRTIO_ID_9P, VIRTIO_BIT(0), 128);
}

static void end(void)
{
	if (device.driver_data) {
		remove_device();
		kfree(device.driver_data);
	}
	EXPECT_EQ(sim_end(), 0);
}

static long call(void)
{
	return added->call(added, request, sizeof(request), reply, sizeof(reply));
}

static void tags_are_checked(void)
{
	static const struct {
		uint16_t size;
		int expected;
	} rows[] = { { 4, 0 }, { 63, 0 }, { 0, -ENODEV }, { 64, -ENODEV }, { 65535, -ENODEV } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT_EQ_AT(add("work", rows[i].size), rows[i].expected, "%u bytes", rows[i].size);
		EXPECT_EQ_AT(!!added, !rows[i].expected, "%u bytes", rows[i].size);
		if (added)
			EXPECT_EQ(strcmp(added->tag, "work"), 0);
		end();
	}
	memset(config, 0, sizeof(config));
	sim_start(1);
	EXPECT_EQ(sim_end(), 0);
	EXPECT_EQ(add_modern_device(VIRTIO_ID_9P, 0, 128), -ENODEV);
	end();
	EXPECT_EQ(add_modern_device(VIRTIO_ID_9P, VIRTIO_BIT(0), 0), -ENODEV);
	end();
}

static void a_call_brings_its_reply(void)
{
	EXPECT_EQ(add("work", 4), 0);
	answer_at = 1;
	EXPECT_EQ(call(), 5);
	EXPECT_EQ(reply[4], 'r');
	EXPECT_EQ(sleeps, 0);
	end();
}

static void a_late_server_is_waited_for(void)
{
	EXPECT_EQ(add("work", 4), 0);
	answer_at = 1;
	patience = 1; /* the second, which does not come: the server is late */
	EXPECT_EQ(call(), 6);
	EXPECT_EQ(patience, 2);
	EXPECT_EQ(sleeps, 1);
	/* It has answered, so even a killed caller waits for it again. */
	killed = true;
	answer_at = 3;
	EXPECT_EQ(call(), 5);
	EXPECT_EQ(patience, 3);
	end();
}

static void a_kill_ends_the_wait(void)
{
	EXPECT_EQ(add("work", 4), 0);
	killed = true;
	uint64_t before_ns = clock_ns();

	EXPECT_EQ(call(), -EINTR);
	EXPECT_EQ(clock_ns() - before_ns, NSEC_PER_SEC);
	/* The server is late: those after it wait no second of their own, and give it nothing more to do. */
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(call(), -EINTR);
	EXPECT_EQ(clock_ns() - before_ns, NSEC_PER_SEC);
	EXPECT_EQ(rings[0].avail[1], 1);
	/* The reply to the first call is not the next one's. */
	killed = false;
	answer(9);
	patience = 0;
	answer_at = 1;
	EXPECT_EQ(call(), 5);
	EXPECT_EQ(rings[0].avail[1], 2);
	end();
}

static void a_lie_breaks_the_device(void)
{
	static const struct {
		uint32_t id, length;
	} rows[] = { { 1, 0 }, { 0, sizeof(reply) + 1 }, { 0, UINT32_MAX }, { UINT32_MAX, 1 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT_EQ(add("work", 4), 0);
		/* Before the request comes: with the queue as new, it begins at descriptor 0. */
		rings[0].used[1] = 0;
		give_back(&rings[0], rows[i].id, rows[i].length);
		EXPECT_EQ_AT(call(), -EIO, "row %zu", i);
		EXPECT_EQ_AT(call(), -EIO, "row %zu: for ever", i);
		EXPECT_EQ_AT(status & FAILED, FAILED, "row %zu", i);
		EXPECT_EQ_AT(patience, 0, "row %zu", i);
		end();
	}
}

static const struct tap_rule rules[] = {
	{ "a device without a tag of 1 to 63 bytes has no driver", tags_are_checked },
	{ "a call returns its reply", a_call_brings_its_reply },
	{ "the caller waits for a late server, and an answer gives it another second",
	  a_late_server_is_waited_for },
	{ "a fatal signal ends the wait for a late server, and no reply is taken for another's",
	  a_kill_ends_the_wait },
	{ "a device that lies about a reply is marked broken", a_lie_breaks_the_device },
};

/* The driver's object is linked for its symbol. */
const struct virtio_driver *const used_driver = &virtio_p9_driver;

TAP_MAIN(rules)
