/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counted.S: accesses that tests/perf/cachegrind.t counts: by rows of 2 KiB, over lines, read-modify-writes, the stack.
 * It has a stack of its own, so that no address depends on who runs it.
 */
	.globl _start
	.bss
	.balign 4096
area:	.skip 1<<20
	.skip 4096
stack:
	.text
	.balign 4096
_start:	lea stack(%rip),%rsp
	lea area(%rip),%rbx
	mov $512,%ecx
1:	mov (%rbx),%rax
	add %rax,%rdx
	add $2048,%rbx
	dec %ecx
	jnz 1b
	lea area+61(%rip),%rbx
	mov $1000,%ecx
2:	mov (%rbx),%rax
	add %rax,%rdx
	mov %rdx,64(%rbx)
	addq $1,128(%rbx)
	add $64,%rbx
	dec %ecx
	jnz 2b
	mov $100,%ebx
3:	push %rbx
	call 5f
	pop %rdx
	dec %ebx
	jnz 3b
	mov $60,%eax
	mov $0,%edi
	syscall
5:	ret
