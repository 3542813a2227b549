/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples. Order and layout are those of perf_event_open(2) ("PERF_RECORD_SAMPLE") and of Linux 6.12's
 * kernel/events/core.c.
 *
 * A sample begins with the fields that nearly every profile asks for; they go straight into the ring, one
 * after the other, since that is most of the work of a counter's interrupt. Then come the rarer words
 * (record_field.c) and, in between, the fields whose size differs from sample to sample: values of a group
 * (record_values.c), call chain, raw data, registers and stack (sample_registers.c).
 *
 * Runs in the PMI: takes no lock, allocates nothing, reads only data that the interrupted code cannot be
 * changing (contexts change with the PMU disabled).
 */
#include <kernel/perf/sample.h>

#include <arch/sample.h>
#include <arch/task.h>
#include <kernel/base/bits.h>
#include <kernel/perf/callchain.h>
#include <kernel/perf/event.h>
#include <kernel/perf/first_abi.h>
#include <kernel/perf/read.h>
#include <kernel/perf/record_field.h>
#include <kernel/perf/record_values.h>
#include <kernel/perf/ring.h>
#include <kernel/perf/sample_registers.h>
#include <uapi/linux/perf_event.h>

/* --- the front of a sample --- */

#define FRONT_FIELDS                                                                    \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD)
#define FRONT_FIELDS_MAX 9
/* Inline in the path of samples without other fields; MOMENT then is in registers. */
#define FRONT_INLINE	 static inline __attribute__((always_inline))

/* The header and the fields before the group's values. */
struct front {
	struct perf_event_header header;
	uint64_t words[FRONT_FIELDS_MAX];
};

/* Fills FRONT for a sample of SIZE bytes, with the fields of SAMPLE_TYPE. Returns FRONT's own bytes. */
FRONT_INLINE size_t put_front(struct front *front, uint64_t sample_type, size_t size,
			      const struct perf_moment *moment)
{
	bool user = moment->frame && arch_frame_is_user(moment->frame);
	uint64_t *next = front->words;

	front->header = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE,
		.misc = user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL,
		.size = (uint16_t)size,
	};
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		*next++ = perf_moment_id(moment);
	if (sample_type & PERF_SAMPLE_IP)
		*next++ = perf_moment_ip(moment);
	if (sample_type & PERF_SAMPLE_TID)
		*next++ = perf_moment_process(moment);
	if (sample_type & PERF_SAMPLE_TIME)
		*next++ = perf_moment_time(moment);
	if (sample_type & PERF_SAMPLE_ADDR)
		*next++ = moment->address;
	if (sample_type & PERF_SAMPLE_ID)
		*next++ = perf_moment_id(moment);
	if (sample_type & PERF_SAMPLE_STREAM_ID)
		*next++ = perf_moment_stream_id(moment);
	if (sample_type & PERF_SAMPLE_CPU)
		*next++ = perf_moment_cpu(moment);
	if (sample_type & PERF_SAMPLE_PERIOD)
		*next++ = moment->period;
	return (size_t)((char *)next - (char *)front);
}

/* Fills the front at the start of OUTPUT: in the ring itself unless a page ends there. */
FRONT_INLINE void write_front(struct perf_output *output, uint64_t sample_type, size_t size,
			      const struct perf_moment *moment)
{
	struct front *place = perf_ring_place(output, sizeof(*place)), aside;
	size_t filled = put_front(place ? place : &aside, sample_type, size, moment);

	if (place)
		perf_ring_filled(output, filled);
	else
		perf_ring_write(output, &aside, filled);
}

/* --- raw data --- */

/* Four zero bytes, which with their size fill a word. */
static const struct perf_raw no_raw = { .bytes = "\0\0\0", .size = sizeof(uint32_t) };

static const struct perf_raw *raw_of(const struct perf_event *event)
{
	return event->sampling.raw ? event->sampling.raw : &no_raw;
}

static void write_raw(struct perf_output *output, const struct perf_raw *raw)
{
	perf_ring_write(output, &raw->size, sizeof(raw->size));
	perf_ring_write(output, raw->bytes, raw->size);
}

/* --- the sample --- */

/* Fields that need the user's registers, to walk or to copy. */
#define USER_FIELDS (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

size_t perf_record_sample_size(uint64_t sample_type)
{
	return sizeof(struct perf_event_header) +
	       sizeof(uint64_t) * bits_count(sample_type & FRONT_FIELDS) +
	       perf_fields_size(&perf_fields_after_stack, sample_type) +
	       perf_fields_size(&perf_fields_last, sample_type);
}

