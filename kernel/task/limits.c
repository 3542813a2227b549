/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits of resources (getrlimit(2)): their defaults, the right to change them, the calls.
 *
 * The code that hands out a resource enforces its limit:
 *
 *   RLIMIT_AS, DATA, STACK, MEMLOCK   kernel/mm/, which has copies: process_apply_limits
 *   RLIMIT_NOFILE                     kernel/fs/file_table.c
 *   RLIMIT_FSIZE                      each growth of a regular file: process_check_file_size
 *   RLIMIT_NPROC                      task_clone, by the real user's account
 *   RLIMIT_SIGPENDING                 kernel/task/signal_queue.c, by the receiver's account
 *   RLIMIT_NICE, RTPRIO               kernel/task/sched_calls.c
 *   RLIMIT_CPU                        the tick of CPU time: hook_cpu_tick
 *   the others                        are kept and inherited; Linux enforces no RSS either, and there
 *                                     are no core dumps, leases or message queues
 *
 * Locks: task_table_lock (T) for the limits of every process.
 */
#include <kernel/base/hooks.h>
#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>

/* Linux's INIT_RLIMITS: asm-generic/resource.h. */
#define STACK_DEFAULT	  ((uint64_t)8 << 20)
#define MEMLOCK_DEFAULT	  ((uint64_t)8 << 20)
#define MSGQUEUE_DEFAULT  819200
#define NOFILE_SOFT	  1024
#define NOFILE_HARD	  4096
/* Eight times the memory that a task costs the kernel: Linux's set_max_threads. */
#define TASK_MEMORY_BYTES (8 * 16384)

void process_default_limits(struct rlimit64 limits[RLIM_NLIMITS])
{
	uint64_t tasks = (uint64_t)page_total_count() * PAGE_SIZE / TASK_MEMORY_BYTES / 2;

	for (int i = 0; i < RLIM_NLIMITS; i++)
		limits[i] = (struct rlimit64){ RLIM64_INFINITY, RLIM64_INFINITY };
	limits[RLIMIT_STACK].rlim_cur = STACK_DEFAULT;
	limits[RLIMIT_CORE].rlim_cur = 0;
	limits[RLIMIT_NPROC] = (struct rlimit64){ tasks, tasks };
	limits[RLIMIT_NOFILE] = (struct rlimit64){ NOFILE_SOFT, NOFILE_HARD };
	limits[RLIMIT_MEMLOCK] = (struct rlimit64){ MEMLOCK_DEFAULT, MEMLOCK_DEFAULT };
	limits[RLIMIT_SIGPENDING] = limits[RLIMIT_NPROC];
	limits[RLIMIT_MSGQUEUE] = (struct rlimit64){ MSGQUEUE_DEFAULT, MSGQUEUE_DEFAULT };
	limits[RLIMIT_NICE] = (struct rlimit64){ 0, 0 };
	limits[RLIMIT_RTPRIO] = (struct rlimit64){ 0, 0 };
}

int process_check_file_size(uint64_t position, uint64_t *size)
{
	const struct process *process = task_current()->process;
	uint64_t limit = process ? process->limits[RLIMIT_FSIZE].rlim_cur : RLIM64_INFINITY;

	if (limit == RLIM64_INFINITY)
		return 0;
	if (position >= limit) {
		struct kernel_siginfo info = { .si_signo = SIGXFSZ,
					       .si_code = SI_USER,
					       .si_pid = task_current()->tgid,
					       .si_uid = credentials_current()->uid };

		signal_send(task_current(), &info);
		return -EFBIG;
	}
	if (*size > limit - position)
		*size = limit - position;
	return 0;
}

/* Sends SIGXCPU when the RLIMIT_CPU of PROCESS is used up, SIGKILL at the hard limit. */
HOOK_LISTENER(cpu_tick, 1, (struct process * process))
{
	struct rlimit64 *limit = &process->limits[RLIMIT_CPU];

	if (limit->rlim_cur == RLIM64_INFINITY && limit->rlim_max == RLIM64_INFINITY)
		return;
	struct kernel_siginfo info = { .si_signo = SIGXCPU, .si_code = SI_KERNEL };
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	uint64_t used_s = process_run_time_ns(process) / NSEC_PER_SEC;

	if (used_s >= limit->rlim_max) {
		process_mark_exiting(process, SIGKILL);
	} else if (used_s >= limit->rlim_cur) {
		/* Once for each second beyond the limit. */
		limit->rlim_cur++;
		signal_send_process_locked(process, &info);
	}
	spin_unlock_irqrestore(&task_table_lock, state);
}

