// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of kernel/perf/ring.c. The records here are the test's own: a sequence number and words
 * derived from it, so that a torn, lost or doubled record is seen. The reader does what programs
 * do: data_head, records, data_tail.
 */
#include <kernel/mm/page.h>
#include <kernel/perf/event.h>
#include <kernel/perf/read.h>
#include <kernel/perf/ring.h>
#include <kernel/perf/wakeup.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "sim/sim.h"
#include "tap.h"

/* --- what the ring calls, counted here instead of done --- */

static unsigned int wakeups;

void perf_event_request_wakeup(struct perf_event *event)
{
	(void)event;
	wakeups++;
}

/* Only metadata pages of active events and PERF_SAMPLE_READ need these; neither occurs here. */
void perf_event_times_at(const struct perf_event *event, uint64_t clock_ns, uint64_t *enabled_ns,
			 uint64_t *running_ns)
{
	(void)event, (void)clock_ns, (void)enabled_ns, (void)running_ns;
	abort();
}

size_t perf_read_size(uint64_t read_format, unsigned int siblings)
{
	(void)read_format, (void)siblings;
	abort();
}

/* --- a ring, its event, and test records --- */

#define RECORD_TYPE 1000

struct test_record {
	struct perf_event_header header;
	uint64_t writer, sequence;
	uint64_t words[64];
};

static struct perf_event event;
static struct perf_ring *ring;

static struct perf_event_mmap_page *metadata(void)
{
	return ring->user_page;
}

static uint64_t size_bytes(void)
{
	return (uint64_t)ring->data_pages * PAGE_SIZE;
}

static void open_ring(unsigned int data_pages, bool overwrite, uint32_t watermark_bytes)
{
	sim_start(2);
	memset(&event, 0, sizeof(event));
	event.id = 77;
	TAILQ_INIT(&event.siblings);
	event.leader = &event;
	ring = perf_ring_alloc(data_pages, overwrite, watermark_bytes);
	atomic_store(&event.ring, ring);
	wakeups = 0;
}

static void close_ring(void)
{
	atomic_store(&event.ring, NULL);
	perf_ring_put(ring);
	EXPECT_EQ(sim_end(), 0);
}

static uint64_t word_of(uint64_t writer, uint64_t sequence, uint64_t index)
{
	return (sequence * 0x9e3779b97f4a7c15u) ^ (writer << 56) ^ index;
}

/* Words of record number SEQUENCE: each of 0 … 40 in WORDS_PERIOD records, so that sizes do not
 * divide the ring's. */
#define WORDS_PERIOD 41

static unsigned int words_of(uint64_t sequence)
{
	return (unsigned int)(sequence * 7 % WORDS_PERIOD);
}

static size_t size_of(uint64_t sequence)
{
	return offsetof(struct test_record, words) + words_of(sequence) * sizeof(uint64_t);
}

/* Writes record SEQUENCE of WRITER piece by piece; perf_ring_begin's answer. */
static int write_record(uint64_t writer, uint64_t sequence)
{
	struct perf_event_header header = { .type = RECORD_TYPE,
					    .size = (uint16_t)size_of(sequence) };
	struct perf_output output;
	int error = perf_ring_begin(&output, &event, RECORD_TYPE, header.size);

	if (error)
		return error;
	perf_ring_write(&output, &header, sizeof(header));
	perf_ring_write(&output, &writer, sizeof(writer));
	perf_ring_write(&output, &sequence, sizeof(sequence));
	for (unsigned int i = 0; i < words_of(sequence); i++) {
		uint64_t word = word_of(writer, sequence, i);
		perf_ring_write(&output, &word, sizeof(word));
	}
	perf_ring_end(&output);
	return 0;
}

static void copy_out(uint64_t position, void *to, size_t size)
{
	char *bytes = to;

	for (size_t i = 0; i < size; i++) {
		uint64_t offset = (position + i) & (size_bytes() - 1);
		bytes[i] = ((char *)ring->pages[offset >> PAGE_SHIFT])[offset & (PAGE_SIZE - 1)];
	}
}

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

/* The records that a reader has seen. */
struct reader {
	uint64_t records, lost;
	uint64_t next[2]; /* by writer: sequence expected at least */
	uint64_t skipped; /* sequence numbers that never came */
	const char *error;
};

