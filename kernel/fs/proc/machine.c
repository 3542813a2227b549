/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of /proc about the machine and the system as a whole; proc(5) describes their formats. */
#include <string.h>

#include <arch/exec.h>
#include <arch/irq.h>
#include <arch/mmu.h>
#include <kernel/base/boot.h>
#include <kernel/base/cpu.h>
#include <kernel/base/symbol.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/pseudo.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/text.h>
#include <kernel/sched/hotplug.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/utsname.h>

#include "proc.h"

#define CENTISECOND_NS (NSEC_PER_SEC / 100)

int proc_show_cpuinfo(struct text *text, void *unused)
{
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		if (cpu_is_online(cpu))
			arch_cpu_describe(text, cpu);
	return 0;
}

/* Adds the pages of files in memory; all files are in memory. */
static bool add_pages(const struct superblock *superblock, void *argument)
{
	*(unsigned long *)argument += superblock->pages;
	return true;
}

int proc_show_meminfo(struct text *text, void *unused)
{
	unsigned long per_page = PAGE_SIZE / 1024;
	unsigned long total = page_total_count() * per_page, free = page_free_count() * per_page;
	unsigned long file_pages = 0;

	superblock_for_each(add_pages, &file_pages);
	text_print(text, "MemTotal:       %8lu kB\n", total);
	text_print(text, "MemFree:        %8lu kB\n", free);
	/* No pages can be written back to make room. */
	text_print(text, "MemAvailable:   %8lu kB\n", free);
	text_print(text, "Buffers:        %8lu kB\n", 0ul);
	text_print(text, "Cached:         %8lu kB\n", file_pages * per_page);
	text_print(text, "SwapCached:     %8lu kB\n", 0ul);
	text_print(text, "SwapTotal:      %8lu kB\n", 0ul);
	text_print(text, "SwapFree:       %8lu kB\n", 0ul);
	text_print(text, "Dirty:          %8lu kB\n", 0ul);
	text_print(text, "Writeback:      %8lu kB\n", 0ul);
	text_print(text, "Shmem:          %8lu kB\n", file_pages * per_page);
	arch_direct_map_describe(text);
	return 0;
}

/* Tally has no block devices and no swap: no pages move in or out. */
int proc_show_vmstat(struct text *text, void *unused)
{
	unsigned long file_pages = 0;

	superblock_for_each(add_pages, &file_pages);
	text_print(text, "nr_free_pages %lu\nnr_file_pages %lu\nnr_shmem %lu\n",
		   (unsigned long)page_free_count(), file_pages, file_pages);
	text_print(text, "pgpgin 0\npgpgout 0\npswpin 0\npswpout 0\n");
	return 0;
}

/* Returns how long CPU has been idle, on line. */
static uint64_t cpu_idle_ns(unsigned int cpu)
{
	/* In this order: the time off line is part of the other. */
	uint64_t offline_ns = cpu_offline_ns(cpu);

	return sched_idle_time_ns(cpu) - offline_ns;
}

static uint64_t idle_time_ns(void)
{
	uint64_t total = 0;

	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		total += cpu_idle_ns(cpu);
	return total;
}

static void print_centiseconds(struct text *text, uint64_t ns, const char *end)
{
	unsigned long value = (unsigned long)(ns / CENTISECOND_NS);

	text_print(text, "%lu.%02lu%s", value / 100, value % 100, end);
}

int proc_show_uptime(struct text *text, void *unused)
{
	print_centiseconds(text, clock_ns(), " ");
	print_centiseconds(text, idle_time_ns(), "\n");
	return 0;
}

struct counted {
	unsigned int tasks;
	pid_t last;
};

static void count_tasks(struct counted *counted)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct task *task = NULL;

	while ((task = task_table_next(task ? task->tid : 0))) {
		counted->tasks++;
		counted->last = task->tid;
	}
	spin_unlock_irqrestore(&task_table_lock, state);
}

int proc_show_loadavg(struct text *text, void *unused)
{
	struct counted counted = { 0 };
	uint32_t loads[3];

	count_tasks(&counted);
	sched_load(loads);
	for (int i = 0; i < 3; i++)
		text_print(text, "%u.%02u ", loads[i] >> 16, (loads[i] & 0xffff) * 100 >> 16);
	text_print(text, "%u/%u %d\n", sched_runnable_count(), counted.tasks, counted.last);
	return 0;
}

/* user nice system idle, and six kinds of time that are always 0: in ticks. */
static void print_cpu(struct text *text, const char *name, uint64_t busy_ns, uint64_t idle_ns)
{
	text_print(text, "%s %lu 0 0 %lu 0 0 0 0 0 0\n", name,
		   (unsigned long)ticks_from_ns(busy_ns), (unsigned long)ticks_from_ns(idle_ns));
}

int proc_show_stat(struct text *text, void *unused)
{
	uint64_t now_ns = clock_ns(), idle_ns = idle_time_ns(), online_ns = now_ns * cpu_count();
	struct counted counted = { 0 };
	char name[16];

	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		online_ns -= cpu_offline_ns(cpu);
	print_cpu(text, "cpu ", online_ns - idle_ns, idle_ns);
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++) {
		uint64_t own_idle_ns = cpu_idle_ns(cpu);

		if (!cpu_is_online(cpu))
			continue;
		format_string(name, sizeof(name), "cpu%u", cpu);
		print_cpu(text, name, now_ns - cpu_offline_ns(cpu) - own_idle_ns, own_idle_ns);
	}
	count_tasks(&counted);
	text_print(text,
		   "intr %lu\nctxt %lu\nbtime %lu\nprocesses %d\nprocs_running %u\n"
		   "procs_blocked 0\n",
		   (unsigned long)arch_irq_total(), (unsigned long)sched_switch_count(),
		   (unsigned long)(clock_epoch_ns() / NSEC_PER_SEC), counted.last,
		   sched_runnable_count());
	return 0;
}

