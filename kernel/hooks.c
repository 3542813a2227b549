/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The listeners of each hook, in the order in which they are called; see <kernel/base/hooks.h>.
 *
 * At a context switch the tracepoint comes before perf's own action, which may schedule out the event that
 * counts the tracepoint. At a fork the FORK record comes first, as on Linux.
 */
#include <kernel/base/hooks.h>

#include <kernel/mm/vm.h>
#include <kernel/perf/context.h>
#include <kernel/perf/mapped_area.h>
#include <kernel/perf/ownership.h>
#include <kernel/perf/settings.h>
#include <kernel/perf/sideband.h>
#include <kernel/perf/software.h>
#include <kernel/perf/task.h>
#include <kernel/sched/cpu_time.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <kernel/tty/console.h>
#include <kernel/tty/tty.h>
#include <uapi/linux/perf_event.h>
#include <uapi/linux/sched.h>

#ifdef WITHOUT_TRACE
#define TRACE(call) ((void)0)
#else
#include <kernel/trace/calls.h>
#include <kernel/trace/interrupt.h>
#include <kernel/trace/kmem.h>
#include <kernel/trace/lock.h>
#include <kernel/trace/sched.h>
#include <kernel/trace/signal.h>
#include <kernel/trace/timer.h>
#define TRACE(call) (call)
#endif

#ifdef WITHOUT_PERFCTR
#define PERFCTR(call) ((void)0)
#else
#include <kernel/perfctr_task.h>
#define PERFCTR(call) (call)
#endif

_Atomic unsigned int hook_listeners[HOOK_COUNT];
_Atomic bool hook_switch_on_cpu[CPUS_MAX];

/* --- context switches --- */

void hook_task_out_slow(struct task *prev, struct task *next)
{
	TRACE(trace_sched_switch(prev, next));
	perf_software_event(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, NULL, 0);
	PERFCTR(perfctr_task_switch(prev, next));
}

inline __attribute__((always_inline)) void hook_switch_out(struct task *prev, struct task *next)
{
	perf_task_sched_out(prev, next);
}

inline __attribute__((always_inline)) void hook_switch_in(struct task *task)
{
	perf_task_sched_in(task);
}

/* --- the scheduler --- */

void hook_task_migrates_slow(const struct task *task, unsigned int from, unsigned int to)
{
	TRACE(trace_sched_migrate(task, from, to));
}

void hook_task_migrated_slow(void)
{
	perf_software_event(PERF_COUNT_SW_CPU_MIGRATIONS, 1, NULL, 0);
}

void hook_task_waking_slow(const struct task *task, unsigned int cpu)
{
	TRACE(trace_sched_waking(task, cpu));
}

void hook_task_woken_slow(const struct task *task, unsigned int cpu)
{
	TRACE(trace_sched_wakeup(task, cpu));
}

void hook_task_started_slow(const struct task *task, unsigned int cpu)
{
	TRACE(trace_sched_wakeup_new(task, cpu));
}

void hook_task_charged_slow(const struct task *task, uint64_t run_ns)
{
	TRACE(trace_sched_runtime(task, run_ns));
}

void hook_task_waited_slow(const struct task *task, uint64_t delay_ns)
{
	TRACE(trace_sched_delay(TRACE_sched_stat_wait, task, delay_ns));
}

void hook_task_slept_slow(const struct task *task, uint64_t delay_ns, bool blocked)
{
	TRACE(trace_sched_delay(blocked ? TRACE_sched_stat_blocked : TRACE_sched_stat_sleep, task,
				delay_ns));
}

/* --- processes --- */

void hook_cpu_tick(struct process *process)
{
	process_check_cpu_time(process);
	PERFCTR(perfctr_task_tick(task_current()));
}

int hook_task_copied(struct task *parent, struct task *child, uint64_t clone_flags)
{
	unsigned int how = 0;

	if (clone_flags & CLONE_THREAD)
		how |= PERF_FORK_THREAD;
	if (clone_flags & CLONE_CLEAR_SIGHAND)
		how |= PERF_FORK_CLEARS_HANDLERS;
	return perf_task_fork(parent, child, how);
}

void hook_task_forked_slow(const struct task *parent, struct task *child, uint64_t clone_flags)
{
	perf_task_started(child);
	TRACE(trace_sched_fork(parent, child, clone_flags));
}

void hook_task_renames_slow(const struct task *task, const char *new_name)
{
	TRACE(trace_task_rename(task, new_name));
}

void hook_task_renamed_slow(struct task *task)
{
	perf_task_renamed(task, false);
}

void hook_task_changes_program(struct task *task, bool dumpable)
{
	perf_task_exec(task);
	perf_task_renamed(task, true);
	/* Before any of the new program is visible. */
	if (!dumpable) {
		perf_task_end_events(task);
		PERFCTR(perfctr_task_end(task));
	}
}

void hook_task_executed_slow(const char *path, const struct task *task, pid_t former_tid)
{
	TRACE(trace_sched_exec(path, task, former_tid));
}

void hook_task_exits(struct task *task)
{
	perf_task_exit(task);
	PERFCTR(perfctr_task_end(task));
}