/* Takes one record at POSITION; returns its size. */
static size_t take(struct reader *reader, uint64_t position)
{
	union {
		struct perf_event_header header;
		struct lost_record lost;
		struct test_record test;
	} record;

	copy_out(position, &record, sizeof(record.header));
	if (record.header.size < sizeof(record.header) || record.header.size > sizeof(record)) {
		reader->error = "a record of impossible size";
		return size_bytes();
	}
	copy_out(position, &record, record.header.size);
	if (record.header.type == PERF_RECORD_LOST) {
		if (record.lost.id != event.id || record.header.size != sizeof(record.lost))
			reader->error = "a wrong PERF_RECORD_LOST";
		reader->lost += record.lost.lost;
		return record.header.size;
	}
	const struct test_record *test = &record.test;
	if (test->header.type != RECORD_TYPE || test->writer > 1 ||
	    test->header.size != size_of(test->sequence)) {
		reader->error = "no record of this test";
		return size_bytes();
	}
	for (unsigned int i = 0; i < words_of(test->sequence); i++)
		if (test->words[i] != word_of(test->writer, test->sequence, i))
			reader->error = "a torn record";
	if (test->sequence < reader->next[test->writer])
		reader->error = "a record twice or out of order";
	reader->skipped += test->sequence - reader->next[test->writer];
	reader->next[test->writer] = test->sequence + 1;
	reader->records++;
	return test->header.size;
}

