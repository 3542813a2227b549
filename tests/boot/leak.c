// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of tidiness: the resources of a program are free again when it is done, to the page.
 *
 * Each rule does something once, so that objects of the first use exist, and then many times: the kernel
 * must have given out the same before and after (tidiness.h).
 *
 * Free memory is unpredictable on other kernels, and the test is skipped there.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>
#include <linux/ptrace.h>

#include "../unit/tap.h"
#include "page.h"
#include "tidiness.h"

#define ROUNDS	   50
#define STACK_SIZE 16384

static void expect_tidy(void (*work)(void))
{
	state_expect_kept(work, 1, ROUNDS);
}

static void collect(pid_t child)
{
	EXPECT(child > 0);
	EXPECT_EQ(waitpid(child, NULL, 0), child);
}

static void fork_and_exit(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	collect(child);
}

static void check_fork(void)
{
	expect_tidy(fork_and_exit);
}

/* The child writes to shared pages, maps and maps again, has descriptors, and dies of a signal
 * with others pending. */
static void fork_and_die(void)
{
	static char data[8 * PAGE];
	int ends[2];

	EXPECT_EQ(pipe(ends), 0);
	pid_t child = fork();

	if (child == 0) {
		sigset_t blocked;

		memset(data, 1, sizeof(data));
		memset(mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0),
		       1, 16 * PAGE);
		memset(mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			    0),
		       1, 16 * PAGE);
		(void)!write(ends[1], data, sizeof(data));
		sigfillset(&blocked);
		sigprocmask(SIG_SETMASK, &blocked, NULL);
		for (int signal = SIGRTMIN; signal < SIGRTMIN + 5; signal++)
			kill(getpid(), signal);
		fork();
		kill(getpid(), SIGKILL);
		_exit(0);
	}
	collect(child);
	/* The first process, which this is, inherits the child's own children. */
	while (waitpid(-1, NULL, 0) > 0)
		;
	close(ends[0]);
	close(ends[1]);
}

static void check_death(void)
{
	expect_tidy(fork_and_die);
}

static void map_and_unmap(void)
{
	char *memory =
		mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT(memory != MAP_FAILED);
	memset(memory, 1, 64 * PAGE);
	EXPECT_EQ(mprotect(memory + 8 * PAGE, 8 * PAGE, PROT_READ), 0);
	EXPECT_EQ(munmap(memory + 16 * PAGE, 16 * PAGE), 0);
	EXPECT_EQ(madvise(memory, 4 * PAGE, MADV_DONTNEED), 0);
	EXPECT_EQ(munmap(memory, 64 * PAGE), 0);
	char *file = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE,
			  open("/proc/self/exe", O_RDONLY | O_CLOEXEC), 0);

	EXPECT(file != MAP_FAILED);
	file[0] = 1;
	EXPECT_EQ(munmap(file, 4 * PAGE), 0);
	for (int fd = 3; fd < 10; fd++)
		close(fd);
}

static void check_memory(void)
{
	expect_tidy(map_and_unmap);
}

static void fail_to_execute(void)
{
	char *words[] = { "x", NULL };

	EXPECT_EQ(execv("/dev/null", words), -1);
	EXPECT_EQ(execv("/no/such/file", words), -1);
	EXPECT_EQ(syscall(__NR_clone, CLONE_SIGHAND, 0, 0, 0, 0), -1);
	EXPECT_EQ(syscall(__NR_pipe2, 8, 0), -1);
	EXPECT_EQ(syscall(__NR_poll, 8, 1, 0), -1);
}

static void check_failures(void)
{
	expect_tidy(fail_to_execute);
}

static int end_thread(void *unused)
{
	(void)unused;
	return 0;
}

static void start_thread(void)
{
	static char stack[STACK_SIZE] __attribute__((aligned(16)));
	static volatile int tid;

	tid = 1;
	EXPECT(clone(end_thread, stack + STACK_SIZE,
		     CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			     CLONE_CHILD_CLEARTID,
		     NULL, NULL, NULL, &tid) > 0);
	while (tid)
		sched_yield();
}

