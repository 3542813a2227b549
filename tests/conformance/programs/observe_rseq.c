/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Restartable sequences and membarrier. The C library has registered an area for the first thread: it is
 * given back first.
 */
#include "timing.h"

#include <sched.h>
#include <sys/auxv.h>
#include <sys/rseq.h>

#define SIGNATURE			   0x53053053
#define RSEQ(area, size, flags, signature) syscall(SYS_rseq, area, size, flags, signature)
#define MEMBARRIER(command, flags, cpu)	   syscall(SYS_membarrier, command, flags, cpu)

struct area {
	uint32_t cpu_id_start, cpu_id;
	uint64_t section;
	uint32_t flags, node_id, mm_cid, rest;
} __attribute__((aligned(32)));

static volatile struct area area, other;
static unsigned char many[256] __attribute__((aligned(64)));

struct section {
	uint32_t version, flags;
	uint64_t start, length, abort;
} __attribute__((aligned(32)));

static struct section section;

static void see_registering(void)
{
	SEE(getauxval(AT_RSEQ_FEATURE_SIZE));
	SEE(getauxval(AT_RSEQ_ALIGN));
	show(__rseq_size ? "yes" : "no", "the C library has registered one");
	void *own = (char *)__builtin_thread_pointer() + __rseq_offset;

	SEE(RSEQ(own, 32, 0, RSEQ_SIG));
	SEE(RSEQ(own, 32, 0, RSEQ_SIG + 1));
	SEE(RSEQ(own, 64, 0, RSEQ_SIG));
	SEE(RSEQ(&area, 32, 0, RSEQ_SIG));
	SEE(RSEQ(&area, 32, 1, RSEQ_SIG));
	SEE(RSEQ(own, 64, 1, RSEQ_SIG));
	SEE(RSEQ(own, 32, 1, RSEQ_SIG + 1));
	SEE(RSEQ(own, 32, 2, RSEQ_SIG));
	SEE(RSEQ(own, 32, 3, RSEQ_SIG));
	show(outcome(RSEQ(own, 32, 1, RSEQ_SIG)), "giving the library's back");
	show(number((int)((volatile struct area *)own)->cpu_id), "its cpu_id");
	show(outcome(RSEQ(own, 32, 1, RSEQ_SIG)), "giving it back again");
	SEE(RSEQ(&area, 31, 0, SIGNATURE));
	SEE(RSEQ(&area, 0, 0, SIGNATURE));
	SEE(RSEQ((char *)&area + 8, 32, 0, SIGNATURE));
	SEE(RSEQ(NULL, 32, 1, SIGNATURE));
	SEE(RSEQ((void *)0xffff800000000000, 32, 0, SIGNATURE));
	SEE(RSEQ(many, 256, 0, SIGNATURE));
	SEE(RSEQ(many, 256, 1, SIGNATURE));
	area.cpu_id = 77;
	SEE(RSEQ(&area, 32, 0, SIGNATURE));
	show(area.cpu_id == (unsigned int)sched_getcpu() ? "yes" : "no", "cpu_id is the CPU");
	show(area.cpu_id_start == area.cpu_id ? "yes" : "no", "cpu_id_start is the same");
	show(number(area.node_id), "node_id");
	SEE(RSEQ(&other, 32, 0, SIGNATURE));
}

/*
 * Sleeps in no sequence, but spins in one until it is sent to its abort address: 1. The section is what
 * `section' says, with FLAGS in it and in the area.
 */
static int spin(uint32_t version, uint32_t section_flags, uint32_t area_flags, int wrong_signature)
{
	int result;

	section.version = version;
	section.flags = section_flags;
	area.flags = area_flags;
	__asm__ volatile("leaq 1f(%%rip), %%rax\n\t"
			 "movq %%rax, 8(%[section])\n\t"
			 "leaq 2f(%%rip), %%rcx\n\t"
			 "subq %%rax, %%rcx\n\t"
			 "movq %%rcx, 16(%[section])\n\t"
			 "leaq 4f(%%rip), %%rax\n\t"
			 "leaq 5f(%%rip), %%rcx\n\t"
			 "testl %[wrong], %[wrong]\n\t"
			 "cmovnz %%rcx, %%rax\n\t"
			 "movq %%rax, 24(%[section])\n\t"
			 "xorl %%eax, %%eax\n\t"
			 "movq %[section], 8(%[area])\n"
			 "1:\n\t"
			 "pause\n\t"
			 "jmp 1b\n"
			 "2:\n\t"
			 ".long 0x53053053\n"
			 "4:\n\t"
			 "movl $1, %%eax\n\t"
			 "jmp 3f\n\t"
			 ".long 0x12345678\n"
			 "5:\n\t"
			 "movl $2, %%eax\n"
			 "3:\n\t"
			 : "=&a"(result)
			 : [section] "r"(&section), [area] "r"(&area), [wrong] "r"(wrong_signature)
			 : "rcx", "memory", "cc");
	return result;
}

static uint64_t section_in_handler;

static void look(int signal)
{
	(void)signal;
	section_in_handler = area.section;
	caught++;
}

/* Runs spin() in a child that a timer's signal interrupts; how the child ends. */
static int spin_in_child(uint32_t version, uint32_t section_flags, uint32_t area_flags, int wrong)
{
	struct itimerval soon = { { 0, 3000 }, { 0, 3000 } };
	int status;

	fflush(stdout);
	if (fork() == 0) {
		setitimer(ITIMER_REAL, &soon, NULL);
		_exit(spin(version, section_flags, area_flags, wrong));
	}
	wait(&status);
	return status;
}

