// SPDX-License-Identifier: BSD-2-Clause
/*
 * ioctl on an event's file: each request, with good and bad arguments, on counting and sampling events,
 * leaders and siblings; and the effect of enabling and disabling on the count.
 */
#include "observe.h"
#include "work.h"

enum { LOOPS = 100 };

static uint64_t value_of(int fd)
{
	uint64_t value = 0;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		return ~0ULL;
	return value;
}

static void show_value(int fd, const char *name)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value_of(fd));
	show(text, "%s", name);
}

static void try(int fd, unsigned long request, unsigned long argument, const char *name)
{
	show(outcome_value(ioctl(fd, request, argument)), "%s", name);
}

/* Every request with arguments on both sides of what it takes. */
static void requests(const char *kind, int fd)
{
	static const struct {
		const char *name;
		unsigned long request, argument;
	} rows[] = {
		{ "ENABLE", PERF_EVENT_IOC_ENABLE, 0 },
		{ "ENABLE of a group", PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP },
		{ "ENABLE with an unknown flag", PERF_EVENT_IOC_ENABLE, 2 },
		{ "DISABLE", PERF_EVENT_IOC_DISABLE, 0 },
		{ "DISABLE twice", PERF_EVENT_IOC_DISABLE, 0 },
		{ "RESET", PERF_EVENT_IOC_RESET, 0 },
		{ "REFRESH by 0", PERF_EVENT_IOC_REFRESH, 0 },
		{ "REFRESH by 1", PERF_EVENT_IOC_REFRESH, 1 },
		{ "REFRESH by -1", PERF_EVENT_IOC_REFRESH, -1UL },
		{ "DISABLE after REFRESH", PERF_EVENT_IOC_DISABLE, 0 },
		{ "PERIOD at 0", PERF_EVENT_IOC_PERIOD, 0 },
		{ "PERIOD in the kernel", PERF_EVENT_IOC_PERIOD, 0xffffffff81000000 },
		{ "ID at 0", PERF_EVENT_IOC_ID, 0 },
		{ "ID in the kernel", PERF_EVENT_IOC_ID, 0xffffffff81000000 },
		{ "SET_OUTPUT to none", PERF_EVENT_IOC_SET_OUTPUT, -1UL },
		{ "SET_OUTPUT to a file that is not open", PERF_EVENT_IOC_SET_OUTPUT, 999 },
		{ "SET_OUTPUT to a file that is no event", PERF_EVENT_IOC_SET_OUTPUT, 1 },
		{ "SET_FILTER at 0", PERF_EVENT_IOC_SET_FILTER, 0 },
		{ "SET_FILTER of nothing", PERF_EVENT_IOC_SET_FILTER, (unsigned long)"" },
		{ "SET_BPF of no program", PERF_EVENT_IOC_SET_BPF, 999 },
		{ "PAUSE_OUTPUT without a buffer", PERF_EVENT_IOC_PAUSE_OUTPUT, 1 },
		{ "QUERY_BPF at 0", PERF_EVENT_IOC_QUERY_BPF, 0 },
		{ "MODIFY_ATTRIBUTES at 0", PERF_EVENT_IOC_MODIFY_ATTRIBUTES, 0 },
		{ "number 12", _IO('$', 12), 0 },
		{ "ENABLE of another type", _IO('%', 0), 0 },
		{ "ENABLE with a size", _IOW('$', 0, uint64_t), 0 },
		{ "PERIOD without its size", _IO('$', 4), 0 },
		{ "all ones", 0xffffffff, 0 },
	};
	char name[96];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(name, sizeof(name), "%s: %s", kind, rows[i].name);
		try(fd, rows[i].request, rows[i].argument, name);
	}
}

static void periods(const char *kind, int fd)
{
	static const uint64_t tried[] = { 0, 1, 1000, 1ULL << 31, 1ULL << 62, 1ULL << 63, ~0ULL };

	for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++)
		show(outcome_value(ioctl(fd, PERF_EVENT_IOC_PERIOD, &tried[i])),
		     "%s: PERIOD of %lld", kind, (long long)tried[i]);
}

/* MODIFY_ATTRIBUTES is for breakpoints; what do the others say? */
static void modify(const char *kind, int fd, const union attr *like)
{
	union attr attr = *like;

	show(outcome_value(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr)),
	     "%s: MODIFY_ATTRIBUTES, unchanged", kind);
	attr.fields.config++;
	show(outcome_value(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr)),
	     "%s: MODIFY_ATTRIBUTES, another event", kind);
}

static void kinds(void)
{
	union attr attr;
	int fd;

	attr_instructions(&attr);
	fd = must_open(&attr, -1);
	requests("counting", fd);
	periods("counting", fd);
	modify("counting", fd, &attr);
	close(fd);

	attr.fields.sample_period = 1ULL << 40;
	fd = must_open(&attr, -1);
	requests("sampling", fd);
	periods("sampling", fd);
	close(fd);

	attr_instructions(&attr);
	attr.fields.freq = 1;
	attr.fields.sample_freq = 1;
	fd = must_open(&attr, -1);
	periods("sampling by frequency", fd);
	close(fd);

	attr_dummy(&attr);
	fd = must_open(&attr, -1);
	requests("dummy", fd);
	close(fd);
	try(fd, PERF_EVENT_IOC_ENABLE, 0, "closed: ENABLE");
	try(STDOUT_FILENO, PERF_EVENT_IOC_ENABLE, 0, "no event: ENABLE");
}

/* The effects of ENABLE, DISABLE and RESET on the counts of known work (work.h). */
static void switching(void)
{
	union attr attr;
	int leader, member;

	attr_instructions(&attr);
	leader = must_open(&attr, -1);
	attr.fields.disabled = 0;
	WORK_FIT_MEMBER(&attr.fields, 1);
	member = must_open(&attr, leader);
	show_value(member, "a sibling of a disabled leader");
	work_counted(leader, LOOPS);
	show_value(leader, "leader after work with the leader enabled");
	show_value(member, "sibling after that");
	work_counted(member, LOOPS);
	show_value(leader, "leader after work with only the sibling enabled");
	show_value(member, "sibling after that, the leader being off");
	work_counted_group(leader, LOOPS, PERF_IOC_FLAG_GROUP);
	show_value(leader, "leader after work with the group enabled");
	show_value(member, "sibling after work with the group enabled");
	work_counted_group(member, LOOPS, PERF_IOC_FLAG_GROUP);
	show_value(leader, "leader after the group was enabled through the sibling");
	show_value(member, "sibling after it enabled its group");
	try(leader, PERF_EVENT_IOC_RESET, 0, "RESET of the leader");
	show_value(leader, "leader after its RESET");
	show_value(member, "sibling after the leader's RESET");
	try(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP, "RESET of the group");
	show_value(member, "sibling after the group's RESET");
	work_counted_group(leader, LOOPS, PERF_IOC_FLAG_GROUP);
	close(leader);
	show_value(member, "sibling after its leader was closed");
	work_counted(member, LOOPS);
	show_value(member, "sibling after work without a leader");
	close(member);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, PAGE_BYTES);
	kinds();
	switching();
	return 0;
}
