/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace of system calls: with the word trace=syscalls on the command line, the log shows every call
 * with its name, arguments and result. kernel/syscall/trace.c.
 */
#ifndef KERNEL_SYSCALL_TRACE_H
#define KERNEL_SYSCALL_TRACE_H

#include <stdatomic.h>

/* Bytes of one call's text, which fits into a line of the log. */
#define SYSCALL_TRACE_TEXT 200

/* The listeners to every call, in one word that each call tests: the log, since start, and listeners to
 * the events of calls (kernel/trace/calls.c), each of which adds SYSCALL_LISTENER. */
#define SYSCALL_LOGGED	   1u
#define SYSCALL_LISTENER   2u
extern _Atomic unsigned int syscall_watchers;

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