static void check_threads(void)
{
	expect_tidy(start_thread);
}

static long trace(long request, pid_t pid)
{
	return syscall(__NR_ptrace, request, pid, 0, 0);
}

/* A process with two threads, for another process to kill. */
static void live_with_thread(void)
{
	static char stack[STACK_SIZE] __attribute__((aligned(16)));

	clone(end_thread, stack + STACK_SIZE,
	      CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, NULL);
	trace(PTRACE_TRACEME, 0);
	raise(SIGUSR1);
	raise(SIGUSR2);
	pause();
}

/* A tracer that exits with tracees in every state: stopped, running, exited and not waited for. */
static void trace_some(void)
{
	int status;

	for (int i = 0; i < 3; i++) {
		pid_t child = fork();

		if (child == 0)
			live_with_thread();
		waitpid(child, &status, 0);
		syscall(__NR_ptrace, PTRACE_SETOPTIONS, child, 0, PTRACE_O_EXITKILL);
		if (i > 0)
			trace(PTRACE_CONT, child);
		if (i > 1)
			kill(child, SIGKILL);
	}
	_exit(0);
}

static void end_tracer(void)
{
	pid_t child = fork();

	if (child == 0)
		trace_some();
	collect(child);
	/* Its children are the first process's now. */
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static void check_tracing(void)
{
	expect_tidy(end_tracer);
}

/* A software event, which every machine has: opened, mapped, sampled into, polled, closed while
 * still mapped. */
static void open_and_close_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
	};
	int fd = (int)syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);

	EXPECT(fd >= 0);
	char *ring = mmap(NULL, 5 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	EXPECT(ring != MAP_FAILED);
	attr.sample_period = 0;
	int sibling = (int)syscall(__NR_perf_event_open, &attr, 0, -1, fd, 0);

	EXPECT(sibling >= 0);
	for (int i = 0; i < 8; i++) {
		char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);

		*page = 1;
		munmap(page, PAGE);
	}
	EXPECT_EQ(close(fd), 0);
	EXPECT_EQ(munmap(ring, 5 * PAGE), 0);
	EXPECT_EQ(close(sibling), 0);
}

static void check_events(void)
{
	expect_tidy(open_and_close_event);
}

/* A child that exits with events open and mapped, on itself and on its parent. */
static void die_with_events(void)
{
	pid_t child = fork();

	if (child == 0) {
		struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
						.size = sizeof(attr),
						.config = PERF_COUNT_SW_TASK_CLOCK };

		for (int i = 0; i < 4; i++) {
			int fd = (int)syscall(__NR_perf_event_open, &attr, i & 1 ? getppid() : 0,
					      -1, -1, 0);

			*(volatile char *)mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
					       fd, 0) = 1;
		}
		_exit(0);
	}
	collect(child);
}

static void check_death_with_events(void)
{
	expect_tidy(die_with_events);
}

/* How often memory was used up. */
static int times_exhausted;

/* Takes memory until the kernel has none left, and dies of it. */
static void use_up_memory(void)
{
	int status = 0;
	pid_t child = fork();

	times_exhausted++;
	if (child == 0) {
		for (;;) {
			char *memory = mmap(NULL, 256 * PAGE, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			for (size_t i = 0; i < 256; i++)
				memory[i * PAGE] = 1;
		}
	}
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, SIGKILL);
}

static void check_exhaustion(void)
{
	state_expect_kept(use_up_memory, 1, 1);
}

/* Bytes that the last caller needs: more than the other one has left. */
#define LAST_REQUEST (64 * 1024 * 1024L)

