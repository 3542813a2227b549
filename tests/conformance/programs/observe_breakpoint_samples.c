// SPDX-License-Identifier: BSD-2-Clause
/*
 * Breakpoints as perf events: the fields of their samples, event limits by IOC_REFRESH, and groups.
 */
#include <linux/hw_breakpoint.h>
#include <sys/mman.h>

#include "breakpoint.h"

/* --- samples --- */

static unsigned char record[PAGE_BYTES];

static uint64_t word(unsigned int number)
{
	uint64_t value;

	memcpy(&value, record + 8 + 8 * number, sizeof(value));
	return value;
}

static const char *place(uint64_t address)
{
	return address == (uint64_t)counted_label    ? "the instruction" :
	       address == (uint64_t)after_label	     ? "the one after" :
	       address == (uint64_t)&watched_by_loop ? "the data" :
						       "elsewhere";
}

static void show_samples(const char *when, struct buffer *buffer, bool periods)
{
	const struct perf_event_header *header = (const void *)record;
	int samples = 0, others = 0;

	while (next_record(buffer, record)) {
		if (header->type != PERF_RECORD_SAMPLE) {
			others++;
			continue;
		}
		if (samples++)
			continue;
		show_number(header->size, when, "size");
		show_number(header->misc, when, "misc");
		show(place(word(0)), "%s: instruction", when);
		show(place(word(1)), "%s: address", when);
		if (periods)
			show_number((long long)word(2), when, "period");
	}
	show_number(samples, when, "samples");
	show_number(others, when, "other records");
}

static void sampled(const char *when, uint32_t type, uint64_t period, bool periods)
{
	union attr attr;
	bool executes = type == HW_BREAKPOINT_X;

	attr_breakpoint(&attr, type,
			executes ? (uint64_t)counted_label : (uint64_t)&watched_by_loop, 8);
	attr.fields.disabled = 1;
	attr.fields.sample_period = period;
	attr.fields.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR |
				  (periods ? PERF_SAMPLE_PERIOD : 0);
	int fd = must_open(&attr, -1);
	struct buffer buffer = map_buffer(fd, 8, PROT_READ | PROT_WRITE);

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	counted_loop(20);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	show_number((long long)value_of(fd), when, "count");
	show_samples(when, &buffer, periods);
	unmap_buffer(&buffer);
	close(fd);
}

static void refreshed(void)
{
	union attr attr;

	attr_breakpoint(&attr, HW_BREAKPOINT_X, (uint64_t)counted_label, 8);
	attr.fields.disabled = 1;
	attr.fields.sample_period = 2;
	attr.fields.sample_type = PERF_SAMPLE_IP;
	int fd = must_open(&attr, -1);

	show(outcome_value(ioctl(fd, PERF_EVENT_IOC_REFRESH, 3)), "refresh");
	counted_loop(20);
	show_number((long long)value_of(fd), "refresh", "count at the end");
	show(outcome_value(ioctl(fd, PERF_EVENT_IOC_PERIOD, &(uint64_t){ 5 })), "refresh: period");
	show(outcome_value(ioctl(fd, PERF_EVENT_IOC_REFRESH, 1)), "refresh: again");
	counted_loop(20);
	show_number((long long)value_of(fd), "refresh", "count after the next");
	close(fd);
}

static void groups(void)
{
	union attr attr, other;
	struct {
		uint64_t count, values[3];
	} group;

	attr_instructions(&other);
	other.fields.read_format = PERF_FORMAT_GROUP;
	int leader = must_open(&other, -1);

	attr_breakpoint(&attr, HW_BREAKPOINT_X, (uint64_t)counted_function, 8);
	long first = open_event(&attr, 0, -1, leader, 0);
	show(outcome(first), "group: with instructions");
	attr_dummy(&other);
	other.fields.disabled = 0;
	show(outcome(open_event(&other, 0, -1, leader, 0)), "group: with a software event");
	counted_function();
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	counted_function();
	counted_function();
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	show_number(read(leader, &group, sizeof(group)), "group", "read");
	show_number((long long)group.values[1], "group", "calls");
	show_number((long long)group.values[2], "group", "dummy");
	attr.fields.pinned = 1;
	show(outcome(open_event(&attr, 0, -1, leader, 0)), "group: pinned member");
	attr.fields.pinned = 0;
	long led = open_event(&attr, 0, -1, -1, 0);
	attr_instructions(&other);
	show(outcome(open_event(&other, 0, -1, (int)led, 0)), "group: led by a breakpoint");
	close((int)led);
	close((int)first);
	close(leader);
}

int main(void)
{
	permit_all();
	sampled("each store", HW_BREAKPOINT_W, 1, true);
	sampled("each access", HW_BREAKPOINT_RW, 1, true);
	sampled("each execution", HW_BREAKPOINT_X, 1, true);
	sampled("every third store", HW_BREAKPOINT_W, 3, true);
	sampled("every third execution", HW_BREAKPOINT_X, 3, false);
	refreshed();
	groups();
	return 0;
}
