/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a virtio console's port: reading and writing.
 *
 * Received bytes stay in the pages that the device has put them into until a program reads them: while all pages are full, the
 * host waits. Written bytes go through one block of memory, which belongs to the device from the submission until it returns the
 * block, and to the port's owner, one writer at a time, before. A device that handles a request at once (QEMU's with
 * ioeventfd=off) costs a writer no interrupt: they are on only while a writer waits.
 *
 * Locks: port->read_mutex, around a read's copies; port->lock, irqsave, for the flags of a port. queue->lock of a virtio queue is
 * taken inside port->lock.
 *
 * Source: VIRTIO 1.2, 5.3.
 */
#include <kernel/virtio/port.h>

#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>

#include "port.h"

/* Descriptors of a port's queues: pages that wait for received bytes, and the block of written ones. */
#define INPUT_PAGES   64
#define OUTPUT_BLOCKS 1
#define OUTPUT_ORDER  4
#define OUTPUT_SIZE   ((size_t)PAGE_SIZE << OUTPUT_ORDER)

/* --- reading --- */

static void give_page(struct virtio_port *port, char *page)
{
	const struct virtio_buffer buffer = { page_paddr(page), PAGE_SIZE };

	/* There is room for all of them, unless the queue is broken. */
	(void)virtio_queue_add(port->receive, NULL, 0, &buffer, 1, page);
}

/* Makes the next page with bytes that of the port. False: there is none. read_mutex held. */
static bool next_page(struct virtio_port *port)
{
	mutex_assert_held(&port->read_mutex);
	while (!port->page) {
		char *page = virtio_queue_get(port->receive, &port->page_end);

		if (!page)
			return false;
		port->page_at = 0;
		if (port->page_end)
			port->page = page;
		else
			give_page(port, page);
	}
	return true;
}

/* Copies what there is. Returns how many bytes, or -EFAULT. read_mutex held. */
static ssize_t copy_input(struct virtio_port *port, char *buffer, size_t size)
{
	size_t done = 0;

	mutex_assert_held(&port->read_mutex);
	while (done < size && next_page(port)) {
		size_t part = port->page_end - port->page_at;

		if (part > size - done)
			part = size - done;
		if (copy_to_user(buffer + done, port->page + port->page_at, part))
			return done ? (ssize_t)done : -EFAULT;
		done += part;
		port->page_at += (uint32_t)part;
		if (port->page_at == port->page_end) {
			give_page(port, port->page);
			port->page = NULL;
		}
	}
	if (done)
		virtio_queue_kick(port->receive);
	return (ssize_t)done;
}

static ssize_t read_once(struct virtio_port *port, void *buffer, size_t size)
{
	/* Read `closed` before the bytes, so that bytes sent before the close are seen. */
	bool closed = atomic_load(&port->closed);
	ssize_t count;

	mutex_lock(&port->read_mutex);
	count = copy_input(port, buffer, size);
	mutex_unlock(&port->read_mutex);
	if (count)
		return count;
	if (virtio_queue_is_broken(port->receive))
		return -EIO;
	return closed ? 0 : -EAGAIN;
}

ssize_t virtio_port_read(struct virtio_port *port, void *buffer, size_t size, bool nonblock)
{
	struct wait_entry entry;
	ssize_t count;

	if (!size)
		return 0;
	wait_queue_add(&port->waiters, &entry);
	while ((count = read_once(port, buffer, size)) == -EAGAIN && !nonblock) {
		int error = wait_sleep(UINT64_MAX);

		if (error) {
			count = error;
			break;
		}
	}
	wait_queue_remove(&port->waiters, &entry);
	return count;
}

/* --- writing --- */

/* Takes the block back if the device has returned it. Returns whether it is the kernel's. */
static bool block_is_back(struct virtio_port *port)
{
	unsigned long state = spin_lock_irqsave(&port->lock);
	bool back;

	if (port->in_flight && virtio_queue_get(port->transmit, NULL))
		port->in_flight = false;
	back = !port->in_flight;
	spin_unlock_irqrestore(&port->lock, state);
	return back;
}

/* The error of every further write; 0: none. */
static int write_error(const struct virtio_port *port)
{
	if (virtio_queue_is_broken(port->transmit))
		return -EIO;
	return atomic_load(&port->closed) ? -EPIPE : 0;
}

/* Returns 0 when the block is the kernel's, else -EAGAIN or the error of every further write. */
static int try_block(struct virtio_port *port)
{
	bool back = block_is_back(port);
	int error = write_error(port);

	return error ? error : back ? 0 : -EAGAIN;
}

