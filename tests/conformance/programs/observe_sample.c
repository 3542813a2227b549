// SPDX-License-Identifier: BSD-2-Clause
/*
 * What sampling leaves in the ring buffer: how many records of which type and size, every field of a sample
 * that can be known, wake-ups, refresh limits, lost records and read-only buffers. Where a sample was taken
 * is shown as an offset into sampled_work, whose instructions are counted below.
 */
#include <poll.h>
#include <sys/wait.h>

#include "buffer.h"
#include "work.h"

enum { LOOPS = 10000, PERIOD = 1000, RECORD_TYPES = 32, BUFFER_PAGES = 16 };

/*
 * long sampled_work(int fd, uint64_t loops): enables the event, works, disables it. At user level it retires, from
 * behind the enabling syscall on: mov, then dec and jnz for each loop, then mov, mov, mov and the
 * disabling syscall, as in work.h. Alpha's instructions are as many.
 */
long sampled_work(int fd, uint64_t loops);
extern const char sampled_work_loop[];

#ifdef __alpha__
__asm__("	.text\n"
	"	.globl sampled_work, sampled_work_loop\n"
	"	.type sampled_work, @function\n"
	"sampled_work:\n"
	"	lda $30, -32($30)\n"
	"	stq $9, 0($30)\n"
	"	stq $10, 8($30)\n"
	"	stq $11, 16($30)\n"
	"	bis $16, $16, $9\n"
	"	bis $17, $17, $10\n"
	"	ldah $11, 0x2000($31)\n"
	"	lda $11, 0x2400($11)\n"
	"	lda $0, 54($31)\n"
	"	bis $11, $11, $17\n"
	"	bis $31, $31, $18\n"
	"	call_pal 0x83\n"
	"	bis $10, $10, $1\n"
	"sampled_work_loop:\n"
	"	subq $1, 1, $1\n"
	"	bne $1, sampled_work_loop\n"
	"	lda $0, 54($31)\n"
	"	lda $17, 1($11)\n"
	"	bis $9, $9, $16\n"
	"	call_pal 0x83\n"
	"	ldq $9, 0($30)\n"
	"	ldq $10, 8($30)\n"
	"	ldq $11, 16($30)\n"
	"	lda $30, 32($30)\n"
	"	ret $31, ($26), 1\n"
	"	.size sampled_work, . - sampled_work\n");

_Static_assert(SYS_ioctl == 54 && PERF_EVENT_IOC_ENABLE == 0x20002400 &&
		       PERF_EVENT_IOC_DISABLE == 0x20002401,
	       "the numbers in sampled_work");
#else
__asm__(".text\n"
	".globl sampled_work, sampled_work_loop\n"
	"sampled_work:\n"
	"	mov %rsi, %r8\n"
	"	mov %edi, %r9d\n"
	"	mov $16, %eax\n"
	"	mov $0x2400, %esi\n"
	"	xor %edx, %edx\n"
	"	syscall\n"
	"	mov %r8, %rcx\n"
	"sampled_work_loop:\n"
	"	dec %rcx\n"
	"	jnz sampled_work_loop\n"
	"	mov $16, %eax\n"
	"	mov $0x2401, %esi\n"
	"	mov %r9d, %edi\n"
	"	syscall\n"
	"	ret\n");

_Static_assert(SYS_ioctl == 16 && PERF_EVENT_IOC_ENABLE == 0x2400 &&
		       PERF_EVENT_IOC_DISABLE == 0x2401,
	       "the numbers in sampled_work");
#endif

/* Counts the records by type and shows how many there are, and the size and misc of the first of each type. */
static void show_records(struct buffer *buffer, const char *when)
{
	static unsigned char record[65536];
	struct perf_event_header *header = (void *)record;
	unsigned int count[RECORD_TYPES] = { 0 }, size[RECORD_TYPES] = { 0 },
		     misc[RECORD_TYPES] = { 0 };
	char name[64];

	while (next_record(buffer, record)) {
		if (header->type >= RECORD_TYPES)
			continue;
		if (!count[header->type]++) {
			size[header->type] = header->size;
			misc[header->type] = header->misc;
		}
	}
	for (unsigned int type = 0; type < RECORD_TYPES; type++) {
		if (!count[type])
			continue;
		snprintf(name, sizeof(name), "records of type %u", type);
		show_number(count[type], when, name);
		snprintf(name, sizeof(name), "size of type %u", type);
		show_number(size[type], when, name);
		snprintf(name, sizeof(name), "misc of type %u", type);
		show_number(misc[type], when, name);
	}
	show_number((long long)buffer->page->data_head, when, "data_head");
}

