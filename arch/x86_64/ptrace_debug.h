/* SPDX-License-Identifier: BSD-2-Clause */
/* A tracee's debug registers. The tracee is stopped; task context. */
#ifndef PTRACE_DEBUG_H
#define PTRACE_DEBUG_H

#include <stdint.h>

struct task;

/* Returns the value of register NUMBER (0 … 7) of TASK, as its tracer sees it. */
uint64_t ptrace_debug_get(const struct task *task, unsigned int number);

/* Sets the register: 0; -EIO (no such register), -EINVAL, -ENOSPC (events have taken all), -ENOMEM. */
int ptrace_debug_set(struct task *task, unsigned int number, uint64_t value);

#endif
