/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access to the CPU's counters for PMU drivers, through PALcode. One inline function for each
 * instruction, nothing more. The unit tests replace this file.
 */
#ifndef MACHINE_PERFMON_H
#define MACHINE_PERFMON_H

/* CALL_PAL's number of wrperfmon (Alpha Architecture Handbook, appendix C.10, OSF/1). */
#define PAL_WRPERFMON	     0x39

/* Two of its functions (arch/alpha/pmu/ev67_registers.h has the others). */
#define PERFMON_DISABLE	     0 /* a1: counters */
#define PERFMON_ENABLE_WRITE 7 /* a1: counters, and their values as in PCTR_CTL */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

#include <machine/cpu.h>

/* IMPLVER's answer on every 21264, and AMASK's feature that came with the EV67, CIX (Handbook, 4.11.4,
 * 4.11.1, appendix D). */
#define IMPLVER_21264 2
#define AMASK_CIX     (1ul << 2)

/* Calls wrperfmon: FUNCTION with ARGUMENT (arch/alpha/pmu/ev67_registers.h), on this CPU. Returns the function's
 * result; 0 where there is no such function. Kernel mode; any context. No interrupt comes in its
 * middle. */
static inline uint64_t wrperfmon(uint64_t function, uint64_t argument)
{
	register uint64_t a0 __asm__("$16") = function;
	register uint64_t a1 __asm__("$17") = argument;
	register uint64_t v0 __asm__("$0");

	__asm__ volatile("call_pal %3"
			 : "=r"(v0), "+r"(a0), "+r"(a1)
			 : "i"(PAL_WRPERFMON)
			 : "$1", "$22", "$23", "$24", "$25", "memory");
	return v0;
}

/* Returns whether this CPU is an EV67 or a later one of its family. An EV6 has the same counters, but
 * selects their events differently. Any context. */
static inline bool cpu_is_ev67(void)
{
	return __builtin_alpha_implver() == IMPLVER_21264 &&
	       !(__builtin_alpha_amask((long)AMASK_CIX) & (long)AMASK_CIX);
}

/* Returns the low 32 bits of the cycle counter, which user mode reads too (Handbook, 4.11.8). Any context. */
static inline uint32_t cycles_read(void)
{
	uint64_t cycles;

	__asm__ volatile("rpcc %0" : "=r"(cycles));
	return (uint32_t)cycles;
}

/* COUNTERS (bit n: counter n) of this CPU have events that count user mode only: entries and the exit
 * path stop and start them (arch/alpha/user_mode.h). Interrupts off. */
static inline void perfmon_use_in_user_mode(unsigned int counters)
{
	cpu_local()->user_counters = counters;
}

#endif /* !__ASSEMBLER__ */
#endif
