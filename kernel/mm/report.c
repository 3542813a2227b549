/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports of mappings to perf: the addresses, protection and name of each mapping that the current task
 * makes or changes.
 *
 * Finding a name takes the mutex of the directory tree, which must not be taken inside space->mutex: so
 * under space->mutex an area is only copied, and vm_space_unlock reports the copies, in order. The
 * reported operations are Linux's: mmap, brk, mprotect that changes something, growth of a stack,
 * execve; not mremap, munmap, mlock.
 *
 * While no event asks for mappings, all this is a test of one word.
 *
 * Lock: space->mutex for the list; none during delivery.
 */
#include <string.h>

#include <kernel/build_id.h>
#include <kernel/dentry.h>
#include <kernel/file.h>
#include <kernel/inode.h>
#include <kernel/kmalloc.h>
#include <kernel/log.h>
#include <kernel/perf.h>
#include <kernel/task.h>

#include "vm.h"

_Static_assert(BUILD_ID_SIZE_MAX == PERF_BUILD_ID_SIZE_MAX, "a record has room for every build id");

struct vm_report {
	STAILQ_ENTRY(vm_report) link;
	struct vm_area area; /* a copy; its file is referenced */
};

/* Copies AREA for a report. Without memory the report is lost: perf cannot resolve samples in AREA, but the
 * program continues. */
static void add(struct vm_area *area)
{
	struct vm_report *report = kzalloc(sizeof(*report));

	if (!report)
		return;
	report->area = *area;
	report->area.name = vm_area_name(area);
	if (area->file)
		file_get(area->file);
	STAILQ_INSERT_TAIL(&area->space->reports, report, link);
}

void area_report(struct vm_area *area)
{
	if (perf_wants_mappings() && area->space == task_current()->space)
		add(area);
}

/* The areas of a new program, in Linux's order: the program, its interpreter, areas without a file. */
enum part { PART_PROGRAM, PART_FILES, PART_OTHERS, PARTS };

static enum part part_of(const struct vm_area *area, const struct inode *program)
{
	const struct inode *inode = area->file ? file_inode(area->file) : NULL;

	return !inode ? PART_OTHERS : inode == program ? PART_PROGRAM : PART_FILES;
}

void vm_report_program(struct vm_space *space, const struct inode *program)
{
	struct vm_area *area;

	if (!perf_wants_mappings())
		return;
	mutex_lock(&space->mutex);
	for (enum part part = PART_PROGRAM; part < PARTS; part++)
		RB_FOREACH(area, vm_area_tree, &space->areas)
			if (part_of(area, program) == part)
				add(area);
	vm_space_unlock(space);
}

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
	if (perf_wants_build_ids() && inode_type(inode) == S_IFREG)
		mapping->build_id_size = build_id_read(file, mapping->build_id);
}

static void deliver(const struct vm_area *area)
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
	perf_task_mapped(&mapping);
	kfree(path);
}

void reports_deliver(struct vm_report_list *reports)
{
	struct vm_report *report;

	while ((report = STAILQ_FIRST(reports))) {
		STAILQ_REMOVE_HEAD(reports, link);
		deliver(&report->area);
		if (report->area.file)
			file_put(report->area.file);
		kfree(report);
	}
}
