/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Observes scheduling calls: policies and their parameters, who may change whose, what children
 * inherit, nice values, affinity, priorities of input and output; and which of two tasks runs first.
 */
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "child.h"
#include "observe.h"

enum { SOMEBODY = 1000, ANOTHER = 2000 };
enum { OTHER, FIFO, RR, BATCH, ISO, IDLE, DEADLINE, RESET_ON_FORK = 0x40000000 };
enum { NOBODY = 30000 };

struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
	uint32_t util_min, util_max;
	uint64_t more;
};

static long set(pid_t pid, int policy, int priority)
{
	return syscall(SYS_sched_setscheduler, pid, policy, &priority);
}

static long set_priority(pid_t pid, int priority)
{
	return syscall(SYS_sched_setparam, pid, &priority);
}

static long set_attributes(const struct attributes *attributes)
{
	return syscall(SYS_sched_setattr, 0, attributes, 0);
}

/* "policy nice priority flags" of the caller. */
static const char *state(void)
{
	static char text[80];
	struct attributes now = { 0 };

	if (syscall(SYS_sched_getattr, 0, &now, 48, 0) < 0)
		return error_name(errno);
	snprintf(text, sizeof(text), "%u %d %u %lx, %d", now.policy, now.nice, now.priority,
		 (unsigned long)now.flags, getpriority(PRIO_PROCESS, 0));
	return text;
}

static void see_policies(void)
{
	static const struct {
		const char *name;
		int policy, priority;
	} tries[] = {
		{ "batch", BATCH, 0 },
		{ "idle", IDLE, 0 },
		{ "other", OTHER, 0 },
		{ "other with a priority", OTHER, 1 },
		{ "fifo 1", FIFO, 1 },
		{ "fifo 99", FIFO, 99 },
		{ "fifo 0", FIFO, 0 },
		{ "fifo 100", FIFO, 100 },
		{ "fifo -1", FIFO, -1 },
		{ "round robin 50", RR, 50 },
		{ "round robin 0", RR, 0 },
		{ "policy 4", ISO, 0 },
		{ "deadline", DEADLINE, 0 },
		{ "policy 8", 8, 0 },
		{ "policy -1", -1, 0 },
		{ "batch, reset", BATCH | RESET_ON_FORK, 0 },
		{ "fifo, reset", FIFO | RESET_ON_FORK, 7 },
		{ "idle with a priority", IDLE, 3 },
		{ "other again", OTHER, 0 },
	};

	setpriority(PRIO_PROCESS, 0, 3);
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		show(outcome(set(0, tries[i].policy, tries[i].priority)), "policy: %s",
		     tries[i].name);
		show(state(), "policy: %s: then", tries[i].name);
		show(outcome_value(syscall(SYS_sched_getscheduler, 0)), "policy: %s: told",
		     tries[i].name);
	}
}

static void see_calls(void)
{
	int priority = 5;
	struct timespec turn = { 7, 7 };

	for (int policy = -1; policy < 7; policy++) {
		show(outcome_value(sched_get_priority_max(policy)), "greatest priority of %d",
		     policy);
		show(outcome_value(sched_get_priority_min(policy)), "least priority of %d", policy);
	}
	SEE(syscall(SYS_sched_setscheduler, 0, OTHER, NULL));
	SEE(syscall(SYS_sched_setscheduler, 0, OTHER, 1L));
	SEE(syscall(SYS_sched_setscheduler, -1, OTHER, &priority));
	SEE(syscall(SYS_sched_setscheduler, NOBODY, OTHER, &priority));
	SEE(syscall(SYS_sched_setscheduler, NOBODY, 77, &priority));
	SEE(syscall(SYS_sched_setparam, 0, NULL));
	SEE(syscall(SYS_sched_setparam, 0, &priority));
	SEE(syscall(SYS_sched_setparam, NOBODY, &priority));
	SEE(syscall(SYS_sched_getparam, 0, NULL));
	SEE(syscall(SYS_sched_getparam, 0, 1L));
	SEE(syscall(SYS_sched_getparam, -1, &priority));
	SEE(syscall(SYS_sched_getparam, NOBODY, &priority));
	SEE(syscall(SYS_sched_getscheduler, -1));
	SEE(syscall(SYS_sched_getscheduler, NOBODY));
	SEE(set(0, RR, 20));
	SEE(sched_rr_get_interval(0, &turn));
	show(turn.tv_sec == 0 && turn.tv_nsec == 100000000 ? "100 ms" : "another",
	     "a turn of round robin");
	SEE(set_priority(0, 30));
	SEE(set_priority(0, 0));
	SEE(syscall(SYS_sched_getparam, 0, &priority));
	show(outcome_value(priority), "priority told");
	SEE(set(0, FIFO, 20));
	turn = (struct timespec){ 7, 7 };
	SEE(syscall(SYS_sched_rr_get_interval, 0, &turn));
	show(turn.tv_sec == 0 && turn.tv_nsec == 0 ? "none" : "another", "a turn of fifo");
	SEE(syscall(SYS_sched_rr_get_interval, 0, 1L));
	SEE(syscall(SYS_sched_rr_get_interval, -1, &turn));
	SEE(syscall(SYS_sched_rr_get_interval, NOBODY, &turn));
	SEE(sched_yield());
}

