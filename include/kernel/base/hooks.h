/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hooks: the places where the kernel calls listeners in the layers above.
 *
 * A file calls hook_NAME where NAME happens and knows nothing about the listeners. A hook has one to four
 * places for listeners and calls them in the order of their numbers. A listener defines itself, in any file:
 *
 *	HOOK_LISTENER(task_woken, 1, (const struct task *task, unsigned int cpu))
 *	{
 *		…
 *	}
 *
 * Two listeners at one place do not link: a further listener needs a further place, in the hook's declaration
 * below. kernel/hooks.c refers to the places by weak symbols, so that a part that `make WITHOUT=` leaves out
 * takes its listeners along. No table holds pointers to them, so that the link-time optimizer makes direct
 * calls. It cannot remove the test of an empty place, so a hook has no place that nothing uses.
 *
 * A hook is on while a part listens (hook_listen). A hook that is off costs a load and a branch that is
 * predicted. The hooks of the last two sections are always called. A hook that is declared without places has
 * exactly one listener, which defines hook_NAME itself.
 *
 * Unless a hook says more, it may be called in any context but NMI, with any locks held. The listeners
 * take only locks that come after the caller's in docs/locking.md.
 */
#ifndef KERNEL_HOOKS_H
#define KERNEL_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <kernel/base/cpu.h>

struct kernel_sigaction;
struct kernel_siginfo;
struct process;
struct task;
struct timer;
struct trap_frame;
struct vm_area;
struct vm_space;

enum hook {
	HOOK_none,
	HOOK_task_out,
	HOOK_task_migrated,
	HOOK_task_migrates,
	HOOK_task_waking,
	HOOK_task_woken,
	HOOK_task_started,
	HOOK_task_charged,
	HOOK_task_waited,
	HOOK_task_slept,
	HOOK_task_forked,
	HOOK_task_renames,
	HOOK_task_renamed,
	HOOK_task_executed,
	HOOK_task_exited,
	HOOK_task_awaits,
	HOOK_signal_sent,
	HOOK_signal_taken,
	HOOK_lock_contended,
	HOOK_lock_acquired,
	HOOK_timer_made,
	HOOK_timer_armed,
	HOOK_timer_cancelled,
	HOOK_timer_fires,
	HOOK_timer_fired,
	HOOK_itimer_set,
	HOOK_itimer_expired,
	HOOK_memory_allocated,
	HOOK_memory_freed,
	HOOK_pages_allocated,
	HOOK_pages_freed,
	HOOK_pages_counted,
	HOOK_page_fault,
	HOOK_fault_begun,
	HOOK_fault_served,
	HOOK_unaligned,
	HOOK_area_mapped,
	HOOK_area_unmapped,
	HOOK_vector,
	HOOK_irq,
	HOOK_call,
	HOOK_COUNT
};

/* Number of listeners of each hook: the one word that a hook tests. */
extern _Atomic unsigned int hook_listeners[HOOK_COUNT];

/* True while every context switch of the CPU has a listener. Index: CPU. */
extern _Atomic bool hook_switch_on_cpu[CPUS_MAX];

/* Returns whether HOOK has a listener. Any context. */
static inline bool hook_is_on(enum hook hook)
{
	return __builtin_expect(
		atomic_load_explicit(&hook_listeners[hook], memory_order_relaxed) != 0, false);
}

/* Adds (ON) or removes a listener of HOOK. Any context. */
static inline void hook_listen(enum hook hook, bool on)
{
	if (on)
		atomic_fetch_add(&hook_listeners[hook], 1);
	else
		atomic_fetch_sub(&hook_listeners[hook], 1);
}

/* kernel/hooks.c defines HOOK_DEFINITIONS, and so the functions below. */
#ifdef HOOK_DEFINITIONS
#define HOOK_PLACE __attribute__((weak))
#define HOOK_BODY(calls) \
	{                \
		calls    \
	}
#else
#define HOOK_PLACE
#define HOOK_BODY(calls) ;
#endif

/* clang-format off */
#define HOOK_PLACES_1(name, parameters) \
	HOOK_PLACE void hook_##name##_1 parameters;
#define HOOK_PLACES_2(name, parameters) \
	HOOK_PLACES_1(name, parameters) HOOK_PLACE void hook_##name##_2 parameters;
#define HOOK_PLACES_3(name, parameters) \
	HOOK_PLACES_2(name, parameters) HOOK_PLACE void hook_##name##_3 parameters;

#define HOOK_PLACES_4(name, parameters) \
	HOOK_PLACES_3(name, parameters) HOOK_PLACE void hook_##name##_4 parameters;

