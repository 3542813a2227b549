// SPDX-License-Identifier: BSD-2-Clause
/*
 * Samples: each field by itself, all fields, samples of groups, and the places that they name.
 */
#include <sys/wait.h>

#include "sampled_work.h"
#include "work.h"

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

		attr_sampling(&attr, PERIOD, fields[i].bit);
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

/* The instruction pointers of all samples, for many periods: each is after the overflowing instruction. */
static void places(void)
{
	static const uint64_t periods[] = { 50, 51, 99, 100, 127, 128, 1000, 1001, 4097 };
	union attr attr;
	uint64_t record[64];
	char when[64], name[64];

	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		struct buffer buffer;
		int fd;

		attr_sampling(&attr, periods[i], PERF_SAMPLE_IP);
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

	attr_sampling(&attr, PERIOD,
		      PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			      PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
			      PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ);
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

	attr_sampling(&attr, PERIOD, PERF_SAMPLE_READ);
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

/* Records beside samples: of a child that is counted too, and of changes to the period. */
static void others(void)
{
	static const uint64_t period = 500;
	union attr attr;
	struct buffer buffer;
	int fd, other;

	attr_sampling(&attr, PERIOD, PERF_SAMPLE_IP);
	attr.fields.sample_id_all = 1;
	fd = must_open(&attr, -1);
	buffer = map_buffer(fd, BUFFER_PAGES, PROT_READ | PROT_WRITE);
	sampled_work(fd, 1000);
	show_number(ioctl(fd, PERF_EVENT_IOC_PERIOD, &period), "period changed", "ioctl");
	sampled_work(fd, 1000);
	show_records(&buffer, "period changed");

	/* Another event's records go into the same buffer. */
	attr_sampling(&attr, PERIOD, PERF_SAMPLE_IP | PERF_SAMPLE_CPU);
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
	others();
	return 0;
}
