// SPDX-License-Identifier: BSD-2-Clause
/*
 * Side-band records: COMM, FORK, EXIT, SWITCH and READ of a task, of its children and of a CPU.
 */
#include <limits.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "record.h"

enum { BUFFER_PAGES = 16, STACK_PART = 65536 };

static pid_t self, child;

static const char *whose(uint32_t id)
{
	return id == (uint32_t)self ? "self" : id == (uint32_t)child ? "child" : id ? "other" : "0";
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* --- the side band --- */

/* A dummy event with every record switched on that FLAGS names (bits of the word of flags). */
static void attr_sideband(union attr *attr, uint64_t flags)
{
	attr_dummy(attr);
	attr->fields.disabled = 0;
	attr->words[WORD_FLAGS] |= flags;
	attr->fields.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CPU;
}

#define FLAG_INHERIT	    (1ull << 1)
#define FLAG_COMM	    (1ull << 9)
#define FLAG_INHERIT_STAT   (1ull << 11)
#define FLAG_TASK	    (1ull << 13)
#define FLAG_SAMPLE_ID_ALL  (1ull << 18)
#define FLAG_COMM_EXEC	    (1ull << 24)
#define FLAG_CONTEXT_SWITCH (1ull << 26)

static void show_record(const char *when, int number)
{
	char text[256];

	switch (header->type) {
	case PERF_RECORD_COMM:
		snprintf(text, sizeof(text), "COMM of %s/%s \"%.20s\" misc %x size %u",
			 whose(word32(8)), whose(word32(12)), record + 16, header->misc,
			 header->size);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		snprintf(text, sizeof(text), "%s of %s/%s by %s/%s misc %x size %u time %s",
			 header->type == PERF_RECORD_FORK ? "FORK" : "EXIT", whose(word32(8)),
			 whose(word32(16)), whose(word32(12)), whose(word32(20)), header->misc,
			 header->size, word64(24) ? "known" : "0");
		break;
	case PERF_RECORD_SWITCH:
		snprintf(text, sizeof(text), "SWITCH misc %x size %u", header->misc, header->size);
		break;
	case PERF_RECORD_READ:
		snprintf(text, sizeof(text), "READ of %s/%s value %llu size %u", whose(word32(8)),
			 whose(word32(12)), (unsigned long long)word64(16), header->size);
		break;
	default:
		snprintf(text, sizeof(text), "type %u misc %x size %u", header->type, header->misc,
			 header->size);
	}
	show(text, "%s: record %d", when, number);
}

/* All records, or, where there may be more than the action's own, the first MOST. */
static void show_all(struct buffer *buffer, const char *when, int most)
{
	int number = 0;

	while (number < most && next_record(buffer, record))
		show_record(when, ++number);
	show_number(number, when, "records");
}

static void fork_and_wait(void)
{
	fflush(stdout);
	child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void rename_self(void)
{
	prctl(PR_SET_NAME, "seven c");
	prctl(PR_SET_NAME, "eight ch");
	prctl(PR_SET_NAME, "a name of more than fifteen letters");
	prctl(PR_SET_NAME, "");
}

/* No task may preempt this one before it sleeps: the preemption would be the first record. */
static void sleep_shortly(void)
{
	const struct sched_param real_time = { .sched_priority = 1 }, fair = { 0 };

	sched_setscheduler(0, SCHED_FIFO, &real_time);
	usleep(50000);
	sched_setscheduler(0, SCHED_OTHER, &fair);
}

static void side_band(void)
{
	static const struct {
		const char *name;
		uint64_t flags;
		void (*action)(void);
		int most; /* records to show */
	} rows[] = {
		{ "names", FLAG_COMM, rename_self, INT_MAX },
		{ "names, identified", FLAG_COMM | FLAG_SAMPLE_ID_ALL, rename_self, INT_MAX },
		{ "names by exec only", FLAG_COMM_EXEC, rename_self, INT_MAX },
		{ "fork", FLAG_TASK, fork_and_wait, INT_MAX },
		{ "fork, identified", FLAG_TASK | FLAG_SAMPLE_ID_ALL, fork_and_wait, INT_MAX },
		{ "fork where names are requested", FLAG_COMM, fork_and_wait, INT_MAX },
		{ "fork where nothing is requested", 0, fork_and_wait, INT_MAX },
		{ "sleep", FLAG_CONTEXT_SWITCH, sleep_shortly, 2 },
		{ "sleep, identified", FLAG_CONTEXT_SWITCH | FLAG_SAMPLE_ID_ALL, sleep_shortly, 2 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		union attr attr;

		attr_sideband(&attr, rows[i].flags);
		int fd = must_open(&attr, -1);
		struct buffer buffer = map_buffer(fd, BUFFER_PAGES, PROT_READ | PROT_WRITE);

		rows[i].action();
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		show_all(&buffer, rows[i].name, rows[i].most);
		unmap_buffer(&buffer);
		close(fd);
	}
}

/* Inherited events need a buffer for each CPU. */
static void inherited(uint64_t flags, const char *when)
{
	union attr attr;

	attr_sideband(&attr, FLAG_INHERIT | FLAG_TASK | flags);
	/* The EV67 cannot leave out user mode. An event that counts nothing is inherited all the same. */
#ifndef __alpha__
	if (flags & FLAG_INHERIT_STAT) {
		attr.fields.type = PERF_TYPE_HARDWARE;
		attr.fields.config = PERF_COUNT_HW_INSTRUCTIONS;
		attr.fields.exclude_user = 1;
		attr.fields.exclude_kernel = 1;
	}
#endif
	int fd = (int)open_event(&attr, 0, 0, -1, 0);

	if (fd < 0) {
		show(error_name(errno), "%s: open", when);
		return;
	}
	struct buffer buffer = map_buffer(fd, BUFFER_PAGES, PROT_READ | PROT_WRITE);

	fork_and_wait();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	show_all(&buffer, when, INT_MAX);
	unmap_buffer(&buffer);
	close(fd);
}

/* An event of a CPU: its records of switches name the running task and the other task, nothing else. */
static void wide(void)
{
	union attr attr;
	int outs = 0, ins = 0, own = 0;

	attr_sideband(&attr, FLAG_CONTEXT_SWITCH);
	int fd = (int)open_event(&attr, -1, 0, -1, 0);

	show(outcome(fd), "a CPU's switches: open");
	if (fd < 0)
		return;
	struct buffer buffer = map_buffer(fd, BUFFER_PAGES, PROT_READ | PROT_WRITE);

	for (int i = 0; i < 10; i++)
		usleep(50000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (next_record(&buffer, record)) {
		if (header->type != PERF_RECORD_SWITCH_CPU_WIDE || header->size != 16)
			continue;
		if (header->misc & PERF_RECORD_MISC_SWITCH_OUT)
			outs++;
		else
			ins++;
		own += word32(8) == (uint32_t)self && word32(12) == (uint32_t)self;
	}
	show(outs >= 10 && ins >= 10 ? "yes" : "no", "a CPU's switches: out and in");
	show(own >= 20 ? "yes" : "no", "a CPU's switches: name this task as the other");
	unmap_buffer(&buffer);
	close(fd);
}

int main(void)
{
	run_on(0);
	self = getpid();
	side_band();
	inherited(0, "inherited");
	inherited(FLAG_INHERIT_STAT, "inherited counts");
	inherited(FLAG_INHERIT_STAT | FLAG_SAMPLE_ID_ALL, "inherited counts, identified");
	wide();
	return 0;
}
