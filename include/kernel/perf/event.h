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
struct perf_ring;
struct trace_filter;
struct task;
struct file;

/* Raw data of a sample: with the 32 bits of the size, a multiple of 8 bytes. */
struct perf_raw {
	const void *bytes;
	uint32_t size;
};

/* The driver's part of an event. Written on the processor where the event is on, PMU frozen or in
 * the PMI. */
struct hw_event {
	uint64_t config;	 /* driver: what goes into the event-select register */
	uint64_t constraint;	 /* driver: counters that can count it, bit n = slot n */
	int slot;		 /* driver: counter it is on, -1: none */
	int last_slot;		 /* driver: where it was last, tried first */
	unsigned int width_bits; /* driver: of that counter … */
	uint32_t read_index;	 /* driver: … and what the instruction that reads it is given */
	unsigned int flags;	 /* enum hw_event_flag */
	_Atomic uint64_t offset; /* counter.c: count minus what the counter shows */
	uint64_t sample_period;	 /* events between samples; 0: counting event */
	uint64_t sample_at;	 /* counter.c: count at which the next sample is due */
	uint64_t last_period;	 /* period that the sample in hand stands for */

	/* overflow.c: samples in the tick that ends at interrupts_until_ns; HW_THROTTLED: stopped until
	 * the next tick */
	uint64_t interrupts, interrupts_until_ns;
	uint64_t frequency_stamp_ns; /* attr.freq: when the last sample came … */
	uint64_t frequency_count;    /* … and the count at the last tick */

	struct arch_breakpoint breakpoint; /* breakpoint.c */
	uint64_t start_ns;		   /* software clocks: when it was last folded */
	struct timer timer;		   /* software clocks that sample */
	/* software.c, tracepoint.c: active on this processor */
	TAILQ_ENTRY(perf_event) software_link;
	struct trace_filter *_Atomic filter; /* tracepoint.c: set once; NULL: none */
	const struct perf_raw *raw;	     /* of the sample in hand; NULL: none */
};

#define HW_THROTTLED	     UINT64_MAX

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
	enum event_state state; /* C; perf_event_peek_state without it */
	_Atomic uint64_t count; /* folded so far, since the beginning: only grows */
	uint64_t count_base; /* C: count at the last reset; what users see is counted from here */
	uint64_t id;	     /* PERF_FORMAT_ID: unique since boot, from 1 */
	size_t read_size;    /* perf_read_size of it alone */
	size_t sample_size;  /* perf_record_sample_size of its attribute, if it is sampling */

	/* C: times up to timestamp_ns, all in the context's time; see event_update_times */
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
	/* C: the leader's: the same in a parent's group and in its child's while one is the image of the other */
	_Atomic unsigned int group_generation;
	/* C: a leader among the groups of its context, see groups.c */
	RB_ENTRY(perf_event) group_node;
	TAILQ_ENTRY(perf_event) on_link;
	_Atomic uint64_t turn; /* fork reads it with the mutex only */
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

/* Whether adding EVENT to its PMU never fails, so that it fits into any group. Any context. */
static inline bool perf_event_is_software(const struct perf_event *event)
{
	return event->pmu->capabilities & PMU_SOFTWARE;
}

/*
 * event.c: life, times, and what a user can do to an event.
 */

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

/* Folds the time since the last fold into the event's times at NOW_NS of clock_ns(). Context's lock
 * held, PMU frozen if the event can be sampled. */
void perf_event_update_times(struct perf_event *event, uint64_t now_ns);

/* Changes the state, times folded at NOW_NS first; a leader that is switched on or off takes the
 * times of its siblings along. Context as above. */
void perf_event_set_state(struct perf_event *event, enum event_state state, uint64_t now_ns);

/* The state as it was a moment ago, for who is not where the event may change. Any context, a reference
 * held. Orders nothing: who then looks at more asks under the lock. */
static inline enum event_state perf_event_peek_state(const struct perf_event *event)
{
	return __atomic_load_n(&event->state, __ATOMIC_RELAXED);
}

/* What the times are at NOW_NS, without folding. Own count only, not the children's. Context's lock
 * held, or in the PMI of the event or of another of its group (NMI). */