/* Waits for the block. SLEEP is how: wait_sleep or one of its like. */
static int await_block(struct virtio_port *port, bool nonblock, int (*sleep)(uint64_t deadline_ns))
{
	struct wait_entry entry;
	int error = try_block(port);

	if (error != -EAGAIN || nonblock)
		return error;
	wait_queue_add(&port->waiters, &entry);
	for (;;) {
		bool pending = virtio_queue_interrupt(port->transmit, true);

		error = try_block(port);
		if (error != -EAGAIN)
			break;
		error = pending ? 0 : sleep(UINT64_MAX);
		if (error)
			break;
	}
	virtio_queue_interrupt(port->transmit, false);
	wait_queue_remove(&port->waiters, &entry);
	return error;
}

static bool try_own(struct virtio_port *port)
{
	unsigned long state = spin_lock_irqsave(&port->lock);
	bool owned = port->owned;

	port->owned = true;
	spin_unlock_irqrestore(&port->lock, state);
	return !owned;
}

/* Waits until no other task writes. */
static int own(struct virtio_port *port, bool nonblock)
{
	struct wait_entry entry;
	int error = 0;

	if (try_own(port))
		return 0;
	if (nonblock)
		return -EAGAIN;
	wait_queue_add(&port->waiters, &entry);
	while (!try_own(port) && !error)
		error = wait_sleep(UINT64_MAX);
	wait_queue_remove(&port->waiters, &entry);
	return error;
}

static void disown(struct virtio_port *port)
{
	unsigned long state = spin_lock_irqsave(&port->lock);

	port->owned = false;
	spin_unlock_irqrestore(&port->lock, state);
	wait_queue_wake(&port->waiters);
}

/* Gives SIZE bytes of the block to the device. 0 or -EIO. */
static int submit(struct virtio_port *port, size_t size)
{
	const struct virtio_buffer buffer = { page_paddr(port->block), (uint32_t)size };
	int error;

	port->in_flight = true;
	error = virtio_queue_add(port->transmit, &buffer, 1, NULL, 0, port->block);
	if (error)
		return -EIO;
	virtio_queue_kick(port->transmit);
	return 0;
}

ssize_t virtio_port_write(struct virtio_port *port, const void *source, size_t size, bool user,
			  bool nonblock)
{
	size_t done = 0;
	int error = size ? own(port, nonblock) : 0;

	if (!size || error)
		return error;
	if (!port->block)
		port->block = page_alloc(OUTPUT_ORDER);
	if (!port->block)
		error = -ENOMEM;
	while (done < size && !error) {
		size_t part = size - done < OUTPUT_SIZE ? size - done : OUTPUT_SIZE;

		error = await_block(port, nonblock, wait_sleep);
		if (!error)
			error = copy_from(port->block, (const char *)source + done, part, user);
		if (!error)
			error = submit(port, part);
		if (!error)
			done += part;
	}
	/* The device has the bytes, and a signal ends only the wait. */
	if (!error && !nonblock)
		(void)await_block(port, false, wait_sleep);
	disown(port);
	return done ? (ssize_t)done : error;
}

/* --- the state --- */

bool virtio_port_is_readable(struct virtio_port *port)
{
	bool closed = atomic_load(&port->closed), ready;

	mutex_lock(&port->read_mutex);
	ready = next_page(port) || closed || virtio_queue_is_broken(port->receive);
	mutex_unlock(&port->read_mutex);
	return ready;
}

bool virtio_port_is_writable(struct virtio_port *port)
{
	if (try_block(port) != -EAGAIN)
		return true;
	virtio_queue_interrupt(port->transmit, true);
	return try_block(port) != -EAGAIN;
}

bool virtio_port_is_closed(const struct virtio_port *port)
{
	return atomic_load(&port->closed);
}

struct wait_queue *virtio_port_waiters(struct virtio_port *port)
{
	return &port->waiters;
}

/* --- for the console --- */

static void wake_port(struct virtio_queue *queue, void *arg)
{
	struct virtio_port *port = arg;

	wait_queue_wake(&port->waiters);
}

void virtio_port_init(struct virtio_port *port, struct virtio_device *device, unsigned int queue)
{
	spin_init(&port->lock);
	mutex_init(&port->read_mutex);
	wait_queue_init(&port->waiters);
	port->receive = virtio_queue_new(device, queue, INPUT_PAGES, wake_port, port);
	port->transmit = virtio_queue_new(device, queue + 1, OUTPUT_BLOCKS, wake_port, port);
	if (port->transmit)
		virtio_queue_interrupt(port->transmit, false);
}

bool virtio_port_give_pages(struct virtio_port *port, unsigned int count)
{
	unsigned int given = 0;

	for (; given < count && given < virtio_queue_size(port->receive); given++) {
		char *page = page_alloc(0);

		if (!page)
			break;
		give_page(port, page);
	}
	virtio_queue_kick(port->receive);
	return given;
}

void virtio_port_drain(struct virtio_port *port)
{
	(void)await_block(port, false, wait_sleep_uninterrupted);
}
