// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of processes: how they are made, stopped, reported, and ended, and what they share. Linux has
 * the same rules: the same executable has to pass there.
 *
 * handlers.c is about handlers, mappings.c about memory, hostile.c about wrong arguments, libc.c about
 * what the C library makes of the calls.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include "process.h"
#include "task_state.h"

#define STACK_SIZE 65536
#define FUTEX_WAIT 0
#define FUTEX_WAKE 1

static const char *own_path;

static void say_ready(void)
{
	shared[0] = 1;
}

static void spin_endlessly(void)
{
	say_ready();
	for (;;)
		;
}

static void sleep_endlessly(void)
{
	say_ready();
	for (;;)
		pause();
}

static void read_endlessly(void)
{
	int ends[2];
	char byte;

	(void)!pipe(ends);
	say_ready();
	(void)!read(ends[0], &byte, 1);
}

static volatile uintptr_t nothing = 8;

static void touch_nothing(void)
{
	*(volatile int *)nothing = 1;
}

static void check_deaths(void)
{
	static void (*const bodies[])(void) = { spin_endlessly, sleep_endlessly, read_endlessly };
	static const int signals[] = { SIGTERM, SIGKILL, SIGUSR1, SIGRTMIN };

	for (size_t b = 0; b < sizeof(bodies) / sizeof(bodies[0]); b++) {
		for (size_t s = 0; s < sizeof(signals) / sizeof(signals[0]); s++) {
			shared[0] = 0;
			pid_t child = start(bodies[b]);

			wait_for(&shared[0], 1);
			EXPECT_EQ(kill(child, signals[s]), 0);
			EXPECT_EQ_AT(status_of(child), signals[s], "body %zu", b);
		}
	}
	EXPECT_EQ(status_of(start(touch_nothing)) & 0x7f, SIGSEGV);
	EXPECT_EQ(kill(start(do_nothing), 0), 0);
	EXPECT(waitpid(-1, NULL, 0) > 0);
	EXPECT_EQ(waitpid(-1, NULL, 0), -1);
	EXPECT_EQ(errno, ECHILD);
}

static void check_stopping(void)
{
	int status = 0;

	shared[0] = 0;
	pid_t child = start(spin_endlessly);

	wait_for(&shared[0], 1);
	EXPECT_EQ(waitpid(child, &status, WNOHANG | WUNTRACED), 0);
	EXPECT_EQ(kill(child, SIGSTOP), 0);
	EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
	EXPECT(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	/* Reported once; and other signals wait. */
	EXPECT_EQ(kill(child, SIGTERM), 0);
	EXPECT_EQ(waitpid(child, &status, WNOHANG | WUNTRACED), 0);
	EXPECT_EQ(kill(child, SIGCONT), 0);
	EXPECT_EQ(status_of(child), SIGTERM);

	/* SIGKILL does not wait. */
	shared[0] = 0;
	child = start(spin_endlessly);
	wait_for(&shared[0], 1);
	EXPECT_EQ(kill(child, SIGSTOP), 0);
	EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
	EXPECT_EQ(kill(child, SIGKILL), 0);
	EXPECT_EQ(status_of(child), SIGKILL);
}

static char thread_stacks[2][STACK_SIZE] __attribute__((aligned(16)));

#define THREAD_FLAGS \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

static int execute_self(void *unused)
{
	char *words[] = { (char *)own_path, "--pid", NULL };

	(void)unused;
	execv(OWN_FILE, words);
	return 1;
}

static int sleep_in_thread(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return 0;
}

static void execute_in_thread(void)
{
	shared[0] = getpid();
	clone(sleep_in_thread, thread_stacks[0] + STACK_SIZE, THREAD_FLAGS, NULL);
	clone(execute_self, thread_stacks[1] + STACK_SIZE, THREAD_FLAGS, NULL);
	for (;;)
		pause();
}

static void check_exec_in_thread(void)
{
	/* The new program exits with the low byte of its pid and tid, if they are the same. */
	pid_t child = start(execute_in_thread);
	int status = status_of(child);

	EXPECT_AT(WIFEXITED(status), "status 0x%x", status);
	EXPECT_EQ(WEXITSTATUS(status), child & 0xff);
}

static int exit_all(void *unused)
{
	(void)unused;
	syscall(__NR_exit_group, 77);
	return 0;
}

static void exit_in_thread(void)
{
	clone(sleep_in_thread, thread_stacks[0] + STACK_SIZE, THREAD_FLAGS, NULL);
	clone(exit_all, thread_stacks[1] + STACK_SIZE, THREAD_FLAGS, NULL);
	for (;;)
		;
}

/* Ends when the process's first thread has ended. */
static int end_late(void *unused)
{
	(void)unused;
	while (task_state(getpid()) != 'Z')
		pause_ms(1);
	shared[0] = 1;
	return 9;
}

static void leave_thread_running(void)
{
	clone(end_late, thread_stacks[0] + STACK_SIZE, THREAD_FLAGS, NULL);
	syscall(__NR_exit, 5);
}

static void check_thread_ends(void)
{
	int status = status_of(start(exit_in_thread));

	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 77);
	/* A process exits with its last thread, and with that thread's status. */
	shared[0] = 0;
	status = status_of(start(leave_thread_running));
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 9);
	EXPECT_EQ(shared[0], 1);
}

static int pipe_ends[2];

static void write_much(void)
{
	static char block[100000];

	close(pipe_ends[0]);
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = (char)(i * 7);
	for (int i = 0; i < 3; i++)
		if (write(pipe_ends[1], block, sizeof(block)) != sizeof(block))
			_exit(1);
}

