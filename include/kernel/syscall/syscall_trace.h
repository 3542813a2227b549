/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace of system calls: with the word trace=syscalls on the command line, the log shows every call
 * with its name, arguments and result. kernel/syscall/trace.c.
 */
#ifndef KERNEL_SYSCALL_TRACE_H
#define KERNEL_SYSCALL_TRACE_H

#include <stdbool.h>

/* Bytes of one call's text, which fits into a line of the log. */
#define SYSCALL_TRACE_TEXT 200

/* Whether every call is logged; constant since start. The log is then one of the listeners of HOOK_call. */
extern bool syscall_is_logged;

/* Applies the command line's trace=; a value other than "syscalls" is a boot failure. Once, at start,
 * after log_init. */
void syscall_trace_init(void);

/* Writes call NUMBER of the running task with its first COUNT arguments into TEXT, of
 * SYSCALL_TRACE_TEXT bytes. Called before the call, which may replace the memory that they point to. A
 * call that does not return is logged here. Task context, no lock held. */
void syscall_trace_begin(char *text, unsigned long number, const unsigned long *arg,
			 unsigned int count);
/* Logs TEXT, made by syscall_trace_begin for the running task, with the call's RESULT. Task context. */
void syscall_trace_end(const char *text, long result);

#endif
