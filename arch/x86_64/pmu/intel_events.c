// SPDX-License-Identifier: BSD-2-Clause
/*
 * Intel: which events there are, and which counters can count them. The tables of CPU models are in intel_models.c.
 *
 * Nothing here touches a register. Which events are accepted, and with which error the others are refused,
 * follows Linux 6.12's x86 driver (arch/x86/events), for which programs were written: bits of a raw config
 * that are not part of the event are ignored, not refused.
 */
#include "intel_events.h"

#include <arch/topology.h>
#include <kernel/base/assert.h>
#include <kernel/base/cpu.h>
#include <kernel/perf/event.h>
#include <kernel/perf/pmu.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include "counters.h"
#include "event_select.h"
#include "extra_registers.h"
#include "intel_models.h"
#include "intel_probe.h"

#define COUNTER(n)		((uint64_t)1 << (n))
#define FIXED(n)		COUNTER(FIXED_INDEX + (n))

#define ARCHITECTURAL_NONE	-1

/* Reference cycles have no event code that general counters know at every frequency: Linux's name for the
 * event that only fixed counter 2 counts. */
#define CONFIG_REFERENCE_CYCLES 0x0300

/* The generic events (PERF_TYPE_HARDWARE), by their number. Codes: SDM vol. 3B, table 20-1 "UMask
 * and Event Select Encodings for Pre-Defined Architectural Performance Events". */
static const struct generic_event {
	uint16_t config; /* 0: Intel has no such event */
	int bit;	 /* in CPUID.0AH:EBX */
} generic_events[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = { 0x003c, 0 },
	[PERF_COUNT_HW_INSTRUCTIONS] = { 0x00c0, 1 },
	[PERF_COUNT_HW_BUS_CYCLES] = { 0x013c, 2 },
	[PERF_COUNT_HW_CACHE_REFERENCES] = { 0x4f2e, 3 },
	[PERF_COUNT_HW_CACHE_MISSES] = { 0x412e, 4 },
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = { 0x00c4, 5 },
	[PERF_COUNT_HW_BRANCH_MISSES] = { 0x00c5, 6 },
	[PERF_COUNT_HW_REF_CPU_CYCLES] = { CONFIG_REFERENCE_CYCLES, ARCHITECTURAL_NONE },
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

/* The general counters that can count EVENT_BITS. */
static uint64_t general_of(const struct intel_pmu *pmu, uint64_t event_bits)
{
	uint64_t general = pmu->counters & (COUNTER(GENERAL_MAX) - 1);
	const struct intel_constraint *row = pmu->model ? pmu->model->constraints : NULL;

	for (; row && row->mask; row++)
		if ((event_bits & row->mask) == row->code)
			return general & row->counters;
	return general;
}

static uint64_t constraint_of(const struct intel_pmu *pmu, uint64_t event_bits)
{
	uint64_t general = general_of(pmu, event_bits);

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
	*event_bits = config & EVENTSEL_RAW;
	if (!(config & EVENTSEL_ANY))
		return 0;
	if (!pmu->any_thread)
		return -EINVAL;
	*event_bits |= EVENTSEL_ANY;
	return 0;
}

/* A cache event of the CPU model; none is architectural. */
static int translate_cache(const struct intel_pmu *pmu, uint64_t config, uint64_t *event_bits,
			   uint64_t *extra_value)
{
	uint8_t cache = (uint8_t)config, operation = (uint8_t)(config >> 8),
		result = (uint8_t)(config >> 16);

	if (cache >= PERF_COUNT_HW_CACHE_MAX || operation >= PERF_COUNT_HW_CACHE_OP_MAX ||
	    result >= PERF_COUNT_HW_CACHE_RESULT_MAX)
		return -EINVAL;
	if (!pmu->model)
		return -ENOENT;

	const struct intel_cache_events *row = &(*pmu->model->cache)[cache][operation];
	const struct intel_cache_event *found =
		result == PERF_COUNT_HW_CACHE_RESULT_ACCESS ? &row->access : &row->miss;

	if (found->code == INTEL_CACHE_INVALID)
		return -EINVAL;
	if (found->code == INTEL_CACHE_NONE)
		return -ENOENT;
	*event_bits = found->code;
	*extra_value = found->extra_value;
	return 0;
}

int intel_event_translate(const struct intel_pmu *pmu, struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t event_bits = 0, extra_value = attr->config1;
	int error;

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		error = translate_generic(pmu, attr->config, &event_bits);
		break;
	case PERF_TYPE_RAW:
		error = translate_raw(pmu, attr->config, &event_bits);
		break;
	case PERF_TYPE_HW_CACHE:
		error = translate_cache(pmu, attr->config, &event_bits, &extra_value);
		break;
	default:
		return -ENOENT;
	}
	/* Linux lets no generic event have an extra register. */
	if (!error && attr->type != PERF_TYPE_HARDWARE)
		error = extra_register_require(event, event_bits, extra_value);
	/* Only PEBS writes into an AUX area. Linux's driver of AMD's PMU leaves the refusal to the core. */
	if (!error && attr->aux_output)
		error = -EINVAL;
	if (!error)
		event->hw.counter.constraint = constraint_of(pmu, event_bits & ~EVENTSEL_ANY);
	return event_select_finish(event, error, event_bits);
}

