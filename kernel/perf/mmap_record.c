/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of the running task's mappings: MMAP and MMAP2, so that a reader can find the place in a program
 * for an address in a sample. Layouts: perf_event_open(2).
 *
 * The memory management reports the mappings and their names (kernel/mm/report.c). attr.mmap or mmap2 ask for
 * code, attr.mmap_data for all other mappings; mmap2 alone decides which of the two records it becomes (Linux:
 * perf_event_mmap_match).
 */
#include <kernel/perf/mmap_record.h>

#include <string.h>

#include <kernel/perf/event.h>
#include <kernel/perf/sideband.h>
#include <kernel/sched/task.h>
#include <uapi/linux/mman.h>

/* Both records begin with this; only the name follows in MMAP. */
struct mapping_body {
	uint32_t pid, tid;
	uint64_t start, length, offset;
};

struct mapping2_body {
	struct mapping_body mapping;
	union {
		struct {
			uint32_t device_major, device_minor;
			uint64_t inode_number, inode_generation;
		};
		struct { /* PERF_RECORD_MISC_MMAP_BUILD_ID */
			uint8_t build_id_size, reserved[3];
			uint8_t build_id[PERF_BUILD_ID_SIZE_MAX];
		};
	};
	uint32_t prot, flags;
};

static bool requests_code(const struct perf_event *event)
{
	return event->attr.mmap && !event->attr.mmap2;
}

static bool requests_data(const struct perf_event *event)
{
	return event->attr.mmap_data && !event->attr.mmap2;
}

static bool requests_code2(const struct perf_event *event)
{
	return event->attr.mmap2 && !event->attr.build_id;
}

static bool requests_data2(const struct perf_event *event)
{
	return event->attr.mmap_data && requests_code2(event);
}

static bool requests_identified_code2(const struct perf_event *event)
{
	return event->attr.mmap2 && event->attr.build_id;
}

static bool requests_identified_data2(const struct perf_event *event)
{
	return event->attr.mmap_data && requests_identified_code2(event);
}

/* Writes MMAP2 to the events that MATCHES chooses, with the build id or with the inode. */
static void write_second(const struct perf_mapping *mapping, const struct mapping_body *body,
			 uint16_t misc, bool (*matches)(const struct perf_event *event),
			 bool identified)
{
	struct mapping2_body second = { .mapping = *body };
	struct perf_notice notice = { .type = PERF_RECORD_MMAP2,
				      .misc = misc,
				      .matches = matches,
				      .body = &second,
				      .body_size = sizeof(second),
				      .text = mapping->name };

	second.prot = mapping->prot;
	second.flags = (mapping->shared ? MAP_SHARED : MAP_PRIVATE) |
		       (mapping->locked ? MAP_LOCKED : 0);
	if (identified) {
		notice.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		second.build_id_size = (uint8_t)mapping->build_id_size;
		memcpy(second.build_id, mapping->build_id, mapping->build_id_size);
	} else {
		second.device_major = mapping->device_major;
		second.device_minor = mapping->device_minor;
		second.inode_number = mapping->inode_number;
	}
	perf_sideband_write(&notice);
}

void perf_task_mapped(const struct perf_mapping *mapping)
{
	const struct task *self = task_current();
	bool code = mapping->prot & PROT_EXEC;
	uint16_t misc = PERF_RECORD_MISC_USER | (code ? 0 : PERF_RECORD_MISC_MMAP_DATA);
	const struct mapping_body body = { .pid = (uint32_t)self->tgid,
					   .tid = (uint32_t)self->tid,
					   .start = mapping->start,
					   .length = mapping->length,
					   .offset = mapping->offset };
	const struct perf_notice notice = { .type = PERF_RECORD_MMAP,
					    .misc = misc,
					    .matches = code ? requests_code : requests_data,
					    .body = &body,
					    .body_size = sizeof(body),
					    .text = mapping->name };

	perf_sideband_write(&notice);
	write_second(mapping, &body, misc, code ? requests_code2 : requests_data2, false);
	write_second(mapping, &body, misc,
		     code ? requests_identified_code2 : requests_identified_data2,
		     mapping->build_id_size > 0);
}
