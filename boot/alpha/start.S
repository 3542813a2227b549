/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the console to C. The console enters the kernel in KSEG, at its link address, at the highest
 * priority level, with the console's page tables and stack, and the entry's address in $27. No trap can
 * be handled yet.
 *
 * Every CPU keeps the console's context block and page tables until arch_task_adopt gives it its own.
 *
 * Source: Alpha Architecture Handbook version 4, III section 3.1 "System bootstrapping".
 */
#include <machine/pal.h>
#include <machine/task.h>

	.set	noat
	.set	noreorder
	.set	nomacro
	.text

	.globl	boot_start
	.ent	boot_start
boot_start:
	.frame	$30, 0, $26
	ldah	$29, 0($27)		!gpdisp!1
	lda	$29, 0($29)		!gpdisp!1
	.prologue 0
	ldah	$30, boot_stack_end($29)	!gprelhigh
	lda	$30, boot_stack_end($30)	!gprellow
	mov	$29, $16
	call_pal PAL_WRKGP
	ldah	$16, cpu_locals($29)	!gprelhigh
	lda	$16, cpu_locals($16)	!gprellow
	call_pal PAL_WRVAL
	mov	$31, $15
	/* Load the address from the table of addresses although a shorter form would do: the linker
	 * bases GP on this table. */
	ldq	$27, boot_main($29)	!literal
	jsr	$26, ($27)
	.end	boot_start

	.bss
	.balign	16
	.globl	boot_stack, boot_stack_end
/* The boot CPU's stack; later the stack of its idle task. */
boot_stack:	.skip KERNEL_STACK_SIZE
boot_stack_end:

	.section .note.GNU-stack, "", @progbits
