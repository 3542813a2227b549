/* SPDX-License-Identifier: BSD-2-Clause */
/* What the calls that wait for files take beside the files: a time-out and a signal mask for as long
 * as they wait. Task context. */
#ifndef FS_WAIT_ARGUMENTS_H
#define FS_WAIT_ARGUMENTS_H

#include <stdint.h>

/* The mask of SIZE bytes at USER_MASK (NULL: none) is the task's until wait_mask_end. 0, -EINVAL,
 * -EFAULT: then nothing was changed. */
int wait_mask_begin(unsigned long user_mask, unsigned long size);
/* The call that began a mask ends with RESULT: -EINTR means that the signal is still to be taken with
 * the new mask; the handler's end brings the old one back. */
void wait_mask_end(unsigned long user_mask, long result);

/* The time-out at USER_TIMEOUT, a struct timespec: in *DEADLINE_NS a time of clock_ns(), 0: not to wait
 * at all, UINT64_MAX (no time-out given): for ever; all of it in *TIMEOUT_NS. 0, -EFAULT, -EINVAL. */
int wait_time_get(unsigned long user_timeout, uint64_t *deadline_ns, uint64_t *timeout_ns);
/* Nanoseconds that are left of TIMEOUT_NS, which began at BEGAN_NS. */
uint64_t wait_time_left(uint64_t began_ns, uint64_t timeout_ns);
/* Writes back what is left, as Linux does; that it could not is no error. */
void wait_time_put(unsigned long user_timeout, uint64_t left_ns);

/* The deadline of a time-out in milliseconds, negative: never; as wait_time_get gives it. */
uint64_t wait_deadline_of_ms(int timeout_ms);

#endif
