/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system call perf_event_open: the target, the group, and a descriptor.
 *
 * The order of the steps is Linux 6.12's, so that a call with several faults gets the same error: flags,
 * attribute, group descriptor, target task, what both must share, CPU and PMU, clock, permission, context,
 * the rules of groups, output, size of a read.
 *
 *      pid   cpu    counts
 *      0     -1     the caller, wherever it runs          pid > 0: the same for that task
 *      0     n      the caller, while it runs on n
 *      -1    n      everything on CPU n
 *      -1    -1     EINVAL
 */
#include <kernel/perf/open.h>

#include <arch/sample.h>
#include <kernel/base/assert.h>
#include <kernel/base/cpu.h>
#include <kernel/fs/file.h>
#include <kernel/perf/attr.h>
#include <kernel/perf/clone_context.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/file.h>
#include <kernel/perf/first_abi.h>
#include <kernel/perf/groups.h>
#include <kernel/perf/membership.h>
#include <kernel/perf/output.h>
#include <kernel/perf/ownership.h>
#include <kernel/perf/read.h>
#include <kernel/perf/record_clock.h>
#include <kernel/perf/settings.h>
#include <kernel/perf/sideband.h>
#include <kernel/sched/task.h>
#include <kernel/task/exec_guard.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#define FLAGS_ALL \
	(PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC)

/* Most bytes that one read of a group may return. */
#define READ_SIZE_MAX 16384

/* --- the request --- */

struct request {
	const struct perf_event_attr *attr;
	const struct file_ops *ops; /* of the descriptor, and of the group's */
	int cpu;
	bool of_cgroup;		   /* pid is a descriptor of one */
	struct file *group_file;   /* referenced; NULL: none */
	struct perf_event *leader; /* NULL: a group of its own */
	struct perf_event *output; /* NULL: none */
	struct task *task;	   /* referenced; NULL: a CPU's event */
};

static int find_group(struct request *request, int group_fd, unsigned long flags)
{
	if (group_fd == -1)
		return 0;

	request->group_file = fd_get_file(group_fd);
	if (!request->group_file || request->group_file->ops != request->ops)
		return -EBADF;
	request->leader = request->group_file->private;
	if (flags & PERF_FLAG_FD_OUTPUT)
		request->output = request->leader;
	if (flags & PERF_FLAG_FD_NO_GROUP)
		request->leader = NULL;
	return 0;
}

static int find_target(struct request *request, pid_t pid)
{
	if (pid == -1 || request->of_cgroup)
		return 0;
	if (pid == 0) {
		request->task = task_current();
		task_get(request->task);
	} else {
		request->task = task_find(pid);
	}
	return request->task ? 0 : -ESRCH;
}

static int check_target(const struct request *request)
{
	if (request->task && request->leader &&
	    request->leader->attr.inherit != request->attr->inherit)
		return -EINVAL;
	if (request->cpu < -1 || (request->cpu == -1 && !request->task))
		return -EINVAL;
	if (request->cpu >= (int)cpu_count())
		return -EINVAL;
	/* On a CPU the signals would go to any task that happens to run. */
	if (request->attr->sigtrap && !request->task)
		return -EINVAL;
	/* Per-task counts in samples need PERF_SAMPLE_TID. */
	if (perf_event_samples_own_counts(request->attr) &&
	    !(request->attr->sample_type & PERF_SAMPLE_TID))
		return -EINVAL;
	return 0;
}

/* --- the rules of groups --- */

static bool same_clock(const struct perf_event *a, const struct perf_event *b)
{
	return a->attr.use_clockid == b->attr.use_clockid &&
	       (!a->attr.use_clockid || a->attr.clockid == b->attr.clockid);
}

/* Whether EVENT, bound for CONTEXT, may join LEADER's group. A group led by a software event may take
 * hardware events, and needs counters from then on. CONTEXT's mutex held. */
static int check_group(const struct perf_event *event, struct perf_event *leader,
		       struct perf_context *context)
{
	mutex_assert_held(&context->mutex);
	if (leader->leader != leader)
		return -EINVAL;
	if (!same_clock(event, leader) || leader->cpu != event->cpu || leader->context != context)
		return -EINVAL;
	/* The leader has these attributes for the group. */
	if (event->attr.exclusive || event->attr.pinned)
		return -EINVAL;

