// SPDX-License-Identifier: BSD-2-Clause
/*
 * A fuzzer of the calls around perf_event_open: seeds in, TAP out.
 *
 *	fuzz [--operations N] [--workers N] [--seconds N] [--hold 1] SEED...
 *
 * For each seed, some worker processes do random operations (operations.c). A point is a seed: its
 * workers came to an end, or were killed by their own doing, and nothing hung. Workers that only run and
 * get nowhere are no hang: an event that signals at each instruction, to a handler whose instructions it
 * counts too, leaves no time for anything else, on Linux as well. They have to be killed by SIGKILL then.
 * With --seconds, further seeds follow the last one until the time is over. With --hold, what hangs is not
 * killed, and all stands still, for whoever looks at the machine from outside. On Tally the kernel has, in the
 * end, as many objects of each size (/proc/slabinfo) and as much free memory as after the first seeds.
 *
 * That the kernel neither panics nor warns is for tests/fuzz/run to see, which reads the kernel's log.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long nothing may happen, by the clock: storms of interrupts make each look at the workers late.
 * Machines of an emulator are slow, and so is a host with much to do. */
#define PATIENCE_S    60
#define SETTLE_MS     10000
#define WORKERS_MAX   16
#define TASKS_AT_ONCE 160
/* Seeds that are run before memory is looked at, so that what is kept for later is there: 0 and on. */
#define WARM_UPS      4

struct shared *fuzz_shared;

static unsigned int operations = 200, workers = 4;
static bool hold;

