// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which event of the CPU counts each generic event, each cache event, and raw events with their extra registers: the event
 * selects and extra registers, read from /dev/cpu/0/msr while the event counts. Linux has that device as a module, which
 * linux-run puts into the root file system; the program loads it.
 */
#include "observe.h"

#include <cpuid.h>

/* Intel's: event selects of general counters, control of fixed ones, and the extra registers. */
#define SELECT		0x186
#define FIXED_CONTROL	0x38d
#define OFFCORE		0x1a6
#define EXTRA_REGISTERS 2
/* AMD's core performance counters: event select and counter in turn. */
#define SELECT_AMD	0xc0010200
#define COUNTERS_INTEL	4
#define COUNTERS_AMD	6

#define ENABLED		(1u << 22)
/* The bits of an event select that say which event it is. */
#define EVENT_BITS	0xfff84ffffull
#define FIXED_BITS	3

/* The global control, where there is one: a bit for each counter. A stopped counter may keep its event select. */
#define GLOBAL		0x38f
#define GLOBAL_AMD	0xc0000301
#define FIXED_SHIFT	32
#define LEAF_MONITORING 0x80000022

static int registers;
static bool is_amd, has_global;

static void open_registers(void)
{
	unsigned int eax, ebx, ecx, edx;
	int module = open("/.tally/msr.ko", O_RDONLY);

	if (module >= 0) {
		syscall(SYS_finit_module, module, "", 0);
		close(module);
	}
	registers = open("/dev/cpu/0/msr", O_RDONLY);
	__cpuid(0, eax, ebx, ecx, edx);
	is_amd = ebx == 0x68747541;
	eax = 0;
	if (is_amd)
		__get_cpuid(LEAF_MONITORING, &eax, &ebx, &ecx, &edx);
	has_global = !is_amd || (eax & 1);
}

static uint64_t read_register(uint32_t number)
{
	uint64_t value = 0;

	return pread(registers, &value, sizeof(value), number) == sizeof(value) ? value : ~0ull;
}

/* Writes to TEXT the event that each counter counts. A counter's number is the kernel's choice, and not shown. */
static void print_counters(char *text, size_t size)
{
	int used = 0;
	unsigned int counters = is_amd ? COUNTERS_AMD : COUNTERS_INTEL;
	uint64_t global = has_global ? read_register(is_amd ? GLOBAL_AMD : GLOBAL) : ~0ull;

	text[0] = '\0';
	for (unsigned int i = 0; i < counters; i++) {
		uint64_t select = read_register(is_amd ? SELECT_AMD + 2 * i : SELECT + i);

		if ((select & ENABLED) && (global >> i & 1))
			used += snprintf(text + used, size - (size_t)used, " %llx",
					 (unsigned long long)(select & EVENT_BITS));
	}
	for (unsigned int i = 0; !is_amd && i < 3; i++)
		if ((read_register(FIXED_CONTROL) >> 4 * i & FIXED_BITS) &&
		    (global >> (FIXED_SHIFT + i) & 1))
			used += snprintf(text + used, size - (size_t)used, " fixed %u", i);
}

/* Returns whether TEXT names an event that an extra register qualifies. */
static bool has_extra(const char *text)
{
	return !is_amd && (strstr(text, " 1b7") || strstr(text, " 1bb"));
}

static void print_extra(char *text, size_t size)
{
	int used = (int)strlen(text);

	for (unsigned int i = 0; i < EXTRA_REGISTERS; i++)
		used += snprintf(text + used, size - (size_t)used, "%s%llx", i ? " " : " with ",
				 (unsigned long long)read_register(OFFCORE + i));
}

static void clear_attr(union attr *attr, uint32_t type, uint64_t config, uint64_t config1)
{
	memset(attr, 0, sizeof(*attr));
	attr->fields.size = PERF_ATTR_SIZE_VER5;
	attr->fields.type = type;
	attr->fields.config = config;
	attr->fields.config1 = config1;
	attr->fields.exclude_kernel = 1;
}

/* Opens COUNT events of ATTRS on this CPU, and shows what counts them. */
static void show_events(union attr *attrs, unsigned int count, bool is_group, const char *name)
{
	int fds[4];
	char text[256];
	unsigned int opened = 0;

	for (; opened < count; opened++) {
		fds[opened] =
			(int)open_event(&attrs[opened], -1, 0, is_group && opened ? fds[0] : -1, 0);
		if (fds[opened] < 0)
			break;
	}
	if (opened < count) {
		show(error_name(errno), "%s", name);
	} else {
		print_counters(text, sizeof(text));
		if (has_extra(text))
			print_extra(text, sizeof(text));
		show(text[0] ? text + 1 : "on no counter", "%s", name);
	}
	while (opened > 0)
		close(fds[--opened]);
}

