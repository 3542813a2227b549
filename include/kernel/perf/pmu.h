/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * struct pmu: the contract between the perf core and a driver.
 *
 * The core decides which events count where and when; a driver knows registers. No driver knows file
 * descriptors or contexts; no core file knows registers. The contract is that of Peter Zijlstra's mail of
 * 2010 ("HW perf. events arch implementation"); the mail's names are in brackets.
 */
#ifndef KERNEL_PERF_PMU_H
#define KERNEL_PERF_PMU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct perf_event;
struct perf_event_attr;

/* Flags of add and stop. */
enum pmu_flag {
	PMU_START = 1,	/* add: start counting at once */
	PMU_RELOAD = 2, /* start: write the period's remainder into the counter */
	PMU_UPDATE = 4	/* stop: update event->count from the counter */
};

/* A file that describes a PMU in sysfs: its name and its text. Constant. */
struct pmu_attribute {
	const char *name; /* NULL: the end of a table */
	const char *text; /* without a line end */
};

/*
 * The comment of a field begins with the letter of its lock; a field and a member function without one are
 * constant once perf_pmu_register has returned:
 *
 *   A  none: atomic
 *   S  none: the registry's; changes at start only, on one CPU
 */
struct pmu {
	const char *name;	   /* "cpu", "software" …: also the name in sysfs */
	uint32_t type;		   /* PERF_TYPE_*, or what perf_pmu_register assigned */
	unsigned int capabilities; /* enum pmu_capability */
	/* The meaning of the bits of attr.config, the named events, other properties: Linux,
	 * Documentation/ABI/testing/sysfs-bus-event_source-devices-*. NULL: none. */
	const struct pmu_attribute *formats, *events, *caps;
	_Atomic int cpu;	     /* A: PMU_SYSTEM_WIDE: the CPU whose context has its events */
	_Atomic int mux_interval_ms; /* A: between rotations of its groups, 1 or more */
	LIST_ENTRY(pmu) link;	     /* S: all PMUs */
	LIST_ENTRY(pmu) hardware_link; /* S: the PMUs with pmu_disable and pmu_enable */

	/* Decides whether this PMU can count EVENT at all, and translates event->attr into event->hw. Touches
	 * no hardware. 0, -ENOENT (not this PMU's: the next one is asked), -EINVAL, -EOPNOTSUPP … Task
	 * context. [hw_perf_event_init] */
	int (*event_init)(struct perf_event *event);

	/* Whether the running task may open EVENT, which event_init took, on a task that it may observe
	 * (OF_TASK) or on a CPU: 0 or a negative error. NULL: it may. Not called for inherited events. Task
	 * context. */
	int (*event_permit)(const struct perf_event *event, bool of_task);

	/* Frees what event_init acquired; the last reference to EVENT is gone. NULL: nothing to free. Task
	 * context. */
	void (*event_destroy)(struct perf_event *event);

	/* Puts the counters of this CPU, which have no event, into the state of the driver's start: the CPU has come
	 * on line, or another service has had the counters (<kernel/pmu/reserve.h>). perf reserves the counters of
	 * such a PMU with its first event and releases them with its last. NULL: no other service can have them.
	 * Interrupts off. */
	void (*start_cpu)(void);

	/* The members below run on the CPU of the PMU, interrupts off, with the event's context locked. */

	/* Disable and enable the whole PMU of this CPU. While it is disabled no event counts, and its own
	 * interrupt, which may be an NMI, changes nothing. Calls nest. NULL: its events are software events.
	 * [hw_perf_disable, hw_perf_enable] */
	void (*pmu_disable)(struct pmu *pmu);
	void (*pmu_enable)(struct pmu *pmu);

