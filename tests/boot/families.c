// SPDX-License-Identifier: BSD-2-Clause
/*
 * Families of processes under pressure: many that exit, stop, signal, inherit and replace one another at
 * the same time, on every CPU. In every order, no task is lost and none counts twice. Linux has the
 * same rules: the same executable has to pass there.
 *
 * tests/conformance has the answers of each call (observe_wait, observe_clone), processes.c the rules of
 * one process alone.
 */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "process.h"

#define WORKERS	   4
#define ROUNDS	   25
#define STACK_SIZE 16384
#define THREAD_FLAGS \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

/* The words of waitid and rt_sigqueueinfo: signal, error, code, -, pid, uid, value or status. */
struct info {
	int words[32];
};

enum { INFO_SIGNAL = 0, INFO_CODE = 2, INFO_PID = 4, INFO_VALUE = 6 };
enum { CODE_QUEUE = -1, CODE_STOPPED = 5, CODE_CONTINUED = 6 };

static const char *own_path;

/* --- orphans --- */

/* Makes grandchildren of the waiter, each of which exits with the number of its round. */
static void make_orphans(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		pid_t child = fork();

		if (child == 0) {
			if (fork() == 0)
				_exit(i);
			_exit(100);
		}
		while (waitpid(child, NULL, 0) != child)
			;
	}
}

