// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tracepoints while everything is in motion: tasks call, yield and exit on all CPUs, and all the
 * while others open and close events of them, enable and disable them in tracefs, change filters and read
 * the trace. These rules hold all along:
 *
 *   - an event of a task counts each of its calls, and has a record, written or lost, for each;
 *   - events of all CPUs count them together once;
 *   - on a CPU, the task that a switch goes to is the one that the next switch comes from;
 *   - every marker is in trace_pipe once, and each writer's are in order;
 *   - a wait for a lock that has begun ends.
 *
 * tests/conformance compares the texts of the files and the meaning of filters with Linux.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "perf_ring.h"

#include "event.h"
#include "process.h"
#include "tidiness.h"

#define ROOT	"/sys/kernel/tracing/"
#define CALLS	3000
#define WORKERS 4
#define MARKERS 200

enum { WORKERS_READY, GO, FINISHED, TOTAL };

static uint64_t id_of(const char *event)
{
	char path[128], text[32] = "";

	snprintf(path, sizeof(path), ROOT "events/%s/id", event);
	int fd = open(path, O_RDONLY);

	EXPECT(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return strtoull(text, NULL, 10);
}

static void store(const char *path, const char *text, int flags)
{
	char full[128];

	snprintf(full, sizeof(full), ROOT "%s", path);
	int fd = open(full, O_WRONLY | flags);

	EXPECT_AT(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text),
		  "\"%s\" into %s", text, path);
	close(fd);
}

static struct perf_event_attr tracepoint_attr(const char *event)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(struct perf_event_attr),
		.config = id_of(event),
		.disabled = 1,
	};
}

static uint64_t value_of(int fd)
{
	uint64_t value = 0;

	EXPECT_EQ(read(fd, &value, sizeof(value)), sizeof(value));
	return value;
}

static void call(unsigned int times)
{
	while (times--)
		syscall(SYS_getppid);
}

/* The exit of a child: reports its findings. */
static _Noreturn void end(void)
{
	fflush(stdout);
	_exit(tap_failed);
}

/* --- the disturbers --- */

static uint64_t random_state;

/* Marsaglia's xorshift64. */
static uint64_t draw(uint64_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state % limit;
}

static void read_some(const char *path)
{
	static char bytes[4096];
	int fd = open(path, O_RDONLY | O_NONBLOCK);

	for (int i = 0; i < 4 && read(fd, bytes, sizeof(bytes)) > 0; i++)
		;
	close(fd);
}

/* An event of everything that happens on a CPU, for as long as it takes to open another. */
static void watch_everything(void)
{
	static const char *const events[] = {
		"sched/sched_switch", "raw_syscalls/sys_exit",	"timer/hrtimer_start",
		"sched/sched_waking", "signal/signal_generate", "exceptions/page_fault_user",
		"kmem/kmalloc",	      "kmem/mm_page_free",	"kmem/rss_stat",
		"lock/contention_end"
	};
	struct perf_event_attr attr =
		tracepoint_attr(events[draw(sizeof(events) / sizeof(events[0]))]);

	attr.disabled = 0;
	attr.sample_period = 1 + draw(3);
	attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_TIME;
	struct perf_ring ring;

	if (perf_ring_open_on(&ring, &attr, -1, (int)draw((uint64_t)cpu_count()), 4) == 0) {
		ioctl(ring.fd, PERF_EVENT_IOC_SET_FILTER, "common_pid != 1");
		sched_yield();
		perf_ring_close(&ring);
	}
}

