// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of signal handlers: what they interrupt, the arguments that they get, the stacks that they run
 * on. Linux has the same rules: the same executable has to pass there.
 *
 * processes.c has the rules of ending and stopping a process.
 */
#include <setjmp.h>
#include <signal.h>

#include "process.h"
#include "task_state.h"

/* Longer than any rule takes. */
#define LONG_S	       1000

/* Linux's signal stacks are at least this large. */
#define ALTERNATE_SIZE 32768

static volatile int handled, handled_sum, depth, depth_max;
static siginfo_t last_info;
static jmp_buf jump;

static void note(int signal, siginfo_t *info, void *context)
{
	(void)context;
	handled++;
	handled_sum += signal;
	last_info = *info;
}

static void install(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	EXPECT_EQ(sigaction(signal, &action, NULL), 0);
}

/* Sends a signal to the parent when the parent waits. */
static void signal_parent(void)
{
	while (!task_sleeps(getppid()))
		pause_ms(1);
	kill(getppid(), SIGUSR1);
}

/* The same, and goes on until it is killed: a parent that its end wakes has not been interrupted. */
static void signal_parent_and_stay(void)
{
	signal_parent();
	for (;;)
		pause();
}

static void end_child(pid_t child)
{
	EXPECT_EQ(kill(child, SIGKILL), 0);
	EXPECT_EQ(status_of(child), SIGKILL);
}

static void check_interruption(void)
{
	struct timespec asked = { LONG_S, 0 }, left = { 0, 0 };
	int status;

	handled = 0;
	install(SIGUSR1, note, 0);
	pid_t child = start(signal_parent_and_stay);

	EXPECT_EQ(waitpid(child, &status, 0), -1);
	EXPECT_EQ(errno, EINTR);
	EXPECT_EQ(handled, 1);
	EXPECT_EQ(last_info.si_pid, child);
	end_child(child);

	install(SIGUSR1, note, SA_RESTART);
	child = start(signal_parent);
	EXPECT_EQ(status_of(child), 0);
	EXPECT_EQ(handled, 2);

	/* The kernel never restarts a sleep. */
	child = start(signal_parent_and_stay);
	EXPECT_EQ(nanosleep(&asked, &left), -1);
	EXPECT_EQ(errno, EINTR);
	EXPECT(left.tv_sec >= 0 && left.tv_sec < LONG_S && (left.tv_sec || left.tv_nsec));
	end_child(child);

	/* An ignored signal interrupts nothing. */
	signal(SIGUSR1, SIG_IGN);
	child = start(signal_parent);
	EXPECT_EQ(status_of(child), 0);
	signal(SIGUSR1, SIG_DFL);
}

static void check_queueing(void)
{
	sigset_t set;

	install(SIGUSR1, note, 0);
	install(SIGRTMIN, note, 0);
	install(SIGRTMIN + 1, note, 0);
	sigfillset(&set);
	EXPECT_EQ(sigprocmask(SIG_SETMASK, &set, NULL), 0);
	for (int i = 0; i < 3; i++) {
		kill(getpid(), SIGRTMIN + 1);
		kill(getpid(), SIGUSR1);
		kill(getpid(), SIGRTMIN);
	}
	handled = handled_sum = 0;
	sigemptyset(&set);
	EXPECT_EQ(sigprocmask(SIG_SETMASK, &set, NULL), 0);
	/* Ordinary signals merge, real-time ones do not. */
	EXPECT_EQ(handled, 7);
	EXPECT_EQ(handled_sum, SIGUSR1 + 3 * SIGRTMIN + 3 * (SIGRTMIN + 1));
	signal(SIGUSR1, SIG_DFL);
}

static char *guarded;

/* Makes the page that faulted usable: the instruction goes on. */
static void repair(int signal, siginfo_t *info, void *context)
{
	note(signal, info, context);
	mprotect(guarded, PAGE, PROT_READ | PROT_WRITE);
}

static void jump_away(int signal, siginfo_t *info, void *context)
{
	note(signal, info, context);
	longjmp(jump, 1);
}

static void check_fault_handlers(void)
{
	guarded = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(guarded != MAP_FAILED);
	handled = 0;
	install(SIGSEGV, repair, 0);
	*(volatile char *)guarded = 'x';
	EXPECT_EQ(handled, 1);
	EXPECT_EQ(guarded[0], 'x');
	EXPECT_EQ(last_info.si_code, SEGV_ACCERR);
	EXPECT(last_info.si_addr == guarded);

	EXPECT_EQ(munmap(guarded, PAGE), 0);
	install(SIGSEGV, jump_away, SA_NODEFER);
	if (!setjmp(jump))
		guarded[7] = 1;
	EXPECT_EQ(handled, 2);
	EXPECT_EQ(last_info.si_code, SEGV_MAPERR);
	EXPECT(last_info.si_addr == guarded + 7);
	/* SA_NODEFER: the signal was not blocked, so another one may come after the jump. */
	if (!setjmp(jump))
		guarded[8] = 1;
	EXPECT_EQ(handled, 3);
	signal(SIGSEGV, SIG_DFL);
}

static void nest(int signal)
{
	if (++depth > depth_max)
		depth_max = depth;
	if (signal == SIGUSR1)
		raise(SIGUSR2);
	depth--;
}

static uintptr_t stack_seen;

static void note_stack(int signal)
{
	char here;

	(void)signal;
	stack_seen = (uintptr_t)&here;
}

static void check_handler_stacks(void)
{
	static char alternate[ALTERNATE_SIZE];
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction action = { .sa_handler = note_stack, .sa_flags = SA_ONSTACK };
	volatile double sum = 1.5;

	depth_max = 0;
	signal(SIGUSR1, nest);
	signal(SIGUSR2, nest);
	raise(SIGUSR1);
	EXPECT_EQ(depth_max, 2);
	EXPECT_EQ(depth, 0);
	/* rt_sigreturn undoes what the handlers did to the floating-point registers. */
	EXPECT(sum == 1.5);

	EXPECT_EQ(sigaltstack(&stack, NULL), 0);
	EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	raise(SIGUSR1);
	EXPECT(stack_seen - (uintptr_t)alternate < sizeof(alternate));
	stack.ss_flags = SS_DISABLE;
	EXPECT_EQ(sigaltstack(&stack, NULL), 0);
	raise(SIGUSR1);
	EXPECT(stack_seen - (uintptr_t)alternate >= sizeof(alternate));
	signal(SIGUSR1, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
}

static const struct tap_rule rules[] = {
	{ "a handler interrupts a call, or the call starts again if that was asked for",
	  check_interruption },
	{ "real-time signals queue, ordinary ones merge", check_queueing },
	{ "a handler gets the fault, and can repair it or jump away", check_fault_handlers },
	{ "handlers nest, and have their own stack if they want", check_handler_stacks },
};

int main(void)
{
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
