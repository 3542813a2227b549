/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The performance monitor of a DSA or IAX as a PMU, after Linux's drivers/dma/idxd/perfmon.c.
 *
 * A device counts for the whole system: its events belong to no task and do not sample. They are all in the context of
 * one CPU (PMU_SYSTEM_WIDE), which the file cpumask names, so that `perf stat` opens each of them once. The counters are
 * alike: an event gets the lowest one that is free. The interrupt may come on another CPU.
 *
 * Exact sums. A counter has fewer than 64 bits, and is never written: its number only grows, and goes from its
 * greatest value to 0. The hardware then sets the counter's bit of OVFSTATUS and interrupts. An update adds the
 * distance from the last position, and a round for that bit, which it clears. So a count is exact if the counter is
 * updated before it goes round a second time. Linux takes the distance modulo the width and loses a whole round if an
 * interrupt finds the counter where the last update left it.
 *
 * Groups begin at one moment. start() configures a counter with its bit of PERFFRZ set, and the write that ends the
 * CPU's disabled section (pmu_enable) clears all these bits at once. Other counters run on meanwhile: Linux freezes all
 * of them at each context switch, and loses what happens then.
 *
 * Source: Intel DSA Architecture Specification 1.2, chapter 6 and section 9.4.
 *
 * Lock: perfmon->lock, irqsave, around everything but the translation. Without tracepoints, because an event in a group
 * may be read in one; an NMI that finds it taken leaves the count as it was at the last update. No lock inside.
 */
#include "perfmon.h"

#include <kernel/base/assert.h>
#include <kernel/base/cpu.h>
#include <kernel/base/log.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/perf/event.h>
#include <kernel/perf/pmu.h>
#include <uapi/linux/errno.h>

#include "idxd.h"

/* Offsets in the block (9.4). */
#define PERFCAP			0x000
#define PERFRST			0x010
#define PERFFRZ			0x020
#define OVFSTATUS		0x030
#define CNTRCFG			0x100
#define CNTRDATA		0x200
#define FLTCFG			0x300 /* 32 bytes for each counter, 4 for each filter */

#define PERFRST_CONFIG		(1u << 0)
#define PERFRST_COUNTERS	(1u << 1)

#define PERFCAP_COUNTERS(cap)	((unsigned int)((cap)&0x3f))
#define PERFCAP_WIDTH(cap)	((unsigned int)((cap) >> 8 & 0xff))
#define PERFCAP_CATEGORIES(cap) ((unsigned int)((cap) >> 16 & 0xf))
#define PERFCAP_FILTERS(cap)	((uint32_t)((cap) >> 36 & 0xff))
#define PERFCAP_PER_COUNTER	(1ull << 52) /* counters differ */
#define PERFCAP_FREEZE		(1ull << 54)
#define PERFCAP_INTERRUPT	(1ull << 55)

#define CNTRCFG_ENABLE		(1ull << 0)
#define CNTRCFG_INTERRUPT	(1ull << 1)
#define CNTRCFG_CATEGORY(c)	((uint64_t)(c) << 8)
#define CNTRCFG_EVENTS(e)	((uint64_t)(e) << 32)

#define COUNTERS_MAX		32
/* From the last table on. */
#define BLOCK_SIZE		(FLTCFG + COUNTERS_MAX * 32)

struct idxd_perfmon {
	struct pmu pmu;
	struct idxd_device *device; /* constant, as the next three are */
	unsigned int counters, width_bits;
	uint32_t filters;
	struct pmu_attribute formats[2 + IDXD_FILTERS + 1];

	/* All of the following: lock. */
	struct spinlock lock;
	uint32_t used;	  /* counters that an event has */
	uint32_t running; /* those of them that count, or will at the end of the section */
	uint32_t frozen;  /* PERFFRZ */
	struct perf_event *events[COUNTERS_MAX];
	uint64_t position[COUNTERS_MAX]; /* of the counter, at the last update */
	unsigned int sections;		 /* CPUs in a disabled section that changed something */
	bool disabled[CPUS_MAX], changed[CPUS_MAX];
};

/* attr.config1: the filters' first bits and widths. */
static const struct {
	const char *name, *place;
	unsigned int shift, width_bits;
} filter_formats[IDXD_FILTERS] = {
	[IDXD_FILTER_QUEUE] = { "filter_wq", "config1:0-31", 0, 32 },
	[IDXD_FILTER_TC] = { "filter_tc", "config1:32-39", 32, 8 },
	[IDXD_FILTER_PAGE] = { "filter_pgsz", "config1:40-43", 40, 4 },
	[IDXD_FILTER_SIZE] = { "filter_sz", "config1:44-51", 44, 8 },
	[IDXD_FILTER_ENGINE] = { "filter_eng", "config1:52-59", 52, 8 },
};

