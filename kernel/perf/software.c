/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The software PMU: events that the kernel itself counts where they happen (page faults, context switches,
 * migrations …), and those that never happen here but may be opened (dummy, alignment faults). The two clocks
 * among the software events have a PMU each, in software_clock.c.
 *
 * An active event is in the list of its CPU; counting walks that list. The list changes and is walked only on
 * its CPU with interrupts off, and no NMI reads it. While no software event exists anywhere, counting costs
 * the caller one test of perf_software_events.
 */
#include <kernel/perf/software.h>

#include <arch/sample.h>
#include <arch/task.h>
#include <kernel/base/hooks.h>
#include <kernel/perf/context.h>
#include <kernel/perf/event.h>
#include <kernel/perf/overflow.h>
#include <kernel/perf/pmu.h>
#include <uapi/linux/errno.h>

_Atomic unsigned int perf_software_events;

struct active_events {
	TAILQ_HEAD(, perf_event) list;
} CACHE_ALIGNED;

static PERCPU(struct active_events, active_events);

/* --- counting --- */

bool perf_event_excludes(const struct perf_event *event, struct trap_frame *frame)
{
	bool user = frame && arch_frame_is_user(frame);

	return user ? event->attr.exclude_user : event->attr.exclude_kernel;
}

/* Returns the number of periods that ended with the last events, and begins the next period. */
static uint64_t expired_periods(struct perf_event *event)
{
	struct perf_sampling *sampling = &event->sampling;
	uint64_t count = atomic_load(&event->count);
	int64_t late = (int64_t)(count - sampling->next_at);

	if (late < 0)
		return 0;
	uint64_t periods = (uint64_t)late / sampling->period + 1;
	sampling->next_at += periods * sampling->period;
	sampling->last_period = sampling->period;
	return periods;
}

void perf_software_begin(struct perf_event *event, int flags)
{
	event->hw.flags = flags & PMU_START ? 0 : HW_STOPPED;
	if (perf_event_is_sampling(event))
		expired_periods(event);
}

void perf_software_start(struct perf_event *event, int flags)
{
	event->hw.flags = 0;
}

void perf_software_stop(struct perf_event *event, int flags)
{
	event->hw.flags = HW_STOPPED;
}

void perf_software_read(struct perf_event *event)
{
	/* The count is always up to date. */
}

void perf_software_count_event(struct perf_event *event, uint64_t number, struct trap_frame *frame,
			       uint64_t address)
{
	atomic_fetch_add(&event->count, number);
	if (!perf_event_is_sampling(event))
		return;

	uint64_t samples = expired_periods(event);
	if ((event->attr.sample_type & PERF_SAMPLE_PERIOD) && !event->attr.freq) {
		/* A sample with a period stands for the events that happened at once, and each occurrence is
		 * one (Linux: perf_swevent_event). */
		event->sampling.last_period = number;
		samples = 1;
	}
	/* The first overflow is always delivered; only a backlog is throttled (Linux:
	 * perf_swevent_overflow). */
	for (bool throttled = false; samples-- > 0; throttled = true) {
		if (perf_event_overflow_at(event, frame, address, throttled)) {
			event->pmu->stop(event, 0);
			return;
		}
	}
}

/* Not inline: its caller's address is where the event happened. */
__attribute__((noinline)) void perf_software_count(unsigned int id, uint64_t number,
						   struct trap_frame *frame, uint64_t address)
{
	struct trap_frame here;
	struct perf_event *event;
	unsigned long irq = arch_irq_save();

	TAILQ_FOREACH(event, &this_cpu(active_events).list, hw.software_link) {
		if (event->attr.config != id || (event->hw.flags & HW_STOPPED) ||
		    perf_event_excludes(event, frame))
			continue;
		/* Only a sample has the place. */
		if (!frame && perf_event_is_sampling(event)) {
			arch_sample_here(&here);
			frame = &here;
		}
		perf_software_count_event(event, number, frame, address);
	}
	arch_irq_restore(irq);
}

/* --- the driver --- */

/* The hooks that software events count. */
static void listen(bool on)
{
	hook_listen(HOOK_task_out, on);
	hook_listen(HOOK_task_migrated, on);
	hook_listen(HOOK_fault_begun, on);
	hook_listen(HOOK_fault_served, on);
	hook_listen(HOOK_unaligned, on);
}

static int software_event_init(struct perf_event *event)
{
	if (event->attr.type != PERF_TYPE_SOFTWARE)
		return -ENOENT;
	if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	if (event->attr.config >= PERF_COUNT_SW_MAX ||
	    event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
	    event->attr.config == PERF_COUNT_SW_TASK_CLOCK)
		return -ENOENT;

	atomic_fetch_add(&perf_software_events, 1);
	listen(true);
	return 0;
}

static void software_event_destroy(struct perf_event *event)
{
	listen(false);
	atomic_fetch_sub(&perf_software_events, 1);
}

static int software_add(struct perf_event *event, int flags)
{
	perf_software_begin(event, flags);
	TAILQ_INSERT_TAIL(&this_cpu(active_events).list, event, hw.software_link);
	return 0;
}

static void software_del(struct perf_event *event, int flags)
{
	TAILQ_REMOVE(&this_cpu(active_events).list, event, hw.software_link);
}

static struct pmu software_pmu = {
	.name = "software",
	.capabilities = PMU_SOFTWARE | PMU_NO_NMI,
	.event_init = software_event_init,
	.event_destroy = software_event_destroy,
	.add = software_add,
	.del = software_del,
	.start = perf_software_start,
	.stop = perf_software_stop,
	.read = perf_software_read,
};

void perf_software_init(void)
{
	for (unsigned int i = 0; i < CPUS_MAX; i++)
		TAILQ_INIT(&active_events[i].list);
	perf_pmu_register(&software_pmu, PERF_TYPE_SOFTWARE);
}