static void see_attributes(void)
{
	struct attributes all = { .size = 48, .policy = BATCH, .nice = 7 }, told;
	char text[64];

	SEE(set_attributes(&all));
	show(state(), "attributes: batch, nice 7");
	all = (struct attributes){ .size = 0, .policy = OTHER, .nice = -30 };
	show(outcome(set_attributes(&all)), "attributes: size 0");
	show(state(), "attributes: nice is cut");
	all.size = 47;
	show(outcome(set_attributes(&all)), "attributes: size 47");
	show(outcome_value(all.size), "attributes: the known size");
	all = (struct attributes){ .size = 64, .policy = OTHER };
	show(outcome(set_attributes(&all)), "attributes: size 64, zero");
	all.more = 1;
	show(outcome(set_attributes(&all)), "attributes: size 64, not zero");
	show(outcome_value(all.size), "attributes: the known size again");
	all = (struct attributes){ .size = 48, .policy = FIFO, .priority = 9, .nice = 5 };
	show(outcome(set_attributes(&all)), "attributes: fifo");
	show(state(), "attributes: fifo: then");
	all = (struct attributes){ .size = 48, .policy = IDLE, .flags = 0x08, .priority = 11 };
	show(outcome(set_attributes(&all)), "attributes: keep the policy");
	show(state(), "attributes: keep the policy: then");
	all = (struct attributes){ .size = 48, .policy = RR, .flags = 0x10 };
	show(outcome(set_attributes(&all)), "attributes: keep the parameters");
	show(state(), "attributes: keep the parameters: then");
	all = (struct attributes){ .size = 48, .policy = OTHER, .flags = 0x01, .nice = 4 };
	show(outcome(set_attributes(&all)), "attributes: reset on fork");
	show(state(), "attributes: reset on fork: then");
	all = (struct attributes){ .size = 48, .policy = OTHER, .flags = 0x1000 };
	show(outcome(set_attributes(&all)), "attributes: an unknown flag");
	all = (struct attributes){ .size = 48, .policy = (uint32_t)-1 };
	show(outcome(set_attributes(&all)), "attributes: policy -1");
	all = (struct attributes){ .size = 48, .policy = DEADLINE };
	show(outcome(set_attributes(&all)), "attributes: deadline without times");
	all = (struct attributes){ .size = 48, .policy = OTHER, .runtime = 20000000 };
	show(outcome(set_attributes(&all)), "attributes: a slice");
	syscall(SYS_sched_getattr, 0, &told, 48, 0);
	show(outcome_value((long)told.runtime), "attributes: the slice told");
	all.runtime = 1;
	set_attributes(&all);
	syscall(SYS_sched_getattr, 0, &told, 48, 0);
	show(outcome_value((long)told.runtime), "attributes: a short slice told");
	all.runtime = 1000000000;
	set_attributes(&all);
	syscall(SYS_sched_getattr, 0, &told, 48, 0);
	show(outcome_value((long)told.runtime), "attributes: a long slice told");
	SEE(syscall(SYS_sched_setattr, 0, NULL, 0));
	SEE(syscall(SYS_sched_setattr, 0, 1L, 0));
	SEE(syscall(SYS_sched_setattr, 0, &all, 1));
	SEE(syscall(SYS_sched_setattr, -1, &all, 0));
	SEE(syscall(SYS_sched_setattr, NOBODY, &all, 0));
	SEE(syscall(SYS_sched_getattr, 0, &told, 47, 0));
	SEE(syscall(SYS_sched_getattr, 0, &told, 5000, 0));
	SEE(syscall(SYS_sched_getattr, 0, &told, 48, 1));
	SEE(syscall(SYS_sched_getattr, 0, NULL, 48, 0));
	SEE(syscall(SYS_sched_getattr, 0, 1L, 48, 0));
	SEE(syscall(SYS_sched_getattr, -1, &told, 48, 0));
	SEE(syscall(SYS_sched_getattr, NOBODY, &told, 48, 0));
	SEE(syscall(SYS_sched_getattr, 0, &told, 64, 0));
	snprintf(text, sizeof(text), "%u", told.size);
	show(text, "attributes: size told of 64");
}

/* --- what a child inherits --- */

static const char *beginning;

static void tell_state(void)
{
	show(state(), "child of one with %s", beginning);
}

