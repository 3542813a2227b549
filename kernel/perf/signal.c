/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals from events: to the owner of an event's file (fcntl: F_SETOWN, F_SETSIG, O_ASYNC) at every
 * overflow, and SIGTRAP to the counted task (attr.sigtrap).
 *
 * An overflow may be an NMI and only makes a note; the event's deferred work sends. Notes do not add up: one
 * signal reports all overflows up to its sending.
 *
 * SIGTRAP is about the interrupted instruction, and so must reach the task before that continues in user
 * mode. The deferred work runs in time for that, unless the overflow came during a context switch: then the
 * note waits until the task runs again (traps_waiting).
 *
 * Locks: context->lock, for the decision about a trap; then task_table_lock and what comes after it, by the
 * functions of <kernel/task/signal.h> and <kernel/fs/file.h>, without context->lock.
 */
#include <kernel/perf/signal.h>

#include <arch/task.h>
#include <kernel/fs/file.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/sched/task.h>
#include <kernel/task/signal.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/signal.h>

/* --- to the file's owner --- */

/* Returns the file of EVENT; an inherited event has its parent's. */
static struct file *file_of(const struct perf_event *event)
{
	const struct perf_event *opened = event->parent ? event->parent : event;

	return atomic_load_explicit(&opened->file, memory_order_acquire);
}

inline void perf_event_note_owner(struct perf_event *event, int poll_code)
{
	const struct file *file = file_of(event);

	if (!file || !(atomic_load_explicit(&file->flags, memory_order_relaxed) & FASYNC))
		return;
	atomic_store(&event->pending_notice, poll_code);
	deferred_work_queue(&event->pending);
}

/* --- to the task --- */

void perf_event_note_trap(struct perf_event *event, const struct trap_frame *frame,
			  uint64_t address)
{
	/* Hide kernel addresses from events that exclude the kernel. */
	bool hidden = event->attr.exclude_kernel && frame && !arch_frame_is_user(frame);

	if (atomic_load_explicit(&event->pending_trap, memory_order_relaxed))
		return;
	event->trap_address = hidden ? 0 : address;
	atomic_store(&event->pending_trap, true);
	deferred_work_queue(&event->pending);
}

static void send_trap(const struct perf_event *event, uint64_t address, uint64_t data)
{
	struct task *self = task_current();
	bool blocked = self->signals.mask & (uint64_t)1 << (SIGTRAP - 1);
	struct kernel_siginfo info = { .si_signo = SIGTRAP, .si_code = TRAP_PERF };

	info.si_addr = address;
	info.si_perf_data = data;
	info.si_perf_type = event->attr.type;
	info.si_perf_flags = blocked ? TRAP_PERF_FLAG_ASYNC : 0;
	signal_send(self, &info);
}

void perf_context_resend_traps(struct perf_context *context)
{
	struct perf_event *event;

	perf_context_assert_locked(context);
	context->traps_waiting = false;
	TAILQ_FOREACH(event, &context->members, member_link)
		if (atomic_load(&event->pending_trap))
			deferred_work_queue(&event->pending);
}

/* When a noted trap can be sent. */
enum trap_time { TRAP_NOW, TRAP_LATER, TRAP_NEVER };

/* With TRAP_NOW, *DATA is attr.sig_data, which an ioctl may change. */
static enum trap_time trap_time_of(struct perf_event *event, uint64_t *data)
{
	struct perf_context *context = event->context;
	enum trap_time time = TRAP_NOW;

	/* A task has this context: sigtrap is not for events of a CPU. */
	spin_lock(&context->lock);
	/* The task of a dead context may be freed, and its address another task's. */
	if (context->dead || event->state == EVENT_DEAD) {
		time = TRAP_NEVER;
	} else if (context->task != task_current()) {
		context->traps_waiting = true;
		time = TRAP_LATER;
	}
	*data = event->attr.sig_data;
	spin_unlock(&context->lock);
	return time;
}

/* Sends the noted trap, or leaves it until the task runs. */
static void finish_trap(struct perf_event *event)
{
	uint64_t address = event->trap_address, data;
	enum trap_time time = trap_time_of(event, &data);

	if (time == TRAP_LATER)
		return;
	atomic_store(&event->pending_trap, false);
	if (time == TRAP_NOW)
		send_trap(event, address, data);
}

void perf_event_send_signals(struct perf_event *event)
{
	int poll_code = atomic_exchange(&event->pending_notice, 0);

	if (poll_code)
		file_notify(file_of(event), poll_code);
	if (atomic_load(&event->pending_trap))
		finish_trap(event);
}