static void attr_sampling(union attr *attr, uint64_t sample_type)
{
	attr_instructions(attr);
	attr->fields.sample_period = PERIOD;
	attr->fields.sample_type = sample_type;
}

/* One bit of sample_type at a time: the record's size, and what its one field holds where that can be known. */
static void one_field_each(void)
{
	static const struct {
		const char *name;
		uint64_t bit;
		bool known; /* the same in every run */
	} fields[] = {
		{ "nothing", 0, false },
		{ "TID", PERF_SAMPLE_TID, false },
		{ "TIME", PERF_SAMPLE_TIME, false },
		{ "ADDR", PERF_SAMPLE_ADDR, true },
		{ "READ", PERF_SAMPLE_READ, true },
		{ "ID", PERF_SAMPLE_ID, false },
		{ "CPU", PERF_SAMPLE_CPU, true },
		{ "PERIOD", PERF_SAMPLE_PERIOD, true },
		{ "STREAM_ID", PERF_SAMPLE_STREAM_ID, false },
		{ "RAW", PERF_SAMPLE_RAW, true },
		{ "WEIGHT", PERF_SAMPLE_WEIGHT, true },
		{ "DATA_SRC", PERF_SAMPLE_DATA_SRC, true },
		{ "IDENTIFIER", PERF_SAMPLE_IDENTIFIER, false },
		{ "TRANSACTION", PERF_SAMPLE_TRANSACTION, true },
	};
	union attr attr;
	uint64_t record[64];
	char name[64];

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		struct buffer buffer;
		int fd;

		attr_sampling(&attr, fields[i].bit);
		fd = must_open(&attr, -1);
		buffer = map_buffer(fd, BUFFER_PAGES, PROT_READ | PROT_WRITE);
		show(outcome_value(sampled_work(fd, LOOPS)), "%s: work", fields[i].name);
		for (int n = 1; fields[i].known && next_record(&buffer, record) > 8; n++) {
			snprintf(name, sizeof(name), "sample %d", n);
			show_number((long long)record[1], fields[i].name, name);
		}
		buffer.at = 0;
		show_records(&buffer, fields[i].name);
		unmap_buffer(&buffer);
		close(fd);
	}
}

/* The instruction pointers of all samples, for many periods: each is behind the instruction that overflowed. */
static void places(void)
{
	static const uint64_t periods[] = { 50, 51, 99, 100, 127, 128, 1000, 1001, 4097 };
	union attr attr;
	uint64_t record[64];
	char when[64], name[64];

	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		struct buffer buffer;
		int fd;

		attr_sampling(&attr, PERF_SAMPLE_IP);
		attr.fields.sample_period = periods[i];
		fd = must_open(&attr, -1);
		buffer = map_buffer(fd, BUFFER_PAGES, PROT_READ | PROT_WRITE);
		snprintf(when, sizeof(when), "period %llu", (unsigned long long)periods[i]);
		sampled_work(fd, periods[i] * 10);
		for (int n = 1; next_record(&buffer, record); n++) {
			snprintf(name, sizeof(name), "ip of sample %d", n);
			show_number((long long)(record[1] - (uint64_t)sampled_work_loop), when,
				    name);
		}
		unmap_buffer(&buffer);
		close(fd);
	}
}

