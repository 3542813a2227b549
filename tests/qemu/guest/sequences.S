/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sequences.S: code whose instructions and branches have been counted by hand.
 *
 *	KERNEL name, instructions, branches [, exceptions]
 *	USER name, instructions, branches, of the kernel meanwhile: instructions, branches, exceptions
 *
 * begin one and add it to a table (struct sequence). The numbers are of the whole function with the
 * instruction that ends it, RET or INT VECTOR_LEAVE, and of the handlers that it comes to; a faulting
 * instruction is none. RDI holds the address of 128 KiB of scratch memory.
 */

#include "layout.h"

	.macro	SEQUENCE table, name, numbers:vararg
	.pushsection .rodata.names, "a"
9:	.asciz	"\name"
	.popsection
	.pushsection .rodata.\table, "a"
	.quad	9b, 8f, \numbers
	.popsection
	.balign	16
8:
	.endm

	.macro	TABLE name
	.globl	\name
	.pushsection .rodata.\name, "a"
	.balign	8
\name:
	.popsection
	.endm

	.macro	END name
	.pushsection .rodata.\name, "a"
	.quad	0, 0, 0, 0, 0, 0, 0
	.popsection
	.endm

	.text

	TABLE	kernel_sequences
	.macro	KERNEL name, insns, branches, exceptions=0
	SEQUENCE kernel_sequences, "\name", \insns, \branches, 0, 0, \exceptions
	.endm

	KERNEL	"an empty function", 1, 1
	ret

	KERNEL	"straight code", 6, 1
	nop
	addl	$1, %eax
	imull	$7, %eax, %eax
	cpuid				/* not a branch, though serializing */
	xchgq	%rax, (%rdi)
	ret

	KERNEL	"a taken conditional branch", 3, 2
	xorl	%eax, %eax
	jz	1f
	nop
1:	ret

	KERNEL	"a conditional branch that is not taken", 4, 2
	xorl	%eax, %eax
	jnz	1f
	nop
1:	ret

	KERNEL	"a loop of 1,000 by DEC and JNZ", 2002, 1001
	movl	$1000, %ecx
1:	decl	%ecx
	jnz	1b
	ret

	KERNEL	"a loop of 1,000 by LOOP", 1002, 1001
	movl	$1000, %ecx
1:	loop	1b
	ret

	KERNEL	"LOOPE and LOOPNE, JRCXZ taken and not", 10, 5
	xorl	%eax, %eax
	movl	$2, %ecx
	testl	%eax, %eax
	loope	1f
	nop
1:	jrcxz	2f
2:	loopne	3f			/* ZF is set: not taken */
3:	nop
	jrcxz	4f
	nop
4:	nop
	ret

	KERNEL	"direct, indirect and register jumps", 6, 4
	jmp	1f
	nop
1:	leaq	2f(%rip), %rax
	jmp	*%rax
	nop
2:	jmp	*3f(%rip)
	nop
	.pushsection .rodata
	.balign	8
3:	.quad	4f
	.popsection
	nop
4:	nop
	ret

	KERNEL	"calls and returns: near, indirect, RET with a number", 9, 7
	call	1f
	leaq	1f(%rip), %rax
	call	*%rax
	pushq	%rax
	call	2f
	ret
1:	ret
2:	ret	$8

	KERNEL	"a far call and a far return", 3, 3
	lcall	*1f(%rip)
	ret
	.pushsection .rodata
	.balign	8
1:	.long	2f
	.word	CODE64
	.popsection
2:	lretl

	KERNEL	"far jump by IRETQ", 8, 2
	movq	%rsp, %rax
	pushq	$DATA
	pushq	%rax
	pushfq
	pushq	$CODE64
	pushq	$1f
	iretq
