/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that refer to processes and threads: pidfd_open(2). */
#ifndef KERNEL_PIDFD_H
#define KERNEL_PIDFD_H

#include <stdbool.h>

struct process;
struct task;

/* Opens a descriptor, close-on-exec, for PROCESS, or for THREAD of it alone (NULL: all of it); neither
 * needs to be in the task table yet. NONBLOCKING: waitid does not sleep on it. Or -EMFILE, -ENOMEM. Task
 * context. */
int pidfd_create(struct process *process, struct task *thread, bool nonblocking);

/* Returns the process of descriptor FD of the current task, with a reference, in *PROCESS, and whether the
 * file is nonblocking. 0 or -EBADF. Task context. */
int pidfd_get_process(int fd, struct process **process, bool *nonblocking);

#endif
