/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock of an event's records, which attr.clockid names.
 */
#include <kernel/perf/record_clock.h>

#include <arch/clock.h>
#include <kernel/perf/event.h>
#include <kernel/perf/pmu.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/time.h>

/* Clocks that attr.clockid may name, and whether an NMI may read them (Linux: perf_event_set_clock). */
static const struct {
	int32_t id;
	bool nmi_safe, real;
} record_clocks[] = {
	{ CLOCK_MONOTONIC, true, false }, { CLOCK_MONOTONIC_RAW, true, false },
	{ CLOCK_REALTIME, false, true },  { CLOCK_BOOTTIME, false, false },
	{ CLOCK_TAI, false, true },
};

int perf_event_set_clock(struct perf_event *event)
{
	if (!event->attr.use_clockid)
		return 0;

	for (size_t i = 0; i < sizeof(record_clocks) / sizeof(record_clocks[0]); i++) {
		if (record_clocks[i].id != event->attr.clockid)
			continue;
		if (!record_clocks[i].nmi_safe && !(event->pmu->capabilities & PMU_NO_NMI))
			return -EINVAL;
		if (record_clocks[i].real)
			event->clock_offset_ns = (int64_t)(arch_boot_time_s() * NSEC_PER_SEC);
		return 0;
	}
	return -EINVAL;
}