/* --- translation --- */

int idxd_counting_of(uint64_t config, uint64_t config1, uint32_t filters,
		     struct idxd_counting *counting)
{
	counting->config = CNTRCFG_CATEGORY(config & 0xf) |
			   CNTRCFG_EVENTS(config >> 4 & 0xfffffff) | CNTRCFG_INTERRUPT |
			   CNTRCFG_ENABLE;
	for (unsigned int i = 0; i < IDXD_FILTERS; i++) {
		uint32_t all = (uint32_t)(UINT64_MAX >> (64 - filter_formats[i].width_bits));
		uint32_t chosen = (uint32_t)(config1 >> filter_formats[i].shift) & all;

		if (chosen && !(filters >> i & 1))
			return -EINVAL;
		counting->filter[i] = chosen ? chosen : all;
	}
	return 0;
}

uint64_t idxd_counted(uint64_t from, uint64_t to, unsigned int wraps, unsigned int width_bits)
{
	uint64_t rounds = width_bits < 64 ? (uint64_t)wraps << width_bits : 0;

	return to - from + rounds;
}

/* --- registers --- */

static uint32_t read32(const struct idxd_perfmon *perfmon, uint32_t offset)
{
	return idxd_read32(perfmon->device, perfmon->device->perfmon_offset + offset);
}

static uint64_t read64(const struct idxd_perfmon *perfmon, uint32_t offset)
{
	return idxd_read64(perfmon->device, perfmon->device->perfmon_offset + offset);
}

static void write32(const struct idxd_perfmon *perfmon, uint32_t offset, uint32_t value)
{
	idxd_write32(perfmon->device, perfmon->device->perfmon_offset + offset, value);
}

static void write64(const struct idxd_perfmon *perfmon, uint32_t offset, uint64_t value)
{
	idxd_write64(perfmon->device, perfmon->device->perfmon_offset + offset, value);
}

static uint64_t counter_value(const struct idxd_perfmon *perfmon, unsigned int index)
{
	return read64(perfmon, CNTRDATA + index * 8) & UINT64_MAX >> (64 - perfmon->width_bits);
}

static bool went_round(const struct idxd_perfmon *perfmon, unsigned int index)
{
	return read32(perfmon, OVFSTATUS) >> index & 1;
}

/* Returns the value of counter INDEX and adds to *WRAPS how often it went round since the last call, whose bit this
 * call clears. The counter runs: each step below allows for one round between it and the step before. */
static uint64_t take_value(struct idxd_perfmon *perfmon, unsigned int index, unsigned int *wraps)
{
	bool before = went_round(perfmon, index), after;
	uint64_t value = counter_value(perfmon, index), again;

	while ((after = went_round(perfmon, index)) != before) {
		before = after;
		value = counter_value(perfmon, index);
	}
	*wraps = after;
	if (!after)
		return value;
	write32(perfmon, OVFSTATUS, 1u << index);
	again = counter_value(perfmon, index);
	/* It went round again before the bit was cleared. */
	if (again < value && !went_round(perfmon, index)) {
		++*wraps;
		return again;
	}
	return value;
}

/* Updates the count of the event on counter INDEX. Lock held. */
static void update(struct idxd_perfmon *perfmon, unsigned int index)
{
	unsigned int wraps;

	spin_assert_held(&perfmon->lock);
	uint64_t value = take_value(perfmon, index, &wraps);

	atomic_fetch_add(&perfmon->events[index]->count,
			 idxd_counted(perfmon->position[index], value, wraps, perfmon->width_bits));
	perfmon->position[index] = value;
}

/* --- the members of struct pmu --- */

static struct idxd_perfmon *perfmon_of(struct pmu *pmu)
{
	return (struct idxd_perfmon *)((char *)pmu - offsetof(struct idxd_perfmon, pmu));
}

static unsigned long lock(struct idxd_perfmon *perfmon)
{
	unsigned long state = arch_irq_save();

	spin_lock_untraced(&perfmon->lock);
	return state;
}

static void unlock(struct idxd_perfmon *perfmon, unsigned long state)
{
	spin_unlock_irqrestore(&perfmon->lock, state);
}

/* Counters that start are frozen until the section ends, or at once outside of one. Lock held. */
static void note_change(struct idxd_perfmon *perfmon)
{
	unsigned int cpu = cpu_id();

	spin_assert_held(&perfmon->lock);
	if (perfmon->disabled[cpu] && !perfmon->changed[cpu]) {
		perfmon->changed[cpu] = true;
		perfmon->sections++;
	}
}