/* Takes everything that is published and gives the room back. */
static void drain(struct reader *reader)
{
	uint64_t head = __atomic_load_n(&metadata()->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = metadata()->data_tail;

	while (tail < head && !reader->error)
		tail += take(reader, tail);
	if (tail != head && !reader->error)
		reader->error = "records that do not end at data_head";
	__atomic_store_n(&metadata()->data_tail, head, __ATOMIC_RELEASE);
}

#define EXPECT_NO_ERROR(reader_) EXPECT_STR((reader_).error ? (reader_).error : "none", "none")

/* --- the rules --- */

static void check_wraps(void)
{
	for (unsigned int pages = 1; pages <= 8; pages *= 2) {
		struct reader reader = { 0 };

		open_ring(pages, false, 0);
		for (uint64_t sequence = 0; sequence < 1000; sequence++) {
			EXPECT_EQ_AT(write_record(0, sequence), 0, "%u pages, record %" PRIu64,
				     pages, sequence);
			drain(&reader);
		}
		EXPECT_NO_ERROR(reader);
		EXPECT_EQ(reader.records, 1000);
		EXPECT_EQ(reader.skipped, 0);
		EXPECT_EQ(atomic_load(&event.lost), 0);
		close_ring();
	}
}

static void check_full(void)
{
	struct reader reader = { 0 };
	uint64_t sequence = 0, bytes = 0;

	open_ring(1, false, 0);
	/* One byte stays free, so the last record that fits leaves at least 1. */
	while (bytes + size_of(sequence) < PAGE_SIZE) {
		bytes += size_of(sequence);
		EXPECT_EQ(write_record(0, sequence++), 0);
	}
	for (unsigned int i = 0; i < 5; i++, sequence += WORDS_PERIOD)
		EXPECT_EQ(write_record(0, sequence), -ENOSPC);
	EXPECT_EQ(atomic_load(&event.lost), 5);
	EXPECT_EQ(metadata()->data_head, bytes);

	drain(&reader);
	uint64_t before = reader.records;
	EXPECT_EQ(write_record(0, sequence++), 0);
	EXPECT_EQ(metadata()->data_head,
		  bytes + sizeof(struct lost_record) + size_of(sequence - 1));
	drain(&reader);
	EXPECT_NO_ERROR(reader);
	EXPECT_EQ(reader.records, before + 1);
	EXPECT_EQ(reader.lost, 5);
	close_ring();
}

static void check_exactly_full(void)
{
	struct perf_output output;

	open_ring(1, false, 0);
	EXPECT_EQ(perf_ring_begin(&output, &event, RECORD_TYPE, PAGE_SIZE), -ENOSPC);
	EXPECT_EQ(perf_ring_begin(&output, &event, RECORD_TYPE,
				  PAGE_SIZE - 8 - sizeof(struct lost_record)),
		  0);
	output.position = output.end;
	perf_ring_end(&output);
	EXPECT_EQ(metadata()->data_head, PAGE_SIZE - 8);
	EXPECT_EQ(perf_ring_begin(&output, &event, RECORD_TYPE, 8), -ENOSPC);
	EXPECT_EQ(atomic_load(&event.lost), 2);
	close_ring();
}

static void check_overwrite(void)
{
	uint64_t bytes = 0;

	open_ring(1, true, 0);
	for (uint64_t sequence = 0; sequence < 1000; sequence++) {
		EXPECT_EQ(write_record(0, sequence), 0);
		bytes += size_of(sequence);
	}
	EXPECT_EQ(metadata()->data_head, bytes);
	EXPECT_EQ(atomic_load(&event.lost), 0);
	close_ring();
}

static void check_backward(void)
{
	struct reader reader = { 0 };
	uint64_t bytes = 0;

	open_ring(1, true, 0);
	event.attr.write_backward = 1;
	for (uint64_t sequence = 0; sequence < 1000; sequence++) {
		EXPECT_EQ(write_record(0, sequence), 0);
		bytes += size_of(sequence);
	}
	EXPECT_EQ(metadata()->data_head, -bytes);

	/* From the newest to the oldest that is still whole. */
	uint64_t position = metadata()->data_head, sequence = 999, seen = 0;
	while (seen + size_of(sequence) <= PAGE_SIZE) {
		reader.next[0] = sequence;
		position += take(&reader, position);
		EXPECT_EQ(reader.skipped, 0);
		seen += size_of(sequence--);
	}
	EXPECT_NO_ERROR(reader);
	EXPECT(seen > PAGE_SIZE / 2);
	close_ring();
}

static void check_hostile_user(void)
{
	static const uint64_t tails[] = { 1,	      7,
					  8,	      PAGE_SIZE - 1,
					  PAGE_SIZE,  PAGE_SIZE + 1,
					  UINT64_MAX, UINT64_MAX / 2,
					  1ull << 63 };

	open_ring(1, false, 0);
	for (uint64_t round = 0; round < 100 * sizeof(tails) / sizeof(tails[0]); round++) {
		uint64_t tail = tails[round % (sizeof(tails) / sizeof(tails[0]))];

		memset(ring->user_page, (int)round, PAGE_SIZE);
		metadata()->data_tail = tail;
		uint64_t head = atomic_load(&ring->head), lost = atomic_load(&event.lost);
		int error = write_record(0, round);
		/* Written or counted as lost, nothing else; AddressSanitizer watches where. */
		EXPECT_EQ_AT(atomic_load(&event.lost), lost + (error == -ENOSPC), "tail %" PRIx64,
			     tail);
		EXPECT_EQ_AT(atomic_load(&ring->head) > head, error == 0, "tail %" PRIx64, tail);
		EXPECT_EQ_AT(metadata()->data_head, atomic_load(&ring->head), "tail %" PRIx64,
			     tail);
	}
	close_ring();
}

static void check_watermark(void)
{
	/* Watermark 1000, records of 24 bytes: the wake-ups come at the records that end beyond
	 * 1000, 2000 … bytes. */
	open_ring(2, false, 1000);
	for (uint64_t n = 1; n <= 300; n++) {
		struct reader reader = { 0 };
		EXPECT_EQ(write_record(0, 0), 0);
		EXPECT_EQ_AT(wakeups, (n * 24 - 1) / 1000, "record %" PRIu64, n);
		drain(&reader);
	}
	EXPECT(atomic_load(&ring->poll_bits) != 0);
	close_ring();

	/* None asked for: half the ring. More than there is: all of it. */
	open_ring(2, false, 0);
	EXPECT_EQ(ring->watermark_bytes, PAGE_SIZE);
	close_ring();
	open_ring(2, false, 2 * PAGE_SIZE + 1);
	EXPECT_EQ(ring->watermark_bytes, 2 * PAGE_SIZE);
	close_ring();
	open_ring(2, false, 2 * PAGE_SIZE);
	EXPECT_EQ(ring->watermark_bytes, 2 * PAGE_SIZE);
	close_ring();
}

static void check_wakeup_events(void)
{
	open_ring(8, true, 0);
	event.attr.wakeup_events = 3;
	for (unsigned int n = 1; n <= 30; n++) {
		struct perf_output output;
		EXPECT_EQ(perf_ring_begin(&output, &event, PERF_RECORD_SAMPLE, 8), 0);
		output.position = output.end;
		perf_ring_end(&output);
		EXPECT_EQ_AT(wakeups, n / 3, "sample %u", n);
		/* Other records do not count. */
		EXPECT_EQ(write_record(0, 0), 0);
		EXPECT_EQ_AT(wakeups, n / 3, "sample %u", n);
	}
	close_ring();
}

static void check_paused(void)
{
	struct reader reader = { 0 };

	open_ring(1, false, 0);
	atomic_store(&ring->paused, true);
	EXPECT_EQ(write_record(0, 0), -ENOSPC);
	EXPECT_EQ(write_record(0, 1), -ENOSPC);
	atomic_store(&ring->paused, false);
	EXPECT_EQ(write_record(0, 2), 0);
	drain(&reader);
	EXPECT_NO_ERROR(reader);
	EXPECT_EQ(reader.records, 1);
	EXPECT_EQ(reader.lost, 2);
	close_ring();
}

static void check_no_ring(void)
{
	struct perf_output output;

	open_ring(0, false, 0);
	EXPECT_EQ(perf_ring_begin(&output, &event, RECORD_TYPE, 8), -ENOENT);
	EXPECT(perf_ring_page(ring, 0) == ring->user_page);
	EXPECT(perf_ring_page(ring, 1) == NULL);
	atomic_store(&event.ring, NULL);
	EXPECT_EQ(perf_ring_begin(&output, &event, RECORD_TYPE, 8), -ENOENT);
	EXPECT_EQ(atomic_load(&event.lost), 0);
	EXPECT(arch_irqs_enabled());
	close_ring();
}

static void check_no_memory(void)
{
	/* Ring, metadata page, list of pages, 4 pages: whichever fails, nothing is left. */
	for (unsigned int number = 1; number <= 7; number++) {
		sim_start(1);
		sim_allocation_fail(number);
		EXPECT_AT(perf_ring_alloc(4, false, 0) == NULL, "allocation %u", number);
		EXPECT_EQ_AT(sim_end(), 0, "allocation %u", number);
	}
	sim_start(1);
	sim_allocation_fail(8);
	struct perf_ring *whole = perf_ring_alloc(4, false, 0);
	EXPECT(whole != NULL);
	perf_ring_put(whole);
	EXPECT(perf_ring_alloc(1u << 18, false, 0) == NULL);
	EXPECT_EQ(sim_end(), 0);
}

/* --- NMIs --- */

static _Atomic uint64_t nmi_sequence;
static struct reader nmi_reader;

/* Writes the COUNTth record of WRITER; always of the same small size, for the number of
 * instructions is squared below. */
static void write_small(uint64_t writer, uint64_t count)
{
	write_record(writer, count * WORDS_PERIOD);
}

/* The NMI reads what is published at that moment, writes a record of its own, and reads again: what it
 * interrupted must not be published with it. */
static void read_and_write(void *arg)
{
	(void)arg;
	drain(&nmi_reader);
	write_small(1, nmi_sequence++);
	drain(&nmi_reader);
}

static void nmi_read_and_write(void *arg)
{
	sim_nmi(read_and_write, arg);
}

static void write_one(void *sequence)
{
	write_small(0, (*(uint64_t *)sequence)++);
}

static uint64_t task_sequence;

static void nothing_lost(unsigned int place)
{
	drain(&nmi_reader);
	EXPECT_NO_ERROR(nmi_reader);
	EXPECT_EQ_AT(nmi_reader.records, task_sequence + nmi_sequence, "place %u", place);
	EXPECT_EQ_AT(atomic_load(&ring->nest), 0, "place %u", place);
}

static void check_nmi_everywhere(void)
{
	const struct sim_interruption test = { .function = write_one,
					       .interrupt = nmi_read_and_write,
					       .argument = &task_sequence,
					       .after = nothing_lost };

	open_ring(1, false, 0);
	task_sequence = nmi_sequence = 0;
	nmi_reader = (struct reader){ 0 };
	EXPECT(sim_interrupt_everywhere(&test) > 100);
	EXPECT_EQ(atomic_load(&event.lost), 0);
	close_ring();
}

static void write_in_nmi(void *arg)
{
	(void)arg;
	write_small(1, nmi_sequence++);
}

static void nmi_write(void *arg)
{
	sim_nmi(write_in_nmi, arg);
}

static uint64_t unread; /* data_head when everything had been read */

/* Everything is read, but user space says so only of as much as leaves room for one record, every
 * other time with a PERF_RECORD_LOST in front of it. */
static void room_for_one(void)
{
	static unsigned int runs;
	size_t room =
		offsetof(struct test_record, words) + (runs++ % 2 ? sizeof(struct lost_record) : 0);

	metadata()->data_tail = unread;
	drain(&nmi_reader);
	unread = metadata()->data_tail;
	metadata()->data_tail = unread + room + 8 - size_bytes();
}

/* At most one of the two fits, sometimes none, when a PERF_RECORD_LOST has to go in front. */
static void adds_up(unsigned int place)
{
	metadata()->data_tail = unread;
	drain(&nmi_reader);
	unread = metadata()->data_tail;
	EXPECT_NO_ERROR(nmi_reader);
	EXPECT_EQ_AT(nmi_reader.records + atomic_load(&event.lost), task_sequence + nmi_sequence,
		     "place %u", place);
	EXPECT_EQ_AT(nmi_reader.lost + atomic_load(&ring->lost), atomic_load(&event.lost),
		     "place %u", place);
}

static void check_nmi_when_full(void)
{
	const struct sim_interruption test = { .before = room_for_one,
					       .function = write_one,
					       .interrupt = nmi_write,
					       .argument = &task_sequence,
					       .after = adds_up };

	open_ring(1, false, 0);
	task_sequence = nmi_sequence = unread = 0;
	nmi_reader = (struct reader){ 0 };
	EXPECT(sim_interrupt_everywhere(&test) > 100);
	EXPECT(atomic_load(&event.lost) > 0);
	close_ring();
}

/* --- a reader on another CPU, NMIs at arbitrary moments --- */

#define CONCURRENT_RECORDS 50000
#define CONCURRENT_NMIS	   200

static atomic_bool writer_ready, writer_done;
static uint64_t writer_attempts;

static void nmi_write_any_size(void *arg)
{
	(void)arg;
	write_record(1, nmi_sequence++);
}

static void on_signal(int signal)
{
	(void)signal;
	if (!arch_in_nmi())
		sim_nmi(nmi_write_any_size, NULL);
}

static void *writer_main(void *arg)
{
	(void)arg;
	sim_cpu_enter_thread(1);
	atomic_store(&writer_ready, true);
	for (writer_attempts = 0;
	     writer_attempts < CONCURRENT_RECORDS || nmi_sequence < CONCURRENT_NMIS;
	     writer_attempts++)
		write_record(0, writer_attempts);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	atomic_store(&writer_done, true);
	return NULL;
}

static void *interrupter_main(void *writer)
{
	while (!atomic_load(&writer_ready))
		;
	while (!atomic_load(&writer_done))
		pthread_kill(*(pthread_t *)writer, SIGUSR1);
	return NULL;
}

static void check_concurrent(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct reader reader = { 0 };
	pthread_t writer, interrupter;

	open_ring(2, false, 0);
	nmi_sequence = 0;
	atomic_store(&writer_ready, false);
	atomic_store(&writer_done, false);
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&writer, NULL, writer_main, NULL);
	pthread_create(&interrupter, NULL, interrupter_main, &writer);
	while (!atomic_load(&writer_done) && !reader.error)
		drain(&reader);
	pthread_join(interrupter, NULL);
	pthread_join(writer, NULL);
	drain(&reader);

	uint64_t nmis = nmi_sequence, attempts = writer_attempts + nmis,
		 lost = atomic_load(&event.lost);
	uint64_t unseen = writer_attempts - reader.next[0] + nmis - reader.next[1];
	EXPECT_NO_ERROR(reader);
	EXPECT_EQ(reader.records + lost, attempts);
	EXPECT_EQ(reader.skipped + unseen, lost);
	EXPECT_EQ(reader.lost + atomic_load(&ring->lost), lost);
	printf("# %" PRIu64 " records, %" PRIu64 " of them from NMIs, %" PRIu64 " lost\n", attempts,
	       nmis, lost);
	close_ring();
}

