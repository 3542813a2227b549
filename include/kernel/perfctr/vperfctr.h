/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfctr's virtual counters at the turns of a task's life; kernel/perfctr/listeners.c calls these functions.
 */
#ifndef KERNEL_PERFCTR_VPERFCTR_H
#define KERNEL_PERFCTR_VPERFCTR_H

struct task;

/* The CPU is about to switch from PREV to NEXT. Run queue's lock held, interrupts off. */
void perfctr_task_switch(struct task *prev, struct task *next);

/* The current TASK runs at a tick: updates its sums before a counter has counted 2^32 events. Interrupts off. */
void perfctr_task_tick(struct task *task);

/* The current TASK exits, or changes to a program that others may not inspect: its counters stop for good. Task
 * context, no lock held. */
void perfctr_task_end(struct task *task);

#endif
