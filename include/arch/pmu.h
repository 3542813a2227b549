/* SPDX-License-Identifier: BSD-2-Clause */
/* What every ISA must provide about its performance monitoring unit. */
#ifndef ARCH_PMU_H
#define ARCH_PMU_H

#include <stdbool.h>

struct trap_frame;
struct vm_space;

/* Finds the PMUs of this machine and registers them (perf_pmu_register). Once, all CPUs
 * running, interrupts on. */
void arch_pmu_init(void);

/* Handler of the PMI: returns whether the NMI was its own. NMI context. At most four handlers. */
void arch_nmi_register(bool (*handler)(struct trap_frame *frame));

/* Makes user-mode counter reads (rdpmc) possible or not on this CPU for the space that is
 * loaded, by SPACE->perf_rdpmc. Interrupts off; also done by arch_context_switch. */
void arch_pmu_user_access_update(struct vm_space *space);

#endif
