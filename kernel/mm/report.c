/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What perf is told of mappings: for each that the running task makes or changes, its addresses,
 * protection and name.
 *
 * A name takes the mutex of the tree of names, which must not be taken under a space's: so under the
 * space's mutex an area is only copied, and vm_space_unlock tells of the copies, in order. Which
 * operations are told of is Linux's choice: mmap, brk, mprotect where it changes something, a stack that
 * grows, execve; not mremap, munmap, mlock.
 *
 * While no event asks for mappings, all this is a test of one word.
 *
 * Lock: space->mutex for the list; none while telling.
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

/* Without memory for it nobody hears of the mapping: no sample there can be understood, but the program
 * goes on. */
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

/* What an execve has mapped, in Linux's order: the program, its interpreter, what has no file. */
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

/* Major and minor number of what Linux makes anonymous shared memory from. */
#define SHARED_MEMORY_MINOR 1

/* What is no file of the tree. PATH: PATH_SIZE bytes. */
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

static void tell(const struct vm_area *area)
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

void reports_tell(struct vm_report_list *reports)
{
	struct vm_report *report;

	while ((report = STAILQ_FIRST(reports))) {
		STAILQ_REMOVE_HEAD(reports, link);
		tell(&report->area);
		if (report->area.file)
			file_put(report->area.file);
		kfree(report);
	}
}
