// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events of x86's general counters: the rules and names that do not depend on the vendor.
 *
 * Nothing here touches a register. Errors and their order follow Linux 6.12's x86 driver (arch/x86/events).
 */
#include "event_select.h"

#include <kernel/base/assert.h>
#include <kernel/base/log.h>
#include <kernel/perf/event.h>
#include <kernel/perf/pmu.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include "emulator_events.h"

/* Linux, asm/perf_regs.h: XMM0 is register 32. */
#define VECTOR_REGISTERS 0xffffffff00000000

/* The names in the log and in sysfs. */
static const struct generic_name {
	const char *name, *sysfs_name;
} generic_names[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = { "cycles", "cpu-cycles" },
	[PERF_COUNT_HW_INSTRUCTIONS] = { "instructions", "instructions" },
	[PERF_COUNT_HW_CACHE_REFERENCES] = { "cache-references", "cache-references" },
	[PERF_COUNT_HW_CACHE_MISSES] = { "cache-misses", "cache-misses" },
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = { "branches", "branch-instructions" },
	[PERF_COUNT_HW_BRANCH_MISSES] = { "branch-misses", "branch-misses" },
	[PERF_COUNT_HW_BUS_CYCLES] = { "bus-cycles", "bus-cycles" },
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = { "stalled-cycles-frontend",
						    "stalled-cycles-frontend" },
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = { "stalled-cycles-backend",
						   "stalled-cycles-backend" },
	[PERF_COUNT_HW_REF_CPU_CYCLES] = { "ref-cycles", "ref-cycles" },
};

int event_select_finish(struct perf_event *event, int error, uint64_t event_bits)
{
	const struct perf_event_attr *attr = &event->attr;

	/* Precise samples need PEBS or IBS, branch stacks need LBR. */
	if (attr->precise_ip || (attr->sample_type & PERF_SAMPLE_BRANCH_STACK))
		return -EOPNOTSUPP;
	/* Report EINVAL for vector registers, which only PEBS samples, before ENOENT, as Linux does. */
	if ((attr->sample_regs_user | attr->sample_regs_intr) & VECTOR_REGISTERS)
		return -EINVAL;
	if (error)
		return error;

	event->hw.config = event_bits | EVENTSEL_INT;
	if (!attr->exclude_user)
		event->hw.config |= EVENTSEL_USR;
	if (!attr->exclude_kernel)
		event->hw.config |= EVENTSEL_OS;
	return 0;
}

int generic_event_find(const uint64_t *codes, uint64_t number, uint64_t *event_bits)
{
	if (number >= PERF_COUNT_HW_MAX)
		return -EINVAL;
	if (!codes[number])
		return -ENOENT;
	*event_bits = codes[number];
	return 0;
}

const struct pmu_attribute *generic_events_list(const uint64_t *codes,
						const struct pmu_attribute *more)
{
	static struct pmu_attribute
		events[PERF_COUNT_HW_MAX + MORE_EVENTS_MAX + EMULATOR_EVENTS_MAX + 1];
	const struct pmu_attribute *const lists[] = { more, emulator_events() };
	static char texts[PERF_COUNT_HW_MAX][sizeof("event=0x000,umask=0x00")];
	unsigned int count = 0, most;

	for (unsigned int i = 0; i < PERF_COUNT_HW_MAX; i++) {
		unsigned int code = (unsigned int)((codes[i] & EVENTSEL_EVENT) |
						   (codes[i] & EVENTSEL_EVENT_HIGH) >> 24);
		unsigned int umask = (unsigned int)((codes[i] & EVENTSEL_UMASK) >> 8);

		if (!codes[i])
			continue;
		format_string(texts[count], sizeof(texts[count]),
			      umask ? "event=0x%02x,umask=0x%02x" : "event=0x%02x", code, umask);
		events[count] = (struct pmu_attribute){ generic_names[i].sysfs_name, texts[count] };
		count++;
	}
	most = count + MORE_EVENTS_MAX + EMULATOR_EVENTS_MAX;
	for (unsigned int i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct pmu_attribute *row = lists[i]; row && row->name; row++) {
			ASSERT(count < most);
			events[count++] = *row;
		}
	events[count] = (struct pmu_attribute){ NULL, NULL };
	return events;
}

void generic_events_describe(const uint64_t *codes, char *buffer, unsigned int size)
{
	unsigned int used = 0;

	buffer[0] = '\0';
	for (unsigned int i = 0; i < PERF_COUNT_HW_MAX && used < size; i++)
		if (codes[i])
			used += (unsigned int)format_string(buffer + used, size - used, "%s%s",
							    used ? ", " : "",
							    generic_names[i].name);
}
