// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals that the kernel forces upon a program: frames that have no room, handlers that are no code, faults
 * whose signal is blocked, ignored or has a handler that faults again; and how such a program ends.
 */
#include "child.h"

#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <ucontext.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

enum { STACK_BYTES = 65536, CHILD_SECONDS = 60, CAUGHT = 7 };
/* Every kernel accepts an alternate stack of this size. */
enum { LEAST_STACK_BYTES = 4096 };

#define KERNEL_ADDRESS 0xffffffff81000000ul
#define NO_ADDRESS     0x8000000000000000ul
#define HOLE_ADDRESS   0x10000ul

static volatile sig_atomic_t depth;
static char *alternate;
static volatile char *forbidden;
static uintptr_t handler_address;
static int handler_flags;

static void set(int signal, uintptr_t handler, int flags)
{
	struct sigaction action = { .sa_flags = flags };

	memcpy(&action.sa_handler, &handler, sizeof(handler));
	sigaction(signal, &action, NULL);
}

static void set_function(int signal, void (*function)(int), int flags)
{
	set(signal, (uintptr_t)function, flags);
}

static void use_alternate(size_t size, unsigned int flags)
{
	stack_t stack = { .ss_sp = alternate, .ss_size = size, .ss_flags = (int)flags };

	if (sigaltstack(&stack, NULL) < 0)
		show(error_name(errno), "sigaltstack");
}

/* Shows how a child that calls FUNCTION ends. */
static void ends(const char *name, void (*function)(void))
{
	char text[48];
	int status;

	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		const struct rlimit limit = { 0, 0 };

		setrlimit(RLIMIT_CORE, &limit);
		alarm(CHILD_SECONDS);
		function();
		_exit(0);
	}
	waitpid(child, &status, 0);
	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "signal %d", WTERMSIG(status));
	else
		snprintf(text, sizeof(text), "status %d", WEXITSTATUS(status));
	show(text, "%s", name);
}

static void fault(void)
{
	*forbidden = 1;
}

static void caught(int signal)
{
	(void)signal;
	_exit(CAUGHT);
}

static void fault_again(int signal)
{
	(void)signal;
	depth++;
	fault();
}

static void raise_again(int signal)
{
	depth++;
	raise(signal);
}

static void recurse(int signal)
{
	volatile char room[512];

	room[0] = (char)signal;
	depth++;
	raise(signal);
	room[1] = room[0];
}

/* --- alternate stacks that are too small --- */

static void overflow_by_faults(void)
{
	use_alternate(STACK_BYTES, 0);
	set_function(SIGSEGV, fault_again, SA_ONSTACK | SA_NODEFER);
	fault();
}

static void overflow_by_raising(void)
{
	use_alternate(STACK_BYTES, 0);
	set_function(SIGUSR1, raise_again, SA_ONSTACK | SA_NODEFER);
	raise(SIGUSR1);
}

static void overflow_by_locals(void)
{
	use_alternate(STACK_BYTES, 0);
	set_function(SIGUSR1, recurse, SA_ONSTACK | SA_NODEFER);
	raise(SIGUSR1);
}

/* SIGSEGV has a handler, on the usual stack, which takes the overflow's. */
static void overflow_caught(void)
{
	use_alternate(STACK_BYTES, 0);
	set_function(SIGUSR1, raise_again, SA_ONSTACK | SA_NODEFER);
	set_function(SIGSEGV, caught, SA_ONSTACK);
	raise(SIGUSR1);
}

static void overflow_of_small(void)
{
	use_alternate(LEAST_STACK_BYTES, 0);
	set_function(SIGUSR1, raise_again, SA_ONSTACK | SA_NODEFER);
	raise(SIGUSR1);
}

static void fits_small(void)
{
	use_alternate(LEAST_STACK_BYTES, 0);
	set_function(SIGUSR1, caught, SA_ONSTACK);
	raise(SIGUSR1);
}

