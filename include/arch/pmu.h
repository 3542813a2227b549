/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of every ISA: its performance monitoring unit. */
#ifndef ARCH_PMU_H
#define ARCH_PMU_H

#include <stdbool.h>

struct trap_frame;
struct vm_space;

/* Finds the PMUs of this machine and registers them (perf_pmu_register). Once, all CPUs
 * running, interrupts on. */
void arch_pmu_init(void);

/* Registers HANDLER for NMIs; it returns whether the NMI was its own. HANDLER runs in NMI context. At
 * most four handlers. */
void arch_nmi_register(bool (*handler)(struct trap_frame *frame));

/* Puts NEXT in the place of the registered handler PRESENT. Task context; one caller at a time. */
void arch_nmi_replace(bool (*present)(struct trap_frame *frame),
		      bool (*next)(struct trap_frame *frame));

/* Allows or forbids user-mode counter reads (rdpmc) on this CPU for the loaded space, by
 * SPACE->perf_rdpmc. Interrupts off; arch_context_switch does it, too. */
void arch_pmu_user_access_update(struct vm_space *space);

#endif
