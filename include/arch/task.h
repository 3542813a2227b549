/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of every ISA: a task's registers. struct arch_task, struct trap_frame and
 * KERNEL_STACK_SIZE are in <machine/task.h>.
 */
#ifndef ARCH_TASK_H
#define ARCH_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include <machine/task.h>

struct task;

/* Saves PREV and continues NEXT (address space and FPU included). Returns, in NEXT's context, the task
 * that ran before. Interrupts off. */
struct task *arch_context_switch(struct task *prev, struct task *next);

/* Turns the running code, with its stack, into TASK, this CPU's idle task: arch_current() returns TASK
 * from now on. Interrupts off; once on each CPU, from sched_init and sched_start_cpu. */
void arch_task_adopt(struct task *task);

/* Allocates the kernel stack and FPU state of a new task. 0 or -ENOMEM. */
int arch_task_init(struct task *task);
void arch_task_destroy(struct task *task);
/* Makes the first switch to TASK call task_first_run() (<kernel/sched/sched.h>; returns with interrupts on)
 * and then FUNCTION(ARG). */
void arch_task_set_kernel_entry(struct task *task, void (*function)(void *), void *arg);
/* Makes the first switch to TASK, a new one, call task_first_run() and enter user mode with initial
 * registers, at ENTRY with stack pointer STACK. */
void arch_task_set_user_entry(struct task *task, uintptr_t entry, uintptr_t stack);
/* Makes the first switch to TASK call task_first_run() and then return to user mode like the current
 * task's FRAME, with system call result 0, a new stack pointer unless STACK is 0, and TLS as thread
 * pointer if SET_TLS. Copies the FPU state. */
void arch_task_set_fork_return(struct task *task, const struct trap_frame *frame, uintptr_t stack,
			       bool set_tls, uintptr_t tls);
/* Sets the current task's user registers to those of a new program. */
void arch_task_set_program(struct trap_frame *frame, uintptr_t entry, uintptr_t stack);
/* Returns the user-mode frame of the current task, which a system call or interrupt from user mode
 * saved at the top of its kernel stack. */
struct trap_frame *arch_task_user_frame(struct task *task);

/* Return the interrupted program counter and stack pointer, and whether user mode was interrupted. Any
 * context, NMI included. */
uintptr_t arch_frame_ip(const struct trap_frame *frame);
uintptr_t arch_frame_sp(const struct trap_frame *frame);
bool arch_frame_is_user(const struct trap_frame *frame);

/* Return whether FRAME belongs to a system call, and not to a trap or interrupt; set the address at
 * which user mode continues. Task context. */
bool arch_frame_is_call(const struct trap_frame *frame);
void arch_frame_set_ip(struct trap_frame *frame, uintptr_t ip);

/* Returns the registers that the interrupt being served on this CPU interrupted; NULL when none is.
 * Interrupt context (not NMI: its handlers get their frame). */
struct trap_frame *arch_interrupt_frame(void);

/* Returns the interrupted frame pointer, where a walk of the stack starts. Any context. */
uintptr_t arch_frame_pointer(const struct trap_frame *frame);
/* Logs the registers, for a panic. Any context. */
void arch_frame_log(const struct trap_frame *frame);

/* Get a system call's number in FRAME, copy its six arguments to ARG, and set its result. Every system
 * call uses these, so an ISA has them inline in <machine/task.h>. */
long arch_syscall_number(const struct trap_frame *frame);
void arch_syscall_arguments(const struct trap_frame *frame, unsigned long arg[6]);
void arch_syscall_set_result(struct trap_frame *frame, long result);

/* Performs a system call that only one ISA has (x86-64: arch_prctl). -ENOSYS: not one of them. */
long arch_syscall(long number, struct trap_frame *frame);

#endif