#define HOOK_CALLS_1(name, arguments) \
	if (hook_##name##_1) hook_##name##_1 arguments;
#define HOOK_CALLS_2(name, arguments) \
	HOOK_CALLS_1(name, arguments) if (hook_##name##_2) hook_##name##_2 arguments;
#define HOOK_CALLS_3(name, arguments) \
	HOOK_CALLS_2(name, arguments) if (hook_##name##_3) hook_##name##_3 arguments;
#define HOOK_CALLS_4(name, arguments) \
	HOOK_CALLS_3(name, arguments) if (hook_##name##_4) hook_##name##_4 arguments;

/* Declares FUNCTION, which calls the listeners at the PLACES of hook NAME. */
#define HOOK_FUNCTION(function, name, places, parameters, arguments) \
	HOOK_PLACES_##places(name, parameters) \
	__attribute__((noinline)) void function parameters HOOK_BODY(HOOK_CALLS_##places(name, arguments))

/* Declares hook_NAME, which calls the listeners at its PLACES while the hook is on. */
#define HOOK(name, places, parameters, arguments) \
	HOOK_FUNCTION(hook_##name##_slow, name, places, parameters, arguments) \
	static inline void hook_##name parameters \
	{ \
		if (hook_is_on(HOOK_##name)) \
			hook_##name##_slow arguments; \
	}

/* Declares hook_NAME, which always calls the listeners at its PLACES. */
#define HOOK_ALWAYS(name, places, parameters, arguments) \
	HOOK_FUNCTION(hook_##name, name, places, parameters, arguments)

/* Begins the definition of the listener at PLACE of hook NAME. A hook without PLACE does not compile. */
#define HOOK_LISTENER(name, place, parameters) \
	extern __typeof__(hook_##name##_##place) hook_##name##_##place; \
	void hook_##name##_##place parameters
/* clang-format on */

/* --- the scheduler. Interrupts off; a run queue's lock held, but for task_waking --- */

/* TASK, which does not run, moves from the run queue of CPU FROM to that of TO. */
HOOK(task_migrates, 1, (const struct task *task, unsigned int from, unsigned int to),
     (task, from, to))

/* TASK is about to become runnable on CPU. */
HOOK(task_waking, 1, (const struct task *task, unsigned int cpu), (task, cpu))

/* TASK is runnable and in the run queue of CPU. */
HOOK(task_woken, 1, (const struct task *task, unsigned int cpu), (task, cpu))

/* TASK is new and starts on CPU. */
HOOK(task_started, 1, (const struct task *task, unsigned int cpu), (task, cpu))

/* The current TASK has run for RUN_NS since the last call. */
HOOK(task_charged, 1, (const struct task *task, uint64_t run_ns), (task, run_ns))

/* TASK has waited in a run queue for DELAY_NS. */
HOOK(task_waited, 1, (const struct task *task, uint64_t delay_ns), (task, delay_ns))

/* TASK has slept for DELAY_NS, BLOCKED by a mutex or waiting for an event. */
HOOK(task_slept, 1, (const struct task *task, uint64_t delay_ns, bool blocked),
     (task, delay_ns, blocked))

/* --- processes. Task context --- */

/* The current task PARENT has created CHILD with CLONE_FLAGS. CHILD has its number and does not run yet. */
HOOK(task_forked, 3, (const struct task *parent, struct task *child, uint64_t clone_flags),
     (parent, child, clone_flags))

/* TASK is about to get the name NEW_NAME. */
HOOK(task_renames, 1, (const struct task *task, const char *new_name), (task, new_name))

/* TASK has a new name, not by execve. */
HOOK(task_renamed, 1, (struct task * task), (task))

/* The current TASK, whose tid was FORMER_TID, runs the program at PATH from now on. */
HOOK(task_executed, 1, (const char *path, const struct task *task, pid_t former_tid),
     (path, task, former_tid))

/* The current TASK exits and has freed its memory. */
HOOK(task_exited, 1, (const struct task *task), (task))

/* The current task begins to wait for child PID, or for group -PID; 0: for any child. */
HOOK(task_awaits, 1, (pid_t pid), (pid))

/* The outcome of a sent signal: Linux's numbers. */
enum signal_outcome {
	SIGNAL_DELIVERED = 0,
	SIGNAL_IGNORED = 1,
	SIGNAL_ALREADY_PENDING = 2,
	SIGNAL_OVERFLOW_FAIL = 3
};

/* INFO was sent to TASK, to its whole process if GROUP, with OUTCOME. */
HOOK(signal_sent, 1,
     (const struct kernel_siginfo *info, const struct task *task, bool group,
      enum signal_outcome outcome),
     (info, task, group, outcome))

/* The current task has taken the signal INFO and performs ACTION. */
HOOK(signal_taken, 2, (const struct kernel_siginfo *info, const struct kernel_sigaction *action),
     (info, action))

/* --- locks --- */

/* The kinds of lock in FLAGS below: Linux's LCB_F_*. */
#define HOOK_LOCK_SPIN	0x01
#define HOOK_LOCK_MUTEX 0x20

/* The running code begins to wait for LOCK, of the kind FLAGS (HOOK_LOCK_*); or it waited and continues as
 * FLAGS say. */
HOOK(lock_contended, 1, (const void *lock, unsigned int flags), (lock, flags))

/* The running code has waited for LOCK and holds it (RESULT is 0), or has given up with the negative error
 * RESULT. */
HOOK(lock_acquired, 1, (const void *lock, int result), (lock, result))

/* --- time --- */

/* TIMER is initialized. */
HOOK(timer_made, 1, (const struct timer *timer), (timer))

/* TIMER is armed for DEADLINE_NS; WAS_ARMED: it was armed for another time before. */
HOOK(timer_armed, 1, (const struct timer *timer, uint64_t deadline_ns, bool was_armed),
     (timer, deadline_ns, was_armed))

/* TIMER, which was armed, is cancelled. */
HOOK(timer_cancelled, 1, (const struct timer *timer), (timer))

/* TIMER's function is about to run. */
HOOK(timer_fires, 1, (const struct timer *timer), (timer))

/* TIMER's function has returned. */
HOOK(timer_fired, 1, (const struct timer *timer), (timer))

/* The current process has set its interval timer WHICH (ITIMER_*), to expire at EXPIRES_NS of its CPU time
 * (ITIMER_REAL: 0), to VALUE_NS and INTERVAL_NS. */
HOOK(itimer_set, 1, (int which, uint64_t expires_ns, uint64_t value_ns, uint64_t interval_ns),
     (which, expires_ns, value_ns, interval_ns))

/* The interval timer WHICH of process PID has expired at NOW_NS of its CPU time (ITIMER_REAL: 0). */
HOOK(itimer_expired, 1, (int which, pid_t pid, uint64_t now_ns), (which, pid, now_ns))

/* --- memory --- */

/* CALLER has requested REQUESTED bytes and got OBJECT of GIVEN bytes. */
HOOK(memory_allocated, 1, (const void *caller, const void *object, size_t requested, size_t given),
     (caller, object, requested, given))

/* CALLER frees OBJECT. */
HOOK(memory_freed, 1, (const void *caller, const void *object), (caller, object))

/* FRAME of pages_allocated if there was no memory. */
#define HOOK_NO_FRAME ((size_t)-1)

/* 2^ORDER pages from page FRAME on were allocated. */
HOOK(pages_allocated, 1, (size_t frame, unsigned int order), (frame, order))

/* 2^ORDER pages from page FRAME on are freed. */
HOOK(pages_freed, 1, (size_t frame, unsigned int order), (frame, order))

/* SPACE has another number of resident pages of KIND (enum page_kind). space->mutex held. */
HOOK(pages_counted, 1, (const struct vm_space *space, unsigned int kind), (space, kind))

/* A page fault at ADDRESS, by the instruction at IP, in user mode if USER; ERROR: the CPU's code.
 * Interrupts off. */
HOOK(page_fault, 1, (bool user, uintptr_t address, uintptr_t ip, uint64_t error),
     (user, address, ip, error))

/* The kernel begins to serve the page fault of FRAME at ADDRESS. Interrupts on. */
HOOK(fault_begun, 1, (struct trap_frame * frame, uintptr_t address), (frame, address))

/* The kernel has served the page fault of FRAME at ADDRESS. Interrupts on. */
HOOK(fault_served, 1, (struct trap_frame * frame, uintptr_t address), (frame, address))

/* FRAME's access to ADDRESS is not aligned. Interrupts on. */
HOOK(unaligned, 1, (struct trap_frame * frame, uintptr_t address), (frame, address))

/* The current task has mapped or changed AREA. Task context, no lock held. */
HOOK(area_mapped, 2, (const struct vm_area *area), (area))

/* The current task has unmapped AREA, a copy of all of an area or of its part. Task context, no lock held. */
HOOK(area_unmapped, 1, (const struct vm_area *area), (area))

/* --- interrupts. Interrupts off --- */

/* The vectors that have events of their own in Linux. */
enum hook_vector {
	HOOK_VECTOR_TIMER,
	HOOK_VECTOR_SPURIOUS,
	HOOK_VECTOR_DEFERRED,
	HOOK_VECTOR_RESCHEDULE,
	HOOK_VECTOR_CALL,
	HOOK_VECTOR_KINDS
};

/* The interrupt of VECTOR, of KIND, begins or ENDS. */
HOOK(vector, 1, (enum hook_vector kind, unsigned int vector, bool ends), (kind, vector, ends))

/* The interrupt of the device NAME on line IRQ begins or ENDS. */
HOOK(irq, 1, (unsigned int irq, const char *name, bool ends), (irq, name, ends))

/* --- system calls. Task context --- */

/* The current task makes call NUMBER with the arguments in FRAME. Call only if hook_is_on(HOOK_call). */
HOOK_ALWAYS(call_enter, 1, (unsigned long number, struct trap_frame *frame), (number, frame))

/* The current task's call NUMBER returns RESULT. Call only if hook_is_on(HOOK_call). */
HOOK_ALWAYS(call_exit, 1, (unsigned long number, struct trap_frame *frame, long result),
	    (number, frame, result))

/* --- context switches. Run queue's lock held, interrupts off --- */

/* The CPU is about to switch from PREV to NEXT. */
HOOK(task_out, 4, (struct task * prev, struct task *next), (prev, next))

/* True if the switches of TASK, or all switches of this CPU, have a listener. A macro, because struct task is
 * incomplete here. */
#define hook_switch_is_on(task)                                       \
	(atomic_load_explicit(&(task)->perf, memory_order_relaxed) || \
	 atomic_load_explicit(&hook_switch_on_cpu[cpu_id()], memory_order_relaxed))

/* The CPU is about to switch from PREV to NEXT. After hook_task_out; call only if hook_switch_is_on for
 * PREV. */
void hook_switch_out(struct task *prev, struct task *next);

/* The CPU has switched to TASK. No lock held; call only if hook_switch_is_on for TASK. */
void hook_switch_in(struct task *task);

/* The current task has moved to another CPU and runs there. No lock held. */
HOOK(task_migrated, 1, (void), ())

/* --- always called --- */

/* The first task has ended, and the machine is about to. Task context. */
HOOK_ALWAYS(machine_ends, 2, (void), ())

/* The tick of CPU time (<kernel/sched/cpu_time.h>) has found PROCESS running. Interrupts off. */
HOOK_ALWAYS(cpu_tick, 2, (struct process * process), (process))

/* The new process CHILD joins the session of PARENT. task_table_lock held. */
void hook_terminal_inherited(const struct process *parent, struct process *child);

/* PROCESS leaves its controlling terminal: it begins a session, or has exited and is waited for.
 * task_table_lock held. */
void hook_terminal_left(struct process *process);

/* The current PROCESS exits, and with it its session if PROCESS is the session's leader. Task context. */
void hook_session_left(struct process *process);

/* PROCESS, the first one, has its files and is about to start. Task context. */
void hook_first_process(struct process *process);

/* A page fault of the current task has found no memory. Returns true if the caller has to try again, false
 * if a fatal signal is pending for the task. Task context, no lock held. */
bool hook_memory_short(void);

/* Returns true if perf_event_paranoid, above 1, hides the kernel's addresses from programs without
 * CAP_SYSLOG, as on Linux. Any context. */
bool hook_addresses_are_hidden(void);

/* --- CPUs off line and on line: always called (kernel/sched/hotplug.c) --- */

/* CPU runs no task any more and is about to go off line; TARGET, on line, takes over what can move. Task
 * context; hotplug_mutex held. CPU still answers cross calls. */
HOOK_ALWAYS(cpu_goes_offline, 2, (unsigned int cpu, unsigned int target), (cpu, target))

/* CPU is on line and takes tasks again. Task context; hotplug_mutex held. */
HOOK_ALWAYS(cpu_came_online, 1, (unsigned int cpu), (cpu))

/* This CPU has come on line and runs no task yet. Interrupts off, its idle task. */
HOOK_ALWAYS(cpu_starts, 3, (void), ())

/* --- once in a task's life: always called --- */

/* The current task PARENT creates CHILD with CLONE_FLAGS; CHILD is in no table yet. Returns 0 or -ENOMEM;
 * then hook_task_freed cleans up. Task context. */
int hook_task_copied(struct task *parent, struct task *child, uint64_t clone_flags);

/* The current TASK begins to exit and still has its memory; or TASK was copied and never ran. Task
 * context. */
HOOK_ALWAYS(task_exits, 3, (struct task * task), (task))

/* The current TASK, in execve, has its new name and is about to change to the new program; DUMPABLE: other
 * tasks may inspect it. Task context. */
HOOK_ALWAYS(task_changes_program, 3, (struct task * task, bool dumpable), (task, dumpable))

/* The last reference to TASK is dropped: the listener at place 3 frees TASK. */
HOOK_ALWAYS(task_freed, 3, (struct task * task), (task))

/* Enables or disables the events of the current task: prctl(PR_TASK_PERF_EVENTS_ENABLE and _DISABLE). Task
 * context. */
long hook_task_events_set(bool enable);

#endif
