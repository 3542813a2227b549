/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Split virtio queues.
 *
 * The device shares three parts of memory with the kernel: the descriptors and the available ring, which the kernel writes,
 * and the used ring, which the device writes. The kernel believes nothing that lies there: it keeps its own copy of the
 * lists of descriptors, the tokens and the lengths (struct slot), and reads only the used ring's index and entries and the
 * two suppressions of notices. An index, id or length that contradicts the copy breaks the queue.
 *
 *      free --add--> in flight --device returns it, get--> free
 *
 * Lock: queue->lock, irqsave. The log's locks are taken inside, once, when the queue breaks.
 */
#include <kernel/virtio/queue.h>

#include <stdatomic.h>
#include <stddef.h>

#include <kernel/base/log.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/virtio/virtio.h>
#include <uapi/linux/errno.h>

#include "queue.h"

/* Flags of a descriptor, and of the rings. */
#define DESCRIPTOR_NEXT	     1
#define DESCRIPTOR_WRITE     2
#define AVAIL_NO_INTERRUPT   1
#define USED_NO_NOTIFY	     1

/* The end of a list of slots. */
#define NONE		     UINT16_MAX

/* An event index that is not reached before the 16-bit index has come round. */
#define EVENT_NEVER(used_at) ((uint16_t)((used_at)-1))

struct descriptor {
	uint64_t address;
	uint32_t length;
	uint16_t flags, next;
};

struct used_entry {
	uint32_t id, length;
};

/* The copy of a descriptor. */
struct slot {
	void *token;	   /* L: of the first descriptor of a request in flight; else NULL */
	uint32_t writable; /* L: there: the bytes that the device may write */
	uint16_t next;	   /* L: in the request, or among the free ones */
};

struct virtio_queue {
	struct spinlock lock;	   /* L */
	struct virtio_queue *next; /* of the device's */
	struct virtio_device *device;
	unsigned int index, size, order;
	void (*callback)(struct virtio_queue *queue, void *arg);
	void *arg;
	volatile void *notify;
	bool has_events; /* notices are suppressed by index, not by flag */

	/* Shared with the device. */
	struct descriptor *descriptors;
	volatile uint16_t *avail; /* flags, index, ring[size], the used index that interrupts */
	volatile uint16_t *
		used; /* flags, index, struct used_entry[size], the available index that wants a kick */

	uint16_t avail_at;  /* L: the available index */
	uint16_t kicked_at; /* L: the same at the last kick */
	uint16_t used_at;   /* L: the next used entry, runs freely */
	uint16_t free_list; /* L */
	uint16_t free;	    /* L: descriptors in it */
	uint16_t in_flight; /* L: requests */
	bool interrupts;    /* L */
	bool broken;	    /* L */
	bool reported;	    /* L: the callback knows that the queue is broken */
	struct slot slots[];
};

#define AVAIL_FLAGS 0
#define AVAIL_INDEX 1
#define AVAIL_RING  2
#define USED_FLAGS  0
#define USED_INDEX  1
#define USED_RING   2

