/* SPDX-License-Identifier: BSD-2-Clause */
/* Queues of signals, for signal.c; for their init and flush see <kernel/task/process.h>. S held
 * throughout. */
#ifndef TASK_SIGNAL_QUEUE_H
#define TASK_SIGNAL_QUEUE_H

#include <stdint.h>

#include <kernel/task/signal.h>

/* The first real-time signal: several of each can be pending. */
#define FIRST_REAL_TIME 32

/* Returns SIGNAL's bit in sets. */
static inline uint64_t signal_bit(int signal)
{
	return (uint64_t)1 << (signal - 1);
}

/* Adds INFO, for TASK or all of its process. 0, also when a standard signal is pending already, or -EAGAIN:
 * there is no room for INFO's information. T held, too. */
int signal_queue_add(struct signal_queue *queue, const struct task *task,
		     const struct kernel_siginfo *info);
/* Takes a signal that MASK does not block: returns its number, 0: there is none. */
int signal_queue_take(struct signal_queue *queue, uint64_t mask, struct kernel_siginfo *info);
/* Discards the signals of MASK. */
void signal_queue_discard(struct signal_queue *queue, uint64_t mask);

#endif
