/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every ISA must provide to reach user memory: copies that stop at a fault (exception table)
 * instead of panicking.
 */
#ifndef ARCH_USERCOPY_H
#define ARCH_USERCOPY_H

#include <stddef.h>

/* Bytes not copied: 0 is success. The range is already known to lie in user space. */
size_t arch_copy_user(void *destination, const void *source, size_t size);
size_t arch_clear_user(void *destination, size_t size);
/* The 32-bit word at SOURCE into *VALUE without sleeping on a fault (for NMI use): 0 or -EFAULT. */
int arch_load_user_nofault(void *destination, const void *source, size_t size);

#endif
