// SPDX-License-Identifier: BSD-2-Clause
/*
 * Interrupting code at every one of its machine instructions.
 *
 * One run with the host CPU's trap flag gives the list of instructions that the code executes
 * (those of the test program; not of the host's libraries). Then the code runs once for each entry
 * of that list with a breakpoint there, and in the breakpoint's signal handler the test's function
 * is called, to do what makes a CPU take an NMI before that instruction. So "wherever the NMI
 * comes" is a finite list, and a test goes through all of it.
 *
 * The list has the first OCCURRENCES_MAX executions of an instruction in a loop.
 *
 * A run may take another path than the recorded one did; entries that are not reached are not
 * counted.
 */
#include <kernel/base/assert.h>

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "internal.h"

/* EFLAGS.TF, SDM vol. 1, 3.4.3; INT3, SDM vol. 2. */
#define FLAGS_TRAP	0x100
#define BREAKPOINT	0xcc

#define PLACES_MAX	20000
#define OCCURRENCES_MAX 3

/* An instruction, and the how-manyeth execution of it is meant. */
struct place {
	uint8_t *instruction;
	unsigned int occurrence;
};

static struct place places[PLACES_MAX];
static unsigned int place_count;

static struct {
	bool tracing;
	struct place left; /* occurrence counts down */
	uint8_t original;
	bool stepping_over, taken, in_nmis;
	void (*step)(void *arg);
	void *arg;
} now;

/* The linker's names for the program's own code. */
extern char __executable_start, etext;

static void record(uint8_t *instruction)
{
	unsigned int occurrence = 1;

	if ((char *)instruction < &__executable_start || (char *)instruction >= &etext)
		return;
	for (unsigned int i = 0; i < place_count; i++)
		if (places[i].instruction == instruction)
			occurrence++;
	if (occurrence > OCCURRENCES_MAX)
		return;
	ASSERT(place_count < PLACES_MAX);
	places[place_count++] = (struct place){ instruction, occurrence };
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	if (now.tracing) {
		record((uint8_t *)registers[REG_RIP]);
		return;
	}
	if (now.stepping_over) {
		now.stepping_over = false;
		registers[REG_EFL] &= ~FLAGS_TRAP;
		*now.left.instruction = BREAKPOINT;
		return;
	}
	/* The breakpoint. The instruction comes back first: the NMI may execute it too. */
	*now.left.instruction = now.original;
	registers[REG_RIP] = (greg_t)now.left.instruction;
	if (--now.left.occurrence) {
		now.stepping_over = true;
		registers[REG_EFL] |= FLAGS_TRAP;
		return;
	}
	if (arch_in_nmi() && !now.in_nmis)
		return;
	now.taken = true;
	now.step(now.arg);
}

__attribute__((noinline)) static void trace(void (*function)(void *arg), void *arg)
{
	now.tracing = true;
	__asm__ volatile("sub $128, %%rsp; pushfq; orq %0, (%%rsp); popfq; add $128, %%rsp"
			 :
			 : "i"(FLAGS_TRAP)
			 : "cc", "memory");
	function(arg);
	__asm__ volatile("sub $128, %%rsp; pushfq; andq %0, (%%rsp); popfq; add $128, %%rsp"
			 :
			 : "i"(~FLAGS_TRAP)
			 : "cc", "memory");
	now.tracing = false;
}

static void make_code_writable(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)&__executable_start & ~(page - 1);

	ASSERT(mprotect((void *)start, (uintptr_t)&etext - start,
			PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
}

unsigned int sim_interrupt_everywhere(const struct sim_interruption *test)
{
	struct sigaction action, old;
	unsigned int taken = 0;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_trap;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGTRAP, &action, &old);
	make_code_writable();

	place_count = 0;
	if (test->before)
		test->before();
	trace(test->function, test->argument);
	for (unsigned int i = 0; i < place_count; i++) {
		if (test->before)
			test->before();
		memset(&now, 0, sizeof(now));
		now.left = places[i];
		now.original = *places[i].instruction;
		now.step = test->interrupt;
		now.arg = test->argument;
		now.in_nmis = test->in_nmis;
		*places[i].instruction = BREAKPOINT;
		test->function(test->argument);
		*places[i].instruction = now.original;
		if (now.taken && test->after)
			test->after(i);
		taken += now.taken;
	}
	sigaction(SIGTRAP, &old, NULL);
	return taken;
}
