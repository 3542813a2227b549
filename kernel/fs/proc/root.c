/* SPDX-License-Identifier: BSD-2-Clause */
/* /proc: its root, and the links by which a process finds itself. */
#include <string.h>

#include <kernel/base/log.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/text.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>

#include "proc.h"

/* Linux's PROC_SUPER_MAGIC. */
#define MAGIC 0x9fa0

static ssize_t put_numbers(char *buffer, size_t size, const char *format, int a, int b)
{
	format_string(buffer, size, format, a, b);
	return (ssize_t)strlen(buffer);
}

static ssize_t read_self(void *unused, char *buffer, size_t size)
{
	return put_numbers(buffer, size, "%d", task_current()->tgid, 0);
}

static ssize_t read_thread_self(void *unused, char *buffer, size_t size)
{
	return put_numbers(buffer, size, "%d/task/%d", task_current()->tgid, task_current()->tid);
}

static ssize_t read_mounts_link(void *unused, char *buffer, size_t size)
{
	strlcpy(buffer, "self/mounts", size);
	return (ssize_t)strlen(buffer);
}

/* Files that are always empty: Tally has no loadable modules, no swap, no block devices. */
static int show_nothing(struct text *text, void *unused)
{
	return 0;
}

static int show_swaps(struct text *text, void *unused)
{
	text_print(text, "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
	return 0;
}

static int show_consoles(struct text *text, void *unused)
{
	text_print(text, "ttyS0                -W- (EC  p a)    4:64\n");
	return 0;
}

static int show_execdomains(struct text *text, void *unused)
{
	text_print(text, "0-0\tLinux           \t[kernel]\n");
	return 0;
}

struct pseudo_added proc_net_added;

static bool has_net(void *unused)
{
	return proc_net_added.next;
}

static const struct pseudo_entry root_entries[] = {
	{ .name = "self", .mode = S_IFLNK | 0777, .read_link = read_self },
	{ .name = "thread-self", .mode = S_IFLNK | 0777, .read_link = read_thread_self },
	{ .name = "mounts", .mode = S_IFLNK | 0777, .read_link = read_mounts_link },
	{ .name = "cpuinfo", .mode = S_IFREG | 0444, .show = proc_show_cpuinfo },
	{ .name = "meminfo", .mode = S_IFREG | 0444, .show = proc_show_meminfo },
	{ .name = "vmstat", .mode = S_IFREG | 0444, .show = proc_show_vmstat },
	{ .name = "uptime", .mode = S_IFREG | 0444, .show = proc_show_uptime },
	{ .name = "loadavg", .mode = S_IFREG | 0444, .show = proc_show_loadavg },
	{ .name = "stat", .mode = S_IFREG | 0444, .show = proc_show_stat },
	{ .name = "interrupts", .mode = S_IFREG | 0444, .show = proc_show_interrupts },
	{ .name = "version", .mode = S_IFREG | 0444, .show = proc_show_version },
	{ .name = "cmdline", .mode = S_IFREG | 0444, .show = proc_show_cmdline },
	{ .name = "kallsyms", .mode = S_IFREG | 0444, .show = proc_show_kallsyms },
	{ .name = "devices", .mode = S_IFREG | 0444, .show = proc_show_devices },
	{ .name = "consoles", .mode = S_IFREG | 0444, .show = show_consoles },
	{ .name = "execdomains", .mode = S_IFREG | 0444, .show = show_execdomains },
	{ .name = "filesystems", .mode = S_IFREG | 0444, .show = proc_show_filesystems },
	{ .name = "slabinfo", .mode = S_IFREG | 0400, .show = proc_show_slabinfo },
	{ .name = "modules", .mode = S_IFREG | 0444, .show = show_nothing },
	{ .name = "partitions", .mode = S_IFREG | 0444, .show = show_nothing },
	{ .name = "diskstats", .mode = S_IFREG | 0444, .show = show_nothing },
	{ .name = "swaps", .mode = S_IFREG | 0444, .show = show_swaps },
	{ .name = "net", .mode = S_IFDIR | 0555, .exists = has_net, .added = &proc_net_added },
	{ .name = "sys", .mode = S_IFDIR | 0555, PROC_SYS_RULES, .children = proc_sys_entries },
	{ .name = NULL },
};

static const struct pseudo_entry root = { .mode = S_IFDIR | 0555,
					  .children = root_entries,
					  .dynamic = &proc_processes };

void proc_mount(void)
{
	pseudo_mount("proc", MAGIC, -ENOENT, &root, "/proc");
}
