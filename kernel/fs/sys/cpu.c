/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /sys/devices/system/cpu: the CPUs and how they belong together. Formats: Linux,
 * Documentation/ABI/testing/sysfs-devices-system-cpu and admin-guide/cputopology.rst.
 *
 * A CPU's target is its number plus one, a cache's that number and the cache's; both always exist and need no
 * references.
 */
#include <kernel/base/cpu.h>

#include <string.h>

#include <arch/topology.h>
#include <kernel/base/log.h>
#include <kernel/mm/text.h>
#include <kernel/sched/hotplug.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/stat.h>

#include "sys.h"

/* Most caches of a CPU; the unit of the CPU's number in a target. */
#define CACHES_MAX 16
#define KIB	   1024

static void *target_of(unsigned int cpu, unsigned int cache)
{
	return (void *)(uintptr_t)(cpu * CACHES_MAX + cache + 1);
}

static unsigned int cpu_of(const void *target)
{
	return (unsigned int)((uintptr_t)target - 1) / CACHES_MAX;
}

static unsigned int cache_number_of(const void *target)
{
	return (unsigned int)((uintptr_t)target - 1) % CACHES_MAX;
}

static struct cpu_cache cache_of(const void *target)
{
	struct cpu_cache cache = { 0 };

	arch_cpu_cache(cpu_of(target), cache_number_of(target), &cache);
	return cache;
}

static uint64_t number_of(void *target)
{
	return (uintptr_t)target;
}

/* --- sets of CPUs --- */

static int print_list(struct text *text, cpumask_t cpus)
{
	text_print_cpu_list(text, &cpus);
	text_print(text, "\n");
	return 0;
}

static int print_mask(struct text *text, cpumask_t cpus)
{
	text_print_cpu_mask(text, &cpus);
	text_print(text, "\n");
	return 0;
}

static int show_all(struct text *text, void *unused)
{
	return print_list(text, cpus_all());
}

static int show_online_list(struct text *text, void *unused)
{
	return print_list(text, cpus_online());
}

static int show_offline_list(struct text *text, void *unused)
{
	return print_list(text, cpumask_shared_read(&cpus_offline));
}

/* No CPU is isolated. */
static int show_none(struct text *text, void *unused)
{
	return print_list(text, CPUMASK_NONE);
}

static int show_kernel_max(struct text *text, void *unused)
{
	text_print(text, "%d\n", CPUS_MAX - 1);
	return 0;
}

/* Linux: kstrtobool: only the first letters count. */
static bool parse_bool(const char *text, bool *value)
{
	static const char *const words[] = { "0", "1",	"n",  "y",  "N",  "Y",	"f",  "t",  "F",
					     "T", "of", "on", "oF", "oN", "Of", "On", "OF", "ON" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strncmp(text, words[i], strlen(words[i])) == 0) {
			*value = i & 1;
			return true;
		}
	return false;
}

static int show_online(struct text *text, void *target)
{
	text_print(text, "%d\n", cpu_is_online(cpu_of(target)));
	return 0;
}

static ssize_t store_online(void *target, const char *bytes, size_t size)
{
	bool online;

	if (!size)
		return 0;
	if (!parse_bool(bytes, &online))
		return -EINVAL;
	if (online) {
		cpu_bring_online(cpu_of(target));
		return (ssize_t)size;
	}
	int error = cpu_take_offline(cpu_of(target));

	return error ? error : (ssize_t)size;
}

/* --- topology --- */

/* Returns the CPUs on line that ALIKE finds equal to TARGET's CPU. */
static cpumask_t alike(const void *target,
		       bool (*alike)(const struct cpu_topology *a, const struct cpu_topology *b))
{
	const struct cpu_topology own = arch_cpu_topology(cpu_of(target));
	cpumask_t cpus = CPUMASK_NONE;

	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++) {
		const struct cpu_topology other = arch_cpu_topology(cpu);

		if (alike(&own, &other) && cpu_is_online(cpu))
			cpumask_add(&cpus, cpu);
	}
	return cpus;
}