/* An instance that both disturbers make, use and remove; so each step may fail. */
static void disturb_instance(void)
{
	static const char *const events[] = { "sched", "raw_syscalls", "kmem", "lock" };
	static const char *const triggers[] = {
		"hist:keys=common_pid.execname:size=128",
		"!hist:keys=common_pid.execname:size=128",
		"hist:keys=common_pid.execname:clear",
		"hist:keys=prev_comm,next_pid.log2:vals=prev_prio:sort=next_pid if next_pid > 0",
		"traceoff:3",
		"!traceoff",
		"enable_event:kmem:kmalloc",
		"disable_event:kmem:kmalloc if common_pid > 3",
		"!enable_event:kmem:kmalloc",
	};
	char path[128];

	mkdir(ROOT "instances/some", 0700);
	snprintf(path, sizeof(path), ROOT "instances/some/events/%s/enable", events[draw(4)]);
	int fd = open(path, O_WRONLY);

	if (fd >= 0 && write(fd, "1", 1) == 1)
		sched_yield();
	close(fd);
	snprintf(path, sizeof(path), ROOT "instances/some/events/%s/trigger",
		 draw(2) ? "raw_syscalls/sys_enter" : "sched/sched_switch");
	fd = open(path, O_WRONLY | O_APPEND);
	if (fd >= 0) {
		const char *trigger = triggers[draw(sizeof(triggers) / sizeof(triggers[0]))];

		if (write(fd, trigger, strlen(trigger)) < 0)
			sched_yield();
	}
	close(fd);
	read_some(ROOT "instances/some/events/sched/sched_switch/hist");
	read_some(ROOT "instances/some/trace_pipe");
	if (draw(2))
		rmdir(ROOT "instances/some");
}

static void disturb_once(void)
{
	switch (draw(12)) {
	case 0:
		store("events/syscalls/enable", draw(2) ? "1" : "0", 0);
		break;
	case 1:
		store("events/sched/enable", draw(2) ? "1" : "0", 0);
		break;
	case 2:
		store("events/enable", "0", 0);
		break;
	case 3:
		store("events/syscalls/sys_enter_getppid/filter",
		      draw(2) ? "common_pid > 0 && (cpu == 0 || comm ~ \"tr*\")" : "0", 0);
		break;
	case 4:
		read_some(ROOT "trace");
		break;
	case 5:
		store("trace", "", O_TRUNC);
		break;
	case 6:
		store("events/kmem/enable", draw(2) ? "1" : "0", 0);
		break;
	case 7:
		store("events/lock/enable", draw(2) ? "1" : "0", 0);
		break;
	case 8:
		disturb_instance();
		break;
	default:
		watch_everything();
	}
}

static void disturb(void)
{
	random_state = (uint64_t)getpid() * 0x9e3779b97f4a7c15 + 1;
	while (!shared[FINISHED])
		disturb_once();
	end();
}

/* Runs WORKERS children of BODY, which wait for a word to begin, while two others disturb; false: one of
 * them saw something wrong. */
static bool run_workers(void (*body)(void))
{
	pid_t workers[WORKERS], others[2];
	bool good = true;

	memset((void *)shared, 0, PAGE);
	for (int i = 0; i < WORKERS; i++)
		workers[i] = start(body);
	for (int i = 0; i < 2; i++)
		others[i] = start(disturb);
	wait_for(&shared[WORKERS_READY], WORKERS);
	shared[GO] = 1;
	for (int i = 0; i < WORKERS; i++)
		good &= status_of(workers[i]) == 0;
	shared[FINISHED] = 1;
	for (int i = 0; i < 2; i++)
		good &= status_of(others[i]) == 0;
	rmdir(ROOT "instances/some");
	store("events/enable", "0", 0);
	store("events/syscalls/filter", "0", 0);
	store("trace", "", O_TRUNC);
	return good;
}

static void await_word(void)
{
	__atomic_fetch_add(&shared[WORKERS_READY], 1, __ATOMIC_RELAXED);
	wait_for(&shared[GO], 1);
}

/* --- counting --- */

