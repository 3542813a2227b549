/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of every ISA: access to user memory, by copies that stop at a fault (exception table)
 * instead of panicking.
 */
#ifndef ARCH_USERCOPY_H
#define ARCH_USERCOPY_H

#include <stddef.h>
#include <stdint.h>

/* Copy or zero SIZE bytes; one of a copy's two ranges is the user's. The caller has checked that the
 * user's range lies in user space. Return how many bytes at its end were not reached: 0 is success.
 * Task context, interrupts on: a fault may sleep. */
size_t arch_copy_user(void *destination, const void *source, size_t size);
size_t arch_clear_user(void *destination, size_t size);
/* Stores DESIRED at USER, a word in user space, if the word is *EXPECTED, and sets *EXPECTED to the old
 * word, atomically for all CPUs. 0, or not 0 when the word cannot be written. Context as above. */
int arch_user_compare_exchange(uint32_t *user, uint32_t *expected, uint32_t desired);
/* Copies SIZE bytes of the running task's memory at SOURCE, any address, without a fault: 0, or -EFAULT
 * when a page of it is not present at this moment. Any context, NMI included. */
int arch_load_user_nofault(void *destination, const void *source, size_t size);

#endif
