// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls whose instructions are counted by hand:
 *
 *	function    exclusive  inclusive  calls
 *	_start              8         65      0
 *	jumps               2          4      1	and jumps to its end
 *	landing             2          2      1
 *	factorial          36         36      5	of 5: 8 instructions for each of 5, 4, 3, 2, and 4 for 1
 *	thrice             11         17      1	1 + 3 times 3 + 1
 *	leaf                6          6      3
 */
	.globl _start, jumps, landing, factorial, thrice, leaf
	.text
	.type _start, @function
_start:
	movl $3, %edi
	call jumps
	movl $5, %edi
	call factorial
	call thrice
	movl $60, %eax
	xorl %edi, %edi
	syscall
	.size _start, . - _start

	.type jumps, @function
jumps:
	leal 1(%rdi), %eax
	jmp landing
	.size jumps, . - jumps

	.type landing, @function
landing:
	leal 1(%rax), %eax
	ret
	.size landing, . - landing

	.type factorial, @function
factorial:
	cmpl $1, %edi
	jbe 1f
	pushq %rdi
	decl %edi
	call factorial
	popq %rdi
	imull %edi, %eax
	ret
1:
	movl $1, %eax
	ret
	.size factorial, . - factorial

	.type thrice, @function
thrice:
	movl $3, %ecx
1:
	call leaf
	decl %ecx
	jnz 1b
	ret
	.size thrice, . - thrice

	.type leaf, @function
leaf:
	nop
	ret
	.size leaf, . - leaf

	/* Valgrind reads the names of a program that has data only. */
	.data
	.long 1

	.section .note.GNU-stack, "", @progbits
