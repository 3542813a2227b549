/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One perf event. The files of kernel/perf/ share all of it. A driver uses attr, hw, count, leader, siblings,
 * state, pmu and sampling.raw, and nothing else.
 */
#ifndef KERNEL_PERF_EVENT_H
#define KERNEL_PERF_EVENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <arch/breakpoint.h>
#include <kernel/base/smp.h>
#include <kernel/base/spinlock.h>
#include <kernel/perf/pmu.h>
#include <kernel/sched/wait.h>
#include <kernel/time/time.h>
#include <uapi/linux/perf_event.h>

struct perf_context;
struct perf_cpu;
struct perf_ring;
struct trace_filter;
struct task;
struct file;

/*
 * The comment of each field begins with the letters of its locks:
 *
 *   K  none: constant once perf_event_create has returned or, where the comment says so, later
 *   A  none: atomic
 *   C  event->context->lock; a CPU's context: being on that CPU, interrupts off (see context.c). An event on its
 *      way to another CPU's context: being on that CPU
 *   M  event->context->mutex
 *   P  none: on the CPU where the event is active, PMU disabled or in the PMI; as C while it is inactive
 *   N  none: as P, but the PMU may be enabled: each change is one atomic step, which a PMI at any instruction
 *      leaves right (counter.c)
 *   O  output_mutex, in output.c
 *   F  family_mutex, in inherit.c
 *   U  owned_mutex, in ownership.c
 *   W  ring->writers_lock
 *
 * Two letters: a change needs both locks, a reader needs one of them. A PMI takes no lock, and it reads
 * fields of C: so these change with the PMUs disabled.
 */

/* Raw data of a sample: with the 32 bits of the size, a multiple of 8 bytes. On the writer's stack. */
struct perf_raw {
	const void *bytes;
	uint32_t size;
};

/* A driver's part of an event on a counter. */
struct hw_counter {
	uint64_t constraint;	 /* K: the counters that can count it; bit n: counter index n */
	int index;		 /* P: counter index; -1: none */
	int last_index;		 /* P: the previous counter index, which is tried first */
	unsigned int width_bits; /* P: of that counter */
	uint32_t read_index;	 /* P: the operand of the instruction that reads that counter */
	/* A register beside the counters that the CPU's events share (arch/x86_64/pmu/extra_registers.h). */
	int8_t extra; /* K: the register that qualifies it, or EXTRA_NONE */
	int8_t extra_taken; /* P: that register or its twin, while it has a counter; EXTRA_NONE: neither */
	uint64_t extra_value; /* K: what that register has to hold */
};

#define EXTRA_NONE (-1)

/* The PMU's part of an event. */
struct hw_event {
	uint64_t config;    /* K: which event it is, as the hardware or a table of the PMU has it */
	unsigned int flags; /* P: enum hw_event_flag */
	_Atomic uint64_t offset; /* P: counter.c: count minus the value of the counter */
	union {
		struct hw_counter counter; /* PMUs of hardware events */
		struct timer timer;	   /* P: software_clock.c */
		/* P: software.c: in the CPU's list of active events */
		TAILQ_ENTRY(perf_event) software_link;
		/* kernel/trace/pmu.c */
		struct {
			/* P: in one of the CPU's lists of active events */
			TAILQ_ENTRY(perf_event) tracepoint_link;
			/* A: set once; NULL: none */
			struct trace_filter *_Atomic filter;
		};
		/* breakpoint.c */
		struct {
			struct arch_breakpoint breakpoint; /* C */
			int breakpoint_register;	   /* P: -1: none */
		};
	};
};

/* The core's part of an event that samples. */
struct perf_sampling {
	uint64_t period;	    /* P: events between samples; 0: counting event. fork peeks */
	uint64_t next_at;	    /* P: counter.c: the count at which the next sample is due */
	uint64_t last_period;	    /* P: the period of the current sample */
	const struct perf_raw *raw; /* P: of the current sample, on its writer's stack; NULL: none */
	/* P: throttle.c: samples in this tick, or SAMPLING_THROTTLED until the next tick. The deferred work
	 * peeks: it is queued after each change to SAMPLING_THROTTLED, and decides as P says (overflow.c) */
	uint64_t interrupts;
	uint64_t interrupts_until_ns; /* P: throttle.c: end of this tick */
	uint64_t frequency_stamp_ns;  /* P: frequency.c: time of the last sample */
	uint64_t frequency_count;     /* P: frequency.c: count at the last tick */
};

