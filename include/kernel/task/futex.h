/* SPDX-License-Identifier: BSD-2-Clause */
/* Futexes: sleeping until a word in user memory changes. */
#ifndef KERNEL_FUTEX_H
#define KERNEL_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

/* Wakes at most COUNT tasks that wait for the word at user ADDRESS of the current task's space; returns
 * how many it woke. Task context. */
int futex_wake(uintptr_t address, unsigned int count);

struct task;

/* TASK, the current one, exits, or with ENDS false leaves its memory for another program's: marks the locks
 * on its robust list as left by a dead owner, and wakes one waiter of each; locks with priority inheritance
 * go to their first waiters. Task context. */
void futex_exit(struct task *task, bool ends);

#endif
