/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interval timers: what setitimer, timer_create and timerfd have in common. Each is armed for a moment
 * of its clock, and perhaps again and again after it.
 *
 * One that fired is armed again only when whoever it tells has taken note (interval_restart), as
 * Linux does: so an interval of a nanosecond costs what its user is able to use, and what went by
 * meanwhile is counted (overrun).
 *
 * A clock of processor time does not move by itself: it is looked at as early as it could have
 * reached the moment, with every thread running, but at most once in a millisecond.
 *
 * Lock: interval->lock (I), irqsave; inside it interval.c's (R), inside that the timer queue's. The
 * function is called without it; processor time is read without it.
 */
#ifndef KERNEL_INTERVAL_H
#define KERNEL_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/spinlock.h>
#include <kernel/time.h>

struct task;

enum interval_clock {
	INTERVAL_WALL,	       /* clock_ns() */
	INTERVAL_REAL,	       /* ns since 1970: a moment of the clock that can be set */
	INTERVAL_PROCESS,      /* processor time of a process */
	INTERVAL_THREAD,       /* of a thread */
	INTERVAL_PROCESS_USER, /* that in user mode alone */
	INTERVAL_THREAD_USER,
};

struct interval {
	struct spinlock lock;
	struct timer timer;
	enum interval_clock clock;  /* I */
	TAILQ_ENTRY(interval) real; /* R: armed and of INTERVAL_REAL */
	bool is_real;		    /* R */
	uint64_t setting;	    /* R: of the real-time clock, that it is armed by */
	struct task *task;    /* of INTERVAL_PROCESS, INTERVAL_THREAD: the user keeps a reference */
	uint64_t expires_ns;  /* I: of its clock; 0: not set, or all over */
	uint64_t interval_ns; /* I: 0: once */
	bool waiting;	      /* I: fired, not restarted */
	/* It is time. Interrupt context. */
	void (*expired)(struct interval *interval);
}; /* I: lock */

/* Makes INTERVAL, not set, call EXPIRED. */
void interval_init(struct interval *interval, enum interval_clock clock, struct task *task,
		   void (*expired)(struct interval *interval));
/* What its clock says. */
uint64_t interval_now(const struct interval *interval);
/* Sets it to go off at EXPIRES_NS of its clock, 0: never, and then each INTERVAL_NS. Task and
 * interrupt context. */
void interval_set(struct interval *interval, uint64_t expires_ns, uint64_t interval_ns);
/* The same from now on of CLOCK, which is not of processor time. */
void interval_set_on(struct interval *interval, enum interval_clock clock, uint64_t expires_ns,
		     uint64_t interval_ns);
/* The real-time clock was set: what waits for a moment of it is armed anew. Task context. */
void interval_clock_was_set(void);
/* How long until it goes off the next time (0: never), and its interval. Any context but NMI. */
void interval_get(struct interval *interval, uint64_t *left_ns, uint64_t *interval_ns);
/* It fired, and that was noted: arms it for the next time that is still to come. How many times went by
 * besides the one noted. */
uint64_t interval_restart(struct interval *interval);
/* Not before a tick from now: for who is told and does not want to know. Interrupt context. */
void interval_restart_later(struct interval *interval);
/* Ends it: on return its function does not run and will not. Task context. */
void interval_end(struct interval *interval);

#endif