/* The file PATH as a string of less than SIZE bytes, empty if there is none. Returns its length. */
static size_t read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	size_t length = 0;
	ssize_t got;

	while (fd >= 0 && (got = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	if (fd >= 0)
		close(fd);
	return length;
}

/* --- one seed --- */

static void kill_all(const pid_t *groups)
{
	for (unsigned int i = 0; i < workers; i++)
		kill(-groups[i], SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

static void pause_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

/* Calls FUNCTION with each number in DIRECTORY's names; whether it said so for one of them. */
static bool any_number(const char *directory, bool (*function)(const char *path))
{
	DIR *numbers = opendir(directory);
	struct dirent *entry;
	bool found = false;

	while (numbers && (entry = readdir(numbers))) {
		char path[64];

		if (atol(entry->d_name) <= 0)
			continue;
		snprintf(path, sizeof(path), "%s/%ld", directory, atol(entry->d_name));
		found |= function(path);
	}
	if (numbers)
		closedir(numbers);
	return found;
}

static bool thread_runs(const char *path)
{
	char stat[80], text[128];

	snprintf(stat, sizeof(stat), "%s/stat", path);
	read_text(stat, text, sizeof(text));
	return strstr(text, ") R ") != NULL;
}

static bool process_runs(const char *path)
{
	char threads[80];

	snprintf(threads, sizeof(threads), "%s/task", path);
	return atol(strrchr(path, '/') + 1) != getpid() && any_number(threads, thread_runs);
}

/* Whether a thread of another process than this one runs, or could. */
static bool somebody_runs(void)
{
	return any_number("/proc", process_runs);
}

enum outcome { ENDED, BUSY, HUNG };

/* Waits for the workers until they end, or do nothing for a long time. */
static enum outcome watch(const pid_t *groups)
{
	unsigned int running = workers;
	uint64_t seen = 0;
	time_t changed = time(NULL);

	while (running > 0) {
		pid_t ended = waitpid(-1, NULL, WNOHANG);

		for (unsigned int i = 0; i < workers; i++)
			running -= ended > 0 && ended == groups[i];
		if (ended > 0)
			continue;
		uint64_t done = atomic_load(&fuzz_shared->operations);

		if (done != seen)
			changed = time(NULL);
		seen = done;
		if (time(NULL) - changed > PATIENCE_S)
			return somebody_runs() ? BUSY : HUNG;
		pause_ms(10);
	}
	return ENDED;
}

/* Standard input could be waited for, and nobody is to read what a worker writes. */
static void forget_standard_files(void)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	close(null);
}

_Noreturn static void stand_still(uint64_t seed)
{
	printf("# seed %llu: hung; standing still\n", (unsigned long long)seed);
	fflush(stdout);
	for (;;)
		pause();
}

static bool run_seed(uint64_t seed)
{
	struct random random = { seed };
	pid_t groups[WORKERS_MAX];

	fuzz_shared->operations = fuzz_shared->opened = fuzz_shared->digest = 0;
	for (unsigned int i = 0; i < workers; i++) {
		struct random own = random_split(&random);

		groups[i] = fork();
		if (groups[i] == 0) {
			setpgid(0, 0);
			forget_standard_files();
			fuzz_run(own, operations, 0);
			_exit(0);
		}
		setpgid(groups[i], groups[i]);
	}
	enum outcome outcome = watch(groups);
	if (outcome == HUNG && hold)
		stand_still(seed);
	kill_all(groups);
	if (outcome == BUSY)
		printf("# seed %llu: killed while it did nothing but run\n",
		       (unsigned long long)seed);
	return outcome != HUNG;
}

/* --- what the kernel has --- */

struct state {
	char objects[4096]; /* as text: how many of each size are in use */
	uint64_t free_kb;   /* not in use by anything but objects */
};

/* The numbers of LINE behind its name: active objects, objects, size, objects of a slab, its pages. */
static bool parse_line(const char *line, char *name, unsigned long numbers[5])
{
	return sscanf(line, "%31s %lu %lu %lu %lu %lu", name, &numbers[0], &numbers[1], &numbers[2],
		      &numbers[3], &numbers[4]) == 6;
}

/* Which object is where decides how many pages they take, so pages of objects count as free. */
static void look(struct state *state)
{
	static char text[8192];
	char *line, *rest = text, name[32];
	unsigned long numbers[5];
	size_t length = 0;

	memset(state, 0, sizeof(*state));
	read_text("/proc/slabinfo", text, sizeof(text));
	while ((line = strsep(&rest, "\n"))) {
		if (!parse_line(line, name, numbers))
			continue;
		length += (size_t)snprintf(state->objects + length, sizeof(state->objects) - length,
					   "# %s: %lu\n", name, numbers[0]);
		state->free_kb += numbers[1] / numbers[3] * numbers[4] * 4;
	}
	read_text("/proc/meminfo", text, sizeof(text));
	line = strstr(text, "MemFree:");
	if (line)
		state->free_kb += strtoull(line + strlen("MemFree:"), NULL, 10);
}

/* Kernel stacks are kept for the next task: as many as there ever were tasks at once. */
static void have_many_tasks(void)
{
	pid_t children[TASKS_AT_ONCE];

	for (int i = 0; i < TASKS_AT_ONCE; i++) {
		children[i] = fork();
		while (children[i] == 0)
			pause();
	}
	for (int i = 0; i < TASKS_AT_ONCE; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

/* Whether the kernel comes to have as much as BEFORE; NOW: what it has in the end. */
static bool becomes(const struct state *before, struct state *now)
{
	for (int waited = 0; waited < SETTLE_MS; waited += 100) {
		look(now);
		if (strcmp(now->objects, before->objects) == 0 && now->free_kb == before->free_kb)
			return true;
		pause_ms(100);
	}
	return false;
}

static void show_difference(const struct state *before, const struct state *now)
{
	printf("# before: %llu kB free\n%s# after: %llu kB free\n%s",
	       (unsigned long long)before->free_kb, before->objects,
	       (unsigned long long)now->free_kb, now->objects);
}

/* --- the whole --- */

static bool point(bool good, const char *name)
{
	printf("%s %u - %s\n", good ? "ok" : "not ok", ++fuzz_shared->points, name);
	fflush(stdout);
	return good;
}

static bool try_seed(uint64_t seed)
{
	char name[160];
	bool good = run_seed(seed);

	snprintf(name, sizeof(name), "seed %llu: %llu operations, %llu events, digest %016llx",
		 (unsigned long long)seed, (unsigned long long)fuzz_shared->operations,
		 (unsigned long long)fuzz_shared->opened, (unsigned long long)fuzz_shared->digest);
	return point(good, name);
}

struct plan {
	unsigned long seconds;
	char **seeds; /* NULL at the end */
};

/* A task that was once counted keeps its place for events. So do this one and its parent, which
 * are there to the end, and which a worker may happen to count. */
static void be_counted(void)
{
	union attr attr = { .fields = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_DUMMY,
					.size = ATTR_WORDS * 8 } };
	const pid_t counted[] = { 0, getppid(), 1 };

	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, counted[i], -1, -1, 0);

		if (fd >= 0)
			close(fd);
	}
}

/* A page of the program's file that nobody has looked at yet is not in memory. */
static void be_in_memory(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	off_t size = lseek(fd, 0, SEEK_END);
	const volatile char *file = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);

	for (off_t at = 0; file != MAP_FAILED && at < size; at += 4096)
		(void)file[at];
	munmap((void *)file, (size_t)size);
	close(fd);
}