/* Returns the bytes of a sample without the call chain and the user's stack, which take the rest. */
static size_t size_without_stacks(const struct perf_moment *moment)
{
	const struct perf_event *event = moment->event;
	const struct perf_event_attr *attr = &event->attr;
	uint64_t sample_type = attr->sample_type;
	size_t size = event->sample_size;

	if (sample_type & PERF_SAMPLE_RAW)
		size += sizeof(uint32_t) + raw_of(event)->size;
	if (sample_type & PERF_SAMPLE_READ)
		size += perf_read_size(attr->read_format, event->leader->sibling_count);
	if (sample_type & PERF_SAMPLE_REGS_USER)
		size += perf_sample_registers_size(moment->user, attr->sample_regs_user);
	if (sample_type & PERF_SAMPLE_REGS_INTR)
		size += perf_sample_registers_size(moment->frame, attr->sample_regs_intr);
	return size;
}

/* Returns the greatest number of entries that the call chain of a sample can have. The sample has SIZE bytes
 * without it, and needs room for a user's stack of one word and the words around that. */
static size_t chain_room(size_t size)
{
	size_t used = size + 4 * sizeof(uint64_t);

	return used < UINT16_MAX ? (UINT16_MAX - used) / sizeof(uint64_t) : 0;
}

/* Writes the fields after the front. */
static void write_rest(struct perf_output *output, struct perf_event *event,
		       const struct perf_moment *moment, const struct perf_callchain *chain)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t sample_type = attr->sample_type;

	if (sample_type & PERF_SAMPLE_READ)
		perf_record_write_values(output, event);
	if (sample_type & PERF_SAMPLE_CALLCHAIN)
		perf_ring_write(output, chain, sizeof(uint64_t) * (1 + chain->count));
	if (sample_type & PERF_SAMPLE_RAW)
		write_raw(output, raw_of(event));
	if (sample_type & PERF_SAMPLE_REGS_USER)
		perf_sample_write_registers(output, moment->user, attr->sample_regs_user);
	if (sample_type & PERF_SAMPLE_STACK_USER)
		perf_sample_write_stack(output, moment);
	perf_fields_write(output, &perf_fields_after_stack, moment);
	if (sample_type & PERF_SAMPLE_REGS_INTR)
		perf_sample_write_registers(output, moment->frame, attr->sample_regs_intr);
	perf_fields_write(output, &perf_fields_last, moment);
}

/* Writes a sample with fields after the front. */
static __attribute__((noinline)) void record_long(struct perf_event *event,
						  struct perf_moment *moment)
{
	const struct perf_callchain *chain = NULL;
	struct perf_output output;
	uint64_t sample_type = event->attr.sample_type;
	unsigned long irqs = arch_irq_save(); /* a chain is this CPU's, and one at a time */

	if (sample_type & PERF_SAMPLE_FIRST_ABI) {
		perf_first_record_sample(event, moment);
		arch_irq_restore(irqs);
		return;
	}
	if (moment->frame && (sample_type & USER_FIELDS))
		moment->user = arch_sample_user_frame(moment->frame);
	size_t size = size_without_stacks(moment);
	if (sample_type & PERF_SAMPLE_CALLCHAIN) {
		chain = perf_callchain_take(event, moment->frame, moment->user, chain_room(size));
		size += sizeof(uint64_t) * (1 + chain->count);
	}
	if (sample_type & PERF_SAMPLE_STACK_USER) {
		moment->stack_size = perf_sample_stack_size(moment, size);
		size += sizeof(uint64_t);
		if (moment->stack_size)
			size += moment->stack_size + sizeof(uint64_t);
	}
	if (perf_ring_begin(&output, event, PERF_RECORD_SAMPLE, size) == 0) {
		write_front(&output, sample_type, size, moment);
		write_rest(&output, event, moment, chain);
		perf_ring_end(&output);
	}
	if (chain)
		perf_callchain_done();
	arch_irq_restore(irqs);
}

void perf_record_sample(struct perf_event *event, struct trap_frame *frame, uint64_t now_ns,
			uint64_t period, uint64_t address)
{
	uint64_t sample_type = event->attr.sample_type;
	struct perf_moment moment = { .event = event,
				      .frame = frame,
				      .now_ns = now_ns,
				      .period = period,
				      .address = address };
	struct perf_output output;

	if (sample_type & ~FRONT_FIELDS) {
		struct perf_moment more = moment; /* so MOMENT stays in registers */

		record_long(event, &more);
		return;
	}
	if (perf_ring_begin(&output, event, PERF_RECORD_SAMPLE, event->sample_size) < 0)
		return;
	write_front(&output, sample_type, event->sample_size, &moment);
	perf_ring_end(&output);
}
