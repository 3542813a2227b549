/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The name of a mapping, and what else MMAP records say of its file. The listener of the hooks area_mapped
 * and area_unmapped: kernel/mm/report.c decides which mappings are reported; mmap_record.c and first_abi.c write
 * the records.
 *
 * No lock is held: a path takes tree_mutex, which is outside of a space's mutex.
 */
#include <kernel/perf/mapped_area.h>

#include <kernel/base/log.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/vm.h>
#include <kernel/perf/first_abi.h>
#include <kernel/perf/mmap_record.h>
#include <kernel/perf/sideband.h>
#include <kernel/task/build_id.h>

_Static_assert(BUILD_ID_SIZE_MAX == PERF_BUILD_ID_SIZE_MAX, "a record has room for every build id");

/* The minor number of the device of Linux's anonymous shared memory (major: 0). */
#define SHARED_MEMORY_MINOR 1

/* Names an area without a path in the tree. PATH: PATH_SIZE bytes. */
static void name_special(const struct vm_area *area, char *path, struct perf_mapping *mapping)
{
	mapping->inode_number = shared_memory_number(area);
	if (mapping->inode_number)
		mapping->device_minor = SHARED_MEMORY_MINOR;
	else if (area->file)
		mapping->offset = 0;
	if (area->name) {
		mapping->name = area->name;
	} else if (area->file) {
		format_string(path, PATH_SIZE, "anon_inode:%s", area->file->ops->name);
		mapping->name = path;
	} else {
		mapping->name = "//anon";
	}
}

static void name_file(struct file *file, char *path, struct perf_mapping *mapping)
{
	struct inode *inode = file->dentry->inode;
	struct kernel_stat stat;

	inode_stat(inode, &stat);
	mapping->device_major = (uint32_t)(stat.st_dev >> 8);
	mapping->device_minor = (uint32_t)(stat.st_dev & 0xff);
	mapping->inode_number = stat.st_ino;
	mapping->name = dentry_path(file->dentry, root_dentry, path, PATH_SIZE);
	if (!mapping->name)
		mapping->name = "//toolong";
	if (perf_sideband_is_watched(PERF_SIDEBAND_BUILD_ID) && inode_type(inode) == S_IFREG)
		mapping->build_id_size = build_id_read(file, mapping->build_id);
}

/* Calls WRITE with the description of AREA. */
static void describe(const struct vm_area *area, void (*write)(const struct perf_mapping *mapping))
{
	char *path = kzalloc(PATH_SIZE);
	struct perf_mapping mapping = {
		.start = area->start,
		.length = area->end - area->start,
		.offset = area->offset,
		.prot = area->prot,
		.shared = area->shared,
		.locked = area->locked,
	};

	if (!path)
		mapping.name = "//enomem";
	else if (area->file && area->file->dentry)
		name_file(area->file, path, &mapping);
	else
		name_special(area, path, &mapping);
	write(&mapping);
	kfree(path);
}

void perf_area_mapped(const struct vm_area *area)
{
	describe(area, perf_task_mapped);
}

void perf_area_unmapped(const struct vm_area *area)
{
	describe(area, perf_first_unmapped);
}
