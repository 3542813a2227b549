// SPDX-License-Identifier: BSD-2-Clause
/*
 * ptrace on several CPUs at once: tracees that are killed while the tracer looks at them, tracers that
 * exit, threads and children that come and go. Linux has the same rules: the same executable has to pass
 * there.
 *
 * tests/conformance/programs/observe_ptrace*.c and observe_tracing*.c have the answers of each request.
 */
#include <fcntl.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>

#include "process.h"

#define STACK_SIZE 16384
#define THREAD_FLAGS \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)
#define TRACED_WAIT 0x40000000 /* __WALL */

static long trace(long request, pid_t pid, unsigned long address, unsigned long data)
{
	return syscall(__NR_ptrace, request, pid, address, data);
}

/* All general registers of CHILD are read, each by itself on Alpha, which has no call for all. 0, or the call's -1. */
static long read_registers(pid_t child)
{
#ifdef __alpha__
	for (unsigned long number = 0; number < 32; number++) {
		errno = 0;
		trace(PTRACE_PEEKUSR, child, number, 0);
		if (errno)
			return -1;
	}
	return 0;
#else
	unsigned long registers[27];

	return trace(PTRACE_GETREGS, child, 0, (unsigned long)registers);
#endif
}

/* The word at ADDRESS of CHILD, which Alpha's call returns and x86-64's stores. 0, or the call's -1. */
static long read_word(pid_t child, const void *address, unsigned long *word)
{
#ifdef __alpha__
	errno = 0;
	*word = (unsigned long)trace(PTRACE_PEEKDATA, child, (unsigned long)address, 0);
	return errno ? -1 : 0;
#else
	return trace(PTRACE_PEEKDATA, child, (unsigned long)address, (unsigned long)word);
#endif
}

static void make_calls_endlessly(void)
{
	for (;;) {
		syscall(__NR_getppid);
		shared[1]++;
	}
}

static void spin_for_ever(void)
{
	for (;;)
		shared[1]++;
}

static void (*gated)(void);

static void run_gated(void)
{
	wait_for(&shared[4], 1);
	gated();
}

/* A child, seized with OPTIONS and stopped, that runs BODY afterwards. */
static pid_t start_stopped(void (*body)(void), unsigned long options)
{
	int status;

	gated = body;
	shared[4] = 0;
	pid_t child = start(run_gated);

	EXPECT_EQ(trace(PTRACE_SEIZE, child, 0, options), 0);
	EXPECT_EQ(trace(PTRACE_INTERRUPT, child, 0, 0), 0);
	EXPECT_EQ(waitpid(child, &status, TRACED_WAIT), child);
	EXPECT_EQ(status >> 8, SIGTRAP | PTRACE_EVENT_STOP << 8);
	shared[4] = 1;
	return child;
}

/* Kills the task in shared[0] a little later. */
static void kill_it(void)
{
	for (volatile int i = 0; i < shared[2]; i++)
		;
	kill(shared[0], SIGKILL);
}

static void check_killed_while_read(void)
{
	unsigned long word;
	int status;

	for (int round = 0; round < 40; round++) {
		pid_t child = start_stopped(make_calls_endlessly, 0);

		shared[0] = child;
		shared[2] = round * 500;
		pid_t killer = start(kill_it);
		long result;

		do {
			result = read_registers(child);
			if (result == 0)
				result = read_word(child, &shared, &word);
			if (result == 0)
				EXPECT_EQ(word, (unsigned long)shared);
		} while (result == 0);
		EXPECT_EQ(errno, ESRCH);
		EXPECT_EQ(waitpid(child, &status, TRACED_WAIT), child);
		EXPECT_EQ_AT(status, SIGKILL, "round %d", round);
		EXPECT_EQ(status_of(killer), 0);
	}
}

/* The same, but the tracer lets the tracee run from call to call. */
static void check_killed_while_resumed(void)
{
	for (int round = 0; round < 40; round++) {
		pid_t child = start_stopped(make_calls_endlessly, PTRACE_O_TRACESYSGOOD);
		int status = 0;

		shared[0] = child;
		shared[2] = round * 500;
		pid_t killer = start(kill_it);

		do {
			if (trace(PTRACE_SYSCALL, child, 0, 0) < 0)
				EXPECT_EQ(errno, ESRCH);
			EXPECT_EQ(waitpid(child, &status, TRACED_WAIT), child);
		} while (WIFSTOPPED(status) && WSTOPSIG(status) == (SIGTRAP | 0x80));
		EXPECT_EQ_AT(status, SIGKILL, "round %d", round);
		EXPECT_EQ(status_of(killer), 0);
	}
}

