// SPDX-License-Identifier: BSD-2-Clause
/*
 * ptrace: requests that are refused, the permission to trace, a tracee's memory, sequences of requests.
 * Signals, events and stops are in observe_tracing.c.
 */
#include <pthread.h>

#include "tracee_bodies.h"

static int twice(void)
{
	return trace(PTRACE_TRACEME, 0, 0, 0) == -1 ? errno : 0;
}

static void *attach_own_thread(void *tid)
{
	show(outcome(trace(PTRACE_ATTACH, *(pid_t *)tid, 0, 0)), "attach to a thread of one's own");
	return NULL;
}

static void refusals(void)
{
	pid_t self = getpid();
	pthread_t thread;

	SEE(trace(PTRACE_ATTACH, NO_PROCESS, 0, 0));
	SEE(trace(PTRACE_ATTACH, 0, 0, 0));
	SEE(trace(PTRACE_ATTACH, -1, 0, 0));
	show(outcome(trace(PTRACE_ATTACH, self, 0, 0)), "attach to oneself");
	show(outcome(trace(PTRACE_CONT, self, 0, 0)), "continue oneself");
	pthread_create(&thread, NULL, attach_own_thread, &self);
	pthread_join(thread, NULL);
	SEE(trace(PTRACE_CONT, NO_PROCESS, 0, 0));
	SEE(trace(12345, NO_PROCESS, 0, 0));

	pid_t pid = traced(twice);

	show(after(PTRACE_CONT, pid, 0), "TRACEME twice");
	pid = traced(sleep_endlessly);
	show(outcome(trace(PTRACE_ATTACH, pid, 0, 0)), "attach to a tracee");
	show(outcome(trace(12345, pid, 0, 0)), "an unknown request");
	show(outcome(trace(PTRACE_CONT, pid, 0, 65)), "continue with signal 65");
	show(outcome(trace(PTRACE_CONT, pid, 0, -1ul)), "continue with signal -1");
	show(outcome(trace(PTRACE_DETACH, pid, 0, 65)), "detach with signal 65");
	show(outcome(trace(PTRACE_SETOPTIONS, pid, 0, 1 << 30)), "an unknown option");
	show(outcome(trace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD)), "a known option");
	show(outcome(trace(PTRACE_INTERRUPT, pid, 0, 0)), "interrupt one that is not seized");
	show(outcome(trace(PTRACE_LISTEN, pid, 0, 0)), "listen to one that is not seized");
	trace(PTRACE_CONT, pid, 0, 0);
	show(outcome(trace(PTRACE_CONT, pid, 0, 0)), "continue one that runs");
	show(outcome(trace(PTRACE_GETREGS, pid, 0, 0)), "registers of one that runs");
	show(outcome(trace(PTRACE_DETACH, pid, 0, 0)), "detach one that runs");
	show(outcome(trace(PTRACE_KILL, pid, 0, 0)), "kill one that runs");
	show(next(pid), "after that");
	show(outcome(trace(PTRACE_CONT, pid, 0, 0)), "continue one that is no more");

	pid = fork();
	if (pid == 0)
		_exit(sleep_endlessly());
	show(outcome(trace(PTRACE_SEIZE, pid, 1, 0)), "seize with an address");
	show(outcome(trace(PTRACE_SEIZE, pid, 0, 1 << 30)), "seize with an unknown option");
	show(outcome(trace(PTRACE_SEIZE, pid, 0, 0)), "seize");
	show(outcome(trace(PTRACE_SEIZE, pid, 0, 0)), "seize twice");
	show(outcome(trace(PTRACE_LISTEN, pid, 0, 0)), "listen to one that runs");
	kill(pid, SIGKILL);
	waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT);
	show(outcome(trace(PTRACE_CONT, pid, 0, 0)), "continue a zombie");
	show(outcome(trace(PTRACE_INTERRUPT, pid, 0, 0)), "interrupt a zombie");
	show(next(pid), "the zombie");
	pid = fork();
	if (pid == 0)
		_exit(0);
	waitid(P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT);
	show(outcome(trace(PTRACE_ATTACH, pid, 0, 0)), "attach to a zombie");
	show(next(pid), "the other zombie");
}

