/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Restartable sequences: a program's short code that must run on one processor without interruption, and
 * is sent elsewhere (its abort address) if it did not. See kernel/task/rseq.c.
 */
#ifndef KERNEL_RSEQ_H
#define KERNEL_RSEQ_H

#include <stdbool.h>
#include <stdint.h>

struct task;
struct trap_frame;

/* A task's part: its own. That it was interrupted, or moved, since it last left the kernel is marked with
 * its signals (signals.sequence), also by others that ask it to start its sequence again. */
struct rseq_state {
	uintptr_t address; /* of the area in user memory; 0: none is registered */
	uint32_t size, signature;
	int cpu; /* what the area says */
};

/* The running task returns to user mode through FRAME, with signals.sequence: brings the area up to date, and
 * sends a sequence that was interrupted to its abort address. An area that makes no sense is SIGSEGV.
 * Task context, interrupts on. */
void rseq_return(struct trap_frame *frame);

/* The same before a signal's handler is entered, but an area that makes no sense is an error, and no signal. */
int rseq_interrupt(struct trap_frame *frame);

/* CHILD, a copy of the running task, has its area too if it has a copy of its memory. */
void rseq_fork(struct task *child, bool shares_memory);

/* The running task has another program now. */
void rseq_exec(void);

#endif
