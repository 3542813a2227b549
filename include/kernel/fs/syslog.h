/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules that syslog(2) and /dev/kmsg share: permission to read the log, and the place of its
 * clearing. */
#ifndef KERNEL_SYSLOG_H
#define KERNEL_SYSLOG_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/sched/wait.h>

/* Returns whether the current task may read the log: only with CAP_SYSLOG, as with Linux's
 * kernel.dmesg_restrict = 1. Task context. */
bool syslog_permitted(void);

/* Returns the queue that is woken for each new record: kernel/fs/kmsg.c. Task context. */
struct wait_queue *syslog_queue(void);

/* Returns the number of the first record after the last clearing. Any context. */
uint64_t syslog_cleared(void);

#endif
