/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls about scheduling: policies and their parameters, affinity, getcpu. Nice values are in
 * priority_calls.c. Rules and errors: sched(7) and the manual page of each call.
 *
 * Policies: SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR. SCHED_DEADLINE is EINVAL, as a
 * policy that does not exist.
 */
#include <kernel/base/syscall.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/pi.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/resource.h>
#include <uapi/linux/sched.h>
#include <uapi/linux/time.h>

#include "priority.h"

/* For sched_setparam and SCHED_FLAG_KEEP_POLICY: the policy that TASK has. */
#define POLICY_KEPT    (-1)
#define SLICE_LEAST_NS (NSEC_PER_MSEC / 10)
#define SLICE_MOST_NS  (100 * NSEC_PER_MSEC)

#define FLAGS_KNOWN \
	((uint64_t)(SCHED_FLAG_RESET_ON_FORK | SCHED_FLAG_KEEP_POLICY | SCHED_FLAG_KEEP_PARAMS))

/* Each policy's least and greatest priority, by policy. */
static const struct {
	bool known;	/* for sched_get_priority_* */
	bool supported; /* tasks can have it */
	bool realtime;
	uint8_t least, most;
} policies[] = {
	[SCHED_OTHER] = { .known = true, .supported = true },
	[SCHED_FIFO] = { true, true, true, 1, 99 },
	[SCHED_RR] = { true, true, true, 1, 99 },
	[SCHED_BATCH] = { .known = true, .supported = true },
	[SCHED_IDLE] = { .known = true, .supported = true },
	[SCHED_DEADLINE] = { .known = true },
};

static bool is_known(int policy)
{
	return policy >= 0 && (size_t)policy < sizeof(policies) / sizeof(policies[0]) &&
	       policies[policy].known;
}

long sys_sched_yield(const unsigned long arg[6])
{
	sched_yield();
	return 0;
}

/* Returns the task with PID (0: the current one), with a reference, or NULL. */
static struct task *find_task(pid_t pid)
{
	if (pid)
		return task_find(pid);
	task_get(task_current());
	return task_current();
}

/* --- policies --- */

/* Returns whether the current task may change TASK's parameters from OLD to NEW. T held. Linux:
 * user_check_sched_setscheduler. */
static bool may_set(const struct task *task, const struct sched_parameters *old,
		    const struct sched_parameters *new)
{
	const struct rlimit64 *limits = task->process->limits;
	uint64_t priority_max = limits[RLIMIT_RTPRIO].rlim_cur;

	if (capable(CAP_SYS_NICE))
		return true;
	if (!credentials_may_schedule(task) || !credentials_may_prioritize(task) ||
	    (old->reset_on_fork && !new->reset_on_fork))
		return false;
	if (old->policy == SCHED_IDLE && new->policy != SCHED_IDLE &&
	    !priority_limit_allows(task, old->nice))
		return false;
	if (policies[new->policy].realtime)
		return (new->policy == old->policy || priority_max) &&
		       (new->priority <= old->priority || new->priority <= priority_max);
	return new->policy == SCHED_IDLE || new->nice >= old->nice ||
	       priority_limit_allows(task, new->nice);
}

/* Gives the task with PID the parameters WANTED, whose policy may be POLICY_KEPT. KEEP: checks all of them,
 * but changes only reset_on_fork (SCHED_FLAG_KEEP_PARAMS). */
static long set_parameters(pid_t pid, const struct sched_parameters *requested, bool keep)
{
	struct task *task = find_task(pid);
	struct sched_parameters old, new = *requested;
	long result = 0;

	if (!task)
		return -ESRCH;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	sched_get_parameters(task, &old);
	if (new.policy == POLICY_KEPT) {
		new.policy = old.policy;
		new.reset_on_fork = old.reset_on_fork;
	}
	if (!is_known(new.policy) || !policies[new.policy].supported ||
	    new.priority < policies[new.policy].least || new.priority > policies[new.policy].most)
		result = -EINVAL;
	else if (!may_set(task, &old, &new))
		result = -EPERM;
	/* Parameters that the policy does not use stay unchanged. */
	if (policies[result ? SCHED_OTHER : new.policy].realtime) {
		new.nice = old.nice;
		new.slice_ns = 0;
	}
	if (!result && keep) {
		old.reset_on_fork = new.reset_on_fork;
		new = old;
	}
	if (!result)
		sched_set_parameters(task, &new);
	spin_unlock_irqrestore(&task_table_lock, state);
	if (!result)
		pi_update(task);
	task_put(task);
	return result;
}

