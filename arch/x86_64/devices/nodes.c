// SPDX-License-Identifier: BSD-2-Clause
/*
 * The nodes of the CPUs' devices below /dev/cpu, for each CPU on line. As on Linux, those of a CPU that goes off line go
 * too, and come back with it. Root may have made or removed names there meanwhile: what is there stays. The kernel
 * makes and removes the nodes, with root's credentials, and not those of the task that takes the CPU off line or
 * brings it on line.
 */
#include "nodes.h"

#include <string.h>

#include <kernel/base/cpu.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/base/start.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/stat.h>

static struct device cpu_devices[] = {
	{ .major = MSR_MAJOR, .more_minors = CPUS_MAX - 1, .open = msr_open },
	{ .major = CPUID_MAJOR, .more_minors = CPUS_MAX - 1, .open = cpuid_open },
	{ .major = PMU_MAJOR, .more_minors = CPUS_MAX - 1, .open = pmu_open },
};

/* A CPU's number as text. */
#define NAME_SIZE 12

static const struct {
	const char *name;
	unsigned int major;
} nodes[] = { { "msr", MSR_MAJOR }, { "cpuid", CPUID_MAJOR }, { "pmu", PMU_MAJOR } };

static void add_devices(void)
{
	for (size_t i = 0; i < sizeof(cpu_devices) / sizeof(cpu_devices[0]); i++)
		device_add(&cpu_devices[i]);
}

START(START_DEVICES, add_devices);

static int make_folder(struct dentry *parent, const char *name, struct dentry **folder)
{
	const struct entry_request request = { .mode = S_IFDIR | 0755 };

	return entry_create(parent, name, strlen(name), &request, folder);
}

/* Makes the nodes of CPU in CPUS. 0, -ENOMEM, -EEXIST and the like. */
static int make_nodes(struct dentry *cpus, unsigned int cpu)
{
	struct dentry *folder;
	char name[NAME_SIZE];
	int error;

	format_string(name, sizeof(name), "%u", cpu);
	error = make_folder(cpus, name, &folder);
	if (error)
		return error;
	for (size_t i = 0; !error && i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		const struct entry_request request = {
			.mode = S_IFCHR | 0600,
			.device = device_number(nodes[i].major, cpu),
		};

		error = entry_create(folder, nodes[i].name, strlen(nodes[i].name), &request, NULL);
	}
	dentry_put(folder);
	return error;
}

static void make_all_nodes(void)
{
	struct dentry *dev, *cpus;
	int error = path_lookup(root_dentry, "/dev", LOOKUP_DIRECTORY, &dev);

	if (!error) {
		error = make_folder(dev, "cpu", &cpus);
		dentry_put(dev);
	}
	for (unsigned int cpu = 0; !error && cpu < cpu_count(); cpu++)
		error = make_nodes(cpus, cpu);
	if (error)
		boot_failure("too little memory for /dev/cpu; give the machine more");
	dentry_put(cpus);
}

START(START_DEV, make_all_nodes);

/* Finds /dev/cpu, also for a process with a root of its own: the path does not begin there. */
static int find_cpus(struct dentry **cpus)
{
	return path_lookup(root_dentry, "dev/cpu", LOOKUP_DIRECTORY, cpus);
}

static void remove_nodes(struct dentry *cpus, unsigned int cpu)
{
	struct dentry *folder;
	char name[NAME_SIZE];

	format_string(name, sizeof(name), "%u", cpu);
	if (path_lookup(cpus, name, LOOKUP_DIRECTORY, &folder))
		return;
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		entry_remove(folder, nodes[i].name, strlen(nodes[i].name), false);
	dentry_put(folder);
	entry_remove(cpus, name, strlen(name), true);
}

HOOK_LISTENER(cpu_goes_offline, 2, (unsigned int cpu, unsigned int target))
{
	const struct credentials *before = credentials_begin_kernel();
	struct dentry *cpus;

	pmu_cpu_goes_offline(cpu);
	if (!find_cpus(&cpus)) {
		remove_nodes(cpus, cpu);
		dentry_put(cpus);
	}
	credentials_end_kernel(before);
}

HOOK_LISTENER(cpu_came_online, 1, (unsigned int cpu))
{
	const struct credentials *before = credentials_begin_kernel();
	struct dentry *cpus;

	if (!find_cpus(&cpus)) {
		make_nodes(cpus, cpu);
		dentry_put(cpus);
	}
	credentials_end_kernel(before);
}

int node_cpu(const struct inode *inode, unsigned int *cpu)
{
	*cpu = device_minor(inode->device);
	return *cpu < cpu_count() && cpu_is_online(*cpu) ? 0 : -ENXIO;
}

bool node_may_continue(void)
{
	sched_relax();
	return !signal_is_fatal_pending(task_current());
}

int64_t node_seek(struct file *file, int64_t offset, unsigned int whence)
{
	int64_t base = whence == SEEK_CUR ? (int64_t)file->position : 0, target;

	if (whence != SEEK_SET && whence != SEEK_CUR)
		return -EINVAL;
	if (__builtin_add_overflow(base, offset, &target) || target < 0)
		return -EINVAL;
	file->position = (uint64_t)target;
	return target;
}
