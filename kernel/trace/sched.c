/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of the scheduler and of tasks' lives, at their hooks in <kernel/base/hooks.h>.
 *
 * At a context switch and at the end of a task the tracepoint comes before perf's own action, which may
 * schedule out the event that counts the tracepoint. At a fork it comes after perf's FORK record, as on Linux.
 */
#include <string.h>

#include <kernel/base/hooks.h>
#include <kernel/fs/inode.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <kernel/trace/emit.h>

static void put_name(char name[TASK_COMM_SIZE], const struct task *task)
{
	/* The name may be changing; it always has a terminator. */
	memcpy(name, task->comm, TASK_COMM_SIZE - 1);
	name[TASK_COMM_SIZE - 1] = '\0';
}

/* Returns Linux's state of TASK. Tasks are not preempted in the kernel, so Linux's R+ does not occur. An
 * exited process leader stays for its parent (Z); another exited thread is dead (X). */
static long state_of(const struct task *task)
{
	int state = task->state;

	switch (state) {
	case TASK_SLEEPING:
		return task->sched.blocked ? TRACE_STATE_UNINTERRUPTIBLE :
					     TRACE_STATE_INTERRUPTIBLE;
	case TASK_TRACED:
		return TRACE_STATE_TRACED;
	case TASK_ZOMBIE:
		return task->process && task->process->leader == task ? TRACE_STATE_ZOMBIE :
									TRACE_STATE_DEAD;
	default:
		return 0;
	}
}

static __attribute__((noinline)) void emit_switch(const struct task *prev, const struct task *next)
{
	TRACE_RECORD(trace_sched_switch, 0)
	room = { .record = { .prev_pid = prev->tid,
			     .prev_prio = sched_priority(&prev->sched),
			     .prev_state = state_of(prev),
			     .next_pid = next->tid,
			     .next_prio = sched_priority(&next->sched) } };

	put_name(room.record.prev_comm, prev);
	put_name(room.record.next_comm, next);
	trace_emit(TRACE_sched_switch, &room, sizeof(room.record), 1);
}

/* Most switches come here for perf, which listens at place 2. */
HOOK_LISTENER(task_out, 1, (struct task * prev, struct task *next))
{
	if (trace_is_on(TRACE_sched_switch))
		emit_switch(prev, next);
}

