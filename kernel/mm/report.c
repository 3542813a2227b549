/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports of mappings to perf: the addresses, protection and name of each mapping that the current task
 * makes or changes, and of each that it removes.
 *
 * Finding a name takes the mutex of the directory tree, which must not be taken inside space->mutex: so
 * under space->mutex an area is only copied, and vm_space_unlock reports the copies, in order. The
 * reported operations are Linux's: mmap, brk, mprotect that changes something, growth of a stack,
 * execve; not mremap, mlock. Each area that munmap, brk, mremap or a fixed mapping removes is reported, too, for
 * the first ABI; not the end of a program's memory.
 *
 * While no event asks for mappings, all this is a test of one word, and a second one where areas are removed.
 *
 * Lock: space->mutex for the list; none during delivery.
 */
#include <kernel/base/hooks.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/sched/task.h>

#include "vm.h"

struct vm_report {
	STAILQ_ENTRY(vm_report) link;
	bool unmapped;
	struct vm_area area; /* a copy; its file is referenced */
};

/* Copies AREA for a report. Without memory the report is lost: perf cannot resolve samples in AREA, but the
 * program continues. */
static void add(struct vm_area *area, bool unmapped)
{
	struct vm_report *report = kzalloc(sizeof(*report));

	if (!report)
		return;
	report->unmapped = unmapped;
	report->area = *area;
	report->area.name = vm_area_name(area);
	if (area->file)
		file_get(area->file);
	STAILQ_INSERT_TAIL(&area->space->reports, report, link);
}

void area_report(struct vm_area *area)
{
	if (hook_is_on(HOOK_area_mapped) && area->space == task_current()->space)
		add(area, false);
}

void area_report_unmapped(struct vm_area *area)
{
	if (hook_is_on(HOOK_area_unmapped) && area->space == task_current()->space)
		add(area, true);
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

	if (!hook_is_on(HOOK_area_mapped))
		return;
	mutex_lock(&space->mutex);
	for (enum part part = PART_PROGRAM; part < PARTS; part++)
		RB_FOREACH(area, vm_area_tree, &space->areas)
			if (part_of(area, program) == part)
				add(area, false);
	vm_space_unlock(space);
}

void reports_deliver(struct vm_report_list *reports)
{
	struct vm_report *report;

	while ((report = STAILQ_FIRST(reports))) {
		STAILQ_REMOVE_HEAD(reports, link);
		if (report->unmapped)
			hook_area_unmapped(&report->area);
		else
			hook_area_mapped(&report->area);
		if (report->area.file)
			file_put(report->area.file);
		kfree(report);
	}
}
