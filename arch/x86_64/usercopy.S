/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies to and from user memory that survive a fault; see <arch/usercopy.h>, and, for floating-point
 * registers, fpu.h.
 *
 * These instructions of the kernel may fault on purpose, and so may those of <machine/msr.h> that probe the CPU.
 * Each has an entry in the exception table. When the kernel cannot resolve the fault, trap.c continues at the entry's label, and
 * the counter of the string instruction holds the number of bytes left. One string instruction copies
 * everything: CPUs copy in large pieces (SDM vol. 1 7.3.9.3), and counters count it as one instruction.
 */
#include "smap.inc"

	/* The next instruction may fault; execution then continues at LABEL. */
	.macro FAULT_CONTINUES label
.Lfault_\@:
	.pushsection .exception_table, "a"
	.quad	.Lfault_\@, \label
	.popsection
	.endm

	.text

/* size_t arch_copy_user(void *destination, const void *source, size_t size) */
	.global	arch_copy_user
	.type	arch_copy_user, @function
arch_copy_user:
	movq	%rdx, %rcx
	SMAP_ALLOW
	FAULT_CONTINUES 1f
	rep movsb
1:	SMAP_FORBID
	movq	%rcx, %rax
	ret
	.size	arch_copy_user, . - arch_copy_user

/* size_t arch_clear_user(void *destination, size_t size) */
	.global	arch_clear_user
	.type	arch_clear_user, @function
arch_clear_user:
	movq	%rsi, %rcx
	xorl	%eax, %eax
	SMAP_ALLOW
	FAULT_CONTINUES 2f
	rep stosb
2:	SMAP_FORBID
	movq	%rcx, %rax
	ret
	.size	arch_clear_user, . - arch_clear_user

/* int arch_user_compare_exchange(uint32_t *user, uint32_t *expected, uint32_t desired) */
	.global	arch_user_compare_exchange
	.type	arch_user_compare_exchange, @function
arch_user_compare_exchange:
	movl	(%rsi), %eax
	SMAP_ALLOW
	FAULT_CONTINUES 3f
	lock cmpxchgl %edx, (%rdi)
	SMAP_FORBID
	movl	%eax, (%rsi)
	xorl	%eax, %eax
	ret
3:	SMAP_FORBID
	movl	$-1, %eax
	ret
	.size	arch_user_compare_exchange, . - arch_user_compare_exchange

	/* Sets in the header's first word that x87 and SSE are in use. */
	.macro FPU_MARK_LEGACY
	FAULT_CONTINUES 4f
	orl	$3, 512(%rdi)
	.endm

	/* int NAME(area, uint64_t features): 0, or -1 after a fault that the kernel cannot resolve. */
	.macro FPU_USER name, instruction, more
	.global \name
	.type	\name, @function
\name:
	movl	%esi, %eax
	movq	%rsi, %rdx
	shrq	$32, %rdx
	SMAP_ALLOW
	FAULT_CONTINUES 4f
	\instruction (%rdi)
	\more
	SMAP_FORBID
	xorl	%eax, %eax
	ret
4:	SMAP_FORBID
	movl	$-1, %eax
	ret
	.size	\name, . - \name
	.endm

	FPU_USER fpu_xsave_user, xsave64, FPU_MARK_LEGACY
	FPU_USER fpu_fxsave_user, fxsave64
	FPU_USER fpu_xrstor_user, xrstor64
	FPU_USER fpu_fxrstor_user, fxrstor64

	.section .note.GNU-stack, "", @progbits