1:	ret

	KERNEL	"INT n and INT3 whose handlers return at once", 5, 5
	int	$VECTOR_RETURN
	int3
	ret

	KERNEL	"REP MOVSB of 0 to 70,000 bytes, as one each", 18, 1
	movq	%rdi, %r8
	leaq	65536(%rdi), %r9
	.irp	length, 0, 1, 65536
	movq	%r8, %rdi
	movq	%r9, %rsi
	movl	$\length, %ecx
	rep movsb
	.endr
	movl	$70000, %ecx
	movq	%r8, %rdi
	rep stosb
	ret

	KERNEL	"REPE CMPSB and REPNE SCASB that end early", 11, 1
	movb	$0, (%rdi)
	movb	$1, 5(%rdi)
	movl	$0, 1(%rdi)
	movq	%rdi, %rsi
	movl	$100, %ecx
	repe cmpsb			/* equal throughout: ends by RCX */
	leaq	-100(%rdi), %rdi
	movl	$1000, %ecx
	movb	$1, %al
	repne scasb			/* ends at the sixth byte */
	ret

	KERNEL	"shadows of STI and MOV SS", 7, 1
	cli
	sti
	nop
	movl	%ss, %eax
	movl	%eax, %ss
	nop
	ret

	KERNEL	"code that changes its own next instruction", 4, 1
	movb	$2, 1f + 1(%rip)
	nop
1:	movb	$1, %al
	ret

	KERNEL	"code that changes its own block, 100 times", 402, 101
	movl	$100, %ecx
1:	movb	%cl, 2f + 1(%rip)
2:	movb	$1, %al
	decl	%ecx
	jnz	1b
	ret

	KERNEL	"locked and unaligned memory access", 7, 1
	lock incl (%rdi)
	lock cmpxchg8b 8(%rdi)
	movq	%rax, 4093(%rdi)
	lock incl 4093(%rdi)		/* across a page: another path of the emulator */
	movq	4093(%rdi), %rax
	addq	%rax, 8189(%rdi)
	ret

	KERNEL	"registers of devices", 8, 1
	movl	APIC + 0x20, %eax
	movl	APIC + 0x30, %eax
	movl	$0, APIC + APIC_EOI
	inb	$0x61, %al
	outb	%al, $0x80
	movl	APIC + 0x20, %eax
	nop
	ret

	KERNEL	"PAUSE, RDTSC, RDMSR, WRMSR", 10, 1
	pause
	rdtsc
	movl	$0x10, %ecx
	rdmsr
	movl	$0xc0000102, %ecx
	rdmsr
	wrmsr
	pause
	nop
	ret

	KERNEL	"INT1, whose handler returns at once", 3, 3, 1
	.byte	0xf1
	ret

	KERNEL	"an instruction across a page boundary", 4, 2
	jmp	1f
	.balign	4096
	.skip	4093
1:	movl	$1, %eax
	nop
	ret

	KERNEL	"2,000 instructions in a row", 2001, 1
	.rept	2000
	nop
	.endr
	ret

	KERNEL	"faulting UD2, not counted; handler 2 (1)", 4, 2, 1
	nop
	ud2
	ret

	KERNEL	"an instruction that no decoder knows; handler 2 (1)", 3, 2, 1
	.byte	0x0f, 0x0a
	ret

	KERNEL	"division by zero, not counted; handler 2 (1)", 4, 2, 1
	xorl	%ecx, %ecx
	divl	%ecx
	ret

	KERNEL	"a load that faults, is mended and tried again; handler 3 (1)", 8, 2, 1
	movl	$UNMAPPED, %edi
	nop
	movl	(%rdi), %eax
	nop
	ret

	KERNEL	"a REP STOSB that faults in the middle; handler 3 (1)", 7, 2, 1
	movl	$UNMAPPED - 100, %edi
	movl	$200, %ecx
	rep stosb
	ret

	KERNEL	"#GP for a non-canonical address; handler 3 (1)", 6, 2, 1
	movl	$1, %eax
	shlq	$63, %rax
	movb	(%rax), %al
	ret
	END	kernel_sequences

	/* Not in the table, because #PF has another handler here, 6 (1): 9 (3). */
	.globl	fetch_fault
fetch_fault:
	movl	$UNMAPPED, %eax
	call	*%rax
	ret

	TABLE	user_sequences
	.macro	USER name, numbers:vararg
	SEQUENCE user_sequences, "\name", \numbers
	.endm

	USER	"an empty program", 1, 1, 5, 1, 0
	int	$VECTOR_LEAVE

	USER	"SYSCALL 10 times", 32, 21, 15, 11, 0
	movl	$10, %ebx
