// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules that every CPU of the machine is a whole one, however many there are: it runs programs at the
 * same time as all the others, counts, gets the message of the others when memory goes away, and any
 * program may move to it.
 *
 * scheduling.c is about the CPUs that the scheduler chooses.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <time.h>

#include "child.h"

#define CPUS_MAX   256
#define STACK_SIZE 16384
#define ROUNDS	   8
/* a reader's, between two naps */
#define LOOKS	   100

struct board {
	_Atomic int here;	   /* children that have come */
	_Atomic int cpu[CPUS_MAX]; /* 1 and where number i found itself */
	_Atomic int stop, stale;
	_Atomic uint64_t gone; /* no CPU may see this any more, nor a lesser number */
	_Atomic uint64_t rounds[CPUS_MAX];
};

static struct board *board;

static int current_cpu(void)
{
	unsigned int cpu = CPUS_MAX;

	EXPECT_EQ(syscall(__NR_getcpu, &cpu, NULL, NULL), 0);
	return (int)cpu;
}

/* Waits for the others without a call: if two of them shared a CPU and it switched between them, they
 * would come too, but each is on its own CPU. */
static void meet(int number)
{
	board->cpu[number] = 1 + current_cpu();
	board->here++;
	while (board->here < cpu_count())
		;
	EXPECT_EQ(current_cpu(), number);
}

static void check_meeting(void)
{
	board = share(sizeof(*board));
	children_run(cpu_count(), meet);
	for (int i = 0; i < cpu_count(); i++)
		EXPECT_EQ_AT(board->cpu[i], 1 + i, "child %d", i);
}

/* One program goes from each CPU to the next, and back to the first one. */
static void check_tour(void)
{
	for (int i = 0; i <= cpu_count(); i++) {
		pin(0, i % cpu_count());
		EXPECT_EQ(current_cpu(), i % cpu_count());
	}
	pin(0, -1);
}

/* A program is executed, not only forked, there. */
static void execute(int number)
{
	char *words[] = { "processors", "--here", NULL };
	pid_t child = vfork();

	if (child == 0) {
		execv("/proc/self/exe", words);
		_exit(127);
	}
	EXPECT_EQ_AT(child_wait(child), number << 8, "CPU %d", number);
}

static void check_execution(void)
{
	children_run(cpu_count(), execute);
}

/* A page that all CPUs read while one of them throws its contents away again and again. */
static _Atomic uint64_t *page;
static char stacks[CPUS_MAX][STACK_SIZE] __attribute__((aligned(16)));

/* 255 CPUs may share two of the host's: a waiter sleeps. */
static void nap(void)
{
	const struct timespec time = { 0, 1000000 };

	nanosleep(&time, NULL);
}

static int read_on(void *argument)
{
	int number = (int)(long)argument;

	pin(0, number);
	board->here++;
	while (!board->stop) {
		uint64_t gone = board->gone, value = *page;

		if (value && value <= gone)
			board->stale++;
		if (++board->rounds[number] % LOOKS == 0)
			nap();
	}
	board->here--;
	return 0;
}

/* Every reader has looked at least once more. The readers look while the others do: the naps are those of the slowest
 * reader, and their number does not grow with that of the CPUs. */
static void let_all_look(void)
{
	static uint64_t seen[CPUS_MAX];

	for (int i = 1; i < cpu_count(); i++)
		seen[i] = board->rounds[i];
	for (int i = 1; i < cpu_count(); i++)
		while (board->rounds[i] < seen[i] + 2)
			nap();
}

static void check_thrown_away(void)
{
	board = share(sizeof(*board));
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT((void *)page != MAP_FAILED);
	pin(0, 0);
	for (long i = 1; i < cpu_count(); i++)
		EXPECT(clone(read_on, stacks[i] + STACK_SIZE,
			     CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD,
			     (void *)i) > 0);
	while (board->here < cpu_count() - 1)
		nap();
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		*page = round;
		let_all_look();
		EXPECT_EQ(madvise((void *)page, PAGE, MADV_DONTNEED), 0);
		board->gone = round;
		let_all_look();
	}
	board->stop = 1;
	while (board->here)
		nap();
	EXPECT_EQ(board->stale, 0);
	pin(0, -1);
}

/* An event of a CPU counts its own work and nothing of another CPU's. */
static void check_counting(void)
{
	for (int cpu = 0; cpu < cpu_count(); cpu++) {
		struct perf_event_attr attr = { .size = sizeof(attr),
						.type = PERF_TYPE_SOFTWARE,
						.config = PERF_COUNT_SW_PAGE_FAULTS };
		int here = open_event(&attr, -1, cpu, -1), any = open_event(&attr, 0, -1, -1);
		uint64_t before[2], after[2];
		char *memory = mmap(NULL, ROUNDS * PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		pin(0, cpu);
		EXPECT_EQ(read(any, &before[1], 8), 8);
		EXPECT_EQ(read(here, &before[0], 8), 8);
		for (int i = 0; i < ROUNDS; i++)
			memory[i * PAGE] = 1;
		EXPECT_EQ(read(here, &after[0], 8), 8);
		EXPECT_EQ(read(any, &after[1], 8), 8);
		EXPECT_EQ_AT(after[0] - before[0], ROUNDS, "CPU %d", cpu);
		EXPECT_EQ_AT(after[1] - before[1], ROUNDS, "the task on CPU %d", cpu);
		EXPECT_EQ(munmap(memory, ROUNDS * PAGE), 0);
		close(here);
		close(any);
	}
	pin(0, -1);
}

static void set_online(int cpu, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	int fd = open(path, O_WRONLY);

	EXPECT_EQ(write(fd, value, 1), 1);
	EXPECT_EQ(close(fd), 0);
}

/* Whether the caller may run on CPU, by a set of as many words as the machine needs. */
static bool may_run_on(int cpu)
{
	uint64_t set[CPUS_MAX / 64] = { 0 };

	EXPECT(syscall(__NR_sched_getaffinity, 0, sizeof(set), set) > 0);
	return set[cpu / 64] >> cpu % 64 & 1;
}

/* The last CPU: on machines with more than 64 its bit is in another word than that of CPU 0. */
static void check_hotplug(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_PAGE_FAULTS };
	int last = cpu_count() - 1;

	if (last == 0) {
		printf("# skipped: no other CPU\n");
		return;
	}
	for (int i = 0; i < ROUNDS; i++) {
		pin(0, last);
		pin(0, -1);
		EXPECT(may_run_on(last));
		set_online(last, "0");
		EXPECT(current_cpu() != last);
		EXPECT(!may_run_on(last));
		EXPECT(may_run_on(last - 1));
		EXPECT_EQ(sysconf(_SC_NPROCESSORS_ONLN), last);
		EXPECT_EQ(open_event(&attr, -1, last, -1), -1);
		EXPECT_EQ(errno, ENODEV);
		set_online(last, "1");
		EXPECT(may_run_on(last));
		EXPECT_EQ(sysconf(_SC_NPROCESSORS_ONLN), last + 1);
	}
	check_counting();
}

static const struct tap_rule rules[] = {
	{ "all CPUs run a program at the same time", check_meeting },
	{ "a program goes to every CPU", check_tour },
	{ "a program is started on every CPU", check_execution },
	{ "memory that is thrown away is gone on every CPU", check_thrown_away },
	{ "every CPU counts", check_counting },
	{ "the last CPU goes off line and comes back, and every CPU counts", check_hotplug },
};

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--here") == 0)
		return current_cpu();
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
