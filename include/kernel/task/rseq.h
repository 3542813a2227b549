/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Restartable sequences: a program's short code that must run on one CPU without interruption, and
 * continues elsewhere (its abort address) if it did not. See kernel/task/rseq.c.
 */
#ifndef KERNEL_RSEQ_H
#define KERNEL_RSEQ_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/sched/task_parts.h>

struct task;
struct trap_frame;

/* The current task returns to user mode through FRAME, with signals.sequence: updates the area, and moves an
 * interrupted sequence to its abort address. SIGSEGV if the area is invalid. Task context, interrupts on. */
void rseq_return(struct trap_frame *frame);

/* The same before a signal's handler is entered, but an invalid area is an error, and no signal. */
int rseq_interrupt(struct trap_frame *frame);

/* Copies the registration to CHILD, a copy of the current task, if CHILD has a copy of its memory. */
void rseq_fork(struct task *child, bool shares_memory);

/* Removes the registration: the current task has another program now. */
void rseq_exec(void);

#endif
