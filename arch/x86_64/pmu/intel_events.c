// SPDX-License-Identifier: BSD-2-Clause
/*
 * Intel: which events there are, and which counters can count them.
 *
 * Nothing here touches a register. Which events are accepted, and with which error the others are refused,
 * follows Linux 6.12's x86 driver (arch/x86/events), for which programs were written: bits of a raw config
 * that are not part of the event are ignored, not refused.
 */
#include <kernel/base/log.h>
#include <kernel/perf/event.h>
#include <kernel/perf/pmu.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include "intel.h"

#define COUNTER(n) ((uint64_t)1 << (n))
#define FIXED(n)   COUNTER(FIXED_INDEX + (n))

/* Bits of a raw config that select the event; the driver sets the others itself. */
#define RAW_CONFIG_BITS \
	(EVENTSEL_EVENT | EVENTSEL_UMASK | EVENTSEL_EDGE | EVENTSEL_INV | EVENTSEL_CMASK)

/* Linux, asm/perf_regs.h: XMM0 is register 32. */
#define VECTOR_REGISTERS	0xffffffff00000000

#define ARCHITECTURAL_NONE	-1

/* Reference cycles have no event code that general counters know at every frequency: Linux's name for the
 * event that only fixed counter 2 counts. */
#define CONFIG_REFERENCE_CYCLES 0x0300

/* The generic events (PERF_TYPE_HARDWARE), by their number. Codes: SDM vol. 3B, table 20-1 "UMask
 * and Event Select Encodings for Pre-Defined Architectural Performance Events". */
static const struct generic_event {
	const char *name, *sysfs_name;
	uint16_t config; /* 0: Intel has no such event */
	int bit;	 /* in CPUID.0AH:EBX */
} generic_events[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = { "cycles", "cpu-cycles", 0x003c, 0 },
	[PERF_COUNT_HW_INSTRUCTIONS] = { "instructions", "instructions", 0x00c0, 1 },
	[PERF_COUNT_HW_BUS_CYCLES] = { "bus-cycles", "bus-cycles", 0x013c, 2 },
	[PERF_COUNT_HW_CACHE_REFERENCES] = { "cache-references", "cache-references", 0x4f2e, 3 },
	[PERF_COUNT_HW_CACHE_MISSES] = { "cache-misses", "cache-misses", 0x412e, 4 },
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = { "branches", "branch-instructions", 0x00c4, 5 },
	[PERF_COUNT_HW_BRANCH_MISSES] = { "branch-misses", "branch-misses", 0x00c5, 6 },
	[PERF_COUNT_HW_REF_CPU_CYCLES] = { "ref-cycles", "ref-cycles", CONFIG_REFERENCE_CYCLES,
					   ARCHITECTURAL_NONE },
};

/* The events of the fixed counters (20.2.2, table 20-2), and whether general counters count them, too. */
static const struct fixed_event {
	uint16_t config;
	uint8_t counter;
	bool general_too;
} fixed_events[] = {
	{ 0x00c0, 0, true },
	{ 0x003c, 1, true },
	{ CONFIG_REFERENCE_CYCLES, 2, false },
};

static uint64_t constraint_of(const struct intel_pmu *pmu, uint64_t event_bits)
{
	uint64_t general = pmu->counters & (COUNTER(GENERAL_MAX) - 1);

	for (unsigned int i = 0; i < sizeof(fixed_events) / sizeof(fixed_events[0]); i++) {
		const struct fixed_event *fixed = &fixed_events[i];

		if (fixed->config == event_bits)
			return (FIXED(fixed->counter) | (fixed->general_too ? general : 0)) &
			       pmu->counters;
	}
	return general;
}

static bool is_missing(const struct intel_pmu *pmu, const struct generic_event *event)
{
	return event->bit != ARCHITECTURAL_NONE && (pmu->events_missing >> event->bit & 1);
}

static int translate_generic(const struct intel_pmu *pmu, uint64_t number, uint64_t *event_bits)
{
	if (number >= PERF_COUNT_HW_MAX)
		return -EINVAL;
	if (!generic_events[number].config || is_missing(pmu, &generic_events[number]))
		return -ENOENT;
	*event_bits = generic_events[number].config;
	return 0;
}

static int translate_raw(const struct intel_pmu *pmu, uint64_t config, uint64_t *event_bits)
{
	*event_bits = config & RAW_CONFIG_BITS;
	if (!(config & EVENTSEL_ANY))
		return 0;
	if (!pmu->any_thread)
		return -EINVAL;
	*event_bits |= EVENTSEL_ANY;
	return 0;
}