/* All fields at once: their order and what must agree with what else is known. */
static void all_fields(void)
{
	union attr attr;
	uint64_t record[64], id = 0, last_time = 0;
	struct buffer buffer;
	bool ids = true, tasks = true, times = true, sizes = true;
	size_t size;
	int fd, samples = 0;

	attr_sampling(&attr, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				     PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
				     PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
				     PERF_SAMPLE_READ);
	attr.fields.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	fd = must_open(&attr, -1);
	ioctl(fd, PERF_EVENT_IOC_ID, &id);
	buffer = map_buffer(fd, BUFFER_PAGES, PROT_READ | PROT_WRITE);
	sampled_work(fd, LOOPS);
	while ((size = next_record(&buffer, record))) {
		/* header, identifier, ip, pid and tid, time, addr, id, stream id, cpu, period, value, id, lost */
		samples++;
		sizes = sizes && size == 13 * 8;
		ids = ids && record[1] == id && record[6] == id && record[7] == id &&
		      record[11] == id;
		tasks = tasks && (uint32_t)record[3] == (uint32_t)getpid() &&
			record[3] >> 32 == (uint32_t)syscall(SYS_gettid);
		times = times && record[4] > last_time;
		last_time = record[4];
		if (samples == 3) {
			show_number((long long)record[8], "all fields", "cpu");
			show_number((long long)record[9], "all fields", "period");
			show_number((long long)record[10], "all fields", "value");
			show_number((long long)record[12], "all fields", "lost");
		}
	}
	show_number(samples, "all fields", "samples");
	show(sizes ? "yes" : "no", "all fields: sizes are right");
	show(ids ? "yes" : "no", "all fields: ids are right");
	show(tasks ? "yes" : "no", "all fields: pid and tid are right");
	show(times ? "yes" : "no", "all fields: times grow");
	unmap_buffer(&buffer);
	close(fd);
}

/* A group's values in the leader's samples. */
static void group_read(void)
{
	union attr attr;
	uint64_t record[64];
	struct buffer buffer;
	char name[64];
	int leader, member;

	attr_sampling(&attr, PERF_SAMPLE_READ);
	attr.fields.read_format = PERF_FORMAT_GROUP;
	leader = must_open(&attr, -1);
	attr_instructions(&attr);
	attr.fields.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
	WORK_FIT_MEMBER(&attr.fields, 1);
	attr.fields.disabled = 0;
	member = must_open(&attr, leader);
	buffer = map_buffer(leader, BUFFER_PAGES, PROT_READ | PROT_WRITE);
	sampled_work(leader, LOOPS);
	for (int n = 1; next_record(&buffer, record); n++) {
		snprintf(name, sizeof(name), "members in sample %d", n);
		show_number((long long)record[1], "group", name);
		snprintf(name, sizeof(name), "instructions in sample %d", n);
		show_number((long long)record[2], "group", name);
		snprintf(name, sizeof(name), "branches in sample %d", n);
		show_number((long long)record[3], "group", name);
	}
	unmap_buffer(&buffer);
	close(member);
	close(leader);
}

/* REFRESH lets so many samples pass, then the event is off and poll says so. */
static void refresh(void)
{
	static const int limits[] = { 1, 2, 5, 100 };
	union attr attr;
	char when[64];

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct pollfd waiting = { .events = POLLIN };
		struct buffer buffer;
		uint64_t value = 0;
		int fd;

		attr_sampling(&attr, PERF_SAMPLE_IP);
		attr.fields.wakeup_events = 1;
		fd = must_open(&attr, -1);
		buffer = map_buffer(fd, BUFFER_PAGES, PROT_READ | PROT_WRITE);
		snprintf(when, sizeof(when), "refresh by %d", limits[i]);
		waiting.fd = fd;
		show_number(poll(&waiting, 1, 0), when, "poll before");
		/* Enabling it once more changes nothing; disabling ends it. */
#ifdef __alpha__
		/* Printing alone takes more than two periods. */
		int answer = ioctl(fd, PERF_EVENT_IOC_REFRESH, limits[i]);

		sampled_work(fd, LOOPS);
		show_number(answer, when, "ioctl");
#else
		show_number(ioctl(fd, PERF_EVENT_IOC_REFRESH, limits[i]), when, "ioctl");
		sampled_work(fd, LOOPS);
#endif
		show_records(&buffer, when);
		show_number(poll(&waiting, 1, 0), when, "poll after");
		show_number(waiting.revents & (POLLIN | POLLHUP | POLLERR), when, "revents");
		show(read(fd, &value, sizeof(value)) == sizeof(value) && value % PERIOD == 0 ?
			     "yes" :
			     "no",
		     "%s: stopped on a sample", when);
		unmap_buffer(&buffer);
		close(fd);
	}
}

