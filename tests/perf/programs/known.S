/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * known.S: a program whose instructions tests/perf/count.t counts by hand. With an argument the exit status is 3. Its only
 * memory is the number of its arguments.
 *
 * User instructions: 2, 2 * 1000 of the loop, and 4; branches: 1000 JNZ, JE and SYSCALL. With an argument, MOV and JMP more.
 */
	.globl _start
_start:	mov $1000,%ecx
	xor %edi,%edi
1:	dec %ecx
	jnz 1b
	mov $60,%eax
	cmpq $1,(%rsp)
	je 2f
	mov $3,%edi
	jmp 2f
2:	syscall
