/* SPDX-License-Identifier: BSD-2-Clause */
/* Futexes: sleeping until a word in user memory changes. */
#ifndef KERNEL_FUTEX_H
#define KERNEL_FUTEX_H

#include <stdint.h>

/* Wakes at most COUNT tasks that wait for the word at user ADDRESS of the running task's space;
 * how many it woke. Task context. */
int futex_wake(uintptr_t address, unsigned int count);

struct task;

/* TASK, the running one, ends: marks the locks that its robust list names as left by a dead
 * owner, and wakes one waiter of each. Task context. */
void robust_list_release(struct task *task);

#endif
