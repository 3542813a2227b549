/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs go off line and come on line again; see kernel/sched/hotplug.c. */
#ifndef KERNEL_HOTPLUG_H
#define KERNEL_HOTPLUG_H

#include <stdint.h>

/* Takes CPU, below cpu_count(), off line: its tasks, timers and events leave it. 0, also if it is off line
 * already; -EBUSY: it is CPU 0, which serves the devices' interrupts (Linux: the last CPU); -EINTR: a fatal
 * signal came, and the CPU stays on line. Task context, interrupts on, no lock held. */
int cpu_take_offline(unsigned int cpu);

/* Brings CPU, below cpu_count(), on line, if it is off line. Task context, interrupts on, no lock held. */
void cpu_bring_online(unsigned int cpu);

/* Returns how long CPU has been off line since the start, in ns of clock_ns(). A snapshot; task context. */
uint64_t cpu_offline_ns(unsigned int cpu);

#endif
