/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every ISA must provide for the last words of a panic: who called whom, on a kernel stack that may
 * be damaged. Each word that is looked at is first known to be mapped. (Samples have walks of their own,
 * <arch/sample.h>, that stay on one stack.)
 */
#ifndef ARCH_BACKTRACE_H
#define ARCH_BACKTRACE_H

#include <stddef.h>
#include <stdint.h>

#define BACKTRACE_DEPTH 32

struct trap_frame;

/* Is told each ADDRESS, the innermost first. BACK is how far before it the named function's code is; DOUBT,
 * a few characters, goes behind it. */
typedef void (*arch_backtrace_function)(uintptr_t address, size_t back, const char *doubt);

/* Tells TELL where FRAME was interrupted, and who called that. Any context. */
void arch_backtrace(const struct trap_frame *frame, arch_backtrace_function report);
/* The same from a call on that returns to CALLER, whose stack frame ends at STACK (__builtin_dwarf_cfa()). */
void arch_backtrace_from(uintptr_t caller, uintptr_t stack, arch_backtrace_function report);

#endif