/* Traces the task in shared[0] until it is killed itself. */
static void trace_for_ever(void)
{
	int status;

	trace(PTRACE_SEIZE, shared[0], 0, (unsigned long)shared[3]);
	trace(PTRACE_INTERRUPT, shared[0], 0, 0);
	shared[2] = 1;
	while (waitpid(shared[0], &status, TRACED_WAIT) > 0 && WIFSTOPPED(status))
		trace(PTRACE_SYSCALL, shared[0], 0, 0);
}

static void check_tracer_killed(void)
{
	for (int round = 0; round < 40; round++) {
		bool deadly = round % 2;
		pid_t child = start(make_calls_endlessly);

		shared[0] = child;
		shared[2] = 0;
		shared[3] = PTRACE_O_TRACESYSGOOD | (deadly ? PTRACE_O_EXITKILL : 0);
		pid_t tracer = start(trace_for_ever);

		wait_for(&shared[2], 1);
		for (volatile int i = 0; i < round * 500; i++)
			;
		EXPECT_EQ(kill(tracer, SIGKILL), 0);
		EXPECT_EQ(status_of(tracer), SIGKILL);
		if (!deadly) {
			/* It goes on by itself. */
			int seen = shared[1];

			while (shared[1] == seen)
				sched_yield();
			EXPECT_EQ(kill(child, SIGTERM), 0);
		}
		EXPECT_EQ_AT(status_of(child), deadly ? SIGKILL : SIGTERM, "round %d", round);
	}
}

static void check_interrupts(void)
{
	pid_t child = start_stopped(spin_for_ever, 0);
	int status;

	for (int round = 0; round < 200; round++) {
		EXPECT_EQ(trace(PTRACE_CONT, child, 0, 0), 0);
		EXPECT_EQ(trace(PTRACE_INTERRUPT, child, 0, 0), 0);
		EXPECT_EQ(waitpid(child, &status, TRACED_WAIT), child);
		EXPECT_EQ_AT(status >> 8, SIGTRAP | PTRACE_EVENT_STOP << 8, "round %d", round);
		EXPECT_EQ(read_registers(child), 0);
		int seen = shared[1];

		sched_yield();
		EXPECT_EQ(shared[1], seen);
	}
	kill(child, SIGKILL);
	EXPECT_EQ(status_of(child), SIGKILL);
}

static volatile int handled;

static void count_signal(int signal)
{
	(void)signal;
	handled++;
}

static void count_signals(void)
{
	struct sigaction action = { .sa_handler = count_signal };

	sigaction(SIGRTMIN, &action, NULL);
	shared[0] = 1;
	while (handled < 300)
		syscall(__NR_getppid);
	_exit(handled == 300 ? 0 : 1);
}

static void send_signals(void)
{
	for (int i = 0; i < 100; i++)
		kill(shared[2], SIGRTMIN);
}

static void check_every_signal_passes(void)
{
	pid_t child = start(count_signals), senders[3];
	int status, passed = 0;

	wait_for(&shared[0], 1);
	EXPECT_EQ(trace(PTRACE_SEIZE, child, 0, 0), 0);
	shared[2] = child;
	for (int i = 0; i < 3; i++)
		senders[i] = start(send_signals);
	while (waitpid(child, &status, TRACED_WAIT) == child && WIFSTOPPED(status)) {
		passed += WSTOPSIG(status) == SIGRTMIN;
		EXPECT_EQ(trace(PTRACE_CONT, child, 0, (unsigned long)WSTOPSIG(status)), 0);
	}
	EXPECT_EQ(status, 0);
	EXPECT_EQ(passed, 300);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(status_of(senders[i]), 0);
}

/* Continues everything that stops until ROOT and all its descendants have exited: *ENDS of them, *EVENTS
 * stops for EVENT. */
static void trace_all(pid_t root, int event, int *ends, int *events)
{
	int status;
	pid_t pid;

	*ends = *events = 0;
	EXPECT_EQ(trace(PTRACE_CONT, root, 0, 0), 0);
	while ((pid = waitpid(-1, &status, TRACED_WAIT)) > 0) {
		if (!WIFSTOPPED(status)) {
			(*ends)++;
			EXPECT_EQ(status, 0);
			continue;
		}
		*events += status >> 16 == event;
		int signal = status >> 16 ? 0 : WSTOPSIG(status);

		trace(PTRACE_CONT, pid, 0, (unsigned long)signal);
	}
	EXPECT_EQ(errno, ECHILD);
}

