/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tick of a CPU, for throttled events and for frequencies.
 */
#ifndef KERNEL_PERF_TICK_H
#define KERNEL_PERF_TICK_H

#include <stdint.h>

#include <kernel/time/time.h>

struct perf_cpu;

/* The interval in which throttling counts samples: one tick of Linux's usual CONFIG_HZ=250. */
#define PERF_TICK_NS (4 * NSEC_PER_MSEC)

/* Makes the tick timer of CPU. At start. */
void perf_tick_init(struct perf_cpu *cpu);

/* Cancels the tick timer of CPU, which goes off line. On CPU, interrupts off. */
void perf_tick_stop(struct perf_cpu *cpu);

/* Arms the tick timer, unless it is armed, for the next multiple of PERF_TICK_NS. On CPU, interrupts off. */
void perf_cpu_arm_tick(struct perf_cpu *cpu, uint64_t now_ns);

#endif