/* Lets the counters that wait count, all at once, unless a CPU is amid a change. Lock held. */
static void release_frozen(struct idxd_perfmon *perfmon)
{
	spin_assert_held(&perfmon->lock);
	if (!perfmon->sections && perfmon->frozen) {
		perfmon->frozen = 0;
		write32(perfmon, PERFFRZ, 0);
	}
}

static void perfmon_disable(struct pmu *pmu)
{
	/* This CPU's own datum; interrupts are off. */
	perfmon_of(pmu)->disabled[cpu_id()] = true;
}

static void perfmon_enable(struct pmu *pmu)
{
	struct idxd_perfmon *perfmon = perfmon_of(pmu);
	unsigned int cpu = cpu_id();

	perfmon->disabled[cpu] = false;
	/* Only this CPU sets its flag: a context switch that changes nothing takes no lock. */
	if (!perfmon->changed[cpu])
		return;
	unsigned long state = lock(perfmon);
	perfmon->changed[cpu] = false;
	perfmon->sections--;
	release_frozen(perfmon);
	unlock(perfmon, state);
}

static void perfmon_start(struct perf_event *event, int flags)
{
	struct idxd_perfmon *perfmon = perfmon_of(event->pmu);
	unsigned int index = (unsigned int)event->hw.counter.index, ignored;
	struct idxd_counting counting;
	unsigned long state = lock(perfmon);

	if (!(perfmon->running >> index & 1) &&
	    !idxd_counting_of(event->attr.config, event->attr.config1, perfmon->filters,
			      &counting)) {
		perfmon->running |= 1u << index;
		perfmon->frozen |= 1u << index;
		write32(perfmon, PERFFRZ, perfmon->frozen);
		for (unsigned int i = 0; i < IDXD_FILTERS; i++)
			if (perfmon->filters >> i & 1)
				write32(perfmon, FLTCFG + index * 32 + i * 4, counting.filter[i]);
		perfmon->position[index] = take_value(perfmon, index, &ignored);
		write64(perfmon, CNTRCFG + index * 8, counting.config);
		note_change(perfmon);
		release_frozen(perfmon);
		event->hw.flags = 0;
	}
	unlock(perfmon, state);
}

static void perfmon_stop(struct perf_event *event, int flags)
{
	struct idxd_perfmon *perfmon = perfmon_of(event->pmu);
	unsigned int index = (unsigned int)event->hw.counter.index;
	unsigned long state = lock(perfmon);

	if (perfmon->running >> index & 1) {
		write64(perfmon, CNTRCFG + index * 8, 0);
		update(perfmon, index);
		perfmon->running &= ~(1u << index);
		event->hw.flags = HW_STOPPED | HW_UPTODATE;
	}
	unlock(perfmon, state);
}

static int perfmon_add(struct perf_event *event, int flags)
{
	struct idxd_perfmon *perfmon = perfmon_of(event->pmu);
	unsigned long state = lock(perfmon);
	unsigned int index = 0;

	while (index < perfmon->counters && perfmon->used >> index & 1)
		index++;
	if (index < perfmon->counters) {
		perfmon->used |= 1u << index;
		perfmon->events[index] = event;
		event->hw.counter.index = (int)index;
		event->hw.flags = HW_STOPPED | HW_UPTODATE;
	}
	unlock(perfmon, state);
	if (index == perfmon->counters)
		return -EAGAIN;
	if (flags & PMU_START)
		perfmon_start(event, 0);
	return 0;
}

static void perfmon_del(struct perf_event *event, int flags)
{
	struct idxd_perfmon *perfmon = perfmon_of(event->pmu);

	perfmon_stop(event, PMU_UPDATE);
	unsigned long state = lock(perfmon);
	perfmon->used &= ~(1u << event->hw.counter.index);
	perfmon->events[event->hw.counter.index] = NULL;
	unlock(perfmon, state);
	event->hw.counter.index = -1;
}

static void perfmon_read(struct perf_event *event)
{
	struct idxd_perfmon *perfmon = perfmon_of(event->pmu);
	unsigned long state = arch_irq_save();
	bool locked = true;

	if (arch_in_nmi())
		locked = spin_try_lock(&perfmon->lock);
	else
		spin_lock_untraced(&perfmon->lock);
	if (locked) {
		if (event->hw.counter.index >= 0 && perfmon->running >> event->hw.counter.index & 1)
			update(perfmon, (unsigned int)event->hw.counter.index);
		spin_unlock(&perfmon->lock);
	}
	arch_irq_restore(state);
}

/* Returns how many counters the group of LEADER needs of the PMU of EVENT, its new member. As Linux, a sibling that is
 * disabled does not count. The mutex of LEADER's context is held. */
