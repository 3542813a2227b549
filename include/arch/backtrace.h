/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of every ISA: backtraces in a panic, a walk of a kernel stack that may be damaged.
 * The walk reads a word only after it has found the word mapped. (Samples have walks of their own,
 * <arch/sample.h>, that stay on one stack.)
 */
#ifndef ARCH_BACKTRACE_H
#define ARCH_BACKTRACE_H

#include <stddef.h>
#include <stdint.h>

#define BACKTRACE_DEPTH 32

struct trap_frame;

/* Receives each ADDRESS, the innermost first. The named function's code is BACK bytes before it; DOUBT,
 * a few characters, is printed after it. */
typedef void (*arch_backtrace_function)(uintptr_t address, size_t back, const char *doubt);

/* Reports to REPORT the place that FRAME interrupted, and its callers. Any context. */
void arch_backtrace(const struct trap_frame *frame, arch_backtrace_function report);
/* The same from a call that returns to CALLER, whose stack frame ends at STACK (__builtin_dwarf_cfa()). */
void arch_backtrace_from(uintptr_t caller, uintptr_t stack, arch_backtrace_function report);

#endif
