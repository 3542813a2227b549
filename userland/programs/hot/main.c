// SPDX-License-Identifier: BSD-2-Clause
/*
 * hot - in which functions of the kernel CPU 0 spends its instructions while a program runs.
 *
 *     hot [--in FUNCTION] PROGRAM [ARGUMENTS]
 *
 * One instruction in PERIOD that the kernel retires on that CPU, whichever task runs, is sampled by the
 * counter's interrupt; the program runs there and nowhere else. /proc/kallsyms names the addresses. A
 * line for each function, the hottest first: its share in percent, the instructions that the samples
 * stand for, the name. With --in a line for each address in FUNCTION.
 *
 * A kernel's work while it has stopped the counters is not seen, least of all the sampling itself.
 * `hot bench --only fork_exit_wait` is how the costs in docs/performance.md were looked into; it runs
 * on Linux as well.
 *
 * Exit status: 0; 1 something failed; 2 wrong use; 3 there is no PMU, or no right to count a CPU.
 */
#include <perf_ring.h>

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum exit_status { EXIT_SHOWN, EXIT_FAILED, EXIT_USAGE, EXIT_NO_PMU };

/* A prime, so that the samples do not fall into step with loops. */
#define PERIOD	   997
/* Room for a quarter of a million samples: there is no reader while the program runs. */
#define RING_PAGES 1024
/* Samples a second, where Linux would stop the event at more than 100,000. */
#define RATE	   "10000000"

struct function {
	uintptr_t address;
	char name[48];
	size_t samples;
};

static struct function *functions;
static size_t function_count;

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static int by_samples(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return (x->samples < y->samples) - (x->samples > y->samples);
}

static int read_functions(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	size_t room = 0;
	struct function next = { 0 };
	char type;

	if (!file)
		return -1;
	while (fscanf(file, "%" SCNxPTR " %c %47s%*[^\n]", &next.address, &type, next.name) == 3) {
		if (!strchr("tTwW", type))
			continue;
		if (function_count == room) {
			room = room ? 2 * room : 4096;
			functions = realloc(functions, room * sizeof(*functions));
			if (!functions)
				break;
		}
		functions[function_count++] = next;
	}
	fclose(file);
	if (!function_count)
		return -1;
	qsort(functions, function_count, sizeof(*functions), by_address);
	return 0;
}

/* The last function that begins at or before @address; NULL: none does. */
static struct function *find(uintptr_t address)
{
	size_t low = 0, high = function_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (functions[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &functions[low - 1] : NULL;
}

/* Samples at each byte of the function asked for. */
static size_t at[65536];

/* Counts the ring's samples; returns how many there are. */
static size_t count(struct perf_ring *ring, const char *only)
{
	struct {
		struct perf_event_header header;
		uint64_t ip;
	} record;
	size_t samples = 0, other = 0;

	while (perf_ring_next(ring, &record, sizeof(record)) != 0) {
		struct function *function = find(record.ip);

		if (record.header.type != PERF_RECORD_SAMPLE) {
			other++;
			continue;
		}
		samples++;
		if (!function)
			continue;
		function->samples++;
		size_t offset = record.ip - function->address;

		if (only && strcmp(function->name, only) == 0 &&
		    offset < sizeof(at) / sizeof(at[0]))
			at[offset]++;
	}
	if (other)
		printf("# %zu records that are no samples: some were lost, or the event was throttled\n",
		       other);
	return samples;
}

static void print(size_t samples, size_t all, const char *name)
{
	printf("%6.2f %10zu  %s\n", 100.0 * samples / all, samples * PERIOD, name);
}

static void show(size_t all, const char *only)
{
	char place[64];

	if (only) {
		for (size_t offset = 0; offset < sizeof(at) / sizeof(at[0]); offset++) {
			snprintf(place, sizeof(place), "%s+%#zx", only, offset);
			if (at[offset])
				print(at[offset], all, place);
		}
		return;
	}
	qsort(functions, function_count, sizeof(*functions), by_samples);
	for (size_t i = 0; i < function_count && functions[i].samples; i++)
		print(functions[i].samples, all, functions[i].name);
}

/* Runs the program; returns 0 if it has ended well. */
static int run(char **words)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		execv(words[0], words);
		perror(words[0]);
		_exit(EXIT_FAILED);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

/* Raises the limit on samples. If the kernel refuses, it throttles the event. */
static void raise_rate(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "w");

	if (!file)
		return;
	fputs(RATE, file);
	fclose(file);
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period = PERIOD,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = 1,
		.exclude_user = 1,
		.exclude_hv = 1,
	};
	const char *only = NULL;
	struct perf_ring ring;
	cpu_set_t cpu;

	if (argc > 2 && strcmp(argv[1], "--in") == 0) {
		only = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 2) {
		fprintf(stderr, "usage: hot [--in FUNCTION] PROGRAM [ARGUMENTS]\n");
		return EXIT_USAGE;
	}
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu) != 0 || read_functions() != 0) {
		fprintf(stderr, "hot: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	raise_rate();
	if (perf_ring_open_on(&ring, &attr, -1, 0, RING_PAGES) != 0) {
		fprintf(stderr, "hot: instructions of a whole CPU: %s\n", strerror(errno));
		return EXIT_NO_PMU;
	}
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	int failed = run(argv + 1);
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	show(count(&ring, only), only);
	return failed ? EXIT_FAILED : EXIT_SHOWN;
}
