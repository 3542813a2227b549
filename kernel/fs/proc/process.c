/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc/PID and /proc/PID/task/TID: what a task says of itself. proc(5) has the formats.
 *
 * A target is a task, referenced: a process's is its first thread, which is there until it is waited
 * for. What has been given up already, an address space, a directory, is simply not there.
 */
#include <string.h>

#include <kernel/dentry.h>
#include <kernel/file.h>
#include <kernel/inode.h>
#include <kernel/kmalloc.h>
#include <kernel/process.h>
#include <kernel/task.h>
#include <kernel/text.h>
#include <kernel/time.h>
#include <kernel/tty.h>
#include <kernel/usercopy.h>
#include <kernel/vm.h>
#include <uapi/linux/errno.h>

#include "proc.h"

#define KIB_PER_PAGE (PAGE_SIZE / 1024)
#define TICK_NS	     (NSEC_PER_SEC / 100)
/* Most of a command line that is shown. */
#define COMMAND_MAX  65536

/* --- which there are --- */

/* The number that NAME is, or -1. */
static int64_t number_of(const char *name, size_t size)
{
	int64_t number = 0;

	if (size == 0 || size > 9 || (name[0] == '0' && size > 1))
		return -1;
	for (size_t i = 0; i < size; i++) {
		if (name[i] < '0' || name[i] > '9')
			return -1;
		number = number * 10 + (name[i] - '0');
	}
	return number;
}

static void *find_process(void *unused, const char *name, size_t name_size)
{
	int64_t tid = number_of(name, name_size);

	/* A thread's number leads to its directory too, though it is not listed. */
	return tid > 0 ? task_find((pid_t)tid) : NULL;
}

/* The task with the least tid from *ID on that is a process's first, or of PROCESS if that is not
 * NULL. */
static void *next_task(uint64_t *id, const struct process *process)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct task *task = *id < INT32_MAX ? task_table_next((pid_t)*id - 1) : NULL;

	while (task && (process ? task->process != process : task->tid != task->tgid))
		task = task_table_next(task->tid);
	if (task) {
		task_get(task);
		*id = (uint64_t)task->tid;
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	return task;
}

static void *next_process(void *unused, uint64_t *id)
{
	return next_task(id, NULL);
}

static void *find_thread(void *parent, const char *name, size_t name_size)
{
	const struct task *leader = parent;
	struct task *task = find_process(NULL, name, name_size);

	if (task && task->process != leader->process) {
		task_put(task);
		task = NULL;
	}
	return task;
}

static void *next_thread(void *parent, uint64_t *id)
{
	return next_task(id, ((const struct task *)parent)->process);
}

static void get_task(void *target)
{
	task_get(target);
}

static void put_task(void *target)
{
	task_put(target);
}

static uint64_t task_id(void *target)
{
	return (uint64_t)((struct task *)target)->tid;
}

/* --- state --- */

static char state_letter(const struct task *task)
{
	if (task->state == TASK_ZOMBIE)
		return 'Z';
	if (task->process->stop_signal)
		return 'T';
	return task->state == TASK_RUNNABLE ? 'R' : 'S';
}

/* What needs the table's lock, taken at one moment. */
struct family {
	pid_t parent, group, session;
	unsigned int threads;
	uint64_t run_time_ns, children_run_time_ns;
	int exit_status;
};

static struct family family_of(struct task *task)
{
	struct process *process = task->process;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	const struct family family = {
		.parent = process->parent ? process->parent->pid : 0,
		.group = process->group,
		.session = process->session,
		.threads = process->live_threads,
		.run_time_ns = process_run_time_ns(process),
		.children_run_time_ns = process->children_run_time_ns,
		.exit_status = process->exit_status,
	};

	spin_unlock_irqrestore(&task_table_lock, state);
	return family;
}

static struct vm_usage usage_of(struct task *task)
{
	struct vm_space *space = vm_space_of(task);
	struct vm_usage usage = { 0 };

	if (space) {
		vm_get_usage(space, &usage);
		vm_space_put(space);
	}
	return usage;
}

/* The 52 fields of proc(5); those that are always 0 here are of swapping, of ticks spent waiting, and
 * of addresses that Linux shows as 0 too unless one may trace the task. */
