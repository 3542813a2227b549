/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Model-specific registers, CPUID, the time-stamp counter, control and debug registers: one inline
 * function for each instruction, nothing more. Any context, NMI included.
 */
#ifndef MACHINE_MSR_H
#define MACHINE_MSR_H

/* Numbers: SDM vol. 4, chapter 2. */
#define MSR_IA32_APIC_BASE    0x0000001b
#define MSR_IA32_PAT	      0x00000277
#define MSR_IA32_TSC_DEADLINE 0x000006e0
#define MSR_EFER	      0xc0000080
#define MSR_STAR	      0xc0000081
#define MSR_LSTAR	      0xc0000082
#define MSR_FMASK	      0xc0000084
#define MSR_FS_BASE	      0xc0000100
#define MSR_GS_BASE	      0xc0000101
#define MSR_KERNEL_GS_BASE    0xc0000102
#define MSR_TSC_AUX	      0xc0000103 /* the value that RDTSCP and RDPID return */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

/* Reads register NUMBER. A register that does not exist raises #GP, which is a panic: probe by CPUID
 * first. */
static inline uint64_t msr_read(uint32_t number)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(number));
	return (uint64_t)high << 32 | low;
}

/* Writes register NUMBER. A register that does not exist raises #GP, and so does a 1 in a reserved bit. */
static inline void msr_write(uint32_t number, uint64_t value)
{
	__asm__ volatile("wrmsr"
			 :
			 : "c"(number), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
			 : "memory");
}

/* Reads performance counter INDEX as RDPMC encodes it (bit 30: fixed counters). */
static inline uint64_t pmc_read(uint32_t index)
{
	uint64_t low, high; /* RDPMC clears the upper halves */

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return high << 32 | low;
}

/* The exception table (kernel/mm/fixup.c) continues a fault at label 1 at label 2. */
#define FAULT_CONTINUES                            \
	".pushsection .exception_table, \"a\"\n\t" \
	".quad 1f, 2f\n\t"                         \
	".popsection\n\t"

/* The next three return false where the instruction faults: for probing. */

/* Does what msr_read does and sets *VALUE; false: there is no register NUMBER. */
static inline bool msr_read_try(uint32_t number, uint64_t *value)
{
	uint32_t ok, low = 0, high = 0;

	__asm__ volatile("xorl %0, %0\n\t" FAULT_CONTINUES "1: rdmsr\n\tmovl $1, %0\n2:"
			 : "=&r"(ok), "+a"(low), "+d"(high)
			 : "c"(number));
	*value = (uint64_t)high << 32 | low;
	return ok;
}

/* Does what msr_write does; false: there is no register NUMBER, or VALUE is not for it. */
static inline bool msr_write_try(uint32_t number, uint64_t value)
{
	uint32_t ok;

	__asm__ volatile("xorl %0, %0\n\t" FAULT_CONTINUES "1: wrmsr\n\tmovl $1, %0\n2:"
			 : "=&r"(ok)
			 : "c"(number), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
			 : "memory");
	return ok;
}

/* Does what pmc_read does and sets *VALUE; false: there is no such counter, or no such instruction. */
static inline bool pmc_read_try(uint32_t index, uint64_t *value)
{
	uint32_t ok, low = 0, high = 0;

	__asm__ volatile("xorl %0, %0\n\t" FAULT_CONTINUES "1: rdpmc\n\tmovl $1, %0\n2:"
			 : "=&r"(ok), "+a"(low), "+d"(high)
			 : "c"(index));
	*value = (uint64_t)high << 32 | low;
	return ok;
}

struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};

/* Returns CPUID of LEAF and SUBLEAF. Above the greatest leaf Intel answers with another leaf's data:
 * use cpuid_max. */
static inline struct cpuid cpuid_read(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid r;

	__asm__ volatile("cpuid"
			 : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
			 : "a"(leaf), "c"(subleaf));
	return r;
}

/* Returns the greatest leaf of the range that starts at BASE (0, 0x40000000, 0x80000000). */
static inline uint32_t cpuid_max(uint32_t base)
{
	return cpuid_read(base, 0).eax;
}

/* Reads the time-stamp counter, after all earlier instructions have finished. */
static inline uint64_t tsc_read(void)
{
	uint64_t low, high; /* RDTSC clears the upper halves */

	__asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return high << 32 | low;
}

static inline uint64_t cr0_read(void)
{
	uint64_t value;

	__asm__ volatile("movq %%cr0, %0" : "=r"(value));
	return value;
}

static inline void cr0_write(uint64_t value)
{
	__asm__ volatile("movq %0, %%cr0" : : "r"(value) : "memory");
}

static inline uint64_t cr2_read(void)
{
	uint64_t value;

	__asm__ volatile("movq %%cr2, %0" : "=r"(value));
	return value;
}

static inline uint64_t cr3_read(void)
{
	uint64_t value;

	__asm__ volatile("movq %%cr3, %0" : "=r"(value));
	return value;
}

static inline void cr3_write(uint64_t value)
{
	__asm__ volatile("movq %0, %%cr3" : : "r"(value) : "memory");
}

static inline uint64_t cr4_read(void)
{
	uint64_t value;

	__asm__ volatile("movq %%cr4, %0" : "=r"(value));
	return value;
}

static inline void cr4_write(uint64_t value)
{
	__asm__ volatile("movq %0, %%cr4" : : "r"(value) : "memory");
}

static inline uint64_t dr6_read(void)
{
	uint64_t value;

	__asm__ volatile("movq %%dr6, %0" : "=r"(value));
	return value;
}

static inline void dr6_write(uint64_t value)
{
	__asm__ volatile("movq %0, %%dr6" : : "r"(value) : "memory");
}

static inline void dr7_write(uint64_t value)
{
	__asm__ volatile("movq %0, %%dr7" : : "r"(value) : "memory");
}

#endif /* !__ASSEMBLER__ */
#endif