	/* Puts EVENT on a counter; with PMU_START it counts when the PMU is next enabled. -EAGAIN: no
	 * suitable counter is free. May move events between counters (then it changes their counter index and
	 * updates their user pages). The core schedules a group in by one add for each member; when one
	 * fails, it calls del for the members before it. Then a pinned group gets into the error state, and a
	 * flexible one waits until the core tries again, whatever its PMU: at the next rotation or context
	 * switch. PMU disabled. [enable; hw_perf_group_sched_in] */
	int (*add)(struct perf_event *event, int flags);
	/* Takes EVENT off its counter: stops it, updates event->count, releases what add acquired. PMU
	 * disabled. [disable] */
	void (*del)(struct perf_event *event, int flags);

	/* Start and stop EVENT, which keeps its counter. */
	void (*start)(struct perf_event *event, int flags);
	void (*stop)(struct perf_event *event, int flags);

	/* Adds to event->count what the hardware has counted since the last update. Also from the PMI
	 * (NMI). */
	void (*read)(struct perf_event *event);

	/* Changes EVENT to ATTR if only fields differ that may change: 0, -EINVAL … NULL: no field may. Task
	 * context. */
	int (*modify)(struct perf_event *event, const struct perf_event_attr *attr);

	/* Returns the operand of user space's counter-read instruction, plus one; 0 while user space cannot
	 * read the counter. NULL: never. */
	uint32_t (*user_index)(struct perf_event *event);
	/* Returns the width in bits of the number that the counter-read instruction returns (pmc_width of the
	 * user page). EVENT may be on no counter, or another PMU's. NULL, like user_index then: there is no
	 * such instruction, and the width is 0. */
	unsigned int (*user_width)(struct perf_event *event);

	/* Lets EVENT count only what the filter TEXT lets through, for good: 0, -EEXIST (it has a filter),
	 * or the errors of the text. NULL: the PMU has no filters. Task context. */
	int (*set_filter)(struct perf_event *event, const char *text);
};

enum pmu_capability {
	PMU_NO_INTERRUPT = 1, /* cannot sample: a period gets -EOPNOTSUPP */
	/* no counters to compete for: a group of such events waits for no other group, and there is nothing
	 * to disable */
	PMU_SOFTWARE = 2,
	PMU_NO_EXCLUDE = 4, /* cannot tell rings apart: exclude_* gets -EINVAL */
	PMU_HIDDEN = 8, /* has no directory in sysfs: users ask for it under another PMU's type */
	/* does not sample in an NMI: its records may have a clock that an NMI cannot read */
	PMU_NO_NMI = 16,
	/* counts the whole machine, whatever CPU asks it: all its events are those of one CPU, pmu->cpu, and
	 * move with it when that CPU goes off line. Users find the CPU in the PMU's file cpumask. event_init
	 * refuses events of tasks. Linux: an uncore PMU */
	PMU_SYSTEM_WIDE = 32
};

/* Disables and enables, on this CPU, every PMU of hardware events. Interrupts off. The core pairs the calls
 * and does not nest them. */
void perf_pmu_disable_all(void);
void perf_pmu_enable_all(void);

/* Frees what perf_pmu_claim acquired for EVENT. Task context. */
void perf_pmu_release(struct perf_event *event);

/* Finds the PMU that can count EVENT, as Linux does, and sets event->pmu: the PMU of attr.type, where
 * HARDWARE and HW_CACHE mean the CPU's PMU; if no PMU has that type, the first that takes the event. 0,
 * -ENOENT, -EBUSY (another service has reserved the PMU's counters), or the PMU's error. Task context. */
int perf_pmu_claim(struct perf_event *event);

/* Returns the PMU of TYPE, or NULL. Task context. */
struct pmu *perf_pmu_find(uint32_t type);

/* Returns the PMU with the least type that is not below TYPE, or NULL: for walks over all PMUs. Task
 * context. */
struct pmu *perf_pmu_next(uint32_t type);

/* Registers PMU, and calls its start_cpu on each CPU. TYPE -1: assigns the next free number from 6 (PERF_TYPE_MAX)
 * upwards. -EEXIST. Task context, at start. */
int perf_pmu_register(struct pmu *pmu, int type);

#endif
