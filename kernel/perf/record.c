// SPDX-License-Identifier: BSD-2-Clause
/*
 * Records, field by field. Orders and layouts are those of perf_event_open(2) ("PERF_RECORD_SAMPLE",
 * "PERF_RECORD_THROTTLE", "sample_id") and of Linux 6.12's kernel/events/core.c.
 *
 * Almost every field is one 64-bit word. A sample begins with the fields that nearly every profile asks for;
 * they go straight into the ring, one after the other, since that is most of the work of a counter's
 * interrupt. Tables in the ABI's order have the rarer words and the trailer of other records: each word has
 * the bit of sample_type that asks for it and the function that knows it. In between are the fields whose
 * size differs from sample to sample: values of a group, call chain, raw data, registers, stack.
 *
 * Runs in the PMI: takes no lock, allocates nothing, reads only data that the interrupted code cannot be
 * changing (contexts change with the PMU disabled).
 */
#include <kernel/base/bits.h>
#include <kernel/perf/callchain.h>
#include <kernel/perf/event.h>
#include <kernel/perf/read.h>
#include <kernel/perf/record.h>
#include <kernel/perf/ring.h>
#include <kernel/sched/task.h>
#include <uapi/linux/perf_event.h>

#include <string.h>

#include <arch/mmu.h>
#include <arch/sample.h>
#include <arch/task.h>

/* The data of the record being written. On its writer's stack. */
struct moment {
	const struct perf_event *event;
	const struct trap_frame *frame; /* NULL: no code was interrupted */
	const struct trap_frame *user;	/* the user's registers; NULL: none */
	uint64_t now_ns;		/* of clock_ns() */
	uint64_t period, address;
	size_t stack_size; /* bytes of the user's stack to copy */
};

/* The first half of a word is at the lower address: both ISAs of Tally are little-endian. */
static uint64_t pair(uint32_t first, uint32_t second)
{
	return (uint64_t)second << 32 | first;
}

static uint64_t identifier(const struct moment *moment)
{
	const struct perf_event *event = moment->event;

	return event->parent ? event->parent->id : event->id;
}

static uint64_t stream_id(const struct moment *moment)
{
	return moment->event->id;
}

static uint64_t instruction_pointer(const struct moment *moment)
{
	return moment->frame ? arch_frame_ip(moment->frame) : 0;
}

static uint64_t process_and_thread(const struct moment *moment)
{
	const struct task *task = task_current();

	(void)moment;
	return pair((uint32_t)task->tgid, (uint32_t)task->tid);
}

static uint64_t time_stamp(const struct moment *moment)
{
	return moment->now_ns + (uint64_t)moment->event->clock_offset_ns;
}

static uint64_t cpu_number(const struct moment *moment)
{
	(void)moment;
	return pair(cpu_id(), 0);
}

/* No PMU here knows where data came from: "not available" in every part. */
static uint64_t data_source(const struct moment *moment)
{
	(void)moment;
	return PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA) |
	       PERF_MEM_S(LOCK, NA) | PERF_MEM_S(TLB, NA) | PERF_MEM_S(LVLNUM, NA);
}

/* A weight, a transaction's outcome or an AUX area, none of which a PMU here has. */
static uint64_t unmeasured(const struct moment *moment)
{
	(void)moment;
	return 0;
}

static paddr_t look_up(uint64_t address, size_t *page_size)
{
	return address ? arch_peek_paddr(address, page_size) : 0;
}

static uint64_t physical_address(const struct moment *moment)
{
	size_t page_size;

	return look_up(moment->address, &page_size);
}

static uint64_t data_page_size(const struct moment *moment)
{
	size_t page_size;

	return look_up(moment->address, &page_size) ? page_size : 0;
}

/* Every task is in the only control group: the root, whose number is 1 in Linux, too. */
static uint64_t control_group(const struct moment *moment)
{
	(void)moment;
	return 1;
}

static uint64_t code_page_size(const struct moment *moment)
{
	size_t page_size;

	return look_up(instruction_pointer(moment), &page_size) ? page_size : 0;
}

struct field {
	uint64_t bits; /* of sample_type: one of them asks for it */
	uint64_t (*word)(const struct moment *moment);
};

/* Fields after STACK_USER; fields after REGS_INTR. */
static const struct field fields_after_stack[] = {
	{ PERF_SAMPLE_WEIGHT_TYPE, unmeasured },
	{ PERF_SAMPLE_DATA_SRC, data_source },
	{ PERF_SAMPLE_TRANSACTION, unmeasured },
};

