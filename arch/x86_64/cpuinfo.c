/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of /proc/cpuinfo for one CPU: the CPUID features that programs look for, in words. All CPUs
 * of one machine are taken to be alike.
 */
#include <cpuid.h>
#include <string.h>

#include <arch/exec.h>
#include <arch/topology.h>
#include <kernel/base/cpu.h>
#include <kernel/mm/text.h>

#include "clock.h"

/* Names from Linux's cpufeatures.h, by leaf, register and bit. */
static const struct {
	uint32_t leaf, subleaf;
	enum { EAX, EBX, ECX, EDX } where;
	unsigned int bit;
	const char *name;
} flags[] = {
	{ 1, 0, EDX, 0, "fpu" },
	{ 1, 0, EDX, 3, "pse" },
	{ 1, 0, EDX, 4, "tsc" },
	{ 1, 0, EDX, 5, "msr" },
	{ 1, 0, EDX, 6, "pae" },
	{ 1, 0, EDX, 8, "cx8" },
	{ 1, 0, EDX, 9, "apic" },
	{ 1, 0, EDX, 11, "sep" },
	{ 1, 0, EDX, 13, "pge" },
	{ 1, 0, EDX, 15, "cmov" },
	{ 1, 0, EDX, 16, "pat" },
	{ 1, 0, EDX, 19, "clflush" },
	{ 1, 0, EDX, 23, "mmx" },
	{ 1, 0, EDX, 24, "fxsr" },
	{ 1, 0, EDX, 25, "sse" },
	{ 1, 0, EDX, 26, "sse2" },
	{ 0x80000001, 0, EDX, 11, "syscall" },
	{ 0x80000001, 0, EDX, 20, "nx" },
	{ 0x80000001, 0, EDX, 27, "rdtscp" },
	{ 0x80000001, 0, EDX, 29, "lm" },
	{ 1, 0, ECX, 0, "pni" },
	{ 1, 0, ECX, 1, "pclmulqdq" },
	{ 1, 0, ECX, 9, "ssse3" },
	{ 1, 0, ECX, 12, "fma" },
	{ 1, 0, ECX, 13, "cx16" },
	{ 1, 0, ECX, 15, "pdcm" },
	{ 1, 0, ECX, 19, "sse4_1" },
	{ 1, 0, ECX, 20, "sse4_2" },
	{ 1, 0, ECX, 21, "x2apic" },
	{ 1, 0, ECX, 22, "movbe" },
	{ 1, 0, ECX, 23, "popcnt" },
	{ 1, 0, ECX, 25, "aes" },
	{ 1, 0, ECX, 26, "xsave" },
	{ 1, 0, ECX, 28, "avx" },
	{ 1, 0, ECX, 29, "f16c" },
	{ 1, 0, ECX, 30, "rdrand" },
	{ 1, 0, ECX, 31, "hypervisor" },
	{ 7, 0, EBX, 0, "fsgsbase" },
	{ 7, 0, EBX, 3, "bmi1" },
	{ 7, 0, EBX, 5, "avx2" },
	{ 7, 0, EBX, 7, "smep" },
	{ 7, 0, EBX, 8, "bmi2" },
	{ 7, 0, EBX, 9, "erms" },
	{ 7, 0, EBX, 18, "rdseed" },
	{ 7, 0, EBX, 19, "adx" },
	{ 7, 0, EBX, 20, "smap" },
	{ 7, 0, ECX, 2, "umip" },
	{ 7, 0, ECX, 22, "rdpid" },
};

/* Leaf 4, EAX: type 0 ends the list. */
#define CACHE_TYPE	 0x1f
#define CACHE_LEVEL(eax) ((eax) >> 5 & 7)

static uint32_t look(uint32_t leaf, uint32_t subleaf, unsigned int where)
{
	uint32_t registers[4] = { 0 };

	if ((uint32_t)__get_cpuid_max(leaf & 0x80000000, NULL) >= leaf)
		__cpuid_count(leaf, subleaf, registers[0], registers[1], registers[2],
			      registers[3]);
	return registers[where];
}

/* CPUID returns twelve bytes of the vendor's name and 16 bytes at a time of the model's name, in
 * registers. */