/* sched_setscheduler and sched_setparam: they set only the policy and the priority. */
static long set_policy(pid_t pid, int policy, unsigned long user_parameter)
{
	struct sched_parameters requested = { .policy = policy };
	int32_t priority;

	if (!user_parameter || pid < 0)
		return -EINVAL;
	if (copy_from_user(&priority, (const void *)user_parameter, sizeof(priority)))
		return -EFAULT;
	struct task *task = find_task(pid);

	if (!task)
		return -ESRCH;
	struct sched_parameters old;

	sched_get_parameters(task, &old);
	task_put(task);
	if (policy != POLICY_KEPT && (policy & SCHED_RESET_ON_FORK)) {
		requested.policy &= ~SCHED_RESET_ON_FORK;
		requested.reset_on_fork = true;
	}
	requested.nice = old.nice;
	requested.slice_ns = old.slice_ns;
	requested.priority = (unsigned int)priority;
	return set_parameters(pid, &requested, false);
}

long sys_sched_setscheduler(const unsigned long arg[6])
{
	if ((int)arg[1] < 0)
		return -EINVAL;
	return set_policy((pid_t)arg[0], (int)arg[1], arg[2]);
}

long sys_sched_setparam(const unsigned long arg[6])
{
	return set_policy((pid_t)arg[0], POLICY_KEPT, arg[1]);
}

/* Gets the parameters of the task with PID. */
static long get_parameters(pid_t pid, struct sched_parameters *parameters)
{
	if (pid < 0)
		return -EINVAL;
	struct task *task = find_task(pid);

	if (!task)
		return -ESRCH;
	sched_get_parameters(task, parameters);
	task_put(task);
	return 0;
}

long sys_sched_getscheduler(const unsigned long arg[6])
{
	struct sched_parameters parameters;
	long error = get_parameters((pid_t)arg[0], &parameters);

	return error ? error :
		       parameters.policy | (parameters.reset_on_fork ? SCHED_RESET_ON_FORK : 0);
}

long sys_sched_getparam(const unsigned long arg[6])
{
	struct sched_parameters parameters;
	long error = arg[1] ? get_parameters((pid_t)arg[0], &parameters) : -EINVAL;

	if (error)
		return error;
	int32_t priority = (int32_t)parameters.priority;

	return copy_to_user((void *)arg[1], &priority, sizeof(priority));
}

long sys_sched_get_priority_max(const unsigned long arg[6])
{
	return is_known((int)arg[0]) ? policies[(int)arg[0]].most : -EINVAL;
}

long sys_sched_get_priority_min(const unsigned long arg[6])
{
	return is_known((int)arg[0]) ? policies[(int)arg[0]].least : -EINVAL;
}

long sys_sched_rr_get_interval(const unsigned long arg[6])
{
	if ((pid_t)arg[0] < 0)
		return -EINVAL;
	struct task *task = find_task((pid_t)arg[0]);

	if (!task)
		return -ESRCH;
	struct kernel_timespec slice = timespec_from_ns(sched_slice_ns(task));

	task_put(task);
	return copy_to_user((void *)arg[1], &slice, sizeof(slice));
}

/* Reads the structure at USER, of any version, into *ATTR: bytes unknown to this kernel must be 0, or E2BIG
 * reports the known size. */
static long read_attr(struct sched_attr *attr, unsigned long user)
{
	static const uint32_t known = sizeof(*attr);
	uint32_t size;

	*attr = (struct sched_attr){ 0 };
	if (copy_from_user(&size, (const void *)user, sizeof(size)))
		return -EFAULT;
	if (!size)
		size = SCHED_ATTR_SIZE_VER0;
	bool fits = size >= SCHED_ATTR_SIZE_VER0 && size <= PAGE_SIZE;

	for (uint32_t i = known; fits && i < size; i++) {
		uint8_t more;

		if (copy_from_user(&more, (const char *)user + i, 1))
			return -EFAULT;
		fits = !more;
	}
	if (!fits)
		return copy_to_user((void *)user, &known, sizeof(known)) ? -EFAULT : -E2BIG;
	return copy_from_user(attr, (const void *)user, size < known ? size : known);
}

