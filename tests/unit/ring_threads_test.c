// SPDX-License-Identifier: BSD-2-Clause
/*
 * The ring buffer with three CPUs at once, under ThreadSanitizer: one writes records of three
 * events into two rings, some of them on top of one another as NMIs do; one reads a ring by the
 * documented protocol and the other as splice does; one pauses the rings and sends the third event now here, now there, now nowhere.
 *
 * The writer notes what the kernel answered for each record. A record that was taken is read exactly
 * once, whole, and after those that its event wrote before into the same ring; the others are not
 * read, and the rings' LOST records and the events' counts say how many they were.
 */
#include <kernel/perf/ring.h>
#include <kernel/perf/splice.h>

#include <stdlib.h>

#include "mapping.h"

#define WRITES	    30000
#define RINGS	    2
#define EVENTS	    3 /* the first RINGS are mapped, the last is sent around */
#define WORDS_MAX   40
#define RECORD_TYPE 1000

enum { READER, WRITER, CONTROLLER, ROLES };

struct record {
	struct perf_event_header header;
	uint64_t event, sequence;
	uint64_t words[WORDS_MAX];
};

static int fds[EVENTS];
static struct mapping mappings[RINGS];
static _Atomic bool done;

/* The writer's: what happened to each record. */
static struct {
	unsigned int attempts, lost, nowhere;
	bool taken[2 * WRITES];
} written[EVENTS];

/* The reader's. */
static struct {
	uint64_t last[EVENTS]; /* sequence + 1 of the last record seen */
	uint64_t lost;
} read[RINGS];
static unsigned int seen[EVENTS][2 * WRITES];

static uint64_t word_of(uint64_t event, uint64_t sequence, unsigned int index)
{
	return (sequence * 0x9e3779b97f4a7c15u) ^ (event << 56) ^ index;
}

static unsigned int words_of(uint64_t sequence)
{
	return (unsigned int)(sequence * 7 % (WORDS_MAX + 1));
}

/* --- writer --- */

static void write_record(unsigned int index, bool interrupted);

static void interrupt_writer(void *arg)
{
	write_record(*(unsigned int *)arg, false);
}

/* One record of event INDEX; if INTERRUPTED, the next event writes one while this one is unfinished. */
static void write_record(unsigned int index, bool interrupted)
{
	uint64_t sequence = written[index].attempts++;
	struct record record = { .event = index, .sequence = sequence };
	size_t size = offsetof(struct record, words) + words_of(sequence) * sizeof(uint64_t);
	struct perf_output output;

	record.header = (struct perf_event_header){ .type = RECORD_TYPE, .size = (uint16_t)size };
	for (unsigned int i = 0; i < words_of(sequence); i++)
		record.words[i] = word_of(index, sequence, i);
	int error = perf_ring_begin(&output, event_of(fds[index]), RECORD_TYPE, size);
	written[index].lost += error == -ENOSPC;
	written[index].nowhere += error == -ENOENT;
	if (error)
		return;
	perf_ring_write(&output, &record, 16);
	if (interrupted) {
		unsigned int next = (index + 1) % EVENTS;

		sim_nmi(interrupt_writer, &next);
	}
	perf_ring_write(&output, (char *)&record + 16, size - 16);
	perf_ring_end(&output);
	written[index].taken[sequence] = true;
}

static void write_all(void)
{
	for (unsigned int i = 0; i < WRITES; i++) {
		unsigned int index = i % EVENTS, lost = written[index].lost;

		write_record(index, i % 5 == 0);
		/* Else hardly a record would find room where the host seldom runs the reader. */
		if (i % 32 == 0 || written[index].lost != lost)
			arch_cpu_relax();
	}
	atomic_store(&done, true);
}

/* --- reader --- */

static void check_record(unsigned int ring, const struct record *record)
{
	struct lost {
		struct perf_event_header header;
		uint64_t id, lost;
	};

	if (record->header.type == PERF_RECORD_LOST) {
		read[ring].lost += ((const struct lost *)record)->lost;
		return;
	}
	EXPECT_EQ(record->header.type, RECORD_TYPE);
	if (tap_failed || record->event >= EVENTS || record->sequence >= 2 * WRITES) {
		tap_failed = true;
		return;
	}
	EXPECT_EQ(record->header.size,
		  offsetof(struct record, words) + words_of(record->sequence) * sizeof(uint64_t));
	for (unsigned int i = 0; i < words_of(record->sequence); i++)
		EXPECT_EQ(record->words[i], word_of(record->event, record->sequence, i));
	EXPECT(record->sequence >= read[ring].last[record->event]);
	read[ring].last[record->event] = record->sequence + 1;
	seen[record->event][record->sequence]++;
}

