/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc/PID/maps, cmdline, environ, auxv and mem: a task's address space, which may be gone or disappear
 * meanwhile. proc(5) describes the formats.
 */
#include <string.h>

#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/text.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/exec_guard.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>

#include "task.h"

/* Most bytes of a command line that are shown. */
#define COMMAND_MAX   65536
/* Most bytes of an auxiliary vector: Linux's AT_VECTOR_SIZE is less. */
#define AUXILIARY_MAX 512
#define KIB_PER_PAGE  (PAGE_SIZE / 1024)

/* The memory that an open file shows: that of the task when the file was opened. After the task's exec or
 * exit this memory is gone, and the file is empty. The vector is copied at open: Linux keeps it in the
 * structure that stays. */
struct memory {
	struct task *task;	/* referenced */
	struct vm_space *space; /* pinned; NULL: the task had none */
	uintptr_t environment_start, environment_end;
	size_t auxiliary_size;
	char auxiliary[AUXILIARY_MAX];
};

static size_t copy_auxiliary(struct memory *memory, struct vm_space *space, uintptr_t start,
			     uintptr_t end)
{
	size_t size = end - start < AUXILIARY_MAX ? end - start : AUXILIARY_MAX;

	return vm_access(space, user_range_clip(start, size), memory->auxiliary, VM_ACCESS_READ);
}

int proc_memory_get(void *target, void **about)
{
	struct memory *memory = kzalloc(sizeof(*memory));
	struct task *task = target;
	const struct process *process = task->process;

	if (!memory)
		return -ENOMEM;
	if (exec_update_begin_memory(task, PTRACE_AS_FS)) {
		kfree(memory);
		return -EACCES;
	}
	struct vm_space *space = vm_space_of(task);
	uintptr_t start = process->auxiliary_start, end = process->auxiliary_end;

	memory->environment_start = process->environment_start;
	memory->environment_end = process->environment_end;
	exec_update_end(task);
	if (space) {
		memory->auxiliary_size = copy_auxiliary(memory, space, start, end);
		vm_space_pin(space);
		vm_space_put(space);
	}
	memory->space = space;
	memory->task = task;
	task_get(task);
	*about = memory;
	return 0;
}

void proc_memory_put(void *about)
{
	struct memory *memory = about;

	if (memory->space)
		vm_space_unpin(memory->space);
	task_put(memory->task);
	kfree(memory);
}

/* Returns the space of MEMORY with a reference, or NULL: it is gone. */
static struct vm_space *get_space(const struct memory *memory)
{
	return memory->space && vm_space_get_pinned(memory->space) ? memory->space : NULL;
}

/* Copies the bytes [START, END) of SPACE, whose reference moves in; NULL: none. */
static void show_memory(struct text *text, struct vm_space *space, uintptr_t start, uintptr_t end)
{
	char part[256];

	if (end - start > COMMAND_MAX)
		end = start + COMMAND_MAX;
	while (space && start < end) {
		size_t requested = end - start < sizeof(part) ? end - start : sizeof(part);
		size_t got =
			vm_access(space, user_range_clip(start, requested), part, VM_ACCESS_READ);

		text_append(text, part, got);
		if (got < requested)
			break;
		start += got;
	}
	if (space)
		vm_space_put(space);
}

int proc_show_cmdline_of(struct text *text, void *target)
{
	struct task *task = target;

	exec_update_begin_public(task);
	struct vm_space *space = vm_space_of(task);
	uintptr_t start = task->process->arguments_start, end = task->process->environment_start;

	exec_update_end(task);
	show_memory(text, space, start, end);
	return 0;
}

int proc_show_environ(struct text *text, void *about)
{
	const struct memory *memory = about;

	show_memory(text, get_space(memory), memory->environment_start, memory->environment_end);
	return 0;
}

int proc_show_auxv(struct text *text, void *about)
{
	const struct memory *memory = about;

	text_append(text, memory->auxiliary, memory->auxiliary_size);
	return 0;
}

/* Accesses memory as a debugger does: even where the program itself may not read or write. */
static ssize_t access(const struct memory *memory, char *buffer, size_t size, uint64_t address,
		      unsigned int flags)
{
	struct vm_space *space = get_space(memory);
	size_t done;

	if (!space)
		return 0;
	done = vm_access(space, user_range_clip(address, size), buffer, flags | VM_ACCESS_FORCE);
	vm_space_put(space);
	return done ? (ssize_t)done : -EIO;
}

