/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues of programs: see user.c. */
#ifndef IDXD_USER_H
#define IDXD_USER_H

#include <stdint.h>

struct idxd_queue;

/* Makes QUEUE ready for the following, before anybody else sees it. */
void idxd_user_init(struct idxd_queue *queue);

/* --- for enable.c; device->mutex held, task context --- */

/* QUEUE, enabled in the device with IOMMU_PASID_NONE if it is dedicated, is a program's from here on: its node in /dev
 * is made. 0 or -ENOMEM, or an error of making an entry. */
int idxd_user_begin(struct idxd_queue *queue);
/* QUEUE is disabled in the device: its node is gone, its portal is unmapped everywhere, and its files are of no use. */
void idxd_user_end(struct idxd_queue *queue);

/* --- enable.c, for user.c; device->mutex held, task context --- */

/* Stops QUEUE, a dedicated one that is enabled for programs, and enables it with PASID. 0; -ENXIO: it is not enabled
 * then. */
int idxd_queue_set_pasid(struct idxd_queue *queue, uint32_t pasid);

#endif
