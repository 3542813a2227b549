/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of the tracepoints of the scheduler. See <kernel/trace/sched.h> for their places.
 */
#include <kernel/trace/sched.h>

#include <string.h>

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

void trace_sched_switch_slow(const struct task *prev, const struct task *next)
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

void trace_sched_wake_slow(unsigned int event, const struct task *task, unsigned int cpu)
{
	/* The three events have the same fields. */
	TRACE_RECORD(trace_sched_waking, 0)
	room = { .record = { .pid = task->tid,
			     .prio = sched_priority(&task->sched),
			     .target_cpu = (int)cpu } };

	put_name(room.record.comm, task);
	trace_emit(event, &room, sizeof(room.record), 1);
}

void trace_sched_migrate_slow(const struct task *task, unsigned int from, unsigned int to)
{
	TRACE_RECORD(trace_sched_migrate_task, 0)
	room = { .record = { .pid = task->tid,
			     .prio = sched_priority(&task->sched),
			     .orig_cpu = (int)from,
			     .dest_cpu = (int)to } };

	put_name(room.record.comm, task);
	trace_emit(TRACE_sched_migrate_task, &room, sizeof(room.record), 1);
}

/* perf counts the time itself. */
void trace_sched_runtime_slow(const struct task *task, uint64_t runtime_ns)
{
	TRACE_RECORD(trace_sched_stat_runtime, 0)
	room = { .record = { .pid = task->tid, .runtime = runtime_ns } };

	put_name(room.record.comm, task);
	trace_emit(TRACE_sched_stat_runtime, &room, sizeof(room.record), runtime_ns);
}

/* perf counts the time itself, here too. */
void trace_sched_delay_slow(unsigned int event, const struct task *task, uint64_t delay_ns)
{
	/* The four events have the same fields. */
	TRACE_RECORD(trace_sched_stat_wait, 0)
	room = { .record = { .pid = task->tid, .delay = delay_ns } };

	put_name(room.record.comm, task);
	trace_emit(event, &room, sizeof(room.record), delay_ns);
}

/* --- fork, exec, exit --- */

void trace_sched_task_slow(unsigned int event, const struct task *task)
{
	/* exit, free and wait have the same fields. */
	TRACE_RECORD(trace_sched_process_exit, 0)
	room = { .record = { .pid = task->tid, .prio = sched_priority(&task->sched) } };

	put_name(room.record.comm, task);
	trace_emit(event, &room, sizeof(room.record), 1);
}

void trace_sched_wait_slow(pid_t pid)
{
	const struct task *self = task_current();
	struct task *child = pid > 0 ? task_find(pid) : NULL;
	/* As Linux: the number is recorded only if a task has it. */
	TRACE_RECORD(trace_sched_process_wait, 0)
	room = { .record = { .pid = child ? pid : 0, .prio = sched_priority(&self->sched) } };

	if (child)
		task_put(child);
	put_name(room.record.comm, self);
	trace_emit(TRACE_sched_process_wait, &room, sizeof(room.record), 1);
}

void trace_sched_fork_slow(const struct task *parent, const struct task *child)
{
	TRACE_RECORD(trace_sched_process_fork, 0)
	room = { .record = { .parent_pid = parent->tid, .child_pid = child->tid } };

	put_name(room.record.parent_comm, parent);
	put_name(room.record.child_comm, child);
	trace_emit(TRACE_sched_process_fork, &room, sizeof(room.record), 1);
}

/* Longest path in a record. */
#define PATH_ROOM 512

void trace_sched_exec_slow(const char *path, const struct task *task, pid_t former_tid)
{
	const size_t start = sizeof(struct trace_sched_process_exec);
	TRACE_RECORD(trace_sched_process_exec, PATH_ROOM) room;
	size_t size = strnlen(path, PATH_ROOM - 1) + 1;

	memset(&room, 0, sizeof(room));
	room.record.filename = (uint32_t)(size << 16 | start);
	room.record.pid = task->tid;
	room.record.old_pid = former_tid;
	memcpy(room.bytes + start, path, size - 1);
	trace_emit(TRACE_sched_process_exec, &room, start + size, 1);
}

void trace_task_new_slow(const struct task *child, uint64_t clone_flags)
{
	TRACE_RECORD(trace_task_newtask, 0)
	room = { .record = { .pid = child->tid,
			     .clone_flags = clone_flags,
			     .oom_score_adj = (short)child->process->oom_score_adj } };

	put_name(room.record.comm, child);
	trace_emit(TRACE_task_newtask, &room, sizeof(room.record), 1);
}

void trace_task_rename_slow(const struct task *task, const char *new_name)
{
	TRACE_RECORD(trace_task_rename, 0)
	room = { .record = { .pid = task->tid,
			     .oom_score_adj = (short)task->process->oom_score_adj } };

	put_name(room.record.oldcomm, task);
	strlcpy(room.record.newcomm, new_name, sizeof(room.record.newcomm));
	trace_emit(TRACE_task_rename, &room, sizeof(room.record), 1);
}
