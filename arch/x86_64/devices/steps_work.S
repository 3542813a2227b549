/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The known work of <uapi/tally/pmu_steps.h>, and the handler of the interrupt that a CPU sends to itself. Each
 * function takes the number of passes in rdi, and executes the instructions that the header names for each pass, and
 * as many around them for each number of passes.
 */
#include <machine/cpu.h>
#include <machine/msr.h>
#include <machine/trap.h>

/* SDM vol. 3A, tables 11-1 and 11-6. */
#define APIC_EOI	     0x0b0
#define APIC_COMMAND	     0x300
#define MSR_X2APIC_EOI	     0x80b
#define MSR_X2APIC_SELF	     0x83f
/* Fixed, assert, to self. */
#define COMMAND_SELF	     (1 << 18 | 1 << 14 | VECTOR_PMU_WORK)

/* An interrupt that is sent has arrived after so many PAUSEs. */
#define DELAY_PAUSES	     32

/* struct interrupt_counts: 256 words. */
#define INTERRUPT_COUNTS_LOG 10

	.macro FUNCTION name
	.global	\name
	.type	\name, @function
\name:
	.endm

	.text

/* void steps_work_loop(uint64_t passes) */
FUNCTION steps_work_loop
	testq	%rdi, %rdi
	jz	2f
1:	decq	%rdi
	jnz	1b
2:	ret
	.size	steps_work_loop, . - steps_work_loop

/* void steps_work_cpuid(uint64_t passes) */
FUNCTION steps_work_cpuid
	pushq	%rbx
	testq	%rdi, %rdi
	jz	2f
1:	xorl	%eax, %eax
	xorl	%ecx, %ecx
	cpuid
	decq	%rdi
	jnz	1b
2:	popq	%rbx
	ret
	.size	steps_work_cpuid, . - steps_work_cpuid

/* void steps_work_string(uint64_t bytes, void *buffer) */
FUNCTION steps_work_string
	movq	%rdi, %rcx
	movq	%rsi, %rdi
	xorl	%eax, %eax
	rep stosb
	ret
	.size	steps_work_string, . - steps_work_string

/* void steps_work_not_taken(uint64_t passes). No instruction of the loop changes CF. */
FUNCTION steps_work_not_taken
	testq	%rdi, %rdi		/* CF = 0 */
	jz	2f
1:	jc	2f
	decq	%rdi
	jnz	1b
2:	ret
	.size	steps_work_not_taken, . - steps_work_not_taken

/*
 * void steps_work_interrupt(uint64_t passes, volatile uint32_t *apic): APIC is NULL in x2APIC mode. Interrupts off; task
 * context, so that no interrupt of a higher vector is in service. Both modes take as many instructions: 110 in a pass.
 */
FUNCTION steps_work_interrupt
	testq	%rdi, %rdi
	jz	4f
1:	testq	%rsi, %rsi
	jz	2f
	movl	$COMMAND_SELF, APIC_COMMAND(%rsi)
	nop
	nop
	nop
	jmp	3f
2:	movl	$MSR_X2APIC_SELF, %ecx
	movl	$VECTOR_PMU_WORK, %eax
	xorl	%edx, %edx
	wrmsr
	nop
3:	movl	$DELAY_PAUSES, %ecx
5:	pause
	decl	%ecx
	jnz	5b
	sti
	nop
	nop
	cli
	decq	%rdi
	jnz	1b
4:	ret
	.size	steps_work_interrupt, . - steps_work_interrupt

/*
 * Entered from the stub of VECTOR_PMU_WORK. 23 instructions with the stub's three, in both modes of the APIC. From ring
 * 3, where a broken device could send it, the GS base is the user's: the interrupt is not counted.
 */
FUNCTION steps_work_entry
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	testb	$3, 48(%rsp)		/* cs */
	jnz	1f
	movl	%gs:CPU_LOCAL_ID, %eax
	shll	$INTERRUPT_COUNTS_LOG, %eax
	incl	interrupt_counts + 4 * VECTOR_PMU_WORK(%rax)
1:	movq	apic_page, %rax
	testq	%rax, %rax
	jz	2f
	movl	$0, APIC_EOI(%rax)
	nop
	nop
	jmp	3f
2:	movl	$MSR_X2APIC_EOI, %ecx
	xorl	%eax, %eax
	xorl	%edx, %edx
	wrmsr
3:	popq	%rdx
	popq	%rcx
	popq	%rax
	addq	$16, %rsp
	iretq
	.size	steps_work_entry, . - steps_work_entry

	.section .note.GNU-stack, "", @progbits