static void see_inherited(void)
{
	beginning = "fifo";
	set(0, FIFO, 3);
	in_child(tell_state);
	beginning = "fifo, reset";
	set(0, FIFO | RESET_ON_FORK, 3);
	in_child(tell_state);
	beginning = "nice -5";
	set(0, OTHER, 0);
	setpriority(PRIO_PROCESS, 0, -5);
	in_child(tell_state);
	beginning = "nice -5, reset";
	set(0, OTHER | RESET_ON_FORK, 0);
	in_child(tell_state);
	beginning = "nice 5, batch, reset";
	setpriority(PRIO_PROCESS, 0, 5);
	set(0, BATCH | RESET_ON_FORK, 0);
	in_child(tell_state);
}

/* --- who may --- */

static void see_somebody(void)
{
	struct rlimit limit = { 10, 10 };

	become(SOMEBODY);
	show(outcome(set(0, FIFO, 1)), "somebody: fifo");
	show(outcome(set(0, BATCH, 0)), "somebody: batch");
	show(outcome(set(0, IDLE, 0)), "somebody: idle");
	show(outcome(set(0, OTHER, 0)), "somebody: other after idle");
	show(outcome(set(0, IDLE | RESET_ON_FORK, 0)), "somebody: reset on fork");
	show(outcome(set(0, IDLE, 0)), "somebody: no reset on fork any more");
	show(outcome(set(getppid(), OTHER, 0)), "somebody: root's process");
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	show(outcome(sched_setaffinity(getppid(), sizeof(cpus), &cpus)),
	     "somebody: root's affinity");
	show(outcome(sched_setaffinity(0, sizeof(cpus), &cpus)), "somebody: own affinity");
	show(outcome(setpriority(PRIO_USER, 0, 3)), "somebody: all that is somebody's");
	show(outcome(setpriority(PRIO_USER, 0, 2)), "somebody: less nice");
	show(outcome(setrlimit(RLIMIT_NICE, &limit)), "somebody: the limit on nice values");
}

static void see_limited(void)
{
	struct rlimit nice = { 25, 25 }, priority = { 10, 10 };

	setrlimit(RLIMIT_NICE, &nice);
	setrlimit(RLIMIT_RTPRIO, &priority);
	become(SOMEBODY);
	show(outcome(setpriority(PRIO_PROCESS, 0, -5)), "limit: nice -5");
	show(outcome(setpriority(PRIO_PROCESS, 0, -6)), "limit: nice -6");
	show(outcome(set(0, FIFO, 11)), "limit: fifo 11");
	show(outcome(set(0, FIFO, 10)), "limit: fifo 10");
	show(outcome(set_priority(0, 11)), "limit: priority 11");
	show(outcome(set_priority(0, 4)), "limit: priority 4");
	show(outcome(set(0, RR, 9)), "limit: round robin 9");
	priority.rlim_cur = 0;
	setrlimit(RLIMIT_RTPRIO, &priority);
	show(outcome(set_priority(0, 3)), "limit 0: a lower priority");
	show(outcome(set_priority(0, 5)), "limit 0: a higher priority");
	show(outcome(set(0, FIFO, 2)), "limit 0: fifo 2");
	show(outcome(set(0, IDLE, 0)), "limit: idle");
	show(outcome(set(0, OTHER, 0)), "limit: other after idle");
}

static void see_nice(void)
{
	SEE(getpriority(PRIO_PROCESS, 0));
	SEE(setpriority(PRIO_PROCESS, 0, 100));
	show(outcome_value(syscall(SYS_getpriority, PRIO_PROCESS, 0)), "nice 100, raw");
	SEE(setpriority(PRIO_PROCESS, 0, -100));
	show(outcome_value(syscall(SYS_getpriority, PRIO_PROCESS, 0)), "nice -100, raw");
	SEE(setpriority(3, 0, 1));
	SEE(setpriority(-1, 0, 1));
	SEE(getpriority(3, 0));
	SEE(setpriority(PRIO_PROCESS, NOBODY, 1));
	SEE(getpriority(PRIO_PROCESS, NOBODY));
	SEE(getpriority(PRIO_PGRP, NOBODY));
	SEE(setpriority(PRIO_USER, ANOTHER, 1));
	SEE(setpgid(0, 0));
	SEE(setpriority(PRIO_PGRP, 0, 6));
	SEE(getpriority(PRIO_PGRP, getpid()));
	SEE(nice(2));
	SEE(nice(-4));
}