static void make_children(void)
{
	for (int i = 0; i < 40; i++)
		start(do_nothing);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static void check_children(void)
{
	int ends, events;

	trace_all(start_stopped(make_children, PTRACE_O_TRACEFORK), PTRACE_EVENT_FORK, &ends,
		  &events);
	EXPECT_EQ(events, 40);
	EXPECT_EQ(ends, 41);
}

static int end_thread(void *unused)
{
	(void)unused;
	syscall(__NR_getppid);
	return 0;
}

static char stacks[40][STACK_SIZE] __attribute__((aligned(16)));

static void make_threads(void)
{
	for (int i = 0; i < 40; i++)
		clone(end_thread, stacks[i] + STACK_SIZE, THREAD_FLAGS, NULL);
	syscall(__NR_exit, 0);
}

static void check_threads(void)
{
	int ends, events;

	trace_all(start_stopped(make_threads, PTRACE_O_TRACECLONE), PTRACE_EVENT_CLONE, &ends,
		  &events);
	EXPECT_EQ(events, 40);
	EXPECT_EQ(ends, 41);
}

/* Its other threads are traced, stopped or exiting while one ends the process. */
static void end_amid_threads(void)
{
	for (int i = 0; i < 20; i++)
		clone(end_thread, stacks[i] + STACK_SIZE, THREAD_FLAGS, NULL);
	syscall(__NR_exit_group, 0);
}

static void check_ends_amid_threads(void)
{
	for (int round = 0; round < 10; round++) {
		int status, last = -1;
		pid_t pid, root = start_stopped(end_amid_threads, PTRACE_O_TRACECLONE);

		trace(PTRACE_CONT, root, 0, 0);
		while ((pid = waitpid(-1, &status, TRACED_WAIT)) > 0) {
			if (WIFSTOPPED(status))
				trace(PTRACE_CONT, pid, 0, 0);
			else if (pid == root)
				last = status;
			else
				EXPECT_EQ(last, -1);
		}
		EXPECT_EQ_AT(last, 0, "round %d", round);
	}
}

static void map_and_unmap(void)
{
	for (;;) {
		char *page = page_at((char *)0x10000000, PROT_READ | PROT_WRITE, MAP_FIXED);

		page[0] = page[PAGE - 1] = 7;
		munmap(page, PAGE);
	}
}

static void check_copies(void)
{
	static char buffer[PAGE];

	for (int round = 0; round < 20; round++) {
		pid_t child = start(map_and_unmap);

		shared[0] = child;
		shared[2] = round * 2000;
		pid_t killer = start(kill_it);
		struct iovec here = { buffer, PAGE }, there = { (void *)0x10000000, PAGE };
		long result;

		do {
			result = syscall(__NR_process_vm_readv, child, &here, 1, &there, 1, 0);
			if (result != PAGE)
				EXPECT(result == -1 && (errno == EFAULT || errno == ESRCH));
			else
				EXPECT(buffer[0] == 7 || buffer[0] == 0);
		} while (result == PAGE || errno != ESRCH);
		EXPECT_EQ(status_of(child), SIGKILL);
		EXPECT_EQ(status_of(killer), 0);
	}
}

static void check_first(void)
{
	/* Elsewhere this program is not the first one, and has a parent. */
	if (getpid() != 1)
		return;
	EXPECT_EQ(trace(PTRACE_TRACEME, 0, 0, 0), -1);
	EXPECT_EQ(errno, EPERM);
}

/* A call with a fourth argument, whose status says whether it was used. */
static void read_second_letter(void)
{
	char letter = 0;
	int fd = open("/proc/self/exe", O_RDONLY);
	long got = syscall(__NR_pread64, fd, &letter, 1, 1);

	_exit(got == 1 && letter == 'E' ? 7 : 1);
}

static void check_arguments(void)
{
	pid_t child = start_stopped(read_second_letter, 0);
	int status, stops = 0;

	for (; stops < 1000; stops++) {
		EXPECT_EQ(trace(PTRACE_SYSCALL, child, 0, 0), 0);
		EXPECT_EQ(waitpid(child, &status, TRACED_WAIT), child);
		if (!WIFSTOPPED(status))
			break;
	}
	EXPECT(stops > 4);
	EXPECT_EQ(status, 7 << 8);
}

static const struct tap_rule rules[] = {
	{ "the first process has no parent that could trace it", check_first },
	{ "a call has all of its arguments, also when a tracer stops at it", check_arguments },
	{ "a tracee is killed while its registers and memory are read", check_killed_while_read },
	{ "a tracee is killed while it goes from call to call", check_killed_while_resumed },
	{ "a tracer is killed: its tracee goes on, or with PTRACE_O_EXITKILL is killed, too",
	  check_tracer_killed },
	{ "an interrupt stops a tracee wherever it is, and nothing runs then", check_interrupts },
	{ "every signal from several senders passes the tracer once", check_every_signal_passes },
	{ "children of a tracee are traced from the start, and each exit is reported once",
	  check_children },
	{ "threads of a tracee are traced from the start, and each exit is reported once",
	  check_threads },
	{ "a process with traced threads ends after all of them", check_ends_amid_threads },
	{ "memory is copied from a process that unmaps it, and is killed", check_copies },
};

int main(void)
{
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
