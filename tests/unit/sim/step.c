// SPDX-License-Identifier: BSD-2-Clause
/*
 * Interrupting code at every one of its machine instructions.
 *
 * The host's trap flag makes the processor trap after each instruction, which the host delivers as SIGTRAP; the handler counts
 * them and at the wanted one calls the test's function, as an NMI would be taken there. So "whatever the NMI interrupts" is a finite list, and
 * a test goes through all of it.
 */
#include <kernel/assert.h>

#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "internal.h"

/* EFLAGS.TF, SDM vol. 1, 3.4.3. */
#define FLAGS_TRAP 0x100

static struct {
	uint64_t left;
	bool taken;
	void (*step)(void *arg);
	void *arg;
} stepping;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	ucontext_t *registers = context;

	(void)signal;
	(void)info;
	if (stepping.left--)
		return;
	registers->uc_mcontext.gregs[REG_EFL] &= ~FLAGS_TRAP;
	stepping.taken = true;
	/* Inside code that runs as an NMI already there can be no other: that place is skipped. */
	if (!arch_in_nmi())
		sim_nmi(stepping.step, stepping.arg);
}

__attribute__((noinline)) static void run_stepped(void (*function)(void *arg), void *arg)
{
	__asm__ volatile("sub $128, %%rsp; pushfq; orq %0, (%%rsp); popfq; add $128, %%rsp"
			 :
			 : "i"(FLAGS_TRAP)
			 : "cc", "memory");
	function(arg);
	__asm__ volatile("sub $128, %%rsp; pushfq; andq %0, (%%rsp); popfq; add $128, %%rsp"
			 :
			 : "i"(~FLAGS_TRAP)
			 : "cc", "memory");
}

bool sim_interrupt_at(uint64_t number, void (*function)(void *arg), void *arg, void (*step)(void *arg), void *step_arg)
{
	struct sigaction action, old;

	stepping.left = number;
	stepping.taken = false;
	stepping.step = step;
	stepping.arg = step_arg;
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_trap;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGTRAP, &action, &old);
	run_stepped(function, arg);
	sigaction(SIGTRAP, &old, NULL);
	return stepping.taken;
}
