// SPDX-License-Identifier: BSD-2-Clause
/*
 * table.c - a work's events: opening them as one group, so that all count the same instructions, and printing what they
 * counted beside what is derived by hand.
 */
#include "misses.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void table_begin(struct table *table, const struct cpu_model *cpu, unsigned int passes)
{
	memset(table, 0, sizeof(*table));
	table->cpu = cpu;
	table->passes = passes;
}

void table_add(struct table *table, enum event event, uint64_t first, uint64_t again,
	       const char *why)
{
	bool fixed = table->cpu->fixed && (event == INSTRUCTIONS || event == CYCLES);

	bool precise = table->cpu->events[event].precise;

	if (table->cpu->events[event].name == NULL || table->rows == ROWS_MOST ||
	    (!fixed && table->general == table->cpu->general) ||
	    (precise && table->precise == table->cpu->precise))
		return;
	table->general += !fixed;
	table->precise += precise;
	table->row[table->rows++] =
		(struct row){ .event = event, .by_hand = { first, again }, .why = why };
}

int table_open(const struct table *table, int *fds)
{
	for (unsigned int i = 0; i < table->rows; i++) {
		enum event event = table->row[i].event;
		struct perf_event_attr attr = {
			.size = sizeof(attr),
			.type = table->cpu->events[event].type,
			.config = table->cpu->events[event].config,
			.disabled = i == 0,
			.exclude_kernel = 1,
			.exclude_hv = 1,
		};

		fds[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, i ? fds[0] : -1, 0);
		if (fds[i] < 0)
			return -1;
	}
	return fds[0];
}

bool table_count(struct table *table, const int *fds, unsigned int pass)
{
	for (unsigned int i = 0; i < table->rows; i++) {
		uint64_t value;

		if (read(fds[i], &value, sizeof(value)) != sizeof(value))
			return false;
		table->row[i].counted[pass] += value;
	}
	return ioctl(fds[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) == 0;
}

void table_close(const struct table *table, const int *fds)
{
	for (unsigned int i = 0; i < table->rows; i++)
		close(fds[i]);
}

/* Prints a count and the number by hand; returns whether they differ. */
static bool print_pair(const struct row *row, unsigned int pass)
{
	printf(" %9" PRIu64, row->counted[pass]);
	if (row->by_hand[pass] == UNKNOWN) {
		printf(" %9s", "-");
		return false;
	}
	printf(" %9" PRIu64, row->by_hand[pass]);
	return row->counted[pass] != row->by_hand[pass];
}

bool table_print(const struct table *table)
{
	bool exact = true;

	printf("  %-34s", "");
	for (unsigned int pass = 0; pass < table->passes; pass++)
		printf(" %9s %9s", pass ? "again" : "counted", "by hand");
	printf("\n");
	for (unsigned int i = 0; i < table->rows; i++) {
		const struct row *row = &table->row[i];
		bool derived = false, differs = false;

		printf("  %-34s", table->cpu->events[row->event].name);
		for (unsigned int pass = 0; pass < table->passes; pass++) {
			derived |= row->by_hand[pass] != UNKNOWN;
			differs |= print_pair(row, pass);
		}
		printf("  %-7s  %s\n", differs ? "DIFFERS" : derived ? "exact" : "-", row->why);
		exact &= !differs;
	}
	return exact;
}
