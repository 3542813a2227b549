/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Switching stacks: the core of the context switch, and the first instructions of a new task.
 *
 * The stack of a task that does not run holds what switch_stacks pushed; the task resumes as if its own
 * call returned. task.c lays out a new task's stack as if one of the functions below had called
 * switch_stacks.
 */
	.text

/*
 * struct task *switch_stacks(struct task *prev, uintptr_t *prev_rsp, uintptr_t next_rsp)
 * Returns PREV, on the stack NEXT_RSP. Saves only the registers that the calling convention preserves.
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

/* A new user task. Above on the stack: the frame of its first return to user mode. */
	.global	task_start_user
task_start_user:
	call	task_first_run
	movq	%rsp, %rdi
	call	task_enter_user
	jmp	trap_return

/*
 * void arch_cpu_idle(void)
 * The CPU holds back an interrupt that arrives between sti and hlt until hlt has begun: sti takes
 * effect one instruction later (SDM vol. 2B, STI). An NMI may still come there, and its return lets the
 * interrupt in before hlt; hlt would then sleep although the interrupt has work for the CPU. So nmi.c
 * continues at cpu_idle_awake when the NMI interrupted cpu_idle_halt.
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
