/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interval timers: the common part of setitimer, timer_create and timerfd. Each is armed for a time of its
 * clock, and perhaps periodically after it.
 *
 * An expired interval is armed again only when its expiry was delivered or read (interval_restart), as on
 * Linux: so an interval of a nanosecond costs no more than its user handles, and the expiries missed
 * meanwhile are counted (overrun).
 *
 * A clock of CPU time has no interrupt: it is polled when it could have reached the time at the earliest,
 * with every thread running, but at most once in a millisecond.
 *
 * Lock: interval->lock (I), irqsave; inside it interval.c's (R), inside that the timer queue's. The
 * function is called without it; CPU time is read without it.
 */
#ifndef KERNEL_INTERVAL_H
#define KERNEL_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/base/spinlock.h>
#include <kernel/time/time.h>

struct task;

enum interval_clock {
	INTERVAL_WALL,	       /* clock_ns() */
	INTERVAL_REAL,	       /* ns since 1970: the clock that can be set */
	INTERVAL_PROCESS,      /* CPU time of a process */
	INTERVAL_THREAD,       /* of a thread */
	INTERVAL_PROCESS_USER, /* only in user mode */
	INTERVAL_THREAD_USER,
};

struct interval {
	struct spinlock lock;
	struct timer timer;
	enum interval_clock clock;  /* I */
	TAILQ_ENTRY(interval) real; /* R: while armed for INTERVAL_REAL */
	bool is_real;		    /* R */
	uint64_t setting;	    /* R: the number of the clock's setting that it follows */
	struct task *task;    /* of INTERVAL_PROCESS, INTERVAL_THREAD: the user keeps a reference */
	uint64_t expires_ns;  /* I: of its clock; 0: not set, or expired */
	uint64_t interval_ns; /* I: 0: once */
	bool waiting;	      /* I: expired, not restarted */
	/* Called at the expiry. Interrupt context. */
	void (*expired)(struct interval *interval);
}; /* I: lock */

/* Initializes INTERVAL, not set, to call EXPIRED. */
void interval_init(struct interval *interval, enum interval_clock clock, struct task *task,
		   void (*expired)(struct interval *interval));
/* Reads its clock. */
uint64_t interval_now(const struct interval *interval);
/* Sets it to expire at EXPIRES_NS of its clock, 0: never, and then each INTERVAL_NS. Task and interrupt
 * context. */
void interval_set(struct interval *interval, uint64_t expires_ns, uint64_t interval_ns);
/* The same, and changes its clock to CLOCK, which is not of CPU time. */
void interval_set_on(struct interval *interval, enum interval_clock clock, uint64_t expires_ns,
		     uint64_t interval_ns);
/* The real-time clock was set: rearms the intervals for times of it. Task context. */
void interval_clock_was_set(void);
/* Returns the time left until it expires (0: never), and its interval. Any context but NMI. */
void interval_get(struct interval *interval, uint64_t *left_ns, uint64_t *interval_ns);
/* Arms an expired interval for its next time in the future; returns the overrun, the expiries missed. */
uint64_t interval_restart(struct interval *interval);
/* The same, but not before a tick from now: for an ignored expiry. Interrupt context. */
void interval_restart_later(struct interval *interval);
/* Ends it: on return its function does not run and never will. Task context. */
void interval_end(struct interval *interval);

#endif
