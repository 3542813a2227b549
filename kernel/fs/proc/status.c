/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc/PID/stat, statm and status: a task, or a whole process, in numbers. proc(5) describes the formats.
 *
 * A process's directory and its first thread's have the same target; where the two differ, the process's
 * shows the sum of all threads.
 */
#include <string.h>

#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/path_view.h>
#include <kernel/mm/text.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/exec_guard.h>
#include <kernel/task/job_control.h>
#include <kernel/task/process.h>
#include <kernel/time/time.h>
#include <kernel/tty/tty.h>
#include <uapi/linux/personality.h>
#include <uapi/linux/resource.h>

#include "task.h"

#define KIB_PER_PAGE	    (PAGE_SIZE / 1024)
/* The priority that stat shows as 0: Linux's MAX_RT_PRIO. */
#define PRIORITY_OF_SHOWN_0 100
/* stat shows sets of 31 signals. */
#define SIGNALS_SHOWN	    0x7ffffffful
/* Linux's PF_EXITING, PF_FORKNOEXEC, PF_RANDOMIZE. */
#define FLAG_EXITING	    0x4u
#define FLAG_FORKED	    0x40u
#define FLAG_RANDOMIZED	    0x400000u

static char state_letter(const struct task *task)
{
	if (task->state == TASK_ZOMBIE)
		return 'Z';
	if (task->state == TASK_TRACED)
		return 't';
	if (task->process->stop_signal)
		return 'T';
	if (task->state == TASK_RUNNABLE || task->state == TASK_NEW)
		return 'R';
	return task->sched.blocked ? 'D' : 'S';
}

/* Data of a task and its process that need the table's lock, read at one moment. */
struct facts {
	pid_t tracer, parent, group, session, foreground;
	uint32_t terminal;
	unsigned int threads;
	struct cpu_times thread_times, times, children_times;
	uint64_t thread_faults_minor, thread_faults_major, faults_minor, faults_major;
	int exit_status;
	uint64_t resident_limit;
};

static struct facts facts_of(struct task *task)
{
	struct process *process = task->process;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct facts facts = {
		.tracer = task->ptrace.tracer ? task->ptrace.tracer_tid : 0,
		.parent = process->parent ? process->parent->pid : 0,
		.group = process->group,
		.session = process->session,
		.foreground = process->tty && process->tty->foreground ?
				      process->tty->foreground->id :
				      -1,
		.terminal = process->tty ? process->tty->device : 0,
		.threads = process->live_threads,
		.thread_times = usage_times_of_task(task),
		.times = usage_times_of_process(process),
		.children_times =
			usage_times(&process->children_usage, &process->last_children_times),
		.thread_faults_minor = task->faults_minor,
		.thread_faults_major = task->faults_major,
		.exit_status = process->exit_status,
		.resident_limit = process->limits[RLIMIT_RSS].rlim_cur,
	};
	struct task *thread;