/* When poll finds something: by records and by bytes. */
static void wakeups(void)
{
	static const struct {
		const char *name;
		bool watermark;
		uint32_t wakeup;
	} rows[] = {
		{ "wake-up never", false, 0 },		{ "wake-up by 1 record", false, 1 },
		{ "wake-up by 20 records", false, 20 }, { "wake-up by 21 records", false, 21 },
		{ "wake-up by 16 bytes", true, 16 },	{ "wake-up by 320 bytes", true, 320 },
		{ "wake-up by 336 bytes", true, 336 },	{ "wake-up by 0 bytes", true, 0 },
	};
	union attr attr;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pollfd waiting = { .events = POLLIN };
		struct buffer buffer;
		int fd;

		attr_sampling(&attr, PERF_SAMPLE_IP);
		attr.fields.watermark = rows[i].watermark;
		attr.fields.wakeup_events = rows[i].wakeup;
		fd = must_open(&attr, -1);
		buffer = map_buffer(fd, BUFFER_PAGES, PROT_READ | PROT_WRITE);
		waiting.fd = fd;
		sampled_work(fd, LOOPS);
		show_number(poll(&waiting, 1, 0), rows[i].name, "poll");
		show_number(waiting.revents, rows[i].name, "revents");
		waiting.revents = 0;
		show_number(poll(&waiting, 1, 0), rows[i].name, "poll again");
		unmap_buffer(&buffer);
		close(fd);
	}
}

/* What 256 samples of fill a page: more of them in so short a time would be throttled. */
#ifdef __alpha__
#define FILL_FIELDS (PERF_SAMPLE_IP | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID)
#else
#define FILL_FIELDS PERF_SAMPLE_IP
#endif

/* A buffer of a page that nobody empties, and one that cannot be written: 320 samples. */
static void full_buffers(void)
{
	static const struct {
		const char *name;
		int protection;
		bool backward;
	} rows[] = {
		{ "full buffer", PROT_READ | PROT_WRITE, false },
		{ "read-only buffer", PROT_READ, false },
		{ "backward buffer", PROT_READ | PROT_WRITE, true },
		{ "backward read-only buffer", PROT_READ, true },
	};
	union attr attr;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buffer buffer;
		uint64_t values[2] = { 0 };
		int fd;

		attr_sampling(&attr, FILL_FIELDS);
		attr.fields.sample_period = 100;
		attr.fields.read_format = PERF_FORMAT_LOST;
		attr.fields.write_backward = rows[i].backward;
		fd = must_open(&attr, -1);
		buffer = map_buffer(fd, 1, rows[i].protection);
		sampled_work(fd, 16000);
		show_number((long long)buffer.page->data_head, rows[i].name, "head");
		show_number(read(fd, values, sizeof(values)), rows[i].name, "read");
		show_number((long long)values[0], rows[i].name, "value");
		show_number((long long)values[1], rows[i].name, "lost");
		if (rows[i].protection & PROT_WRITE && !rows[i].backward) {
			show_records(&buffer, rows[i].name);
			/* Emptied, it takes the record of what was lost, and goes on. */
			__atomic_store_n(&buffer.page->data_tail, buffer.at, __ATOMIC_RELEASE);
			sampled_work(fd, 1000);
			show_records(&buffer, "emptied buffer");
		}
		unmap_buffer(&buffer);
		close(fd);
	}
}

/* Records beside samples: of a child that is counted too, and of changes to the period. */
static void others(void)
{
	static const uint64_t period = 500;
	union attr attr;
	struct buffer buffer;
	int fd, other;

	attr_sampling(&attr, PERF_SAMPLE_IP);
	attr.fields.sample_id_all = 1;
	fd = must_open(&attr, -1);
	buffer = map_buffer(fd, BUFFER_PAGES, PROT_READ | PROT_WRITE);
	sampled_work(fd, 1000);
	show_number(ioctl(fd, PERF_EVENT_IOC_PERIOD, &period), "period changed", "ioctl");
	sampled_work(fd, 1000);
	show_records(&buffer, "period changed");

	/* Another event's records go into the same buffer. */
	attr_sampling(&attr, PERF_SAMPLE_IP | PERF_SAMPLE_CPU);
	other = must_open(&attr, -1);
	show(outcome(ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, fd)), "redirected: ioctl");
	sampled_work(other, LOOPS);
	show_records(&buffer, "redirected");

	show(outcome(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1)), "paused: ioctl");
	sampled_work(other, LOOPS);
	show_records(&buffer, "paused");
	show(outcome(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0)), "resumed: ioctl");
	sampled_work(other, LOOPS);
	show_records(&buffer, "resumed");
	close(other);
	unmap_buffer(&buffer);
	close(fd);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, PAGE_BYTES);
	one_field_each();
	places();
	all_fields();
	group_read();
	refresh();
	wakeups();
	full_buffers();
	others();
	return 0;
}
