/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /sys/devices/PMU and /sys/bus/event_source/devices: the events that programs can count, and how to request
 * them. Formats: Linux, Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events,caps}.
 *
 * All data come from the registry of PMUs, whose entries stay: targets need no references. A target is a
 * struct pmu, or one of its attributes, whose number leads back to the PMU.
 */
#include <string.h>

#include <kernel/base/log.h>
#include <kernel/base/start.h>
#include <kernel/fs/pseudo.h>
#include <kernel/fs/pseudo_number.h>
#include <kernel/mm/text.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/settings.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/stat.h>

/* --- a PMU's files --- */

static int show_type(struct text *text, void *target)
{
	text_print(text, "%u\n", ((const struct pmu *)target)->type);
	return 0;
}

static int show_mux_interval(struct text *text, void *target)
{
	text_print(text, "%d\n", ((const struct pmu *)target)->mux_interval_ms);
	return 0;
}

static ssize_t store_mux_interval(void *target, const char *bytes, size_t size)
{
	int64_t interval_ms;
	int error = size ? pseudo_parse_signed(bytes, 0, INT32_MIN, INT32_MAX, &interval_ms) : 0;

	if (error || !size)
		return error;
	if (interval_ms < 1)
		return -EINVAL;
	((struct pmu *)target)->mux_interval_ms = (int)interval_ms;
	return (ssize_t)size;
}

static int show_rdpmc(struct text *text, void *target)
{
	text_print(text, "%d\n", perf_user_reads);
	return 0;
}

static ssize_t store_rdpmc(void *target, const char *bytes, size_t size)
{
	uint64_t reads;
	int error = size ? pseudo_parse_unsigned(bytes, 0, UINT64_MAX, &reads) : 0;

	if (error || !size)
		return error;
	if (reads > PERF_USER_READS_ALWAYS)
		return -EINVAL;
	perf_user_reads_set((enum perf_user_reads)reads);
	return (ssize_t)size;
}

/* Linux's uncore PMUs: the CPU to open their events on. */
static int show_cpu_mask(struct text *text, void *target)
{
	text_print(text, "%d\n", atomic_load(&((struct pmu *)target)->cpu));
	return 0;
}

static bool is_system_wide(void *target)
{
	return ((const struct pmu *)target)->capabilities & PMU_SYSTEM_WIDE;
}

static ssize_t put_text(char *buffer, size_t size, const char *format, const char *name)
{
	format_string(buffer, size, format, name);
	return (ssize_t)strlen(buffer);
}

static ssize_t read_subsystem(void *target, char *buffer, size_t size)
{
	return put_text(buffer, size, "../../bus/event_source", "");
}

static bool has_formats(void *target)
{
	return ((const struct pmu *)target)->formats;
}

static bool has_events(void *target)
{
	return ((const struct pmu *)target)->events;
}

static bool has_caps(void *target)
{
	return ((const struct pmu *)target)->caps;
}

static bool has_user_reads(void *target)
{
	return ((const struct pmu *)target)->user_index;
}

/* --- the tables of attributes --- */

static int show_attribute(struct text *text, void *target)
{
	text_print(text, "%s\n", ((const struct pmu_attribute *)target)->text);
	return 0;
}

static const struct pseudo_entry attribute_entry = { .mode = S_IFREG | 0444,
						     .strict = true,
						     .show = show_attribute };

static void name_attribute(void *target, char *buffer, size_t size)
{
	strlcpy(buffer, ((const struct pmu_attribute *)target)->name, size);
}

/* Attributes are numbered by their addresses, which are at least 8 bytes apart. */
static uint64_t attribute_number(void *target)
{
	return ((uintptr_t)target & 0x7fffffff) >> 3;
}

static void *next_attribute(const struct pmu_attribute *at, uint64_t *id)
{
	for (; at && at->name; at++) {
		uint64_t number = attribute_number((void *)at);

		if (number < *id)
			continue;
		*id = number;
		return (void *)at;
	}
	return NULL;
}

#define ATTRIBUTES(table)                                                    \
	static void *next_in_##table(void *pmu, uint64_t *id)                \
	{                                                                    \
		return next_attribute(((const struct pmu *)pmu)->table, id); \
	}                                                                    \
	static const struct pseudo_dynamic table = {                         \
		.next = next_in_##table,                                     \
		.id = attribute_number,                                      \
		.name = name_attribute,                                      \
		.entry = &attribute_entry,                                   \
	};

ATTRIBUTES(formats)
ATTRIBUTES(events)
ATTRIBUTES(caps)

static const struct pseudo_entry pmu_entries[] = {
	{ .name = "type", .mode = S_IFREG | 0444, .strict = true, .show = show_type },
	{ .name = "perf_event_mux_interval_ms",
	  .mode = S_IFREG | 0644,
	  .show = show_mux_interval,
	  .store = store_mux_interval },
	{ .name = "rdpmc",
	  .mode = S_IFREG | 0600,
	  .exists = has_user_reads,
	  .show = show_rdpmc,
	  .store = store_rdpmc },
	{ .name = "cpumask",
	  .mode = S_IFREG | 0444,
	  .strict = true,
	  .exists = is_system_wide,
	  .show = show_cpu_mask },
	{ .name = "format", .mode = S_IFDIR | 0755, .exists = has_formats, .dynamic = &formats },
	{ .name = "events", .mode = S_IFDIR | 0755, .exists = has_events, .dynamic = &events },
	{ .name = "caps", .mode = S_IFDIR | 0755, .exists = has_caps, .dynamic = &caps },
	{ .name = "subsystem", .mode = S_IFLNK | 0777, .read_link = read_subsystem },
	{ .name = NULL },
};

/* --- the PMUs --- */

static uint64_t pmu_number(void *target)
{
	return ((const struct pmu *)target)->type;
}

static void name_pmu(void *target, char *buffer, size_t size)
{
	strlcpy(buffer, ((const struct pmu *)target)->name, size);
}

static void *next_pmu(void *unused, uint64_t *id)
{
	struct pmu *pmu = *id <= UINT32_MAX ? perf_pmu_next((uint32_t)*id) : NULL;

	while (pmu && (pmu->capabilities & PMU_HIDDEN))
		pmu = perf_pmu_next(pmu->type + 1);
	if (pmu)
		*id = pmu->type;
	return pmu;
}

static const struct pseudo_entry pmu_entry = { .mode = S_IFDIR | 0755, .children = pmu_entries };

static const struct pseudo_dynamic pmus = {
	.next = next_pmu,
	.id = pmu_number,
	.name = name_pmu,
	.entry = &pmu_entry,
};

static ssize_t read_device(void *target, char *buffer, size_t size)
{
	return put_text(buffer, size, "../../../devices/%s", ((const struct pmu *)target)->name);
}

static const struct pseudo_entry pmu_link = { .mode = S_IFLNK | 0777, .read_link = read_device };

static const struct pseudo_dynamic pmu_links = {
	.next = next_pmu,
	.id = pmu_number,
	.name = name_pmu,
	.entry = &pmu_link,
};

static const struct pseudo_entry event_source_entries[] = {
	{ .name = "devices", .mode = S_IFDIR | 0755, .dynamic = &pmu_links },
	{ .name = NULL },
};

static const struct pseudo_entry bus_entries[] = {
	{ .name = "event_source", .mode = S_IFDIR | 0755, .children = event_source_entries },
	{ .name = NULL },
};

static void add_directories(void)
{
	sys_devices_added.dynamic = &pmus;
	sys_bus_added.children = bus_entries;
}

START(START_DEV, add_directories);
