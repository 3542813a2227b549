/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls about a process: ids, personality, system information.
 *
 * Not here: users, groups and capabilities (identity_calls.c, capability_calls.c), limits (limits.c),
 * process groups and sessions (job_control.c).
 */
#include <string.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/personality.h>
#include <uapi/linux/sysinfo.h>

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

long sys_personality(const unsigned long arg[6])
{
	struct process *self = task_current()->process;
	unsigned int requested = (unsigned int)arg[0];

	return requested == PERSONALITY_QUERY ? self->personality :
						atomic_exchange(&self->personality, requested);
}