static void stack_without_memory(void)
{
	use_alternate(STACK_BYTES, 0);
	munmap(alternate, STACK_BYTES);
	set_function(SIGUSR1, caught, SA_ONSTACK);
	raise(SIGUSR1);
}

static void stack_without_memory_caught(void)
{
	use_alternate(STACK_BYTES, 0);
	munmap(alternate, STACK_BYTES);
	set_function(SIGUSR1, raise_again, SA_ONSTACK);
	set_function(SIGSEGV, caught, 0);
	raise(SIGUSR1);
}

static void stack_in_the_kernel(void)
{
	alternate = (char *)KERNEL_ADDRESS;
	use_alternate(STACK_BYTES, 0);
	set_function(SIGUSR1, caught, SA_ONSTACK);
	raise(SIGUSR1);
}

/* --- the usual stack --- */

static void usual_stack_overflows(void)
{
	const struct rlimit limit = { 1 << 18, 1 << 18 };

	setrlimit(RLIMIT_STACK, &limit);
	set_function(SIGUSR1, recurse, SA_NODEFER);
	raise(SIGUSR1);
}

static void faults_until_full(void)
{
	const struct rlimit limit = { 1 << 18, 1 << 18 };

	setrlimit(RLIMIT_STACK, &limit);
	set_function(SIGSEGV, fault_again, SA_NODEFER);
	fault();
}

static void faults_in_handler(void)
{
	set_function(SIGSEGV, fault_again, 0);
	fault();
}

/* --- handlers that are no code --- */

static void call_handler(void)
{
	const struct rlimit limit = { 1 << 18, 1 << 18 };

	setrlimit(RLIMIT_STACK, &limit);
	set(SIGSEGV, handler_address, handler_flags);
	if (handler_flags & SA_ONSTACK)
		use_alternate(STACK_BYTES, 0);
	fault();
}

static void raise_to_handler(void)
{
	set(SIGUSR1, handler_address, handler_flags);
	raise(SIGUSR1);
}

static void raise_to_handler_caught(void)
{
	set_function(SIGSEGV, caught, 0);
	raise_to_handler();
}

static void see_handlers(void)
{
	static const struct {
		uintptr_t address;
		const char *name;
	} handlers[] = {
		{ KERNEL_ADDRESS, "in the kernel" },	  { NO_ADDRESS, "at no address" },
		{ HOLE_ADDRESS, "where nothing is" },	  { 0, "that cannot be executed" },
		{ (uintptr_t)-4096, "in the last page" },
	};
	static const struct {
		int flags;
		const char *name;
	} modes[] = {
		{ 0, "" },
		{ SA_NODEFER, ", SA_NODEFER" },
		{ SA_NODEFER | SA_ONSTACK, ", SA_NODEFER, SA_ONSTACK" },
	};
	char name[96];

	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		handler_address = handlers[i].address ? handlers[i].address : (uintptr_t)alternate;
		for (size_t j = 0; j < sizeof(modes) / sizeof(modes[0]); j++) {
			handler_flags = modes[j].flags;
			snprintf(name, sizeof(name), "a fault, SIGSEGV's handler %s%s",
				 handlers[i].name, modes[j].name);
			ends(name, call_handler);
		}
		handler_flags = 0;
		snprintf(name, sizeof(name), "a signal, its handler %s", handlers[i].name);
		ends(name, raise_to_handler);
		snprintf(name, sizeof(name), "a signal, its handler %s, SIGSEGV's is good",
			 handlers[i].name);
		ends(name, raise_to_handler_caught);
	}
}

/* --- signals that are blocked or ignored --- */

