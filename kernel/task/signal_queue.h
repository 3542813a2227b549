/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues of signals, for signal.c; making and flushing them: <kernel/process.h>. S held
 * throughout. */
#ifndef TASK_SIGNAL_QUEUE_H
#define TASK_SIGNAL_QUEUE_H

#include <stdint.h>

#include <kernel/signal.h>

/* The first of the real-time signals, of which several can be pending. */
#define FIRST_REAL_TIME 32

/* SIGNAL's bit in sets. */
static inline uint64_t signal_bit(int signal)
{
	return (uint64_t)1 << (signal - 1);
}

/* Adds INFO, for TASK or all of its process. 0, also when it is one of a kind and there already,
 * or -EAGAIN: it tells something for which there is no room. T held, too. */
int signal_queue_add(struct signal_queue *queue, const struct task *task,
		     const struct kernel_siginfo *info);
/* Takes a signal that MASK does not block: its number, 0 if there is none. */
int signal_queue_take(struct signal_queue *queue, uint64_t mask, struct kernel_siginfo *info);
/* Forgets the signals of MASK. */
void signal_queue_discard(struct signal_queue *queue, uint64_t mask);

#endif
