// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of splice from an event's ring into a pipe, which Linux does not have: docs/abi-differences.md.
 *
 * The records are COMM: one for each name that a task gives itself. The names are numbers here, so that
 * the bytes from the pipe are known.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "child.h"
#include "event.h"
#include "process.h"

#define SPLICE_F_NONBLOCK 2
#define PIPE_BYTES	  (16 * PAGE)
#define NAMES		  3000 /* that a child gives itself while the parent splices */

struct record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[8];
};

struct lost {
	struct perf_event_header header;
	uint64_t id, lost;
};

static int event, ends[2];
static struct perf_event_mmap_page *page;
static size_t mapped;

static ssize_t splice_event(size_t size, unsigned int flags)
{
	return syscall(__NR_splice, event, NULL, ends[1], NULL, size, flags);
}

static struct perf_event_attr comm_attr(void)
{
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_DUMMY);

	attr.disabled = 0;
	attr.comm = 1;
	attr.read_format = PERF_FORMAT_LOST;
	attr.watermark = 1;
	attr.wakeup_watermark = 1;
	return attr;
}

static void map(size_t pages, int protection)
{
	mapped = (1 + pages) * PAGE;
	page = mmap(NULL, mapped, protection, MAP_SHARED, event, 0);
	EXPECT(page != MAP_FAILED);
}

static void open_ring(pid_t pid, size_t pages)
{
	struct perf_event_attr attr = comm_attr();

	event = must_open(&attr, pid, -1, -1);
	map(pages, PROT_READ | PROT_WRITE);
	EXPECT_EQ(pipe(ends), 0);
}

static void close_ring(void)
{
	if (mapped)
		munmap(page, mapped);
	mapped = 0;
	close(event);
	close(ends[0]);
	close(ends[1]);
}

static void name_oneself(unsigned int number)
{
	char name[8];

	snprintf(name, sizeof(name), "%07u", number);
	prctl(PR_SET_NAME, name, 0, 0, 0);
}

static void name_oneself_often(unsigned int first, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		name_oneself(first + i);
}

static void expect_record(const struct record *record, unsigned int number)
{
	char name[8];

	snprintf(name, sizeof(name), "%07u", number);
	EXPECT_EQ(record->header.type, PERF_RECORD_COMM);
	EXPECT_EQ(record->header.size, sizeof(*record));
	EXPECT_STR(record->name, name);
}

/* The next COUNT records in the pipe have the names from FIRST on. */
static void expect_in_pipe(unsigned int first, unsigned int count)
{
	struct record record;

	for (unsigned int i = 0; i < count && !tap_failed; i++) {
		EXPECT_EQ(read(ends[0], &record, sizeof(record)), sizeof(record));
		expect_record(&record, first + i);
	}
}

#define EXPECT_ERROR(call_, error_)       \
	do {                              \
		EXPECT_EQ(call_, -1);     \
		EXPECT_EQ(errno, error_); \
	} while (0)

/* --- rules --- */

static void moves_whole_records(void)
{
	const size_t size = sizeof(struct record);

	open_ring(0, 1);
	EXPECT_ERROR(splice_event(PIPE_BYTES, SPLICE_F_NONBLOCK), EAGAIN);
	name_oneself_often(0, 10);
	EXPECT_ERROR(splice_event(size - 1, 0), ENOSPC);
	EXPECT_EQ(page->data_tail, 0);
	EXPECT_EQ(splice_event(2 * size + 1, 0), 2 * size);
	EXPECT_EQ(page->data_tail, 2 * size);
	EXPECT_EQ(splice_event(PIPE_BYTES, 0), 8 * size);
	EXPECT_EQ(page->data_tail, 10 * size);
	EXPECT_EQ(page->data_head, 10 * size);
	EXPECT_ERROR(splice_event(PIPE_BYTES, SPLICE_F_NONBLOCK), EAGAIN);
	fcntl(event, F_SETFL, O_NONBLOCK);
	EXPECT_ERROR(splice_event(PIPE_BYTES, 0), EAGAIN);
	expect_in_pipe(0, 10);
	close_ring();
}

static void wraps(void)
{
	open_ring(0, 1);
	for (unsigned int i = 0; i < 100; i++) {
		name_oneself_often(7 * i, 7);
		EXPECT_EQ(splice_event(PIPE_BYTES, 0), 7 * sizeof(struct record));
		expect_in_pipe(7 * i, 7);
	}
	EXPECT_EQ(page->data_tail, 700 * sizeof(struct record));
	close_ring();
}

