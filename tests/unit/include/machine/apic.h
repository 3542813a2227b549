/* SPDX-License-Identifier: BSD-2-Clause */
/* The part that the PMU drivers need of arch/x86_64's <machine/apic.h>, provided by sim/x86_pmu.c. */
#ifndef MACHINE_APIC_H
#define MACHINE_APIC_H

void apic_pmi_unmask(void);

#endif
