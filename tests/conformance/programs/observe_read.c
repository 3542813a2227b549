// SPDX-License-Identifier: BSD-2-Clause
/*
 * The values of read() for every read_format, alone and as a group, with buffers of every size, and the
 * counts of known work. Times are shown only as far as they must agree with each other.
 */
#include "observe.h"
#include "work.h"

/* The members beside instructions in a group: on the EV67 cycles, and an event that counts nothing. */
#ifdef __alpha__
#define SECOND_CONFIG PERF_COUNT_HW_CPU_CYCLES
#define THIRD_CONFIG  PERF_COUNT_SW_DUMMY
#define THIRD_TYPE(attr, i) \
	((attr).fields.type = (i) == 2 ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE)
#else
#define SECOND_CONFIG	    PERF_COUNT_HW_BRANCH_INSTRUCTIONS
#define THIRD_CONFIG	    PERF_COUNT_HW_INSTRUCTIONS
#define THIRD_TYPE(attr, i) ((void)(attr))
#endif

enum { FORMATS = 32, LOOPS = 1000, WORDS_MAX = 64, GROUP = 3 };

static void show_sizes(int fd, const char *name, unsigned int format)
{
	uint64_t words[WORDS_MAX];
	long smallest = -1;

	for (long size = 0; size <= (long)sizeof(words); size++) {
		long got = read(fd, words, size);

		if (got >= 0 && size > 0) {
			smallest = size;
			show(outcome_value(got), "read_format %u, %s: bytes read", format, name);
			break;
		}
		if (size == 0)
			show(outcome_value(got), "read_format %u, %s: read of 0 bytes", format,
			     name);
		if (size == 1)
			show(outcome_value(got), "read_format %u, %s: read of 1 byte", format,
			     name);
	}
	show(outcome_value(smallest), "read_format %u, %s: least size", format, name);
	show(outcome_value(read(fd, words, sizeof(words))), "read_format %u, %s: large buffer",
	     format, name);
	show(outcome_value(syscall(SYS_read, fd, 8, sizeof(words))),
	     "read_format %u, %s: bad buffer", format, name);
}

/* Walks what read() of FD gives by its format and shows what is known of each field; FDS: whose they are. */
static void show_fields(int fd, const int *fds, int members, unsigned int format, const char *name)
{
	uint64_t words[WORDS_MAX] = { 0 }, id;
	long size = read(fd, words, sizeof(words));
	size_t at = 0;
	uint64_t count = 1;
	char text[64];

	if (size < 0)
		return;
	if (format & PERF_FORMAT_GROUP) {
		count = words[at++];
		snprintf(text, sizeof(text), "%llu", (unsigned long long)count);
		show(text, "read_format %u, %s: nr", format, name);
	} else {
		at++;
	}
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		show(words[at++] ? "set" : "zero", "read_format %u, %s: time_enabled", format,
		     name);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		show(words[at++] ? "set" : "zero", "read_format %u, %s: time_running", format,
		     name);
	if ((format & 3) == 3)
		show(words[at - 1] == words[at - 2] ? "all of it" : "a part",
		     "read_format %u, %s: ran", format, name);
	for (uint64_t i = 0; i < count && i < (uint64_t)members; i++) {
		uint64_t value = format & PERF_FORMAT_GROUP ? words[at++] : words[0];

		snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
		show(text, "read_format %u, %s: value of member %d", format, name, (int)i);
		if (format & PERF_FORMAT_ID) {
			ioctl(fds[i], PERF_EVENT_IOC_ID, &id);
			show(id == words[at++] ? "right" : "wrong",
			     "read_format %u, %s: id of member %d", format, name, (int)i);
		}
		if (format & PERF_FORMAT_LOST) {
			snprintf(text, sizeof(text), "%llu", (unsigned long long)words[at++]);
			show(text, "read_format %u, %s: lost of member %d", format, name, (int)i);
		}
	}
	show(at * 8 == (uint64_t)size ? "all" : "not all", "read_format %u, %s: bytes explained",
	     format, name);
}

