// SPDX-License-Identifier: BSD-2-Clause
/*
 * Attacks on another task's scheduling and limits: every attacker reads and changes them, for every kind of
 * victim (attackers.h, victims.h).
 */
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include "attacks_on_victims.h"

/* --- scheduling --- */

static long by_getpriority(unsigned int victim)
{
	errno = 0;
	getpriority(PRIO_PROCESS, (id_t)victims[victim]);
	return -errno;
}

static long raise_nice(unsigned int victim)
{
	return done(setpriority(PRIO_PROCESS, (id_t)victims[victim], 5));
}

static long lower_nice(unsigned int victim)
{
	return done(setpriority(PRIO_PROCESS, (id_t)victims[victim], 4));
}

static long lowest_nice(unsigned int victim)
{
	return done(setpriority(PRIO_PROCESS, (id_t)victims[victim], -5));
}

static long nice_of_group(unsigned int victim)
{
	return done(setpriority(PRIO_PGRP, (id_t)victims[victim], 6));
}

/* Changes all processes of the victim's real user. */
static long nice_of_user(unsigned int victim)
{
	static const id_t users[VICTIMS] = { USER, USER, USER,	     USER, OTHER_USER,
					     USER, USER, OTHER_USER, 0 };

	/* PRIO_USER takes 0 for the caller's user. */
	return users[victim] ? done(setpriority(PRIO_USER, users[victim], 7)) : 0;
}

static long by_getscheduler(unsigned int victim)
{
	return done(sched_getscheduler(victims[victim]));
}

static long by_getparam(unsigned int victim)
{
	struct sched_param parameters;

	return done(sched_getparam(victims[victim], &parameters));
}

static long by_getattr(unsigned int victim)
{
	uint32_t attr[16];

	return done(syscall(SYS_sched_getattr, victims[victim], attr, 48, 0));
}

static long set_policy(unsigned int victim, int policy, int priority)
{
	struct sched_param parameters = { .sched_priority = priority };

	return done(sched_setscheduler(victims[victim], policy, &parameters));
}

static long to_batch(unsigned int victim)
{
	return set_policy(victim, SCHED_BATCH, 0);
}

static long to_other(unsigned int victim)
{
	return set_policy(victim, SCHED_OTHER, 0);
}

static long to_idle(unsigned int victim)
{
	return set_policy(victim, SCHED_IDLE, 0);
}

static long from_idle(unsigned int victim)
{
	return set_policy(victim, SCHED_OTHER, 0);
}

static long to_realtime(unsigned int victim)
{
	return set_policy(victim, SCHED_FIFO, 1);
}

static long by_setparam(unsigned int victim)
{
	int policy = sched_getscheduler(victims[victim]);
	struct sched_param parameters = { .sched_priority = policy == SCHED_FIFO };

	return done(sched_setparam(victims[victim], &parameters));
}

static long by_setattr(unsigned int victim)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr = { .size = 48, .policy = SCHED_OTHER, .nice = 19 };

	return done(syscall(SYS_sched_setattr, victims[victim], &attr, 0));
}

static long by_interval(unsigned int victim)
{
	struct timespec interval;

	return done(sched_rr_get_interval(victims[victim], &interval));
}

static long by_getaffinity(unsigned int victim)
{
	cpu_set_t set;

	return done(sched_getaffinity(victims[victim], sizeof(set), &set));
}

static long by_setaffinity(unsigned int victim)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	return done(sched_setaffinity(victims[victim], sizeof(set), &set));
}

enum { IO_REALTIME = 1 << 13, IO_BEST_EFFORT = 2 << 13, IO_IDLE = 3 << 13 };

static long io_get(unsigned int victim)
{
	return done(syscall(SYS_ioprio_get, 1, victims[victim]));
}

static long io_best_effort(unsigned int victim)
{
	return done(syscall(SYS_ioprio_set, 1, victims[victim], IO_BEST_EFFORT | 3));
}

static long io_idle(unsigned int victim)
{
	return done(syscall(SYS_ioprio_set, 1, victims[victim], IO_IDLE));
}

static long io_realtime(unsigned int victim)
{
	return done(syscall(SYS_ioprio_set, 1, victims[victim], IO_REALTIME | 3));
}

static long io_of_group(unsigned int victim)
{
	return done(syscall(SYS_ioprio_set, 2, victims[victim], IO_BEST_EFFORT | 4));
}

/* --- limits --- */

static long limit_get(unsigned int victim)
{
	struct rlimit limit;

	return done(prlimit(victims[victim], RLIMIT_CORE, NULL, &limit));
}

static long limit_set(unsigned int victim)
{
	struct rlimit limit = { 16, 32 };

	return done(prlimit(victims[victim], RLIMIT_NOFILE, &limit, NULL));
}

static long limit_raise(unsigned int victim)
{
	struct rlimit limit = { 16, 64 };

	return done(prlimit(victims[victim], RLIMIT_NOFILE, &limit, NULL));
}

static const struct attack attacks[] = {
	ATTACK(by_getpriority),	 ATTACK(raise_nice),	ATTACK(lower_nice),
	ATTACK(lowest_nice),	 ATTACK(nice_of_group), ATTACK(nice_of_user),
	ATTACK(by_getscheduler), ATTACK(by_getparam),	ATTACK(by_getattr),
	ATTACK(to_batch),	 ATTACK(to_other),	ATTACK(to_idle),
	ATTACK(from_idle),	 ATTACK(to_realtime),	ATTACK(by_setparam),
	ATTACK(by_setattr),	 ATTACK(by_interval),	ATTACK(by_getaffinity),
	ATTACK(by_setaffinity),	 ATTACK(io_get),	ATTACK(io_best_effort),
	ATTACK(io_idle),	 ATTACK(io_realtime),	ATTACK(io_of_group),
	ATTACK(limit_get),	 ATTACK(limit_set),	ATTACK(limit_raise),
};

int main(int argc, char **argv)
{
	victim_main(argc, argv);
	choose_attackers(argc, argv);
	victims_install();
	try_attacks(attacks, sizeof(attacks) / sizeof(attacks[0]), victim_names, VICTIMS,
		    victims_start, victims_end);
	return 0;
}
