// SPDX-License-Identifier: BSD-2-Clause
/*
 * A fuzzer of the kernel: seeds in, TAP out.
 *
 *	fuzz [--operations N] [--workers N] [--seconds N] [--hold 1|2] SEED...
 *
 * For each seed, some worker processes do random operations (operations.c), while root changes settings
 * (administrator.c). A point is a seed: its workers came to an end, or were killed by their own doing, nothing
 * hung, no canary changed, no privileged program was touched, the kernel leaked nothing of its own
 * (leak.c), and the kernel has as many objects of each size (/proc/slabinfo) and as much free memory as
 * after the first seeds.
 *
 * Workers that only run and get nowhere are no hang: an event that signals at each instruction, to a handler whose
 * instructions it counts too, leaves no time for anything else, on Linux as well. They have to be killed by SIGKILL
 * then. With --seconds, further seeds follow the last one until the time is over. With --hold 1, what
 * hangs is not killed, and all stands still, for a look at the machine from outside; with --hold 2 after
 * any finding.
 *
 * tests/fuzz/run reads the kernel's log and reports panics and warnings.
 */
#define _GNU_SOURCE
#include "fuzz.h"
#include "state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The longest time without progress, by the clock: storms of interrupts make each look at the workers
 * late. Machines of an emulator are slow, and so is a host with much to do. The limit for workers that
 * run is shorter. */
#define PATIENCE_S	60
#define PATIENCE_BUSY_S 15
#define WORKERS_MAX	15
#define ADMINISTRATION	40
/* Seeds that are run before memory is looked at, so that what is kept for later is there: 0 and on. */
#define WARM_UPS	2

static unsigned int operations = 200, workers = 4;
static unsigned int hold;
static bool tally;
/* The workers and the administrator. fuzz_shared has them for workers, whose calls may write there. */
static pid_t started[WORKERS_MAX + 1];

/* --- one seed --- */

/* The workers and the administrator: a process group each. */
static void kill_all(void)
{
	for (unsigned int i = 0; i <= workers; i++)
		kill(-started[i], SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR)
		;
}

static void pause_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

/* Calls FUNCTION with each number in DIRECTORY's names; returns whether one of the calls returned true. */
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
	tree_read_text(stat, text, sizeof(text));
	return strstr(text, ") R ") != NULL;
}

static bool process_runs(const char *path)
{
	pid_t pid = (pid_t)atol(strrchr(path, '/') + 1);
	char threads[80];

	snprintf(threads, sizeof(threads), "%s/task", path);
	return pid != getpid() && pid != fuzz_shared->canaries[0] &&
	       pid != fuzz_shared->canaries[1] && any_number(threads, thread_runs);
}

/* Whether a thread of a worker runs, or could. */
static bool a_task_runs(void)
{
	return any_number("/proc", process_runs);
}

enum outcome { ENDED, BUSY, HUNG };

/* Waits for the workers until they end, or do nothing for a long time. */
static enum outcome watch(void)
{
	unsigned int running = workers + 1;
	uint64_t seen = 0;
	time_t changed = time(NULL);

	while (running > 0 && !atomic_load(&fuzz_shared->found)) {
		pid_t ended = waitpid(-1, NULL, WNOHANG);

		for (unsigned int i = 0; i <= workers; i++)
			running -= ended > 0 && ended == started[i];
		if (ended > 0)
			continue;
		uint64_t done =
			atomic_load(&fuzz_shared->operations) + atomic_load(&fuzz_shared->calls);

		if (done != seen)
			changed = time(NULL);
		seen = done;
		if (time(NULL) - changed > PATIENCE_BUSY_S && a_task_runs())
			return BUSY;
		if (time(NULL) - changed > PATIENCE_S)
			return HUNG;
		pause_ms(5);
	}
	return ENDED;
}

/* A worker could wait for standard input, and its output has no reader. The other ends of the canaries' pipes
 * are not a worker's. */
static void forget_files(void)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	close_range(STDERR_FILENO + 1, ~0u, 0);
}

_Noreturn static void stand_still(uint64_t seed)
{
	printf("# seed %llu: standing still\n", (unsigned long long)seed);
	fflush(stdout);
	for (;;)
		pause();
}

static void start_worker(unsigned int which, struct random random)
{
	pid_t child = fork();

	if (child == 0) {
		setpgid(0, 0);
		forget_files();
		if (which == workers) {
			fuzz_administrate(random, ADMINISTRATION);
			_exit(0);
		}
		tree_become_user(which % 3 == 1 ? OTHER_UID : WORKER_UID);
		fuzz_run(random, operations, 0);
		_exit(0);
	}
	setpgid(child, child);
	fuzz_shared->workers[which] = started[which] = child;
}