static const struct field fields_last[] = {
	{ PERF_SAMPLE_PHYS_ADDR, physical_address },
	{ PERF_SAMPLE_CGROUP, control_group },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, data_page_size },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, code_page_size },
	{ PERF_SAMPLE_AUX, unmeasured }, /* bytes of the AUX area that follow */
};

static const struct field trailer_fields[] = {
	{ PERF_SAMPLE_TID, process_and_thread }, { PERF_SAMPLE_TIME, time_stamp },
	{ PERF_SAMPLE_ID, identifier },		 { PERF_SAMPLE_STREAM_ID, stream_id },
	{ PERF_SAMPLE_CPU, cpu_number },	 { PERF_SAMPLE_IDENTIFIER, identifier },
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static size_t fields_size(const struct field *fields, size_t count, uint64_t sample_type)
{
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		if (sample_type & fields[i].bits)
			size += sizeof(uint64_t);
	return size;
}

static void write_word(struct perf_output *output, uint64_t word)
{
	perf_ring_write(output, &word, sizeof(word));
}

static void write_fields(struct perf_output *output, const struct field *fields, size_t count,
			 const struct moment *moment)
{
	for (size_t i = 0; i < count; i++)
		if (moment->event->attr.sample_type & fields[i].bits)
			write_word(output, fields[i].word(moment));
}

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
			      const struct moment *moment)
{
	bool user = moment->frame && arch_frame_is_user(moment->frame);
	uint64_t *next = front->words;

	front->header = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE,
		.misc = user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL,
		.size = (uint16_t)size,
	};
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		*next++ = identifier(moment);
	if (sample_type & PERF_SAMPLE_IP)
		*next++ = instruction_pointer(moment);
	if (sample_type & PERF_SAMPLE_TID)
		*next++ = process_and_thread(moment);
	if (sample_type & PERF_SAMPLE_TIME)
		*next++ = time_stamp(moment);
	if (sample_type & PERF_SAMPLE_ADDR)
		*next++ = moment->address;
	if (sample_type & PERF_SAMPLE_ID)
		*next++ = identifier(moment);
	if (sample_type & PERF_SAMPLE_STREAM_ID)
		*next++ = stream_id(moment);
	if (sample_type & PERF_SAMPLE_CPU)
		*next++ = cpu_number(moment);
	if (sample_type & PERF_SAMPLE_PERIOD)
		*next++ = moment->period;
	return (size_t)((char *)next - (char *)front);
}

/* Fills the front at the start of OUTPUT: in the ring itself unless a page ends there. */
FRONT_INLINE void write_front(struct perf_output *output, uint64_t sample_type, size_t size,
			      const struct moment *moment)
{
	struct front *place = perf_ring_place(output, sizeof(*place)), aside;
	size_t filled = put_front(place ? place : &aside, sample_type, size, moment);

	if (place)
		perf_ring_filled(output, filled);
	else
		perf_ring_write(output, &aside, filled);
}

/* --- PERF_SAMPLE_READ: the values of read(), but for inherited events --- */

/* Updates MEMBER of the group of EVENT; the driver has just updated EVENT. */
static void update_member(struct perf_event *member, const struct perf_event *event)
{
	if (member != event && member->state == EVENT_ACTIVE)
		member->pmu->read(member);
}

/* Returns the count of MEMBER, of EVENT's group, for a record of EVENT. */
static uint64_t count_of(const struct perf_event *member, const struct perf_event *event)
{
	return perf_event_samples_own_counts(&event->attr) ? perf_event_own_count(member) :
							     perf_event_count(member);
}

static void write_member(struct perf_output *output, const struct perf_event *member,
			 const struct perf_event *event)
{
	uint64_t read_format = event->attr.read_format;

	write_word(output, count_of(member, event));
	if (read_format & PERF_FORMAT_ID)
		write_word(output, member->parent ? member->parent->id : member->id);
	if (read_format & PERF_FORMAT_LOST)
		write_word(output, atomic_load_explicit(&member->lost, memory_order_relaxed));
}