static void show_one(uint32_t type, uint64_t config, uint64_t config1, const char *name)
{
	static union attr attr;

	clear_attr(&attr, type, config, config1);
	show_events(&attr, 1, false, name);
}

static void observe_generic(void)
{
	for (uint64_t config = 0; config <= PERF_COUNT_HW_MAX; config++) {
		char name[64];

		snprintf(name, sizeof(name), "generic event %llu", (unsigned long long)config);
		show_one(PERF_TYPE_HARDWARE, config, 0, name);
	}
}

static void observe_cache(void)
{
	static const char *const caches[] = { "L1D",  "L1I", "LL",   "DTLB",
					      "ITLB", "BPU", "NODE", "none" };
	static const char *const operations[] = { "read", "write", "prefetch", "none" };
	static const char *const results[] = { "access", "miss", "none" };

	for (uint64_t cache = 0; cache < 8; cache++)
		for (uint64_t operation = 0; operation < 4; operation++)
			for (uint64_t result = 0; result < 3; result++) {
				char name[64];

				snprintf(name, sizeof(name), "%s %s %s", caches[cache],
					 operations[operation], results[result]);
				show_one(PERF_TYPE_HW_CACHE, cache | operation << 8 | result << 16,
					 0, name);
			}
}

static void observe_extra(void)
{
	static const uint32_t events[] = { 0x1b7, 0x1bb, 0x2b7, 0x1cd, 0x1c6, 0x10001b7 };

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		for (int bit = -1; bit < 40; bit++) {
			char name[64];

			snprintf(name, sizeof(name), "event %x, config1 bit %d", events[i], bit);
			show_one(PERF_TYPE_RAW, events[i], bit < 0 ? 0 : 1ull << bit, name);
		}
}

/* Several values of extra registers, alone and as groups. */
static void observe_sharing(void)
{
	static const struct {
		const char *name;
		unsigned int count;
		uint64_t events[4], values[4];
	} cases[] = {
		{ "the same value twice", 2, { 0x1b7, 0x1b7 }, { 0x10001, 0x10001 } },
		{ "two values", 2, { 0x1b7, 0x1b7 }, { 0x10001, 0x10002 } },
		{ "two values of the second event", 2, { 0x1bb, 0x1bb }, { 0x10001, 0x10002 } },
		{ "the same value of both events", 2, { 0x1b7, 0x1bb }, { 0x10001, 0x10001 } },
		{ "values of both events", 2, { 0x1b7, 0x1bb }, { 0x10001, 0x10002 } },
		{ "three values", 3, { 0x1b7, 0x1b7, 0x1b7 }, { 0x10001, 0x10002, 0x10003 } },
		{ "two values, one twice",
		  3,
		  { 0x1b7, 0x1bb, 0x1b7 },
		  { 0x10001, 0x10002, 0x10001 } },
		{ "two values, each twice",
		  4,
		  { 0x1b7, 0x1bb, 0x1b7, 0x1bb },
		  { 0x10001, 0x10002, 0x10002, 0x10001 } },
	};
	static union attr attrs[4];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int is_group = 0; is_group < 2; is_group++) {
			char name[80];

			for (unsigned int n = 0; n < cases[i].count; n++)
				clear_attr(&attrs[n], PERF_TYPE_RAW, cases[i].events[n],
					   cases[i].values[n]);
			snprintf(name, sizeof(name), "%s%s", cases[i].name,
				 is_group ? ", a group" : "");
			show_events(attrs, cases[i].count, is_group, name);
		}
}

/* How many events of a kind count at the same time: those that only some counters count are fewer. */
static void observe_constraints(void)
{
	static const uint32_t events[] = { 0x00c0, 0x003c, 0x01c0, 0x81d0, 0x01d1,
					   0x04d2, 0x01cd, 0x02c6, 0x412e };

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		static union attr attr;
		int leader = -1, fds[8];
		unsigned int count = 0;
		char text[32];

		clear_attr(&attr, PERF_TYPE_RAW, events[i], 0);
		for (; count < 8; count++) {
			fds[count] = (int)open_event(&attr, -1, 0, leader, 0);
			if (fds[count] < 0)
				break;
			leader = fds[0];
		}
		snprintf(text, sizeof(text), "%u", count);
		show(text, "events %x in a group", events[i]);
		while (count > 0)
			close(fds[--count]);
	}
}

int main(void)
{
	open_registers();
	observe_generic();
	observe_cache();
	observe_extra();
	observe_sharing();
	observe_constraints();
	return 0;
}
