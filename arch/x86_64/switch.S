/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changing stacks: the core of the context switch, and the first instructions of a new task.
 *
 * A task that does not run has on its stack what switch_stacks pushed, and resumes as if its own
 * call returned. A new task's stack is laid out by task.c as if it had called switch_stacks from
 * one of the functions below.
 */
	.text

/*
 * struct task *switch_stacks(struct task *prev, uintptr_t *prev_rsp, uintptr_t next_rsp)
 * Returns PREV, in the context of the stack NEXT_RSP. Only what the calling convention preserves is
 * saved.
 */
	.global	switch_stacks
	.type	switch_stacks, @function
switch_stacks:
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, (%rsi)
	movq	%rdx, %rsp
	movq	%rdi, %rax
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	ret
	.size	switch_stacks, . - switch_stacks

/* A new kernel task: rbx holds its function, r12 the argument. */
	.global	task_start_kernel
task_start_kernel:
	call	task_first_run
	movq	%r12, %rdi
	call	*%rbx
	ud2

/* A new user task: above is the frame of its first return to user mode. */
	.global	task_start_user
task_start_user:
	call	task_first_run
	movq	%rsp, %rdi
	call	task_enter_user
	jmp	trap_return

/*
 * void arch_cpu_idle(void)
 * An interrupt that arrives between sti and hlt is held off until hlt has begun: sti takes effect
 * one instruction later (SDM vol. 2B, STI). An NMI may come there all the same, and its return lets
 * the interrupt in before hlt, which would then sleep over what the interrupt wants done: nmi.c
 * goes on behind cpu_idle_halt when it finds that it interrupted there.
 */
	.global	arch_cpu_idle, cpu_idle_halt, cpu_idle_awake
	.type	arch_cpu_idle, @function
arch_cpu_idle:
	sti
cpu_idle_halt:
	hlt
cpu_idle_awake:
	cli
	ret
	.size	arch_cpu_idle, . - arch_cpu_idle

	.section .note.GNU-stack, "", @progbits
