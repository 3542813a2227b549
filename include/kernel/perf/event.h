/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One perf event. Shared by the files of kernel/perf/ and, in part, by drivers: a driver uses attr,
 * hw, count, leader and siblings, pmu, and nothing else.
 */
#ifndef KERNEL_PERF_EVENT_H
#define KERNEL_PERF_EVENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <arch/breakpoint.h>
#include <kernel/perf/pmu.h>
#include <kernel/smp.h>
#include <kernel/spinlock.h>
#include <kernel/time.h>
#include <kernel/wait.h>
#include <uapi/linux/perf_event.h>

struct perf_context;
struct perf_cpu;
struct perf_ring;
struct trace_filter;
struct task;
struct file;

/* Raw data of a sample: with the 32 bits of the size, a multiple of 8 bytes. */
struct perf_raw {
	const void *bytes;
	uint32_t size;
};

/* A driver's part of an event on a counter. */
struct hw_counter {
	uint64_t constraint;	 /* counters that can count it, bit n = index n */
	int index;		 /* of the counter it is on, -1: none */
	int last_index;		 /* where it was last, tried first */
	unsigned int width_bits; /* of that counter … */
	uint32_t read_index;	 /* … and what the instruction that reads it is given */
};

/* The PMU's part of an event. Written on the CPU where the event is active, PMU disabled or in the
 * PMI. */
struct hw_event {
	uint64_t config;	 /* PMU: which event it is, as the hardware or a table has it */
	unsigned int flags;	 /* enum hw_event_flag */
	_Atomic uint64_t offset; /* counter.c: count minus what the counter shows */
	union {
		struct hw_counter counter;		       /* PMUs of hardware events */
		struct timer timer;			       /* software_clock.c */
		struct {				       /* software.c, tracepoint.c */
			TAILQ_ENTRY(perf_event) software_link; /* active on this CPU */
			struct trace_filter *_Atomic filter; /* tracepoint.c: set once; NULL: none */
		};
		struct { /* breakpoint.c */
			struct arch_breakpoint breakpoint;
			int breakpoint_register; /* -1: none */
		};
	};
};

/* The core's part of an event that samples. Written as struct hw_event is. */
struct perf_sampling {
	uint64_t period;	    /* events between samples; 0: counting event */
	uint64_t next_at;	    /* counter.c: count at which the next sample is due */
	uint64_t last_period;	    /* period that the sample in hand stands for */
	const struct perf_raw *raw; /* of the sample in hand; NULL: none */
	uint64_t interrupts; /* throttle.c: samples in a tick; SAMPLING_THROTTLED: until the next … */
	uint64_t interrupts_until_ns; /* … which begins then */
	uint64_t frequency_stamp_ns;  /* frequency.c: when the last sample came … */
	uint64_t frequency_count;     /* … and the count at the last tick */
};

#define SAMPLING_THROTTLED   UINT64_MAX

/* Samples per second that one event may take, and the most that attr.sample_freq may ask for:
 * Linux's default of kernel.perf_event_max_sample_rate. */