/* The same as splice does it. */
static bool drain_by_splice(unsigned int ring)
{
	static uint64_t buffer[512];
	ssize_t size = perf_splice_take_records(sim_fd_file(fds[ring]), buffer, sizeof(buffer));

	EXPECT(size >= 0);
	for (ssize_t at = 0; at < size && !tap_failed;) {
		const struct record *record = (const void *)((char *)buffer + at);

		EXPECT(record->header.size >= sizeof(record->header));
		check_record(ring, record);
		at += record->header.size;
	}
	return size > 0;
}

/* Takes what RING has by now; whether that was anything. */
static bool drain(unsigned int ring)
{
	struct mapping *mapping = &mappings[ring];
	uint64_t head = __atomic_load_n(&mapping->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t size = mapping->data_pages * PAGE_SIZE;
	bool any = mapping->read != head;

	while (mapping->read != head && !tap_failed) {
		struct record record = { 0 };
		char *bytes = (char *)&record;
		size_t length = sizeof(record.header);

		for (size_t i = 0; i < length; i++) {
			uint64_t offset = (mapping->read + i) & (size - 1);

			bytes[i] = mapping->data[offset / PAGE_SIZE][offset % PAGE_SIZE];
			if (i == sizeof(record.header) - 1)
				length = record.header.size <= sizeof(record) ? record.header.size :
										0;
		}
		EXPECT(length >= sizeof(record.header));
		check_record(ring, &record);
		mapping->read += length;
		__atomic_store_n(&mapping->page->data_tail, mapping->read, __ATOMIC_RELEASE);
	}
	return any;
}

static void read_all(void)
{
	bool last = false;

	for (;;) {
		bool any = false;

		for (unsigned int ring = 0; ring < RINGS; ring++)
			any |= ring % 2 ? drain_by_splice(ring) : drain(ring);
		if (last || tap_failed)
			return;
		last = !any && atomic_load(&done);
		if (!any)
			arch_cpu_relax();
	}
}

/* --- controller --- */

static void control_all(void)
{
	for (unsigned int i = 0; !atomic_load(&done); i++) {
		arch_cpu_relax();
		int ring = fds[i / 3 % RINGS];

		switch (i % 3) {
		case 0:
			ASSERT(control_event(fds[EVENTS - 1], PERF_EVENT_IOC_SET_OUTPUT,
					     i % 9 == 0 ? -1UL : (unsigned long)ring) == 0);
			break;
		case 1:
			ASSERT(control_event(ring, PERF_EVENT_IOC_PAUSE_OUTPUT, 1) == 0);
			break;
		case 2:
			ASSERT(control_event(ring, PERF_EVENT_IOC_PAUSE_OUTPUT, 0) == 0);
			break;
		}
	}
}

static void be_cpu(unsigned int cpu)
{
	static void (*const roles[ROLES])(void) = {
		[READER] = read_all,
		[WRITER] = write_all,
		[CONTROLLER] = control_all,
	};

	roles[cpu]();
}

static void check(void)
{
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_DUMMY);
	uint64_t lost = 0, reported = 0;

	start_machine(ROLES, 4, NULL, 0);
	for (unsigned int i = 0; i < EVENTS; i++)
		fds[i] = open_event(attr, -1, WRITER, -1);
	for (unsigned int i = 0; i < RINGS; i++)
		EXPECT_EQ(map_event(&mappings[i], fds[i], 2), 0);

	sim_cpus_run(be_cpu);

	for (unsigned int i = 0; i < EVENTS; i++) {
		unsigned int taken = 0;

		for (unsigned int sequence = 0; sequence < 2 * WRITES; sequence++) {
			taken += written[i].taken[sequence];
			EXPECT_EQ_AT(seen[i][sequence], written[i].taken[sequence],
				     "event %u, record %u", i, sequence);
		}
		EXPECT_EQ(taken + written[i].lost + written[i].nowhere, written[i].attempts);
		EXPECT_EQ(atomic_load(&event_of(fds[i])->lost), written[i].lost);
		lost += written[i].lost;
		printf("# event %u: %u records, %u taken, %u lost, %u to no ring\n", i,
		       written[i].attempts, taken, written[i].lost, written[i].nowhere);
	}
	for (unsigned int i = 0; i < RINGS; i++) {
		EXPECT_EQ(written[i].nowhere, 0);
		reported += read[i].lost + atomic_load(&atomic_load(&event_of(fds[i])->ring)->lost);
		unmap_event(&mappings[i]);
	}
	EXPECT_EQ(reported, lost);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "records of three events in two rings, paused and sent elsewhere meanwhile, are read once, whole and in "
	  "order, or counted as lost",
	  check },
};

TAP_MAIN(rules)
