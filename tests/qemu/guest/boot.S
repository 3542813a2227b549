/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * boot.S: from multiboot to C in long mode, on the boot CPU and on the others.
 *
 * All memory that the machine has, and the device space below 4 GiB, is mapped one to one with
 * 2 MiB pages that user mode may use too, with these exceptions: 2 to 3 GiB is not mapped; the
 * 2 MiB below it show the memory at WINDOW_PHYSICAL, so that code can be put right before nothing;
 * the 2 MiB below those show the local APIC, where an instruction can name it as an address.
 */

#include "layout.h"

#define MULTIBOOT_MAGIC		0x1badb002
#define CR0_PE_PG		0x80000001
#define CR4_PAE_PCE		0x120	/* RDPMC in user mode; a test takes it away */
#define EFER			0xc0000080
#define EFER_LME_SCE		0x101
#define PAGE_ALL		0x87	/* present, writable, user, 2 MiB */
#define TABLE_ALL		0x07

	.section .multiboot, "a"
	.long	MULTIBOOT_MAGIC, 0, -MULTIBOOT_MAGIC

	.text
	.code32
	.globl	_start
_start:
	movl	$boot_stack_top, %esp
	movl	%ebx, multiboot_info

	/* Four page directories, filled as one table of 2048 pages. */
	movl	$page_directories, %edi
	movl	$PAGE_ALL, %eax
	movl	$2048, %ecx
1:	movl	%eax, (%edi)
	movl	$0, 4(%edi)
	addl	$8, %edi
	addl	$0x200000, %eax
	loop	1b
	movl	$(page_directories + 2 * 4096), %edi
	xorl	%eax, %eax
	movl	$1024, %ecx
	rep stosl
	movl	$(WINDOW_PHYSICAL | PAGE_ALL), page_directories + 1023 * 8
	movl	$(APIC_PHYSICAL | PAGE_ALL), page_directories + 1022 * 8

	movl	$(page_directories + 0 * 4096 + TABLE_ALL), pdpt + 0
	movl	$(page_directories + 1 * 4096 + TABLE_ALL), pdpt + 8
	movl	$(page_directories + 2 * 4096 + TABLE_ALL), pdpt + 16
	movl	$(page_directories + 3 * 4096 + TABLE_ALL), pdpt + 24
	movl	$(pdpt + TABLE_ALL), pml4
	call	enter_long_mode
	ljmp	$CODE64, $1f
	.code64
1:	call	guest_main
	hlt

	/* Switches the CPU that calls to long mode, still in 32-bit code. */
	.code32
enter_long_mode:
	movl	$CR4_PAE_PCE, %eax
	movl	%eax, %cr4
	movl	$pml4, %eax
	movl	%eax, %cr3
	movl	$EFER, %ecx
	movl	$EFER_LME_SCE, %eax
	xorl	%edx, %edx
	wrmsr
	movl	$CR0_PE_PG, %eax
	movl	%eax, %cr0
	lgdt	gdt_pointer
	movl	$DATA, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	ret

	/* Where a startup interrupt lets another CPU begin; copied to TRAMPOLINE. */
	.code16
	.globl	trampoline, trampoline_end
trampoline:
	cli
	xorw	%ax, %ax
	movw	%ax, %ds
	lgdtl	TRAMPOLINE + (trampoline_gdt - trampoline)
	movl	$1, %eax
	movl	%eax, %cr0
	ljmpl	$CODE32, $ap_start32
	.balign	4
trampoline_gdt:
	.word	gdt_end - gdt - 1
	.long	gdt
trampoline_end:

	.code32
ap_start32:
	movl	$DATA, %eax
	movl	%eax, %ds
	movl	%eax, %ss
	movl	ap_stack, %esp
	call	enter_long_mode
	ljmp	$CODE64, $1f
	.code64
1:	call	guest_ap_main
	hlt

	.data
	.balign	8
	.globl	gdt, gdt_pointer
gdt:
	.quad	0
	.quad	0x00cf9b000000ffff	/* CODE32 */
	.quad	0x00af9b000000ffff	/* CODE64 */
	.quad	0x00cf93000000ffff	/* DATA, follows CODE64 as SYSCALL wants it */
	.quad	0x00cffb000000ffff	/* base of SYSRET's selectors: 32-bit user code */
	.quad	0x00cff3000000ffff	/* USER_DATA */
	.quad	0x00affb000000ffff	/* USER_CODE */
	.quad	0, 0			/* TSS, filled in by trap_init */
gdt_end:
gdt_pointer:
	.word	gdt_end - gdt - 1
	.quad	gdt

	.bss
	.balign	4096
pml4:	.skip	4096
pdpt:	.skip	4096
page_directories:
	.skip	4 * 4096
	.skip	16384
boot_stack_top:
	.globl	multiboot_info
multiboot_info:
	.skip	4

	.section .note.GNU-stack, "", @progbits