/* Takes so much that not enough is left for another process, and sleeps. */
static void hold_most_memory(int ready)
{
	while (free_memory() > LAST_REQUEST / 2) {
		char *memory = mmap(NULL, 256 * PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (size_t i = 0; i < 256; i++)
			memory[i * PAGE] = 1;
	}
	close(ready);
	for (;;)
		pause();
}

static void request_last(void)
{
	char *memory = mmap(NULL, LAST_REQUEST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	for (long i = 0; i < LAST_REQUEST; i += PAGE)
		memory[i] = 1;
	_exit(0);
}

/* A child that takes memory by HOLD, closes TOLD when it has it, and sleeps: this waits for that. */
static pid_t start_holder(void (*hold)(int ready))
{
	int ends[2];
	char byte;

	EXPECT_EQ(pipe(ends), 0);
	pid_t holder = fork();

	if (holder == 0) {
		close(ends[0]);
		hold(ends[1]);
	}
	close(ends[1]);
	EXPECT_EQ(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	return holder;
}

static void check_largest_dies(void)
{
	int status = 0;

	times_exhausted++;
	pid_t large = start_holder(hold_most_memory);
	pid_t last = fork();

	if (last == 0)
		request_last();
	EXPECT_EQ(waitpid(last, &status, 0), last);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(waitpid(large, &status, 0), large);
	EXPECT_EQ(status, SIGKILL);
}

/* The reach of one page table; and far more addresses than any machine has memory for their tables. */
#define TABLE_SPAN  ((long)PAGE * (PAGE / 8))
#define MANY_TABLES (1L << 41)

/* Reads one page in each table until it dies of it. A page that was only read is no memory of its own:
 * the process has nothing but page tables. */
static void use_up_tables(void)
{
	const volatile char *memory = mmap(NULL, MANY_TABLES, PROT_READ,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (long i = 0; memory != MAP_FAILED && i < MANY_TABLES; i += TABLE_SPAN)
		(void)memory[i];
	_exit(0);
}

static void hold_a_quarter(int ready)
{
	size_t quarter = free_memory() / 4;
	char *memory =
		mmap(NULL, quarter, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(memory, 1, quarter);
	close(ready);
	for (;;)
		pause();
}

static void explode_tables(void)
{
	int status = 0;

	times_exhausted++;
	pid_t sleeper = start_holder(hold_a_quarter);
	pid_t child = fork();

	if (child == 0)
		use_up_tables();
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, SIGKILL);
	EXPECT_EQ(kill(sleeper, SIGKILL), 0);
	EXPECT_EQ(waitpid(sleeper, &status, 0), sleeper);
}

static void check_tables(void)
{
	state_expect_kept(explode_tables, 1, 1);
}

static const struct tap_rule rules[] = {
	{ "a child that ends leaves nothing", check_fork },
	{ "a child killed with pages, pipes, signals and a child of its own leaves nothing",
	  check_death },
	{ "unmapped memory is free", check_memory },
	{ "calls that fail keep nothing", check_failures },
	{ "a thread that ends leaves nothing", check_threads },
	{ "a tracer that ends with its tracees leaves nothing", check_tracing },
	{ "events that are closed leave nothing", check_events },
	{ "a child that ends with events leaves nothing", check_death_with_events },
};

/* Takes seconds: for --exhaust alone, which exhaustion.t runs on one machine. */
static const struct tap_rule exhaustion_rules[] = {
	{ "a program that uses up all memory is killed, and all of it is free again",
	  check_exhaustion },
	{ "the process with most memory is killed, even asleep, not the last one that allocates",
	  check_largest_dies },
	{ "a process with most page tables and no other memory is killed, and all of it is free again",
	  check_tables },
};

int main(int argc, char **argv)
{
	struct utsname names;

	if (uname(&names) == 0 && !strstr(names.release, "tally")) {
		printf("1..0 # SKIP free memory is exact on Tally only\n");
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "--exhaust") == 0) {
		int status = tap_run(exhaustion_rules,
				     sizeof(exhaustion_rules) / sizeof(exhaustion_rules[0]));

		printf("# memory was used up %d times\n", times_exhausted);
		return status;
	}
	have_many_tasks();
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
