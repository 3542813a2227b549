// SPDX-License-Identifier: BSD-2-Clause
/*
 * Programs that take everything: processes that fork without a limit, unlimited threads, every
 * descriptor. Each gets as much as its limit allows, to the last one, and Linux's errno from then on.
 * One signal ends all of it, and nothing is left. Memory is exhaustion.t's, through leak.c.
 */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#include <linux/perf_event.h>

#include "page.h"
#include "tidiness.h"

#define THREADS_MAX "/proc/sys/kernel/threads-max"
/* Tasks of the whole system while something explodes. */
#define TASKS_MOST  300
#define USER	    1000
#define USER_TASKS  50
#define USER_FILES  100
/* Linux's numbers that newlib has no names for. */
#ifdef __alpha__
#define LIMIT_NPROC  8
#define LIMIT_NOFILE 6
#else
#define LIMIT_NPROC  6
#define LIMIT_NOFILE 7
#endif
#define SUBREAPER  36
/* Its children are ordinary tasks. */
#define FIRST	   (SCHED_FIFO | 0x40000000 /* SCHED_RESET_ON_FORK */)
#define PROCS_WORD 4 /* of struct system_info's rest */

struct board {
	_Atomic int made, refused, other_error;
};

static struct board *board;

static int tasks(void)
{
	struct system_info info;

	EXPECT_EQ(syscall(__NR_sysinfo, &info), 0);
	return (int)(info.rest[PROCS_WORD] & 0xffff);
}

static void write_setting(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	EXPECT_EQ(write(fd, text, strlen(text)), (long)strlen(text));
	close(fd);
}

static void read_setting(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t length = read(fd, text, size - 1);

	text[length > 0 ? length : 0] = '\0';
	close(fd);
}

static void set_limit(int limit, uint64_t most)
{
	const uint64_t limits[2] = { most, most };

	if (syscall(__NR_setrlimit, limit, limits) < 0)
		_exit(100);
}

/* Counts the result of an attempt to make a task; returns whether there is one more. */
static bool count(long result)
{
	if (result > 0)
		board->made++;
	else if (errno == EAGAIN)
		board->refused++;
	else
		board->other_error++;
	return result > 0;
}

/* A child in a group of its own runs BODY. When the limit has been met, one signal ends every task that
 * came from it, also those that are not this task's children. */
static void explode(void (*body)(void))
{
	int status;
	int tasks_before = tasks();
	pid_t child = fork();

	if (child == 0) {
		syscall(__NR_setpgid, 0, 0);
		body();
		for (;;)
			pause();
	}
	while (!board->refused && !board->other_error)
		pause_ms(1);
	EXPECT_EQ(board->other_error, 0);
	EXPECT_EQ(kill(-child, SIGKILL), 0);
	while (waitpid(-1, &status, 0) > 0)
		EXPECT_EQ(status, SIGKILL);
	EXPECT_EQ(kill(-child, 0), -1);
	EXPECT_EQ(errno, ESRCH);
	EXPECT_EQ(tasks(), tasks_before);
}

/* The same with room for TASKS_MOST tasks in the whole system. */
static void explode_limited(void (*body)(void))
{
	char usual[32], limited[32];

	memset(board, 0, sizeof(*board));
	read_setting(THREADS_MAX, usual, sizeof(usual));
	snprintf(limited, sizeof(limited), "%d", TASKS_MOST);
	write_setting(THREADS_MAX, limited);
	explode(body);
	write_setting(THREADS_MAX, usual);
}

/* --- processes --- */

/* Each does the same as its parent, and none ever stops. */
static void fork_endlessly(void)
{
	for (;;) {
		pid_t child = fork();

		if (child != 0)
			count(child);
	}
}

static void explode_processes(void)
{
	explode_limited(fork_endlessly);
}

static void check_processes(void)
{
	state_expect_kept(explode_processes, 1, 1);
}

/* One user's tasks: as many as the user may have. This task is one of them. */
static void fork_as_user(void)
{
	set_limit(LIMIT_NPROC, USER_TASKS);
	if (syscall(__NR_setresuid, USER, USER, USER) < 0)
		_exit(101);
	for (;;) {
		pid_t child = fork();

		if (child == 0)
			for (;;)
				pause();
		if (!count(child))
			return;
	}
}

static void explode_user(void)
{
	memset(board, 0, sizeof(*board));
	explode(fork_as_user);
	EXPECT_EQ(board->made, USER_TASKS - 1);
	EXPECT_EQ(board->refused, 1);
}

static void check_user(void)
{
	state_expect_kept(explode_user, 1, 1);
}

/* --- threads --- */

/* Enough stack for a thread that only waits. */
static char stacks[TASKS_MOST][512] __attribute__((aligned(16)));
static uint64_t no_signals;

static int wait_endlessly(void *unused)
{
	(void)unused;
	for (;;)
		syscall(__NR_rt_sigsuspend, &no_signals, sizeof(no_signals));
	return 0;
}

static void start_threads(void)
{
	while (count(clone(wait_endlessly, stacks[board->made] + sizeof(stacks[0]),
			   CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, NULL)))
		;
}

