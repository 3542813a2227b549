/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptors of the kernel: from the submission to the completion.
 *
 * A queue has one work for each of its entries, with room for a descriptor and its completion record, so a dedicated
 * queue never overflows. A submitter takes a free work, waiting if there is none, fills it in and gives it to the
 * portal: MOVDIR64B for a dedicated queue, ENQCMDS for a shared one, which may say "retry". The device writes the
 * completion record and interrupts; the interrupt ends each work whose record is written and wakes the submitters.
 *
 *      free --take--> taken --submit--> submitted --record--> taken, done --give back--> free
 *
 * The device owns the work's memory, and what the descriptor points to, while the work is submitted. So a submitter that
 * stops waiting first aborts the queue (idxd_queue_abort): that ends all works of it, or, if the device does not answer,
 * takes the device's right to reach memory.
 */
#include "submit.h"

#include <stdbool.h>

#include <arch/enqueue.h>
#include <kernel/base/clock.h>
#include <kernel/base/log.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/pci/pci.h>
#include <uapi/linux/errno.h>

#include "idxd.h"
#include "registers.h"

/* Entries beyond these have no work of the kernel. */
#define WORKS_MAX 1024

/* A submitter sleeps so long when the device has said "retry" once more than enqcmds_retries. */
#define RETRY_NS  NSEC_PER_MSEC

struct idxd_work {
	struct idxd_descriptor descriptor;
	struct idxd_record record;
	LIST_ENTRY(idxd_work) link; /* Q: free_works or submitted */
	bool done;		    /* Q */
	int error;		    /* Q: of a work that is done */
};

/* --- completion --- */

/* Ends WORK with what the device wrote, or with ERROR. Lock held. */
static void end_work(struct idxd_queue *queue, struct idxd_work *work, int error)
{
	spin_assert_held(&queue->lock);
	LIST_REMOVE(work, link);
	work->done = true;
	work->error = error;
}

static uint8_t status_of(const struct idxd_work *work)
{
	return RECORD_STATUS(__atomic_load_n(&work->record.status, __ATOMIC_ACQUIRE));
}

/* Ends the works whose record is written. Lock held. */
static void end_complete_works(struct idxd_queue *queue)
{
	struct idxd_work *work, *next;

	spin_assert_held(&queue->lock);
	LIST_FOREACH_SAFE(work, &queue->submitted, link, next) {
		uint8_t status = status_of(work);

		if (status)
			end_work(queue, work, status == RECORD_SUCCESS ? 0 : -EIO);
	}
}

static void take_interrupt(void *arg)
{
	struct idxd_queue *queue = arg;
	unsigned long state = spin_lock_irqsave(&queue->lock);

	end_complete_works(queue);
	spin_unlock_irqrestore(&queue->lock, state);
	wait_queue_wake(&queue->waiters);
}

/* --- submission --- */

/* Takes a free work. NULL: none, and *ERROR is 0 or -ENODEV. */
static struct idxd_work *take_work(struct idxd_queue *queue, int *error)
{
	unsigned long state = spin_lock_irqsave(&queue->lock);
	struct idxd_work *work = NULL;

	*error = queue->enabled && !queue->refusing ? 0 : -ENODEV;
	if (!*error && (work = LIST_FIRST(&queue->free_works))) {
		LIST_REMOVE(work, link);
		queue->taken++;
		work->done = false;
		work->error = 0;
	}
	spin_unlock_irqrestore(&queue->lock, state);
	return work;
}

static void give_back(struct idxd_queue *queue, struct idxd_work *work)
{
	unsigned long state = spin_lock_irqsave(&queue->lock);

	LIST_INSERT_HEAD(&queue->free_works, work, link);
	queue->taken--;
	spin_unlock_irqrestore(&queue->lock, state);
	wait_queue_wake(&queue->waiters);
}

