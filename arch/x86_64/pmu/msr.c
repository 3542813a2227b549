// SPDX-License-Identifier: BSD-2-Clause
/*
 * The `msr` PMU: counters that the CPU keeps anyway, that never stop and that software does not set:
 * time-stamp counter, APERF, MPERF. An event on one counts by how much it has moved while the event was
 * active.
 *
 * Numbers, names and errors are those of Linux's driver of the same name. These counters cannot interrupt, or
 * tell user mode from the kernel. Any number of events may be active, so they join every group.
 */
#include <kernel/perf/counter.h>
#include <kernel/perf/event.h>
#include <kernel/perf/pmu.h>
#include <machine/msr.h>
#include <uapi/linux/errno.h>

#include "msr.h"

/* SDM vol. 3B 15.2: counters of the clock at work and of a reference clock, while not halted. */
#define MSR_IA32_MPERF		   0x0e7
#define MSR_IA32_APERF		   0x0e8

/* SDM vol. 2A, CPUID: leaf 6 has a bit for both. */
#define CPUID_POWER		   6
#define CPUID_POWER_ECX_APERFMPERF (1u << 0)

/* attr.config. Linux knows six more; none of them is here. */
enum msr_event { MSR_EVENT_TSC, MSR_EVENT_APERF, MSR_EVENT_MPERF, MSR_EVENTS };

#define WIDTH_BITS 64

static uint64_t read_tsc(struct perf_event *event)
{
	return tsc_read();
}

static uint64_t read_aperf(struct perf_event *event)
{
	return msr_read(MSR_IA32_APERF);
}

static uint64_t read_mperf(struct perf_event *event)
{
	return msr_read(MSR_IA32_MPERF);
}

static const struct {
	struct pmu_attribute attribute;
	uint64_t (*read_raw)(struct perf_event *event);
	bool needs_aperfmperf;
} msr_events[MSR_EVENTS] = {
	[MSR_EVENT_TSC] = { { "tsc", "event=0x00" }, read_tsc, false },
	[MSR_EVENT_APERF] = { { "aperf", "event=0x01" }, read_aperf, true },
	[MSR_EVENT_MPERF] = { { "mperf", "event=0x02" }, read_mperf, true },
};

static const struct pmu_attribute formats[] = { { "event", "config:0-63" }, { NULL, NULL } };
/* Those that this CPU has, and the end. Constant after start. */
static struct pmu_attribute events[MSR_EVENTS + 1];
static bool has_aperfmperf;

static bool is_there(uint64_t config)
{
	return config < MSR_EVENTS && (has_aperfmperf || !msr_events[config].needs_aperfmperf);
}

static int msr_event_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type != event->pmu->type)
		return -ENOENT;
	return attr->sample_period || !is_there(attr->config) ? -EINVAL : 0;
}

static void msr_event_read(struct perf_event *event)
{
	if (!(event->hw.flags & HW_STOPPED))
		pmu_event_update(event, msr_events[event->attr.config].read_raw, WIDTH_BITS);
}

static void msr_event_start(struct perf_event *event, int flags)
{
	event->hw.offset =
		atomic_load(&event->count) - msr_events[event->attr.config].read_raw(event);
	event->hw.flags = 0;
}

static void msr_event_stop(struct perf_event *event, int flags)
{
	msr_event_read(event);
	event->hw.flags = HW_STOPPED | HW_UPTODATE;
}

static int msr_event_add(struct perf_event *event, int flags)
{
	event->hw.flags = HW_STOPPED | HW_UPTODATE;
	if (flags & PMU_START)
		msr_event_start(event, flags);
	return 0;
}

static void msr_event_del(struct perf_event *event, int flags)
{
	msr_event_stop(event, PMU_UPDATE);
}

static struct pmu msr_pmu = {
	.name = "msr",
	.capabilities = PMU_NO_INTERRUPT | PMU_NO_EXCLUDE | PMU_SOFTWARE,
	.formats = formats,
	.events = events,
	.event_init = msr_event_init,
	.add = msr_event_add,
	.del = msr_event_del,
	.start = msr_event_start,
	.stop = msr_event_stop,
	.read = msr_event_read,
};

void msr_pmu_init(void)
{
	unsigned int count = 0;

	has_aperfmperf = cpuid_max(0) >= CPUID_POWER &&
			 (cpuid_read(CPUID_POWER, 0).ecx & CPUID_POWER_ECX_APERFMPERF);
	for (uint64_t config = 0; config < MSR_EVENTS; config++)
		if (is_there(config))
			events[count++] = msr_events[config].attribute;
	perf_pmu_register(&msr_pmu, -1);
}