static void explode_threads(void)
{
	int before = tasks();

	explode_limited(start_threads);
	EXPECT_EQ(board->made, TASKS_MOST - before - 1);
	EXPECT_EQ(board->refused, 1);
}

static void check_threads(void)
{
	state_expect_kept(explode_threads, 1, 1);
}

/* --- descriptors --- */

static int pair[2];
static struct perf_event_attr any_event = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(any_event) };

/* Every call that makes a descriptor; PATH stands for the name of a file. */
#define PATH "/dev/null"
#define MAKES(name, ...)                            \
	{                                           \
#name, __NR_##name, (const long[6]) \
		{                                   \
			__VA_ARGS__                 \
		}                                   \
	}

static const struct {
	const char *name;
	long number;
	const long *arguments;
} creators[] = {
	MAKES(open, (long)PATH, O_RDONLY),
	MAKES(openat, AT_FDCWD, (long)PATH, O_RDONLY),
#ifdef __NR_creat
	MAKES(creat, (long)PATH, 0600),
#endif
	MAKES(pipe, (long)pair), /* Alpha's returns both */
	MAKES(dup, 0),
	MAKES(fcntl, 0, 0 /* F_DUPFD */, 0),
	MAKES(pipe2, (long)pair, 0),
	MAKES(socket, 1, 1, 0),
	MAKES(socketpair, 1, 1, 0, (long)pair),
	MAKES(eventfd, 0),
	MAKES(eventfd2, 0, 0),
	MAKES(epoll_create, 1),
	MAKES(epoll_create1, 0),
	MAKES(timerfd_create, 1, 0),
	MAKES(signalfd, -1, (long)&no_signals, 8),
	MAKES(signalfd4, -1, (long)&no_signals, 8, 0),
	MAKES(memfd_create, (long)"name", 0),
	MAKES(perf_event_open, (long)&any_event, 0, -1, -1, 0),
};

#define CREATORS (sizeof(creators) / sizeof(creators[0]))

static long make(size_t creator)
{
	const long *argument = creators[creator].arguments;

	return syscall(creators[creator].number, argument[0], argument[1], argument[2], argument[3],
		       argument[4], argument[5]);
}

/* Each call makes as many as can be made, and then fails. */
static void use_up_descriptors(size_t creator)
{
	set_limit(LIMIT_NOFILE, USER_FILES);
	while (make(creator) >= 0)
		;
	EXPECT_EQ_AT(errno, EMFILE, "%s", creators[creator].name);
	/* A pair that found only one place has not kept it. */
	while (dup(0) >= 0)
		;
	for (size_t other = 0; other < CREATORS; other++) {
		EXPECT_EQ_AT(make(other), -1, "%s after %s", creators[other].name,
			     creators[creator].name);
		EXPECT_EQ_AT(errno, EMFILE, "%s after %s", creators[other].name,
			     creators[creator].name);
	}
	EXPECT_EQ(close(USER_FILES - 1), 0);
	EXPECT_EQ(dup(0), USER_FILES - 1);
	fflush(stdout);
	_exit(tap_failed);
}

static void explode_descriptors(void)
{
	for (size_t creator = 0; creator < CREATORS; creator++) {
		int status = -1;
		pid_t child = fork();

		if (child == 0)
			use_up_descriptors(creator);
		EXPECT_EQ(waitpid(child, &status, 0), child);
		EXPECT_EQ_AT(status, 0, "%s", creators[creator].name);
	}
}

static void check_descriptors(void)
{
	state_expect_kept(explode_descriptors, 1, 1);
}

static const struct tap_rule rules[] = {
	{ "processes that fork without a limit of their own reach the system's limit, and one signal ends them all",
	  check_processes },
	{ "a user gets as many processes as the limit says, to the last one", check_user },
	{ "a process gets as many threads as there may be tasks, to the last one", check_threads },
	{ "every call that makes a descriptor says when there are no more", check_descriptors },
};

/* For bombs.t: a bomb that another process has to end. Reports when all tasks that may exist do. */
static void explode_for_good(void)
{
	if (syscall(__NR_setpgid, 0, 0) < 0)
		_exit(102);
	if (fork() == 0)
		fork_endlessly();
	while (!board->refused)
		pause_ms(1);
	printf("%s\n", board->other_error ? "another error" : "full");
	fflush(stdout);
	fork_endlessly();
}

int main(int argc, char **argv)
{
	struct utsname system;

	if (uname(&system) == 0 && !strstr(system.release, "tally")) {
		printf("1..0 # SKIP not on a kernel that somebody needs\n");
		return 0;
	}
	board = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	/* The tasks that a bomb leaves come here, also when another process is the first one. */
	if (board == MAP_FAILED || prctl(SUBREAPER, 1, 0, 0, 0) < 0)
		return 2;
	if (argc == 2 && strcmp(argv[1], "--fork") == 0)
		explode_for_good();
	/* This task looks in time, and not when a few hundred others have had their slices. */
	if (syscall(__NR_sched_setscheduler, 0, FIRST, &(int){ 1 }) < 0)
		return 2;
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