static int show_stat(struct text *text, void *target)
{
	struct task *task = target;
	const struct family family = family_of(task);
	const struct vm_usage usage = usage_of(task);
	int nice = task->sched.nice;

	text_print(text, "%d (%s) %c %d %d %d %d %d 0 ", task->tid, task->comm, state_letter(task),
		   family.parent, family.group, family.session,
		   task->process->tty ? (int)task->process->tty->device : 0,
		   task->process->tty ? (int)family.group : -1);
	text_print(text, "%lu 0 %lu 0 %lu 0 %lu 0 %d %d %u 0 %lu ",
		   (unsigned long)task->faults_minor, (unsigned long)task->faults_major,
		   (unsigned long)(family.run_time_ns / TICK_NS),
		   (unsigned long)(family.children_run_time_ns / TICK_NS), 20 + nice, nice,
		   family.threads, (unsigned long)(task->started_ns / TICK_NS));
	text_print(text, "%lu %lu %lu 0 0 0 0 0 ", (unsigned long)(usage.mapped * PAGE_SIZE),
		   (unsigned long)usage.resident_total, ~0ul);
	text_print(text, "%lu %lu 0 0 0 0 0 %d %d 0 0 0 0 0 0 0 0 0 0 0 0 %d\n",
		   (unsigned long)task->signals.queue.pending, (unsigned long)task->signals.mask,
		   task->process->exit_signal, task->cpu, family.exit_status);
	return 0;
}

static int show_statm(struct text *text, void *target)
{
	const struct vm_usage usage = usage_of(target);

	text_print(text, "%lu %lu %lu %lu 0 %lu 0\n", (unsigned long)usage.mapped,
		   (unsigned long)usage.resident_total,
		   (unsigned long)(usage.resident[PAGE_FILE] + usage.resident[PAGE_SHARED]),
		   (unsigned long)usage.executable, (unsigned long)(usage.data + usage.stack));
	return 0;
}

static void print_pages(struct text *text, const char *name, size_t pages)
{
	text_print(text, "%s:\t%8lu kB\n", name, (unsigned long)(pages * KIB_PER_PAGE));
}

static void print_signals(struct text *text, const char *name, uint64_t set)
{
	text_print(text, "%s:\t%016lx\n", name, (unsigned long)set);
}

static void print_memory(struct text *text, struct task *task)
{
	const struct vm_usage usage = usage_of(task);

	/* A zombie and a kernel task have none. */
	if (!usage.mapped)
		return;
	print_pages(text, "VmPeak", usage.mapped_peak);
	print_pages(text, "VmSize", usage.mapped);
	print_pages(text, "VmLck", usage.locked);
	print_pages(text, "VmPin", 0);
	print_pages(text, "VmHWM", usage.resident_peak);
	print_pages(text, "VmRSS", usage.resident_total);
	print_pages(text, "RssAnon", usage.resident[PAGE_ANONYMOUS]);
	print_pages(text, "RssFile", usage.resident[PAGE_FILE]);
	print_pages(text, "RssShmem", usage.resident[PAGE_SHARED]);
	print_pages(text, "VmData", usage.data);
	print_pages(text, "VmStk", usage.stack);
	print_pages(text, "VmExe", usage.executable);
	print_pages(text, "VmLib", 0);
	print_pages(text, "VmPTE", usage.tables);
	print_pages(text, "VmSwap", 0);
}

static const char *state_name(char letter)
{
	static const struct {
		char letter;
		const char *name;
	} names[] = {
		{ 'R', "running" }, { 'S', "sleeping" }, { 'T', "stopped" }, { 'Z', "zombie" }
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].letter == letter)
			return names[i].name;
	return "unknown";
}

static int show_status(struct text *text, void *target)
{
	struct task *task = target;
	const struct family family = family_of(task);
	const struct process *process = task->process;
	uint64_t ignored = 0, caught = 0;
	char letter = state_letter(task);

	text_print(text, "Name:\t%s\nUmask:\t%04o\nState:\t%c (%s)\n", task->comm, process->umask,
		   letter, state_name(letter));
	text_print(text, "Tgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\nTracerPid:\t0\n", task->tgid,
		   task->tid, family.parent);
	text_print(text, "Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nFDSize:\t64\nGroups:\t \n");
	print_memory(text, task);
	for (int signal = 1; signal <= SIGNALS_MAX; signal++) {
		uint64_t handler = process->actions[signal - 1].handler;
		uint64_t bit = (uint64_t)1 << (signal - 1);

		if (handler == SIG_IGN_ADDRESS)
			ignored |= bit;
		else if (handler != SIG_DFL_ADDRESS)
			caught |= bit;
	}
	text_print(text, "Threads:\t%u\n", family.threads);
	print_signals(text, "SigPnd", task->signals.queue.pending);
	print_signals(text, "ShdPnd", process->signals.pending);
	print_signals(text, "SigBlk", task->signals.mask);
	print_signals(text, "SigIgn", ignored);
	print_signals(text, "SigCgt", caught);
	text_print(text, "Cpus_allowed:\t%lx\n", (unsigned long)task->affinity);
	text_print(text, "voluntary_ctxt_switches:\t%lu\nnonvoluntary_ctxt_switches:\t%lu\n",
		   (unsigned long)task->switches_voluntary, (unsigned long)task->switches_forced);
	return 0;
}