static void check_orphans(void)
{
	int seen[ROUNDS] = { 0 }, others = 0, status;

	EXPECT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	for (int i = 0; i < WORKERS; i++)
		start(make_orphans);
	while (waitpid(-1, &status, 0) > 0) {
		/* A worker exits with 0, as do the orphans of its first round. */
		if (WIFEXITED(status) && WEXITSTATUS(status) < ROUNDS)
			seen[WEXITSTATUS(status)]++;
		else
			others++;
	}
	EXPECT_EQ(errno, ECHILD);
	EXPECT_EQ(others, 0);
	EXPECT_EQ(seen[0], 2 * WORKERS);
	for (int i = 1; i < ROUNDS; i++)
		EXPECT_EQ_AT(seen[i], WORKERS, "round %d", i);
	EXPECT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

/* --- queued signals --- */

static pid_t receiver;

/* Sends numbers that name their sender, in their order. */
static void send_numbers(void)
{
	int worker = __atomic_fetch_add(&shared[0], 1, __ATOMIC_SEQ_CST);
	struct info info = { 0 };

	info.words[INFO_CODE] = CODE_QUEUE;
	for (int i = 0; i < ROUNDS; i++) {
		info.words[INFO_VALUE] = worker * ROUNDS + i;
		if (syscall(__NR_rt_sigqueueinfo, receiver, SIGRTMIN, &info) < 0)
			_exit(1);
	}
}

static void check_queue(void)
{
	uint64_t set = (uint64_t)1 << (SIGRTMIN - 1);
	int next[WORKERS] = { 0 };
	pid_t children[WORKERS];
	struct info info;

	receiver = getpid();
	shared[0] = 0;
	EXPECT_EQ(syscall(__NR_rt_sigprocmask, SIG_BLOCK, &set, NULL, sizeof(set)), 0);
	for (int i = 0; i < WORKERS; i++)
		children[i] = start(send_numbers);
	for (int i = 0; i < WORKERS * ROUNDS; i++) {
		if (syscall(__NR_rt_sigtimedwait, &set, &info, NULL, sizeof(set)) != SIGRTMIN)
			continue;
		int worker = info.words[INFO_VALUE] / ROUNDS;

		EXPECT_EQ(info.words[INFO_VALUE] % ROUNDS, next[worker]);
		next[worker]++;
	}
	for (int i = 0; i < WORKERS; i++) {
		EXPECT_EQ_AT(next[i], ROUNDS, "worker %d", i);
		EXPECT_EQ(status_of(children[i]), 0);
	}
	struct timespec none = { 0, 0 };

	EXPECT_EQ(syscall(__NR_rt_sigtimedwait, &set, &info, &none, sizeof(set)), -1);
	EXPECT_EQ(syscall(__NR_rt_sigprocmask, SIG_UNBLOCK, &set, NULL, sizeof(set)), 0);
}

/* --- stops --- */

static void spin(void)
{
	for (;;)
		;
}

static int code_of(pid_t child, int options)
{
	struct info info = { 0 };

	EXPECT_EQ(syscall(__NR_waitid, P_PID, child, &info, options, NULL), 0);
	return info.words[INFO_CODE];
}

static void stop_and_continue(void)
{
	pid_t child = start(spin);

	for (int i = 0; i < ROUNDS; i++) {
		kill(child, SIGSTOP);
		if (code_of(child, WSTOPPED) != CODE_STOPPED)
			_exit(1);
		kill(child, SIGCONT);
		if (code_of(child, WCONTINUED) != CODE_CONTINUED)
			_exit(2);
	}
	kill(child, SIGSTOP);
	kill(child, SIGKILL);
	_exit(status_of(child) == SIGKILL ? 0 : 3);
}

static void check_stops(void)
{
	pid_t children[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		children[i] = start(stop_and_continue);
	for (int i = 0; i < WORKERS; i++)
		EXPECT_EQ_AT(status_of(children[i]), 0, "worker %d", i);
}

/* --- processes as files --- */

static void end_at_once(void)
{
}

static void check_files(void)
{
	struct pollfd files[WORKERS];
	struct info info;

	for (int round = 0; round < ROUNDS; round++) {
		pid_t children[WORKERS];

		for (int i = 0; i < WORKERS; i++) {
			children[i] = start(end_at_once);
			files[i].fd = (int)syscall(__NR_pidfd_open, children[i], 0);
			files[i].events = POLLIN;
			EXPECT(files[i].fd >= 0);
		}
		for (int left = WORKERS; left > 0;) {
			EXPECT(poll(files, WORKERS, -1) > 0);
			for (int i = 0; i < WORKERS; i++) {
				if (files[i].fd < 0 || !(files[i].revents & POLLIN))
					continue;
				memset(&info, 0, sizeof(info));
				EXPECT_EQ(syscall(__NR_waitid, P_PIDFD, files[i].fd, &info,
						  WEXITED | WNOHANG, NULL),
					  0);
				EXPECT_EQ(info.words[INFO_PID], children[i]);
				EXPECT_EQ(syscall(__NR_pidfd_send_signal, files[i].fd, 0, NULL, 0),
					  -1);
				EXPECT_EQ(errno, ESRCH);
				close(files[i].fd);
				files[i].fd = -1;
				left--;
			}
		}
	}
}

/* --- threads that each need the process for themselves --- */

static char stacks[WORKERS][STACK_SIZE] __attribute__((aligned(16)));
static volatile int go;

static _Noreturn void execute_as(int number_of)
{
	char number[8] = { (char)('0' + number_of), '\0' };
	char *words[] = { (char *)own_path, (char *)"--status", number, NULL };

	while (!go)
		;
	execve(own_path, words, NULL);
	/* Another thread was first: it ends this one. */
	for (;;)
		;
}

static int execute(void *argument)
{
	execute_as((int)(intptr_t)argument);
}

static void race_to_execute(void)
{
	for (int i = 1; i < WORKERS; i++)
		if (clone(execute, stacks[i] + STACK_SIZE, THREAD_FLAGS, (void *)(intptr_t)i) < 0)
			_exit(99);
	go = 1;
	execute_as(0);
}

static int multiply(void *argument)
{
	for (;;)
		if (fork() == 0)
			_exit(0);
	return argument != NULL;
}

/* One thread ends the process while the others make children and more. */
static void race_to_end(void)
{
	for (int i = 1; i < WORKERS; i++)
		clone(multiply, stacks[i] + STACK_SIZE, THREAD_FLAGS, NULL);
	sched_yield();
	_exit(42);
}

static void check_races(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		int status = status_of(start(race_to_execute));

		EXPECT(WIFEXITED(status) && WEXITSTATUS(status) < WORKERS);
		EXPECT_EQ(status_of(start(race_to_end)), 42 << 8);
	}
}

/* --- a group that grows while it is killed --- */

static void grow(void)
{
	setpgid(0, 0);
	for (;;) {
		pid_t child = fork();

		if (child == 0)
			shared[1] = 1;
		else
			waitpid(-1, NULL, WNOHANG);
		pause_ms(1);
	}
}

static void check_group(void)
{
	EXPECT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	for (int round = 0; round < 5; round++) {
		shared[1] = 0;
		pid_t child = start(grow);

		wait_for(&shared[1], 1);
		EXPECT_EQ(kill(-child, SIGKILL), 0);
		while (waitpid(-child, NULL, 0) > 0)
			;
		EXPECT_EQ(kill(-child, 0), -1);
		EXPECT_EQ(errno, ESRCH);
	}
	EXPECT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

static const struct tap_rule rules[] = {
	{ "orphans of many go to the reaper, each once", check_orphans },
	{ "queued signals of many come all, each sender's in order", check_queue },
	{ "every stop and every continuation is reported once", check_stops },
	{ "processes as files tell of every end", check_files },
	{ "of threads that replace or end their process one wins", check_races },
	{ "a group that is killed while it grows is gone", check_group },
};

int main(int argc, char **argv)
{
	own_path = argv[0];
	if (argc == 3 && strcmp(argv[1], "--status") == 0)
		return argv[2][0] - '0';
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
