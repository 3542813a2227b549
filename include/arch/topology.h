/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of every ISA: the topology of CPUs, which of them share a core, a package, a
 * cache.
 */
#ifndef ARCH_TOPOLOGY_H
#define ARCH_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/cpu.h>

struct cpu_topology {
	unsigned int package, core; /* a core's number is unique in its package */
	unsigned int cluster;	    /* CPUs that share a cache of level 2, or CLUSTER_NONE */
};

/* The machine does not describe clusters: each core is one. The number is Linux's. */
#define CLUSTER_NONE 0xffff

enum cpu_cache_type { CPU_CACHE_DATA = 1, CPU_CACHE_INSTRUCTION, CPU_CACHE_UNIFIED };

struct cpu_cache {
	enum cpu_cache_type type;
	unsigned int level, id; /* id: unique among the caches of this level and type */
	unsigned int line_bytes, partitions, ways, sets;
};

/* Returns the place of CPU number CPU, below cpu_count(). Constant once all CPUs run; any context after
 * that. */
struct cpu_topology arch_cpu_topology(unsigned int cpu);
/* Describes the CPU's cache number INDEX, from 0. False: no such cache. */
bool arch_cpu_cache(unsigned int cpu, unsigned int index, struct cpu_cache *cache);

#endif
