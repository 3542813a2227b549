/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random bytes for programs: AT_RANDOM, getrandom, /dev/random.
 *
 * They differ from call to call and boot to boot as far as the machine's clock does. There is no
 * entropy source worth the name, so nothing here keeps a secret: Tally measures programs, it does
 * not guard them.
 */
#ifndef KERNEL_RANDOM_H
#define KERNEL_RANDOM_H

#include <stddef.h>
#include <sys/types.h>

/* Fills BUFFER. Task context. */
void random_bytes(void *buffer, size_t size);
/* The same in user memory; SIZE, fewer when a signal came, or -EFAULT. Task context. */
ssize_t random_to_user(void *user_buffer, size_t size);

#endif
