/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every ISA must provide about signal handlers: the frame on the user's stack, in Linux's
 * layout.
 */
#ifndef ARCH_SIGNAL_H
#define ARCH_SIGNAL_H

#include <stdint.h>

#include <uapi/linux/signal.h>

struct trap_frame;

/* Makes the return to user mode through FRAME enter ACTION's handler for INFO: saves what FRAME
 * says, the floating-point state and OLD_MASK on the user's stack, or on ALTERNATE if that is
 * asked for and not in use. 0 or -EFAULT. The running task's; task context, interrupts on. */
int arch_signal_push(struct trap_frame *frame, const struct kernel_sigaction *action,
		     const struct kernel_siginfo *info, uint64_t old_mask,
		     struct kernel_sigaltstack *alternate);

/* rt_sigreturn: FRAME and the floating-point state become what arch_signal_push saved (or the
 * handler made of it), *MASK what was blocked. 0 or -EFAULT, also for state that the CPU
 * would refuse. The same context. */
int arch_signal_return(struct trap_frame *frame, uint64_t *mask,
		       struct kernel_sigaltstack *alternate);

/* The running task's exception FRAME becomes a signal: handlers are told of it from now on. ADDRESS: of a page
 * fault. Task context. */
void arch_signal_note_exception(const struct trap_frame *frame, uintptr_t address);

/* Makes the return through FRAME, that of a system call, repeat the call with the same
 * arguments. */
void arch_syscall_restart(struct trap_frame *frame);

/* What the result register of FRAME holds. Any context. */
long arch_syscall_result(const struct trap_frame *frame);

/* Bytes that arch_signal_push needs at most: AT_MINSIGSTKSZ. Any context. */
unsigned long arch_signal_frame_size(void);

#endif