void process_apply_limits(const struct process *process, struct vm_space *space)
{
	vm_set_limits(space, process->limits[RLIMIT_STACK].rlim_cur,
		      process->limits[RLIMIT_AS].rlim_cur, process->limits[RLIMIT_DATA].rlim_cur,
		      process->limits[RLIMIT_MEMLOCK].rlim_cur);
}

/* Checks whether the current task may change a limit from OLD to NEW. */
static int check_limit(unsigned int which, const struct rlimit64 *old, const struct rlimit64 *new)
{
	if (which == RLIMIT_NOFILE && new->rlim_max > DESCRIPTORS_MAX)
		return -EPERM;
	return new->rlim_max > old->rlim_max && !capable(CAP_SYS_RESOURCE) ? -EPERM : 0;
}

/* Puts TASK's old limit into *OLD and sets a NEW one; either may be NULL. T held. */
static int exchange_limit(struct task *task, unsigned int which, const struct rlimit64 *new,
			  struct rlimit64 *old)
{
	if (!task)
		return -ESRCH;
	if (!credentials_may_limit(task))
		return -EPERM;
	if (which >= RLIM_NLIMITS || (new &&new->rlim_cur > new->rlim_max))
		return -EINVAL;
	struct rlimit64 *limit = &task->process->limits[which];
	int error = new ? check_limit(which, limit, new) : 0;

	if (error)
		return error;
	if (old)
		*old = *limit;
	if (new)
		*limit = *new;
	return 0;
}

static int change_limit(pid_t pid, unsigned int which, const struct rlimit64 *new,
			struct rlimit64 *old)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct task *task = pid ? task_table_find(pid) : task_current();
	int error = exchange_limit(task, which, new, old);

	if (!error && new)
		task_get(task);
	spin_unlock_irqrestore(&task_table_lock, state);
	if (error || !new)
		return error;
	struct vm_space *space = vm_space_of(task);

	if (space) {
		process_apply_limits(task->process, space);
		vm_space_put(space);
	}
	task_put(task);
	return 0;
}

long sys_prlimit64(const unsigned long arg[6])
{
	struct rlimit64 new, old;

	if (arg[2] && copy_from_user(&new, (const void *)arg[2], sizeof(new)))
		return -EFAULT;
	int error = change_limit((pid_t)arg[0], (unsigned int)arg[1], arg[2] ? &new : NULL,
				 arg[3] ? &old : NULL);

	if (error)
		return error;
	return arg[3] ? copy_to_user((void *)arg[3], &old, sizeof(old)) : 0;
}

/* Converts a limit for the older calls: on some ISAs their number for unlimited differs. */
static uint64_t to_old_limit(uint64_t limit)
{
	return limit >= RLIM_INFINITY ? RLIM_INFINITY : limit;
}

static uint64_t from_old_limit(uint64_t limit)
{
	return limit == RLIM_INFINITY ? RLIM64_INFINITY : limit;
}

long sys_getrlimit(const unsigned long arg[6])
{
	struct rlimit64 old = { 0 };
	int error = change_limit(0, (unsigned int)arg[0], NULL, &old);

	old.rlim_cur = to_old_limit(old.rlim_cur);
	old.rlim_max = to_old_limit(old.rlim_max);
	return error ? error : copy_to_user((void *)arg[1], &old, sizeof(old));
}

long sys_setrlimit(const unsigned long arg[6])
{
	struct rlimit64 new;

	if (copy_from_user(&new, (const void *)arg[1], sizeof(new)))
		return -EFAULT;
	new.rlim_cur = from_old_limit(new.rlim_cur);
	new.rlim_max = from_old_limit(new.rlim_max);
	return change_limit(0, (unsigned int)arg[0], &new, NULL);
}