static unsigned int counters_needed(const struct perf_event *event, const struct perf_event *leader)
{
	const struct perf_event *sibling;
	unsigned int needed = 1 + (leader != event && leader->pmu == event->pmu);

	if (leader != event)
		TAILQ_FOREACH(sibling, &leader->siblings, sibling_link)
			needed += sibling->pmu == event->pmu && sibling->state > EVENT_OFF;
	return needed;
}

static int perfmon_event_init(struct perf_event *event)
{
	struct idxd_perfmon *perfmon = perfmon_of(event->pmu);
	struct idxd_counting counting;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (perf_event_is_sampling(event) || event->target || event->cpu < 0)
		return -EINVAL;
	int error = idxd_counting_of(event->attr.config, event->attr.config1, perfmon->filters,
				     &counting);
	if (error)
		return error;
	event->hw.config = counting.config;
	event->hw.counter.index = -1;
	event->hw.counter.width_bits = perfmon->width_bits;
	return counters_needed(event, event->leader) > perfmon->counters ? -EINVAL : 0;
}

/* --- the interrupt --- */

void idxd_perfmon_overflow(struct idxd_device *device)
{
	struct idxd_perfmon *perfmon = device->perfmon;

	if (!perfmon)
		return;
	unsigned long state = lock(perfmon);
	uint32_t overflowed = read32(perfmon, OVFSTATUS);

	/* A counter that goes round from here on interrupts again. */
	for (unsigned int i = 0; i < perfmon->counters; i++) {
		if (!(overflowed >> i & 1))
			continue;
		if (perfmon->running >> i & 1)
			update(perfmon, i);
		else
			write32(perfmon, OVFSTATUS, 1u << i);
	}
	unlock(perfmon, state);
}

/* --- start --- */

/* Whether the monitor with capabilities CAP can do what an event promises. Linux asks for the same. */
static bool is_usable(uint64_t cap)
{
	unsigned int counters = PERFCAP_COUNTERS(cap), width_bits = PERFCAP_WIDTH(cap);

	return counters > 0 && counters <= COUNTERS_MAX && width_bits > 0 && width_bits <= 64 &&
	       PERFCAP_CATEGORIES(cap) > 0 && !(cap & PERFCAP_PER_COUNTER) &&
	       (cap & PERFCAP_FREEZE) && (cap & PERFCAP_INTERRUPT);
}

static void fill_formats(struct idxd_perfmon *perfmon)
{
	struct pmu_attribute *next = perfmon->formats;

	*next++ = (struct pmu_attribute){ "event_category", "config:0-3" };
	*next++ = (struct pmu_attribute){ "event", "config:4-31" };
	for (unsigned int i = 0; i < IDXD_FILTERS; i++)
		if (perfmon->filters >> i & 1)
			*next++ = (struct pmu_attribute){ filter_formats[i].name,
							  filter_formats[i].place };
}

int idxd_perfmon_init(struct idxd_device *device)
{
	struct idxd_perfmon *perfmon;

	if (!device->perfmon_offset)
		return 0;
	if (device->registers_size < BLOCK_SIZE ||
	    device->perfmon_offset > device->registers_size - BLOCK_SIZE) {
		log_warning("%s: the performance monitor lies outside of the registers",
			    device->name);
		return 0;
	}
	uint64_t cap = idxd_read64(device, device->perfmon_offset + PERFCAP);
	if (!is_usable(cap)) {
		log_info(
			"%s: the performance monitor cannot count exactly: its capabilities are 0x%llx",
			device->name, (unsigned long long)cap);
		return 0;
	}
	perfmon = kzalloc(sizeof(*perfmon));
	if (!perfmon)
		return -ENOMEM;
	perfmon->device = device;
	perfmon->counters = PERFCAP_COUNTERS(cap);
	perfmon->width_bits = PERFCAP_WIDTH(cap);
	perfmon->filters = PERFCAP_FILTERS(cap);
	spin_init(&perfmon->lock);
	fill_formats(perfmon);
	perfmon->pmu = (struct pmu){
		.name = device->name,
		.capabilities = PMU_NO_EXCLUDE | PMU_SYSTEM_WIDE,
		.formats = perfmon->formats,
		.event_init = perfmon_event_init,
		.pmu_disable = perfmon_disable,
		.pmu_enable = perfmon_enable,
		.add = perfmon_add,
		.del = perfmon_del,
		.start = perfmon_start,
		.stop = perfmon_stop,
		.read = perfmon_read,
	};
	write32(perfmon, PERFRST, PERFRST_CONFIG | PERFRST_COUNTERS);
	write32(perfmon, OVFSTATUS, UINT32_MAX);
	write32(perfmon, PERFFRZ, 0);
	int error = perf_pmu_register(&perfmon->pmu, -1);
	if (error) {
		kfree(perfmon);
		return error;
	}
	device->perfmon = perfmon;
	return 0;
}