ssize_t proc_read_mem(void *about, char *buffer, size_t size, uint64_t address)
{
	return access(about, buffer, size, address, VM_ACCESS_READ);
}

ssize_t proc_write_mem(void *about, const char *buffer, size_t size, uint64_t address)
{
	return access(about, (char *)buffer, size, address, VM_ACCESS_WRITE);
}

static void print_area(struct text *text, const struct vm_area *area)
{
	struct dentry *dentry = area->file ? area->file->dentry : NULL;
	const char *name = vm_area_name(area);
	size_t before = text->size;
	struct kernel_stat stat = { 0 };

	if (dentry)
		inode_stat(dentry->inode, &stat);
	text_print(text, "%08lx-%08lx %c%c%c%c %08lx %02lx:%02lx %lu ", (unsigned long)area->start,
		   (unsigned long)area->end, area->prot & VM_READ ? 'r' : '-',
		   area->prot & VM_WRITE ? 'w' : '-', area->prot & VM_EXEC ? 'x' : '-',
		   area->shared ? 's' : 'p', dentry ? (unsigned long)area->offset : 0ul,
		   (unsigned long)(stat.st_dev >> 8), (unsigned long)(stat.st_dev & 0xff),
		   (unsigned long)stat.st_ino);
	if (dentry || name) {
		/* The names begin in one column. */
		while (text->size - before < 73)
			text_append(text, " ", 1);
		if (dentry) {
			char *buffer = kzalloc(PATH_SIZE);
			char *path = buffer ? dentry_path(dentry, root_dentry, buffer, PATH_SIZE) :
					      NULL;

			text_append(text, path ? path : "", path ? strlen(path) : 0);
			kfree(buffer);
		} else {
			text_append(text, name, strlen(name));
		}
	}
	text_append(text, "\n", 1);
}

/* Areas are copied out one by one: naming an area takes the tree's mutex, which must not be taken under a
 * space's mutex. */
struct next_area {
	struct vm_area area;
	bool detailed;		     /* fill in `resident` */
	size_t resident[PAGE_KINDS]; /* pages */
	bool found;
};

static bool copy_area(const struct vm_area *area, void *argument)
{
	struct next_area *next = argument;

	next->area = *area;
	next->area.name = vm_area_name(area);
	if (next->detailed)
		vm_area_resident(area, next->resident);
	if (area->file)
		file_get(area->file);
	next->found = true;
	return false;
}

/* Prints the resident pages of an area, in KiB. */
static void print_resident(struct text *text, const size_t resident[PAGE_KINDS])
{
	size_t total = 0;

	for (int kind = 0; kind < PAGE_KINDS; kind++)
		total += resident[kind];
	text_print(text, "Rss:            %8lu kB\n", (unsigned long)(total * KIB_PER_PAGE));
	text_print(text, "Anonymous:      %8lu kB\n",
		   (unsigned long)(resident[PAGE_ANONYMOUS] * KIB_PER_PAGE));
	text_print(text, "Swap:           %8lu kB\n", 0ul);
}

static void print_details(struct text *text, const struct next_area *next)
{
	text_print(text, "Size:           %8lu kB\n",
		   (unsigned long)((next->area.end - next->area.start) / 1024));
	text_print(text, "KernelPageSize: %8lu kB\n", (unsigned long)KIB_PER_PAGE);
	text_print(text, "MMUPageSize:    %8lu kB\n", (unsigned long)KIB_PER_PAGE);
	print_resident(text, next->resident);
}

static int show_areas(struct text *text, const struct memory *memory, bool detailed)
{
	uintptr_t from = 0;

	if (proc_task_is_gone(memory->task))
		return -ESRCH;
	struct vm_space *space = get_space(memory);

	while (space) {
		struct next_area next = { .detailed = detailed };

		vm_for_each_area(space, from, copy_area, &next);
		if (!next.found)
			break;
		print_area(text, &next.area);
		if (detailed)
			print_details(text, &next);
		if (next.area.file)
			file_put(next.area.file);
		from = next.area.end;
	}
	if (space)
		vm_space_put(space);
	return 0;
}

int proc_show_maps(struct text *text, void *about)
{
	return show_areas(text, about, false);
}

/* Tally does not track which processes share a page, nor which pages were written: Linux's Pss, Shared and
 * Private are left out. */
int proc_show_smaps(struct text *text, void *about)
{
	return show_areas(text, about, true);
}
