/* SPDX-License-Identifier: BSD-2-Clause */
/* The files in the directories of a device, its queues, groups and engines: see attributes.c. */
#ifndef IDXD_ATTRIBUTES_H
#define IDXD_ATTRIBUTES_H

#include <kernel/fs/pseudo.h>

/* Targets: struct idxd_device, idxd_queue, idxd_group, idxd_engine. */
extern const struct pseudo_entry idxd_device_files[], idxd_queue_files[], idxd_group_files[],
	idxd_engine_files[];

#endif
