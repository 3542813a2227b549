// SPDX-License-Identifier: BSD-2-Clause
/* How CPUs belong together: each is a package of its own, and the console tells nothing of caches that
 * the emulator does not have. */
#include <arch/topology.h>

bool arch_cpu_cache(unsigned int cpu, unsigned int index, struct cpu_cache *cache)
{
	return false;
}

struct cpu_topology arch_cpu_topology(unsigned int cpu)
{
	return (struct cpu_topology){ .package = cpu, .core = 0, .cluster = cpu };
}