static void permissions(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(sleep_endlessly());
	pid_t other = fork();

	if (other == 0) {
		char byte;
		struct iovec here = { &byte, 1 }, there = { (void *)&pid, 1 };

		setresgid(1000, 1000, 1000);
		setresuid(1000, 1000, 1000);
		show(outcome(trace(PTRACE_ATTACH, pid, 0, 0)), "a user attaches to root's task");
		show(outcome(trace(PTRACE_SEIZE, pid, 0, 0)), "a user seizes root's task");
		show(outcome(process_vm_readv(pid, &here, 1, &there, 1, 0)),
		     "a user reads root's memory");
		fflush(stdout);
		_exit(0);
	}
	waitpid(other, NULL, 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static unsigned long variable = 0x1122334455667788;

static int return_variable(void)
{
	return (int)(*(volatile unsigned long *)&variable & 0xff);
}

static void memory(void)
{
	pid_t pid = traced(return_variable);
	unsigned long word = 0, at = (unsigned long)&variable;
	unsigned char *page = page_before_a_hole();

	show(outcome(peek(PTRACE_PEEKDATA, pid, at, &word)), "peek");
	show(word == variable ? "the word" : "another", "what was peeked");
	show(outcome(peek(PTRACE_PEEKTEXT, pid, at + 1, &word)), "peek, unaligned");
	show((word & ~(0xfful << 56)) == variable >> 8 ? "the word" : "another",
	     "what was peeked, unaligned");
	show(outcome(peek(PTRACE_PEEKDATA, pid, 0, &word)), "peek at 0");
	show(outcome(peek(PTRACE_PEEKDATA, pid, 1ul << 63, &word)), "peek at a kernel address");
	show(outcome(peek(PTRACE_PEEKDATA, pid, -4ul, &word)), "peek at the end");
	show(outcome(trace(PTRACE_PEEKDATA, pid, at, 1)), "peek to nowhere");
	show(outcome(trace(PTRACE_POKEDATA, pid, at, 42)), "poke");
	show(outcome(trace(PTRACE_POKEDATA, pid, (unsigned long)&constant, 7)), "poke a constant");
	peek(PTRACE_PEEKDATA, pid, (unsigned long)&constant, &word);
	show(number((long)word), "the constant there");
	show(constant == 0x99aabbccddeeff00 ? "as before" : "changed", "the constant here");
	show(outcome(trace(PTRACE_POKEDATA, pid, 0, 7)), "poke at 0");
	show(outcome(trace(PTRACE_POKETEXT, pid, (unsigned long)&return_variable, BREAKPOINTS)),
	     "poke an instruction");
	show(after(PTRACE_CONT, pid, 0), "the instruction");
	finish(pid);
	pid = traced(return_variable);
	trace(PTRACE_POKEDATA, pid, at, 43);
	show(after(PTRACE_CONT, pid, 0), "the poked variable");
	munmap(page, PAGE_BYTES);
}

/* The restartable sequences of a tracee: the C library has registered an area. */
static void sequences(void)
{
	struct ptrace_rseq_configuration found = { 0 };
	pid_t pid = traced(nothing);

	show(outcome_value(trace(PTRACE_GET_RSEQ_CONFIGURATION, pid, sizeof(found),
				 (unsigned long)&found)),
	     "sequences");
	show(found.rseq_abi_pointer ? "somewhere" : "nowhere", "their area");
	show(number(found.rseq_abi_size), "its size");
	show(number((int)found.signature), "its signature");
	show(number(found.flags), "its flags");
	show(outcome_value(trace(PTRACE_GET_RSEQ_CONFIGURATION, pid, 4, (unsigned long)&found)),
	     "sequences, little room");
	show(outcome_value(trace(PTRACE_GET_RSEQ_CONFIGURATION, pid, 24, 8)),
	     "sequences to nowhere");
	show(after(PTRACE_CONT, pid, 0), "after the sequences");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	refusals();
	permissions();
	memory();
	sequences();
	return 0;
}