static void count_own_calls(void)
{
	struct perf_event_attr enter = tracepoint_attr("syscalls/sys_enter_getppid");
	struct perf_event_attr leave = tracepoint_attr("raw_syscalls/sys_exit");
	int enters = must_open(&enter, 0, -1, -1), leaves = must_open(&leave, 0, -1, -1);

	char filter[32];

	snprintf(filter, sizeof(filter), "id == %d", SYS_getppid);
	EXPECT_EQ(ioctl(leaves, PERF_EVENT_IOC_SET_FILTER, filter), 0);
	await_word();
	control(enters, PERF_EVENT_IOC_ENABLE, 0);
	control(leaves, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < CALLS / 100; i++) {
		call(100);
		sched_yield();
	}
	EXPECT_EQ(value_of(enters), CALLS);
	EXPECT_EQ(value_of(leaves), CALLS);
	end();
}

static void check_counts(void)
{
	EXPECT(run_workers(count_own_calls));
}

static void call_and_end(void)
{
	await_word();
	call(CALLS);
	_exit(0);
}

static void check_cpus(void)
{
	struct perf_event_attr attr = tracepoint_attr("syscalls/sys_enter_getppid");
	int fds[64], cpus = cpu_count();
	uint64_t sum = 0;

	for (int cpu = 0; cpu < cpus; cpu++) {
		fds[cpu] = must_open(&attr, -1, cpu, -1);
		control(fds[cpu], PERF_EVENT_IOC_ENABLE, 0);
	}
	EXPECT(run_workers(call_and_end));
	for (int cpu = 0; cpu < cpus; cpu++) {
		sum += value_of(fds[cpu]);
		close(fds[cpu]);
	}
	EXPECT_EQ(sum, WORKERS * CALLS);
}

/* --- samples --- */

struct raw_sample {
	struct perf_event_header header;
	uint64_t time_ns;
	uint32_t size;
	uint16_t common_type;
	uint8_t common_flags, common_preempt_count;
	int32_t common_pid;
	unsigned char fields[64];
} __attribute__((packed));

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

