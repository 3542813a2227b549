/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc/PID/comm, limits, oom_score and similar files: settings of a task. proc(5) describes the formats.
 */
#include <limits.h>
#include <string.h>

#include <kernel/base/hooks.h>
#include <kernel/mm/page.h>
#include <kernel/mm/text.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/exec_guard.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/resource.h>

#include "task.h"

#define OOM_SCORE_ADJ_MIN (-1000)
#define OOM_SCORE_ADJ_MAX 1000

int proc_show_empty(struct text *text, void *target)
{
	return 0;
}

int proc_show_comm(struct text *text, void *target)
{
	text_print(text, "%s\n", ((const struct task *)target)->comm);
	return 0;
}

/* Threads may rename each other; other tasks may not. */
ssize_t proc_store_comm(void *target, const char *bytes, size_t size)
{
	struct task *task = target;
	char name[TASK_COMM_SIZE] = { 0 };

	if (task->process != task_current()->process)
		return -EINVAL;
	memcpy(name, bytes, size < sizeof(name) - 1 ? size : sizeof(name) - 1);
	hook_task_renames(task, name);
	memcpy(task->comm, name, sizeof(name));
	hook_task_renamed(task);
	return (ssize_t)size;
}

/* --- limits --- */

static const struct {
	const char *name, *unit;
} limits[RLIM_NLIMITS] = {
	[RLIMIT_CPU] = { "Max cpu time", "seconds" },
	[RLIMIT_FSIZE] = { "Max file size", "bytes" },
	[RLIMIT_DATA] = { "Max data size", "bytes" },
	[RLIMIT_STACK] = { "Max stack size", "bytes" },
	[RLIMIT_CORE] = { "Max core file size", "bytes" },
	[RLIMIT_RSS] = { "Max resident set", "bytes" },
	[RLIMIT_NPROC] = { "Max processes", "processes" },
	[RLIMIT_NOFILE] = { "Max open files", "files" },
	[RLIMIT_MEMLOCK] = { "Max locked memory", "bytes" },
	[RLIMIT_AS] = { "Max address space", "bytes" },
	[RLIMIT_LOCKS] = { "Max file locks", "locks" },
	[RLIMIT_SIGPENDING] = { "Max pending signals", "signals" },
	[RLIMIT_MSGQUEUE] = { "Max msgqueue size", "bytes" },
	[RLIMIT_NICE] = { "Max nice priority", "" },
	[RLIMIT_RTPRIO] = { "Max realtime priority", "" },
	[RLIMIT_RTTIME] = { "Max realtime timeout", "us" },
};

/* Prints STRING in a column of 20 characters and a blank. */
static void print_column(struct text *text, const char *string)
{
	text_print(text, "%-20s ", string);
}

static void print_limit(struct text *text, uint64_t limit)
{
	char number[24];

	format_string(number, sizeof(number), "%lu", (unsigned long)limit);
	print_column(text, limit == RLIM64_INFINITY ? "unlimited" : number);
}

int proc_show_limits(struct text *text, void *target)
{
	const struct process *process = ((struct task *)target)->process;
	struct rlimit64 values[RLIM_NLIMITS];
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	memcpy(values, process->limits, sizeof(values));
	spin_unlock_irqrestore(&task_table_lock, state);
	text_print(text, "%-25s %-20s %-20s %-10s\n", "Limit", "Soft Limit", "Hard Limit", "Units");
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		text_print(text, "%-25s ", limits[i].name);
		print_limit(text, values[i].rlim_cur);
		print_limit(text, values[i].rlim_max);
		text_print(text, limits[i].unit[0] ? "%-10s\n" : "\n", limits[i].unit);
	}
	return 0;
}

/* --- memory shortage --- */

int proc_show_oom_score_adj(struct text *text, void *target)
{
	text_print(text, "%d\n", ((const struct task *)target)->process->oom_score_adj);
	return 0;
}

/* As on Linux: lowering the adjustment needs CAP_SYS_RESOURCE. */
ssize_t proc_store_oom_score_adj(void *target, const char *bytes, size_t size)
{
	struct process *process = ((struct task *)target)->process;
	long value;

	/* A plus sign is allowed here, but not in /proc/sys. */
	bytes += bytes[0] == '+' && bytes[1] != '-';
	if (!proc_parse_number(bytes, OOM_SCORE_ADJ_MIN, OOM_SCORE_ADJ_MAX, &value))
		return -EINVAL;
	if (value < process->oom_score_adj && !capable(CAP_SYS_RESOURCE))
		return -EACCES;
	process->oom_score_adj = (int)value;
	return (ssize_t)size;
}

/* Linux's scale: two thirds of (1000, plus the process's memory in thousandths of all memory, plus its
 * adjustment); 0 for a process that is never killed. */
int proc_show_oom_score(struct text *text, void *target)
{
	struct task *task = target;
	long total = (long)page_total_count(), adjustment = task->process->oom_score_adj, score = 0;

	if (adjustment != OOM_SCORE_ADJ_MIN) {
		long points = (long)vm_task_pages(task) + adjustment * (total / 1000);

		score = (1000 + points * 1000 / total) * 2 / 3;
	}
	text_print(text, "%ld\n", score);
	return 0;
}

/* --- files of Linux that never change here --- */

int proc_show_personality(struct text *text, void *target)
{
	/* Checked at each read, with the read's error, as Linux's lock_trace does. */
	if (exec_update_begin(target, PTRACE_AS_FS))
		return -EPERM;
	text_print(text, "%08x\n", ((const struct task *)target)->process->personality);
	exec_update_end(target);
	return 0;
}

int proc_show_timer_slack(struct text *text, void *target)
{
	const struct task *task = target;

	if (task != task_current() && !capable(CAP_SYS_NICE))
		return -EPERM;
	text_print(text, "%lu\n", (unsigned long)task->timer_slack_ns);
	return 0;
}

/* Linux: timerslack_ns_write. */
ssize_t proc_store_timer_slack(void *target, const char *bytes, size_t size)
{
	struct task *task = target;
	long slack_ns;

	if (!proc_parse_number(bytes, 0, LONG_MAX, &slack_ns))
		return -EINVAL;
	if (task != task_current() && !capable(CAP_SYS_NICE))
		return -EPERM;
	task->timer_slack_ns = slack_ns ? (uint64_t)slack_ns : task->first_timer_slack_ns;
	return (ssize_t)size;
}

/* No login is audited: the number that means none. */
int proc_show_unset_id(struct text *text, void *target)
{
	text_print(text, "%u", UINT32_MAX);
	return 0;
}

/* The only user namespace maps every id to itself. */
int proc_show_id_map(struct text *text, void *target)
{
	text_print(text, "%10u %10u %10u\n", 0u, 0u, UINT32_MAX);
	return 0;
}

int proc_show_setgroups(struct text *text, void *target)
{
	text_print(text, "allow\n");
	return 0;
}

/* The maps of the first namespace cannot change. */
ssize_t proc_store_id_map(void *target, const char *bytes, size_t size)
{
	return -EPERM;
}

int proc_may_write_setgroups(void *target)
{
	return capable(CAP_SYS_ADMIN) ? 0 : -EACCES;
}

/* In the first namespace setgroups stays allowed. */
ssize_t proc_store_setgroups(void *target, const char *bytes, size_t size)
{
	size_t word = 0;

	while (bytes[word] > ' ')
		word++;
	if (word == 5 && memcmp(bytes, "allow", word) == 0)
		return (ssize_t)size;
	return word == 4 && memcmp(bytes, "deny", word) == 0 ? -EPERM : -EINVAL;
}