static void emit_wake(unsigned int event, const struct task *task, unsigned int cpu)
{
	/* The three events have the same fields. */
	TRACE_RECORD(trace_sched_waking, 0)
	room = { .record = { .pid = task->tid,
			     .prio = sched_priority(&task->sched),
			     .target_cpu = (int)cpu } };

	if (!trace_is_on(event))
		return;
	put_name(room.record.comm, task);
	trace_emit(event, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(task_waking, 1, (const struct task *task, unsigned int cpu))
{
	emit_wake(TRACE_sched_waking, task, cpu);
}

HOOK_LISTENER(task_woken, 1, (const struct task *task, unsigned int cpu))
{
	emit_wake(TRACE_sched_wakeup, task, cpu);
}

HOOK_LISTENER(task_started, 1, (const struct task *task, unsigned int cpu))
{
	emit_wake(TRACE_sched_wakeup_new, task, cpu);
}

HOOK_LISTENER(task_migrates, 1, (const struct task *task, unsigned int from, unsigned int to))
{
	TRACE_RECORD(trace_sched_migrate_task, 0)
	room = { .record = { .pid = task->tid,
			     .prio = sched_priority(&task->sched),
			     .orig_cpu = (int)from,
			     .dest_cpu = (int)to } };

	if (!trace_is_on(TRACE_sched_migrate_task))
		return;
	put_name(room.record.comm, task);
	trace_emit(TRACE_sched_migrate_task, &room, sizeof(room.record), 1);
}

/* perf counts the time itself. */
HOOK_LISTENER(task_charged, 1, (const struct task *task, uint64_t run_ns))
{
	TRACE_RECORD(trace_sched_stat_runtime, 0)
	room = { .record = { .pid = task->tid, .runtime = run_ns } };

	if (!trace_is_on(TRACE_sched_stat_runtime))
		return;
	put_name(room.record.comm, task);
	trace_emit(TRACE_sched_stat_runtime, &room, sizeof(room.record), run_ns);
}

static void emit_delay(unsigned int event, const struct task *task, uint64_t delay_ns)
{
	/* The three events have the same fields. */
	TRACE_RECORD(trace_sched_stat_wait, 0)
	room = { .record = { .pid = task->tid, .delay = delay_ns } };

	if (!trace_is_on(event))
		return;
	put_name(room.record.comm, task);
	trace_emit(event, &room, sizeof(room.record), delay_ns);
}

/* perf counts the time itself, here too. Tasks never wait for a device, so there is no sched_stat_iowait. */
HOOK_LISTENER(task_waited, 1, (const struct task *task, uint64_t delay_ns))
{
	emit_delay(TRACE_sched_stat_wait, task, delay_ns);
}

HOOK_LISTENER(task_slept, 1, (const struct task *task, uint64_t delay_ns, bool blocked))
{
	emit_delay(blocked ? TRACE_sched_stat_blocked : TRACE_sched_stat_sleep, task, delay_ns);
}

/* --- fork, exec, exit --- */

static void emit_task(unsigned int event, const struct task *task)
{
	/* exit and free have the same fields. */
	TRACE_RECORD(trace_sched_process_exit, 0)
	room = { .record = { .pid = task->tid, .prio = sched_priority(&task->sched) } };

	if (!trace_is_on(event))
		return;
	put_name(room.record.comm, task);
	trace_emit(event, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(task_exited, 1, (const struct task *task))
{
	emit_task(TRACE_sched_process_exit, task);
}

HOOK_LISTENER(task_freed, 1, (struct task * task))
{
	emit_task(TRACE_sched_process_free, task);
}

HOOK_LISTENER(task_awaits, 1, (pid_t pid))
{
	const struct task *self = task_current();
	TRACE_RECORD(trace_sched_process_wait, 0)
	room = { .record = { .prio = sched_priority(&self->sched) } };
	struct task *child;

	if (!trace_is_on(TRACE_sched_process_wait))
		return;
	/* As Linux: the number is recorded only if a task has it. */
	child = pid > 0 ? task_find(pid) : NULL;
	if (child) {
		room.record.pid = pid;
		task_put(child);
	}
	put_name(room.record.comm, self);
	trace_emit(TRACE_sched_process_wait, &room, sizeof(room.record), 1);
}

static void emit_new(const struct task *child, uint64_t clone_flags)
{
	TRACE_RECORD(trace_task_newtask, 0)
	room = { .record = { .pid = child->tid,
			     .clone_flags = clone_flags,
			     .oom_score_adj = (short)child->process->oom_score_adj } };

	put_name(room.record.comm, child);
	trace_emit(TRACE_task_newtask, &room, sizeof(room.record), 1);
}

static void emit_fork(const struct task *parent, const struct task *child)
{
	TRACE_RECORD(trace_sched_process_fork, 0)
	room = { .record = { .parent_pid = parent->tid, .child_pid = child->tid } };

	put_name(room.record.parent_comm, parent);
	put_name(room.record.child_comm, child);
	trace_emit(TRACE_sched_process_fork, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(task_forked, 2, (const struct task *parent, struct task *child, uint64_t clone_flags))
{
	if (trace_is_on(TRACE_task_newtask))
		emit_new(child, clone_flags);
	if (trace_is_on(TRACE_sched_process_fork))
		emit_fork(parent, child);
}

/* Longest path in a record. */
#define PATH_ROOM 512

HOOK_LISTENER(task_executed, 1, (const char *path, const struct task *task, pid_t former_tid))
{
	const size_t start = sizeof(struct trace_sched_process_exec);
	TRACE_RECORD(trace_sched_process_exec, PATH_ROOM) room;
	size_t size;

	if (!trace_is_on(TRACE_sched_process_exec))
		return;
	size = strnlen(path, PATH_ROOM - 1) + 1;
	memset(&room, 0, sizeof(room));
	room.record.filename = (uint32_t)(size << 16 | start);
	room.record.pid = task->tid;
	room.record.old_pid = former_tid;
	memcpy(room.bytes + start, path, size - 1);
	trace_emit(TRACE_sched_process_exec, &room, start + size, 1);
}

HOOK_LISTENER(task_renames, 1, (const struct task *task, const char *new_name))
{
	TRACE_RECORD(trace_task_rename, 0)
	room = { .record = { .pid = task->tid,
			     .oom_score_adj = (short)task->process->oom_score_adj } };

	if (!trace_is_on(TRACE_task_rename))
		return;
	put_name(room.record.oldcomm, task);
	strlcpy(room.record.newcomm, new_name, sizeof(room.record.newcomm));
	trace_emit(TRACE_task_rename, &room, sizeof(room.record), 1);
}
