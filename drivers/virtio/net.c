/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtio network devices: a queue of buffers for received frames, and one of frames to send. The driver uses one feature, the
 * address: each frame is whole, in one buffer, after a header that requests no offload.
 *
 * The receiving queue interrupts. The sending one does so only while no buffer is free, and its buffers are taken back at the next
 * send.
 *
 * A header or a size that cannot be right costs its frame.
 *
 * Lock: none of its own. The network calls with inet_mutex held (kernel/net/inet/inet.h); interrupts touch nothing but the
 * queues, which have their own locks, and the pointer to the network's function.
 *
 * Source: VIRTIO 1.2, 5.1.
 */
#include <kernel/drivers/net_device.h>

#include <string.h>

#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/random/random.h>
#include <kernel/virtio/virtio.h>
#include <uapi/linux/errno.h>

#define FEATURE_MAC	5
#define CONFIG_MAC	0
#define QUEUE_RECEIVE	0
#define QUEUE_TRANSMIT	1
/* Buffers of each queue, and the bytes of one: two are in a page. */
#define BUFFERS		128
#define BUFFER_SIZE	2048
#define BUFFERS_IN_PAGE (PAGE_SIZE / BUFFER_SIZE)
/* The first two bits of an address: of a group, and chosen by a machine. */
#define ADDRESS_GROUP	1
#define ADDRESS_OWN	2

/* Before each frame. */
struct header {
	uint8_t flags, segments; /* 0: features that were not agreed on */
	uint16_t unused[4];
	uint16_t buffers; /* received: how many the frame is in. QEMU before 10 leaves 0 there */
};

/*
 * Locks:
 *   K  none: constant after the probe
 *   I  inet_mutex, which the network holds around each call
 */
struct network {
	struct net_device device;
	struct virtio_queue *receive, *transmit; /* K */
	char *received;				 /* I: the buffer that next has returned */
	bool gave_back;	       /* I: buffers went back, and the device was not notified since */
	unsigned int nr_pages; /* K: pages of buffers */
	unsigned int free;     /* I: free buffers for sending */
	char *free_buffers[BUFFERS];		    /* I */
	char *pages[2 * BUFFERS / BUFFERS_IN_PAGE]; /* K */
};

static struct network *network_of(struct net_device *device)
{
	return __containerof(device, struct network, device);
}

static void notify(struct virtio_queue *queue, void *arg)
{
	const struct virtio_device *device = arg;
	struct network *network = device->driver_data;
	/* The queues of a probe that fails end without a network. */
	void (*function)(void) = network ? network->device.notify : NULL;

	if (function)
		function();
}

/* --- receiving --- */

static void give_buffer(struct network *network, char *bytes)
{
	const struct virtio_buffer buffer = { page_paddr(bytes), BUFFER_SIZE };

	/* There is room for all of them; a broken queue takes none. */
	(void)virtio_queue_add(network->receive, NULL, 0, &buffer, 1, bytes);
	network->gave_back = true;
}

/* Returns whether the device has put a frame into BYTES, by writing WRITTEN bytes. */
static bool is_frame(const char *bytes, uint32_t written)
{
	struct header header;

	if (written < sizeof(header) + NET_HEADER_SIZE || written > sizeof(header) + NET_FRAME_MAX)
		return false;
	memcpy(&header, bytes, sizeof(header));
	return !header.flags && !header.segments && header.buffers <= 1;
}

static const void *next(struct net_device *device, size_t *size)
{
	struct network *network = network_of(device);
	uint32_t written;
	char *bytes;

	while ((bytes = virtio_queue_get(network->receive, &written))) {
		if (is_frame(bytes, written)) {
			network->received = bytes;
			*size = written - sizeof(struct header);
			device->received++;
			device->received_bytes += *size;
			return bytes + sizeof(struct header);
		}
		device->refused++;
		give_buffer(network, bytes);
	}
	if (network->gave_back)
		virtio_queue_kick(network->receive);
	network->gave_back = false;
	return NULL;
}

static void done(struct net_device *device)
{
	struct network *network = network_of(device);

	give_buffer(network, network->received);
}

/* --- sending --- */

static void take_back(struct network *network)
{
	char *bytes;

	while ((bytes = virtio_queue_get(network->transmit, NULL)))
		network->free_buffers[network->free++] = bytes;
}