/* Figure 20-1. */
static const struct pmu_attribute architectural_formats[] = {
	{ "event", "config:0-7" },
	{ "umask", "config:8-15" },
	{ "edge", "config:18" },
	{ "pc", "config:19" },
	{ "inv", "config:23" },
	{ "cmask", "config:24-31" },
	{ NULL, NULL },
};
static const struct pmu_attribute format_any = { "any", "config:21" };

static unsigned int append(struct pmu_attribute *files, unsigned int count,
			   const struct pmu_attribute *more)
{
	for (; more && more->name; more++)
		files[count++] = *more;
	return count;
}

/* The field ANY only where it may be set; the model's fields. */
const struct pmu_attribute *intel_formats(const struct intel_pmu *pmu)
{
	static struct pmu_attribute formats[16];
	unsigned int count = append(formats, 0, architectural_formats);

	if (pmu->any_thread)
		formats[count++] = format_any;
	count = append(formats, count, pmu->model ? pmu->model->formats : NULL);
	ASSERT(count < sizeof(formats) / sizeof(formats[0]));
	formats[count] = (struct pmu_attribute){ NULL, NULL };
	return formats;
}

/* Returns whether two CPUs that run share a core. */
static bool has_threads(void)
{
	for (unsigned int a = 0; a < cpu_count(); a++)
		for (unsigned int b = a + 1; b < cpu_count(); b++) {
			struct cpu_topology one = arch_cpu_topology(a),
					    other = arch_cpu_topology(b);

			if (one.package == other.package && one.core == other.core)
				return true;
		}
	return false;
}

const struct pmu_attribute *intel_model_events(const struct intel_pmu *pmu)
{
	if (!pmu->model)
		return NULL;
	return has_threads() ? pmu->model->events_of_threads : pmu->model->events;
}

void intel_generic_events(const struct intel_pmu *pmu, uint64_t codes[PERF_COUNT_HW_MAX])
{
	for (unsigned int i = 0; i < PERF_COUNT_HW_MAX; i++) {
		const struct generic_event *event = &generic_events[i];
		bool is_there = event->config && !is_missing(pmu, event) &&
				constraint_of(pmu, event->config);

		codes[i] = is_there ? event->config : 0;
	}
}

/* Linux's name of the model, or for CPUs that it knows only by their architectural version. */
const struct pmu_attribute *intel_caps(const struct intel_pmu *pmu)
{
	static struct pmu_attribute caps[] = {
		{ "pmu_name", NULL },
		{ "max_precise", "0" },
		{ NULL, NULL },
	};

	caps[0].text = pmu->model	? pmu->model->name :
		       pmu->version < 2 ? "generic_arch_v1" :
		       pmu->version < 5 ? "generic_arch_v2+" :
					  "generic_arch_v5+";
	return caps;
}