/* Gives WORK to the device. False: a shared queue says "retry", and WORK is not submitted. */
static bool submit(struct idxd_queue *queue, struct idxd_work *work)
{
	volatile uint8_t *portal = queue->device->portals +
				   (queue->id * PORTALS + PORTAL_LIMITED) * (size_t)PORTAL_SIZE;
	unsigned long state = spin_lock_irqsave(&queue->lock);
	bool taken = queue->enabled && !queue->refusing;

	/* In the list first: the interrupt may come at once, but waits for the lock. */
	if (taken && queue->dedicated)
		arch_store64(portal, &work->descriptor);
	else if (taken)
		taken = arch_enqueue(portal, &work->descriptor);
	if (taken)
		LIST_INSERT_HEAD(&queue->submitted, work, link);
	spin_unlock_irqrestore(&queue->lock, state);
	return taken;
}

static bool is_halted(const struct idxd_queue *queue)
{
	return atomic_load(&queue->device->state) == IDXD_DEVICE_HALTED;
}

/* Returns whether WORK is done; its error in *ERROR. */
static bool is_done(struct idxd_queue *queue, const struct idxd_work *work, int *error)
{
	unsigned long state = spin_lock_irqsave(&queue->lock);
	bool done = work->done;

	*error = work->error;
	spin_unlock_irqrestore(&queue->lock, state);
	return done;
}

/* Waits for a free work. 0, -ENODEV, -ETIMEDOUT, -EINTR. */
static int await_work(struct idxd_queue *queue, uint64_t deadline_ns, struct idxd_work **work)
{
	struct wait_entry entry;
	int error, waited = 0;

	wait_queue_add(&queue->waiters, &entry);
	while (!(*work = take_work(queue, &error)) && !error && !waited) {
		error = is_halted(queue) ? -ENODEV : 0;
		if (!error)
			waited = wait_sleep_killable(deadline_ns);
	}
	wait_queue_remove(&queue->waiters, &entry);
	return *work ? 0 : error ? error : waited;
}

/* Submits WORK, again and again if the queue is full. 0 or an error, as above. */
static int submit_patiently(struct idxd_queue *queue, struct idxd_work *work, uint64_t deadline_ns)
{
	struct wait_entry entry;
	int error = 0;

	for (unsigned int tries = 1; !submit(queue, work); tries++) {
		if (is_halted(queue) || !queue->enabled || queue->refusing)
			return -ENODEV;
		if (clock_ns() >= deadline_ns)
			return -ETIMEDOUT;
		if (tries % (atomic_load(&queue->enqcmds_retries) + 1))
			continue;
		/* A work of this queue that ends, or the time, wakes. */
		wait_queue_add(&queue->waiters, &entry);
		error = wait_sleep_killable(clock_ns() + RETRY_NS);
		wait_queue_remove(&queue->waiters, &entry);
		if (error == -EINTR)
			return error;
	}
	return 0;
}

/* Waits until WORK, submitted, is done: its error. It is the kernel's again in any case. */
static int await_end(struct idxd_queue *queue, struct idxd_work *work, uint64_t deadline_ns)
{
	struct wait_entry entry;
	int error, waited = 0;

	wait_queue_add(&queue->waiters, &entry);
	while (!is_done(queue, work, &error) && !waited && !is_halted(queue))
		waited = wait_sleep_killable(deadline_ns);
	wait_queue_remove(&queue->waiters, &entry);
	if (is_done(queue, work, &error))
		return error;
	idxd_queue_abort(queue);
	is_done(queue, work, &error);
	return error && error != -ECANCELED ? error : waited ? waited : -EIO;
}

static void fill_in(struct idxd_queue *queue, struct idxd_work *work, paddr_t to, paddr_t from,
		    size_t bytes)
{
	work->record = (struct idxd_record){ 0 };
	work->descriptor = (struct idxd_descriptor){
		.pasid = DESCRIPTOR_PRIVILEGED,
		.operation = DESCRIPTOR_OPCODE(OPCODE_MOVE) | FLAG_RECORD_VALID |
			     FLAG_RECORD_REQUEST | FLAG_INTERRUPT | FLAG_CACHE,
		.record = page_paddr(&work->record),
		.source = from,
		.destination = to,
		.bytes = (uint32_t)bytes,
		.interrupt = (uint16_t)(queue->id + 1),
	};
}