#define PERF_SAMPLE_RATE_MAX 100000

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
	struct perf_event_attr attr; /* as validated; constant but for what ioctl may change (C) */
	struct pmu *pmu;
	struct hw_event hw;
	struct perf_sampling sampling;
	enum event_state state; /* C; perf_event_peek_state without it */
	_Atomic uint64_t count; /* as of the last update, since the beginning: only grows */
	uint64_t count_base; /* C: count at the last reset; what users see is counted from here */
	uint64_t id;	     /* PERF_FORMAT_ID: unique since boot, from 1 */
	size_t read_size;    /* perf_read_size of it alone */
	size_t sample_size;  /* perf_record_sample_size of its attribute, if it is sampling */

	/* C: times up to timestamp_ns, all in the context's time; see perf_event_update_times */
	uint64_t time_enabled_ns, time_running_ns, timestamp_ns;

	/* Inherited counts of children that ended, and the children that live. */
	_Atomic uint64_t child_count, child_time_enabled_ns, child_time_running_ns;
	struct perf_event *parent;			 /* NULL: opened by a user */
	LIST_HEAD(perf_child_list, perf_event) children; /* F */
	LIST_ENTRY(perf_event) child_link;		 /* F */
	bool linked;					 /* F: its parent lists it */
	bool closed;					 /* F: no new children */

	/* group */
	struct perf_event *leader; /* C: itself when it leads */
	TAILQ_HEAD(perf_sibling_list, perf_event)
	siblings;			      /* C: the leader's, in order of opening */
	TAILQ_ENTRY(perf_event) sibling_link; /* C */
	unsigned int sibling_count;	      /* C: the leader's */
	/* C: the leader's: equal in a parent's group and in its child's while both have the same members */
	_Atomic unsigned int group_generation;
	/* C: a leader among the groups of its context, see groups.c */
	RB_ENTRY(perf_event) group_node;
	TAILQ_ENTRY(perf_event) active_link;
	_Atomic uint64_t group_index; /* fork reads it with the mutex only */
	bool group_queued, group_competes;

	/* place */
	struct perf_context *context;	     /* constant once installed */
	bool attached;			     /* C: a member of it */
	TAILQ_ENTRY(perf_event) member_link; /* C: context's members */
	int cpu;			     /* only count on this one; -1: any */
	/* Whom it counts, NULL: all; not to be followed: it has no reference. */
	struct task *target;
	_Atomic int on_cpu; /* C: where it is active, -1 */

	/* output */
	struct perf_ring *_Atomic ring;	     /* C for changes, O: where its records go */
	LIST_ENTRY(perf_event) ring_link;    /* C: context's with_ring */
	TAILQ_ENTRY(perf_event) writer_link; /* ring->writers_lock */
	unsigned int map_count;		     /* O: mappings through this event's file */
	bool user_readable;	   /* its counter, from user mode: as it was when opened */
	_Atomic uint64_t lost;	   /* samples that did not fit (PERF_FORMAT_LOST) */
	struct wait_queue waiters; /* poll */
	void (*triggered)(struct perf_event *event); /* instead of counting; see breakpoint.h */
	_Atomic int event_limit;      /* overflows until it disables itself; 0: none */
	int64_t clock_offset_ns;      /* of the clock of its records from clock_ns() */
	struct deferred_work pending; /* what the NMI leaves for later */
	_Atomic bool pending_disable, pending_wakeup, pending_trap;
	_Atomic int pending_notice; /* POLL_IN or POLL_HUP for the file's owner; 0: none */
	uint64_t trap_address;	    /* for the SIGTRAP that pending_trap stands for */
	struct file *_Atomic file;  /* whose private data this is; NULL: an inherited event */

	bool accounted;			   /* open.c: by perf_sideband_account */
	struct task *owner;		   /* who opened it, referenced; NULL: inherited */
	LIST_ENTRY(perf_event) owned_link; /* owned_mutex in open.c */
	_Atomic unsigned int references;
}; /* C: the context's lock, see context.c; O: output.c's mutex; F: inherit.c's mutex */

/* Whether EVENT takes samples (has a period or a frequency). Any context. */
static inline bool perf_event_is_sampling(const struct perf_event *event)
{
	return event->attr.sample_period != 0;
}

/* Whether EVENT is a hardware event: it competes for its PMU's counters, and a PMI may look at it. Any context. */
static inline bool perf_event_is_hardware(const struct perf_event *event)
{
	return !(event->pmu->capabilities & PMU_SOFTWARE);
}

/*
 * Makes an event for ATTR (validated) with one reference: no context yet, in the group of LEADER
 * (NULL: its own), to count TASK (NULL: all that run) on CPU (-1: any). The PMU that takes it has translated it. *ERROR on
 * NULL: -ENOMEM, -ENOENT (no PMU knows it), or the driver's answer. LEADER's context mutex is held.
 * Task context.
 */