	struct perf_event *hardware = perf_group_first_hardware(leader);
	if (perf_event_is_hardware(event) && hardware && hardware->pmu != event->pmu)
		return -EINVAL;
	return 0;
}

static int check_read_size_of(const struct perf_event *event, unsigned int siblings)
{
	return perf_read_size(event->attr.read_format, siblings) > READ_SIZE_MAX ? -E2BIG : 0;
}

/* Checks the read size of EVENT, and of every other member: their reads grow with the group, and so do their
 * samples. */
static int check_read_size(const struct perf_event *event, const struct perf_event *leader)
{
	const struct perf_event *member;

	if (!leader)
		return check_read_size_of(event, 0);
	unsigned int siblings = leader->sibling_count + 1;
	int error = check_read_size_of(event, siblings);
	if (!error)
		error = check_read_size_of(leader, siblings);
	TAILQ_FOREACH(member, &leader->siblings, sibling_link)
		if (!error)
			error = check_read_size_of(member, siblings);
	return error;
}

/* --- opening --- */

static struct perf_context *find_context(const struct request *request, struct perf_event *event,
					 int *error)
{
	if (request->task)
		return perf_context_of_task(request->task, error);

	if (event->pmu->capabilities & PMU_SYSTEM_WIDE)
		event->cpu = atomic_load(&event->pmu->cpu);
	struct perf_context *context = perf_context_of_cpu((unsigned int)event->cpu);
	perf_context_get(context);
	return context;
}

/* Whether the PMU of EVENT, of the whole machine, has gone to another CPU. */
static bool has_moved(const struct perf_event *event)
{
	return (event->pmu->capabilities & PMU_SYSTEM_WIDE) &&
	       event->cpu != atomic_load(&event->pmu->cpu);
}

/* Finds EVENT's context and locks its mutex: 0, or an error and EVENT has no context. */
static int lock_context(const struct request *request, struct perf_event *event)
{
	int error = 0;

	for (;;) {
		struct perf_context *context = find_context(request, event, &error);

		if (!context)
			return error;
		mutex_lock(&context->mutex);
		event->context = context;
		if (request->task ? perf_context_claim(context, request->task) : !has_moved(event))
			return 0;
		/* The context has been swapped (clone_context.c), or the PMU counts on another CPU now. */
		event->context = NULL;
		mutex_unlock(&context->mutex);
		perf_context_put(context);
	}
}

static bool has_exclusion(const struct perf_event_attr *attr)
{
	return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	       attr->exclude_idle || attr->exclude_host || attr->exclude_guest;
}

/* Refuses what Linux refuses of an event that its PMU could count. No PMU here saves vector registers, and
 * none writes into an AUX area. */
static int check_taken(const struct pmu *pmu, const struct perf_event_attr *attr)
{
	/* Also if no sample will have them. */
	if (arch_sample_registers_extended(attr->sample_regs_user | attr->sample_regs_intr))
		return -EOPNOTSUPP;
	if ((pmu->capabilities & PMU_NO_EXCLUDE) && has_exclusion(attr))
		return -EINVAL;
	return attr->aux_output ? -EOPNOTSUPP : 0;
}

/* Makes the checks that follow once the PMU has taken EVENT. */
static int check_event(const struct request *request, struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	int error = 0;

	if (event->pmu->event_permit)
		error = event->pmu->event_permit(event, request->task);
	if (!error)
		error = check_taken(event->pmu, attr);
	/* There are no control groups, so no descriptor is that of one. */
	if (!error && request->of_cgroup)
		error = -EBADF;
	/* kernel.perf_event_max_stack limits call chains. */
	if (!error && (attr->sample_type & PERF_SAMPLE_CALLCHAIN) &&
	    attr->sample_max_stack > perf_stack_depth_max)
		error = -EOVERFLOW;
	if (!error && perf_event_is_sampling(event) &&
	    (event->pmu->capabilities & PMU_NO_INTERRUPT))
		error = -EOPNOTSUPP;
	return error ? error : perf_event_set_clock(event);
}