int idxd_move(struct idxd_queue *queue, paddr_t to, paddr_t from, size_t bytes,
	      uint64_t deadline_ns)
{
	struct idxd_work *work;
	int error = await_work(queue, deadline_ns, &work);

	if (error)
		return error;
	if (!bytes || bytes > queue->max_transfer_bytes)
		error = -EINVAL;
	if (!error) {
		fill_in(queue, work, to, from, bytes);
		error = submit_patiently(queue, work, deadline_ns);
	}
	if (!error) {
		error = await_end(queue, work, deadline_ns);
		if (error)
			log_warning(
				"%s: a move of %zu bytes by queue %u failed: error %d, status 0x%x",
				queue->device->name, bytes, queue->id, error, status_of(work));
	}
	give_back(queue, work);
	return error;
}

/* --- a queue's beginning and end --- */

uint32_t idxd_work_begin(struct idxd_queue *queue)
{
	struct idxd_device *device = queue->device;
	unsigned int count = queue->size < WORKS_MAX ? queue->size : WORKS_MAX;
	struct idxd_work *works = kzalloc(count * sizeof(*works));

	if (!works)
		return IDXD_STATUS_RESOURCES;
	if (pci_msix_request(device->pci, queue->id + 1, 0, take_interrupt, queue, device->name)) {
		kfree(works);
		return IDXD_STATUS_IRQ;
	}
	unsigned long state = spin_lock_irqsave(&queue->lock);
	queue->works = works;
	for (unsigned int i = 0; i < count; i++)
		LIST_INSERT_HEAD(&queue->free_works, &works[i], link);
	queue->enabled = true;
	queue->refusing = false;
	spin_unlock_irqrestore(&queue->lock, state);
	return 0;
}

void idxd_work_refuse(struct idxd_queue *queue)
{
	unsigned long state = spin_lock_irqsave(&queue->lock);

	queue->refusing = true;
	spin_unlock_irqrestore(&queue->lock, state);
	wait_queue_wake(&queue->waiters);
}

void idxd_work_cancel(struct idxd_queue *queue)
{
	struct idxd_work *work;
	unsigned long state = spin_lock_irqsave(&queue->lock);

	end_complete_works(queue);
	while ((work = LIST_FIRST(&queue->submitted)))
		end_work(queue, work, -ECANCELED);
	spin_unlock_irqrestore(&queue->lock, state);
	wait_queue_wake(&queue->waiters);
}

static bool has_left(struct idxd_queue *queue)
{
	unsigned long state = spin_lock_irqsave(&queue->lock);
	bool left = !queue->taken;

	spin_unlock_irqrestore(&queue->lock, state);
	return left;
}

void idxd_work_end(struct idxd_queue *queue)
{
	struct wait_entry entry;

	idxd_work_cancel(queue);
	pci_msix_release(queue->device->pci, queue->id + 1);
	/* One of them may be about to abort the queue, for which it needs the mutex. Until they have left, the queue is
	 * enabled and refuses: it can be neither enabled nor disabled. */
	mutex_unlock(&queue->device->mutex);
	wait_queue_add(&queue->waiters, &entry);
	while (!has_left(queue))
		wait_sleep_uninterrupted(UINT64_MAX);
	wait_queue_remove(&queue->waiters, &entry);
	mutex_lock(&queue->device->mutex);

	unsigned long state = spin_lock_irqsave(&queue->lock);
	struct idxd_work *works = queue->works;
	LIST_INIT(&queue->free_works);
	queue->works = NULL;
	queue->enabled = false;
	spin_unlock_irqrestore(&queue->lock, state);
	kfree(works);
}
