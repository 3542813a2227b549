/* SPDX-License-Identifier: BSD-2-Clause */
/* The first instructions of a further CPU: like those of boot/alpha/start.S, with the stack and page
 * tables of the CPU's slot in the console's parameter block. */
#include <machine/pal.h>

	.set	noat
	.set	noreorder
	.set	nomacro
	.text

	.globl	smp_start_code
	.ent	smp_start_code
smp_start_code:
	.frame	$30, 0, $26
	ldah	$29, 0($27)		!gpdisp!1
	lda	$29, 0($29)		!gpdisp!1
	.prologue 0
	mov	$29, $16
	call_pal PAL_WRKGP
	mov	$31, $15
	bsr	$26, smp_start_cpu	!samegp
	.end	smp_start_code

	.section .note.GNU-stack, "", @progbits
