/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first instructions of a further CPU: copied to a page below 1 MiB, where the start-up interrupt
 * starts them in real mode.
 *
 * They take the steps of start.S, with the tables that start.S made. The CPU then takes the next
 * number, and with it its stack. Several CPUs may run this code at once.
 *
 * Source: SDM vol. 3A 9.4 "Multiple-Processor (MP) Initialization", 9.8.5; 12.5.1 "Cache Control
 * Registers and Bits".
 */
#include <machine/cpu.h>
#include <machine/mmu.h>
#include <machine/msr.h>
#include <machine/task.h>

#define PHYSICAL(symbol) ((symbol) - KERNEL_IMAGE_BASE)

/* Bits that real mode lacks. */
#define CR0_PE	 (1 << 0)
#define CR0_NW	 (1 << 29)
#define CR0_CD	 (1 << 30)
#define CR0_PG	 (1 << 31)
#define CR4_PAE	 (1 << 5)
#define EFER_LME (1 << 8)
#define EFER_NXE (1 << 11) /* the kernel's own tables use it */

	.section .rodata
	.global	smp_start_code, smp_start_code_end
	.balign	16
	.code16
/* cs:0 is the start of the page. */
smp_start_code:
	cli
	movw	%cs, %ax
	movw	%ax, %ds
	lgdtl	start_gdt_pointer - smp_start_code
	movl	%cr4, %eax
	orl	$CR4_PAE, %eax
	movl	%eax, %cr4
	movl	$PHYSICAL(boot_root), %eax
	movl	%eax, %cr3
	movl	$MSR_EFER, %ecx
	rdmsr
	orl	$(EFER_LME | EFER_NXE), %eax
	wrmsr
	movl	%cr0, %eax
	andl	$~(CR0_CD | CR0_NW), %eax	/* the CPU's caches may still be off */
	orl	$(CR0_PG | CR0_PE), %eax
	movl	%eax, %cr0
	/* The CPU is in compatibility mode; a far jump to the 64-bit segment leaves it. The target is
	 * outside this page, so this code need not know the page's address. */
	ljmpl	$SELECTOR_KERNEL_CODE, $smp_start_long
	.balign	4
start_gdt_pointer:
	.word	4 * 8 - 1
	.long	PHYSICAL(boot_gdt)
smp_start_code_end:

	.code64
	.section .boot.text, "ax"
	.global	boot_gdt
smp_start_long:
	movabsq	$smp_start_high, %rax
	jmp	*%rax

	.text
smp_start_high:
	movl	$SELECTOR_KERNEL_DATA, %eax
	movl	%eax, %ss
	xorl	%eax, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %fs
	movl	%eax, %gs
	movl	$1, %edi
	lock xaddl %edi, smp_next_number(%rip)
	cmpl	smp_number_limit(%rip), %edi
	jae	too_many
	/* Only the kernel's own tables map the CPU's stack and data. */
	movq	smp_root(%rip), %rax
	movq	%rax, %cr3
	movl	%edi, %eax
	movq	smp_stacks(, %rax, 8), %rsp
	imulq	$CPU_LOCAL_SIZE, %rax
	addq	$cpu_locals, %rax
	movq	%rax, %rdx
	shrq	$32, %rdx
	movl	$MSR_GS_BASE, %ecx
	wrmsr
	xorl	%ebp, %ebp
	pushq	$0
	call	smp_start_cpu	/* (number) */
	ud2
too_many:
	cli
	hlt
	jmp	too_many

	.section .note.GNU-stack, "", @progbits