void perf_event_times_at(const struct perf_event *event, uint64_t now_ns, uint64_t *enabled_ns,
			 uint64_t *running_ns);

/* The event's own count folded so far, since the last reset. Any context. */
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
 * offset of the user page of an event that is on a counter. Any context on its processor. */
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

/* Takes EVENT out of its group and context and marks it dead: what it counted stays readable. Its
 * siblings, when it led, become groups of their own. Task context. */
void perf_event_detach(struct perf_event *event);

/* Detaches EVENT as perf_event_detach does, but for waiting for its deferred work. Its context's
 * mutex held. */
void perf_event_detach_locked(struct perf_event *event);

/*
 * inherit.c
 */

/* Between these two the children of EVENT stay what they are, and none of them ends without its
 * counts being EVENT's. Nothing, if EVENT is not inherited. Task context; a context's and
 * output.c's mutex may be held. */
void perf_family_lock(const struct perf_event *event);
void perf_family_unlock(const struct perf_event *event);

/* Whether the task of EVENT has ended, and with it those of its children: nothing more is counted or
 * recorded for it. Task context; output.c's mutex may be held. */
bool perf_event_is_over(struct perf_event *event);

/* CHILD, detached, is over: its parent gets its counts. Its context's mutex held. Task context. */
void perf_event_end_child(struct perf_event *child);

/* All children of PARENT, which is being closed, are detached and over. Task context. */
void perf_event_end_children(struct perf_event *parent);

/*
 * open.c
 */

/* Forgets that the owner opened EVENT. Task context. */
void perf_event_disown(struct perf_event *event);
/* The same for all that TASK owns. Task context. */
void perf_events_disown(const struct task *task);

/*
 * Start: see init.c. Each once, in its order; the PMUs of the core stay registered.
 */
void perf_open_init(void);
void perf_output_init(void);
void perf_inherit_init(void);
void perf_callchain_init(void);
void perf_software_init(void);
void perf_clock_init(void);
void perf_tracepoint_init(void);
void perf_breakpoint_init(void);

/*
 * software.c: for every PMU whose events are counted where they happen.
 */

/* Whether EVENT does not count what happens in the code that FRAME is of. Any context. */
bool perf_event_excludes(const struct perf_event *event, struct trap_frame *frame);

/* EVENT is put on, with the FLAGS of struct pmu's add. A period that was ended from outside
 * (PERF_EVENT_IOC_PERIOD) while it was off begins anew. As below. */
void perf_software_begin(struct perf_event *event, int flags);

/* struct pmu's start, stop and read of such a PMU. */
void perf_software_start(struct perf_event *event, int flags);
void perf_software_stop(struct perf_event *event, int flags);
void perf_software_read(struct perf_event *event);

/* NUMBER more of what EVENT, active here and not stopped, counts where it happens, at FRAME with data
 * address ADDRESS: samples as the period says. Interrupts off, or an NMI if nothing else counts for
 * EVENT. */
void perf_software_count_event(struct perf_event *event, uint64_t number, struct trap_frame *frame,
			       uint64_t address);

/*
 * attr.c
 */

/* Copies the attribute at USER_ATTR of any known size and validates its format. 0, -EFAULT, -E2BIG (the size that
 * is known is written back), -EINVAL, -ENOSYS. Task context. */
int perf_attr_copy(struct perf_event_attr *attr, void *user_attr);

/* Validates of ATTR, for a new event, what else can be without knowing the PMU: whether the caller may have it,
 * and whether this kernel has it. 0, -EACCES, -EINVAL, -EOPNOTSUPP. Task context. */
int perf_attr_check(const struct perf_event_attr *attr);

/*
 * read.c
 */

/* Bytes that read() returns for an event with READ_FORMAT whose leader has SIBLINGS. Any
 * context. */
size_t perf_read_size(uint64_t read_format, unsigned int siblings);

/* Reads EVENT, or its group if read_format says so, into USER_BUFFER of SIZE bytes: bytes
 * written, 0 for an event in error, -ENOSPC, -EFAULT, -ENOMEM, -ECHILD (members came or went since a
 * child that lives was made). Task context, interrupts on. */
