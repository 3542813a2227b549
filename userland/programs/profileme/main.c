// SPDX-License-Identifier: BSD-2-Clause
/*
 * profileme - runs a program and prints what became of single instructions of it, by Alpha's PMU of
 * that name.
 *
 *     profileme [-c PERIOD] [-s SELECTION] PROGRAM [ARGUMENT...]
 *
 * PROGRAM is a path. One line for each sample, in the words of profileme_describe(), and at the end,
 * if some were lost, how many. PERIOD: instructions between samples, 10007 by default. SELECTION:
 * retired-cycles (the default), cycles-delay, retired-misses or cycles-replays.
 *
 * Exit status: the program's; 2 wrong use; 3 there is no such PMU, or the kernel does not open the
 * event; 127 the program cannot be run.
 */
#include <perf_ring.h>
#include <profileme.h>

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum exit_status { EXIT_USAGE = 2, EXIT_NO_PMU = 3, EXIT_NO_PROGRAM = 127 };

#define TYPE_FILE  "/sys/bus/event_source/devices/profileme/type"
/* A prime, so that the samples do not fall into step with loops. */
#define PERIOD	   10007
#define RING_PAGES 16

struct sample_record {
	struct perf_event_header header;
	uint32_t raw_size;
	struct profileme_raw raw;
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

static uint64_t lost;

static int read_type(uint32_t *type)
{
	FILE *file = fopen(TYPE_FILE, "r");
	int got = file ? fscanf(file, "%" SCNu32, type) : 0;

	if (file)
		fclose(file);
	return got == 1 ? 0 : -1;
}

static void print_records(struct perf_ring *ring)
{
	union {
		struct perf_event_header header;
		struct sample_record sample;
		struct lost_record lost;
	} record;
	char line[256];

	while (perf_ring_next(ring, &record, sizeof(record)) > 0) {
		if (record.header.type == PERF_RECORD_LOST) {
			lost += record.lost.lost;
		} else if (record.header.type == PERF_RECORD_SAMPLE &&
			   record.sample.raw_size >= sizeof(record.sample.raw)) {
			profileme_describe(&record.sample.raw, line, sizeof(line));
			puts(line);
		}
	}
}

/* The child waits for a byte, which comes when its event is open, and becomes the program. */
static void become(char *const arguments[], int go)
{
	char byte;

	if (read(go, &byte, 1) == 1)
		execv(arguments[0], arguments);
	fprintf(stderr, "profileme: %s: %s\n", arguments[0], strerror(errno));
	_exit(EXIT_NO_PROGRAM);
}

static int watch(struct perf_ring *ring, pid_t child)
{
	struct pollfd wait = { .fd = ring->fd, .events = POLLIN };
	int status;

	/* The event hangs up when the program has ended. */
	while (poll(&wait, 1, -1) >= 0 && !(wait.revents & POLLHUP))
		print_records(ring);
	waitpid(child, &status, 0);
	print_records(ring);
	if (lost > 0)
		fprintf(stderr, "profileme: %" PRIu64 " samples were lost\n", lost);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run(struct perf_event_attr *attr, char *const arguments[])
{
	struct perf_ring ring;
	int go[2];

	if (pipe(go) < 0) {
		perror("profileme: pipe");
		return EXIT_NO_PMU;
	}
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		close(go[1]);
		become(arguments, go[0]);
	}
	close(go[0]);
	if (child < 0 || perf_ring_open_on(&ring, attr, child, -1, RING_PAGES) < 0) {
		perror("profileme: the event cannot be opened");
		close(go[1]);
		if (child > 0)
			waitpid(child, NULL, 0);
		return EXIT_NO_PMU;
	}
	ssize_t written = write(go[1], "", 1);
	close(go[1]);
	int status = watch(&ring, child);
	perf_ring_close(&ring);
	return written == 1 ? status : EXIT_NO_PROGRAM;
}

static int usage(void)
{
	fprintf(stderr, "usage: profileme [-c PERIOD] [-s SELECTION] PROGRAM [ARGUMENT...]\n");
	return EXIT_USAGE;
}

int main(int argc, char *argv[])
{
	struct perf_event_attr attr = { .sample_period = PERIOD,
					.sample_type = PERF_SAMPLE_RAW,
					.disabled = 1,
					.enable_on_exec = 1,
					.watermark = 1,
					.wakeup_watermark = 4096 };
	int option, select;
	char *end;

	while ((option = getopt(argc, argv, "+c:s:")) != -1) {
		switch (option) {
		case 'c':
			attr.sample_period = strtoull(optarg, &end, 10);
			if (attr.sample_period == 0 || *end)
				return usage();
			break;
		case 's':
			select = profileme_select(optarg);
			if (select < 0)
				return usage();
			attr.config = (uint64_t)select;
			break;
		default:
			return usage();
		}
	}
	if (optind == argc)
		return usage();
	if (read_type(&attr.type) < 0) {
		fprintf(stderr, "profileme: no PMU of that name: it is an Alpha's (EV67)\n");
		return EXIT_NO_PMU;
	}
	return run(&attr, argv + optind);
}
