/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every ISA must provide to reach user memory: copies that stop at a fault (exception table)
 * instead of panicking.
 */
#ifndef ARCH_USERCOPY_H
#define ARCH_USERCOPY_H

#include <stddef.h>
#include <stdint.h>

/* Copies SIZE bytes, one of the two ranges being the user's, or zeroes them. The user's range is
 * already known to lie in user space. Returns how many bytes at its end were not reached: 0 is
 * success. Task context, interrupts on: a fault may sleep. */
size_t arch_copy_user(void *destination, const void *source, size_t size);
size_t arch_clear_user(void *destination, size_t size);
/* Puts DESIRED at USER, a word that lies in user space, if it is *EXPECTED, which becomes what was there;
 * in one step for all CPUs. 0, or not 0 when it cannot be written. Context as above. */
int arch_user_compare_exchange(uint32_t *user, uint32_t *expected, uint32_t desired);
/* Copies SIZE bytes of the running task's memory at SOURCE, any address, without a fault: 0, or
 * -EFAULT when a page of it is not there at this moment. Any context, NMI included. */
int arch_load_user_nofault(void *destination, const void *source, size_t size);

#endif
