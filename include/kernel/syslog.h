/* SPDX-License-Identifier: BSD-2-Clause */
/* What syslog(2) and /dev/kmsg agree on: who may read the log, and where it was cleared. */
#ifndef KERNEL_SYSLOG_H
#define KERNEL_SYSLOG_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/wait.h>

/* Whether the running task may read the log: only with CAP_SYSLOG, as where Linux's
 * kernel.dmesg_restrict is 1. Task context. */
bool syslog_permitted(void);

/* Woken when a record comes. kernel/fs/kmsg.c. Task context. */
struct wait_queue *syslog_queue(void);

/* Number of the first record after the last clearing. Any context. */
uint64_t syslog_cleared(void);

#endif
