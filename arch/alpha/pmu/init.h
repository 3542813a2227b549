/* SPDX-License-Identifier: BSD-2-Clause */
/* The interrupt of the EV67's counters, and who serves it. */
#ifndef ARCH_ALPHA_PMU_INIT_H
#define ARCH_ALPHA_PMU_INIT_H

#include <stdbool.h>

struct trap_frame;

/* Have HANDLER called for the counters' interrupt instead of ev67_pmu_interrupt, and undo that. No counter
 * counts. Task context. */
void ev67_lend_interrupt(bool (*handler)(struct trap_frame *frame));
void ev67_take_interrupt_back(bool (*handler)(struct trap_frame *frame));

#endif