long perf_event_read_user(struct perf_event *event, void *user_buffer, size_t size);

/*
 * file.c
 */

/* Closes EVENT, which nobody has open or mapped any more. Task context. */
void perf_event_close(struct perf_event *event);

/* The file operations of an event; also how a descriptor is known to be one. */
struct file_ops;
extern const struct file_ops perf_file_ops;

/*
 * output.c: which ring an event writes to, and who is told.
 */

/* Sends the records of EVENT to the ring of TARGET (NULL: nowhere). -EINVAL: they do not count
 * in the same place, or EVENT has a buffer mapped. Task context. */
int perf_output_set(struct perf_event *event, struct perf_event *target);

/* Takes EVENT off its ring. Task context. */
void perf_output_release(struct perf_event *event);

/* CHILD, new, writes where PARENT does. Task context, a context's mutex may be held. */
void perf_output_inherit(struct perf_event *child, struct perf_event *parent);

/* Maps EVENT's ring into AREA, making it if there is none: -EINVAL, -ENOMEM. Task context, the
 * space's mutex held. */
struct vm_area;
int perf_output_map(struct perf_event *event, struct vm_area *area);

/* The ring that EVENT writes to, with a reference, or NULL. Task context. */
struct perf_ring *perf_output_get_ring(struct perf_event *event);

/* PERF_EVENT_IOC_PAUSE_OUTPUT. -EINVAL: no ring. Task context. */
int perf_output_pause(struct perf_event *event, bool pause);

/* The POLL* bits of EVENT now; a wake-up's POLLIN is taken. Task context. */
unsigned int perf_output_poll(struct perf_event *event);

/* Wakes everybody who polls EVENT or an event that shares its ring, once the processor can: what
 * an NMI or a holder of locks may call. Any context, on the processor where EVENT is active. */
void perf_event_request_wakeup(struct perf_event *event);

/* The second half, from the deferred work. Interrupt context. */
void perf_output_wake(struct perf_event *event);

/*
 * signal.c: what is told by signals. Noted by an overflow, sent by the deferred work.
 */

/* EVENT overflowed for POLL_CODE (POLL_IN, or POLL_HUP: for the last time): the owner of its file is to
 * be told, if there is one (O_ASYNC). Any context, NMI included. */
void perf_event_note_owner(struct perf_event *event, int poll_code);

/* EVENT, with attr.sigtrap, overflowed at FRAME (NULL: unknown), about data ADDRESS: its task, which
 * runs, is to get SIGTRAP. Any context, NMI included. */
void perf_event_note_trap(struct perf_event *event, const struct trap_frame *frame,
			  uint64_t address);

/* Sends what was noted. Interrupt context, interrupts off. */
void perf_event_send_signals(struct perf_event *event);

/* The task of CONTEXT runs here again: traps that came too late for it are sent soon. Context's lock
 * held, interrupts off. */
void perf_context_resend_traps(struct perf_context *context);

/*
 * overflow.c
 */

/* As perf_event_overflow in <kernel/perf/pmu.h>, for events that know a data address, and those that do not
 * stop when samples are too many (THROTTLED false). */
bool perf_event_overflow_at(struct perf_event *event, struct trap_frame *frame, uint64_t address,
			    bool throttled);

/* The deferred work of an event. Interrupt context, interrupts off. */
void perf_event_pending_run(struct deferred_work *work);

/* EVENT, stopped, has the count COUNT: its present period ends, without a sample, and the next one
 * begins. Context's lock held. */
void perf_event_restart_period(struct perf_event *event, uint64_t count);

/* Starts EVENT again if it is throttled. Interrupts off, active here, its context's lock held. With
 * RESTART false only the mark goes (the caller starts it). */
void perf_event_unthrottle(struct perf_event *event, bool restart);

/* What the tick does for an active event: unthrottle, adapt the period to attr.sample_freq. Returns
 * whether the event needs the next tick too. As above, PMU frozen. */
bool perf_event_tick(struct perf_event *event, uint64_t now_ns);

#endif