/* The driver checks whether the group's members fit together. */
static struct perf_event *create(const struct request *request, int *error)
{
	struct perf_event *leader = request->leader, *event;

	struct perf_context *context = leader ? perf_event_lock_context(leader) : NULL;

	event = perf_event_create(request->attr, request->cpu, request->task, leader, error);
	if (context)
		mutex_unlock(&context->mutex);
	return event;
}

/* Puts EVENT into its context, whose mutex is held. */
static int install(const struct request *request, struct perf_event *event)
{
	struct perf_context *context = event->context;
	int error = 0;

	mutex_assert_held(&context->mutex);
	if (context->dead)
		error = -ESRCH;
	/* The CPU is off line (hotplug.c). */
	if (!error && !context->task && atomic_load(&context->cpu) < 0)
		error = -ENODEV;
	if (!error && request->leader)
		error = check_group(event, request->leader, context);
	if (!error && request->output)
		error = perf_output_set(event, request->output);
	if (!error)
		error = check_read_size(event, request->leader);
	/* The data would come from the AUX area of the group's leader, and no PMU has one. */
	if (!error && event->attr.aux_sample_size)
		error = -EINVAL;
	if (!error)
		perf_context_install(context, event);
	return error;
}

/* Makes the descriptor, which takes the only reference to EVENT. */
static long make_descriptor(struct perf_event *event, const struct file_ops *ops,
			    unsigned long flags)
{
	struct file *file = file_create(ops, event, O_RDWR);

	if (!file) {
		perf_event_close(event);
		return file_create_error();
	}
	atomic_store(&event->file, file);
	/* An error closes the file, and with it the event. */
	return fd_install_or_put(file, flags & PERF_FLAG_FD_CLOEXEC);
}

static long open_event(struct request *request, unsigned long flags)
{
	int error = 0;
	struct perf_event *event = create(request, &error);

	if (!event)
		return error;
	error = check_event(request, event);
	/* Until the event is installed, exec must not replace the program that the permission check looked
	 * at. The caller's own process cannot: exec ends all other threads first. */
	bool updating = !error && request->task &&
			request->task->process != task_current()->process;

	if (updating && exec_update_begin_observing(request->task, request->attr->sigtrap)) {
		updating = false;
		error = -EACCES;
	}
	if (!error && !request->task)
		error = perf_allow_cpu();
	if (!error)
		error = lock_context(request, event);
	if (!error) {
		error = install(request, event);
		mutex_unlock(&event->context->mutex);
	}
	if (updating)
		exec_update_end(request->task);
	if (error) {
		perf_output_release(event);
		perf_event_put(event);
		return error;
	}

	perf_event_own(event);
	event->accounted = true;
	perf_sideband_account(event, true);
	return make_descriptor(event, request->ops, flags);
}

long perf_event_open_as(const struct perf_event_attr *attr, const struct file_ops *ops, pid_t pid,
			int cpu, int group_fd, unsigned long flags)
{
	struct request request = {
		.attr = attr, .ops = ops, .cpu = cpu, .of_cgroup = flags & PERF_FLAG_PID_CGROUP
	};
	long result = perf_attr_check(attr);

	if (result)
		return result;
	if (request.of_cgroup && (pid == -1 || cpu == -1))
		return -EINVAL;

	result = find_group(&request, group_fd, flags);
	if (!result)
		result = find_target(&request, pid);
	if (!result)
		result = check_target(&request);
	if (!result)
		result = open_event(&request, flags);

	if (request.task)
		task_put(request.task);
	if (request.group_file)
		file_put(request.group_file);
	/* A free descriptor number is the first thing that a call needs. */
	return result < 0 && !fd_is_available() ? -EMFILE : result;
}

long perf_event_open(const void *user_attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	struct perf_event_attr attr;

	if (flags & ~FLAGS_ALL)
		return flags == PERF_FLAG_FIRST_ABI ?
			       perf_first_open(user_attr, pid, cpu, group_fd) :
			       -EINVAL;
	long result = perf_allow_open();
	if (!result)
		result = perf_attr_copy(&attr, (void *)user_attr);
	if (result)
		return result;
	return perf_event_open_as(&attr, &perf_file_ops, pid, cpu, group_fd, flags);
}
