/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /sys: its root, and the directories above those of the other files. It has only entries that describe
 * something of this kernel: CPUs and event sources.
 */
#include <string.h>

#include <kernel/fs/inode.h>
#include <kernel/mm/text.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/stat.h>

#include "sys.h"

/* Linux's SYSFS_MAGIC. */
#define MAGIC 0x62656572

#define DIRECTORY(n, ...)                                          \
	{                                                          \
		.name = (n), .mode = S_IFDIR | 0755, ##__VA_ARGS__ \
	}
#define END                  \
	{                    \
		.name = NULL \
	}

/* One node has all CPUs and all memory. */
static int show_node_list(struct text *text, void *unused)
{
	text_print(text, "0\n");
	return 0;
}

static int show_node_cpus(struct text *text, void *unused)
{
	const cpumask_t cpus = cpus_online();

	text_print_cpu_list(text, &cpus);
	text_print(text, "\n");
	return 0;
}

static int show_node_cpu_mask(struct text *text, void *unused)
{
	const cpumask_t cpus = cpus_online();

	text_print_cpu_mask(text, &cpus);
	text_print(text, "\n");
	return 0;
}

/* The distance of the node to itself: ACPI's value for a local node. */
static int show_distance(struct text *text, void *unused)
{
	text_print(text, "10\n");
	return 0;
}

static const struct pseudo_entry node_entries[] = {
	{ .name = "cpulist", .mode = S_IFREG | 0444, .strict = true, .show = show_node_cpus },
	{ .name = "cpumap", .mode = S_IFREG | 0444, .strict = true, .show = show_node_cpu_mask },
	{ .name = "distance", .mode = S_IFREG | 0444, .strict = true, .show = show_distance },
	END,
};

static const struct pseudo_entry nodes_entries[] = {
	{ .name = "online", .mode = S_IFREG | 0444, .strict = true, .show = show_node_list },
	{ .name = "possible", .mode = S_IFREG | 0444, .strict = true, .show = show_node_list },
	{ .name = "has_cpu", .mode = S_IFREG | 0444, .strict = true, .show = show_node_list },
	{ .name = "has_memory", .mode = S_IFREG | 0444, .strict = true, .show = show_node_list },
	{ .name = "has_normal_memory",
	  .mode = S_IFREG | 0444,
	  .strict = true,
	  .show = show_node_list },
	DIRECTORY("node0", .children = node_entries),
	END,
};

static const struct pseudo_entry system_entries[] = {
	DIRECTORY("cpu", .children = sys_cpu_entries, .dynamic = &sys_cpus),
	DIRECTORY("node", .children = nodes_entries),
	END,
};

static const struct pseudo_entry devices_entries[] = {
	DIRECTORY("system", .children = system_entries),
	END,
};

struct pseudo_added sys_devices_added, sys_bus_added, sys_class_added, sys_module_added;

/* The ELF notes of the image, made by the linker: its build id. */
extern const char __notes_start[], __notes_end[];

static ssize_t read_notes(void *unused, char *buffer, size_t size, uint64_t position)
{
	size_t notes_size = (size_t)(__notes_end - __notes_start);

	if (position >= notes_size)
		return 0;
	if (size > notes_size - position)
		size = notes_size - position;
	memcpy(buffer, __notes_start + position, size);
	return (ssize_t)size;
}

/* The first two are mount points for kernel/trace/tracefs.c. */
static const struct pseudo_entry kernel_entries[] = {
	{ .name = "debug", .mode = S_IFDIR | 0700 },
	{ .name = "tracing", .mode = S_IFDIR | 0700 },
	{ .name = "notes", .mode = S_IFREG | 0444, .strict = true, .read_at = read_notes },
	END,
};

static bool has_classes(void *unused)
{
	return sys_class_added.next;
}

static bool has_modules(void *unused)
{
	return sys_module_added.next;
}

static const struct pseudo_entry root_entries[] = {
	DIRECTORY("bus", .added = &sys_bus_added),
	DIRECTORY("class", .exists = has_classes, .added = &sys_class_added),
	DIRECTORY("devices", .children = devices_entries, .added = &sys_devices_added),
	DIRECTORY("kernel", .children = kernel_entries),
	DIRECTORY("module", .exists = has_modules, .added = &sys_module_added),
	END,
};

static const struct pseudo_entry root = { .mode = S_IFDIR | 0555, .children = root_entries };

void sysfs_mount(void)
{
	pseudo_mount("sysfs", MAGIC, -EPERM, &root, "/sys");
}