static uint16_t load(const volatile uint16_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void store(volatile uint16_t *word, uint16_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static volatile struct used_entry *used_entry(const struct virtio_queue *queue, uint16_t at)
{
	volatile struct used_entry *ring = (volatile struct used_entry *)(queue->used + USED_RING);

	return &ring[at & (queue->size - 1)];
}

/* The index at which the kernel wants an interrupt, and that at which the device wants a kick. */
static volatile uint16_t *used_event(const struct virtio_queue *queue)
{
	return queue->avail + AVAIL_RING + queue->size;
}

static volatile uint16_t *avail_event(const struct virtio_queue *queue)
{
	return (volatile uint16_t *)((volatile struct used_entry *)(queue->used + USED_RING) +
				     queue->size);
}

/* The device has lied: REASON. Lock held. */
static void break_queue(struct virtio_queue *queue, const char *reason)
{
	spin_assert_held(&queue->lock);
	queue->broken = true;
	log_error("virtio: %s: queue %u is given up: %s", queue->device->name, queue->index,
		  reason);
	virtio_device_fail(queue->device);
}

/* Returns how many used entries wait, 0 if their number cannot be right. Lock held. */
static uint16_t count_used(struct virtio_queue *queue)
{
	uint16_t count;

	spin_assert_held(&queue->lock);
	if (queue->broken)
		return 0;
	count = (uint16_t)(load(queue->used + USED_INDEX) - queue->used_at);
	if (count <= queue->in_flight)
		return count;
	break_queue(queue, "it returned more requests than it had");
	return 0;
}

/* --- requests --- */

/* Puts COUNT buffers with FLAGS into descriptors from the free list, which has at least COUNT. Lock held. */
static void fill(struct virtio_queue *queue, const struct virtio_buffer *buffers,
		 unsigned int count, uint16_t flags, uint16_t *last)
{
	spin_assert_held(&queue->lock);
	for (unsigned int i = 0; i < count; i++) {
		uint16_t at = queue->free_list;
		struct descriptor *descriptor = &queue->descriptors[at];

		queue->free_list = queue->slots[at].next;
		*descriptor = (struct descriptor){ .address = buffers[i].address,
						   .length = buffers[i].length,
						   .flags = flags | DESCRIPTOR_NEXT,
						   .next = queue->slots[at].next };
		*last = at;
	}
	queue->free -= (uint16_t)count;
}

/* Sums the lengths of COUNT buffers. False: one is empty. */
static bool add_lengths(const struct virtio_buffer *buffers, unsigned int count, uint64_t *sum)
{
	for (unsigned int i = 0; i < count; i++) {
		if (!buffers[i].length)
			return false;
		*sum += buffers[i].length;
	}
	return true;
}

int virtio_queue_add(struct virtio_queue *queue, const struct virtio_buffer *out,
		     unsigned int n_out, const struct virtio_buffer *in, unsigned int n_in,
		     void *token)
{
	uint64_t written = 0, all = 0;
	uint16_t first, last = NONE;
	int error = 0;

	if (n_out > queue->size || n_in > queue->size - n_out || !(n_out + n_in) || !token ||
	    !add_lengths(in, n_in, &written) || !add_lengths(out, n_out, &all) ||
	    all + written > UINT32_MAX)
		return -EINVAL;

	unsigned long state = spin_lock_irqsave(&queue->lock);

	if (queue->broken) {
		error = -EIO;
	} else if (queue->free < n_out + n_in) {
		error = -ENOSPC;
	} else {
		first = queue->free_list;
		fill(queue, out, n_out, 0, &last);
		fill(queue, in, n_in, DESCRIPTOR_WRITE, &last);
		queue->descriptors[last].flags &= (uint16_t)~DESCRIPTOR_NEXT;
		queue->slots[last].next = NONE;
		queue->slots[first].token = token;
		queue->slots[first].writable = (uint32_t)written;
		queue->in_flight++;
		queue->avail[AVAIL_RING + (queue->avail_at & (queue->size - 1))] = first;
		store(queue->avail + AVAIL_INDEX, ++queue->avail_at);
	}
	spin_unlock_irqrestore(&queue->lock, state);
	return error;
}

void virtio_queue_kick(struct virtio_queue *queue)
{
	unsigned long state = spin_lock_irqsave(&queue->lock);
	uint16_t added = (uint16_t)(queue->avail_at - queue->kicked_at);
	bool tell = added && !queue->broken;

	/* The device sees the requests, or the kernel sees that the device wants a kick. */
	atomic_thread_fence(memory_order_seq_cst);
	if (tell && queue->has_events)
		tell = (uint16_t)(queue->avail_at - load(avail_event(queue)) - 1) < added;
	else if (tell)
		tell = !(load(queue->used + USED_FLAGS) & USED_NO_NOTIFY);
	queue->kicked_at = queue->avail_at;
	spin_unlock_irqrestore(&queue->lock, state);
	if (!tell)
		return;
	if (queue->device->narrow_notify)
		*(volatile uint16_t *)queue->notify = (uint16_t)queue->index;
	else
		*(volatile uint32_t *)queue->notify = queue->index;
}

/* Returns the descriptors of the request that begins at FIRST to the free list. Lock held. */
static void release(struct virtio_queue *queue, uint16_t first)
{
	uint16_t last = first, count = 1;

	spin_assert_held(&queue->lock);
	for (; queue->slots[last].next != NONE; last = queue->slots[last].next)
		count++;
	queue->slots[last].next = queue->free_list;
	queue->slots[first].token = NULL;
	queue->free_list = first;
	queue->free += count;
	queue->in_flight--;
}

/* The kernel wants an interrupt for the next used entry, or none. Lock held. */
static void ask_for_interrupt(struct virtio_queue *queue)
{
	spin_assert_held(&queue->lock);
	if (queue->has_events)
		*used_event(queue) = queue->interrupts ? queue->used_at :
							 EVENT_NEVER(queue->used_at);
	else
		queue->avail[AVAIL_FLAGS] = queue->interrupts ? 0 : AVAIL_NO_INTERRUPT;
	/* The device sees it, or the kernel sees what the device has returned before. */
	atomic_thread_fence(memory_order_seq_cst);
}

void *virtio_queue_get(struct virtio_queue *queue, uint32_t *written)
{
	unsigned long state = spin_lock_irqsave(&queue->lock);
	uint32_t id = 0, length = 0;
	void *token = NULL;

	if (count_used(queue)) {
		/* Each once: the device can change them at any time. */
		id = used_entry(queue, queue->used_at)->id;
		length = used_entry(queue, queue->used_at)->length;
		if (id >= queue->size || !queue->slots[id].token)
			break_queue(queue, "it returned a request that it had not");
		else if (length > queue->slots[id].writable)
			break_queue(queue, "it wrote more than there was room for");
		else
			token = queue->slots[id].token;
	}
	if (token) {
		release(queue, (uint16_t)id);
		queue->used_at++;
		if (written)
			*written = length;
		if (queue->has_events)
			ask_for_interrupt(queue);
	}
	spin_unlock_irqrestore(&queue->lock, state);
	return token;
}

bool virtio_queue_interrupt(struct virtio_queue *queue, bool on)
{
	unsigned long state = spin_lock_irqsave(&queue->lock);
	bool pending;

	queue->interrupts = on;
	ask_for_interrupt(queue);
	pending = count_used(queue) > 0;
	spin_unlock_irqrestore(&queue->lock, state);
	return pending;
}

unsigned int virtio_queue_free(const struct virtio_queue *queue)
{
	return *(const volatile uint16_t *)&queue->free;
}

unsigned int virtio_queue_size(const struct virtio_queue *queue)
{
	return queue->size;
}

bool virtio_queue_is_broken(const struct virtio_queue *queue)
{
	return *(const volatile bool *)&queue->broken;
}

/* --- the queues of a device --- */

void virtio_queue_take_interrupt(struct virtio_queue *queue)
{
	unsigned long state = spin_lock_irqsave(&queue->lock);
	bool call = count_used(queue) > 0 || (queue->broken && !queue->reported);

	if (queue->broken)
		queue->reported = true;
	spin_unlock_irqrestore(&queue->lock, state);
	if (call && queue->callback)
		queue->callback(queue, queue->arg);
}

struct virtio_queue *virtio_queue_of(const struct virtio_device *device, struct virtio_queue *queue,
				     int index)
{
	queue = queue ? queue->next : device->queues;
	while (queue && index >= 0 && queue->index != (unsigned int)index)
		queue = queue->next;
	return queue;
}

void virtio_queues_break(struct virtio_device *device)
{
	for (struct virtio_queue *queue = device->queues; queue; queue = queue->next) {
		unsigned long state = spin_lock_irqsave(&queue->lock);

		queue->broken = true;
		spin_unlock_irqrestore(&queue->lock, state);
		virtio_queue_take_interrupt(queue);
	}
}

static void free_queue(struct virtio_queue *queue)
{
	if (queue->descriptors)
		page_put(queue->descriptors);
	kfree(queue);
}

void virtio_queues_free(struct virtio_device *device)
{
	struct virtio_queue *queue;

	while ((queue = device->queues)) {
		device->queues = queue->next;
		free_queue(queue);
	}
}

/* Lays the three parts out in one block of pages. False: no memory. */
static bool allocate_parts(struct virtio_queue *queue)
{
	size_t avail = queue->size * sizeof(struct descriptor);
	/* The used ring is aligned to 4. */
	size_t used = (avail + (AVAIL_RING + queue->size + 1) * sizeof(uint16_t) + 3) & ~(size_t)3;
	size_t size =
		used + (USED_RING + 1) * sizeof(uint16_t) + queue->size * sizeof(struct used_entry);
	unsigned int order = 0;

	while (PAGE_SIZE << order < size)
		order++;
	queue->descriptors = page_alloc(order);
	if (!queue->descriptors)
		return false;
	queue->avail = (volatile uint16_t *)((char *)queue->descriptors + avail);
	queue->used = (volatile uint16_t *)((char *)queue->descriptors + used);
	return true;
}

static struct virtio_queue *create(struct virtio_device *device, unsigned int index,
				   unsigned int size)
{
	struct virtio_queue *queue = kzalloc(sizeof(*queue) + size * sizeof(queue->slots[0]));

	if (!queue)
		return NULL;
	spin_init(&queue->lock);
	queue->device = device;
	queue->index = index;
	queue->size = size;
	queue->has_events = virtio_has_feature(device, VIRTIO_F_EVENT_IDX);
	queue->interrupts = true;
	queue->free = (uint16_t)size;
	for (unsigned int i = 0; i < size; i++)
		queue->slots[i].next = (uint16_t)(i + 1 < size ? i + 1 : NONE);
	if (allocate_parts(queue))
		return queue;
	kfree(queue);
	return NULL;
}

struct virtio_queue *virtio_queue_new(struct virtio_device *device, unsigned int index,
				      unsigned int size,
				      void (*callback)(struct virtio_queue *queue, void *arg),
				      void *arg)
{
	unsigned int most = device->transport->get_queue_size(device, index), power = 1;
	struct virtio_queue *queue;

	if (most > size)
		most = size;
	if (most > VIRTIO_QUEUE_MAX)
		most = VIRTIO_QUEUE_MAX;
	if (!most || virtio_queue_of(device, NULL, (int)index))
		return NULL;
	while (power * 2 <= most)
		power *= 2;
	queue = create(device, index, power);
	if (!queue)
		return NULL;
	queue->callback = callback;
	queue->arg = arg;

	const paddr_t parts[3] = { page_paddr(queue->descriptors),
				   page_paddr((const void *)queue->avail),
				   page_paddr((const void *)queue->used) };
	int error = device->transport->enable_queue(device, index, power, parts, &queue->notify);

	if (error) {
		log_warning("virtio: %s: no queue %u: error %d", device->name, index, -error);
		free_queue(queue);
		return NULL;
	}
	queue->next = device->queues;
	device->queues = queue;
	if (!callback)
		virtio_queue_interrupt(queue, false);
	return queue;
}