static void describe_names(struct text *text)
{
	char vendor[13] = "", model[49] = "";
	uint32_t words[3] = { look(0, 0, EBX), look(0, 0, EDX), look(0, 0, ECX) };

	memcpy(vendor, words, 12);
	for (unsigned int i = 0; i < 12; i++) {
		uint32_t word = look(0x80000002 + i / 4, 0, i % 4);

		memcpy(model + 4 * i, &word, 4);
	}
	uint32_t signature = look(1, 0, EAX);
	unsigned int family = signature >> 8 & 15, number = signature >> 4 & 15;

	/* Only some families use the extended parts. SDM vol. 2A, CPUID. */
	if (family == 15 || family == 6)
		number |= (signature >> 16 & 15) << 4;
	if (family == 15)
		family += signature >> 20 & 255;
	text_print(text,
		   "vendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\nmodel name\t: %s\n"
		   "stepping\t: %u\n",
		   vendor, family, number, model, signature & 15);
}

/* The cache that Linux reports: the last level in the list of deterministic cache parameters (SDM vol. 2A,
 * CPUID leaf 4); on AMD's CPUs, which do not have this list, level 2 (APM vol. 3, CPUID leaf 0x80000006). */
static void describe_cache(struct text *text)
{
	uint32_t bytes = 0, level = 0, kib, kind;

	for (uint32_t i = 0; (kind = look(4, i, EAX)) & CACHE_TYPE; i++) {
		uint32_t shape = look(4, i, EBX);

		if (CACHE_LEVEL(kind) <= level)
			continue;
		level = CACHE_LEVEL(kind);
		bytes = (shape >> 22) + 1;	    /* ways */
		bytes *= (shape >> 12 & 0x3ff) + 1; /* partitions */
		bytes *= (shape & 0xfff) + 1;	    /* bytes of a line */
		bytes *= look(4, i, ECX) + 1;	    /* sets */
	}
	kib = bytes ? bytes / 1024 : look(0x80000006, 0, ECX) >> 16;
	if (kib)
		text_print(text, "cache size\t: %u KB\n", kib);
}

/* Returns whether CPU is the lowest-numbered CPU of its core that is on line. */
static bool is_first_of_core(unsigned int cpu)
{
	const struct cpu_topology own = arch_cpu_topology(cpu);

	for (unsigned int i = 0; i < cpu; i++) {
		const struct cpu_topology other = arch_cpu_topology(i);

		if (cpu_is_online(i) && other.package == own.package && other.core == own.core)
			return false;
	}
	return true;
}

void arch_cpu_describe(struct text *text, unsigned int cpu)
{
	uint32_t line_bytes = (look(1, 0, EBX) >> 8 & 255) * 8;
	unsigned long khz = clock_tsc_hz() / 1000;

	text_print(text, "processor\t: %u\n", cpu);
	describe_names(text);
	text_print(text, "cpu MHz\t\t: %lu.%03lu\n", khz / 1000, khz % 1000);
	describe_cache(text);
	const struct cpu_topology topology = arch_cpu_topology(cpu);
	unsigned int siblings = 0, cores = 0, apic_id = cpu_locals[cpu].apic_id;

	for (unsigned int i = 0; i < cpu_count(); i++) {
		const struct cpu_topology other = arch_cpu_topology(i);

		if (!cpu_is_online(i))
			continue;
		siblings += other.package == topology.package;
		cores += other.package == topology.package && is_first_of_core(i);
	}
	text_print(text,
		   "physical id\t: %u\nsiblings\t: %u\ncore id\t\t: %u\ncpu cores\t: %u\n"
		   "apicid\t\t: %u\ninitial apicid\t: %u\n"
		   "fpu\t\t: yes\nfpu_exception\t: yes\ncpuid level\t: %u\nwp\t\t: yes\n"
		   "flags\t\t:",
		   topology.package, siblings, topology.core, cores, apic_id, apic_id,
		   look(0, 0, EAX));
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (look(flags[i].leaf, flags[i].subleaf, flags[i].where) >> flags[i].bit & 1)
			text_print(text, " %s", flags[i].name);
	text_print(text,
		   "\nbogomips\t: %lu.%02lu\nclflush size\t: %u\ncache_alignment\t: %u\n"
		   "address sizes\t: %u bits physical, %u bits virtual\npower management:\n\n",
		   khz / 500, khz / 5 % 100, line_bytes, line_bytes, look(0x80000008, 0, EAX) & 255,
		   look(0x80000008, 0, EAX) >> 8 & 255);
}
