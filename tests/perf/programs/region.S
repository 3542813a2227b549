/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * region.S: a program that lets `tally count --control` count a part of it (tests/perf/count.t).
 *
 * The counters are on from the end of the first read to the second, in which the program waits until they are off: user
 * instructions: 1, 2 * 1000 of the loop, 5 with SYSCALL for write, 5 for read; branches: 1000 JNZ and 2 SYSCALL.
 */
	.data
control: .asciz "/tmp/control"
answers: .asciz "/tmp/answers"
enable:	.ascii "enable\n"
disable: .ascii "disable\n"
ack:	.skip 4

	.macro open path, flags
	mov $2,%eax
	mov $\path,%edi
	mov $\flags,%esi
	syscall
	.endm

	.macro transfer number, descriptor, text, bytes
	mov $\number,%eax
	mov \descriptor,%edi
	mov $\text,%esi
	mov $\bytes,%edx
	syscall
	.endm

	.globl _start
	.text
_start:	open control,1
	mov %eax,%ebx
	open answers,0
	mov %eax,%ebp
	transfer 1,%ebx,enable,7
	transfer 0,%ebp,ack,4
	mov $1000,%ecx
1:	dec %ecx
	jnz 1b
	transfer 1,%ebx,disable,8
	transfer 0,%ebp,ack,4
	mov $5000,%ecx
2:	dec %ecx
	jnz 2b
	mov $60,%eax
	xor %edi,%edi
	syscall
