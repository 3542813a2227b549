/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of every ISA: the low level of perfctr (<kernel/perfctr/perfctr.h>). A counter is named by pmc_map of its control
 * data; see <uapi/linux/perfctr.h>.
 */
#ifndef ARCH_PERFCTR_H
#define ARCH_PERFCTR_H

#include <stdbool.h>
#include <stdint.h>

struct perfctr_cpu_control;

struct perfctr_hardware {
	const char *name;
	unsigned int counters;
	unsigned int width_bits; /* of the narrowest counter */
	bool user_reads;	 /* there is an instruction for user mode */
};

/* Describes the counters; false: there are none. Task context, after arch_pmu_init. */
bool arch_perfctr_find(struct perfctr_hardware *hardware);

/* Makes the counters' interrupt perfctr's: OVERFLOW is called for it with the interrupted instruction's address, in
 * NMI context. Task context. */
void arch_perfctr_take(void (*overflow)(unsigned long pc));

/* Stops the counters of this CPU and forgets their overflows: after take, before leave, and on a CPU that comes on
 * line between them. Interrupts off. */
void arch_perfctr_start_cpu(void);

/* Gives the interrupt back. No counter counts. Task context. */
void arch_perfctr_leave(void);

/* Checks the counters, events and start values of CONTROL, of which the numbers and the uniqueness of the maps are
 * right. 0 or -EINVAL. Any context. */
int arch_perfctr_check(const struct perfctr_cpu_control *control);

/* Returns whether CONTROL, which has been checked, counts in kernel mode. Any context. */
bool arch_perfctr_counts_kernel(const struct perfctr_cpu_control *control);

/* The functions below run with interrupts off, in NMIs too. */

/* Returns the low 32 bits of counter MAP. */
uint32_t arch_perfctr_read(uint32_t map);

/* Sets counter MAP, which does not count, to VALUE, negative, or to the greatest number below VALUE that it can be set
 * to. Returns that number: the counter overflows after as many events. */
int32_t arch_perfctr_write(uint32_t map, int32_t value);

/* Writes CONTROL into the control registers: its counters count, and no others. May set its a-mode counters. */
void arch_perfctr_start(const struct perfctr_cpu_control *control);

/* Stops the i-mode counters of CONTROL, and may stop the others. */
void arch_perfctr_stop(const struct perfctr_cpu_control *control);

/* Stops all counters. */
void arch_perfctr_stop_all(void);

/* Returns the low 32 bits of the clock that user mode can read. */
uint32_t arch_perfctr_tsc(void);

#endif
