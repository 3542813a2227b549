// SPDX-License-Identifier: BSD-2-Clause
/*
 * Inherited groups: groups of threads only, members that are disabled, leaders that are closed, and reading
 * groups that change.
 */
#include <pthread.h>

#include "workers.h"
#include "work.h"

#define FLAG_INHERIT_THREAD (1ull << 35)

/* --- a child that works on request --- */

struct worker {
	pid_t pid;
	int go, done;
};

/* Each byte that comes is the number of thousands of rounds to do; 0 ends it. */
static void work_for_orders(int orders, int done)
{
	unsigned char thousands;

	while (write(done, "", 1) == 1 && read(orders, &thousands, 1) == 1 && thousands) {
		for (volatile unsigned int i = thousands * 1000u; i > 0; i--)
			;
	}
	_exit(0);
}

/* Waits until WORKER has started, or has done its last request. */
static void wait_for(const struct worker *worker)
{
	char byte;

	if (read(worker->done, &byte, 1) != 1)
		show("is gone", "a worker");
}

static struct worker start_worker(void)
{
	int go[2], done[2];

	if (pipe(go) < 0 || pipe(done) < 0)
		exit(1);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		/* Keep no copies: an event that the parent closes must be closed. */
		for (int fd = 3; fd < FDS; fd++)
			if (fd != go[0] && fd != done[1])
				close(fd);
		work_for_orders(go[0], done[1]);
	}
	close(go[0]);
	close(done[1]);
	struct worker worker = { pid, go[1], done[0] };
	wait_for(&worker);
	return worker;
}

static void let_work(const struct worker *worker, unsigned char thousands)
{
	if (write(worker->go, &thousands, 1) != 1)
		show("does not listen", "a worker");
	wait_for(worker);
}

static void end_worker(const struct worker *worker)
{
	if (write(worker->go, "", 1) == 1)
		waitpid(worker->pid, NULL, 0);
	close(worker->go);
	close(worker->done);
}

/* Shows how the counts of the FDS grow by a worker that starts now. */
static void see_worker(const int *fds, int count, const char *when)
{
	uint64_t before[MEMBERS] = { 0 };

	for (int i = 0; i < count; i++)
		grown(fds[i], &before[i]);
	struct worker worker = start_worker();
	let_work(&worker, 250);
	for (int i = 0; i < count; i++)
		show(grown(fds[i], &before[i]), "%s: a living child, member %d", when, i);
	let_work(&worker, 250);
	end_worker(&worker);
	for (int i = 0; i < count; i++)
		show(grown(fds[i], &before[i]), "%s: an ended child, member %d", when, i);
}

static void see_thread(const int *fds, int count, const char *when)
{
	uint64_t before[MEMBERS] = { 0 };
	pthread_t thread;

	for (int i = 0; i < count; i++)
		grown(fds[i], &before[i]);
	if (pthread_create(&thread, NULL, work_in_thread, NULL) == 0)
		pthread_join(thread, NULL);
	for (int i = 0; i < count; i++)
		show(grown(fds[i], &before[i]), "%s: a thread, member %d", when, i);
}

static void close_all(const int *fds, int count)
{
	for (int i = 0; i < count; i++)
		close(fds[i]);
}

/* --- whole groups --- */

static void open_group(int *fds, int count, uint64_t read_format)
{
	union attr attr = inherited();

	attr.fields.read_format = read_format;
	for (int i = 0; i < count; i++) {
		WORK_FIT_MEMBER(&attr.fields, i);
		fds[i] = must_open(&attr, i ? fds[0] : -1);
	}
}

static void groups_of_threads_only(void)
{
	for (int which = 1; which < 4; which++) {
		union attr leader = inherited(), sibling = inherited();
		char when[64];
		int fds[2];

		leader.words[WORD_FLAGS] |= which & 1 ? FLAG_INHERIT_THREAD : 0;
		sibling.words[WORD_FLAGS] |= which & 2 ? FLAG_INHERIT_THREAD : 0;
		WORK_FIT_MEMBER(&sibling.fields, 1);
		fds[0] = must_open(&leader, -1);
		fds[1] = must_open(&sibling, fds[0]);
		snprintf(when, sizeof(when), "inherit_thread %d %d", which & 1, which >> 1);
		see_worker(fds, 2, when);
		see_thread(fds, 2, when);
		close_all(fds, 2);
	}
}

