/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events on a task that executes a program: an ordinary one, some that give privileges, one that the user may
 * not read. Events that the task opened, that another one opened on it, that were inherited, and one of the
 * CPU. The counting events count page faults: the new program makes FAULTS of them.
 */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>

#include "child.h"
#include "new_program.h"
#include "record.h"
#include "work.h"

enum {
	READY = 60,
	GO = 61,
	OWN = 62,
	FAULTS = 100,
	LOOPS = 3000000,
	PERIOD_NS = 100000,
	PAGES = 16
};

static const char *yes(bool is)
{
	return is ? "yes" : "no";
}

static void attr_faults(union attr *attr)
{
	attr_dummy(attr);
	attr->fields.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr->fields.disabled = 0;
	attr->fields.exclude_kernel = attr->fields.exclude_hv = 1;
}

static void attr_samples(union attr *attr)
{
	attr_faults(attr);
	attr->fields.config = PERF_COUNT_SW_TASK_CLOCK;
	attr->fields.sample_period = PERIOD_NS;
	attr->fields.sample_type = PERF_SAMPLE_IP;
	attr->fields.comm = attr->fields.mmap = attr->fields.task = attr->fields.comm_exec = 1;
	attr->fields.wakeup_events = 1;
}

static int open_on(const union attr *attr, pid_t pid, int cpu)
{
	long fd = open_event(attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		fail_to("an event");
	return (int)fd;
}

static uint64_t read_count(int fd)
{
	uint64_t count = 0;

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		return UINT64_MAX;
	return count;
}

static void wait_for(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		fail_to("waiting");
}

static void tell(int fd)
{
	if (write(fd, "", 1) != 1)
		fail_to("telling");
}

/* --- the new program --- */

static void work(void)
{
	unsigned long loops = LOOPS;
	volatile char *memory = mmap(NULL, FAULTS * PAGE_BYTES, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < FAULTS; i++)
		memory[i * PAGE_BYTES] = 1;
	WORK_SPIN(loops);
	munmap((void *)memory, FAULTS * PAGE_BYTES);
}

static int be_counted(const char *kind)
{
	union attr attr;
	uint64_t before = read_count(OWN);

	tell(READY);
	wait_for(GO);
	work();
	show(yes(before != UINT64_MAX), "%s: its own event can be read", kind);
	show(yes(read_count(OWN) >= before + FAULTS), "%s: its own event counts", kind);
	show(outcome(ioctl(OWN, PERF_EVENT_IOC_ENABLE, 0)), "%s: its own event is enabled", kind);
	before = read_count(OWN);
	work();
	show(yes(read_count(OWN) >= before + FAULTS), "%s: its own event counts then", kind);
	attr_faults(&attr);
	int fd = (int)open_event(&attr, 0, -1, -1, 0);

	work();
	show(yes(fd >= 0 && read_count(fd) >= FAULTS), "%s: a new event counts", kind);
	fflush(stdout);
	tell(READY);
	wait_for(GO);
	return 0;
}

/* --- who looks --- */

static const struct kind *kind;

/* The kinds of records since the program executed another one; the same in a row are shown once. */
static void show_records(struct buffer *buffer)
{
	static const struct {
		uint32_t type;
		const char *name;
	} types[] = {
		{ PERF_RECORD_MMAP, "MMAP" },
		{ PERF_RECORD_COMM, "COMM" },
		{ PERF_RECORD_EXIT, "EXIT" },
		{ PERF_RECORD_FORK, "FORK" },
	};
	char text[128] = "";
	const char *last = "";
	bool executed = false, sampled = false;

	while (next_record(buffer, record)) {
		executed |= header->type == PERF_RECORD_COMM;
		sampled |= executed && header->type == PERF_RECORD_SAMPLE;
		for (size_t i = 0; executed && i < sizeof(types) / sizeof(types[0]); i++) {
			if (header->type != types[i].type || last == types[i].name)
				continue;
			last = types[i].name;
			strcat(text, " ");
			strcat(text, last);
		}
	}
	show(yes(sampled), "%s: samples", kind->name);
	show(text, "%s: records", kind->name);
}

static void run(void)
{
	int ready[2], go[2];
	union attr faults, samples;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	attr_faults(&faults);
	attr_samples(&samples);
	int of_cpu = open_on(&faults, -1, 0);

	become_user();
	if (pipe2(ready, O_CLOEXEC) || pipe2(go, O_CLOEXEC))
		fail_to("pipes");
	faults.fields.inherit = 1;
	int inherited = open_on(&faults, 0, -1);

	faults.fields.inherit = 0;
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		dup2(ready[1], READY);
		dup2(go[0], GO);
		dup2(open_on(&faults, 0, -1), OWN);
		tell(READY);
		wait_for(GO);
		execute(kind, "count");
	}
	wait_for(ready[0]);
	int counts = open_on(&faults, pid, -1), sampling = open_on(&samples, pid, -1);
	struct buffer buffer = map_buffer(sampling, PAGES, PROT_READ | PROT_WRITE);
	struct pollfd poller = { sampling, POLLIN, 0 };

	tell(go[1]);
	wait_for(ready[0]);
	uint64_t count = read_count(counts), all = read_count(inherited), cpu = read_count(of_cpu);

	tell(go[1]);
	wait_for(ready[0]);
	show(yes(count != UINT64_MAX), "%s: the parent's event can be read", kind->name);
	show(yes(read_count(counts) >= count + FAULTS), "%s: the parent's event counts",
	     kind->name);
	show(outcome(ioctl(counts, PERF_EVENT_IOC_ENABLE, 0)), "%s: the parent's event is enabled",
	     kind->name);
	show(yes(read_count(inherited) >= all + FAULTS), "%s: the inherited event counts",
	     kind->name);
	show(yes(read_count(of_cpu) >= cpu + FAULTS), "%s: the CPU's event counts", kind->name);
	poll(&poller, 1, 0);
	show(yes(poller.revents & POLLHUP), "%s: the sampling event has ended", kind->name);
	show_records(&buffer);
	long fd = open_event(&faults, pid, -1, -1, 0);

	show(outcome(fd), "%s: a new event of the parent's", kind->name);
	tell(go[1]);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	if (argc > 2)
		return be_counted(argv[2]);
	make_programs();
	for (kind = kinds; kind < kinds + KINDS; kind++)
		in_child(run);
	return 0;
}