/* Events that count the work alone, and as a group of three: instructions, branches, instructions. */
static void formats(void)
{
	static const uint64_t configs[GROUP] = { PERF_COUNT_HW_INSTRUCTIONS, SECOND_CONFIG,
						 THIRD_CONFIG };
	union attr attr;
	int fds[GROUP];

	for (unsigned int format = 0; format < FORMATS; format++) {
		attr_instructions(&attr);
		attr.fields.read_format = format;
		fds[0] = must_open(&attr, -1);
		show(outcome(work_counted(fds[0], LOOPS)), "read_format %u, alone: work", format);
		show_sizes(fds[0], "alone", format);
		show_fields(fds[0], fds, 1, format, "alone");
		for (int i = 1; i < GROUP; i++) {
			attr.fields.config = configs[i];
			THIRD_TYPE(attr, i);
			attr.fields.disabled = 0;
			fds[i] = must_open(&attr, fds[0]);
		}
		ioctl(fds[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
		show(outcome(work_counted(fds[0], LOOPS)), "read_format %u, group: work", format);
		show_sizes(fds[0], "group", format);
		show_fields(fds[0], fds, GROUP, format, "group");
		if (format & PERF_FORMAT_GROUP)
			show_fields(fds[1], fds, GROUP, format, "member");
		else
			show_fields(fds[1], &fds[1], 1, format, "member");
		for (int i = 0; i < GROUP; i++)
			close(fds[i]);
	}
	show(outcome((attr.fields.read_format = FORMATS, open_event(&attr, 0, -1, -1, 0))),
	     "read_format %d", FORMATS);
}

/* Known work of several lengths, counted by events that count it all, a part, or nothing. Not every AMD CPU
 * has reference cycles. */
static void counts(void)
{
	static const uint64_t lengths[] = { 1, 2, 1000, 100000, 10000000 };
	static const struct {
		const char *name;
		uint64_t config;
		bool user, kernel;
	} events[] = {
		{ "instructions:u", PERF_COUNT_HW_INSTRUCTIONS, true, false },
#ifndef __alpha__
		{ "branches:u", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, true, false },
#endif
		{ "cycles:u", PERF_COUNT_HW_CPU_CYCLES, true, false },
#ifndef __alpha__
		{ "ref-cycles:u", PERF_COUNT_HW_REF_CPU_CYCLES, true, false },
		{ "instructions of no mode", PERF_COUNT_HW_INSTRUCTIONS, false, false },
#endif
	};
	union attr attr;
	uint64_t value;

	for (size_t event = 0; event < sizeof(events) / sizeof(events[0]); event++) {
		for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
			char text[64];
			int fd;

			attr_instructions(&attr);
			attr.fields.config = events[event].config;
			attr.fields.exclude_user = !events[event].user;
			attr.fields.exclude_kernel = !events[event].kernel;
			fd = (int)open_event(&attr, 0, -1, -1, 0);
			if (fd < 0) {
				show(outcome(fd), "%s: open", events[event].name);
				break;
			}
			show(outcome(work_counted(fd, lengths[i])), "%s, %llu loops: work",
			     events[event].name, (unsigned long long)lengths[i]);
			if (read(fd, &value, sizeof(value)) != sizeof(value))
				value = 0;
			snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
			show(text, "%s, %llu loops", events[event].name,
			     (unsigned long long)lengths[i]);
			close(fd);
		}
	}
}

/* Other operations on an event's file. */
static void file_operations(void)
{
	union attr attr;
	uint64_t value = 0;
	int fd, copy;

	attr_instructions(&attr);
	fd = must_open(&attr, -1);
	show(outcome_value(write(fd, &value, sizeof(value))), "write");
	show(outcome_value(lseek(fd, 0, SEEK_SET)), "lseek");
	copy = dup(fd);
	show(outcome(copy), "dup");
	show(outcome_value(close(fd)), "close");
	show(outcome(work_counted(copy, LOOPS)), "work counted through the copy");
	show(outcome_value(read(copy, &value, sizeof(value))), "read through the copy");
	show(value == WORK_INSTRUCTIONS(LOOPS) ? "exact" : "not exact", "its value");
	show(outcome_value(close(copy)), "close of the copy");
	show(outcome_value(read(copy, &value, sizeof(value))), "read after close");
	show(outcome_value(close(copy)), "close after close");
}

int main(void)
{
	char text[64];

	setvbuf(stdout, NULL, _IOFBF, PAGE_BYTES);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)WORK_INSTRUCTIONS(LOOPS));
	show(text, "instructions derived by hand for %d loops", LOOPS);
	formats();
	counts();
	file_operations();
	return 0;
}
