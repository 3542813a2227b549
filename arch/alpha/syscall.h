/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers in a system call's frame that the result overwrites, and the mark that no result is to
 * be written.
 */
#ifndef SYSCALL_H
#define SYSCALL_H

#include <stdint.h>

#include <machine/task.h>

/* Indices of frame->cause with ENTRY_CALL. */
#define CAUSE_NUMBER 0
#define CAUSE_A3     1

/* Marks FRAME's registers as final: arch_syscall_set_result leaves them alone, and no call is
 * restarted. */
static inline void syscall_forget(struct trap_frame *frame)
{
	frame->cause[CAUSE_NUMBER] = (uint64_t)-1;
}

/* Makes VALUE the result of FRAME's call, even if it looks like an error. */
static inline void syscall_succeed(struct trap_frame *frame, uint64_t value)
{
	frame->r0 = value;
	frame->r19 = 0;
	syscall_forget(frame);
}

#endif