static void members_that_are_off(void)
{
	int fds[MEMBERS];

	open_group(fds, MEMBERS, 0);
	show(outcome(ioctl(fds[1], PERF_EVENT_IOC_DISABLE, 0)), "member 1 is switched off");
	see_worker(fds, MEMBERS, "a member is off");
	show(outcome(ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0)), "the leader is switched off");
	see_worker(fds, MEMBERS, "the leader is off");

	struct worker worker = start_worker();
	uint64_t before[MEMBERS] = { 0 };
	show(outcome(ioctl(fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP)),
	     "all are switched on");
	for (int i = 0; i < MEMBERS; i++)
		grown(fds[i], &before[i]);
	let_work(&worker, 250);
	for (int i = 0; i < MEMBERS; i++)
		show(grown(fds[i], &before[i]),
		     "a child that has them off, all switched on: member %d", i);
	show(outcome(ioctl(fds[2], PERF_EVENT_IOC_DISABLE, 0)), "member 2 is switched off");
	let_work(&worker, 250);
	for (int i = 0; i < MEMBERS; i++)
		show(grown(fds[i], &before[i]), "then one switched off: member %d", i);
	end_worker(&worker);
	close_all(fds, MEMBERS);
}

static void leaders_that_are_closed(void)
{
	int fds[MEMBERS];
	uint64_t before[MEMBERS] = { 0 };

	open_group(fds, MEMBERS, 0);
	close(fds[0]);
	see_worker(fds + 1, 2, "the leader was closed");
	close_all(fds + 1, 2);

	open_group(fds, MEMBERS, 0);
	struct worker worker = start_worker();
	close(fds[0]);
	for (int i = 1; i < MEMBERS; i++)
		grown(fds[i], &before[i]);
	let_work(&worker, 250);
	for (int i = 1; i < MEMBERS; i++)
		show(grown(fds[i], &before[i]),
		     "the leader is closed while a child lives: member %d", i);
	close(fds[1]);
	let_work(&worker, 250);
	show(grown(fds[2], &before[2]), "then a member is closed, too: member 2");
	end_worker(&worker);
	close(fds[2]);
}

/* --- reading groups --- */

static void see_group(int fd, const char *when)
{
	uint64_t words[1 + MEMBERS];
	long size = read(fd, words, sizeof(words));
	char text[32];

	snprintf(text, sizeof(text), "nr %llu", (unsigned long long)words[0]);
	show(size < 0 ? error_name(errno) : text, "%s: read", when);
}

static void groups_that_change(void)
{
	union attr attr;
	int fds[MEMBERS];

	/* Linux swaps clone contexts at a context switch, and then a leader may be of another task than its next
	 * member. An event that is not inherited prevents the swap. */
	attr_dummy(&attr);
	int own = must_open(&attr, -1);

	attr = inherited();
	attr.fields.read_format = PERF_FORMAT_GROUP;
	WORK_FIT_MEMBER(&attr.fields, 2);
	open_group(fds, 2, PERF_FORMAT_GROUP);
	see_group(fds[0], "no child");
	struct worker worker = start_worker();
	see_group(fds[0], "a child");
	see_group(fds[1], "a child, through a member");
	fds[2] = must_open(&attr, fds[0]);
	see_group(fds[0], "a member more than the child has");
	see_group(fds[2], "a member more than the child has, through it");
	struct worker second = start_worker();
	see_group(fds[0], "a second child, which has all");
	close(fds[2]);
	see_group(fds[0], "the member is closed again");
	end_worker(&worker);
	see_group(fds[0], "the first child has ended");
	end_worker(&second);
	see_group(fds[0], "both have ended");

	close_all(fds, 2);

	open_group(fds, MEMBERS, PERF_FORMAT_GROUP);
	worker = start_worker();
	see_group(fds[0], "a child of three members");
	close(fds[1]);
	see_group(fds[0], "a member that it has is closed");
	see_group(fds[2], "a member that it has is closed, through another");
	fds[1] = must_open(&attr, fds[0]);
	see_group(fds[0], "another member comes in its place");
	see_group(fds[2], "another member comes in its place, through one that stayed");
	end_worker(&worker);
	see_group(fds[0], "the child of three members has ended");
	close_all(fds, MEMBERS);

	open_group(fds, 2, PERF_FORMAT_GROUP);
	worker = start_worker();
	close(fds[0]);
	see_group(fds[1], "the leader is closed while a child lives, through a member");
	end_worker(&worker);
	close(fds[1]);
	close(own);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, PAGE_BYTES);
	groups_of_threads_only();
	members_that_are_off();
	leaders_that_are_closed();
	groups_that_change();
	return 0;
}
