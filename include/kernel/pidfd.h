/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that stand for processes and threads: pidfd_open(2). */
#ifndef KERNEL_PIDFD_H
#define KERNEL_PIDFD_H

#include <stdbool.h>

struct process;
struct task;

/* A descriptor, close-on-exec, for PROCESS, or for THREAD of it alone (NULL: all of it), either
 * of which may still be on its way into the task table; NONBLOCKING: waitid is not to sleep on
 * it. Or -EMFILE, -ENOMEM. Task context. */
int pidfd_create(struct process *process, struct task *thread, bool nonblocking);

/* The process that descriptor FD of the running task stands for, with a reference, in *PROCESS, and
 * whether the file is nonblocking. 0 or -EBADF. Task context. */
int pidfd_get_process(int fd, struct process **process, bool *nonblocking);

#endif
