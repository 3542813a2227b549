/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtio consoles with several ports: the control messages about the ports, and the bytes of each.
 *
 * Each port has two queues. Received bytes stay in the pages that the device has put them into until a program reads them:
 * while all pages are full, the host waits. Written bytes go through one block of memory, which belongs to the device from
 * the submission until it returns the block, and to the port's owner, one writer at a time, before. A device that handles
 * a request at once (QEMU's with ioeventfd=off) costs a writer no interrupt: they are on only while a writer waits.
 *
 * Locks: port->read_mutex, around a read's copies. port->lock, irqsave, for the flags of a port; console->lock, irqsave, for
 * the control messages and the list of ports. queue->lock of a virtio queue is taken inside port->lock, no lock inside
 * console->lock.
 *
 * Source: VIRTIO 1.2, 5.3.
 */
#include <kernel/virtio/port.h>

#include <stdatomic.h>
#include <string.h>

#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/wait.h>
#include <kernel/virtio/virtio.h>
#include <uapi/linux/errno.h>

#define FEATURE_MULTIPORT    1
#define CONFIG_PORTS_MAX     4 /* offset of the most ports that the device can have */

/* Control messages, to and from the device. */
#define CONTROL_DEVICE_READY 0
#define CONTROL_PORT_ADD     1
#define CONTROL_PORT_REMOVE  2
#define CONTROL_PORT_READY   3
#define CONTROL_PORT_OPEN    6
#define CONTROL_PORT_NAME    7

#define CONTROL_RECEIVE	     2 /* queues */
#define CONTROL_TRANSMIT     3

/* Ports beyond these are left alone. */
#define PORTS_MAX	     4
#define NAME_SIZE	     32
/* Control messages to receive at once, and the size of each. */
#define CONTROL_BUFFERS	     16 /* more than SENT_MAX */
#define CONTROL_BUFFER_SIZE  64
/* All control messages that the driver ever sends: one, and two for each port. */
#define SENT_MAX	     (1 + 2 * PORTS_MAX)
/* Descriptors of a port's queues: pages that wait for received bytes, and the block of written ones. */
#define INPUT_PAGES	     64
#define OUTPUT_BLOCKS	     1
#define OUTPUT_ORDER	     4
#define OUTPUT_SIZE	     ((size_t)PAGE_SIZE << OUTPUT_ORDER)

struct control {
	uint32_t port;
	uint16_t event, value;
};

struct console;

struct virtio_port {
	struct console *console;
	unsigned int id;
	struct virtio_queue *receive, *transmit;
	struct wait_queue waiters;
	char name[NAME_SIZE];	 /* C: console->lock */
	bool present, host_open; /* C */
	bool opened;		 /* C: by the kernel */
	atomic_bool closed;	 /* after opened: the host has closed the port; final */

	struct mutex read_mutex;
	char *page;		    /* read_mutex: the page that is being read; NULL: none */
	uint32_t page_at, page_end; /* read_mutex */

	struct spinlock lock; /* L */
	bool owned;	      /* L: a writer is at work */
	bool in_flight;	      /* L: the device has the block */
	char *block;	      /* the owner's, while not in_flight; NULL before the first write */
};

struct console {
	struct console *next;
	struct virtio_device *device;
	struct virtio_queue *control_receive, *control_transmit;
	struct spinlock lock; /* C */
	struct control sent[SENT_MAX];
	unsigned int sent_count; /* C */
	struct virtio_port ports[PORTS_MAX];
	char received[CONTROL_BUFFERS][CONTROL_BUFFER_SIZE];
};

/* Changes at the start only, on one CPU. */
static struct console *consoles;
/* Woken when a port has come, or the host has opened one. */
static struct wait_queue port_waiters = { SPINLOCK_INITIALIZER,
					  TAILQ_HEAD_INITIALIZER(port_waiters.entries) };

/* --- control messages --- */

/* Sends a message; none if a lying device has had them all sent. Any context but NMI. */
static void send_control(struct console *console, uint32_t port, uint16_t event, uint16_t value)
{
	unsigned long state = spin_lock_irqsave(&console->lock);
	struct control *message = NULL;

	if (console->sent_count < SENT_MAX) {
		message = &console->sent[console->sent_count++];
		*message = (struct control){ port, event, value };
	}
	spin_unlock_irqrestore(&console->lock, state);
	if (!message)
		return;

	const struct virtio_buffer buffer = { page_paddr(message), sizeof(*message) };

	while (virtio_queue_get(console->control_transmit, NULL))
		;
	if (!virtio_queue_add(console->control_transmit, &buffer, 1, NULL, 0, message))
		virtio_queue_kick(console->control_transmit);
}

static void name_port(struct virtio_port *port, const char *name, size_t size)
{
	if (size >= NAME_SIZE)
		size = NAME_SIZE - 1;
	memcpy(port->name, name, size);
	port->name[size] = '\0';
}

/* Takes a message of SIZE bytes. Returns the port that changed, NULL: none. */
static struct virtio_port *take_message(struct console *console, const char *bytes, uint32_t size)
{
	struct control message;
	bool is_new = false;

	if (size < sizeof(message))
		return NULL;
	memcpy(&message, bytes, sizeof(message));

	struct virtio_port *port = message.port < PORTS_MAX ? &console->ports[message.port] : NULL;

	if (!port || !port->receive || !port->transmit)
		return NULL;

	unsigned long state = spin_lock_irqsave(&console->lock);

	if (message.event == CONTROL_PORT_ADD) {
		is_new = !port->present;
		port->present = true;
	} else if (message.event == CONTROL_PORT_NAME && !port->opened) {
		name_port(port, bytes + sizeof(message), size - sizeof(message));
	} else if (message.event == CONTROL_PORT_OPEN || message.event == CONTROL_PORT_REMOVE) {
		port->host_open = message.event == CONTROL_PORT_OPEN && message.value;
		if (port->opened && !port->host_open)
			atomic_store(&port->closed, true);
	}
	spin_unlock_irqrestore(&console->lock, state);
	if (is_new)
		send_control(console, message.port, CONTROL_PORT_READY, 1);
	return port;
}

static void give_control_buffer(struct console *console, char *bytes)
{
	const struct virtio_buffer buffer = { page_paddr(bytes), CONTROL_BUFFER_SIZE };

	/* There is room for all of them. */
	(void)virtio_queue_add(console->control_receive, NULL, 0, &buffer, 1, bytes);
}

static void take_control(struct virtio_queue *queue, void *arg)
{
	struct console *console = arg;
	uint32_t size;
	char *bytes;

	while ((bytes = virtio_queue_get(queue, &size))) {
		struct virtio_port *port = take_message(console, bytes, size);

		give_control_buffer(console, bytes);
		if (port)
			wait_queue_wake(&port->waiters);
	}
	virtio_queue_kick(queue);
	wait_queue_wake(&port_waiters);
}

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
	/* Before the bytes: those that the host sent before it closed the port are then to be seen. */
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

/* --- opening --- */

/* Returns the port NAME that the host has open, now opened; NULL: none. */
static struct virtio_port *find(const char *name)
{
	struct virtio_port *found = NULL;

	for (struct console *console = consoles; console && !found; console = console->next) {
		unsigned long state = spin_lock_irqsave(&console->lock);

		for (unsigned int i = 0; i < PORTS_MAX && !found; i++) {
			struct virtio_port *port = &console->ports[i];

			if (port->present && port->host_open && !port->opened &&
			    strcmp(port->name, name) == 0)
				found = port;
		}
		if (found)
			found->opened = true;
		spin_unlock_irqrestore(&console->lock, state);
	}
	return found;
}

/* Gives the device up to COUNT pages to write to. False: there is none. */
static bool give_pages(struct virtio_port *port, unsigned int count)
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

struct virtio_port *virtio_port_open(const char *name, unsigned int pages, uint64_t deadline_ns)
{
	struct virtio_port *port;
	struct wait_entry entry;

	wait_queue_add(&port_waiters, &entry);
	while (!(port = find(name)))
		if (!consoles || wait_sleep_killable(deadline_ns))
			break;
	wait_queue_remove(&port_waiters, &entry);
	if (!port || !give_pages(port, pages))
		return NULL;
	send_control(port->console, port->id, CONTROL_PORT_OPEN, 1);
	return port;
}

/* Written bytes leave the machine before its end. */
HOOK_LISTENER(machine_ends, 1, (void))
{
	for (struct console *console = consoles; console; console = console->next)
		for (unsigned int i = 0; i < PORTS_MAX; i++)
			if (console->ports[i].opened)
				(void)await_block(&console->ports[i], false,
						  wait_sleep_uninterrupted);
}

/* --- finding a console --- */

static void wake_port(struct virtio_queue *queue, void *arg)
{
	struct virtio_port *port = arg;

	wait_queue_wake(&port->waiters);
}

/* Makes the queues of port ID, which the device may not have. */
static void init_port(struct console *console, unsigned int id)
{
	struct virtio_port *port = &console->ports[id];
	unsigned int queue = id ? 2 * id + 2 : 0;

	port->console = console;
	port->id = id;
	spin_init(&port->lock);
	mutex_init(&port->read_mutex);
	wait_queue_init(&port->waiters);
	port->receive = virtio_queue_new(console->device, queue, INPUT_PAGES, wake_port, port);
	port->transmit =
		virtio_queue_new(console->device, queue + 1, OUTPUT_BLOCKS, wake_port, port);
	if (port->transmit)
		virtio_queue_interrupt(port->transmit, false);
}

static int probe(struct virtio_device *device)
{
	struct console *console;
	uint32_t ports;

	if (!virtio_has_feature(device, FEATURE_MULTIPORT) ||
	    !virtio_config_read(device, CONFIG_PORTS_MAX, &ports, sizeof(ports)))
		return -ENODEV;
	console = kzalloc(sizeof(*console));
	if (!console)
		return -ENOMEM;
	console->device = device;
	spin_init(&console->lock);
	console->control_receive =
		virtio_queue_new(device, CONTROL_RECEIVE, CONTROL_BUFFERS, take_control, console);
	console->control_transmit =
		virtio_queue_new(device, CONTROL_TRANSMIT, CONTROL_BUFFERS, NULL, NULL);
	if (!console->control_receive || !console->control_transmit) {
		kfree(console);
		return -ENODEV;
	}
	for (unsigned int i = 0; i < PORTS_MAX && i < ports; i++)
		init_port(console, i);
	device->driver_data = console;
	console->next = consoles;
	consoles = console;
	for (unsigned int i = 0; i < virtio_queue_size(console->control_receive); i++)
		give_control_buffer(console, console->received[i]);
	virtio_device_ready(device);
	virtio_queue_kick(console->control_receive);
	send_control(console, 0, CONTROL_DEVICE_READY, 1);
	return 0;
}

VIRTIO_DRIVER(virtio_console_driver, .name = "console", .id = VIRTIO_ID_CONSOLE,
	      .features = VIRTIO_BIT(FEATURE_MULTIPORT), .probe = probe);
