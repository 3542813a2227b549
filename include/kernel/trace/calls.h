/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of system calls: kernel/trace/calls.c. Called only while HOOK_call has a listener. Task
 * context.
 */
#ifndef KERNEL_TRACE_CALLS_H
#define KERNEL_TRACE_CALLS_H

struct trap_frame;

/* The running task enters call NUMBER with the arguments in FRAME; the call returns RESULT. */
void trace_call_enter(unsigned long number, struct trap_frame *frame);
void trace_call_exit(unsigned long number, struct trap_frame *frame, long result);

/* Numbers the table. Once, at start. */
void trace_calls_init(void);

#endif