static bool warm_up(const struct plan *unused)
{
	(void)unused;
	be_in_memory();
	have_many_tasks();
	printf("# warming up\n");
	fflush(stdout);
	for (uint64_t seed = 0; seed < WARM_UPS; seed++)
		if (!run_seed(seed))
			return point(false, "warming up");
	return true;
}

static bool try_seeds(const struct plan *plan)
{
	time_t end = time(NULL) + (time_t)plan->seconds;
	uint64_t seed = 0;
	bool good = true;

	for (char **text = plan->seeds; good && *text; text++) {
		seed = strtoull(*text, NULL, 0);
		good = try_seed(seed);
	}
	while (good && time(NULL) < end)
		good = try_seed(++seed);
	return good;
}

/* In a process of its own, whose memory is all given back: this one's own grows by nothing. */
static bool in_a_child(bool (*function)(const struct plan *plan), const struct plan *plan)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
		_exit(function(plan) ? 0 : 1);
	}
	return waitpid(child, &status, 0) == child && status == 0;
}

static bool is_tally(void)
{
	struct utsname names;

	return uname(&names) == 0 && strstr(names.release, "tally");
}

static int usage(void)
{
	fprintf(stderr,
		"usage: fuzz [--operations N] [--workers N] [--seconds N] [--hold 1] SEED...\n");
	return 2;
}

int main(int argc, char **argv)
{
	static struct state before, after;
	struct plan plan = { 0 };
	int first = 1;

	fuzz_shared = mmap(NULL, sizeof(*fuzz_shared), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc == 5 && strcmp(argv[1], FUZZ_CONTINUE) == 0) {
		struct random random = { strtoull(argv[2], NULL, 10) };

		fuzz_run(random, (unsigned int)strtoul(argv[3], NULL, 10),
			 (unsigned int)strtoul(argv[4], NULL, 10));
		return 0;
	}
	for (; first + 1 < argc && strncmp(argv[first], "--", 2) == 0; first += 2) {
		unsigned long value = strtoul(argv[first + 1], NULL, 10);

		if (strcmp(argv[first], "--operations") == 0)
			operations = (unsigned int)value;
		else if (strcmp(argv[first], "--workers") == 0 && value <= WORKERS_MAX)
			workers = (unsigned int)value;
		else if (strcmp(argv[first], "--seconds") == 0)
			plan.seconds = value;
		else if (strcmp(argv[first], "--hold") == 0)
			hold = value != 0;
		else
			return usage();
	}
	if (first >= argc)
		return usage();
	plan.seeds = argv + first;

	bool tally = is_tally();
	be_counted();
	bool good = in_a_child(warm_up, &plan);
	/* The second look finds what the first one made this process need. */
	look(&before);
	becomes(&before, &after);
	look(&before);
	good = good && in_a_child(try_seeds, &plan);
	if (good && tally) {
		good = becomes(&before, &after);
		point(good, "the kernel has as many objects and as much free memory as before");
	}
	if (!good && tally)
		show_difference(&before, &after);
	printf("1..%u\n", fuzz_shared->points);
	return good ? 0 : 1;
}