1:	syscall
	decl	%ebx
	jnz	1b
	int	$VECTOR_LEAVE

	USER	"INT n 10 times", 32, 21, 15, 11, 0
	movl	$10, %ebx
1:	int	$VECTOR_RETURN
	decl	%ebx
	jnz	1b
	int	$VECTOR_LEAVE

	USER	"faults: UD2, HLT, CLI, divide, INT that is not allowed", 7, 1, 18, 6, 5
	nop
	ud2
	nop
	hlt
	nop				/* HLT is one byte; the handler skips two */
	cli
	nop
	xorl	%ecx, %ecx
	divl	%ecx
	int	$VECTOR_KERNEL_ONLY
	nop
	nop
	nop
	int	$VECTOR_LEAVE

	USER	"a load that faults, is mended and tried again", 4, 1, 8, 2, 1
	movl	$UNMAPPED, %edi
	movl	(%rdi), %eax
	nop
	int	$VECTOR_LEAVE
	END	user_sequences

	/* In long mode SYSENTER is undefined on AMD's CPUs. */
	TABLE	sysenter_intel
	SEQUENCE sysenter_intel, "SYSENTER, answered by SYSEXIT", 4, 2, 6, 2, 0
	leaq	1f(%rip), %rdx
	movq	%rsp, %rcx
	sysenter
1:	int	$VECTOR_LEAVE
	END	sysenter_intel

	TABLE	sysenter_amd
	SEQUENCE sysenter_amd, "SYSENTER, undefined", 3, 1, 7, 2, 1
	leaq	1f(%rip), %rdx
	movq	%rsp, %rcx
	sysenter
1:	int	$VECTOR_LEAVE
	END	sysenter_amd

	/* For the bench: in and out of the kernel 1,000 times. */
	.globl	system_calls
system_calls:
	movl	$1000, %ebx
1:	syscall
	decl	%ebx
	jnz	1b
	int	$VECTOR_LEAVE

	/* STI, HLT, the timer's handler 3 (1), RET: 6 (2), however long the halt. */
	.globl	halt_until_tick
halt_until_tick:
	sti
	hlt
	ret

	/* To be single-stepped in user mode: 22 (11), 21 of them followed by a trap. */
	.globl	stepped
stepped:
	movl	$10, %ecx
1:	decl	%ecx
	jnz	1b
	int	$VECTOR_LEAVE

	/* A PMI after CALL and HLT has to wake the CPU. */
	.globl	halting, halting_end
halting:
	hlt
halting_end:
	ret

	/* A pending interrupt may come after STI and one instruction more. */
	.globl	opening, opening_end
opening:
	sti
	nop
opening_end:
	nop
	cli
	ret

	/* Long enough for a timer to interrupt it often: 12,004 (2,001) in user mode. */
	.globl	interrupted_copy
interrupted_copy:
	movq	%rdi, %r8
	leaq	65536(%rdi), %r9
	movl	$2000, %ebx
1:	movq	%r8, %rdi
	movq	%r9, %rsi
	movl	$65536, %ecx
	rep movsb
	decl	%ebx
	jnz	1b
	int	$VECTOR_LEAVE

	/*
	 * The code that the PMI tests interrupt: straight code, branches, a REP string instruction. No
	 * instruction follows itself, so that in a single-step trace only passes of REP do.
	 */
	.globl	pmi_block
pmi_block:
	movl	$20, %ecx
1:	nop
	addl	%ecx, %eax
	testb	$1, %cl
	jz	2f
	imull	$3, %eax, %eax
	call	4f
	jmp	3f
2:	addl	$5, %eax
	movq	%rax, (%rdi)
	xorl	(%rdi), %edx
	addl	$7, %eax
	subl	%eax, %edx
3:	decl	%ecx
	jnz	1b
	movl	$300, %ecx
	rep stosb
	movl	$scratch, %edi
	.rept	40
	addl	$1, %eax
	addq	$1, (%rdi)
	.endr
	ret
4:	pushq	%rax
	popq	%rax
	ret

	/* The same in user mode; its first instruction is a CALL too. */
	.globl	user_block
user_block:
	call	pmi_block
	int	$VECTOR_LEAVE

	.section .note.GNU-stack, "", @progbits