static void check_pipes(void)
{
	struct pollfd polled = { .events = POLLIN | POLLOUT };
	char buffer[3000];
	size_t total = 0;
	ssize_t count;

	EXPECT_EQ(pipe(pipe_ends), 0);
	polled.fd = pipe_ends[0];
	EXPECT_EQ(poll(&polled, 1, 0), 0);
	EXPECT_EQ(poll(&polled, 1, 10), 0);
	polled.fd = pipe_ends[1];
	EXPECT_EQ(poll(&polled, 1, 0), 1);
	EXPECT_EQ(polled.revents, POLLOUT);
	pid_t child = start(write_much);

	close(pipe_ends[1]);
	polled.fd = pipe_ends[0];
	EXPECT_EQ(poll(&polled, 1, -1), 1);
	EXPECT(polled.revents & POLLIN);
	while ((count = read(pipe_ends[0], buffer, sizeof(buffer))) > 0) {
		for (ssize_t i = 0; i < count; i++)
			if (buffer[i] != (char)((total + (size_t)i) % 100000 * 7))
				EXPECT_AT(false, "byte %zu", total + (size_t)i);
		total += (size_t)count;
	}
	EXPECT_EQ(count, 0);
	EXPECT_EQ(total, 300000);
	EXPECT_EQ(status_of(child), 0);
	EXPECT_EQ(poll(&polled, 1, 0), 1);
	EXPECT_EQ(polled.revents, POLLHUP);
	close(pipe_ends[0]);

	EXPECT_EQ(pipe2(pipe_ends, O_NONBLOCK), 0);
	EXPECT_EQ(read(pipe_ends[0], buffer, 1), -1);
	EXPECT_EQ(errno, EAGAIN);
	signal(SIGPIPE, SIG_IGN);
	close(pipe_ends[0]);
	EXPECT_EQ(write(pipe_ends[1], buffer, 1), -1);
	EXPECT_EQ(errno, EPIPE);
	signal(SIGPIPE, SIG_DFL);
	close(pipe_ends[1]);
}

static void wake_parent(void)
{
	while (!task_sleeps(getppid()))
		pause_ms(1);
	shared[1] = 1;
	EXPECT_EQ(syscall(__NR_futex, &shared[1], FUTEX_WAKE, 1, NULL, NULL, 0), 1);
}

static void check_futexes(void)
{
	struct timespec short_time = { 0, 10000000 };

	shared[1] = 0;
	EXPECT_EQ(syscall(__NR_futex, &shared[1], FUTEX_WAIT, 1, NULL, NULL, 0), -1);
	EXPECT_EQ(errno, EAGAIN);
	EXPECT_EQ(syscall(__NR_futex, &shared[1], FUTEX_WAIT, 0, &short_time, NULL, 0), -1);
	EXPECT_EQ(errno, ETIMEDOUT);
	pid_t child = start(wake_parent);

	EXPECT_EQ(syscall(__NR_futex, &shared[1], FUTEX_WAIT, 0, NULL, NULL, 0), 0);
	EXPECT_EQ(shared[1], 1);
	EXPECT_EQ(status_of(child), 0);
}

static int count_with_others(void *word)
{
	for (int i = 0; i < 4000; i++) {
		__atomic_fetch_add((int *)word, 1, __ATOMIC_RELAXED);
		if (i % 100 == 0) {
			/* Faults, flushes and context switches in the address space of all. */
			char *page = page_at(NULL, PROT_READ | PROT_WRITE, 0);

			*page = 1;
			munmap(page, PAGE);
			sched_yield();
		}
	}
	__atomic_fetch_add((int *)word + 1, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static void check_many_threads(void)
{
	static char stacks[8][STACK_SIZE] __attribute__((aligned(16)));
	static int words[2];

	words[0] = words[1] = 0;
	for (int i = 0; i < 8; i++)
		EXPECT(clone(count_with_others, stacks[i] + STACK_SIZE, THREAD_FLAGS, words) > 0);
	while (__atomic_load_n(&words[1], __ATOMIC_SEQ_CST) != 8)
		sched_yield();
	EXPECT_EQ(words[0], 32000);
}

static void check_many_processes(void)
{
	for (int round = 0; round < 5; round++) {
		pid_t children[20];

		for (int i = 0; i < 20; i++)
			children[i] = start(do_nothing);
		for (int i = 19; i >= 0; i--)
			EXPECT_EQ(status_of(children[i]), 0);
	}
}

static const struct tap_rule rules[] = {
	{ "a signal ends a child that computes, sleeps or reads, and is its status", check_deaths },
	{ "a stopped child stays so until SIGCONT or SIGKILL, and the parent is notified",
	  check_stopping },
	{ "execve in a thread ends the others and keeps the process's number",
	  check_exec_in_thread },
	{ "exit_group in a thread ends all; a process lasts as long as its last thread",
	  check_thread_ends },
	{ "bytes come out of a pipe as they went in, and each end notices when the other closes",
	  check_pipes },
	{ "a futex in shared memory wakes another process", check_futexes },
	{ "threads that share all of memory count right", check_many_threads },
	{ "a hundred processes come and go", check_many_processes },
};

int main(int argc, char **argv)
{
	own_path = argv[0];
	if (argc == 2 && strcmp(argv[1], "--pid") == 0)
		return getpid() == syscall(__NR_gettid) ? getpid() & 0xff : 0;
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
