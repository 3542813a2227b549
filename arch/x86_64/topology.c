// SPDX-License-Identifier: BSD-2-Clause
/*
 * How CPUs share cores and packages: fields of their APICs' numbers, whose widths CPUID gives.
 *
 * SDM vol. 3A, section 9.9 "Identifying Topological Information of Multi-Processor and Multi-Core
 * Platforms"; leaves from SDM vol. 2A, CPUID, and for AMD's caches from APM vol. 3, appendix E. The
 * CPUs of one machine are taken to be alike, so the running CPU may ask its own CPUID.
 */
#include <arch/topology.h>

#include <machine/cpu.h>
#include <machine/msr.h>

#define LEAF_CACHES	  4	     /* deterministic cache parameters */
#define LEAF_TOPOLOGY	  0xb	     /* extended topology enumeration */
#define LEAF_CACHES_AMD	  0x8000001d /* in the format of LEAF_CACHES */
/* AMD's older description: level 1 in ECX (data) and EDX of the first; 2 in ECX and 3 in EDX of the second. */
#define LEAF_CACHES_L1	  0x80000005
#define LEAF_CACHES_L2_L3 0x80000006
#define KIB		  1024u
#define LEVEL_TYPE(ecx)	  ((ecx) >> 8 & 0xff)
#define LEVEL_TYPE_THREAD 1
#define LEVEL_SHIFT(eax)  ((eax)&0x1f)
#define LEVELS_MAX	  8

/* Returns the least number of bits that can number COUNT things. */
static unsigned int bits_for(unsigned int count)
{
	unsigned int bits = 0;

	while (1u << bits < count)
		bits++;
	return bits;
}

/* Shifts of an APIC's number that give the number of the core and of the package. */
struct shifts {
	unsigned int core, package;
};

static struct shifts read_shifts(void)
{
	struct shifts shifts = { 0, 0 };

	if (cpuid_max(0) >= LEAF_TOPOLOGY && cpuid_read(LEAF_TOPOLOGY, 0).ebx) {
		for (unsigned int level = 0; level < LEVELS_MAX; level++) {
			struct cpuid leaf = cpuid_read(LEAF_TOPOLOGY, level);

			if (!LEVEL_TYPE(leaf.ecx))
				break;
			shifts.package = LEVEL_SHIFT(leaf.eax);
			if (LEVEL_TYPE(leaf.ecx) == LEVEL_TYPE_THREAD)
				shifts.core = LEVEL_SHIFT(leaf.eax);
		}
	} else if (cpuid_read(1, 0).edx >> 28 & 1) {
		/* HTT: the numbers of threads and of cores in a package. */
		unsigned int threads = cpuid_read(1, 0).ebx >> 16 & 0xff, cores = 1;

		if (cpuid_max(0) >= LEAF_CACHES)
			cores = (cpuid_read(LEAF_CACHES, 0).eax >> 26) + 1;
		shifts.package = bits_for(threads);
		if (bits_for(cores) < shifts.package)
			shifts.core = shifts.package - bits_for(cores);
	}
	return shifts;
}

static bool has_intel_caches(void)
{
	return cpuid_max(0) >= LEAF_CACHES && (cpuid_read(LEAF_CACHES, 0).eax & 0x1f);
}

/* Describes the CPU's cache number INDEX by AMD's older leaves. They do not say who shares a cache: as on
 * Linux, level 3 is the package's and the others are each CPU's own. */
static bool old_amd_cache(unsigned int cpu, unsigned int index, struct cpu_cache *cache)
{
	/* By the field of associativity of levels 2 and 3. 0: there is no such cache, or the field does not
	 * have its ways. */
	static const uint8_t ways_of[16] = { 0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0 };
	static const enum cpu_cache_type types[] = { CPU_CACHE_DATA, CPU_CACHE_INSTRUCTION,
						     CPU_CACHE_UNIFIED, CPU_CACHE_UNIFIED };
	uint32_t apic_id = cpu_locals[cpu].apic_id;
	uint32_t leaf = index < 2 ? LEAF_CACHES_L1 : LEAF_CACHES_L2_L3, word, bytes, ways;

	if (index > 3 || cpuid_max(0x80000000) < leaf)
		return false;
	word = index % 2 ? cpuid_read(leaf, 0).edx : cpuid_read(leaf, 0).ecx;
	if (index < 2) {
		bytes = (word >> 24) * KIB;
		ways = word >> 16 & 0xff;
	} else {
		bytes = index == 2 ? (word >> 16) * KIB : (word >> 18) * 512 * KIB;
		ways = ways_of[word >> 12 & 0xf];
	}
	if (!bytes || !ways || !(word & 0xff))
		return false;
	*cache = (struct cpu_cache){
		.type = types[index],
		.level = index < 2 ? 1 : index,
		.id = index == 3 ? apic_id >> read_shifts().package : apic_id,
		.line_bytes = word & 0xff,
		.partitions = 1,
		.ways = ways,
		.sets = bytes / (word & 0xff) / ways,
	};
	return true;
}

bool arch_cpu_cache(unsigned int cpu, unsigned int index, struct cpu_cache *cache)
{
	uint32_t leaf = LEAF_CACHES;

	if (!has_intel_caches()) {
		leaf = LEAF_CACHES_AMD;
		if (cpuid_max(0x80000000) < leaf || !(cpuid_read(leaf, 0).eax & 0x1f))
			return old_amd_cache(cpu, index, cache);
	}
	struct cpuid words = cpuid_read(leaf, index);
	unsigned int type = words.eax & 0x1f;

	if (type < CPU_CACHE_DATA || type > CPU_CACHE_UNIFIED)
		return false;
	*cache = (struct cpu_cache){
		.type = (enum cpu_cache_type)type,
		.level = words.eax >> 5 & 7,
		.id = cpu_locals[cpu].apic_id >> bits_for((words.eax >> 14 & 0xfff) + 1),
		.line_bytes = (words.ebx & 0xfff) + 1,
		.partitions = (words.ebx >> 12 & 0x3ff) + 1,
		.ways = (words.ebx >> 22) + 1,
		.sets = words.ecx + 1,
	};
	return true;
}

struct cpu_topology arch_cpu_topology(unsigned int cpu)
{
	const struct shifts shifts = read_shifts();
	uint32_t apic_id = cpu_locals[cpu].apic_id;
	struct cpu_topology topology = {
		.package = apic_id >> shifts.package,
		.core = (apic_id & ((1u << shifts.package) - 1)) >> shifts.core,
		.cluster = CLUSTER_NONE,
	};
	struct cpu_cache cache;

	/* Linux 6.12 knows clusters of Intel's CPUs only. */
	for (unsigned int i = 0; has_intel_caches() && arch_cpu_cache(cpu, i, &cache); i++)
		if (cache.level == 2 && cache.type == CPU_CACHE_UNIFIED)
			topology.cluster = cache.id;
	return topology;
}
