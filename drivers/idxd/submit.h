/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors of the kernel, from their submission to their completion: see submit.c. */
#ifndef IDXD_SUBMIT_H
#define IDXD_SUBMIT_H

#include <stddef.h>
#include <stdint.h>

#include <kernel/base/physical.h>

struct idxd_queue;

/*
 * Moves BYTES (1 … the queue's max_transfer_bytes) from FROM to TO by QUEUE and waits for the end. 0; -ENODEV: the queue
 * is not enabled for the kernel, or the device is halted; -EINVAL: BYTES; -EIO: the device reports an error, which is in the log, or halts;
 * -ETIMEDOUT: not done at DEADLINE_NS of clock_ns(); -EINTR: a fatal signal came; -ECANCELED: the queue was
 * disabled or aborted meanwhile. After each of them the device does not
 * touch the memory any more. Task context, no lock held.
 */
int idxd_move(struct idxd_queue *queue, paddr_t to, paddr_t from, size_t bytes,
	      uint64_t deadline_ns);

/* --- for enable.c; device->mutex held, task context --- */

/* QUEUE is enabled: makes it ready for work. 0 or an IDXD_STATUS_*. */
uint32_t idxd_work_begin(struct idxd_queue *queue);
/* QUEUE takes no more work. */
void idxd_work_refuse(struct idxd_queue *queue);
/* The device has stopped QUEUE: completes the remaining work, with -ECANCELED for its submitters. */
void idxd_work_cancel(struct idxd_queue *queue);
/* The same at the end of QUEUE, which takes no more work: waits until its submitters have left and frees their work.
 * Releases the mutex meanwhile. */
void idxd_work_end(struct idxd_queue *queue);

#endif
