// SPDX-License-Identifier: BSD-2-Clause
/*
 * Samples and the buffer: event limits by IOC_REFRESH, wake-ups, and buffers that are full.
 */
#include <poll.h>

#include "sampled_work.h"

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

		attr_sampling(&attr, PERIOD, PERF_SAMPLE_IP);
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

		attr_sampling(&attr, PERIOD, PERF_SAMPLE_IP);
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

/* 256 samples with these fields fill a page: more samples in so short a time would be throttled. */
#ifdef __alpha__
#define FILL_FIELDS (PERF_SAMPLE_IP | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID)
#else
#define FILL_FIELDS PERF_SAMPLE_IP
#endif

/* A buffer of a page that no reader empties, and one that cannot be written: 320 samples. */
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

		attr_sampling(&attr, 100, FILL_FIELDS);
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

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, PAGE_BYTES);
	refresh();
	wakeups();
	full_buffers();
	return 0;
}
