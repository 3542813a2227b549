/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tasks have used: processor time, page faults, switches, memory; and the calls that tell,
 * getrusage and times.
 *
 * A running thread's numbers are in its task. They move to its process when it ends (`ended`), and
 * from there, with those of the process's own children, to the parent that waits for it
 * (`children_usage`).
 *
 * Processor time is not told apart by mode, which would cost two clock readings at each system
 * call: all of it is user time.
 *
 * Lock: task_table_lock.
 */
#include <kernel/page.h>
#include <kernel/process.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/time.h>
#include <kernel/usercopy.h>
#include <kernel/vm.h>
#include <uapi/linux/errno.h>

#define TICK_NS (NSEC_PER_SEC / 100)

void usage_add(struct resource_usage *sum, const struct resource_usage *more)
{
	sum->run_time_ns += more->run_time_ns;
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

void usage_for_user(struct kernel_rusage *user, const struct resource_usage *usage)
{
	*user = (struct kernel_rusage){
		.ru_utime.tv_sec = (int64_t)(usage->run_time_ns / NSEC_PER_SEC),
		.ru_utime.tv_usec = (int64_t)(usage->run_time_ns % NSEC_PER_SEC / 1000),
		.ru_maxrss = (int64_t)(usage->peak_pages * (PAGE_SIZE / 1024)),
		.ru_minflt = (int64_t)usage->faults_minor,
		.ru_majflt = (int64_t)usage->faults_major,
		.ru_nvcsw = (int64_t)usage->switches_voluntary,
		.ru_nivcsw = (int64_t)usage->switches_forced,
	};
}

long sys_getrusage(const unsigned long arg[6])
{
	struct task *self = task_current(), *task;
	struct process *process = self->process;
	struct resource_usage usage = { 0 };
	struct kernel_rusage user;
	int who = (int)arg[0];

	if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD)
		return -EINVAL;
	/* The peak until now counts for good; a thread's is its process's. */
	usage_note_space(process, self->space);
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	if (who == RUSAGE_CHILDREN) {
		usage = process->children_usage;
	} else if (who == RUSAGE_SELF) {
		usage = process->ended;
		LIST_FOREACH(task, &process->threads, thread)
			usage_add_task(&usage, task);
	} else {
		usage.peak_pages = process->ended.peak_pages;
		usage_add_task(&usage, self);
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	usage_for_user(&user, &usage);
	return copy_to_user((void *)arg[1], &user, sizeof(user));
}

long sys_times(const unsigned long arg[6])
{
	struct process *process = task_current()->process;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	/* User, system, children's user, children's system time. */
	uint64_t times[4] = { process_run_time_ns(process) / TICK_NS, 0,
			      process->children_usage.run_time_ns / TICK_NS, 0 };

	spin_unlock_irqrestore(&task_table_lock, state);
	if (arg[0] && copy_to_user((void *)arg[0], times, sizeof(times)))
		return -EFAULT;
	return (long)(clock_ns() / TICK_NS);
}
