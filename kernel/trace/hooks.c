/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which hook of <kernel/base/hooks.h> each event is made of. Events of system calls and of trace_marker have
 * none of their own: see calls.c and reading.c.
 */
#include "hooks.h"

#include <kernel/base/hooks.h>
#include <kernel/trace/event.h>

static const uint8_t hooks[TRACE_DECLARED] = {
	[TRACE_sched_switch] = HOOK_task_out,
	[TRACE_sched_waking] = HOOK_task_waking,
	[TRACE_sched_wakeup] = HOOK_task_woken,
	[TRACE_sched_wakeup_new] = HOOK_task_started,
	[TRACE_sched_migrate_task] = HOOK_task_migrates,
	[TRACE_sched_process_fork] = HOOK_task_forked,
	[TRACE_sched_process_exec] = HOOK_task_executed,
	[TRACE_sched_process_exit] = HOOK_task_exited,
	[TRACE_sched_process_wait] = HOOK_task_awaits,
	[TRACE_sched_stat_runtime] = HOOK_task_charged,
	[TRACE_sched_stat_wait] = HOOK_task_waited,
	[TRACE_sched_stat_sleep] = HOOK_task_slept,
	[TRACE_sched_stat_blocked] = HOOK_task_slept,
	[TRACE_task_newtask] = HOOK_task_forked,
	[TRACE_task_rename] = HOOK_task_renames,
	[TRACE_signal_generate] = HOOK_signal_sent,
	[TRACE_signal_deliver] = HOOK_signal_taken,
	[TRACE_contention_begin] = HOOK_lock_contended,
	[TRACE_contention_end] = HOOK_lock_acquired,
	[TRACE_hrtimer_init] = HOOK_timer_made,
	[TRACE_hrtimer_start] = HOOK_timer_armed,
	[TRACE_hrtimer_cancel] = HOOK_timer_cancelled,
	[TRACE_hrtimer_expire_entry] = HOOK_timer_fires,
	[TRACE_hrtimer_expire_exit] = HOOK_timer_fired,
	[TRACE_itimer_state] = HOOK_itimer_set,
	[TRACE_itimer_expire] = HOOK_itimer_expired,
	[TRACE_kmalloc] = HOOK_memory_allocated,
	[TRACE_kfree] = HOOK_memory_freed,
	[TRACE_mm_page_alloc] = HOOK_pages_allocated,
	[TRACE_mm_page_free] = HOOK_pages_freed,
	[TRACE_rss_stat] = HOOK_pages_counted,
	[TRACE_page_fault_user] = HOOK_page_fault,
	[TRACE_page_fault_kernel] = HOOK_page_fault,
	[TRACE_irq_handler_entry] = HOOK_irq,
	[TRACE_irq_handler_exit] = HOOK_irq,
	[TRACE_local_timer_entry] = HOOK_vector,
	[TRACE_local_timer_exit] = HOOK_vector,
	[TRACE_spurious_apic_entry] = HOOK_vector,
	[TRACE_spurious_apic_exit] = HOOK_vector,
	[TRACE_irq_work_entry] = HOOK_vector,
	[TRACE_irq_work_exit] = HOOK_vector,
	[TRACE_reschedule_entry] = HOOK_vector,
	[TRACE_reschedule_exit] = HOOK_vector,
	[TRACE_call_function_entry] = HOOK_vector,
	[TRACE_call_function_exit] = HOOK_vector,
};

enum hook trace_hook_of(unsigned int number)
{
	return number < TRACE_DECLARED ? (enum hook)hooks[number] : HOOK_none;
}