static void shares_with_a_reader(void)
{
	open_ring(0, 1);
	name_oneself_often(0, 5);
	page->data_tail = 2 * sizeof(struct record); /* read in the mapping */
	EXPECT_EQ(splice_event(sizeof(struct record), 0), sizeof(struct record));
	expect_in_pipe(2, 1);
	page->data_head = 1 << 20; /* not the kernel's */
	EXPECT_EQ(splice_event(PIPE_BYTES, 0), 2 * sizeof(struct record));
	expect_in_pipe(3, 2);
	close_ring();
}

static void waits_for_room(void)
{
	static char bytes[PIPE_BYTES];
	const size_t size = sizeof(struct record), count = PAGE / size + 30;

	open_ring(0, 2);
	name_oneself_often(0, count);
	EXPECT_EQ(write(ends[1], bytes, PIPE_BYTES - PAGE), PIPE_BYTES - PAGE);
	EXPECT_EQ(splice_event(PIPE_BYTES, SPLICE_F_NONBLOCK), PAGE / size * size);
	EXPECT_EQ(page->data_tail, PAGE / size * size);
	EXPECT_ERROR(splice_event(PIPE_BYTES, SPLICE_F_NONBLOCK), EAGAIN);
	EXPECT_EQ(page->data_tail, PAGE / size * size);
	EXPECT_EQ(read(ends[0], bytes, PIPE_BYTES - PAGE), PIPE_BYTES - PAGE);
	expect_in_pipe(0, PAGE / size);
	EXPECT_EQ(splice_event(PIPE_BYTES, 0), (count - PAGE / size) * size);
	expect_in_pipe(PAGE / size, count - PAGE / size);
	close_ring();
}

static void without_readers(void)
{
	open_ring(0, 1);
	name_oneself(0);
	close(ends[0]);
	signal(SIGPIPE, SIG_IGN);
	EXPECT_ERROR(splice_event(PIPE_BYTES, 0), EPIPE);
	signal(SIGPIPE, SIG_DFL);
	EXPECT_EQ(page->data_tail, 0);
	close_ring();
}

static volatile int *gate;

/* The ring is empty: an event that reports names reports forks, too. Then the child may go on. */
static void forget_fork(void)
{
	page->data_tail = page->data_head;
	*gate = 1;
	pause_ms(20);
}

/* Splices one record, for which it waits. */
static void splice_one(void)
{
	wait_for(gate, 1);
	ssize_t size = splice_event(PIPE_BYTES, 0);

	_exit(size == sizeof(struct record) ? 0 : 1);
}

static void waits_for_records(void)
{
	open_ring(0, 1);
	*gate = 0;
	pid_t child = start(splice_one);
	forget_fork();
	name_oneself(42);
	EXPECT_EQ(status_of(child), 0);
	expect_in_pipe(42, 1);
	close_ring();
}

static void on_alarm(int number)
{
	(void)number;
}

