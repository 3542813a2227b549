/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The resources that tasks have used: CPU time, page faults, context switches, memory; and the calls
 * getrusage and times.
 *
 * A running thread's numbers are in its task. They move to its process at its exit (`ended`), and from
 * there, with those of the process's own children, to the parent that waits for it (`children_usage`).
 *
 * The run time of a task is exact. Its division into user and kernel time follows the ticks of
 * <kernel/sched/cpu_time.h> that interrupted it; a task without ticks ran in user mode: Linux's
 * cputime_adjust.
 *
 * Lock: task_table_lock.
 */
#include <kernel/base/syscall.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>

void usage_add(struct resource_usage *sum, const struct resource_usage *more)
{
	sum->run_time_ns += more->run_time_ns;
	sum->user_ticks += more->user_ticks;
	sum->system_ticks += more->system_ticks;
	sum->faults_minor += more->faults_minor;
	sum->faults_major += more->faults_major;
	sum->switches_voluntary += more->switches_voluntary;
	sum->switches_forced += more->switches_forced;
	if (sum->peak_pages < more->peak_pages)
		sum->peak_pages = more->peak_pages;
}

void usage_add_task(struct resource_usage *sum, struct task *task)
{
	const struct resource_usage one = {
		.run_time_ns = sched_run_time_ns(task),
		.user_ticks = task->ticks.user,
		.system_ticks = task->ticks.system,
		.faults_minor = task->faults_minor,
		.faults_major = task->faults_major,
		.switches_voluntary = task->switches_voluntary,
		.switches_forced = task->switches_forced,
	};

	usage_add(sum, &one);
}

void usage_note_space(struct process *process, struct vm_space *space)
{
	struct vm_usage memory;

	vm_get_usage(space, &memory);
	const struct resource_usage peak = { .peak_pages = memory.resident_peak };
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	usage_add(&process->ended, &peak);
	spin_unlock_irqrestore(&task_table_lock, state);
}

uint64_t process_run_time_ns(struct process *process)
{
	uint64_t total = process->ended.run_time_ns;
	struct task *task;

	LIST_FOREACH(task, &process->threads, thread)
		total += sched_run_time_ns(task);
	return total;
}

struct resource_usage usage_of_process(struct process *process)
{
	struct resource_usage usage = process->ended;
	struct task *task;

	LIST_FOREACH(task, &process->threads, thread)
		usage_add_task(&usage, task);
	return usage;
}

/* Returns TOTAL * PART / WHOLE, which fits; WHOLE and PART are at most 2^32. */
static uint64_t share_of(uint64_t total, uint64_t part, uint64_t whole)
{
	return total / whole * part + total % whole * part / whole;
}

struct cpu_times usage_times(const struct resource_usage *usage, struct cpu_times *last)
{
	const struct cpu_times none = { 0, 0 };
	struct cpu_times least = last ? *last : none;
	uint64_t total_ns = usage->run_time_ns, ticks = usage->user_ticks + usage->system_ticks;

	if (total_ns <= least.user_ns + least.system_ns)
		return least;
	uint64_t system_ns = ticks ? share_of(total_ns, usage->system_ticks, ticks) : 0;

	if (system_ns < least.system_ns)
		system_ns = least.system_ns;
	if (total_ns - system_ns < least.user_ns)
		system_ns = total_ns - least.user_ns;
	const struct cpu_times times = { total_ns - system_ns, system_ns };

	if (last)
		*last = times;
	return times;
}

struct cpu_times usage_times_of_process(struct process *process)
{
	struct resource_usage usage = usage_of_process(process);

	return usage_times(&usage, &process->last_times);
}

struct cpu_times usage_times_of_task(struct task *task)
{
	struct resource_usage usage = { 0 };

	usage_add_task(&usage, task);
	return usage_times(&usage, &task->last_times);
}

static struct kernel_timeval timeval_of(uint64_t ns)
{
	return (struct kernel_timeval){ (int64_t)(ns / NSEC_PER_SEC),
					(int64_t)(ns % NSEC_PER_SEC / 1000) };
}

void usage_for_user(struct kernel_rusage *user, const struct resource_usage *usage,
		    struct cpu_times times)
{
	*user = (struct kernel_rusage){
		.ru_utime = timeval_of(times.user_ns),
		.ru_stime = timeval_of(times.system_ns),
		.ru_maxrss = (int64_t)(usage->peak_pages * (PAGE_SIZE / 1024)),
		.ru_minflt = (int64_t)usage->faults_minor,
		.ru_majflt = (int64_t)usage->faults_major,
		.ru_nvcsw = (int64_t)usage->switches_voluntary,
		.ru_nivcsw = (int64_t)usage->switches_forced,
	};
}

int usage_get(int who, struct kernel_rusage *user)
{
	struct task *self = task_current();
	struct process *process = self->process;
	struct cpu_times times;
	struct resource_usage usage = { 0 };

	if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD)
		return -EINVAL;
	/* Record the peak up to now; a thread reports its process's. */
	usage_note_space(process, self->space);
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	if (who == RUSAGE_CHILDREN) {
		usage = process->children_usage;
		times = usage_times(&usage, &process->last_children_times);
	} else if (who == RUSAGE_SELF) {
		usage = usage_of_process(process);
		times = usage_times(&usage, &process->last_times);
	} else {
		usage.peak_pages = process->ended.peak_pages;
		usage_add_task(&usage, self);
		times = usage_times(&usage, &self->last_times);
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	usage_for_user(user, &usage, times);
	return 0;
}

long sys_getrusage(const unsigned long arg[6])
{
	struct kernel_rusage user;
	int error = usage_get((int)arg[0], &user);

	return error ? error : copy_to_user((void *)arg[1], &user, sizeof(user));
}

long sys_times(const unsigned long arg[6])
{
	struct process *process = task_current()->process;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct cpu_times own = usage_times_of_process(process);
	struct cpu_times children =
		usage_times(&process->children_usage, &process->last_children_times);
	uint64_t times[4] = { ticks_from_ns(own.user_ns), ticks_from_ns(own.system_ns),
			      ticks_from_ns(children.user_ns), ticks_from_ns(children.system_ns) };

	spin_unlock_irqrestore(&task_table_lock, state);
	if (arg[0] && copy_to_user((void *)arg[0], times, sizeof(times)))
		return -EFAULT;
	return (long)(ticks_from_ns(clock_ns()));
}
