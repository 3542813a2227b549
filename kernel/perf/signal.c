/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals from events: to the owner of an event's file (fcntl: F_SETOWN, F_SETSIG, O_ASYNC) at every
 * overflow, and SIGTRAP to the task that is counted (attr.sigtrap).
 *
 * An overflow may be an NMI and only makes a note; the event's deferred work sends. Notes do not add up:
 * what comes before the first was sent is told with it.
 *
 * SIGTRAP is about the instruction that was interrupted, and so must reach the task before that goes on
 * in user mode. The deferred work runs in time for that, unless the overflow came while the CPU
 * was switching tasks: then the note waits until the task runs again (traps_waiting).
 *
 * Locks: task_table_lock and what comes after it, by the functions of <kernel/signal.h> and
 * <kernel/file.h>.
 */
#include <kernel/file.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/signal.h>
#include <kernel/signal.h>
#include <kernel/task.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/signal.h>

#include <arch/task.h>

/* --- to the file's owner --- */

/* The file by which a user knows EVENT: an inherited one has its parent's. */
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
	/* What the kernel does is not told to who must not know it. */
	bool hidden = event->attr.exclude_kernel && frame && !arch_frame_is_user(frame);

	if (atomic_load_explicit(&event->pending_trap, memory_order_relaxed))
		return;
	event->trap_address = hidden ? 0 : address;
	atomic_store(&event->pending_trap, true);
	deferred_work_queue(&event->pending);
}

static void send_trap(const struct perf_event *event, uint64_t address)
{
	struct task *self = task_current();
	bool blocked = self->signals.mask & (uint64_t)1 << (SIGTRAP - 1);
	struct kernel_siginfo info = { .si_signo = SIGTRAP, .si_code = TRAP_PERF };

	info.si_addr = address;
	info.si_perf_data = event->attr.sig_data;
	info.si_perf_type = event->attr.type;
	info.si_perf_flags = blocked ? TRAP_PERF_FLAG_ASYNC : 0;
	signal_send(self, &info);
}

void perf_context_resend_traps(struct perf_context *context)
{
	struct perf_event *event;

	atomic_store(&context->traps_waiting, false);
	TAILQ_FOREACH(event, &context->members, member_link)
		if (atomic_load(&event->pending_trap))
			deferred_work_queue(&event->pending);
}

/* Sends a trap that was noted; or not yet. */
static void finish_trap(struct perf_event *event)
{
	struct perf_context *context = event->context;
	uint64_t address = event->trap_address;
	/* A task that is gone may have left its address to another. */
	bool over = context->dead || perf_event_peek_state(event) == EVENT_DEAD;

	if (!over && context->task != task_current()) {
		atomic_store(&context->traps_waiting, true);
		return;
	}
	atomic_store(&event->pending_trap, false);
	if (!over)
		send_trap(event, address);
}

void perf_event_send_signals(struct perf_event *event)
{
	int poll_code = atomic_exchange(&event->pending_notice, 0);

	if (poll_code)
		file_notify(file_of(event), poll_code);
	if (atomic_load(&event->pending_trap))
		finish_trap(event);
}
