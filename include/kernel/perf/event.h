/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One perf event, and the contexts it is scheduled in. Shared by the files of kernel/perf/ and, in part, by drivers:
 * a driver uses attr, hw, count, pmu, and nothing else.
 */
#ifndef KERNEL_PERF_EVENT_H
#define KERNEL_PERF_EVENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/perf/pmu.h>
#include <kernel/smp.h>
#include <kernel/spinlock.h>
#include <kernel/time.h>
#include <kernel/wait.h>
#include <uapi/linux/perf_event.h>

struct perf_context;
struct perf_ring;
struct task;
struct file;

/* The driver's part of an event. Written on the processor where the event is on, PMU frozen or in the PMI. */
struct hw_event {
	uint64_t config;	   /* driver: what goes into the event-select register */
	uint64_t constraint;	   /* driver: counters that can count it, bit n = slot n */
	int slot;		   /* driver: counter it is on, -1: none */
	int last_slot;		   /* driver: where it was last, tried first */
	unsigned int flags;	   /* enum hw_event_flag */
	_Atomic uint64_t prev_raw; /* raw counter value at the last fold */
	uint64_t sample_period;	   /* events between samples; 0: counting event */
	uint64_t last_period;	   /* period that the sample in hand stands for */
	_Atomic int64_t period_left; /* events until the next sample */
	uint64_t interrupts;	   /* since the last tick; UINT64_MAX: throttled */
	uint64_t start_ns;	   /* software clocks: when it was last folded */
	struct timer timer;	   /* software clocks that sample */
};

enum hw_event_flag {
	HW_STOPPED = 1, /* halted by stop (or not yet started) */
	HW_UPTODATE = 2 /* count holds everything that was counted */
};

/* In order of how far from counting. */
enum event_state {
	EVENT_DEAD = -4,    /* closed or its task is gone; holds its last count */
	EVENT_ERROR = -2,   /* pinned and could not go on: read returns 0 (end of file) */
	EVENT_OFF = -1,	    /* disabled */
	EVENT_INACTIVE = 0, /* enabled, not on a counter */
	EVENT_ACTIVE = 1    /* on a counter */
};

struct perf_event {
	struct perf_event_attr attr; /* as validated; constant but for what ioctl may change */
	struct pmu *pmu;
	struct hw_event hw;
	enum event_state state;	  /* C */
	_Atomic uint64_t count;	  /* folded so far; user space adds the counter's delta through the user page */
	uint64_t id;		  /* PERF_FORMAT_ID: unique since boot, from 1 */

	/* times, in ns of clock_ns(): C, folded by event_update_times */
	uint64_t time_enabled_ns, time_running_ns, timestamp_ns;

	/* group */
	struct perf_event *leader; /* itself when it leads */
	TAILQ_HEAD(, perf_event) siblings; /* C: leader's list */
	TAILQ_ENTRY(perf_event) sibling_link;
	unsigned int sibling_count;

	/* place */
	struct perf_context *context;	   /* task's or processor's */
	TAILQ_ENTRY(perf_event) context_link; /* C: leaders, in rotation order, pinned or flexible list */
	int cpu;			   /* only count on this one; -1: any */
	int on_cpu;			   /* C: where it is active, -1 */

	/* output */
	struct perf_ring *_Atomic ring;	   /* mapped buffer, its own or set by IOC_SET_OUTPUT */
	struct mutex ring_mutex;	   /* guards changes of ring, map_count */
	unsigned int map_count;		   /* mappings of the ring through this event */
	_Atomic uint64_t lost;		   /* records that did not fit (PERF_FORMAT_LOST) */
	struct wait_queue waiters;	   /* poll */
	_Atomic unsigned int poll_bits;	   /* what the next poll returns */
	_Atomic int event_limit;	   /* overflows until it disables itself; 0: none (IOC_REFRESH) */
	struct deferred_work pending;	   /* wake-up, disable: what the NMI leaves for later */
	_Atomic bool pending_disable, pending_wakeup;

	struct task *owner; /* who opened it */
	_Atomic unsigned int references;
}; /* C: context->lock */

/*
 * A context: the groups of one task, or of one processor, and which of them are on.
 *
 * Lock order: perf open/close mutex of the owner > context->mutex > (cross call) > context->lock with
 * interrupts off > ring internals (lock-free). The processor's context before the task's.
 */
struct perf_context {
	struct spinlock lock;	/* irqsave; taken on the processor where the context is active, or anywhere while it is not */
	struct mutex mutex;	/* membership: open, close, exit */
	struct task *task;	/* NULL: a processor's context */
	int cpu;		/* L: processor where it is active, -1 */
	TAILQ_HEAD(, perf_event) pinned;   /* L: leaders */
	TAILQ_HEAD(, perf_event) flexible; /* L: leaders, next to go on first */
	unsigned int event_count;	   /* L */
	bool rotate_needed;		   /* L: some flexible group did not fit */
	bool dead;			   /* L: the task is gone */
	_Atomic unsigned int references;
}; /* L: lock */

/* What task->perf points to. */
struct perf_task {
	struct perf_context context;
	struct mutex mutex; /* list of events the task owns, for prctl */
};

#endif