/* In a child, whose memory is all given back. */
_Noreturn static void run_workers(uint64_t seed)
{
	struct random random = { seed };
	static const int levels[] = { 2, 2, 2, 1, -1 };

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	fuzz_shared->paranoid = levels[random_below(&random, COUNT(levels))];
	fuzz_reset_settings();
	char text[16];

	snprintf(text, sizeof(text), "%d", fuzz_shared->paranoid);
	tree_write_text("/proc/sys/kernel/perf_event_paranoid", text);
	fuzz_dsa_begin();
	for (unsigned int i = 0; i <= workers; i++)
		start_worker(i, random_split(&random));
	enum outcome outcome = watch();

	if (outcome == HUNG && hold)
		stand_still(seed);
	kill_all();
	if (outcome == HUNG)
		fuzz_finding("nothing happened for %d s", PATIENCE_S);
	if (outcome == BUSY) {
		printf("# seed %llu: killed while it did nothing but run\n",
		       (unsigned long long)seed);
		fflush(stdout);
	}
	_exit(0);
}

/* Whether nothing was found. */
static bool run_seed(uint64_t seed)
{
	int status;

	fuzz_shared->operations = fuzz_shared->calls = fuzz_shared->opened = fuzz_shared->digest =
		0;
	memset(fuzz_shared->workers, 0, sizeof(fuzz_shared->workers));
	tree_open_work();
	pid_t child = fork();

	if (child == 0)
		run_workers(seed);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		fuzz_finding("the process that watches workers ended with status %x",
			     (unsigned int)status);
	fuzz_dsa_end();
	fuzz_reset_settings();
	bool canaries = canary_check(), tree = tree_is_whole(), work = tree_close_work();

	return canaries && tree && work && !atomic_load(&fuzz_shared->found);
}

/* --- the whole --- */

static uint64_t calls_made, seeds_done;
static struct state before, after;

static bool point(bool good, const char *name)
{
	printf("%s %u - %s\n", good ? "ok" : "not ok", ++fuzz_shared->points, name);
	if (!good)
		printf("# %s\n", fuzz_shared->finding);
	fflush(stdout);
	return good;
}

static bool try_seed(uint64_t seed)
{
	char name[160];

	printf("# trying seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	bool good = run_seed(seed);

	calls_made += fuzz_shared->calls;
	seeds_done++;
	if (good && tally && !state_becomes(&before, &after)) {
		fuzz_finding(
			"the kernel has not as many objects and as much free memory as before");
		state_show_difference(&before, &after);
		good = false;
	}
	snprintf(name, sizeof(name), "seed %llu: %llu calls, %llu events, digest %016llx",
		 (unsigned long long)seed, (unsigned long long)fuzz_shared->calls,
		 (unsigned long long)fuzz_shared->opened, (unsigned long long)fuzz_shared->digest);
	point(good, name);
	if (!good && hold > 1)
		stand_still(seed);
	return good;
}

struct plan {
	unsigned long seconds;
	char **seeds; /* NULL at the end */
};

static bool warm_up(void)
{
	state_warm_up();
	for (uint64_t seed = 0; seed < WARM_UPS; seed++) {
		printf("# trying seed %llu\n", (unsigned long long)seed);
		fflush(stdout);
		if (!run_seed(seed))
			return point(false, "warming up");
	}
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
	printf("# %llu calls, %llu seeds, last %llu, %s\n", (unsigned long long)calls_made,
	       (unsigned long long)seeds_done, (unsigned long long)seed,
	       good ? "no finding" : "1 finding");
	return good;
}

/* In a process of its own, whose memory is all given back: this one's own grows by nothing. */
static bool fuzz(const struct plan *plan)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
		canary_start();
		bool good = warm_up();

		state_own_memory();
		/* The second look finds what the first one made this process need. */
		state_look(&before);
		state_becomes(&before, &after);
		state_look(&before);
		good = good && try_seeds(plan);
		canary_end();
		fflush(stdout);
		_exit(good ? 0 : 1);
	}
	return waitpid(child, &status, 0) == child && status == 0;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: fuzz [--operations N] [--workers N] [--seconds N] [--hold 1|2] SEED...\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct plan plan = { 0 };
	struct utsname names;
	int first = 1;

	privileged_run(argv);
	if (argc == 5 && strcmp(argv[1], FUZZ_CONTINUE) == 0) {
		struct random random = { strtoull(argv[2], NULL, 10) };

		tree_map_shared();
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
			hold = (unsigned int)value;
		else
			return usage();
	}
	if (first >= argc)
		return usage();
	plan.seeds = argv + first;
	if (getuid() != 0 || (getpid() != 1 && getppid() != 1)) {
		fprintf(stderr, "fuzz: only for root of a machine that runs nothing else\n");
		return 2;
	}
	tally = uname(&names) == 0 && strstr(names.release, "tally");
	tree_make();
	state_be_counted();
	bool good = fuzz(&plan);

	printf("1..%u\n", fuzz_shared->points);
	return good ? 0 : 1;
}