static void sample_own_calls(void)
{
	struct perf_event_attr attr = tracepoint_attr("syscalls/sys_enter_getppid");
	struct perf_ring ring;
	struct raw_sample sample;
	uint64_t samples = 0, lost = 0, last_ns = 0;
	uint64_t values[2];

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME;
	attr.read_format = PERF_FORMAT_LOST;
	EXPECT_EQ(perf_ring_open(&ring, &attr, 4), 0);
	await_word();
	control(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < CALLS / 100; i++) {
		call(100);
		while (draw(2) && perf_ring_next(&ring, &sample, sizeof(sample))) {
			if (sample.header.type != PERF_RECORD_SAMPLE)
				continue;
			EXPECT_EQ(sample.size, 20);
			EXPECT_EQ(sample.common_type, attr.config);
			EXPECT_EQ(sample.common_pid, getpid());
			EXPECT(sample.time_ns >= last_ns);
			last_ns = sample.time_ns;
			samples++;
		}
	}
	control(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (perf_ring_next(&ring, &sample, sizeof(sample)))
		samples += sample.header.type == PERF_RECORD_SAMPLE;
	EXPECT_EQ(read(ring.fd, values, sizeof(values)), sizeof(values));
	lost = values[1];
	EXPECT_EQ(values[0], CALLS);
	EXPECT_EQ(samples + lost, CALLS);
	perf_ring_close(&ring);
	end();
}

static void sample_as_drawn(void)
{
	random_state = (uint64_t)getpid();
	sample_own_calls();
}

static void check_samples(void)
{
	EXPECT(run_workers(sample_as_drawn));
}

/* --- switches --- */

static void yield_and_end(void)
{
	await_word();
	for (int i = 0; i < 100; i++) {
		sched_yield();
		call(1);
	}
	_exit(0);
}

/* sched_switch, as its format file says. */
struct switch_record {
	char prev_comm[16];
	int32_t prev_pid, prev_prio;
	int64_t prev_state;
	char next_comm[16];
	int32_t next_pid, next_prio;
};

/* How many switches there were. */
static uint64_t check_chain(struct perf_ring *ring, int cpu)
{
	struct raw_sample sample;
	struct switch_record record;
	int last_pid = -1;
	uint64_t links = 0;

	while (perf_ring_next(ring, &sample, sizeof(sample))) {
		if (sample.header.type != PERF_RECORD_SAMPLE) {
			/* The task in between is unknown. */
			last_pid = -1;
			continue;
		}
		memcpy(&record, sample.fields, sizeof(record));
		EXPECT_EQ(sample.size, 68);
		EXPECT_EQ_AT(sample.common_pid, record.prev_pid, "CPU %d", cpu);
		if (last_pid >= 0)
			EXPECT_EQ_AT(record.prev_pid, last_pid, "CPU %d, link %d", cpu, (int)links);
		EXPECT(record.prev_pid != record.next_pid || record.prev_pid == 0);
		last_pid = record.next_pid;
		links++;
	}
	return links;
}

static void check_switches(void)
{
	struct perf_event_attr attr = tracepoint_attr("sched/sched_switch");
	struct perf_ring rings[64];
	uint64_t links = 0;
	int cpus = cpu_count();

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME;
	attr.disabled = 0;
	for (int cpu = 0; cpu < cpus; cpu++)
		EXPECT_EQ(perf_ring_open_on(&rings[cpu], &attr, -1, cpu, 64), 0);
	EXPECT(run_workers(yield_and_end));
	for (int cpu = 0; cpu < cpus; cpu++) {
		control(rings[cpu].fd, PERF_EVENT_IOC_DISABLE, 0);
		links += check_chain(&rings[cpu], cpu);
		perf_ring_close(&rings[cpu]);
	}
	/* Each worker is switched to once at least. */
	EXPECT(links >= WORKERS);
}

/* --- locks --- */

/* Each CPU is between two waits: this task runs there, and an ended task has left it for good. */
static void visit_cpus(void)
{
	for (int cpu = 0; cpu < cpu_count(); cpu++)
		pin(0, cpu);
	pin(0, -1);
}

/* Each wait begins once by spinning, for a spin lock or a mutex, and ends once. Nothing is in between while
 * the events are switched: all workers have ended then. */
static void check_locks(void)
{
	struct perf_event_attr begin = tracepoint_attr("lock/contention_begin");
	struct perf_event_attr end = tracepoint_attr("lock/contention_end");
	int begins[64], ends[64], cpus = cpu_count();
	uint64_t begun = 0, ended = 0;

	end.disabled = 0;
	visit_cpus();
	for (int cpu = 0; cpu < cpus; cpu++) {
		begins[cpu] = must_open(&begin, -1, cpu, -1);
		ends[cpu] = must_open(&end, -1, cpu, begins[cpu]);
		EXPECT_EQ(ioctl(begins[cpu], PERF_EVENT_IOC_SET_FILTER, "flags & 1"), 0);
		control(begins[cpu], PERF_EVENT_IOC_ENABLE, 0);
	}
	/* Until a task has waited, where that can be. */
	do {
		EXPECT(run_workers(yield_and_end));
		begun = 0;
		for (int cpu = 0; cpu < cpus; cpu++)
			begun += value_of(begins[cpu]);
	} while (cpus > 1 && begun == 0);
	visit_cpus();
	for (int cpu = 0; cpu < cpus; cpu++)
		control(begins[cpu], PERF_EVENT_IOC_DISABLE, 0);
	begun = 0;
	for (int cpu = 0; cpu < cpus; cpu++) {
		begun += value_of(begins[cpu]);
		ended += value_of(ends[cpu]);
		close(ends[cpu]);
		close(begins[cpu]);
	}
	EXPECT_EQ(ended, begun);
}

/* --- the trace --- */

static void write_markers(void)
{
	int fd = open(ROOT "trace_marker", O_WRONLY);
	char text[32];

	EXPECT(fd >= 0);
	await_word();
	for (int i = 0; i < MARKERS; i++) {
		int length = snprintf(text, sizeof(text), "marker %d %d", getpid(), i);

		EXPECT_EQ(write(fd, text, (size_t)length), length);
		if (i % 10 == 0)
			sched_yield();
	}
	end();
}

/* Takes the markers of LINE; NEXT: the next one of each writer, by its pid from FIRST on. */
static bool take_marker(const char *line, int first, int *next)
{
	const char *marker = strstr(line, "tracing_mark_write: marker ");
	int pid, number;

	if (!marker || sscanf(marker, "tracing_mark_write: marker %d %d", &pid, &number) != 2)
		return false;
	EXPECT(pid >= first && pid < first + WORKERS);
	if (pid >= first && pid < first + WORKERS)
		EXPECT_EQ(number, next[pid - first]++);
	return true;
}

static void check_markers(void)
{
	int next[WORKERS] = { 0 }, first = 0;
	FILE *trace_pipe;
	char line[256];
	pid_t pids[WORKERS];

	memset((void *)shared, 0, PAGE);
	for (int i = 0; i < WORKERS; i++)
		pids[i] = start(write_markers);
	first = pids[0];
	wait_for(&shared[WORKERS_READY], WORKERS);
	trace_pipe = fopen(ROOT "trace_pipe", "r");
	EXPECT(trace_pipe != NULL);
	if (!trace_pipe)
		return;
	shared[GO] = 1;
	/* It waits for each line that is not there yet. */
	for (int taken = 0; taken < WORKERS * MARKERS;) {
		if (!fgets(line, sizeof(line), trace_pipe))
			break;
		taken += take_marker(line, first, next);
	}
	for (int i = 0; i < WORKERS; i++) {
		EXPECT_EQ(status_of(pids[i]), 0);
		EXPECT_EQ(next[i], MARKERS);
	}
	fclose(trace_pipe);

	struct pollfd waiting = { .fd = open(ROOT "trace_pipe", O_RDONLY | O_NONBLOCK),
				  .events = POLLIN };

	EXPECT_EQ(poll(&waiting, 1, 0), 0);
	store("trace_marker", "one more", 0);
	EXPECT_EQ(poll(&waiting, 1, 1000), 1);
	EXPECT(read(waiting.fd, line, sizeof(line)) > 0);
	EXPECT_EQ(poll(&waiting, 1, 0), 0);
	close(waiting.fd);
}

/* --- memory --- */

/* Histograms of the largest size until there is no memory for another: how many. */
static int fill_with_histograms(void)
{
	int fd = open(ROOT "events/task/task_newtask/trigger", O_WRONLY | O_APPEND), count = 0;
	char text[64];

	do
		snprintf(text, sizeof(text), "hist:keys=pid:size=131072 if pid > %d", ++count);
	while (write(fd, text, strlen(text)) > 0);
	EXPECT_EQ(errno, ENOMEM);
	close(fd);
	return count;
}

static void check_memory(void)
{
	static struct state state;

	/* The memory of the last rule's tasks comes back first. */
	state_settle(&state);
	uint64_t before = free_memory();
	int count = fill_with_histograms();

	EXPECT(free_memory() > before / 2);
	store("events/task/task_newtask/trigger", "", O_TRUNC);
	/* All is back: there is room for as many. */
	EXPECT_EQ(fill_with_histograms(), count);
	store("events/task/task_newtask/trigger", "", O_TRUNC);
}

static const struct tap_rule rules[] = {
	{ "a task's calls are all counted", check_counts },
	{ "events of all CPUs count each call once", check_cpus },
	{ "each call has its sample, written or lost", check_samples },
	{ "the next task of a context switch is the previous task of the one after",
	  check_switches },
	{ "a wait for a lock that has begun ends", check_locks },
	{ "histograms leave most of the memory, and give theirs back", check_memory },
	{ "every marker is in trace_pipe once and in order", check_markers },
};

int main(void)
{
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