	LIST_FOREACH(thread, &process->threads, thread) {
		facts.faults_minor += thread->faults_minor;
		facts.faults_major += thread->faults_major;
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	return facts;
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

/* Signals by PROCESS's dispositions. Read without its lock: each action is one word. */
struct dispositions {
	uint64_t ignored, caught;
};

static struct dispositions dispositions_of(const struct process *process)
{
	struct dispositions sets = { 0, 0 };
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	for (int signal = 1; signal <= SIGNALS_MAX; signal++) {
		uint64_t handler = process->handlers->actions[signal - 1].handler;
		uint64_t bit = (uint64_t)1 << (signal - 1);

		if (handler == SIG_IGN_ADDRESS)
			sets.ignored |= bit;
		else if (handler != SIG_DFL_ADDRESS)
			sets.caught |= bit;
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	return sets;
}

static unsigned int flags_of(const struct task *task)
{
	const struct process *process = task->process;

	return (process->exiting || task->state == TASK_ZOMBIE ? FLAG_EXITING : 0) |
	       (process->has_executed ? 0 : FLAG_FORKED) |
	       (process->personality & ADDR_NO_RANDOMIZE ? 0 : FLAG_RANDOMIZED);
}

/*
 * The 52 fields of proc(5). Fields that are always 0, by number: 15 and 17 (all CPU time is user time), 11
 * and 13 (a child's faults), 21, 35 to 37, 42 to 44 (as on Linux without the features that they describe).
 */
static int show_stat(struct text *text, struct task *task, bool whole)
{
	const struct facts facts = facts_of(task);
	const struct process *process = task->process;
	const struct dispositions sets = dispositions_of(process);
	const struct vm_usage usage = usage_of(task);
	int nice = task->sched.nice;
	bool accessible = !exec_update_begin(task, PTRACE_AS_FS);
	uintptr_t arguments = 0, environment = 0, environment_end = 0;

	if (accessible) {
		arguments = process->arguments_start;
		environment = process->environment_start;
		environment_end = process->environment_end;
		exec_update_end(task);
	}

	text_print(text, "%d (%s) %c %d %d %d %d %d %u ", task->tid, task->comm, state_letter(task),
		   facts.parent, facts.group, facts.session, (int)facts.terminal, facts.foreground,
		   flags_of(task));
	const struct cpu_times *times = whole ? &facts.times : &facts.thread_times;

	text_print(text, "%lu 0 %lu 0 %lu %lu %lu %lu ",
		   (unsigned long)(whole ? facts.faults_minor : facts.thread_faults_minor),
		   (unsigned long)(whole ? facts.faults_major : facts.thread_faults_major),
		   (unsigned long)ticks_from_ns(times->user_ns),
		   (unsigned long)ticks_from_ns(times->system_ns),
		   (unsigned long)ticks_from_ns(facts.children_times.user_ns),
		   (unsigned long)ticks_from_ns(facts.children_times.system_ns));
	text_print(text, "%d %d %u 0 %lu %lu %lu %lu ",
		   sched_priority(&task->sched) - PRIORITY_OF_SHOWN_0, nice, facts.threads,
		   (unsigned long)ticks_from_ns(task->started_ns),
		   (unsigned long)(usage.mapped * PAGE_SIZE), (unsigned long)usage.resident_total,
		   (unsigned long)facts.resident_limit);
	/* The bounds of code and stack, and the task's place in them, are not shown. */
	text_print(text, "%d %d 0 0 0 ", usage.mapped != 0, usage.mapped != 0);
	text_print(text, "%lu %lu %lu %lu 0 0 0 %d %d %d %d 0 0 0 0 0 0 ",
		   (unsigned long)task->signals.queue.pending & SIGNALS_SHOWN,
		   (unsigned long)task->signals.mask & SIGNALS_SHOWN,
		   (unsigned long)sets.ignored & SIGNALS_SHOWN,
		   (unsigned long)sets.caught & SIGNALS_SHOWN,
		   task->tid == task->tgid ? process->exit_signal : -1, task->cpu,
		   task->sched.own_priority, task->sched.policy);
	text_print(text, "%lu %lu %lu %lu %d\n", (unsigned long)arguments,
		   (unsigned long)environment, (unsigned long)environment,
		   (unsigned long)environment_end, accessible ? facts.exit_status : 0);
	return 0;
}

int proc_show_process_stat(struct text *text, void *target)
{
	return show_stat(text, target, true);
}

int proc_show_thread_stat(struct text *text, void *target)
{
	return show_stat(text, target, false);
}

int proc_show_statm(struct text *text, void *target)
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

static void print_set(struct text *text, const char *name, uint64_t set)
{
	text_print(text, "%s:\t%016lx\n", name, (unsigned long)set);
}

static void print_memory(struct text *text, struct task *task)
{
	const struct vm_usage usage = usage_of(task);

	/* A zombie and a kernel task have no memory. */
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
	print_pages(text, "HugetlbPages", 0);
	text_print(text, "CoreDumping:\t0\nTHP_enabled:\t0\n");
}

static const char *state_name(char letter)
{
	static const struct {
		char letter;
		const char *name;
	} names[] = { { 'R', "running" }, { 'S', "sleeping" },	   { 'D', "disk sleep" },
		      { 'T', "stopped" }, { 't', "tracing stop" }, { 'Z', "zombie" } };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].letter == letter)
			return names[i].name;
	return "unknown";
}

/* Prints the task's ids and groups. */
static void print_credentials(struct text *text, struct task *task,
			      const struct credentials *credentials)
{
	text_print(text, "Uid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\n", credentials->uid,
		   credentials->euid, credentials->suid, credentials->fsuid, credentials->gid,
		   credentials->egid, credentials->sgid, credentials->fsgid);
	text_print(text, "FDSize:\t%u\nGroups:\t", file_table_capacity_of(task));
	for (unsigned int i = 0; credentials->groups && i < credentials->groups->count; i++)
		text_print(text, i ? " %u" : "%u", credentials->groups->ids[i]);
	text_print(text, " \n");
}

static void print_capabilities(struct text *text, const struct task *task,
			       const struct credentials *credentials)
{
	print_set(text, "CapInh", credentials->inheritable);
	print_set(text, "CapPrm", credentials->permitted);
	print_set(text, "CapEff", credentials->effective);
	print_set(text, "CapBnd", credentials->bounding);
	print_set(text, "CapAmb", credentials->ambient);
	text_print(text, "NoNewPrivs:\t%d\nSeccomp:\t0\nSeccomp_filters:\t0\n", task->no_new_privs);
}

/* Tally has one namespace of each kind, and one memory node. */
static void print_placement(struct text *text, const struct task *task)
{
	cpumask_t allowed = cpus_all();

	cpumask_keep(&allowed, &task->affinity);
	text_print(text, "Cpus_allowed:\t");
	text_print_cpu_mask(text, &allowed);
	text_print(text, "\nCpus_allowed_list:\t");
	text_print_cpu_list(text, &allowed);
	text_print(text, "\nMems_allowed:\t1\nMems_allowed_list:\t0\n");
}

int proc_show_status(struct text *text, void *target)
{
	struct task *task = target;
	const struct facts facts = facts_of(task);
	const struct credentials *credentials = credentials_get(task);
	const struct process *process = task->process;
	const struct dispositions sets = dispositions_of(process);
	char letter = state_letter(task);

	mutex_lock(&tree_mutex);
	uint32_t umask = task->paths ? task->paths->umask : 0;

	mutex_unlock(&tree_mutex);
	text_print(text, "Name:\t%s\n", task->comm);
	/* A task that has exited has none. */
	if (task->paths)
		text_print(text, "Umask:\t%04o\n", umask);
	text_print(text, "State:\t%c (%s)\n", letter, state_name(letter));
	text_print(text, "Tgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\nTracerPid:\t%d\n", task->tgid,
		   task->tid, facts.parent, facts.tracer);
	print_credentials(text, task, credentials);
	text_print(text, "NStgid:\t%d\nNSpid:\t%d\nNSpgid:\t%d\nNSsid:\t%d\nKthread:\t0\n",
		   task->tgid, task->tid, facts.group, facts.session);
	print_memory(text, task);
	text_print(text, "Threads:\t%u\nSigQ:\t%u/%lu\n", facts.threads,
		   (unsigned int)credentials->account->signals,
		   (unsigned long)process->limits[RLIMIT_SIGPENDING].rlim_cur);
	print_set(text, "SigPnd", task->signals.queue.pending);
	print_set(text, "ShdPnd", process->signals.pending);
	print_set(text, "SigBlk", task->signals.mask);
	print_set(text, "SigIgn", sets.ignored);
	print_set(text, "SigCgt", sets.caught);
	print_capabilities(text, task, credentials);
	print_placement(text, task);
	text_print(text, "voluntary_ctxt_switches:\t%lu\nnonvoluntary_ctxt_switches:\t%lu\n",
		   (unsigned long)task->switches_voluntary, (unsigned long)task->switches_forced);
	credentials_put(credentials);
	return 0;
}