static bool same_package(const struct cpu_topology *a, const struct cpu_topology *b)
{
	return a->package == b->package;
}

static bool same_core(const struct cpu_topology *a, const struct cpu_topology *b)
{
	return same_package(a, b) && a->core == b->core;
}

static bool same_cluster(const struct cpu_topology *a, const struct cpu_topology *b)
{
	if (a->cluster == CLUSTER_NONE)
		return same_core(a, b);
	return same_package(a, b) && a->cluster == b->cluster;
}

#define NUMBER(file, field)                                                        \
	static int show_##file(struct text *text, void *target)                    \
	{                                                                          \
		text_print(text, "%u\n", arch_cpu_topology(cpu_of(target)).field); \
		return 0;                                                          \
	}

NUMBER(physical_package_id, package)
NUMBER(cluster_id, cluster)
NUMBER(core_id, core)

/* A package is one die. */
static int show_die_id(struct text *text, void *target)
{
	text_print(text, "0\n");
	return 0;
}

#define SET(name, same)                                                \
	static int show_##name##_mask(struct text *text, void *target) \
	{                                                              \
		return print_mask(text, alike(target, same));          \
	}                                                              \
	static int show_##name##_list(struct text *text, void *target) \
	{                                                              \
		return print_list(text, alike(target, same));          \
	}

SET(package, same_package)
SET(cluster, same_cluster)
SET(core, same_core)

#define FILE_ENTRY(n, s)                                                         \
	{                                                                        \
		.name = (n), .mode = S_IFREG | 0444, .strict = true, .show = (s) \
	}