#define SAMPLING_THROTTLED UINT64_MAX

enum hw_event_flag {
	HW_STOPPED = 1, /* stopped, or not yet started */
	HW_UPTODATE = 2 /* count holds everything that was counted */
};

/* In order of the distance from counting. */
enum event_state {
	EVENT_DEAD = -4,    /* closed, or its task has exited; holds its last count */
	EVENT_ERROR = -2,   /* pinned and did not fit: read returns 0 (end of file) */
	EVENT_OFF = -1,	    /* disabled */
	EVENT_INACTIVE = 0, /* enabled, not on a counter */
	EVENT_ACTIVE = 1    /* on a counter */
};

struct perf_event {
	/* C: as validated. Constant but for the fields that ioctl and exec change: the period or frequency
	 * (never 0), bp_*, sig_data, disabled, enable_on_exec. */
	struct perf_event_attr attr;
	struct pmu *pmu; /* K */
	struct hw_event hw;
	struct perf_sampling sampling;
	enum event_state state; /* C; perf_event_peek_state reads it without */
	_Atomic uint64_t count; /* N: since the beginning, as of the last update: only grows */
	uint64_t count_base;	/* C: count at the last reset, where the count of users begins */
	uint64_t id;		/* K: PERF_FORMAT_ID: unique since boot, from 1 */
	size_t read_size;	/* K: perf_read_size of it alone */
	size_t sample_size;	/* K: perf_record_sample_size of its attribute, if it is sampling */

	/* C: times up to timestamp_ns, all in the context's time; see perf_event_update_times */
	uint64_t time_enabled_ns, time_running_ns, timestamp_ns;

	/* inheritance */
	/* F: counts of the children that have exited; atomic for readers without the lock */
	_Atomic uint64_t child_count, child_time_enabled_ns, child_time_running_ns;
	struct perf_event *parent; /* K: once installed; NULL: opened by a user */
	LIST_HEAD(perf_child_list, perf_event) children; /* F: those that live */
	LIST_ENTRY(perf_event) child_link;		 /* F */
	bool linked;					 /* FM: its parent lists it */
	bool closed;					 /* F: no new children */

	/* group */
	struct perf_event *leader; /* CM: itself when it leads */
	/* CM: the leader's, in order of opening */
	TAILQ_HEAD(perf_sibling_list, perf_event) siblings;
	TAILQ_ENTRY(perf_event) sibling_link; /* CM */
	unsigned int sibling_count;	      /* CM: the leader's */
	/* M: the leader's: equal in a parent's group and in its child's while both have the same members;
	 * atomic for readers without the mutex */
	_Atomic unsigned int group_generation;
	/* a leader among the groups of its context, see groups.c */
	RB_ENTRY(perf_event) group_node;     /* C */
	TAILQ_ENTRY(perf_event) active_link; /* C */
	_Atomic uint64_t group_index;	     /* C; atomic for fork, which holds the mutex only */
	bool group_queued;		     /* C */
	bool group_competes;		     /* C */

	/* place */
	/* K: once installed; but an event of a PMU_SYSTEM_WIDE moves between CPUs' contexts, with both
	 * mutexes held (hotplug.c). See perf_event_context */
	struct perf_context *context;
	bool attached;			     /* CM: a member of it */
	bool revoked;			     /* C: its CPU went off line: off for good */
	TAILQ_ENTRY(perf_event) member_link; /* CM: context's members */
	int cpu;	     /* K: as context: counts only on this one; -1: on any */
	struct task *target; /* K: counts this one; NULL: all. Has no reference: not to be followed */

	/* output */
	struct perf_ring *_Atomic ring;	     /* CO: where its records go */
	LIST_ENTRY(perf_event) ring_link;    /* C: context's with_ring */
	TAILQ_ENTRY(perf_event) writer_link; /* W: ring's writers */
	unsigned int map_count;		     /* O: mappings through this event's file */
	bool user_readable;	   /* K: its counter, from user mode: as it was when opened */
	_Atomic uint64_t lost;	   /* A: samples that did not fit (PERF_FORMAT_LOST) */
	struct wait_queue waiters; /* A: poll; it has its own lock */
	/* K: once installed; called instead of counting, see breakpoint.h; NULL: it counts */
	void (*triggered)(struct perf_event *event);
	_Atomic int event_limit; /* A: overflows until it disables itself; 0: none */
	int64_t clock_offset_ns; /* K: once installed; its records' clock minus clock_ns() */