static void write_times(struct perf_output *output, const struct perf_event *event)
{
	uint64_t enabled_ns, running_ns;

	perf_event_times_at(event, clock_ns(), &enabled_ns, &running_ns);
	/* A group's times are the event's own, as on Linux. */
	if (!(event->attr.read_format & PERF_FORMAT_GROUP)) {
		enabled_ns +=
			atomic_load_explicit(&event->child_time_enabled_ns, memory_order_relaxed);
		running_ns +=
			atomic_load_explicit(&event->child_time_running_ns, memory_order_relaxed);
	}
	if (event->attr.read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		write_word(output, enabled_ns);
	if (event->attr.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		write_word(output, running_ns);
}

/* Writes for one event: value, times, id, lost. For a group: number, times, then value, id, lost of each
 * member. */
static void write_values(struct perf_output *output, struct perf_event *event)
{
	uint64_t format = event->attr.read_format;
	struct perf_event *leader = event->leader, *sibling;

	if (!(format & PERF_FORMAT_GROUP)) {
		write_word(output, count_of(event, event));
		write_times(output, event);
		if (format & PERF_FORMAT_ID)
			write_word(output, event->parent ? event->parent->id : event->id);
		if (format & PERF_FORMAT_LOST)
			write_word(output,
				   atomic_load_explicit(&event->lost, memory_order_relaxed));
		return;
	}
	write_word(output, 1 + leader->sibling_count);
	write_times(output, event);
	update_member(leader, event);
	write_member(output, leader, event);
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link) {
		update_member(sibling, event);
		write_member(output, sibling, event);
	}
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

/* --- registers and stack --- */

static size_t registers_size(const struct trap_frame *frame, uint64_t mask)
{
	return sizeof(uint64_t) * (1 + (frame ? bits_count(mask) : 0)); /* which ABI; registers */
}

static void write_registers(struct perf_output *output, const struct trap_frame *frame,
			    uint64_t mask)
{
	write_word(output, frame && mask ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE);
	for (; frame && mask; mask &= mask - 1)
		write_word(output,
			   arch_sample_register(frame, (unsigned int)__builtin_ctzll(mask)));
}

/* Returns the bytes of the user's stack in a record that has SIZE bytes without the stack and the two words
 * around it: as many as the attribute asks for, the address space has, and the header's 16 bits can hold; in
 * the last case a word less (Linux: perf_sample_ustack_size). */
static size_t stack_size(const struct moment *moment, size_t size)
{
	size_t bytes = moment->event->attr.sample_stack_user;
	uintptr_t sp = moment->user ? arch_frame_sp(moment->user) : USER_END;

	size += 2 * sizeof(uint64_t);
	if (sp >= USER_END)
		return 0;
	if (bytes > USER_END - sp)
		bytes = USER_END - sp;
	if (size + bytes > UINT16_MAX)
		bytes = UINT16_MAX + 1 - size - sizeof(uint64_t);
	return bytes & ~(sizeof(uint64_t) - 1);
}

/* Writes the size, the bytes, and how many of them are really the stack's; without bytes only the size. */
static void write_stack(struct perf_output *output, const struct moment *moment)
{
	char bytes[256];
	size_t copied = 0, done = 0;
	bool readable = true;

	write_word(output, moment->stack_size);
	if (!moment->stack_size)
		return;
	while (done < moment->stack_size) {
		size_t part = moment->stack_size - done, peeked = 0;

		if (part > sizeof(bytes))
			part = sizeof(bytes);
		if (readable)
			peeked = arch_user_peek(arch_frame_sp(moment->user) + done, bytes, part);
		readable = peeked == part;
		memset(bytes + peeked, 0, part - peeked);
		perf_ring_write(output, bytes, part);
		copied += peeked;
		done += part;
	}
	write_word(output, copied);
}

/* --- records --- */

#define FIELDS_SIZE(table, sample_type)	    fields_size(table, COUNT(table), sample_type)
#define WRITE_FIELDS(output, table, moment) write_fields(output, table, COUNT(table), moment)

/* Fields that need the user's registers, to walk or to copy. */
#define USER_FIELDS			    (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

size_t perf_record_sample_size(uint64_t sample_type)
{
	return sizeof(struct perf_event_header) +
	       sizeof(uint64_t) * bits_count(sample_type & FRONT_FIELDS) +
	       FIELDS_SIZE(fields_after_stack, sample_type) + FIELDS_SIZE(fields_last, sample_type);
}

/* Returns the bytes of a sample without the call chain and the user's stack, which take the rest. */
static size_t size_without_stacks(const struct moment *moment)
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
		size += registers_size(moment->user, attr->sample_regs_user);
	if (sample_type & PERF_SAMPLE_REGS_INTR)
		size += registers_size(moment->frame, attr->sample_regs_intr);
	return size;
}

/* Returns the entries of a call chain for which a sample that has SIZE bytes without it has room, beside the
 * words around a user's stack of one word. */
static size_t chain_room(size_t size)
{
	size_t used = size + 4 * sizeof(uint64_t);

	return used < UINT16_MAX ? (UINT16_MAX - used) / sizeof(uint64_t) : 0;
}

/* Writes the fields after the front. */
static void write_rest(struct perf_output *output, struct perf_event *event,
		       const struct moment *moment, const struct perf_callchain *chain)
{
	const struct perf_event_attr *attr = &event->attr;
	uint64_t sample_type = attr->sample_type;

	if (sample_type & PERF_SAMPLE_READ)
		write_values(output, event);
	if (sample_type & PERF_SAMPLE_CALLCHAIN)
		perf_ring_write(output, chain, sizeof(uint64_t) * (1 + chain->count));
	if (sample_type & PERF_SAMPLE_RAW)
		write_raw(output, raw_of(event));
	if (sample_type & PERF_SAMPLE_REGS_USER)
		write_registers(output, moment->user, attr->sample_regs_user);
	if (sample_type & PERF_SAMPLE_STACK_USER)
		write_stack(output, moment);
	WRITE_FIELDS(output, fields_after_stack, moment);
	if (sample_type & PERF_SAMPLE_REGS_INTR)
		write_registers(output, moment->frame, attr->sample_regs_intr);
	WRITE_FIELDS(output, fields_last, moment);
}

/* Writes a sample with fields after the front. */
static __attribute__((noinline)) void record_long(struct perf_event *event, struct moment *moment)
{
	const struct perf_callchain *chain = NULL;
	struct perf_output output;
	uint64_t sample_type = event->attr.sample_type;
	unsigned long irqs = arch_irq_save(); /* a chain is this CPU's, and one at a time */

	if (moment->frame && (sample_type & USER_FIELDS))
		moment->user = arch_sample_user_frame(moment->frame);
	size_t size = size_without_stacks(moment);
	if (sample_type & PERF_SAMPLE_CALLCHAIN) {
		chain = perf_callchain_take(event, moment->frame, moment->user, chain_room(size));
		size += sizeof(uint64_t) * (1 + chain->count);
	}
	if (sample_type & PERF_SAMPLE_STACK_USER) {
		moment->stack_size = stack_size(moment, size);
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
	struct moment moment = { .event = event,
				 .frame = frame,
				 .now_ns = now_ns,
				 .period = period,
				 .address = address };
	struct perf_output output;

	if (sample_type & ~FRONT_FIELDS) {
		struct moment more = moment; /* so MOMENT stays in registers */

		record_long(event, &more);
		return;
	}
	if (perf_ring_begin(&output, event, PERF_RECORD_SAMPLE, event->sample_size) < 0)
		return;
	write_front(&output, sample_type, event->sample_size, &moment);
	perf_ring_end(&output);
}

size_t perf_record_trailer_size(const struct perf_event *event)
{
	if (!event->attr.sample_id_all)
		return 0;
	return fields_size(trailer_fields, COUNT(trailer_fields), event->attr.sample_type);
}

void perf_record_write_trailer(struct perf_output *output, const struct perf_event *event)
{
	const struct moment moment = { .event = event, .now_ns = clock_ns() };

	if (event->attr.sample_id_all)
		write_fields(output, trailer_fields, COUNT(trailer_fields), &moment);
}

void perf_record_throttle(struct perf_event *event, bool on, uint64_t now_ns)
{
	const struct moment moment = { .event = event, .now_ns = now_ns };
	struct {
		struct perf_event_header header;
		uint64_t time, id, stream_id;
	} record;
	struct perf_output output;
	size_t size = sizeof(record) + perf_record_trailer_size(event);

	record.header.type = on ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE;
	record.header.misc = 0;
	record.header.size = (uint16_t)size;
	record.time = time_stamp(&moment);
	record.id = identifier(&moment);
	record.stream_id = stream_id(&moment);
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
	write_values(&output, event);
	perf_record_write_trailer(&output, event);
	perf_ring_end(&output);
}