#define SET_ENTRIES(mask_name, list_name, set) \
	FILE_ENTRY(mask_name, show_##set##_mask), FILE_ENTRY(list_name, show_##set##_list)

/* Some sets have two names: Linux keeps its older names. */
static const struct pseudo_entry topology_entries[] = {
	FILE_ENTRY("physical_package_id", show_physical_package_id),
	FILE_ENTRY("die_id", show_die_id),
	FILE_ENTRY("cluster_id", show_cluster_id),
	FILE_ENTRY("core_id", show_core_id),
	SET_ENTRIES("core_cpus", "core_cpus_list", core),
	SET_ENTRIES("thread_siblings", "thread_siblings_list", core),
	SET_ENTRIES("cluster_cpus", "cluster_cpus_list", cluster),
	SET_ENTRIES("die_cpus", "die_cpus_list", package),
	SET_ENTRIES("package_cpus", "package_cpus_list", package),
	SET_ENTRIES("core_siblings", "core_siblings_list", package),
	{ .name = NULL },
};

/* --- caches --- */

static cpumask_t sharers(const void *target)
{
	const struct cpu_cache own = cache_of(target);
	struct cpu_cache other;
	cpumask_t cpus = CPUMASK_NONE;

	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		if (cpu_is_online(cpu) && arch_cpu_cache(cpu, cache_number_of(target), &other) &&
		    other.id == own.id)
			cpumask_add(&cpus, cpu);
	return cpus;
}

#define CACHE_NUMBER(file, field)                                     \
	static int show_cache_##file(struct text *text, void *target) \
	{                                                             \
		text_print(text, "%u\n", cache_of(target).field);     \
		return 0;                                             \
	}

CACHE_NUMBER(level, level)
CACHE_NUMBER(id, id)
CACHE_NUMBER(line, line_bytes)
CACHE_NUMBER(partitions, partitions)
CACHE_NUMBER(ways, ways)
CACHE_NUMBER(sets, sets)

static int show_cache_type(struct text *text, void *target)
{
	static const char *const names[] = { [CPU_CACHE_DATA] = "Data",
					     [CPU_CACHE_INSTRUCTION] = "Instruction",
					     [CPU_CACHE_UNIFIED] = "Unified" };

	text_print(text, "%s\n", names[cache_of(target).type]);
	return 0;
}

static int show_cache_size(struct text *text, void *target)
{
	const struct cpu_cache cache = cache_of(target);

	text_print(text, "%luK\n",
		   (unsigned long)cache.line_bytes * cache.partitions * cache.ways * cache.sets /
			   KIB);
	return 0;
}

static int show_cache_mask(struct text *text, void *target)
{
	return print_mask(text, sharers(target));
}

static int show_cache_list(struct text *text, void *target)
{
	return print_list(text, sharers(target));
}

static const struct pseudo_entry cache_entries[] = {
	FILE_ENTRY("level", show_cache_level),
	FILE_ENTRY("type", show_cache_type),
	FILE_ENTRY("id", show_cache_id),
	FILE_ENTRY("size", show_cache_size),
	FILE_ENTRY("coherency_line_size", show_cache_line),
	FILE_ENTRY("physical_line_partition", show_cache_partitions),
	FILE_ENTRY("ways_of_associativity", show_cache_ways),
	FILE_ENTRY("number_of_sets", show_cache_sets),
	FILE_ENTRY("shared_cpu_map", show_cache_mask),
	FILE_ENTRY("shared_cpu_list", show_cache_list),
	{ .name = NULL },
};

static void name_cache(void *target, char *buffer, size_t size)
{
	format_string(buffer, size, "index%u", cache_number_of(target));
}

/* Returns the first cache of TARGET's CPU from number ID on. */
static void *next_cache(void *target, uint64_t *id)
{
	uint64_t first = (uintptr_t)target_of(cpu_of(target), 0);
	struct cpu_cache cache;

	if (*id < first)
		*id = first;
	if (*id - first >= CACHES_MAX ||
	    !arch_cpu_cache(cpu_of(target), (unsigned int)(*id - first), &cache))
		return NULL;
	return (void *)(uintptr_t)*id;
}

/* --- the CPUs --- */

static const struct pseudo_entry cache_entry = { .mode = S_IFDIR | 0755,
						 .children = cache_entries };

static const struct pseudo_dynamic caches = {
	.next = next_cache,
	.id = number_of,
	.name = name_cache,
	.entry = &cache_entry,
};

static void name_cpu(void *target, char *buffer, size_t size)
{
	format_string(buffer, size, "cpu%u", cpu_of(target));
}

static void *next_cpu(void *unused, uint64_t *id)
{
	uint64_t cpu = *id ? (*id - 1 + CACHES_MAX - 1) / CACHES_MAX : 0;

	if (cpu >= cpu_count())
		return NULL;
	*id = (uintptr_t)target_of((unsigned int)cpu, 0);
	return (void *)(uintptr_t)*id;
}

/* The first CPU has no such file: as on Linux it cannot go offline. */
static bool is_not_first(void *target)
{
	return cpu_of(target) != 0;
}

static bool is_online(void *target)
{
	return cpu_is_online(cpu_of(target));
}

static const struct pseudo_entry cpu_entries[] = {
	{ .name = "topology",
	  .mode = S_IFDIR | 0755,
	  .exists = is_online,
	  .children = topology_entries },
	{ .name = "cache", .mode = S_IFDIR | 0755, .exists = is_online, .dynamic = &caches },
	{ .name = "online",
	  .mode = S_IFREG | 0644,
	  .exists = is_not_first,
	  .show = show_online,
	  .store = store_online },
	{ .name = NULL },
};

static const struct pseudo_entry cpu_entry = { .mode = S_IFDIR | 0755, .children = cpu_entries };

const struct pseudo_dynamic sys_cpus = {
	.next = next_cpu,
	.id = number_of,
	.name = name_cpu,
	.entry = &cpu_entry,
};

const struct pseudo_entry sys_cpu_entries[] = {
	FILE_ENTRY("online", show_online_list),
	FILE_ENTRY("possible", show_all),
	FILE_ENTRY("present", show_all),
	FILE_ENTRY("offline", show_offline_list),
	FILE_ENTRY("isolated", show_none),
	FILE_ENTRY("kernel_max", show_kernel_max),
	{ .name = NULL },
};
