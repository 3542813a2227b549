/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sequences-lbr.S: code between a write to DEBUGCTL that starts the last branch records, RDI, and one that stops them,
 * and what they hold then.
 *
 * BRANCH in a table is one entry: where the branch is, where it goes, the cycles since the entry before it, and the bit
 * of MSR_LBR_SELECT that leaves it out. An instruction takes a cycle, a branch two; a delivery takes none.
 */

#include "layout.h"

#define MSR_DEBUGCTL	0x1d9

	.macro	TABLE name
	.pushsection .rodata.lbr, "a"
	.balign	8
	.globl	\name
\name:
	.popsection
	.endm

	.macro	BRANCH from, to, cycles, kind
	.pushsection .rodata.lbr, "a"
	.quad	\from, \to, \cycles, \kind
	.popsection
	.endm

	.macro	END
	BRANCH	0, 0, 0, 0
	.endm

	.macro	WRITE_DEBUGCTL value:vararg
	movl	$MSR_DEBUGCTL, %ecx
	movl	\value, %eax
	xorl	%edx, %edx
	wrmsr
	.endm

	.text

	/* void lbr_kinds(uint32_t debugctl) */
	.globl	lbr_kinds
	TABLE	lbr_kinds_entries
lbr_kinds:
	WRITE_DEBUGCTL %edi
	xorl	%eax, %eax
	jnz	1f			/* not taken */
10:	jz	1f
	BRANCH	10b, 1f, 5, 2
	nop
1:	jmp	2f
	BRANCH	1b, 2f, 2, 7
	nop
2:	leaq	3f(%rip), %rax
20:	jmp	*%rax
	BRANCH	20b, 3f, 3, 6
	nop
3:	call	9f
	BRANCH	3b, 9f, 2, 3
	BRANCH	9f, 4f, 2, 5
4:	leaq	9f(%rip), %rax
40:	call	*%rax
	BRANCH	40b, 9f, 3, 4
	BRANCH	9f, 5f, 2, 5
5:	int	$VECTOR_RETURN
	BRANCH	5b, exact_return, 2, 8
	BRANCH	exact_return, 6f, 2, 8
6:	ud2				/* not retired; the handler has an instruction before its IRETQ */
	BRANCH	6b, exact_skip2, 0, 8
	BRANCH	exact_skip2 + 5, 7f, 3, 8
7:	lcall	*70f(%rip)
	BRANCH	7b, 71f, 2, 8
	BRANCH	71f, 8f, 2, 8
8:	movl	$3, %ecx
81:	loop	81b			/* taken twice */
	BRANCH	81b, 81b, 3, 2
	BRANCH	81b, 81b, 2, 2
	END
	WRITE_DEBUGCTL $0
	ret
9:	ret
71:	lretl
	.pushsection .rodata
	.balign	8
70:	.long	71b
	.word	CODE64
	.popsection

	/*
	 * void lbr_nested(uint32_t debugctl): as a stack of calls. A call of the next instruction is none; it pushes
	 * the address.
	 */
	.globl	lbr_nested
	TABLE	lbr_nested_entries
lbr_nested:
	WRITE_DEBUGCTL %edi
1:	call	2f
	BRANCH	1b, 2f, 2, 3
	ret
2:	call	3f			/* returns, and is no entry any more */
	nop
20:	call	4f
	BRANCH	20b, 4f, 6, 3
	ret
3:	nop
	ret
4:	call	5f
5:	popq	%rax
6:	call	7f
	BRANCH	6b, 7f, 5, 3
	ret
7:	WRITE_DEBUGCTL $0
	ret
	END

	/* void lbr_debug(uint32_t debugctl): INT1's exception stops the records, and is none itself. */
	.globl	lbr_debug
	TABLE	lbr_debug_entries
lbr_debug:
	WRITE_DEBUGCTL %edi
1:	jmp	2f
	BRANCH	1b, 2f, 2, 7
	END
	nop
2:	.byte	0xf1
	jmp	3f
	nop
3:	ret

	.section .note.GNU-stack, "", @progbits