long sys_sched_setattr(const unsigned long arg[6])
{
	struct sched_attr attr;
	pid_t pid = (pid_t)arg[0];

	if (!arg[1] || pid < 0 || (unsigned int)arg[2])
		return -EINVAL;
	long error = read_attr(&attr, arg[1]);

	if (error)
		return error;
	if ((int)attr.sched_policy < 0)
		return -EINVAL;
	struct sched_parameters requested, old;

	error = get_parameters(pid, &old);
	if (error)
		return error;
	requested = (struct sched_parameters){
		.policy = attr.sched_flags & SCHED_FLAG_KEEP_POLICY ? POLICY_KEPT :
								      (int)attr.sched_policy,
		.nice = priority_clamp_nice(attr.sched_nice),
		.priority = attr.sched_priority,
		.reset_on_fork = attr.sched_flags & SCHED_FLAG_RESET_ON_FORK,
	};
	if (attr.sched_runtime)
		requested.slice_ns = attr.sched_runtime < SLICE_LEAST_NS ? SLICE_LEAST_NS :
				     attr.sched_runtime > SLICE_MOST_NS	 ? SLICE_MOST_NS :
									   attr.sched_runtime;
	if (attr.sched_flags & SCHED_FLAG_KEEP_PARAMS) {
		requested.nice = old.nice;
		requested.priority = old.priority;
		requested.slice_ns = old.slice_ns;
	}
	if (attr.sched_flags & ~FLAGS_KNOWN)
		return -EINVAL;
	return set_parameters(pid, &requested, attr.sched_flags & SCHED_FLAG_KEEP_PARAMS);
}

long sys_sched_getattr(const unsigned long arg[6])
{
	unsigned int size = (unsigned int)arg[2];
	struct sched_parameters parameters;

	if (!arg[1] || (pid_t)arg[0] < 0 || size > PAGE_SIZE || size < SCHED_ATTR_SIZE_VER0 ||
	    (unsigned int)arg[3])
		return -EINVAL;
	long error = get_parameters((pid_t)arg[0], &parameters);

	if (error)
		return error;
	bool realtime = policies[parameters.policy].realtime;
	struct sched_attr attr = {
		.size = size < sizeof(attr) ? size : sizeof(attr),
		.sched_policy = (uint32_t)parameters.policy,
		.sched_flags = parameters.reset_on_fork ? SCHED_FLAG_RESET_ON_FORK : 0,
		.sched_nice = realtime ? 0 : parameters.nice,
		.sched_priority = parameters.priority,
		.sched_runtime = realtime ? 0 : parameters.slice_ns,
	};

	return copy_to_user((void *)arg[1], &attr, attr.size);
}

/* --- affinity --- */

long sys_sched_setaffinity(const unsigned long arg[6])
{
	cpumask_t mask = CPUMASK_NONE;
	size_t size = (unsigned int)arg[1] < sizeof(mask) ? (unsigned int)arg[1] : sizeof(mask);

	/* Bits beyond the possible CPUs mean nothing, as in Linux. */
	if (copy_from_user(&mask, (const void *)arg[2], size))
		return -EFAULT;
	struct task *task = find_task((pid_t)arg[0]);

	if (!task)
		return -ESRCH;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	bool allowed = credentials_may_schedule(task) && credentials_may_prioritize(task);

	spin_unlock_irqrestore(&task_table_lock, state);
	int error = allowed ? sched_set_affinity(task, &mask) : -EPERM;

	task_put(task);
	return error;
}

long sys_sched_getaffinity(const unsigned long arg[6])
{
	unsigned int size = (unsigned int)arg[1];

	unsigned int own_size = cpu_words() * (unsigned int)sizeof(uint64_t);

	if (size * 8u < cpu_count() || size % sizeof(uint64_t))
		return -EINVAL;
	struct task *task = find_task((pid_t)arg[0]);

	if (!task)
		return -ESRCH;
	cpumask_t mask = sched_open_cpus();

	cpumask_keep(&mask, &task->affinity);

	task_put(task);
	if (size > own_size)
		size = own_size;
	return copy_to_user((void *)arg[2], &mask, size) ? -EFAULT : (long)size;
}

long sys_getcpu(const unsigned long arg[6])
{
	uint32_t cpu = (uint32_t)task_current()->cpu, node = 0;

	if (arg[0] && copy_to_user((void *)arg[0], &cpu, sizeof(cpu)))
		return -EFAULT;
	return arg[1] && copy_to_user((void *)arg[1], &node, sizeof(node)) ? -EFAULT : 0;
}
