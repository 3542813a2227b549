/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fields of records that are one 64-bit word: each with the bit of sample_type that asks for it.
 */
#ifndef KERNEL_PERF_RECORD_FIELD_H
#define KERNEL_PERF_RECORD_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include <arch/task.h>
#include <kernel/base/cpu.h>
#include <kernel/perf/event.h>
#include <kernel/perf/ring.h>
#include <kernel/sched/task.h>

struct trap_frame;

/* The data of the record being written. On its writer's stack. */
struct perf_moment {
	const struct perf_event *event;
	const struct trap_frame *frame; /* NULL: no code was interrupted */
	const struct trap_frame *user;	/* the user's registers; NULL: none */
	uint64_t now_ns;		/* of clock_ns() */
	uint64_t period, address;
	size_t stack_size; /* bytes of the user's stack to copy */
};

/* --- the words of most samples: any context, NMI included --- */

/* The first half of a word is at the lower address: both ISAs of Tally are little-endian. */
static inline uint64_t perf_word_pair(uint32_t first, uint32_t second)
{
	return (uint64_t)second << 32 | first;
}

static inline uint64_t perf_moment_id(const struct perf_moment *moment)
{
	const struct perf_event *event = moment->event;

	return event->parent ? event->parent->id : event->id;
}

static inline uint64_t perf_moment_stream_id(const struct perf_moment *moment)
{
	return moment->event->id;
}

static inline uint64_t perf_moment_ip(const struct perf_moment *moment)
{
	return moment->frame ? arch_frame_ip(moment->frame) : 0;
}

static inline uint64_t perf_moment_process(const struct perf_moment *moment)
{
	const struct task *task = task_current();

	(void)moment;
	return perf_word_pair((uint32_t)task->tgid, (uint32_t)task->tid);
}

static inline uint64_t perf_moment_time(const struct perf_moment *moment)
{
	return moment->now_ns + (uint64_t)moment->event->clock_offset_ns;
}

static inline uint64_t perf_moment_cpu(const struct perf_moment *moment)
{
	(void)moment;
	return perf_word_pair(cpu_id(), 0);
}

/* --- tables of words, in the ABI's order --- */

struct perf_field {
	uint64_t bits; /* of sample_type: one of them asks for it */
	uint64_t (*word)(const struct perf_moment *moment);
};

struct perf_fields {
	const struct perf_field *fields;
	size_t count;
};

/* The fields of a sample after STACK_USER; those after REGS_INTR; the trailer of other records. */
extern const struct perf_fields perf_fields_after_stack, perf_fields_last, perf_fields_trailer;

/* Returns the bytes of those of FIELDS that SAMPLE_TYPE asks for. Any context. */
size_t perf_fields_size(const struct perf_fields *fields, uint64_t sample_type);

/* Writes those of FIELDS that the event of MOMENT asks for. Between perf_ring_begin and perf_ring_end. */
void perf_fields_write(struct perf_output *output, const struct perf_fields *fields,
		       const struct perf_moment *moment);

/* Writes WORD. Context as above. */
static inline void perf_record_write_word(struct perf_output *output, uint64_t word)
{
	perf_ring_write(output, &word, sizeof(word));
}

#endif
