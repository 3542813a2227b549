/* SPDX-License-Identifier: BSD-2-Clause */
/* The alternate stack that a program gives for its signal handlers: sigaltstack(2). */
#ifndef KERNEL_SIGNAL_STACK_H
#define KERNEL_SIGNAL_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include <uapi/linux/signal.h>

/* Return whether SP is on STACK, an alternate one; and whether the program still uses STACK, without
 * SS_AUTODISARM. Any context. Linux: __on_sig_stack, on_sig_stack. */
static inline bool signal_stack_contains(const struct kernel_sigaltstack *stack, uintptr_t sp)
{
	return !(stack->ss_flags & SS_DISABLE) && sp > stack->ss_sp &&
	       sp - stack->ss_sp <= stack->ss_size;
}

static inline bool signal_stack_is_used(const struct kernel_sigaltstack *stack, uintptr_t sp)
{
	return !(stack->ss_flags & (int)SS_AUTODISARM) && signal_stack_contains(stack, sp);
}

#endif
