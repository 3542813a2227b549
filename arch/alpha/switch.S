/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Switching contexts: the core of the context switch, and the first instructions of a new task.
 *
 * SWPCTX exchanges the state that is not in registers: the two stack pointers, the page table, the
 * thread pointer, and whether floating-point instructions are allowed. The stack of a task that does
 * not run holds the rest, as switch_contexts pushed it; the task resumes as if its own call returned.
 * task.c lays out a new task's stack as if one of the functions below had called switch_contexts.
 *
 * Source: Alpha Architecture Handbook version 4, II-B section 2.1.9 "Swap process context".
 */
#include <machine/pal.h>

	.set	noat
	.set	noreorder
	.set	nomacro
	.text

	/* Applies OPERATION (stt or ldt) to $f0 … $f30, for the state at the address in REGISTER. */
	.macro FLOATING operation, register
	\operation $f0, 0(\register)
	\operation $f1, 8(\register)
	\operation $f2, 16(\register)
	\operation $f3, 24(\register)
	\operation $f4, 32(\register)
	\operation $f5, 40(\register)
	\operation $f6, 48(\register)
	\operation $f7, 56(\register)
	\operation $f8, 64(\register)
	\operation $f9, 72(\register)
	\operation $f10, 80(\register)
	\operation $f11, 88(\register)
	\operation $f12, 96(\register)
	\operation $f13, 104(\register)
	\operation $f14, 112(\register)
	\operation $f15, 120(\register)
	\operation $f16, 128(\register)
	\operation $f17, 136(\register)
	\operation $f18, 144(\register)
	\operation $f19, 152(\register)
	\operation $f20, 160(\register)
	\operation $f21, 168(\register)
	\operation $f22, 176(\register)
	\operation $f23, 184(\register)
	\operation $f24, 192(\register)
	\operation $f25, 200(\register)
	\operation $f26, 208(\register)
	\operation $f27, 216(\register)
	\operation $f28, 224(\register)
	\operation $f29, 232(\register)
	\operation $f30, 240(\register)
	.endm

	.macro FLOATING_SAVE register
	FLOATING stt, \register
	mf_fpcr	$f0
	stt	$f0, 248(\register)
	ldt	$f0, 0(\register)
	.endm

	.macro FLOATING_LOAD register
	ldt	$f0, 248(\register)
	mt_fpcr	$f0
	FLOATING ldt, \register
	.endm

/* void fpu_save(struct floating_state *state), void fpu_load(const struct floating_state *state): save
 * and load the running task's registers. The task has CONTEXT_FLOATING. Interrupts off. */
	.globl	fpu_save
	.ent	fpu_save
fpu_save:
	.frame	$30, 0, $26
	.prologue 0
	FLOATING_SAVE $16
	ret	$31, ($26), 1
	.end	fpu_save

	.globl	fpu_load
	.ent	fpu_load
fpu_load:
	.frame	$30, 0, $26
	.prologue 0
	FLOATING_LOAD $16
	ret	$31, ($26), 1
	.end	fpu_load

/*
 * struct task *switch_contexts(paddr_t next_context, struct task *prev, const struct floating_state *next_fpu,
 *				struct floating_state *prev_fpu)
 * Returns PREV, in the context NEXT_CONTEXT. A task without floating-point state has NULL there.
 */
	.globl	switch_contexts
	.ent	switch_contexts
switch_contexts:
	.frame	$30, 64, $26
	lda	$30, -64($30)
	stq	$26, 0($30)
	stq	$9, 8($30)
	stq	$10, 16($30)
	stq	$11, 24($30)
	stq	$12, 32($30)
	stq	$13, 40($30)
	stq	$14, 48($30)
	stq	$15, 56($30)
	.prologue 0
	beq	$19, 1f
	FLOATING_SAVE $19
1:	call_pal PAL_SWPCTX
	beq	$18, 2f
	FLOATING_LOAD $18
2:	mov	$17, $0
	ldq	$26, 0($30)
	ldq	$9, 8($30)
	ldq	$10, 16($30)
	ldq	$11, 24($30)
	ldq	$12, 32($30)
	ldq	$13, 40($30)
	ldq	$14, 48($30)
	ldq	$15, 56($30)
	lda	$30, 64($30)
	ret	$31, ($26), 1
	.end	switch_contexts

/* void switch_adopt(paddr_t context, struct context_block *same): continues in another context block,
 * on the present stack. */
	.globl	switch_adopt
	.ent	switch_adopt
switch_adopt:
	.frame	$30, 0, $26
	.prologue 0
	stq	$30, 0($17)
	call_pal PAL_SWPCTX
	ret	$31, ($26), 1
	.end	switch_adopt

/* A new kernel task: $9 holds its function, $10 the argument. */
	.globl	task_start_kernel
	.ent	task_start_kernel
task_start_kernel:
	.frame	$30, 0, $26
	.prologue 0
	bsr	$26, task_first_run	!samegp
	mov	$10, $16
	mov	$9, $27
	jsr	$26, ($27)
	call_pal PAL_HALT
	.end	task_start_kernel

/* A new user task. Above on the stack: the frame of its first return to user mode. */
	.globl	task_start_user
	.ent	task_start_user
task_start_user:
	.frame	$30, 0, $26
	.prologue 0
	bsr	$26, task_first_run	!samegp
	mov	$30, $16
	bsr	$26, task_enter_user	!samegp
	br	$31, trap_return
	.end	task_start_user

	.section .note.GNU-stack, "", @progbits
