/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processor time by mode.
 *
 * How long a task has run is known to the nanosecond; whether in user mode or in the kernel is found by a
 * tick, 250 times a second on processors that run user tasks (kernel/time/cpu_tick.c). So a system call
 * costs nothing more, and an idle processor sleeps. The time is divided as the ticks were.
 */
#ifndef KERNEL_CPU_TIME_H
#define KERNEL_CPU_TIME_H

#include <stdint.h>

/* 250 Hz, as Debian's kernel. */
#define CPU_TICK_NS 4000000ull

/* Ticks that met a task. */
struct cpu_ticks {
	_Atomic uint64_t user, system;
};

struct cpu_times {
	uint64_t user_ns, system_ns;
};

/* A user task comes onto a processor that ran none: there is a tick again. The scheduler, interrupts off; a
 * run queue may be locked. */
void cpu_tick_start(void);

#endif