struct perf_event *perf_event_create(const struct perf_event_attr *attr, int cpu, struct task *task,
				     struct perf_event *leader, int *error);

/* One more reference, and one less; the last frees. get: any context; put: task context. */
void perf_event_get(struct perf_event *event);
void perf_event_put(struct perf_event *event);

/* Adds the time since the last update to the event's times at NOW_NS of clock_ns(). Context's lock
 * held, PMU disabled if the event can be sampled. */
void perf_event_update_times(struct perf_event *event, uint64_t now_ns);

/* Changes the state, after an update of the times at NOW_NS; a leader that is switched on or off takes the
 * times of its siblings along. Context as above. */
void perf_event_set_state(struct perf_event *event, enum event_state state, uint64_t now_ns);

/* The state as it was a moment ago, for who is not where the event may change. Any context, a reference
 * held. Orders nothing: who then looks at more asks under the lock. */
static inline enum event_state perf_event_peek_state(const struct perf_event *event)
{
	return __atomic_load_n(&event->state, __ATOMIC_RELAXED);
}

/* What the times are at NOW_NS, without updating. Own count only, not the children's. Context's lock
 * held, or in the PMI of the event or of another of its group (NMI). */
void perf_event_times_at(const struct perf_event *event, uint64_t now_ns, uint64_t *enabled_ns,
			 uint64_t *running_ns);

/* The event's own count as of the last update, since the last reset. Any context. */
static inline uint64_t perf_event_own_count(const struct perf_event *event)
{
	return atomic_load_explicit(&event->count, memory_order_relaxed) - event->count_base;
}

/* The same with that of ended children. Any context. */
static inline uint64_t perf_event_count(const struct perf_event *event)
{
	return perf_event_own_count(event) +
	       atomic_load_explicit(&event->child_count, memory_order_relaxed);
}

/* Whether the samples of an event with ATTR have counts of the sampled task alone, not of its family: those of an
 * inherited event. Any context. */
static inline bool perf_event_samples_own_counts(const struct perf_event_attr *attr)
{
	return attr->inherit && (attr->sample_type & PERF_SAMPLE_READ);
}

/* What user space adds to the counter it reads, sign-extended, to get perf_event_own_count:
 * offset of the user page of an event that is on a counter. Any context on its CPU. */
static inline uint64_t perf_event_user_offset(const struct perf_event *event)
{
	return atomic_load_explicit(&event->hw.offset, memory_order_relaxed) - event->count_base;
}

/* Time stamp for the records of EVENT, ns of the clock that attr.clockid chose. Any context. */
static inline uint64_t perf_event_clock_ns(const struct perf_event *event)
{
	return clock_ns() + event->clock_offset_ns;
}

/* Sets the clock of the records by attr.clockid: -EINVAL for one that is unknown, or that a PMI
 * cannot ask. Task context, before the event is installed. */
int perf_event_set_clock(struct perf_event *event);

/* What the ioctls of the same name do, for one event or, with GROUP, for all of its group at one
 * moment (then the context's mutex must be free). Task context, interrupts on. refresh: -EINVAL for
 * events that do not sample or are inherited. period: PERIOD is a frequency for events with
 * attr.freq; -EINVAL when out of range. */
void perf_event_enable(struct perf_event *event, bool group);
void perf_event_disable(struct perf_event *event, bool group);
void perf_event_reset(struct perf_event *event, bool group);
int perf_event_refresh(struct perf_event *event, int overflows);
int perf_event_change_period(struct perf_event *event, uint64_t period);

/* Enable and disable EVENT, at NOW_NS, from within a call (call.h); CPU as there. */
void perf_event_enable_locked(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns);
void perf_event_disable_locked(struct perf_cpu *cpu, struct perf_event *event, uint64_t now_ns);

#endif