void hook_task_exited_slow(const struct task *task)
{
	TRACE(trace_sched_exit(task));
}

void hook_task_freed(struct task *task)
{
	TRACE(trace_sched_free(task));
	perf_task_free(task);
	task_free(task);
}

void hook_task_awaits_slow(pid_t pid)
{
	TRACE(trace_sched_wait(pid));
}

long hook_task_events_set(bool enable)
{
	return perf_task_events_set(enable);
}

void hook_signal_sent_slow(const struct kernel_siginfo *info, const struct task *task, bool group,
			   enum signal_outcome outcome)
{
	TRACE(trace_signal_generate(info, task, group, outcome));
}

void hook_signal_taken_slow(const struct kernel_siginfo *info,
			    const struct kernel_sigaction *action)
{
	TRACE(trace_signal_deliver(info, action));
}

/* --- sessions --- */

void hook_terminal_inherited(const struct process *parent, struct process *child)
{
	child->tty = parent->tty;
	if (child->tty)
		tty_get(child->tty);
}

void hook_terminal_left(struct process *process)
{
	tty_forget_controlling(process);
}

void hook_session_left(struct process *process)
{
	tty_leave_session(process, true);
}

void hook_first_process(struct process *process)
{
	console_give(process);
}

/* --- settings --- */

bool hook_addresses_are_hidden(void)
{
	return perf_paranoid > 1;
}

/* --- locks --- */

void hook_lock_contended_slow(const void *lock, unsigned int flags)
{
	TRACE(trace_contention_begin(lock, flags));
}

void hook_lock_acquired_slow(const void *lock, int result)
{
	TRACE(trace_contention_end(lock, result));
}

/* --- time --- */

void hook_timer_made_slow(const struct timer *timer)
{
	TRACE(trace_timer_init(timer));
}

void hook_timer_armed_slow(const struct timer *timer, uint64_t deadline_ns, bool was_armed)
{
	TRACE(trace_timer_start(timer, deadline_ns, was_armed));
}

void hook_timer_cancelled_slow(const struct timer *timer)
{
	TRACE(trace_timer_cancel(timer));
}

void hook_timer_fires_slow(const struct timer *timer)
{
	TRACE(trace_timer_expire(timer));
}

void hook_timer_fired_slow(const struct timer *timer)
{
	TRACE(trace_timer_expired(timer));
}

void hook_itimer_set_slow(int which, uint64_t expires_ns, uint64_t value_ns, uint64_t interval_ns)
{
	TRACE(trace_itimer_set(which, expires_ns, value_ns, interval_ns));
}

void hook_itimer_expired_slow(int which, pid_t pid, uint64_t now_ns)
{
	TRACE(trace_itimer_expire(which, pid, now_ns));
}

/* --- memory --- */

void hook_memory_allocated_slow(const void *caller, const void *object, size_t requested,
				size_t given)
{
	TRACE(trace_kmalloc(caller, object, requested, given));
}

void hook_memory_freed_slow(const void *caller, const void *object)
{
	TRACE(trace_kfree(caller, object));
}

void hook_pages_allocated_slow(size_t frame, unsigned int order)
{
	TRACE(trace_page_alloc(frame, order));
}

void hook_pages_freed_slow(size_t frame, unsigned int order)
{
	TRACE(trace_page_free(frame, order));
}

void hook_pages_counted_slow(const struct vm_space *space, unsigned int kind)
{
	TRACE(trace_rss(space, kind));
}

bool hook_memory_short(void)
{
	return oom_relieve();
}

void hook_page_fault_slow(bool user, uintptr_t address, uintptr_t ip, uint64_t error)
{
	TRACE(trace_page_fault(user, address, ip, error));
}

void hook_fault_begun_slow(struct trap_frame *frame, uintptr_t address)
{
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS, 1, frame, address);
}

void hook_fault_served_slow(struct trap_frame *frame, uintptr_t address)
{
	perf_software_event(PERF_COUNT_SW_PAGE_FAULTS_MIN, 1, frame, address);
}

void hook_unaligned_slow(struct trap_frame *frame, uintptr_t address)
{
	perf_software_event(PERF_COUNT_SW_ALIGNMENT_FAULTS, 1, frame, address);
}

void hook_area_mapped_slow(const struct vm_area *area)
{
	perf_area_mapped(area);
}

/* --- interrupts --- */

void hook_vector_slow(enum hook_vector kind, unsigned int vector, bool ends)
{
	TRACE(trace_vector_of_kind(kind, vector, ends));
}

void hook_irq_slow(unsigned int irq, const char *name, bool ends)
{
	if (ends)
		TRACE(trace_irq_exit(irq));
	else
		TRACE(trace_irq_entry(irq, name));
}

/* --- system calls --- */

void hook_call_enter(unsigned long number, struct trap_frame *frame)
{
	TRACE(trace_call_enter(number, frame));
}

void hook_call_exit(unsigned long number, struct trap_frame *frame, long result)
{
	TRACE(trace_call_exit(number, frame, result));
}