	/* from an overflow to the deferred work */
	struct deferred_work pending;				    /* A */
	_Atomic bool pending_disable, pending_wakeup, pending_trap; /* A */
	_Atomic int pending_notice; /* A: POLL_IN or POLL_HUP for the file's owner; 0: none */
	uint64_t trap_address; /* P: for the SIGTRAP of pending_trap; constant while that is set */

	/* A: the file whose private data is this event; set once; NULL: an inherited event */
	struct file *_Atomic file;
	bool accounted;	    /* K: once it has a descriptor; by perf_sideband_account */
	struct task *owner; /* U: the task that opened it, referenced; NULL: inherited */
	LIST_ENTRY(perf_event) owned_link; /* U */
	_Atomic unsigned int references;   /* A */
};

/* Returns the context of EVENT, installed. Any context; what is done in it checks again (perf_call_run,
 * perf_event_lock_context). */
static inline struct perf_context *perf_event_context(const struct perf_event *event)
{
	return __atomic_load_n(&event->context, __ATOMIC_ACQUIRE);
}

/* Whether EVENT takes samples (has a period or a frequency). Any context. */
static inline bool perf_event_is_sampling(const struct perf_event *event)
{
	return event->attr.sample_period != 0;
}

/* Whether EVENT is a hardware event: it competes for its PMU's counters, and a PMI may look at it. Any
 * context. */
static inline bool perf_event_is_hardware(const struct perf_event *event)
{
	return !(event->pmu->capabilities & PMU_SOFTWARE);
}

/*
 * Makes an event for ATTR (validated) with one reference and no context, in the group of LEADER (NULL: its
 * own). The event counts TASK (NULL: all tasks) on CPU (-1: any). The PMU that takes it has translated ATTR.
 * NULL with *ERROR: -ENOMEM, -ENOENT (no PMU knows it), or the driver's error. The mutex of LEADER's context
 * is held. Task context.
 */
struct perf_event *perf_event_create(const struct perf_event_attr *attr, int cpu, struct task *task,
				     struct perf_event *leader, int *error);

/* Takes a reference, and drops one; the last one frees the event. get: any context; put: task context. */
void perf_event_get(struct perf_event *event);
void perf_event_put(struct perf_event *event);

/* Adds the time since the last update to the event's times, at NOW_NS of clock_ns(). Context locked, PMU
 * disabled if the event can be sampled. */
void perf_event_update_times(struct perf_event *event, uint64_t now_ns);

/* Updates the times at NOW_NS and changes the state. When a leader is enabled or disabled, updates the times
 * of its siblings, too. Context as above. */
void perf_event_set_state(struct perf_event *event, enum event_state state, uint64_t now_ns);

/* Returns the state of a moment ago, for a caller that cannot lock the context. Any context, a reference
 * held. Orders nothing: a caller that then needs more reads it under the lock. */
static inline enum event_state perf_event_peek_state(const struct perf_event *event)
{
	return __atomic_load_n(&event->state, __ATOMIC_RELAXED);
}

/* Computes the times at NOW_NS without an update: the event's own, not its children's. Context locked, or in
 * the PMI of the event or of another member of its group (NMI). */
void perf_event_times_at(const struct perf_event *event, uint64_t now_ns, uint64_t *enabled_ns,
			 uint64_t *running_ns);

/* Returns the event's own count as of the last update, since the last reset. Any context. */
static inline uint64_t perf_event_own_count(const struct perf_event *event)
{
	return atomic_load_explicit(&event->count, memory_order_relaxed) - event->count_base;
}

/* Returns the same, and the counts of the children that have exited. Any context. */
static inline uint64_t perf_event_count(const struct perf_event *event)
{
	return perf_event_own_count(event) +
	       atomic_load_explicit(&event->child_count, memory_order_relaxed);
}

/* Whether the samples of an event with ATTR have the counts of the sampled task alone, not those of its
 * family: true for inherited events. Any context. */
static inline bool perf_event_samples_own_counts(const struct perf_event_attr *attr)
{
	return attr->inherit && (attr->sample_type & PERF_SAMPLE_READ);
}

/* Returns the number that user space adds to the sign-extended counter to get perf_event_own_count: the
 * offset in the user page of an event that is on a counter. Any context on its CPU. */
static inline uint64_t perf_event_user_offset(const struct perf_event *event)
{
	return atomic_load_explicit(&event->hw.offset, memory_order_relaxed) - event->count_base;
}

#endif
