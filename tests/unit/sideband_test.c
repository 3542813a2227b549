// SPDX-License-Identifier: BSD-2-Clause
/* The side band: records of names, forks, exits, switches, mappings and last counts, and which events get them. */
#include <uapi/linux/mman.h>

#include "family.h"
#include "mapping.h"

#define CODE 1

static struct mapping mapping, other_mapping;
static uint64_t record[64];

static struct perf_event_attr dummy_attr(void)
{
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_DUMMY);

	attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	return attr;
}

static uint64_t header(uint32_t type, uint16_t misc, uint16_t size)
{
	return type | (uint64_t)misc << 32 | (uint64_t)size << 48;
}

static uint64_t pair(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static void expect_words(struct mapping *from, const uint64_t *expected, unsigned int count,
			 const char *what)
{
	EXPECT_EQ_AT(next_record(from, record, sizeof(record)), count * sizeof(uint64_t), "%s",
		     what);
	for (unsigned int i = 0; i < count; i++)
		EXPECT_EQ_AT(record[i], expected[i], "%s, word %u", what, i);
}
#define EXPECT_RECORD(from, what, ...)                                             \
	do {                                                                       \
		const uint64_t words[] = { __VA_ARGS__ };                          \
		expect_words(from, words, sizeof(words) / sizeof(words[0]), what); \
	} while (0)

static void expect_none(struct mapping *from, const char *what)
{
	EXPECT_EQ_AT(next_record(from, record, sizeof(record)), 0, "%s", what);
}

/* The trailer of every record here: task 1 on CPU 0. */
#define TRAILER(id) pair(1, 1), clock_ns(), id, id, pair(0, 0), id

static void names_are_recorded(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = dummy_attr();
	struct task *self = task_current();

	attr.comm = 1;
	int fd = open_event(attr, 0, -1, -1);
	uint64_t id = event_of(fd)->id;
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	snprintf(self->comm, sizeof(self->comm), "short");
	perf_task_renamed(self, false);
	EXPECT_RECORD(&mapping, "by wish", header(PERF_RECORD_COMM, 0, 9 * 8), pair(1, 1),
		      0x74726f6873, TRAILER(id));
	/* Eight letters and the end fill two words. */
	snprintf(self->comm, sizeof(self->comm), "12345678");
	perf_task_renamed(self, true);
	EXPECT_RECORD(&mapping, "by exec",
		      header(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 10 * 8), pair(1, 1),
		      0x3837363534333231, 0, TRAILER(id));
	/* A disabled event gets none, nor does one that counts on another CPU only. */
	control_event(fd, PERF_EVENT_IOC_DISABLE, 0);
	perf_task_renamed(self, false);
	expect_none(&mapping, "disabled");
	unmap_event(&mapping);
	sim_fd_close(fd);
	end_machine();
}

static void only_events_of_this_cpu_get_records(void)
{
	start_machine(2, 4, NULL, 0);
	struct perf_event_attr attr = dummy_attr();

	attr.comm = 1;
	attr.sample_id_all = 0;
	int bound = open_event(attr, 0, 1, -1), wide = open_event(attr, -1, 0, -1);
	EXPECT_EQ(map_event(&mapping, bound, 1), 0);
	EXPECT_EQ(map_event(&other_mapping, wide, 1), 0);
	perf_task_renamed(task_current(), false);
	expect_none(&mapping, "bound to CPU 1");
	EXPECT_RECORD(&other_mapping, "CPU 0", header(PERF_RECORD_COMM, 0, 24), pair(1, 1),
		      0x316b736174);
	unmap_event(&mapping);
	unmap_event(&other_mapping);
	end_machine();
}

static void forks_and_exits_are_recorded(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = dummy_attr();

	attr.task = 1;
	attr.sample_id_all = 0;
	int fd = open_event(attr, -1, 0, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	struct task *child = sim_task_create();
	sim_clock_advance(5);
	perf_task_started(child);
	EXPECT_RECORD(&mapping, "fork", header(PERF_RECORD_FORK, 0, 32),
		      pair((uint32_t)child->tgid, 1), pair((uint32_t)child->tid, 1), 1000000005);
	struct task *self = task_current();
	sim_switch(child);
	sim_task_exit(child);
	sim_switch(self);
	EXPECT_RECORD(&mapping, "exit", header(PERF_RECORD_EXIT, 0, 32),
		      pair((uint32_t)child->tgid, 1), pair((uint32_t)child->tid, 1), 1000000005);
	unmap_event(&mapping);
	end_machine();
}

/* An event that asks for names or mappings gets forks too; one that asks for switches does not. */
static void each_event_gets_the_records_it_requests(void)
{
	static const struct {
		const char *name;
		uint64_t comm, mmap, mmap2, mmap_data, task, context_switch;
		bool forks;
	} rows[] = {
		{ "comm", 1, 0, 0, 0, 0, 0, true },  { "mmap", 0, 1, 0, 0, 0, 0, true },
		{ "mmap2", 0, 0, 1, 0, 0, 0, true }, { "mmap_data", 0, 0, 0, 1, 0, 0, true },
		{ "task", 0, 0, 0, 0, 1, 0, true },  { "context_switch", 0, 0, 0, 0, 0, 1, false },
	};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start_machine(1, 4, NULL, 0);
		struct perf_event_attr attr = dummy_attr();

		attr.sample_id_all = 0;
		attr.comm = rows[i].comm;
		attr.mmap = rows[i].mmap;
		attr.mmap2 = rows[i].mmap2;
		attr.mmap_data = rows[i].mmap_data;
		attr.task = rows[i].task;
		attr.context_switch = rows[i].context_switch;
		int fd = open_event(attr, 0, -1, -1);
		EXPECT_EQ(map_event(&mapping, fd, 1), 0);
		perf_task_started(task_current());
		EXPECT_EQ_AT(next_record(&mapping, record, sizeof(record)), rows[i].forks ? 32 : 0,
			     "%s", rows[i].name);
		unmap_event(&mapping);
		end_machine();
	}
}

static void switches_are_recorded(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = dummy_attr();
	struct task *self = task_current(), *other = sim_task_create();

	attr.sample_id_all = 0;
	attr.context_switch = 1;
	int own = open_event(attr, 0, -1, -1), wide = open_event(attr, -1, 0, -1);
	EXPECT_EQ(map_event(&mapping, own, 1), 0);
	EXPECT_EQ(map_event(&other_mapping, wide, 1), 0);
	self->state = TASK_RUNNABLE;
	sim_switch(other);
	other->state = TASK_SLEEPING;
	sim_switch(self);
	other->state = TASK_RUNNABLE;
	const uint16_t out = PERF_RECORD_MISC_SWITCH_OUT,
		       preempted = PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	EXPECT_RECORD(&mapping, "own out", header(PERF_RECORD_SWITCH, out | preempted, 8));
	EXPECT_RECORD(&mapping, "own in", header(PERF_RECORD_SWITCH, 0, 8));
	expect_none(&mapping, "own");
	const uint64_t self_id = pair(1, 1),
		       other_id = pair((uint32_t)other->tgid, (uint32_t)other->tid);
	EXPECT_RECORD(&other_mapping, "out",
		      header(PERF_RECORD_SWITCH_CPU_WIDE, out | preempted, 16), other_id);
	EXPECT_RECORD(&other_mapping, "in", header(PERF_RECORD_SWITCH_CPU_WIDE, 0, 16), self_id);
	EXPECT_RECORD(&other_mapping, "sleeps", header(PERF_RECORD_SWITCH_CPU_WIDE, out, 16),
		      self_id);
	EXPECT_RECORD(&other_mapping, "back", header(PERF_RECORD_SWITCH_CPU_WIDE, 0, 16), other_id);
	unmap_event(&mapping);
	unmap_event(&other_mapping);
	sim_fd_close(own);
	sim_fd_close(wide);
	EXPECT(!atomic_load(&perf_sideband_watchers[PERF_SIDEBAND_SWITCH]));
	end_task(other);
	end_machine();
}

static struct perf_mapping code(void)
{
	struct perf_mapping what = { .start = 0x10000,
				     .length = 0x2000,
				     .offset = 0x3000,
				     .prot = PROT_READ | PROT_EXEC,
				     .name = "/lib/x",
				     .device_major = 8,
				     .device_minor = 1,
				     .inode_number = 1234,
				     .build_id = { 1, 2, 3, 4, 5, 6, 7, 8 },
				     .build_id_size = 8 };
	return what;
}

#define NAME 0x782f62696c2f /* "/lib/x" */

static int open_mapped(struct perf_event_attr attr)
{
	attr.sample_id_all = 0;
	int fd = open_event(attr, 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	return fd;
}

static void mappings_are_recorded(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = dummy_attr();
	struct perf_mapping text = code(), data = code();
	const uint16_t user = PERF_RECORD_MISC_USER;

	data.prot = PROT_READ | PROT_WRITE;
	data.shared = data.locked = true;
	attr.mmap = 1;
	int fd = open_mapped(attr);
	perf_task_mapped(&data);
	perf_task_mapped(&text);
	EXPECT_RECORD(&mapping, "MMAP", header(PERF_RECORD_MMAP, user, 48), pair(1, 1), 0x10000,
		      0x2000, 0x3000, NAME);
	expect_none(&mapping, "data");
	unmap_event(&mapping);
	sim_fd_close(fd);

	attr.mmap = 0;
	attr.mmap_data = 1;
	fd = open_mapped(attr);
	perf_task_mapped(&text);
	perf_task_mapped(&data);
	EXPECT_RECORD(&mapping, "data",
		      header(PERF_RECORD_MMAP, user | PERF_RECORD_MISC_MMAP_DATA, 48), pair(1, 1),
		      0x10000, 0x2000, 0x3000, NAME);
	expect_none(&mapping, "code");
	unmap_event(&mapping);
	sim_fd_close(fd);

	/* Major, minor; inode; generation; protection and flags. */
	attr.mmap = attr.mmap2 = 1;
	fd = open_mapped(attr);
	perf_task_mapped(&text);
	perf_task_mapped(&data);
	EXPECT_RECORD(&mapping, "MMAP2", header(PERF_RECORD_MMAP2, user, 80), pair(1, 1), 0x10000,
		      0x2000, 0x3000, pair(8, 1), 1234, 0, pair(PROT_READ | PROT_EXEC, MAP_PRIVATE),
		      NAME);
	EXPECT_RECORD(&mapping, "MMAP2 data",
		      header(PERF_RECORD_MMAP2, user | PERF_RECORD_MISC_MMAP_DATA, 80), pair(1, 1),
		      0x10000, 0x2000, 0x3000, pair(8, 1), 1234, 0,
		      pair(PROT_READ | PROT_WRITE, MAP_SHARED | MAP_LOCKED), NAME);
	expect_none(&mapping, "no MMAP beside it");
	unmap_event(&mapping);
	sim_fd_close(fd);
	end_machine();
}

static void build_ids_take_the_inodes_place(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = dummy_attr();
	struct perf_mapping text = code(), data = code();
	const uint16_t user = PERF_RECORD_MISC_USER;

	attr.mmap2 = attr.mmap_data = attr.build_id = 1;
	int fd = open_mapped(attr);
	EXPECT(perf_sideband_is_watched(PERF_SIDEBAND_BUILD_ID));
	perf_task_mapped(&text);
	EXPECT_RECORD(&mapping, "with",
		      header(PERF_RECORD_MMAP2, user | PERF_RECORD_MISC_MMAP_BUILD_ID, 80),
		      pair(1, 1), 0x10000, 0x2000, 0x3000, 0x0403020100000008, 0x08070605, 0,
		      pair(PROT_READ | PROT_EXEC, MAP_PRIVATE), NAME);
	data.prot = PROT_READ;
	data.build_id_size = 0;
	perf_task_mapped(&data);
	EXPECT_RECORD(&mapping, "without",
		      header(PERF_RECORD_MMAP2, user | PERF_RECORD_MISC_MMAP_DATA, 80), pair(1, 1),
		      0x10000, 0x2000, 0x3000, pair(8, 1), 1234, 0, pair(PROT_READ, MAP_PRIVATE),
		      NAME);
	unmap_event(&mapping);
	sim_fd_close(fd);
	EXPECT(!perf_sideband_is_watched(PERF_SIDEBAND_BUILD_ID));
	EXPECT(!perf_sideband_is_watched(PERF_SIDEBAND_MAPPING));
	end_machine();
}

/* header, pid and tid, value, id */
static void last_counts_are_recorded(void)
{
	start_machine(2, 4, NULL, 0);
	struct perf_event_attr attr = hardware_attr(CODE);
	struct task *self = task_current();

	attr.inherit = attr.inherit_stat = 1;
	attr.read_format = PERF_FORMAT_ID;
	int fd = open_event(attr, 0, 0, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	struct task *child = fork_task();
	sim_switch(child);
	sim_pmu_count(CODE, 77);
	sim_task_exit(child);
	sim_switch(self);
	EXPECT_RECORD(&mapping, "READ", header(PERF_RECORD_READ, 0, 32),
		      pair((uint32_t)child->tgid, (uint32_t)child->tid), 77, event_of(fd)->id);
	expect_none(&mapping, "once");
	/* A full ring loses the record. */
	control_event(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	end_task(fork_task());
	expect_none(&mapping, "paused");
	EXPECT_EQ(event_of(fd)->lost, 1);
	unmap_event(&mapping);
	end_machine();
}

/* exec and prctl's end of all events tell the exit once, and samples end before it. */
static void ended_events_report_the_exit(void)
{
	start_machine(1, 4, NULL, 0);
	struct perf_event_attr attr = dummy_attr();
	struct task *self = task_current(), *task = sim_task_create();

	attr.task = 1;
	attr.sample_id_all = 0;
	int fd = open_event(attr, task->tid, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_switch(task);
	perf_task_end_events(task);
	EXPECT_RECORD(&mapping, "exit", header(PERF_RECORD_EXIT, 0, 32),
		      pair((uint32_t)task->tgid, 1), pair((uint32_t)task->tid, 1), clock_ns());
	sim_switch(self);
	EXPECT_EQ(event_of(fd)->state, EVENT_DEAD);
	unmap_event(&mapping);
	end_task(task);
	/* A task without events ends none. */
	perf_task_end_events(self);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "a new name makes a COMM record, by exec or not, with the trailer", names_are_recorded },
	{ "a record goes to the task's events and the CPU's, not to those bound to another CPU",
	  only_events_of_this_cpu_get_records },
	{ "forks and exits make records with both tasks and the time",
	  forks_and_exits_are_recorded },
	{ "events that ask for names or mappings get forks, too",
	  each_event_gets_the_records_it_requests },
	{ "switches make records: the task's own, and the CPU's with the other task",
	  switches_are_recorded },
	{ "mappings make MMAP or MMAP2 records, of code or of data", mappings_are_recorded },
	{ "a build id takes the inode's place where there is one",
	  build_ids_take_the_inodes_place },
	{ "an ended child's last count makes a READ record", last_counts_are_recorded },
	{ "a task whose events end reports its exit", ended_events_report_the_exit },
};

TAP_MAIN(rules)
