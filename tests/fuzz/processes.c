// SPDX-License-Identifier: BSD-2-Clause
/*
 * Operations on processes and threads: children that fuzz too, get signals and are killed; going on as a new
 * program.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEPTH_MAX 2

/* Goes on as a new program, which knows its descriptors by asking. */
static void exec_self(struct fuzzer *fuzzer, unsigned int operations)
{
	char state[32], count[16], depth[16];

	snprintf(state, sizeof(state), "%llu", (unsigned long long)random_next(&fuzzer->random));
	snprintf(count, sizeof(count), "%u", operations);
	snprintf(depth, sizeof(depth), "%u", fuzzer->depth);
	fuzz_finish(fuzzer);
	execl("/proc/self/exe", "fuzz", FUZZ_CONTINUE, state, count, depth, NULL);
}

static long make_child(struct fuzzer *fuzzer)
{
	unsigned int which = pick(fuzzer, CHILDREN), operations = 5 + pick(fuzzer, 40);

	if (fuzzer->children[which])
		fuzz_reap(fuzzer->children[which], 0);
	fuzzer->children[which] = 0;
	if (fuzzer->depth >= DEPTH_MAX)
		return 0;
	pid_t child = fuzz_fork(fuzzer);

	if (child == 0) {
		fuzz_operate(fuzzer, operations);
		if (pick(fuzzer, 4) == 0)
			exec_self(fuzzer, 20);
		if (pick(fuzzer, 8) == 0)
			kill(getpid(), SIGKILL);
		fuzz_finish(fuzzer);
		_exit(0);
	}
	fuzzer->children[which] = child > 0 ? child : 0;
	return child < 0 ? -1 : 0;
}

static long signal_child(struct fuzzer *fuzzer)
{
	static const int signals[] = { SIGUSR1, SIGSTOP, SIGCONT, SIGKILL, SIGTRAP, SIGIO };
	pid_t child = fuzzer->children[pick(fuzzer, CHILDREN)];

	if (!child)
		return 0;
	if (pick(fuzzer, 4) == 0)
		return waitpid(child, NULL, WNOHANG) < 0 ? -1 : 0;
	return kill(child, PICK(fuzzer, signals));
}

static void *run_thread(void *argument)
{
	fuzz_interrupt_waits();
	fuzz_operate(argument, 20);
	return NULL;
}

/* A thread that uses, closes and unmaps what this one does. Its data are not on this one's stack: a child that
 * it makes by fork may come to use that stack for a thread of its own. */
static long make_thread(struct fuzzer *fuzzer)
{
	if (fuzzer->is_thread || fuzzer->has_thread)
		return 0;
	struct random random = random_split(&fuzzer->random);
	struct fuzzer *other = malloc(sizeof(*other));
	pthread_t thread;
	long result = -1;

	if (!other)
		return -1;
	*other = *fuzzer;
	other->random = random;
	other->is_thread = true;
	other->digest = 0;
	memset(other->children, 0, sizeof(other->children));
	if (pthread_create(&thread, NULL, run_thread, other) == 0) {
		fuzzer->has_thread = true;
		fuzz_operate(fuzzer, 20);
		fuzzer->has_thread = false;
		result = pthread_join(thread, NULL);
	}
	free(other);
	return result;
}

const struct operation fuzz_process_operations[] = {
	{ "make_child", make_child, 4 },
	{ "signal_child", signal_child, 4 },
	{ "make_thread", make_thread, 1 },
	{ 0 },
};
