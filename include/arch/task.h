/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every ISA must provide about a task's registers. struct arch_task, struct trap_frame and
 * KERNEL_STACK_SIZE are in <machine/task.h>.
 */
#ifndef ARCH_TASK_H
#define ARCH_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include <machine/task.h>

struct task;

/* Saves PREV, continues NEXT (address space and FPU included); returns, in NEXT's context, the task
 * that ran before. Interrupts off. */
struct task *arch_context_switch(struct task *prev, struct task *next);

/* The running code, with the stack it is on, becomes TASK, this CPU's idle task:
 * arch_current() returns it from now on. Interrupts off; once on each CPU, from sched_init
 * and sched_start_cpu. */
void arch_task_adopt(struct task *task);

/* Allocates the kernel stack and FPU state of a new task. 0 or -ENOMEM. */
int arch_task_init(struct task *task);
void arch_task_destroy(struct task *task);
/* TASK, when first switched to, calls task_first_run() (<kernel/sched.h>; returns with interrupts
 * on) and then FUNCTION(ARG). */
void arch_task_set_kernel_entry(struct task *task, void (*function)(void *), void *arg);
/* TASK, a new one with initial registers, when first switched to calls task_first_run() and enters
 * user mode at ENTRY with stack pointer STACK. */
void arch_task_set_user_entry(struct task *task, uintptr_t entry, uintptr_t stack);
/* TASK, when first switched to, calls task_first_run() and then returns to user mode as the current
 * task's FRAME would, with system call result 0, a new stack pointer unless STACK is 0, and TLS as
 * thread pointer if SET_TLS. FPU state is copied. */
void arch_task_set_fork_return(struct task *task, const struct trap_frame *frame, uintptr_t stack,
			       bool set_tls, uintptr_t tls);
/* Makes the current task's user registers those of a new program. */
void arch_task_set_program(struct trap_frame *frame, uintptr_t entry, uintptr_t stack);
/* The user-mode frame of the current task: what a system call or interrupt from user mode saved at
 * the top of its kernel stack. */
struct trap_frame *arch_task_user_frame(struct task *task);

/* The interrupted program counter and stack pointer, whether it was user mode. Any context, NMI
 * included. */
uintptr_t arch_frame_ip(const struct trap_frame *frame);
uintptr_t arch_frame_sp(const struct trap_frame *frame);
bool arch_frame_is_user(const struct trap_frame *frame);

/* Whether FRAME is that of a system call, and not of a trap or interrupt; and where user mode goes on
 * with it. Task context. */
bool arch_frame_is_call(const struct trap_frame *frame);
void arch_frame_set_ip(struct trap_frame *frame, uintptr_t ip);

/* The registers that the interrupt being served on this CPU has found; NULL when none is.
 * Interrupt context (not NMI: its handlers get their frame). */
struct trap_frame *arch_interrupt_frame(void);

/* The interrupted frame pointer, where a walk of the stack begins. Any context. */
uintptr_t arch_frame_pointer(const struct trap_frame *frame);
/* Logs the registers, for a panic. Any context. */
void arch_frame_log(const struct trap_frame *frame);

/* A system call's number in FRAME, its six arguments, which are copied to ARG, and where its result goes.
 * As every system call comes there, an ISA has these inline in <machine/task.h>. */
long arch_syscall_number(const struct trap_frame *frame);
void arch_syscall_arguments(const struct trap_frame *frame, unsigned long arg[6]);
void arch_syscall_set_result(struct trap_frame *frame, long result);

/* System calls that only one ISA has (x86-64: arch_prctl). -ENOSYS: not one of them. */
long arch_syscall(long number, struct trap_frame *frame);

#endif
