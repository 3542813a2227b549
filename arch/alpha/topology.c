// SPDX-License-Identifier: BSD-2-Clause
/* How CPUs share cores and packages: each CPU is a package of its own. The console reports no caches,
 * and the emulator has none. */
#include <arch/topology.h>

bool arch_cpu_cache(unsigned int cpu, unsigned int index, struct cpu_cache *cache)
{
	return false;
}

struct cpu_topology arch_cpu_topology(unsigned int cpu)
{
	return (struct cpu_topology){ .package = cpu, .core = 0, .cluster = cpu };
}