/* No cache event is architectural; only a config that is a cache event nowhere is an invalid argument. */
static int translate_cache(uint64_t config)
{
	uint8_t cache = (uint8_t)config, operation = (uint8_t)(config >> 8),
		result = (uint8_t)(config >> 16);

	if (cache >= PERF_COUNT_HW_CACHE_MAX || operation >= PERF_COUNT_HW_CACHE_OP_MAX ||
	    result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return -EINVAL;
	return -ENOENT;
}

int intel_event_translate(const struct intel_pmu *pmu, struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t event_bits;
	int error;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		error = translate_generic(pmu, attr->config, &event_bits);
		break;
	case PERF_TYPE_RAW:
		error = translate_raw(pmu, attr->config, &event_bits);
		break;
	case PERF_TYPE_HW_CACHE:
		error = translate_cache(attr->config);
		break;
	default:
		return -ENOENT;
	}
	/* Precise samples and branch stacks need PEBS and LBR, which are not architectural. */
	if (attr->precise_ip || (attr->sample_type & PERF_SAMPLE_BRANCH_STACK))
		return -EOPNOTSUPP;
	/* Report EINVAL for vector registers, which only PEBS samples, before ENOENT, as Linux does. */
	if ((attr->sample_regs_user | attr->sample_regs_intr) & VECTOR_REGISTERS)
		return -EINVAL;
	if (error)
		return error;
	/* Only PEBS writes into an AUX area. */
	if (attr->aux_output)
		return -EINVAL;

	event->hw.counter.constraint = constraint_of(pmu, event_bits & ~EVENTSEL_ANY);
	event->hw.config = event_bits | EVENTSEL_INT;
	if (!attr->exclude_user)
		event->hw.config |= EVENTSEL_USR;
	if (!attr->exclude_kernel)
		event->hw.config |= EVENTSEL_OS;
	return 0;
}

/* Figure 20-1; the field ANY only where it may be set. */
static const struct pmu_attribute formats[] = {
	{ "event", "config:0-7" },
	{ "umask", "config:8-15" },
	{ "edge", "config:18" },
	{ "pc", "config:19" },
	{ "inv", "config:23" },
	{ "cmask", "config:24-31" },
	{ NULL, NULL },
};
static const struct pmu_attribute formats_any[] = {
	{ "event", "config:0-7" },   { "umask", "config:8-15" },
	{ "edge", "config:18" },     { "pc", "config:19" },
	{ "any", "config:21" },	     { "inv", "config:23" },
	{ "cmask", "config:24-31" }, { NULL, NULL },
};

const struct pmu_attribute *intel_formats(const struct intel_pmu *pmu)
{
	return pmu->any_thread ? formats_any : formats;
}

const struct pmu_attribute *intel_events(const struct intel_pmu *pmu)
{
	static struct pmu_attribute events[PERF_COUNT_HW_MAX + 1];
	static char texts[PERF_COUNT_HW_MAX][sizeof("event=0x00,umask=0x00")];
	unsigned int count = 0;

	for (unsigned int i = 0; i < PERF_COUNT_HW_MAX; i++) {
		const struct generic_event *event = &generic_events[i];
		unsigned int umask = event->config >> 8;

		if (!event->config || is_missing(pmu, event) || !constraint_of(pmu, event->config))
			continue;
		format_string(texts[count], sizeof(texts[count]),
			      umask ? "event=0x%02x,umask=0x%02x" : "event=0x%02x",
			      event->config & 0xffu, umask);
		events[count] = (struct pmu_attribute){ event->sysfs_name, texts[count] };
		count++;
	}
	return events;
}

/* Linux's names for CPUs that it knows only by their architectural version. */
const struct pmu_attribute *intel_caps(const struct intel_pmu *pmu)
{
	static struct pmu_attribute caps[] = {
		{ "pmu_name", "generic_arch_v2+" },
		{ "max_precise", "0" },
		{ NULL, NULL },
	};

	if (pmu->version < 2)
		caps[0].text = "generic_arch_v1";
	else if (pmu->version >= 5)
		caps[0].text = "generic_arch_v5+";
	return caps;
}

void intel_events_describe(const struct intel_pmu *pmu, char *buffer, unsigned int size)
{
	unsigned int used = 0;

	buffer[0] = '\0';
	for (unsigned int i = 0; i < PERF_COUNT_HW_MAX && used < size; i++) {
		const struct generic_event *event = &generic_events[i];

		if (!event->config || is_missing(pmu, event) || !constraint_of(pmu, event->config))
			continue;
		used += (unsigned int)format_string(buffer + used, size - used, "%s%s",
						    used ? ", " : "", event->name);
	}
}
