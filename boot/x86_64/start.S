/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the loader to C: multiboot headers, PVH's note, 32-bit entry, long mode, higher half.
 *
 * Sources: Multiboot Specification 0.6.96 (section 3.1), Multiboot2 Specification 2.0 (section 3.1),
 * <machine/pvh.h>, SDM vol. 3A 9.8.5 "Initializing IA-32e Mode".
 *
 * QEMU's -kernel takes multiboot 1 and refuses ELF64 there, hence the a.out address fields; GRUB takes
 * multiboot 2 and reads the ELF program headers. Only the multiboot 2 header requests a screen: for a
 * request in the multiboot 1 header, QEMU would print at each start that it has none.
 *
 * These page tables are in use until paging.c has built the real ones, and again for the first
 * instructions of each further CPU (smp_start.S): the first 4 GiB, everything writable and executable,
 * at address 0 and at DIRECT_MAP_BASE, and the first GiB of it at KERNEL_IMAGE_BASE.
 */
#include <machine/cpu.h>
#include <machine/mmu.h>
#include <machine/msr.h>
#include <machine/pvh.h>
#include <machine/task.h>

#define PHYSICAL(symbol) ((symbol) - KERNEL_IMAGE_BASE)

#define MULTIBOOT1_MAGIC	0x1badb002
#define MULTIBOOT1_PAGE_ALIGN	(1 << 0) /* align modules to pages */
#define MULTIBOOT1_MEMORY	(1 << 1) /* give a memory map */
#define MULTIBOOT1_ADDRESSES	(1 << 16)
#define MULTIBOOT1_FLAGS	(MULTIBOOT1_PAGE_ALIGN | MULTIBOOT1_MEMORY | MULTIBOOT1_ADDRESSES)

#define MULTIBOOT2_MAGIC	0xe85250d6
#define MULTIBOOT2_ARCH_I386	0
#define MULTIBOOT2_TAG_END	0
#define MULTIBOOT2_TAG_CONSOLE	4
#define MULTIBOOT2_TAG_FRAMEBUFFER 5
#define MULTIBOOT2_TAG_MODULE_ALIGN 6
#define MULTIBOOT2_TAG_OPTIONAL	(1 << 0) /* a tag's flag: the loader may ignore it */
#define MULTIBOOT2_CONSOLE_TEXT	(1 << 1) /* we can use EGA text */

	.section .boot.header, "a"
	.balign 8
multiboot1_header:
	.long	MULTIBOOT1_MAGIC
	.long	MULTIBOOT1_FLAGS
	.long	-(MULTIBOOT1_MAGIC + MULTIBOOT1_FLAGS)
	.long	multiboot1_header	/* load address of this header */
	.long	KERNEL_LOAD_ADDRESS
	.long	PHYSICAL(__load_end)
	.long	PHYSICAL(__bss_end)
	.long	boot_start

	.balign 8
multiboot2_header:
	.long	MULTIBOOT2_MAGIC
	.long	MULTIBOOT2_ARCH_I386
	.long	multiboot2_end - multiboot2_header
	.long	-(MULTIBOOT2_MAGIC + MULTIBOOT2_ARCH_I386 + (multiboot2_end - multiboot2_header))
	.word	MULTIBOOT2_TAG_MODULE_ALIGN, 0
	.long	8
	/* A screen of text, or one of pixels in the loader's preferred mode; or none. */
	.word	MULTIBOOT2_TAG_CONSOLE, MULTIBOOT2_TAG_OPTIONAL
	.long	12
	.long	MULTIBOOT2_CONSOLE_TEXT
	.balign	8
	.word	MULTIBOOT2_TAG_FRAMEBUFFER, MULTIBOOT2_TAG_OPTIONAL
	.long	20
	.long	0, 0, 0			/* width, height, depth: any */
	.balign	8
	.word	MULTIBOOT2_TAG_END, 0
	.long	8
multiboot2_end:

	.section .boot.note, "a", @note
	.long	4, 8, PVH_NOTE_ENTRY	/* sizes of name and contents */
	.asciz	"Xen"
	.quad	boot_start_pvh

#define PAGE_PRESENT	(1 << 0)
#define PAGE_WRITE	(1 << 1)
#define PAGE_LARGE	(1 << 7)
#define TABLE_FLAGS	(PAGE_PRESENT | PAGE_WRITE)

#define COM1		0x3f8
#define COM1_STATUS	(COM1 + 5)
#define COM1_EMPTY	(1 << 5)
#define VGA_TEXT	0xb8000		/* its first row */
#define VGA_GREY	0x07		/* light grey on black */

#define CR0_PE		(1 << 0)
#define CR0_PG		(1 << 31)
#define CR4_PAE		(1 << 5)
#define EFER_LME	(1 << 8)

#define EFLAGS_CPUID		(1 << 21)
#define CPUID_EXTENDED		0x80000000
#define CPUID_EXTENDED_LONG_MODE (1 << 29) /* leaf 0x80000001, EDX */
#define CPUID_SSE2		(7 << 24)  /* leaf 1, EDX: FXSAVE, SSE, SSE2 */

	.section .boot.text, "ax"
	.code32
/* ebx: physical address of PVH's start information; else as below. */
boot_start_pvh:
	movl	$PVH_MAGIC, %eax
	.global boot_start
