/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracepoints' listeners to the hooks of <kernel/base/hooks.h>.
 *
 * At a context switch and at the end of a task the tracepoint comes before perf's own action, which may
 * schedule out the event that counts the tracepoint. At a fork it comes after perf's FORK record, as on Linux.
 */
#include <kernel/base/hooks.h>
#include <kernel/trace/calls.h>
#include <kernel/trace/interrupt.h>
#include <kernel/trace/kmem.h>
#include <kernel/trace/lock.h>
#include <kernel/trace/sched.h>
#include <kernel/trace/signal.h>
#include <kernel/trace/timer.h>

HOOK_LISTENER(task_out, 1, (struct task * prev, struct task *next))
{
	trace_sched_switch(prev, next);
}

HOOK_LISTENER(task_migrates, 1, (const struct task *task, unsigned int from, unsigned int to))
{
	trace_sched_migrate(task, from, to);
}

HOOK_LISTENER(task_waking, 1, (const struct task *task, unsigned int cpu))
{
	trace_sched_waking(task, cpu);
}

HOOK_LISTENER(task_woken, 1, (const struct task *task, unsigned int cpu))
{
	trace_sched_wakeup(task, cpu);
}

HOOK_LISTENER(task_started, 1, (const struct task *task, unsigned int cpu))
{
	trace_sched_wakeup_new(task, cpu);
}

HOOK_LISTENER(task_charged, 1, (const struct task *task, uint64_t run_ns))
{
	trace_sched_runtime(task, run_ns);
}

HOOK_LISTENER(task_waited, 1, (const struct task *task, uint64_t delay_ns))
{
	trace_sched_delay(TRACE_sched_stat_wait, task, delay_ns);
}

HOOK_LISTENER(task_slept, 1, (const struct task *task, uint64_t delay_ns, bool blocked))
{
	trace_sched_delay(blocked ? TRACE_sched_stat_blocked : TRACE_sched_stat_sleep, task,
			  delay_ns);
}

HOOK_LISTENER(task_forked, 2, (const struct task *parent, struct task *child, uint64_t clone_flags))
{
	trace_sched_fork(parent, child, clone_flags);
}

HOOK_LISTENER(task_renames, 1, (const struct task *task, const char *new_name))
{
	trace_task_rename(task, new_name);
}

HOOK_LISTENER(task_executed, 1, (const char *path, const struct task *task, pid_t former_tid))
{
	trace_sched_exec(path, task, former_tid);
}

HOOK_LISTENER(task_exited, 1, (const struct task *task))
{
	trace_sched_exit(task);
}

HOOK_LISTENER(task_freed, 1, (struct task * task))
{
	trace_sched_free(task);
}

HOOK_LISTENER(task_awaits, 1, (pid_t pid))
{
	trace_sched_wait(pid);
}

HOOK_LISTENER(signal_sent, 1,
	      (const struct kernel_siginfo *info, const struct task *task, bool group,
	       enum signal_outcome outcome))
{
	trace_signal_generate(info, task, group, outcome);
}

HOOK_LISTENER(signal_taken, 1,
	      (const struct kernel_siginfo *info, const struct kernel_sigaction *action))
{
	trace_signal_deliver(info, action);
}

HOOK_LISTENER(lock_contended, 1, (const void *lock, unsigned int flags))
{
	trace_contention_begin(lock, flags);
}

HOOK_LISTENER(lock_acquired, 1, (const void *lock, int result))
{
	trace_contention_end(lock, result);
}

HOOK_LISTENER(timer_made, 1, (const struct timer *timer))
{
	trace_timer_init(timer);
}

HOOK_LISTENER(timer_armed, 1, (const struct timer *timer, uint64_t deadline_ns, bool was_armed))
{
	trace_timer_start(timer, deadline_ns, was_armed);
}

HOOK_LISTENER(timer_cancelled, 1, (const struct timer *timer))
{
	trace_timer_cancel(timer);
}

HOOK_LISTENER(timer_fires, 1, (const struct timer *timer))
{
	trace_timer_expire(timer);
}

HOOK_LISTENER(timer_fired, 1, (const struct timer *timer))
{
	trace_timer_expired(timer);
}

HOOK_LISTENER(itimer_set, 1,
	      (int which, uint64_t expires_ns, uint64_t value_ns, uint64_t interval_ns))
{
	trace_itimer_set(which, expires_ns, value_ns, interval_ns);
}

HOOK_LISTENER(itimer_expired, 1, (int which, pid_t pid, uint64_t now_ns))
{
	trace_itimer_expire(which, pid, now_ns);
}

HOOK_LISTENER(memory_allocated, 1,
	      (const void *caller, const void *object, size_t requested, size_t given))
{
	trace_kmalloc(caller, object, requested, given);
}

HOOK_LISTENER(memory_freed, 1, (const void *caller, const void *object))
{
	trace_kfree(caller, object);
}

HOOK_LISTENER(pages_allocated, 1, (size_t frame, unsigned int order))
{
	trace_page_alloc(frame, order);
}

HOOK_LISTENER(pages_freed, 1, (size_t frame, unsigned int order))
{
	trace_page_free(frame, order);
}

HOOK_LISTENER(pages_counted, 1, (const struct vm_space *space, unsigned int kind))
{
	trace_rss(space, kind);
}

HOOK_LISTENER(page_fault, 1, (bool user, uintptr_t address, uintptr_t ip, uint64_t error))
{
	trace_page_fault(user, address, ip, error);
}

HOOK_LISTENER(vector, 1, (enum hook_vector kind, unsigned int vector, bool ends))
{
	trace_vector_of_kind(kind, vector, ends);
}

HOOK_LISTENER(irq, 1, (unsigned int irq, const char *name, bool ends))
{
	if (ends)
		trace_irq_exit(irq);
	else
		trace_irq_entry(irq, name);
}

HOOK_LISTENER(call_enter, 1, (unsigned long number, struct trap_frame *frame))
{
	trace_call_enter(number, frame);
}

HOOK_LISTENER(call_exit, 1, (unsigned long number, struct trap_frame *frame, long result))
{
	trace_call_exit(number, frame, result);
}