static void a_signal_ends_it(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval soon = { .it_value = { .tv_usec = 20000 },
				  .it_interval = { .tv_usec = 20000 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };

	open_ring(0, 1);
	sigaction(SIGALRM, &action, NULL);
	syscall(__NR_setitimer, ITIMER_REAL, &soon, NULL);
	EXPECT_ERROR(splice_event(PIPE_BYTES, 0), EINTR);
	syscall(__NR_setitimer, ITIMER_REAL, &never, NULL);
	close_ring();
}

static void unmapping_ends_it(void)
{
	int status[2];
	char byte;

	/* The child has the ring only through the descriptor: mappings of events are not copied. */
	open_ring(0, 1);
	EXPECT_EQ(pipe(status), 0);
	*gate = 0;
	pid_t child = fork();
	if (child == 0) {
		wait_for(gate, 1);
		byte = splice_event(PIPE_BYTES, 0) == -1 && errno == EINVAL ? 'y' : 'n';
		_exit(write(status[1], &byte, 1) != 1);
	}
	forget_fork();
	munmap(page, mapped);
	mapped = 0;
	EXPECT_EQ(read(status[0], &byte, 1), 1);
	EXPECT_EQ(byte, 'y');
	EXPECT_EQ(status_of(child), 0);
	close(status[0]);
	close(status[1]);
	close_ring();
}

/* Names itself once it may. */
static void named_child(void)
{
	wait_for(gate, 1);
	name_oneself_often(0, NAMES);
	_exit(0);
}

static void ends_with_the_event(void)
{
	unsigned int records = 0, names = 0;
	struct {
		uint64_t value, lost;
	} count;
	ssize_t size;

	*gate = 0;
	pid_t child = start(named_child);
	open_ring(child, 1);
	*gate = 1;
	while ((size = splice_event(PIPE_BYTES, 0)) > 0) {
		while (size > 0 && !tap_failed) {
			union {
				struct record comm;
				struct lost lost;
				char bytes[64];
			} record;
			const struct perf_event_header *header = &record.comm.header;

			EXPECT_EQ(read(ends[0], &record, sizeof(*header)), sizeof(*header));
			EXPECT_EQ(read(ends[0], record.bytes + sizeof(*header),
				       header->size - sizeof(*header)),
				  header->size - sizeof(*header));
			size -= header->size;
			if (header->type == PERF_RECORD_LOST) {
				names += (unsigned int)record.lost.lost;
				continue;
			}
			records++;
			if (header->type != PERF_RECORD_EXIT)
				expect_record(&record.comm, names++);
		}
	}
	EXPECT_EQ(size, 0);
	/* No record reports the last loss. */
	EXPECT_EQ(read(event, &count, sizeof(count)), sizeof(count));
	EXPECT_EQ(records + count.lost, NAMES + 1); /* and the end */
	EXPECT_EQ(splice_event(PIPE_BYTES, SPLICE_F_NONBLOCK), 0);
	EXPECT_EQ(status_of(child), 0);
	close_ring();
}

static void refuses_impossible_splices(void)
{
	struct perf_event_attr attr = comm_attr();
	uint64_t position = 0;

	event = must_open(&attr, 0, -1, -1);
	EXPECT_EQ(pipe(ends), 0);
	EXPECT_ERROR(splice_event(PIPE_BYTES, 0), EINVAL); /* no ring */
	map(0, PROT_READ | PROT_WRITE);
	EXPECT_ERROR(splice_event(PIPE_BYTES, 0), EINVAL); /* no data pages */
	close_ring();

	event = must_open(&attr, 0, -1, -1);
	EXPECT_EQ(pipe(ends), 0);
	map(1, PROT_READ);
	EXPECT_ERROR(splice_event(PIPE_BYTES, 0), EINVAL); /* a data_tail that no program set */
	close_ring();

	attr.write_backward = 1;
	event = must_open(&attr, 0, -1, -1);
	EXPECT_EQ(pipe(ends), 0);
	map(1, PROT_READ | PROT_WRITE);
	EXPECT_ERROR(splice_event(PIPE_BYTES, 0), EINVAL);
	close_ring();

	open_ring(0, 1);
	name_oneself(0);
	EXPECT_ERROR(syscall(__NR_splice, event, &position, ends[1], NULL, 100, 0), EINVAL);
	EXPECT_ERROR(syscall(__NR_splice, event, NULL, event, NULL, 100, 0), EINVAL);
	EXPECT_ERROR(syscall(__NR_splice, event, NULL, ends[0], NULL, 100, 0), EBADF);
	EXPECT_ERROR(splice_event(100, 16), EINVAL);
	EXPECT_EQ(splice_event(0, 0), 0);
	close_ring();
}

/* data_tail is user space's: a position that is no record's beginning is refused, and nothing moves. */
static void refuses_wrong_tails(void)
{
	static const uint64_t tails[] = { 1, 7, 8, 8192, ~0ull, ~7ull, 1ull << 63, 80 };

	open_ring(0, 1);
	name_oneself_often(0, 3); /* 3 times 24 bytes */
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		page->data_tail = tails[i];
		EXPECT_EQ_AT(splice_event(PIPE_BYTES, SPLICE_F_NONBLOCK), -1, "tail %llu",
			     (unsigned long long)tails[i]);
		EXPECT_EQ(errno, EINVAL);
		EXPECT_EQ(page->data_tail, tails[i]);
	}
	page->data_tail = 0;
	EXPECT_EQ(splice_event(PIPE_BYTES, 0), 3 * sizeof(struct record));
	expect_in_pipe(0, 3);
	close_ring();
}

static const struct tap_rule rules[] = {
	{ "splice moves whole records, as many as the length has room for, and data_tail after them",
	  moves_whole_records },
	{ "records that go round the ring come out in one piece", wraps },
	{ "splice goes on at the data_tail of a reader of the mapping, and ignores its data_head",
	  shares_with_a_reader },
	{ "records without room in the pipe stay in the ring", waits_for_room },
	{ "a pipe without readers is EPIPE, and the records stay", without_readers },
	{ "splice of an empty ring waits for a record", waits_for_records },
	{ "a signal ends the waiting: EINTR", a_signal_ends_it },
	{ "the end of the last mapping ends the waiting: EINVAL", unmapping_ends_it },
	{ "all records of a task's event come out, and 0 after the task's exit",
	  ends_with_the_event },
	{ "splice of a file without a readable ring is EINVAL", refuses_impossible_splices },
	{ "a data_tail at which no record begins is EINVAL and stays as it is",
	  refuses_wrong_tails },
};

int main(void)
{
	gate = share(PAGE);
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
