/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counting windows whose own instructions are known: everything that user mode executes between the
 * kernel's enabling and its disabling of events, in assembly, so that the compiler adds nothing.
 * For tests with exact numbers.
 */
#ifndef TESTS_BOOT_EXACT_H
#define TESTS_BOOT_EXACT_H

#include <asm/unistd.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spin.h"

/*
 * Two system calls, the first of which starts counting and the second stops it, and RUN(N, MEMORY)
 * between them. Both calls are NUMBER(FIRST, SECOND, 0), the second with STOP in place of START as
 * its second (ioctl) or first (prctl) argument.
 *
 * Of the window itself are counted, behind the first syscall instruction:
 *
 *	movq, movq, call		3 instructions, 1 branch
 *	movl, movl, movl, xorl, syscall	5 instructions, 1 branch
 */
#define WINDOW_INSTRUCTIONS 8
#define WINDOW_BRANCHES	    2

struct window {
	spin_function *run;
	uint64_t n;
	void *memory;
	uint64_t number;		    /* of the system call */
	uint64_t start_first, start_second; /* its arguments to start */
	uint64_t stop_first, stop_second;   /* … and to stop */
};

void window_run(const struct window *window);

/* Where the user program goes on after each of the window's instructions but the call (which goes
 * to the work) and the last (which goes to the kernel): movq, movq; the work's ret; movl, movl,
 * movl, xorl. */
extern const uint64_t window_addresses[7];

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

/* Runs WORK of size N while the event FD, or its group, is enabled. */
static inline void run_enabled(int fd, const struct spin_work *work, uint64_t n, void *memory)
{
	const struct window window = {
		work->run,    n,
		memory,	      __NR_ioctl,
		(uint64_t)fd, PERF_EVENT_IOC_ENABLE,
		(uint64_t)fd, PERF_EVENT_IOC_DISABLE,
	};

	window_run(&window);
}

/* Runs WORK of size N while every event that this process has opened is enabled. */
static inline void run_all_enabled(const struct spin_work *work, uint64_t n, void *memory)
{
	const struct window window = {
		work->run,
		n,
		memory,
		__NR_prctl,
		PR_TASK_PERF_EVENTS_ENABLE,
		0,
		PR_TASK_PERF_EVENTS_DISABLE,
		0,
	};

	window_run(&window);
}

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

/* A kind of event, and how often it happens in a window. */
struct kind {
	const char *name;
	uint64_t config; /* PERF_TYPE_HARDWARE */
	uint64_t per_instruction, per_branch;
};

/* qemu/README.md: a cycle for each instruction and a second for each branch. */
static const struct kind kinds[] = {
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS, 1, 0 },
	{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, 1 },
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES, 1, 1 },
	{ "ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES, 1, 1 },
};
#define KINDS ((int)(sizeof(kinds) / sizeof(kinds[0])))

static inline uint64_t derive(const struct kind *kind, uint64_t instructions, uint64_t branches)
{
	return kind->per_instruction * instructions + kind->per_branch * branches;
}

/* What an event of KIND counts while a window runs WORK of size N. */
static inline uint64_t derive_window(const struct kind *kind, const struct spin_work *work,
				     uint64_t n)
{
	return derive(kind, WINDOW_INSTRUCTIONS + spin_derive(work->instructions, n),
		      WINDOW_BRANCHES + spin_derive(work->branches, n));
}

/* An attribute for KIND in user mode only, disabled. */
static inline struct perf_event_attr user_attr(const struct kind *kind)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(struct perf_event_attr),
		.config = kind->config,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

static inline int open_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	return (int)syscall(__NR_perf_event_open, attr, pid, cpu, group, 0);
}

static int cpus_at_start;

/* Before main, because the C library counts the CPUs that the caller may run on: a test that has bound
 * itself to one would see a machine of one. */
__attribute__((constructor)) static void count_cpus(void)
{
	cpus_at_start = (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* CPUs of the machine. */
static inline int cpu_count(void)
{
	return cpus_at_start;
}

static inline void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		abort();
}

/* General counters of this machine, CPUID.0AH:EAX[15:8]. */
static inline int general_counters(void)
{
	uint32_t eax = 0xa, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return eax >> 8 & 0xff;
}

/* Memory for WORK of size N, all pages untouched; NULL if it needs none. */
static inline void *map_memory(const struct spin_work *work, uint64_t n)
{
	size_t bytes = spin_memory_bytes(work, n);

	return bytes ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0) :
		       NULL;
}

static inline void unmap_memory(const struct spin_work *work, uint64_t n, void *memory)
{
	if (memory)
		munmap(memory, spin_memory_bytes(work, n));
}

#endif
