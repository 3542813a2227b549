/* SPDX-License-Identifier: BSD-2-Clause */
/* Futexes: sleeping until a word in user memory changes. */
#ifndef KERNEL_FUTEX_H
#define KERNEL_FUTEX_H

#include <stdint.h>

/* Wakes at most COUNT tasks that wait for the word at user ADDRESS of the running task's space;
 * how many it woke. Task context. */
int futex_wake(uintptr_t address, unsigned int count);

#endif