int proc_show_interrupts(struct text *text, void *unused)
{
	arch_irq_describe(text);
	return 0;
}

int proc_show_version(struct text *text, void *unused)
{
	text_print(text, "%s version %s (tally) %s\n", UTSNAME_SYSTEM, UTSNAME_RELEASE,
		   UTSNAME_VERSION);
	return 0;
}

int proc_show_cmdline(struct text *text, void *unused)
{
	text_append(text, boot_info.command_line, strlen(boot_info.command_line));
	text_append(text, "\n", 1);
	return 0;
}

/* Prints 0 for an address that the reader may not see. */
static void print_symbol(struct text *text, bool visible, uintptr_t address, char kind,
			 const char *name)
{
	text_print(text, "%016lx %c %s\n", visible ? (unsigned long)address : 0ul, kind, name);
}

/* perf finds the start of the kernel by _text or _stext, and its end by _etext. */
int proc_show_kallsyms(struct text *text, void *unused)
{
	bool visible = proc_addresses_visible();
	struct symbol_entry entry;
	uintptr_t start, end;

	symbol_get_range(&start, &end);
	print_symbol(text, visible, start, 'T', "_text");
	print_symbol(text, visible, start, 'T', "_stext");
	for (size_t i = 0; symbol_get(i, &entry); i++)
		print_symbol(text, visible, entry.address, entry.kind, entry.name);
	print_symbol(text, visible, end, 'T', "_etext");
	return 0;
}

/* Major numbers of /dev: Linux's admin-guide/devices.txt. */
int proc_show_devices(struct text *text, void *unused)
{
	text_print(text, "Character devices:\n  1 mem\n  4 ttyS\n  5 /dev/tty\n  5 /dev/console\n"
			 "  5 /dev/ptmx\n128 ptm\n136 pts\n\nBlock devices:\n");
	return 0;
}

/* Linux's format, version 2.1; the sizes are those of kzalloc. */
int proc_show_slabinfo(struct text *text, void *unused)
{
	struct kmalloc_use use;

	text_print(text, "slabinfo - version: 2.1\n# name            <active_objs> <num_objs> "
			 "<objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount> "
			 "<sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>\n");
	for (size_t i = 0; kmalloc_class_use(i, &use); i++)
		text_print(text,
			   "kmalloc-%zu %zu %zu %zu %zu 1 : tunables 0 0 0 : slabdata %zu %zu 0\n",
			   use.object_size, use.used, use.slabs * use.objects_in_slab,
			   use.object_size, use.objects_in_slab, use.slabs, use.slabs);
	return 0;
}

int proc_show_filesystems(struct text *text, void *unused)
{
	const char *type;

	text_print(text, "nodev\ttmpfs\nnodev\tdevtmpfs\nnodev\tramfs\nnodev\t9p\n");
	for (unsigned int i = 0; (type = pseudo_type(i)); i++)
		text_print(text, "nodev\t%s\n", type);
	return 0;
}

struct listing {
	struct text *text;
	char *path;
};

static const char *source_of(const struct superblock *superblock)
{
	return superblock->source ? superblock->source : superblock->type;
}

static bool show_mount(const struct superblock *superblock, void *argument)
{
	const struct listing *listing = argument;
	const char *path =
		dentry_path_locked(superblock->root, process_root(), listing->path, PATH_SIZE);

	if (path)
		text_print(listing->text, "%s %s %s %s%s 0 0\n", source_of(superblock), path,
			   superblock->type, superblock->read_only ? "ro" : "rw",
			   superblock->options ? superblock->options : "");
	return true;
}

static bool show_mount_info(const struct superblock *superblock, void *argument)
{
	const struct listing *listing = argument;
	const struct dentry *covered = superblock->root->covered;
	const struct superblock *parent = covered ? covered->inode->superblock : superblock;
	const char *path =
		dentry_path_locked(superblock->root, process_root(), listing->path, PATH_SIZE);

	/* Each file system is mounted once, so its device number is also the mount's. */
	if (path)
		text_print(listing->text, "%lu %lu %lu:%lu / %s %s - %s %s %s%s\n",
			   (unsigned long)superblock->device & 0xff,
			   (unsigned long)parent->device & 0xff,
			   (unsigned long)superblock->device >> 8,
			   (unsigned long)superblock->device & 0xff, path,
			   superblock->read_only ? "ro" : "rw", superblock->type,
			   source_of(superblock), superblock->read_only ? "ro" : "rw",
			   superblock->options ? superblock->options : "");
	return true;
}

static int list_mounts(struct text *text,
		       bool (*show)(const struct superblock *superblock, void *argument))
{
	struct listing listing = { text, kzalloc(PATH_SIZE) };

	if (!listing.path)
		return -ENOMEM;
	superblock_for_each(show, &listing);
	kfree(listing.path);
	return 0;
}

int proc_show_mounts(struct text *text, void *unused)
{
	return list_mounts(text, show_mount);
}

int proc_show_mountinfo(struct text *text, void *unused)
{
	return list_mounts(text, show_mount_info);
}