static void *room(struct net_device *device)
{
	struct network *network = network_of(device);

	take_back(network);
	if (!network->free && virtio_queue_interrupt(network->transmit, true))
		take_back(network);
	if (!network->free)
		return NULL;
	virtio_queue_interrupt(network->transmit, false);
	return network->free_buffers[network->free - 1] + sizeof(struct header);
}

static int send(struct net_device *device, size_t size)
{
	struct network *network = network_of(device);
	char *bytes = network->free_buffers[network->free - 1];
	const struct virtio_buffer buffer = { page_paddr(bytes),
					      (uint32_t)(sizeof(struct header) + size) };

	memset(bytes, 0, sizeof(struct header));
	if (virtio_queue_add(network->transmit, &buffer, 1, NULL, 0, bytes))
		return -EIO;
	network->free--;
	device->sent++;
	device->sent_bytes += size;
	virtio_queue_kick(network->transmit);
	return 0;
}

/* --- finding a device --- */

/* Sets the device's own address, or one that is made up. False: no station can have it. */
static bool read_address(struct virtio_device *device, uint8_t address[NET_ADDRESS_SIZE])
{
	static const uint8_t none[NET_ADDRESS_SIZE];

	if (!virtio_has_feature(device, FEATURE_MAC)) {
		random_bytes(address, NET_ADDRESS_SIZE);
		address[0] = (uint8_t)((address[0] & ~ADDRESS_GROUP) | ADDRESS_OWN);
		return true;
	}
	return virtio_config_read(device, CONFIG_MAC, address, NET_ADDRESS_SIZE) &&
	       !(address[0] & ADDRESS_GROUP) && memcmp(address, none, sizeof(none)) != 0;
}

/* Makes COUNT buffers; the last ones are for sending. False: no memory. */
static bool make_buffers(struct network *network, unsigned int count)
{
	while (network->nr_pages * BUFFERS_IN_PAGE < count) {
		char *page = page_alloc(0);

		if (!page)
			return false;
		network->pages[network->nr_pages++] = page;
	}
	return true;
}

static char *buffer_at(const struct network *network, unsigned int index)
{
	return network->pages[index / BUFFERS_IN_PAGE] + index % BUFFERS_IN_PAGE * BUFFER_SIZE;
}

static void free_network(struct network *network)
{
	while (network->nr_pages)
		page_put(network->pages[--network->nr_pages]);
	kfree(network);
}

/* 0 or a negative error: nothing has gone to the device then. */
static int prepare(struct network *network, struct virtio_device *device)
{
	if (!read_address(device, network->device.address))
		return -ENODEV;
	network->receive = virtio_queue_new(device, QUEUE_RECEIVE, BUFFERS, notify, device);
	network->transmit = virtio_queue_new(device, QUEUE_TRANSMIT, BUFFERS, notify, device);
	if (!network->receive || !network->transmit)
		return -ENODEV;
	return make_buffers(network, virtio_queue_size(network->receive) +
					     virtio_queue_size(network->transmit)) ?
		       0 :
		       -ENOMEM;
}

static int probe(struct virtio_device *device)
{
	struct network *network = kzalloc(sizeof(*network));

	if (!network)
		return -ENOMEM;
	int error = prepare(network, device);

	if (error) {
		free_network(network);
		return error;
	}
	unsigned int incoming = virtio_queue_size(network->receive);

	network->device.next = next;
	network->device.done = done;
	network->device.room = room;
	network->device.send = send;
	device->driver_data = network;
	virtio_queue_interrupt(network->transmit, false);
	for (unsigned int i = 0; i < incoming; i++)
		give_buffer(network, buffer_at(network, i));
	for (; network->free < virtio_queue_size(network->transmit); network->free++)
		network->free_buffers[network->free] = buffer_at(network, incoming + network->free);
	virtio_device_ready(device);
	virtio_queue_kick(network->receive);
	net_device_add(&network->device);
	return 0;
}

VIRTIO_DRIVER(virtio_net_driver, .name = "network", .id = VIRTIO_ID_NETWORK,
	      .features = VIRTIO_BIT(FEATURE_MAC), .probe = probe);
