// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signal handlers: when they run, on which stack, with which siginfo.
 */
#include <signal.h>
#include <ucontext.h>

#include "handlers.h"

enum { STACK_BYTES = 65536 };

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

static volatile sig_atomic_t count, last, depth, deepest, on_stack, passed_flags;
static siginfo_t info;
static char *stack_memory;

static void note(int signal)
{
	char here;

	count++;
	last = signal;
	on_stack = &here >= stack_memory && &here < stack_memory + STACK_BYTES;
}

static void keep(int signal, siginfo_t *passed, void *context)
{
	ucontext_t *user = context;

	info = *passed;
	passed_flags = user->uc_stack.ss_flags;
	note(signal);
}

static void nest(int signal)
{
	if (++depth > deepest)
		deepest = depth;
	if (++count < 4)
		raise(signal);
	depth--;
}

static void see_flags(void)
{
	struct sigaction action;

	set(SIGUSR1, note, SA_RESETHAND);
	raise(SIGUSR1);
	sigaction(SIGUSR1, NULL, &action);
	show(action.sa_handler == SIG_DFL ? "default" : "kept", "after SA_RESETHAND");
	show(action.sa_flags & SA_RESETHAND ? "kept" : "gone", "its flag");
	deepest = count = 0;
	set(SIGUSR1, nest, 0);
	raise(SIGUSR1);
	show(outcome_value(deepest), "depth of a handler that raises its signal");
	deepest = count = 0;
	set(SIGUSR1, nest, SA_NODEFER);
	raise(SIGUSR1);
	show(outcome_value(deepest), "depth with SA_NODEFER");
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	count = 0;
	set(SIGUSR1, note, 0);
	raise(SIGUSR1);
	raise(SIGUSR1);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	show(outcome_value(count), "one that came twice while blocked");
	sigaddset(&blocked, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	count = 0;
	set(SIGRTMIN, note, 0);
	for (int i = 0; i < 5; i++)
		raise(SIGRTMIN);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	show(outcome_value(count), "a real-time one that came five times while blocked");
	action = (struct sigaction){ .sa_handler = note };
	action.sa_flags = 0x00000400;
	show(outcome(sigaction(SIGUSR1, &action, NULL)), "sigaction with an unknown flag");
	sigaction(SIGUSR1, NULL, &action);
	show(action.sa_flags & 0x400 ? "kept" : "gone", "the unknown flag");
	action.sa_flags = SA_SIGINFO | 0x800;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR1, NULL, &action);
	show(action.sa_flags & 0x800 ? "kept" : "gone", "SA_EXPOSE_TAGBITS");
	sigfillset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR1, NULL, &action);
	show(sigismember(&action.sa_mask, SIGKILL) ? "kept" : "gone", "SIGKILL in a mask");
}

static int order[8], ordered;

static void put(int signal)
{
	if (ordered < 8)
		order[ordered++] = signal;
}

/* In which order blocked signals are acted on: as the handlers begin, the last is on top. */
static void see_order(void)
{
	const int numbers[] = { SIGUSR2, SIGTERM, SIGRTMIN + 2, SIGRTMIN, SIGUSR1, SIGSEGV };
	char text[64] = "";
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct sigaction action = { .sa_handler = put };

		sigfillset(&action.sa_mask);
		sigaction(numbers[i], &action, NULL);
		sigaddset(&blocked, numbers[i]);
	}
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		raise(numbers[i]);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	for (int i = 0; i < ordered; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d ", order[i]);
	show(text, "order of blocked signals");
	signal(SIGSEGV, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

static void see_info(void)
{
	char text[96];
	union sigval value = { .sival_int = 77 };

	set(SIGUSR1, keep, SA_SIGINFO);
	kill(getpid(), SIGUSR1);
	snprintf(text, sizeof(text), "code %d, %s", info.si_code,
		 info.si_pid == getpid() && info.si_uid == getuid() ? "mine" : "another's");
	show(text, "siginfo of kill");
	raise(SIGUSR1);
	snprintf(text, sizeof(text), "code %d, %s", info.si_code,
		 info.si_pid == getpid() ? "mine" : "another's");
	show(text, "siginfo of tgkill");
	sigqueue(getpid(), SIGUSR1, value);
	snprintf(text, sizeof(text), "code %d, value %d", info.si_code, info.si_value.sival_int);
	show(text, "siginfo of sigqueue");
	set(SIGPIPE, keep, SA_SIGINFO);
	int ends[2];

	if (pipe(ends) == 0) {
		close(ends[0]);
		show(outcome(write(ends[1], "x", 1)), "writing without a reader");
		snprintf(text, sizeof(text), "code %d, %s", info.si_code,
			 info.si_pid == getpid() ? "mine" : "another's");
		show(text, "siginfo of SIGPIPE");
		close(ends[1]);
	}
	signal(SIGPIPE, SIG_DFL);
}

static void see_alternate_stack(void)
{
	stack_t stack = { .ss_size = STACK_BYTES }, old;

	stack_memory =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack.ss_sp = stack_memory;
	set(SIGUSR1, keep, SA_SIGINFO | SA_ONSTACK);
	raise(SIGUSR1);
	show(on_stack ? "there" : "on the usual one", "handler before there is another stack");
	show(outcome_value(passed_flags), "the stack's flags in its frame");
	show(outcome(sigaltstack(&stack, NULL)), "sigaltstack");
	raise(SIGUSR1);
	show(on_stack ? "there" : "on the usual one", "handler with another stack");
	show(outcome_value(passed_flags), "the other stack's flags in its frame");
	set(SIGUSR1, keep, SA_SIGINFO);
	raise(SIGUSR1);
	show(on_stack ? "there" : "on the usual one", "handler without SA_ONSTACK");
	stack.ss_flags = (int)SS_AUTODISARM;
	show(outcome(sigaltstack(&stack, NULL)), "sigaltstack with SS_AUTODISARM");
	set(SIGUSR1, keep, SA_SIGINFO | SA_ONSTACK);
	raise(SIGUSR1);
	show(on_stack ? "there" : "on the usual one", "handler with SS_AUTODISARM");
	sigaltstack(NULL, &old);
	show(old.ss_flags == (int)SS_AUTODISARM ? "as before" : "another", "the stack afterwards");
	stack.ss_flags = 0;
	stack.ss_size = 100;
	show(outcome(sigaltstack(&stack, NULL)), "sigaltstack that is too small");
	stack.ss_size = STACK_BYTES;
	stack.ss_flags = 4;
	show(outcome(sigaltstack(&stack, NULL)), "sigaltstack with an unknown flag");
	stack.ss_flags = SS_DISABLE | SS_ONSTACK;
	show(outcome(sigaltstack(&stack, NULL)), "sigaltstack with two modes");
	stack.ss_flags = SS_ONSTACK;
	show(outcome(sigaltstack(&stack, NULL)), "sigaltstack with SS_ONSTACK");
	sigaltstack(NULL, &old);
	show(outcome_value(old.ss_flags), "its flags then");
	show(outcome(sigaltstack((stack_t *)8, NULL)), "sigaltstack at a bad address");
	show(outcome(sigaltstack(NULL, (stack_t *)8)), "sigaltstack to a bad address");
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	see_flags();
	see_order();
	see_info();
	see_alternate_stack();
	return 0;
}
