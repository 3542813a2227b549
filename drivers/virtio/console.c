/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtio consoles with several ports: finding one, the control messages about its ports, and opening a port. port.c has the bytes.
 *
 * Each port has two queues, and the control messages have two.
 *
 * Locks: console->lock, irqsave, for the control messages and what they say of the ports. No lock is taken inside.
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
#include <kernel/sched/wait.h>
#include <kernel/virtio/virtio.h>
#include <uapi/linux/errno.h>

#include "port.h"

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
/* Control messages to receive at once, and the size of each. */
#define CONTROL_BUFFERS	     16 /* more than SENT_MAX */
#define CONTROL_BUFFER_SIZE  64
/* All control messages that the driver ever sends: one, and two for each port. */
#define SENT_MAX	     (1 + 2 * PORTS_MAX)

struct control {
	uint32_t port;
	uint16_t event, value;
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
	if (size >= VIRTIO_PORT_NAME_SIZE)
		size = VIRTIO_PORT_NAME_SIZE - 1;
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

struct virtio_port *virtio_port_open(const char *name, unsigned int pages, uint64_t deadline_ns)
{
	struct virtio_port *port;
	struct wait_entry entry;

	wait_queue_add(&port_waiters, &entry);
	while (!(port = find(name)))
		if (!consoles || wait_sleep_killable(deadline_ns))
			break;
	wait_queue_remove(&port_waiters, &entry);
	if (!port || !virtio_port_give_pages(port, pages))
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
				virtio_port_drain(&console->ports[i]);
}

/* --- finding a console --- */

/* Makes port ID, whose queues the device may not have. */
static void init_port(struct console *console, unsigned int id)
{
	struct virtio_port *port = &console->ports[id];

	port->console = console;
	port->id = id;
	virtio_port_init(port, console->device, id ? 2 * id + 2 : 0);
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
