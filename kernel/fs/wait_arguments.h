/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of the calls that wait for files, besides the files: a time-out, and a signal mask for the
 * wait. Task context. */
#ifndef FS_WAIT_ARGUMENTS_H
#define FS_WAIT_ARGUMENTS_H

#include <stdint.h>

/* Gives the task the mask of SIZE bytes at USER_MASK (NULL: none) until wait_mask_end. 0; -EINVAL,
 * -EFAULT: nothing has changed. */
int wait_mask_begin(unsigned long user_mask, unsigned long size);
/* Ends a mask when its call returns RESULT. After -EINTR the signal is delivered with the new mask; the
 * handler's return restores the old one. */
void wait_mask_end(unsigned long user_mask, long result);

/* Reads the time-out at USER_TIMEOUT, a struct timespec. *DEADLINE_NS: a time of clock_ns(), 0: do not
 * wait, UINT64_MAX (no time-out given): unlimited; *TIMEOUT_NS: the whole time. 0, -EFAULT, -EINVAL. */
int wait_time_get(unsigned long user_timeout, uint64_t *deadline_ns, uint64_t *timeout_ns);
/* Returns the nanoseconds left of TIMEOUT_NS, which began at BEGAN_NS. */
uint64_t wait_time_left(uint64_t began_ns, uint64_t timeout_ns);
/* Writes back the time left, as Linux does; ignores a fault. */
void wait_time_put(unsigned long user_timeout, uint64_t left_ns);

/* Returns the deadline of a time-out in milliseconds, in the form of wait_time_get; negative: unlimited. */
uint64_t wait_deadline_of_ms(int timeout_ms);

#endif
