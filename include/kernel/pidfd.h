/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes as files: pidfd_open(2). */
#ifndef KERNEL_PIDFD_H
#define KERNEL_PIDFD_H

#include <sys/types.h>

struct task;

/* A descriptor, close-on-exec, for the process whose first task is LEADER; FLAGS: O_NONBLOCK. Or
 * -EMFILE, -ENOMEM. Task context. */
int pidfd_create(struct task *leader, unsigned int flags);
/* The pid of the process that descriptor FD is, or -EBADF. Task context. */
pid_t pidfd_pid(int fd);

#endif
