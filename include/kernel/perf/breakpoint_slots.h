/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many breakpoints there may be: as many as there are registers for.
 */
#ifndef KERNEL_PERF_BREAKPOINT_SLOTS_H
#define KERNEL_PERF_BREAKPOINT_SLOTS_H

struct task;

/* Take: accounts one more breakpoint of TASK (NULL: of whatever runs) on CPU (-1: all), if there will always
 * be a register for it: 0, -ENOSPC or -ENOMEM. Give: accounts one less. Task context; a context's mutex may
 * be held. */
int breakpoint_slot_take(struct task *task, int cpu);
void breakpoint_slot_give(struct task *task, int cpu);

/* Once, by perf_breakpoint_init. */
void breakpoint_slots_init(void);

#endif
