/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rotation of groups that do not fit together.
 */
#ifndef KERNEL_PERF_ROTATION_H
#define KERNEL_PERF_ROTATION_H

#include <stdint.h>

#include <kernel/time/time.h>

struct perf_cpu;
struct pmu;

/* The default time between two rotations of groups that do not fit together: one tick of Linux's usual
 * CONFIG_HZ=250, its default for perf_event_mux_interval_ms there. */
#define PERF_ROTATION_NS (4 * NSEC_PER_MSEC)

/* Makes the rotation timer of CPU. At start. */
void perf_rotation_init(struct perf_cpu *cpu);

/* Cancels the rotation timer of CPU, which goes off line. On CPU, interrupts off. */
void perf_rotation_stop(struct perf_cpu *cpu);

/* Arms the rotation timer, unless it is armed, for PMU's interval from NOW_NS on. On CPU, interrupts off. */
void perf_cpu_arm_rotation(struct perf_cpu *cpu, const struct pmu *pmu, uint64_t now_ns);

#endif
