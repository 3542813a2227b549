/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that tell about, or change, what a process is: ids, names, usage.
 *
 * Users, groups and capabilities are identity_calls.c's and capability_calls.c's, limits
 * limits.c's, process groups and sessions are job_control.c's.
 */
#include <string.h>

#include <kernel/credentials.h>
#include <kernel/file.h>
#include <kernel/kmalloc.h>
#include <kernel/page.h>
#include <kernel/perf.h>
#include <kernel/process.h>
#include <kernel/random.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/time.h>
#include <kernel/usercopy.h>
#include <kernel/vm.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/personality.h>
#include <uapi/linux/prctl.h>
#include <uapi/linux/random.h>
#include <uapi/linux/sysinfo.h>
#include <uapi/linux/utsname.h>

#define CLOCK_TICKS	100
#define GETRANDOM_FLAGS (GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE)

long sys_getpid(const unsigned long arg[6])
{
	return task_current()->tgid;
}

long sys_gettid(const unsigned long arg[6])
{
	return task_current()->tid;
}

long sys_getppid(const unsigned long arg[6])
{
	return task_parent_pid(task_current());
}

long sys_set_tid_address(const unsigned long arg[6])
{
	struct task *self = task_current();

	self->clear_child_tid = arg[0];
	return self->tid;
}

long sys_uname(const unsigned long arg[6])
{
	static const struct kernel_utsname names = {
		.sysname = UTSNAME_SYSTEM,
		.nodename = UTSNAME_NODE,
		.release = UTSNAME_RELEASE,
		.version = UTSNAME_VERSION,
		.machine = "x86_64",
		.domainname = "(none)",
	};

	return copy_to_user((void *)arg[0], &names, sizeof(names));
}

long sys_sysinfo(const unsigned long arg[6])
{
	struct kernel_sysinfo info = {
		.uptime = (int64_t)(clock_ns() / NSEC_PER_SEC),
		.totalram = page_total_count() << PAGE_SHIFT,
		.freeram = (page_free_count() + kmalloc_spare_pages()) << PAGE_SHIFT,
		.mem_unit = 1,
	};
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	for (struct task *task = task_table_next(0); task; task = task_table_next(task->tid))
		info.procs++;
	spin_unlock_irqrestore(&task_table_lock, state);
	return copy_to_user((void *)arg[0], &info, sizeof(info));
}

/* What the running thread, its process, or the children that were waited for have used. */
static int get_usage(int who, struct kernel_rusage *usage)
{
	struct task *self = task_current(), *task;
	struct process *process = self->process;
	uint64_t run_time_ns;

	*usage = (struct kernel_rusage){ 0 };
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	if (who == RUSAGE_CHILDREN) {
		run_time_ns = process->children_run_time_ns;
	} else {
		run_time_ns = who == RUSAGE_SELF ? process_run_time_ns(process) :
						   sched_run_time_ns(self);
		LIST_FOREACH(task, &process->threads, thread) {
			if (who == RUSAGE_THREAD && task != self)
				continue;
			usage->ru_minflt += (int64_t)task->faults_minor;
			usage->ru_majflt += (int64_t)task->faults_major;
			usage->ru_nvcsw += (int64_t)task->switches_voluntary;
			usage->ru_nivcsw += (int64_t)task->switches_forced;
		}
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	usage_from_run_time(usage, run_time_ns);
	return 0;
}

long sys_getrusage(const unsigned long arg[6])
{
	struct kernel_rusage usage;
	int who = (int)arg[0];

	if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD)
		return -EINVAL;
	get_usage(who, &usage);
	return copy_to_user((void *)arg[1], &usage, sizeof(usage));
}

long sys_times(const unsigned long arg[6])
{
	struct process *process = task_current()->process;
	const uint64_t tick_ns = NSEC_PER_SEC / CLOCK_TICKS;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	/* User, system, children's user, children's system time. */
	uint64_t times[4] = { process_run_time_ns(process) / tick_ns, 0,
			      process->children_run_time_ns / tick_ns, 0 };

	spin_unlock_irqrestore(&task_table_lock, state);
	if (arg[0] && copy_to_user((void *)arg[0], times, sizeof(times)))
		return -EFAULT;
	return (long)(clock_ns() / tick_ns);
}

long sys_personality(const unsigned long arg[6])
{
	struct process *self = task_current()->process;
	unsigned int wanted = (unsigned int)arg[0];

	return wanted == PERSONALITY_QUERY ? self->personality :
					     atomic_exchange(&self->personality, wanted);
}

long sys_getrandom(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[2];

	if ((flags & ~(unsigned int)GETRANDOM_FLAGS) ||
	    (flags & (GRND_RANDOM | GRND_INSECURE)) == (GRND_RANDOM | GRND_INSECURE))
		return -EINVAL;
	return random_to_user((void *)arg[0], arg[1]);
}

static long set_name(unsigned long user_name)
{
	struct task *self = task_current();
	char name[TASK_COMM_SIZE] = { 0 };
	long length = copy_string_from_user(name, (const char *)user_name, TASK_COMM_SIZE - 1);

	/* Longer names are cut. */
	if (length == -ENAMETOOLONG &&
	    copy_from_user(name, (const void *)user_name, TASK_COMM_SIZE - 1))
		return -EFAULT;
	if (length == -EFAULT)
		return length;
	memcpy(self->comm, name, sizeof(name));
	perf_task_renamed(self, false);
	return 0;
}

long sys_prctl(const unsigned long arg[6])
{
	struct task *self = task_current();

	switch ((int)arg[0]) {
	case PR_SET_NAME:
		return set_name(arg[1]);
	case PR_GET_NAME:
		return copy_to_user((void *)arg[1], self->comm, TASK_COMM_SIZE);
	case PR_TASK_PERF_EVENTS_DISABLE:
		return perf_task_events_set(false);
	case PR_TASK_PERF_EVENTS_ENABLE:
		return perf_task_events_set(true);
	case PR_GET_DUMPABLE:
		return self->process->dumpable;
	default:
		break;
	}
	long result = credentials_prctl((int)arg[0], arg + 1);

	return result == -ENOSYS ? -EINVAL : result;
}
