/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64's part of exact.h: the window's instructions, the emulated PMU's events, and reading a counter
 * without a system call.
 */
#ifndef TESTS_BOOT_X86_64_EXACT_H
#define TESTS_BOOT_X86_64_EXACT_H

/*
 * Counted instructions of a window itself, after the first syscall instruction:
 *
 *	movq, movq, call		3 instructions, 1 branch
 *	movl, movl, movl, xorl, syscall	5 instructions, 1 branch
 */
#define WINDOW_INSTRUCTIONS 8
#define WINDOW_BRANCHES	    2

/* Where the user program goes on after each of the window's instructions but the call (which goes
 * to the work) and the last (which goes to the kernel): movq, movq; the work's ret; movl, movl,
 * movl, xorl. */
#define WINDOW_ADDRESSES    7

__asm__("	.text\n"
	"	.globl window_run\n"
	"	.type window_run, @function\n"
	"window_run:\n"
	"	pushq %rbx\n"
	"	movq %rdi, %rbx\n"
	"	movl 24(%rbx), %eax\n"
	"	movl 32(%rbx), %edi\n"
	"	movl 40(%rbx), %esi\n"
	"	xorl %edx, %edx\n"
	"	syscall\n"
	"	movq 8(%rbx), %rdi\n"
	"10:	movq 16(%rbx), %rsi\n"
	"11:	call *(%rbx)\n"
	"12:	movl 24(%rbx), %eax\n"
	"13:	movl 48(%rbx), %edi\n"
	"14:	movl 56(%rbx), %esi\n"
	"15:	xorl %edx, %edx\n"
	"16:	syscall\n"
	"	popq %rbx\n"
	"	ret\n"
	"	.section .rodata\n"
	"	.globl window_addresses\n"
	"	.balign 8\n"
	"window_addresses:\n"
	"	.quad 10b, 11b, 12b, 13b, 14b, 15b, 16b\n"
	"	.text\n"
	"	.size window_run, . - window_run\n");

/*
 * Reads the counter through the page, then by system call, with a known number of instructions in
 * between: those numbered, from rdpmc (which does not see itself) to the syscall.
 */
#define BETWEEN_INSTRUCTIONS 10
#define BETWEEN_BRANCHES     2

/* 0: done. 1: the event is on no counter. RAW: what rdpmc returned. */
int read_both_ways(const struct perf_event_mmap_page *page, int fd, uint64_t *called, uint64_t *raw,
		   uint64_t *offset);

__asm__("	.text\n"
	"	.globl read_both_ways\n"
	"	.type read_both_ways, @function\n"
	"read_both_ways:\n"
	"	pushq %rbx\n"
	"	movq %rdx, %rbx\n"
	"	movq %rcx, %r10\n"
	"1:	movl 8(%rdi), %r9d\n"
	"	movl 12(%rdi), %ecx\n"
	"	movq 16(%rdi), %rax\n"
	"	movq %rax, (%r8)\n"
	"	subl $1, %ecx\n"
	"	jb 2f\n"
	"	rdpmc\n"	      /* 1 */
	"	movl %eax, (%r10)\n"  /* 2 */
	"	movl %edx, 4(%r10)\n" /* 3 */
	"	cmpl %r9d, 8(%rdi)\n" /* 4 */
	"	jne 1b\n"	      /* 5, branch */
	"	xorl %eax, %eax\n"    /* 6 */
	"	movl %esi, %edi\n"    /* 7 */
	"	movq %rbx, %rsi\n"    /* 8 */
	"	movl $8, %edx\n"      /* 9 */
	"	syscall\n"	      /* 10, branch */
	"	xorl %eax, %eax\n"
	"	popq %rbx\n"
	"	ret\n"
	"2:	movl $1, %eax\n"
	"	popq %rbx\n"
	"	ret\n"
	"	.size read_both_ways, . - read_both_ways\n");

/* qemu/README.md: a cycle for each instruction and a second for each branch. */
static const struct kind kinds[] = {
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS, 1, 0 },
	{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, 1 },
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES, 1, 1 },
	{ "ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES, 1, 1 },
};

#define INSTRUCTIONS (&kinds[0])
/* A kind of which general_counters() can be counted at a time, each with one of INSTRUCTIONS; and its number as a raw
 * event: SDM vol. 3B, table 20-1. */
#define GENERAL	     (&kinds[1])
#define GENERAL_RAW  0x00c4

/* General counters of this machine, CPUID.0AH:EAX[15:8]. */
static inline int general_counters(void)
{
	uint32_t eax = 0xa, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return eax >> 8 & 0xff;
}

/* Events of INSTRUCTIONS that can be counted at a time. */
static inline int instruction_counters(void)
{
	return general_counters() + 1;
}

/* Counters that are not general ones: events of the kinds 0, 2 and 3 have one each. */
#define FIXED_COUNTERS 3

#endif
