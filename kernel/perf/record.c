/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of an event that are no samples: PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE, PERF_RECORD_READ;
 * and the trailer of all such records ("sample_id" in perf_event_open(2)). sideband.c has the records of
 * tasks.
 *
 * THROTTLE runs in the PMI: takes no lock, allocates nothing.
 */
#include <kernel/perf/record.h>

#include <kernel/perf/event.h>
#include <kernel/perf/first_abi.h>
#include <kernel/perf/read.h>
#include <kernel/perf/record_field.h>
#include <kernel/perf/record_values.h>
#include <kernel/perf/ring.h>
#include <uapi/linux/perf_event.h>

size_t perf_record_trailer_size(const struct perf_event *event)
{
	if (!event->attr.sample_id_all)
		return 0;
	return perf_fields_size(&perf_fields_trailer, event->attr.sample_type);
}

void perf_record_write_trailer(struct perf_output *output, const struct perf_event *event)
{
	const struct perf_moment moment = { .event = event, .now_ns = clock_ns() };

	if (event->attr.sample_id_all)
		perf_fields_write(output, &perf_fields_trailer, &moment);
}

void perf_record_throttle(struct perf_event *event, bool on, uint64_t now_ns)
{
	const struct perf_moment moment = { .event = event, .now_ns = now_ns };
	struct {
		struct perf_event_header header;
		uint64_t time, id, stream_id;
	} record;
	struct perf_output output;
	size_t size = sizeof(record) + perf_record_trailer_size(event);

	/* The first ABI has no such record. */
	if (perf_event_is_first_abi(event))
		return;
	record.header.type = on ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE;
	record.header.misc = 0;
	record.header.size = (uint16_t)size;
	record.time = perf_moment_time(&moment);
	record.id = perf_moment_id(&moment);
	record.stream_id = perf_moment_stream_id(&moment);
	if (perf_ring_begin(&output, event, record.header.type, size) < 0)
		return;
	perf_ring_write(&output, &record, sizeof(record));
	perf_record_write_trailer(&output, event);
	perf_ring_end(&output);
}

void perf_record_read(struct perf_event *event, uint32_t pid, uint32_t tid)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
	} record = { .pid = pid, .tid = tid };
	struct perf_output output;
	size_t size = sizeof(record) + perf_record_trailer_size(event) +
		      perf_read_size(event->attr.read_format, event->leader->sibling_count);

	record.header.type = PERF_RECORD_READ;
	record.header.size = (uint16_t)size;
	if (perf_ring_begin(&output, event, record.header.type, size) < 0)
		return;
	perf_ring_write(&output, &record, sizeof(record));
	perf_record_write_values(&output, event);
	perf_record_write_trailer(&output, event);
	perf_ring_end(&output);
}
