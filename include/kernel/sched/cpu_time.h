/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU time by mode.
 *
 * A task's run time is known to the nanosecond; a tick, 250 times a second on CPUs that run user tasks,
 * samples whether it runs in user mode or in the kernel (kernel/sched/cpu_tick.c). So a system call costs
 * nothing more, and an idle CPU sleeps. The ticks divide the run time.
 */
#ifndef KERNEL_CPU_TIME_H
#define KERNEL_CPU_TIME_H

#include <stdint.h>

/* 250 Hz, as Debian's kernel. */
#define CPU_TICK_NS 4000000ull

/* The ticks that interrupted a task. */
struct cpu_ticks {
	_Atomic uint64_t user, system;
};

struct cpu_times {
	uint64_t user_ns, system_ns;
};

/* Starts the tick: the scheduler switches from a kernel or idle task to a user task. Interrupts off; a run
 * queue may be locked. */
void cpu_tick_start(void);

/* Stops the tick of this CPU, which goes off line. Interrupts off. */
void cpu_tick_stop(void);

#endif
