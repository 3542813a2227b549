/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of every ISA: signal handlers, the frame on the user's stack, in Linux's
 * layout.
 */
#ifndef ARCH_SIGNAL_H
#define ARCH_SIGNAL_H

#include <stdint.h>

#include <uapi/linux/signal.h>

struct trap_frame;

/* Makes the return to user mode through FRAME enter ACTION's handler for INFO: saves the registers in
 * FRAME, the floating-point state and OLD_MASK on the user's stack, or on ALTERNATE if ACTION requests
 * that and it is not in use. 0 or -EFAULT. For the running task; task context, interrupts on. */
int arch_signal_push(struct trap_frame *frame, const struct kernel_sigaction *action,
		     const struct kernel_siginfo *info, uint64_t old_mask,
		     struct kernel_sigaltstack *alternate);

/* rt_sigreturn: restores FRAME and the floating-point state that arch_signal_push saved (with the
 * handler's changes), and stores the old mask in *MASK. 0 or -EFAULT, also for a state that the CPU
 * would refuse. The same context. */
int arch_signal_return(struct trap_frame *frame, uint64_t *mask,
		       struct kernel_sigaltstack *alternate);

/* The running task's exception FRAME becomes a signal: later signal frames report it. ADDRESS: of a
 * page fault. Task context. */
void arch_signal_note_exception(const struct trap_frame *frame, uintptr_t address);

/* Makes the return through FRAME, a system call's, repeat the call with the same arguments. */
void arch_syscall_restart(struct trap_frame *frame);

/* Returns the value of FRAME's result register. Any context. */
long arch_syscall_result(const struct trap_frame *frame);

/* Returns how many bytes arch_signal_push needs at most: AT_MINSIGSTKSZ. Any context. */
unsigned long arch_signal_frame_size(void);

#endif
