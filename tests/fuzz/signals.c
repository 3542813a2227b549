// SPDX-License-Identifier: BSD-2-Clause
/*
 * Operations with signal frames, in a child each: frames that the handler spoils before it returns, a return
 * without a frame, alternate stacks that are too small or nowhere, handlers that no program can have.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

/* The fuzzer of the child that is in a handler. */
static struct fuzzer *current;

struct kernel_action {
	uint64_t handler;
	unsigned long flags;
	uint64_t restorer;
	uint64_t mask;
};

static uint64_t spoilt(struct fuzzer *fuzzer)
{
	return pick(fuzzer, 2) ? random_number(&fuzzer->random) : fuzz_edge(fuzzer);
}

static void spoil_frame(int signal, siginfo_t *info, void *context)
{
	ucontext_t *frame = context;
	uint32_t *state = (uint32_t *)frame->uc_mcontext.fpregs;

	(void)signal;
	leak_check_frame(info, context);
	for (unsigned int i = 1 + pick(current, 3); i > 0; i--)
		switch (pick(current, 8)) {
		case 0:
			frame->uc_mcontext.fpregs = (fpregset_t)spoilt(current);
			break;
		case 1:
			frame->uc_flags = random_number(&current->random);
			break;
		case 2:
			frame->uc_mcontext.gregs[REG_CSGSFS] = (greg_t)spoilt(current);
			break;
		case 3:
			frame->uc_mcontext.gregs[REG_EFL] = (greg_t)spoilt(current);
			break;
		case 4:
			frame->uc_mcontext.gregs[pick(current, 23)] = (greg_t)spoilt(current);
			break;
		case 5:
			if (state)
				state[pick(current, 1024 / 4)] = (uint32_t)spoilt(current);
			break;
		case 6:
			frame->uc_stack =
				(stack_t){ (void *)spoilt(current), 0, (size_t)spoilt(current) };
			break;
		default:
			((uint64_t *)frame)[pick(current, 40)] = spoilt(current);
		}
}

static void nest(int signal)
{
	raise(signal);
}

/* Whatever the result, the child exits: it is killed when the time is over. */
_Noreturn static void run_signals(struct fuzzer *fuzzer)
{
	struct sigaction action = { .sa_sigaction = spoil_frame, .sa_flags = SA_SIGINFO };
	struct kernel_action odd = { .handler = fuzz_edge(fuzzer),
				     .flags = (unsigned long)(pick(fuzzer, 2) ? SA_NODEFER : 0) |
					      0x04000000 | (pick(fuzzer, 3) ? 0 : SA_ONSTACK),
				     .restorer = fuzz_edge(fuzzer) };
	stack_t stack = { .ss_sp = (void *)fuzz_edge(fuzzer), .ss_size = 8192 };

	current = fuzzer;
	switch (pick(fuzzer, 8)) {
	case 0:
		stack.ss_size = (size_t)random_number(&fuzzer->random);
		/* fall through */
	case 1:
		if (pick(fuzzer, 2))
			stack.ss_sp = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		sigaltstack(&stack, NULL);
		action.sa_flags |= SA_ONSTACK | (pick(fuzzer, 2) ? SA_NODEFER : 0);
		if (pick(fuzzer, 2)) {
			action.sa_flags &= ~SA_SIGINFO;
			action.sa_handler = nest;
		}
		sigaction(SIGUSR1, &action, NULL);
		if (pick(fuzzer, 2))
			sigaction(SIGSEGV, &action, NULL);
		raise(SIGUSR1);
		break;
	case 2:
		syscall(SYS_rt_sigaction, SIGSEGV, &odd, NULL, 8L);
		syscall(SYS_rt_sigaction, SIGUSR1, &odd, NULL, 8L);
		raise(pick(fuzzer, 2) ? SIGUSR1 : SIGSEGV);
		break;
	case 3:
		/* A frame that was never made. */
		syscall(SYS_rt_sigreturn);
		break;
	case 4:
		__asm__ volatile("mov %0, %%rsp; mov $15, %%eax; syscall" : : "r"(spoilt(fuzzer)));
		break;
	default:
		action.sa_flags |= pick(fuzzer, 2) ? SA_NODEFER : 0;
		sigaction(SIGUSR1, &action, NULL);
		sigaction(SIGTRAP, &action, NULL);
		for (int i = 0; i < 20; i++)
			raise(SIGUSR1);
	}
	_exit(0);
}

static long spoil_signals(struct fuzzer *fuzzer)
{
	pid_t child = fuzz_fork(fuzzer);

	if (child == 0)
		run_signals(fuzzer);
	count_calls(4);
	return child < 0 ? -1 : fuzz_reap(child, 30);
}

const struct operation fuzz_signal_operations[] = {
	{ "spoil_signals", spoil_signals, 4 },
	{ 0 },
};
