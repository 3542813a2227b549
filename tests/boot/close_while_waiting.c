// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thread waits in a call while another closes the call's descriptor or unmaps its memory. A closed descriptor is
 * still open for the waiting call. Unmapped memory is EFAULT when the call reaches it, and no data are lost. Linux has
 * the same rules: the same executable has to pass there.
 *
 * Races without a known outcome are in races.c.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "bare.h"
#include "process.h"
#include "task_state.h"

#define STACK_SIZE 16384

static char stack[STACK_SIZE] __attribute__((aligned(16)));
static char *buffer; /* a page; the waiting thread's */
static int ends[2];

/* A call that waits, made by a task with this one's memory and descriptors. */
struct waiting {
	long number, arguments[6];
	long result; /* or the negative error */
};

static struct waiting waiting;

static int make_call(void *unused)
{
	(void)unused;
	waiting.result = call_bare(waiting.number, waiting.arguments);
	return 0;
}

/* Starts the call and returns when it waits. */
static pid_t start_call(long number, long a, long b, long c, long d)
{
	waiting = (struct waiting){ .number = number, .arguments = { a, b, c, d } };
	pid_t pid = clone(make_call, stack + sizeof(stack), CLONE_VM | CLONE_FILES | SIGCHLD, NULL);

	EXPECT(pid > 0);
	while (pid > 0 && !task_sleeps(pid))
		pause_ms(1);
	return pid;
}

static void prepare(void)
{
	buffer = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(buffer != MAP_FAILED);
	EXPECT_EQ(pipe(ends), 0);
}

static void clean_up(void)
{
	close(ends[0]);
	close(ends[1]);
	munmap(buffer, PAGE);
}

static void check_closed_reader(void)
{
	prepare();
	pid_t reader = start_call(__NR_read, ends[0], (long)buffer, 8, 0);

	EXPECT_EQ(close(ends[0]), 0);
	EXPECT_EQ(read(ends[0], buffer, 1), -1);
	EXPECT_EQ(errno, EBADF);
	/* Another task still reads there: no SIGPIPE. */
	EXPECT_EQ(write(ends[1], "abc", 3), 3);
	EXPECT_EQ(status_of(reader), 0);
	EXPECT_EQ(waiting.result, 3);
	EXPECT_EQ(memcmp(buffer, "abc", 3), 0);
	clean_up();
}

static void check_replaced_reader(void)
{
	int others[2];

	prepare();
	EXPECT_EQ(pipe(others), 0);
	pid_t reader = start_call(__NR_read, ends[0], (long)buffer, 8, 0);

	/* The number is another file's from now on; the call stays with its own. */
	EXPECT_EQ(dup2(others[0], ends[0]), ends[0]);
	EXPECT_EQ(write(others[1], "other", 5), 5);
	EXPECT_EQ(write(ends[1], "own", 3), 3);
	EXPECT_EQ(status_of(reader), 0);
	EXPECT_EQ(waiting.result, 3);
	EXPECT_EQ(memcmp(buffer, "own", 3), 0);
	close(others[0]);
	close(others[1]);
	clean_up();
}

static void check_last_writer(void)
{
	prepare();
	pid_t reader = start_call(__NR_read, ends[0], (long)buffer, 8, 0);

	EXPECT_EQ(close(ends[1]), 0);
	EXPECT_EQ(status_of(reader), 0);
	EXPECT_EQ(waiting.result, 0);
	clean_up();
}

static void check_unmapped_buffer(void)
{
	int left = 0;

	prepare();
	pid_t reader = start_call(__NR_read, ends[0], (long)buffer, 8, 0);

	EXPECT_EQ(munmap(buffer, PAGE), 0);
	EXPECT_EQ(write(ends[1], "abc", 3), 3);
	EXPECT_EQ(status_of(reader), 0);
	EXPECT_EQ(waiting.result, -EFAULT);
	EXPECT_EQ(ioctl(ends[0], FIONREAD, &left), 0);
	EXPECT_EQ(left, 3);
	clean_up();
}

static const struct tap_rule rules[] = {
	{ "a pipe that is closed while a task reads from it stays open for the reader",
	  check_closed_reader },
	{ "a descriptor that is replaced while a task reads from it is the old file for the reader",
	  check_replaced_reader },
	{ "a reader of a pipe wakes up when the last writer closes it", check_last_writer },
	{ "a buffer that goes away while a task waits to fill it is EFAULT, and nothing is lost",
	  check_unmapped_buffer },
};

TAP_MAIN(rules)