/* eax: the loader's magic, ebx: physical address of its information. Interrupts off, paging off. */
boot_start:
	cld
	movl	$PHYSICAL(boot_stack_end), %esp
	movl	%eax, %ebp		/* ebp and ebx keep these until C */
	movl	$PHYSICAL(no_long_mode_text), %esi

	/* A CPU has CPUID if this flag can be changed. */
	pushfl
	popl	%eax
	movl	%eax, %ecx
	xorl	$EFLAGS_CPUID, %eax
	pushl	%eax
	popfl
	pushfl
	popl	%eax
	cmpl	%ecx, %eax
	je	unfit
	movl	$CPUID_EXTENDED, %eax
	pushl	%ebx
	cpuid
	cmpl	$CPUID_EXTENDED, %eax
	jbe	unfit
	movl	$CPUID_EXTENDED + 1, %eax
	cpuid
	testl	$CPUID_EXTENDED_LONG_MODE, %edx
	jz	unfit
	movl	$PHYSICAL(no_sse2_text), %esi
	movl	$1, %eax
	cpuid
	popl	%ebx
	notl	%edx
	testl	$CPUID_SSE2, %edx
	jnz	unfit

	/* Four page directories of 2 MiB pages: 4 GiB. */
	movl	$PHYSICAL(boot_directories), %edi
	movl	$(PAGE_LARGE | TABLE_FLAGS), %eax
1:	movl	%eax, (%edi)
	movl	$0, 4(%edi)
	addl	$8, %edi
	addl	$0x200000, %eax
	jnc	1b

	/* Page-directory pointers: the low table for 0 and the direct map, the high one for the
	 * image. */
	movl	$PHYSICAL(boot_low_pointers), %edi
	movl	$PHYSICAL(boot_directories) + TABLE_FLAGS, %eax
	movl	$4, %ecx
2:	movl	%eax, (%edi)
	addl	$8, %edi
	addl	$4096, %eax
	loop	2b
	movl	$PHYSICAL(boot_directories) + TABLE_FLAGS, PHYSICAL(boot_high_pointers) + 510 * 8

	movl	$PHYSICAL(boot_low_pointers) + TABLE_FLAGS, %eax
	movl	%eax, PHYSICAL(boot_root)
	movl	%eax, PHYSICAL(boot_root) + 256 * 8
	movl	$PHYSICAL(boot_high_pointers) + TABLE_FLAGS, PHYSICAL(boot_root) + 511 * 8

	movl	$PHYSICAL(boot_root), %eax
	movl	%eax, %cr3
	movl	%cr4, %eax
	orl	$CR4_PAE, %eax
	movl	%eax, %cr4
	movl	$MSR_EFER, %ecx
	rdmsr
	orl	$EFER_LME, %eax
	wrmsr
	movl	%cr0, %eax
	orl	$(CR0_PG | CR0_PE), %eax
	movl	%eax, %cr0
	lgdt	PHYSICAL(boot_gdt_pointer)
	ljmp	$SELECTOR_KERNEL_CODE, $boot_long_mode

/* esi: a text. Too early for the log: it goes to COM1 at the firmware's speed and to the top row of a VGA in
 * text mode; then the exit device. */
unfit:
	movl	$VGA_TEXT, %edi
3:	movw	$COM1_STATUS, %dx
	inb	%dx, %al
	testb	$COM1_EMPTY, %al	/* set, too, where there is no line */
	jz	3b
	movw	$COM1, %dx
	lodsb
	testb	%al, %al
	jz	4f
	outb	%al, %dx
	cmpb	$' ', %al
	jb	3b
	movb	$VGA_GREY, %ah
	stosw
	jmp	3b
4:	movl	$0x22, %eax
	movw	$0xf4, %dx
	outl	%eax, %dx
5:	cli
	hlt
	jmp	5b

	.code64
boot_long_mode:
	movabsq	$boot_high_half, %rax
	jmp	*%rax

	.text
boot_high_half:
	movl	$SELECTOR_KERNEL_DATA, %eax
	movl	%eax, %ss
	xorl	%eax, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %fs
	movl	%eax, %gs
	movq	$boot_stack_end, %rsp
	movl	$MSR_GS_BASE, %ecx
	movq	$cpu_locals, %rax
	movq	%rax, %rdx
	shrq	$32, %rdx
	wrmsr
	movl	%ebp, %edi
	movl	%ebx, %esi
	xorl	%ebp, %ebp		/* ends backtraces */
	pushq	$0
	call	boot_main
	ud2

	.section .rodata
no_long_mode_text:
	.asciz	"tally: boot: this CPU has no 64-bit mode; choose an x86-64 model\r\n"
no_sse2_text:
	.asciz	"tally: boot: this CPU has no SSE2, or the firmware hides it; choose a model that has it\r\n"

	/* Enough for long mode; descriptors.c gives every CPU its own. */
	.balign	8
	.global	boot_gdt
boot_gdt:
	.quad	0
	.quad	0
	.quad	0x00af9a000000ffff	/* SELECTOR_KERNEL_CODE: 64-bit, ring 0 */
	.quad	0x00cf92000000ffff	/* SELECTOR_KERNEL_DATA */
boot_gdt_pointer:
	.word	. - boot_gdt - 1
	.long	PHYSICAL(boot_gdt)
	.long	0

	.bss
	.balign	4096
	.global	boot_root, boot_stack_guard, boot_stack_end
boot_root:		.skip 4096
boot_low_pointers:	.skip 4096
boot_high_pointers:	.skip 4096
boot_directories:	.skip 4 * 4096
/* The boot CPU's stack; later the stack of its idle task. The page below stays unmapped after
 * paging_init. */
boot_stack_guard:	.skip 4096
			.skip KERNEL_STACK_SIZE
boot_stack_end:

	.section .note.GNU-stack, "", @progbits