static int show_comm(struct text *text, void *target)
{
	text_print(text, "%s\n", ((const struct task *)target)->comm);
	return 0;
}

/* --- memory --- */

/* Copies what is at [START, END) of the task's memory. */
static int show_memory(struct text *text, struct task *task, uintptr_t start, uintptr_t end)
{
	struct vm_space *space = vm_space_of(task);
	char part[256];

	if (end - start > COMMAND_MAX)
		end = start + COMMAND_MAX;
	while (space && start < end) {
		size_t wanted = end - start < sizeof(part) ? end - start : sizeof(part);
		size_t got = vm_access(space, start, part, wanted, VM_ACCESS_READ);

		text_append(text, part, got);
		if (got < wanted)
			break;
		start += got;
	}
	if (space)
		vm_space_put(space);
	return 0;
}

static int show_cmdline(struct text *text, void *target)
{
	const struct process *process = ((struct task *)target)->process;

	return show_memory(text, target, process->arguments_start, process->environment_start);
}

static int show_environ(struct text *text, void *target)
{
	const struct process *process = ((struct task *)target)->process;

	return show_memory(text, target, process->environment_start, process->environment_end);
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

/* Areas are copied out one by one: naming one takes the tree's mutex, which must not be taken under a
 * space's. */
struct next_area {
	struct vm_area area;
	bool found;
};

static bool copy_area(const struct vm_area *area, void *argument)
{
	struct next_area *next = argument;

	next->area = *area;
	next->area.name = vm_area_name(area);
	if (area->file)
		file_get(area->file);
	next->found = true;
	return false;
}

static int show_maps(struct text *text, void *target)
{
	struct vm_space *space = vm_space_of(target);
	uintptr_t from = 0;

	while (space) {
		struct next_area next = { .found = false };

		vm_for_each_area(space, from, copy_area, &next);
		if (!next.found)
			break;
		print_area(text, &next.area);
		if (next.area.file)
			file_put(next.area.file);
		from = next.area.end;
	}
	if (space)
		vm_space_put(space);
	return 0;
}

/* --- links --- */

/* The path of DENTRY, whose reference moves in, as the text of a link. */
static ssize_t put_path(struct dentry *dentry, char *buffer, size_t size)
{
	char *path = dentry_path(dentry, root_dentry, buffer, size);
	ssize_t length = path ? (ssize_t)strlen(path) : -ENAMETOOLONG;

	if (path)
		memmove(buffer, path, (size_t)length);
	dentry_put(dentry);
	return length;
}

/* Where each link leads: a dentry without a reference, or NULL. D held. A process that has not changed
 * its directories has the root's, while it has anything at all. */
static struct dentry *executable_of(const struct process *process)
{
	return process->executable;
}

static struct dentry *directory_of(const struct process *process)
{
	return process->directory || !process->executable ? process->directory : root_dentry;
}

static struct dentry *root_of(const struct process *process)
{
	return process->root || !process->executable ? process->root : root_dentry;
}

static struct dentry *follow_place(void *target, int *error,
				   struct dentry *(*find)(const struct process *process))
{
	struct dentry *dentry = find(((struct task *)target)->process);

	*error = -ENOENT;
	if (dentry)
		dentry_get(dentry);
	return dentry;
}

static ssize_t read_place(void *target, char *buffer, size_t size,
			  struct dentry *(*find)(const struct process *process))
{
	int error;

	mutex_lock(&tree_mutex);
	struct dentry *dentry = follow_place(target, &error, find);

	mutex_unlock(&tree_mutex);
	return dentry ? put_path(dentry, buffer, size) : error;
}

#define LINK(name, find)                                                    \
	static ssize_t read_##name(void *target, char *buffer, size_t size) \
	{                                                                   \
		return read_place(target, buffer, size, find);              \
	}                                                                   \
	static struct dentry *follow_##name(void *target, int *error)       \
	{                                                                   \
		return follow_place(target, error, find);                   \
	}

LINK(exe, executable_of)
LINK(cwd, directory_of)
LINK(root, root_of)

/* --- descriptors --- */

/* A descriptor of a task: allocated for a dentry's life. */
struct descriptor {
	_Atomic unsigned int references;
	int fd;
	struct file *file; /* referenced */
};

static void *make_descriptor(int fd, struct file *file)
{
	struct descriptor *descriptor = kzalloc(sizeof(*descriptor));

	if (!descriptor) {
		file_put(file);
		return NULL;
	}
	descriptor->references = 1;
	descriptor->fd = fd;
	descriptor->file = file;
	return descriptor;
}

static void *find_descriptor(void *parent, const char *name, size_t name_size)
{
	int64_t fd = number_of(name, name_size);
	struct file *file = fd >= 0 ? file_table_get_file_of(parent, (int)fd) : NULL;

	return file ? make_descriptor((int)fd, file) : NULL;
}

static void *next_descriptor(void *parent, uint64_t *id)
{
	for (; *id < DESCRIPTORS_MAX; (*id)++) {
		struct file *file = file_table_get_file_of(parent, (int)*id);

		if (file)
			return make_descriptor((int)*id, file);
	}
	return NULL;
}

static void get_descriptor(void *target)
{
	atomic_fetch_add(&((struct descriptor *)target)->references, 1);
}

static void put_descriptor(void *target)
{
	struct descriptor *descriptor = target;

	if (atomic_fetch_sub(&descriptor->references, 1) != 1)
		return;
	file_put(descriptor->file);
	kfree(descriptor);
}

static uint64_t descriptor_id(void *target)
{
	return (uint64_t)((struct descriptor *)target)->fd;
}

static ssize_t read_descriptor(void *target, char *buffer, size_t size)
{
	const struct descriptor *descriptor = target;

	if (descriptor->file->dentry) {
		dentry_get(descriptor->file->dentry);
		return put_path(descriptor->file->dentry, buffer, size);
	}
	const char *name = descriptor->file->ops->name;

	return format_string(buffer, size, "anon_inode:%s", name ? name : "[file]");
}

static struct dentry *follow_descriptor(void *target, int *error)
{
	const struct descriptor *descriptor = target;

	*error = -ENXIO;
	if (descriptor->file->dentry)
		dentry_get(descriptor->file->dentry);
	return descriptor->file->dentry;
}

static const struct pseudo_entry descriptor_entry = { .mode = S_IFLNK | 0700,
						      .read_link = read_descriptor,
						      .follow = follow_descriptor };

static const struct pseudo_dynamic descriptors = {
	.find = find_descriptor,
	.next = next_descriptor,
	.get = get_descriptor,
	.put = put_descriptor,
	.id = descriptor_id,
	.entry = &descriptor_entry,
};

/* --- the directories --- */

/* What a process and each of its threads have. */
#define COMMON_ENTRIES                                                                  \
	{ .name = "stat", .mode = S_IFREG | 0444, .show = show_stat },                  \
		{ .name = "statm", .mode = S_IFREG | 0444, .show = show_statm },        \
		{ .name = "status", .mode = S_IFREG | 0444, .show = show_status },      \
		{ .name = "comm", .mode = S_IFREG | 0444, .show = show_comm },          \
		{ .name = "cmdline", .mode = S_IFREG | 0444, .show = show_cmdline },    \
		{ .name = "environ", .mode = S_IFREG | 0400, .show = show_environ },    \
		{ .name = "maps", .mode = S_IFREG | 0444, .show = show_maps },          \
		{ .name = "mounts", .mode = S_IFREG | 0444, .show = proc_show_mounts }, \
		{ .name = "exe",                                                        \
		  .mode = S_IFLNK | 0777,                                               \
		  .read_link = read_exe,                                                \
		  .follow = follow_exe },                                               \
		{ .name = "cwd",                                                        \
		  .mode = S_IFLNK | 0777,                                               \
		  .read_link = read_cwd,                                                \
		  .follow = follow_cwd },                                               \
		{ .name = "root",                                                       \
		  .mode = S_IFLNK | 0777,                                               \
		  .read_link = read_root,                                               \
		  .follow = follow_root },                                              \
	{                                                                               \
		.name = "fd", .mode = S_IFDIR | 0500, .dynamic = &descriptors           \
	}

static const struct pseudo_entry thread_entries[] = { COMMON_ENTRIES, { .name = NULL } };
static const struct pseudo_entry thread_entry = { .mode = S_IFDIR | 0555,
						  .children = thread_entries };

static const struct pseudo_dynamic threads = {
	.find = find_thread,
	.next = next_thread,
	.get = get_task,
	.put = put_task,
	.id = task_id,
	.entry = &thread_entry,
};

static const struct pseudo_entry process_entries[] = {
	COMMON_ENTRIES,
	{ .name = "task", .mode = S_IFDIR | 0555, .dynamic = &threads },
	{ .name = NULL },
};
static const struct pseudo_entry process_entry = { .mode = S_IFDIR | 0555,
						   .children = process_entries };

const struct pseudo_dynamic proc_processes = {
	.find = find_process,
	.next = next_process,
	.get = get_task,
	.put = put_task,
	.id = task_id,
	.entry = &process_entry,
};
