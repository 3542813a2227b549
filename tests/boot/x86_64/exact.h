/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64's part of exact.h: the window's instructions, the emulated PMU's events, and reading a counter
 * without a system call.
 */
#ifndef TESTS_BOOT_X86_64_EXACT_H
#define TESTS_BOOT_X86_64_EXACT_H

#include <stdbool.h>

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

struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};

static inline struct cpuid cpuid_of(uint32_t leaf)
{
	struct cpuid r = { .eax = leaf };

	__asm__ volatile("cpuid" : "+a"(r.eax), "=b"(r.ebx), "+c"(r.ecx), "=d"(r.edx));
	return r;
}

/* AMD's CPUs have no fixed counters. */
static inline bool is_amd(void)
{
	return cpuid_of(0).ebx == 0x68747541; /* "Auth" */
}

/* Zen 4, family 19h, models 10h to 1Fh, is the first of AMD's with reference cycles. */
static inline int kind_count(void)
{
	bool has_all = !is_amd() || (cpuid_of(1).eax & 0x0fff0f00) == 0x00a10f00;

	return (int)(sizeof(kinds) / sizeof(kinds[0])) - !has_all;
}

#define INSTRUCTIONS (&kinds[0])
/* A kind of which general_counters() can be counted at a time, and beside_instructions() with one of INSTRUCTIONS. */
#define GENERAL	     (&kinds[1])

/* GENERAL as a raw event: SDM vol. 3B, table 20-1; AMD's PPR, "Retired Branch Instructions". */
static inline uint64_t general_raw(void)
{
	return is_amd() ? 0x00c2 : 0x00c4;
}

/* General counters of this machine: CPUID.0AH:EAX[15:8]. AMD: CPUID.80000022H:EBX[3:0], six with
 * CPUID.80000001H:ECX[23], else four. */
static inline int general_counters(void)
{
	if (!is_amd())
		return cpuid_of(0xa).eax >> 8 & 0xff;
	if (cpuid_of(0x80000000).eax >= 0x80000022 && (cpuid_of(0x80000022).eax & 1))
		return cpuid_of(0x80000022).ebx & 0xf;
	return cpuid_of(0x80000001).ecx >> 23 & 1 ? 6 : 4;
}

/* Width of the counter with the operand INDEX of rdpmc; bit 30 names the fixed ones: CPUID.0AH:EDX[12:5] is their
 * width, EAX[23:16] the general ones'. */
static inline unsigned int counter_width(uint32_t index)
{
	struct cpuid leaf = cpuid_of(0xa);

	if (is_amd())
		return 48;
	return (index >> 30 & 1 ? leaf.edx >> 5 : leaf.eax >> 16) & 0xff;
}

/* Counters that are not general ones: events of the kinds 0, 2 and 3 have one each. */
#define FIXED_COUNTERS_MAX 3
static inline int fixed_counters(void)
{
	return is_amd() ? 0 : FIXED_COUNTERS_MAX;
}

/* Events of INSTRUCTIONS that can be counted at a time. */
static inline int instruction_counters(void)
{
	return general_counters() + (fixed_counters() != 0);
}

static inline int beside_instructions(void)
{
	return instruction_counters() - 1;
}

/* Events of the last kind that can be counted at a time: Intel's reference cycles have only their fixed counter. */
static inline int last_kind_counters(void)
{
	return fixed_counters() ? 1 : general_counters();
}

#endif