static void see_affinity(void)
{
	unsigned long mask[16] = { 1 };

	SEE(syscall(SYS_sched_setaffinity, 0, 8, mask));
	SEE(syscall(SYS_sched_setaffinity, 0, 128, mask));
	SEE(syscall(SYS_sched_setaffinity, 0, 1, mask));
	SEE(syscall(SYS_sched_setaffinity, 0, 0, mask));
	mask[0] = 0;
	show(outcome(syscall(SYS_sched_setaffinity, 0, 8, mask)), "affinity: none");
	mask[1] = 1;
	show(outcome(syscall(SYS_sched_setaffinity, 0, 16, mask)), "affinity: one there is not");
	SEE(syscall(SYS_sched_setaffinity, 0, 8, 1L));
	SEE(syscall(SYS_sched_setaffinity, NOBODY, 8, mask));
	SEE(syscall(SYS_sched_getaffinity, 0, 8, mask));
	SEE(syscall(SYS_sched_getaffinity, 0, 128, mask));
	SEE(syscall(SYS_sched_getaffinity, 0, 7, mask));
	SEE(syscall(SYS_sched_getaffinity, 0, 12, mask));
	SEE(syscall(SYS_sched_getaffinity, 0, 0, mask));
	SEE(syscall(SYS_sched_getaffinity, 0, 8, 1L));
	SEE(syscall(SYS_sched_getaffinity, NOBODY, 8, mask));
	SEE(syscall(SYS_getcpu, NULL, NULL, NULL));
	SEE(syscall(SYS_getcpu, 1L, NULL, NULL));
	SEE(syscall(SYS_getcpu, NULL, 1L, NULL));
	SEE(syscall(SYS_getcpu, &mask[0], &mask[1], 1L));
}

static long io_set(int which, int who, int class, int level)
{
	return syscall(SYS_ioprio_set, which, who, class << 13 | level);
}

static void see_io(void)
{
	SEE(syscall(SYS_ioprio_get, 1, 0));
	SEE(io_set(1, 0, 2, 7));
	SEE(syscall(SYS_ioprio_get, 1, getpid()));
	SEE(io_set(1, 0, 3, 0));
	SEE(io_set(1, 0, 1, 4));
	show(outcome_value(syscall(SYS_ioprio_get, 1, 0)), "ioprio: real time told");
	SEE(io_set(1, 0, 0, 0));
	SEE(io_set(1, 0, 0, 1));
	SEE(io_set(1, 0, 4, 0));
	SEE(io_set(1, 0, 7, 0));
	SEE(io_set(0, 0, 2, 0));
	SEE(io_set(4, 0, 2, 0));
	SEE(io_set(1, NOBODY, 2, 0));
	SEE(syscall(SYS_ioprio_get, 0, 0));
	SEE(syscall(SYS_ioprio_get, 1, NOBODY));
	SEE(syscall(SYS_ioprio_get, 2, NOBODY));
	SEE(setpgid(0, 0));
	show(outcome_value(syscall(SYS_ioprio_get, 2, 0)), "ioprio: group, from nice 0");
	become(SOMEBODY);
	show(outcome(io_set(1, 0, 1, 0)), "ioprio: real time by somebody");
	show(outcome(io_set(1, 0, 2, 1)), "ioprio: best effort by somebody");
	show(outcome(io_set(1, getppid(), 2, 1)), "ioprio: root's by somebody");
}

/* --- who runs first --- */

static int *order;

/* Two children on one processor: each, when it runs first, writes down its letter. */
static void race(const char *name, int first_policy, int first_priority, int second_policy,
		 int second_priority)
{
	pid_t children[2];

	order[0] = 0;
	/* The parent keeps the processor until both are ready to run. */
	set(0, FIFO, 90);
	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			order[++order[0]] = 'a' + i;
			_exit(0);
		}
		set(children[i], i ? second_policy : first_policy,
		    i ? second_priority : first_priority);
	}
	for (int i = 0; i < 2; i++)
		waitpid(children[i], NULL, 0);
	char text[3] = { (char)order[1], (char)order[2], 0 };

	set(0, OTHER, 0);
	show(text, "first to run: %s", name);
}

static void see_order(void)
{
	cpu_set_t cpus;

	order = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	fflush(stdout);
	race("fifo 5, fifo 6", FIFO, 5, FIFO, 6);
	race("fifo 6, fifo 5", FIFO, 6, FIFO, 5);
	race("fifo 5, fifo 5", FIFO, 5, FIFO, 5);
	race("round robin 7, fifo 8", RR, 7, FIFO, 8);
	race("other, fifo 1", OTHER, 0, FIFO, 1);
	race("idle, round robin 1", IDLE, 0, RR, 1);
	race("batch, round robin 1", BATCH, 0, RR, 1);
}

int main(void)
{
	in_child(see_policies);
	in_child(see_calls);
	in_child(see_attributes);
	in_child(see_inherited);
	in_child(see_somebody);
	in_child(see_limited);
	in_child(see_nice);
	in_child(see_affinity);
	in_child(see_io);
	in_child(see_order);
	return 0;
}
