// SPDX-License-Identifier: BSD-2-Clause
/*
 * Inherited events: groups, traps and totals over generations of children.
 */
#include <linux/sched.h>
#include <signal.h>

#include "workers.h"
#include "work.h"

/* --- which groups there may be --- */

/* Leader and sibling that are inherited or not, of a task and of a CPU. */
static void mixed_groups(void)
{
	static const struct {
		const char *name;
		pid_t pid;
		int cpu;
	} targets[] = { { "of a task", 0, -1 },
			{ "of a task on CPU 0", 0, 0 },
			{ "of CPU 0", -1, 0 } };

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		for (int which = 0; which < 8; which++) {
			union attr leader = inherited(), sibling = inherited();

			leader.fields.inherit = which & 1;
			sibling.fields.inherit = which >> 1 & 1;
			WORK_FIT_MEMBER(&sibling.fields, 1);
			if (which >> 2 & 1)
				leader.fields.type = PERF_TYPE_SOFTWARE,
				leader.fields.config = PERF_COUNT_SW_DUMMY;
			int fd = (int)open_event(&leader, targets[i].pid, targets[i].cpu, -1, 0);
			int member =
				(int)open_event(&sibling, targets[i].pid, targets[i].cpu, fd, 0);
			show(outcome(member), "%s, %s leader, inherit %d %d: sibling",
			     targets[i].name, which >> 2 & 1 ? "software" : "hardware", which & 1,
			     which >> 1 & 1);
			if (member >= 0)
				close(member);
			close(fd);
		}
	}
}

/* --- traps and handlers --- */

static volatile sig_atomic_t trapped;

static void note_trap(int signal)
{
	(void)signal;
	trapped = 1;
}

/* Linux/alpha has no clone3, and so no child without handlers. */
#ifdef __alpha__
#define CLEARING_WAY
#define FORK_AS(args) ((void)(args), fork())
#else
#define CLEARING_WAY                                             \
	{                                                        \
		"fork that clears handlers", CLONE_CLEAR_SIGHAND \
	}
#define FORK_AS(args) syscall(SYS_clone3, args, sizeof(*(args)))
#endif

static void trapping(void)
{
	static const struct {
		const char *name;
		uint64_t flags;
	} ways[] = { { "fork", 0 }, CLEARING_WAY };
	union attr attr = inherited();
	int status;

	attr.fields.inherit = 1;
	attr.words[WORD_FLAGS] |= 1ull << 36 | 1ull << 37; /* remove_on_exec, sigtrap */
	attr.fields.sample_period = 100000;
	attr.fields.sample_type = 0;
	signal(SIGTRAP, note_trap);
	long fd = open_event(&attr, 0, -1, -1, 0);
	show(outcome(fd), "traps, inherited by processes");
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct clone_args args = { .flags = ways[i].flags, .exit_signal = SIGCHLD };

		fflush(stdout);
		long pid = FORK_AS(&args);
		if (pid == 0) {
			trapped = 0;
			work_in_thread(NULL);
			_exit(trapped);
		}
		waitpid((pid_t)pid, &status, 0);
		show(WIFSIGNALED(status) ? "by a signal" :
		     WEXITSTATUS(status) ? "trapped" :
					   "quietly",
		     "%s: the child ended", ways[i].name);
	}
	if (fd >= 0)
		close((int)fd);
	signal(SIGTRAP, SIG_DFL);
}

/* --- totals --- */

/* Known work of a child that shares the descriptors: what the parent reads, exactly. */
static void exact_totals(void)
{
	union attr attr = inherited();
	uint64_t value = 0;
	char text[32];

	attr.fields.disabled = 1;
	int fd = must_open(&attr, -1);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		_exit(work_counted(fd, LOOPS) < 0);
	waitpid(pid, NULL, 0);
	read(fd, &value, sizeof(value));
	snprintf(text, sizeof(text), "%lld", (long long)(value - WORK_INSTRUCTIONS(LOOPS)));
	show(text, "a child switches on, works, switches off: more than its work");
	close(fd);
}

/* A child of a child whose parent exits first. */
static void generations(void)
{
	union attr attr = inherited();
	uint64_t before = 0;
	int fd = must_open(&attr, -1), go[2], gone[2];
	char byte;

	if (pipe(go) < 0 || pipe(gone) < 0)
		exit(1);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		if (fork() == 0) {
			close(go[1]);
			close(gone[0]);
			read(go[0], &byte, 1);
			work_in_thread(NULL);
			_exit(0);
		}
		_exit(0);
	}
	close(gone[1]);
	waitpid(pid, NULL, 0);
	grown(fd, &before);
	close(go[1]);
	read(gone[0], &byte, 1); /* returns when no task can write any more */
	show(grown(fd, &before), "a grandchild whose maker has ended");
	close(go[0]);
	close(gone[0]);
	close(fd);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, PAGE_BYTES);
	mixed_groups();
	trapping();
	exact_totals();
	generations();
	return 0;
}
