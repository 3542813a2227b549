/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instructions of arch/x86_64's <machine/msr.h> that the PMU drivers use, as calls into the
 * simulated register file of sim/x86_pmu.c.
 */
#ifndef MACHINE_MSR_H
#define MACHINE_MSR_H

#include <stdbool.h>
#include <stdint.h>

struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};

uint64_t msr_read(uint32_t number);
void msr_write(uint32_t number, uint64_t value);
uint64_t pmc_read(uint32_t index);
bool msr_read_try(uint32_t number, uint64_t *value);
bool msr_write_try(uint32_t number, uint64_t value);
bool pmc_read_try(uint32_t index, uint64_t *value);
struct cpuid cpuid_read(uint32_t leaf, uint32_t subleaf);
uint32_t cpuid_max(uint32_t base);
uint64_t tsc_read(void);

#endif