static void *compete(void *stop)
{
	while (!*(volatile int *)stop)
		sched_yield();
	return NULL;
}

static void see_sections(void)
{
	static volatile int stop;
	struct itimerval soon = { { 0, 3000 }, { 0, 3000 } }, never = { { 0, 0 }, { 0, 0 } };
	pthread_t thread;

	signal(SIGALRM, look);
	section_in_handler = 7;
	setitimer(ITIMER_REAL, &soon, NULL);
	show(number(spin(0, 0, 0, 0)), "a sequence that a signal interrupts");
	setitimer(ITIMER_REAL, &never, NULL);
	show(number((long)section_in_handler), "the section in the handler");
	show(number((long)area.section), "the section afterwards");
	show(number(spin_in_child(0, 0, 0, 0)), "in a child");
	show(number(spin_in_child(1, 0, 0, 0)), "of version 1");
	show(number(spin_in_child(0, 1, 0, 0)), "with flag 1 in the section");
	show(number(spin_in_child(0, 0, 1, 0)), "with flag 1 in the area");
	show(number(spin_in_child(0, 0, 0, 1)), "with another signature");
	area.flags = 0;
	/* Two tasks on one CPU: preemption aborts. */
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	pthread_create(&thread, NULL, compete, (void *)&stop);
	show(number(spin(0, 0, 0, 0)), "a sequence that another task interrupts");
	stop = 1;
	pthread_join(thread, NULL);
	/* The kernel forgets a section that the program has left. */
	area.section = (uint64_t)&section;
	for (int i = 0; i < 20 && area.section; i++)
		sleep_ms(1);
	kill(getpid(), SIGALRM);
	show(number((long)area.section), "a section that was left");
	fflush(stdout);
	int status;

	if (fork() == 0) {
		area.section = 1ull << 63;
		kill(getpid(), SIGALRM);
		_exit(3);
	}
	wait(&status);
	show(number(status), "a section at an impossible address");
	fflush(stdout);
	if (fork() == 0) {
		RSEQ(&area, 32, 1, SIGNATURE);
		RSEQ((void *)0x100000, 32, 0, SIGNATURE);
		_exit(3);
	}
	wait(&status);
	show(number(status), "an area that is not there");
	fflush(stdout);
	if (fork() == 0)
		_exit(RSEQ(&area, 32, 1, SIGNATURE) == 0);
	wait(&status);
	show(number(status), "a child has its parent's area");
	SEE(RSEQ(&area, 32, 1, SIGNATURE));
	show(number((int)area.cpu_id), "cpu_id of an area that was given back");
	show(number(area.cpu_id_start), "cpu_id_start of an area that was given back");
}

static void *wait_in_sequence(void *arg)
{
	RSEQ(&area, 32, 0, SIGNATURE);
	*(volatile int *)arg = 1;
	long result = spin(0, 0, 0, 0);

	RSEQ(&area, 32, 1, SIGNATURE);
	return (void *)result;
}

static void see_barriers(void)
{
	static volatile int there;
	pthread_t thread;
	void *result;

	SEE(MEMBARRIER(0, 0, 0));
	SEE(MEMBARRIER(0, 1, 0));
	SEE(MEMBARRIER(3, 0, 0));
	SEE(MEMBARRIER(1024, 0, 0));
	SEE(MEMBARRIER(-1, 0, 0));
	SEE(MEMBARRIER(512, 0, 0));
	SEE(MEMBARRIER(1, 0, 0));
	SEE(MEMBARRIER(1, 1, 0));
	SEE(MEMBARRIER(2, 0, 0));
	SEE(MEMBARRIER(8, 0, 0));
	SEE(MEMBARRIER(32, 0, 0));
	SEE(MEMBARRIER(128, 0, 0));
	SEE(MEMBARRIER(128, 1, 0));
	SEE(MEMBARRIER(128, 2, 0));
	SEE(MEMBARRIER(4, 0, 0));
	SEE(MEMBARRIER(16, 0, 0));
	SEE(MEMBARRIER(16, 1, 0));
	show(outcome_value(MEMBARRIER(512, 0, 0)), "registrations then");
	show(outcome_value(MEMBARRIER(8, 0, 0)), "a registered private barrier");
	SEE(MEMBARRIER(64, 0, 0));
	show(outcome_value(MEMBARRIER(32, 0, 0)), "a registered barrier for instructions");
	SEE(MEMBARRIER(256, 0, 0));
	show(outcome_value(MEMBARRIER(128, 0, 0)), "a registered barrier for sequences");
	show(outcome_value(MEMBARRIER(128, 1, 0)), "on one CPU");
	show(outcome_value(MEMBARRIER(128, 1, 99999)), "on none that there is");
	show(outcome_value(MEMBARRIER(128, 1, -1)), "on CPU -1");
	show(outcome_value(MEMBARRIER(512, 0, 0)), "registrations at last");
	/* A thread in a sequence is sent out of it, be it by the switch that lets this one call. */
	pthread_create(&thread, NULL, wait_in_sequence, (void *)&there);
	while (!there)
		sched_yield();
	sleep_ms(2);
	MEMBARRIER(128, 0, 0);
	pthread_join(thread, &result);
	show(number((long)result), "a sequence that a barrier interrupts");
	fflush(stdout);
	if (fork() == 0) {
		show(outcome_value(MEMBARRIER(512, 0, 0)), "registrations of a child");
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
}

int main(void)
{
	see_registering();
	see_sections();
	see_barriers();
	return 0;
}
