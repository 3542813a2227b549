/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of the drivers idxd (of devices), dmaengine (of kernel queues) and user (of user queues): see binding.c. */
#ifndef IDXD_BINDING_H
#define IDXD_BINDING_H

#include <kernel/fs/pseudo.h>

extern const struct pseudo_entry idxd_device_binding[], idxd_queue_binding[], idxd_user_binding[];

#endif