static const struct tap_rule rules[] = {
	{ "records of all sizes come back as written, wherever they wrap", check_wraps },
	{ "a full ring refuses, counts, and reports the number in front of the next record",
	  check_full },
	{ "a ring takes all of its size but the last 8 bytes", check_exactly_full },
	{ "an overwrite ring never refuses", check_overwrite },
	{ "written backward, data_head is the newest record and the older ones follow",
	  check_backward },
	{ "whatever user space writes over the metadata page, the kernel's state is its own",
	  check_hostile_user },
	{ "readers are woken each time the watermark is passed; by default at half the ring",
	  check_watermark },
	{ "readers are woken at every wakeup_events-th sample", check_wakeup_events },
	{ "a paused ring loses records and reports them when it goes on", check_paused },
	{ "an event without a ring, or with a metadata page only, writes nothing and loses nothing",
	  check_no_ring },
	{ "when memory runs out at any allocation, nothing is left behind", check_no_memory },
	{ "an NMI at any instruction of a write finds only whole records and tears none",
	  check_nmi_everywhere },
	{ "an NMI at any instruction of a write into a full ring keeps the count of lost records exact",
	  check_nmi_when_full },
	{ "a reader on another CPU gets every record once and in order, or a count of those lost",
	  check_concurrent },
};

TAP_MAIN(rules)