static void block(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static void fault_blocked(void)
{
	set_function(SIGSEGV, caught, 0);
	block(SIGSEGV);
	fault();
}

static void fault_ignored(void)
{
	signal(SIGSEGV, SIG_IGN);
	fault();
}

static void fault_pending(void)
{
	set_function(SIGSEGV, caught, 0);
	block(SIGSEGV);
	raise(SIGSEGV);
	fault();
}

static void frame_without_room_segv_blocked(void)
{
	block(SIGSEGV);
	stack_without_memory_caught();
}

static void frame_without_room_segv_ignored(void)
{
	signal(SIGSEGV, SIG_IGN);
	use_alternate(STACK_BYTES, 0);
	munmap(alternate, STACK_BYTES);
	set_function(SIGUSR1, raise_again, SA_ONSTACK);
	raise(SIGUSR1);
}

/* --- frames that rt_sigreturn does not take --- */

#ifdef __alpha__
#define RETURN_WITHOUT_A_FRAME()                                                     \
	__asm__ volatile("mov %0, $16\n\tlda $0, 351\n\tcallsys" ::"r"(HOLE_ADDRESS) \
			 : "$0", "$16", "$19")
#else
#define RETURN_WITHOUT_A_FRAME()                                                          \
	__asm__ volatile("mov %0, %%rsp\n\tmov $15, %%eax\n\tsyscall" ::"r"(HOLE_ADDRESS) \
			 : "rax", "rcx", "r11")
#endif

static void no_frame(void)
{
	RETURN_WITHOUT_A_FRAME();
}

/* On Alpha the stack is the program's own still; on x86-64 the handler's needs another one. */
static void no_frame_caught(void)
{
	use_alternate(STACK_BYTES, 0);
	set_function(SIGSEGV, caught, SA_ONSTACK);
	RETURN_WITHOUT_A_FRAME();
}

static void no_frame_blocked(void)
{
	block(SIGSEGV);
	no_frame_caught();
}

static void no_frame_ignored(void)
{
	signal(SIGSEGV, SIG_IGN);
	RETURN_WITHOUT_A_FRAME();
}

static void disarm_and_recurse(int signal)
{
	if (++depth == 4)
		_exit(CAUGHT);
	raise(signal);
}

/* With SS_AUTODISARM a nested handler is on the stack that the outer one uses. */
static void autodisarm(void)
{
	use_alternate(STACK_BYTES, SS_AUTODISARM);
	set_function(SIGUSR1, disarm_and_recurse, SA_ONSTACK | SA_NODEFER);
	raise(SIGUSR1);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	forbidden = mmap(NULL, PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	alternate =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ends("an alternate stack full of faults", overflow_by_faults);
	ends("an alternate stack full of signals", overflow_by_raising);
	ends("an alternate stack full of signals and locals", overflow_by_locals);
	ends("an alternate stack full of signals, SIGSEGV has a handler there", overflow_caught);
	ends("a small alternate stack overflows", overflow_of_small);
	ends("a small alternate stack takes a handler", fits_small);
	ends("an alternate stack without memory", stack_without_memory);
	ends("an alternate stack without memory, SIGSEGV's handler elsewhere",
	     stack_without_memory_caught);
	ends("an alternate stack in the kernel", stack_in_the_kernel);
	ends("nested handlers with SS_AUTODISARM", autodisarm);
	ends("the usual stack full of signals", usual_stack_overflows);
	ends("the usual stack full of faults", faults_until_full);
	ends("a fault in SIGSEGV's handler", faults_in_handler);
	see_handlers();
	ends("a fault, SIGSEGV blocked", fault_blocked);
	ends("a fault, SIGSEGV ignored", fault_ignored);
	ends("a fault, SIGSEGV blocked and pending", fault_pending);
	ends("a frame without room, SIGSEGV blocked", frame_without_room_segv_blocked);
	ends("a frame without room, SIGSEGV ignored", frame_without_room_segv_ignored);
	ends("rt_sigreturn without a frame", no_frame);
	ends("rt_sigreturn without a frame, SIGSEGV has a handler", no_frame_caught);
	ends("rt_sigreturn without a frame, SIGSEGV blocked", no_frame_blocked);
	ends("rt_sigreturn without a frame, SIGSEGV ignored", no_frame_ignored);
	return 0;
}
