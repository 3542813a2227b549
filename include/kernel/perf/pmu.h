/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * struct pmu: the contract between the perf core and a driver.
 *
 * The core decides which events should count where and when; a driver knows registers. No driver
 * knows about file descriptors or tasks' contexts; no core file knows about registers. The
 * contract is the seed's (Peter Zijlstra's answer of 2010, "HW perf. events arch implementation");
 * its names are in brackets.
 */
#ifndef KERNEL_PERF_PMU_H
#define KERNEL_PERF_PMU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct perf_event;
struct perf_event_attr;
struct trap_frame;

/* Flags of add and stop. */
enum pmu_flag {
	PMU_START = 1,	/* add: start counting at once */
	PMU_RELOAD = 2, /* start: write the period's remainder into the counter */
	PMU_UPDATE = 4	/* stop: update event->count from the counter */
};

/* A file that describes a PMU in sysfs: its name and its text. */
struct pmu_attribute {
	const char *name; /* NULL: the end of a table */
	const char *text; /* without a line end */
};

struct pmu {
	const char *name;	   /* "cpu", "software" …: also the name in sysfs */
	uint32_t type;		   /* PERF_TYPE_*, or what perf_pmu_register assigned */
	unsigned int capabilities; /* enum pmu_capability */
	/* Which bits of attr.config mean what, which events have names, what else there is to know:
	 * Linux, Documentation/ABI/testing/sysfs-bus-event_source-devices-*. NULL: nothing. */
	const struct pmu_attribute *formats, *events, *caps;
	_Atomic int mux_interval_ms; /* between rotations of its groups, 1 or more; of the registry */
	LIST_ENTRY(pmu) link;
	LIST_ENTRY(pmu) hardware_link; /* of those with pmu_disable and pmu_enable */

	/* Can this PMU count EVENT at all? Translates event->attr into event->hw; touches no
	 * hardware. 0, -ENOENT (not mine, ask the next PMU), -EINVAL, -EOPNOTSUPP … Task
	 * context. [hw_perf_event_init] */
	int (*event_init)(struct perf_event *event);

	/* Whether the running task may open EVENT, which event_init took, on a task it may observe
	 * (OF_TASK) or on a CPU: 0 or a negative error. NULL: yes. Not asked for inherited
	 * events. Task context. */
	int (*event_permit)(const struct perf_event *event, bool of_task);

	/* The last reference to an event that event_init took is gone: frees what that acquired.
	 * NULL: nothing. Task context. */
	void (*event_destroy)(struct perf_event *event);

	/* Everything below runs on the CPU whose PMU it is, interrupts off, with the
	 * context's lock held. */

	/* Halt and resume the whole PMU of this CPU: while it is disabled nothing counts, and its
	 * own interrupt, which may be an NMI, changes nothing. Nest. NULL: its events are software
	 * events. [hw_perf_disable, hw_perf_enable] */
	void (*pmu_disable)(struct pmu *pmu);
	void (*pmu_enable)(struct pmu *pmu);

	/* Puts EVENT on a counter; with PMU_START it counts when the PMU is next enabled.
	 * -EAGAIN: no suitable counter free. May move events that are already on (their index
	 * changes; their user pages are updated). A group is scheduled in by one add for each
	 * member; when one fails, the core calls del for those before it. PMU disabled. [enable;
	 * hw_perf_group_sched_in] */
	int (*add)(struct perf_event *event, int flags);
	/* Takes EVENT off: stopped, event->count updated, everything add acquired is
	 * released. PMU disabled. [disable] */
	void (*del)(struct perf_event *event, int flags);

	/* Run and halt without giving the counter back. */
	void (*start)(struct perf_event *event, int flags);
	void (*stop)(struct perf_event *event, int flags);

	/* Adds what the hardware counted since the last update to event->count. Also from the
	 * PMI (NMI). */
	void (*read)(struct perf_event *event);

	/* Makes EVENT what ATTR says, if no more is different than may be: 0, -EINVAL … NULL: nothing
	 * may. Task context. */
	int (*modify)(struct perf_event *event, const struct perf_event_attr *attr);

	/* What user space passes to its counter-read instruction, plus one; 0 when it cannot
	 * read the counter now. NULL: never. */
	uint32_t (*user_index)(struct perf_event *event);
	/* Bits that the counter-read instruction returns (pmc_width of the user page), EVENT being on a
	 * counter or not, and perhaps another PMU's. NULL, as user_index then: there is no such instruction,
	 * and the width is 0. */
	unsigned int (*user_width)(struct perf_event *event);

	/* Lets EVENT count only what the filter TEXT lets through, for good: 0, -EEXIST (it has a filter), or the errors of
	 * the text. NULL: the PMU has no filters. Task context. */
	int (*set_filter)(struct perf_event *event, const char *text);
};

enum pmu_capability {
	PMU_NO_INTERRUPT = 1, /* cannot sample: a period is refused with -EOPNOTSUPP */
	PMU_SOFTWARE =
		2, /* no counters to compete for, so add never fails and nothing to disable */
	PMU_NO_EXCLUDE = 4, /* cannot tell rings apart: exclude_* is refused with -EINVAL */
	PMU_HIDDEN = 8,	    /* has no directory in sysfs: asked for under another PMU's type */
	PMU_NO_NMI = 16 /* samples in no NMI: records may have a clock that cannot be read there */
};

/* Disables and enables, on this CPU, every PMU of hardware events. Interrupts off. Pairs; the
 * caller does not nest them. */
void perf_pmu_disable_all(void);
void perf_pmu_enable_all(void);

/* Finds the PMU that can count EVENT, as Linux does: the one whose type attr.type names,
 * HARDWARE and HW_CACHE being the CPU's PMU; if there is none of that type, the first that
 * takes it. Sets event->pmu. 0, -ENOENT, or what the PMU says. Task context. */
int perf_pmu_claim(struct perf_event *event);

/* The PMU of TYPE, or NULL. Task context. */
struct pmu *perf_pmu_find(uint32_t type);

/* The PMU of the least type that is at least TYPE, or NULL: for walking all. Task context. */
struct pmu *perf_pmu_next(uint32_t type);

/* Makes PMU known. TYPE -1: assign the next free number from 6 (PERF_TYPE_MAX) upwards. -EEXIST.
 * Task context, at start. */
int perf_pmu_register(struct pmu *pmu, int type);

#endif
