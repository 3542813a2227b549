// SPDX-License-Identifier: BSD-2-Clause
/*
 * count - counts the events of one program, from its exec to its end, for `tally count` on the host.
 *
 *     count [-t] [-r] [-a] [-v] [-c FIFO[,ACK]] [-i INPUT] -o RESULT EVENT... -- PROGRAM [ARGUMENTS]
 *
 * It is the first process of a machine. An EVENT is NAME:TYPE:CONFIG:MODES, numbers of perf_event_open(2) and the letters
 * u and k. Descendants are counted, too. First it sets the kernel's free memory aside (/proc/sys/vm/compact_memory), so that
 * it has to be root. The program reads INPUT as its standard input, if there is one. -t begins at a multiple of START_NS on
 * the clock; -r lets the kernel's random numbers begin anew; -a puts the program at fixed
 * addresses. With -c the events are off until the program writes "enable\n" to FIFO, as to perf stat's: then or at
 * "disable\n" they change, and "ack\n" is the answer at ACK. With -v the emulator's counters stand still until the program
 * starts them by a client request of Valgrind's headers (qemu/files/target/i386/tcg/system/pmu-requests.c).
 *
 * RESULT has a line for each event, "NAME VALUE ENABLED_NS RUNNING_NS", and then "exit STATUS" or "signal NUMBER"; or one
 * line "open NAME ERRNO", "exec ERRNO" or "failed STEP ERRNO".
 *
 * Exit status: 0 if RESULT is there.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <linux/personality.h>
#include <linux/random.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Longer than most machines take to start in virtual time. */
#define START_NS UINT64_C(1000000000)

enum { EVENTS_MAX = 32, NAME_MAX_BYTES = 48 };

struct counted {
	char name[NAME_MAX_BYTES];
	int fd;
};

struct options {
	bool aligned_start, fixed_random, fixed_addresses, by_requests;
	char *fifo, *ack;
	const char *input, *result;
};

static struct counted events[EVENTS_MAX];
static int event_count;
static FILE *result;

static int fail(const char *step)
{
	fprintf(result, "failed %s %d\n", step, errno);
	fclose(result);
	return EXIT_SUCCESS;
}

static void pause_until_start(void)
{
	struct timespec now, then = { 0 };
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	then.tv_sec = (time_t)((ns / START_NS + 1) * START_NS / 1000000000);
	syscall(__NR_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
}

static int restart_random(void)
{
	int fd = open("/dev/urandom", O_RDWR | O_CLOEXEC);

	return fd < 0 || ioctl(fd, RNDRESEEDCRNG) < 0 || close(fd) < 0 ? -1 : 0;
}

/* Makes the kernel's allocators work as if nothing had been allocated before, so that the program's kernel work does not depend
 * on it. */
static int set_memory_aside(void)
{
	int fd = open("/proc/sys/vm/compact_memory", O_WRONLY | O_CLOEXEC);

	return fd < 0 || write(fd, "1", 1) != 1 || close(fd) < 0 ? -1 : 0;
}

/* From now on the program's client requests decide what is counted: a request of Tally's own, in Valgrind's form. 0; -1 with
 * errno: only x86-64's emulator knows requests. */
static int wait_for_requests(void)
{
#ifdef __x86_64__
	const uint64_t request[6] = { 0x544c0000 };
	uint64_t answer = 0;

	__asm__ volatile(
		"rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\t"
		"xchgq %%rbx, %%rbx"
		: "+d"(answer)
		: "a"(request)
		: "cc", "memory");
	return 0;
#else
	errno = ENOSYS;
	return -1;
#endif
}

/* Becomes the program when GO is closed. An error is written to FAILED. */
static void become(char **words, const struct options *options, int go, int failed)
{
	int error;
	char byte;

	if (options->input) {
		int fd = open(options->input, O_RDONLY);

		if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
			goto out;
		close(fd);
	}
	if (options->fixed_addresses && syscall(__NR_personality, ADDR_NO_RANDOMIZE) < 0)
		goto out;
	read(go, &byte, 1);
	/* Last, so that no work of a length of its own lies between this and the exec. */
	if (options->aligned_start)
		pause_until_start();
	if (options->by_requests && wait_for_requests() < 0)
		goto out;
	execv(words[0], words);
out:
	error = errno;
	write(failed, &error, sizeof(error));
	_exit(EXIT_FAILURE);
}

/* Opens the event that TEXT describes on CHILD; returns -1 with errno. */
static int open_event(struct counted *event, const char *text, pid_t child, bool at_exec)
{
	char modes[4] = "";
	uint32_t type;
	uint64_t config;

	if (sscanf(text, "%47[^:]:%" SCNu32 ":%" SCNu64 ":%3s", event->name, &type, &config,
		   modes) != 4) {
		errno = EINVAL;
		return -1;
	}
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = at_exec,
		.exclude_user = !strchr(modes, 'u'),
		.exclude_kernel = !strchr(modes, 'k'),
		.exclude_hv = 1,
	};

	event->fd = (int)syscall(__NR_perf_event_open, &attr, child, -1, -1,
				 (unsigned long)PERF_FLAG_FD_CLOEXEC);
	return event->fd < 0 ? -1 : 0;
}

static void change_all(unsigned long request)
{
	for (int i = 0; i < event_count; i++)
		ioctl(events[i].fd, request, 0);
}

/* Obeys the commands of one write to the FIFO: names, each ended by "\n" or a zero byte, as perf's. */
static void obey(char *text, int ack)
{
	char *word;

	while ((word = strsep(&text, "\n")) != NULL) {
		if (strcmp(word, "enable") == 0)
			change_all(PERF_EVENT_IOC_ENABLE);
		else if (strcmp(word, "disable") == 0)
			change_all(PERF_EVENT_IOC_DISABLE);
		else
			continue;
		if (ack >= 0)
			write(ack, "ack\n", 4);
	}
}

/* Follows the program's commands until CHILD has ended. */
static int follow(pid_t child, int fifo, int ack)
{
	struct pollfd sources[2] = { { .fd = fifo, .events = POLLIN }, { .events = POLLIN } };

	sources[1].fd = (int)syscall(__NR_pidfd_open, child, 0);
	if (sources[1].fd < 0)
		return -1;
	while (!sources[1].revents) {
		char text[256];
		ssize_t bytes;

		if (poll(sources, 2, -1) < 0 && errno != EINTR)
			return -1;
		if (sources[0].revents && (bytes = read(fifo, text, sizeof(text) - 1)) > 0) {
			text[bytes] = '\0';
			obey(text, ack);
		}
	}
	close(sources[1].fd);
	return 0;
}

/* A FIFO that is never at its end. */
static int make_fifo(const char *path, int flags)
{
	if (mkfifo(path, 0666) < 0)
		return -1;
	return open(path, O_RDWR | O_CLOEXEC | flags);
}

static int write_counts(int status)
{
	/* Descendants that still run count no further: all events of one moment. */
	change_all(PERF_EVENT_IOC_DISABLE);
	for (int i = 0; i < event_count; i++) {
		uint64_t values[3];

		if (read(events[i].fd, values, sizeof(values)) != sizeof(values))
			return -1;
		fprintf(result, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", events[i].name,
			values[0], values[1], values[2]);
	}
	if (WIFSIGNALED(status))
		fprintf(result, "signal %d\n", WTERMSIG(status));
	else
		fprintf(result, "exit %d\n", WEXITSTATUS(status));
	return fclose(result);
}

/* Reads the options; returns the index of the first EVENT, or -1. */
static int read_options(struct options *options, int argc, char **argv)
{
	int letter;

	while ((letter = getopt(argc, argv, "+travc:i:o:")) != -1) {
		switch (letter) {
		case 't':
			options->aligned_start = true;
			break;
		case 'r':
			options->fixed_random = true;
			break;
		case 'a':
			options->fixed_addresses = true;
			break;
		case 'v':
			options->by_requests = true;
			break;
		case 'c':
			options->fifo = strsep(&optarg, ",");
			options->ack = optarg;
			break;
		case 'i':
			options->input = optarg;
			break;
		case 'o':
			options->result = optarg;
			break;
		default:
			return -1;
		}
	}
	return options->result ? optind : -1;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	int at = read_options(&options, argc, argv), first = at, go[2], failed[2], error, status;
	int fifo = -1, ack = -1;

	while (at > 0 && at < argc && strcmp(argv[at], "--") != 0)
		at++;
	if (at < 0 || at + 1 >= argc || at - first > EVENTS_MAX) {
		fprintf(stderr,
			"usage: count [-t] [-r] [-a] [-v] [-c FIFO[,ACK]] [-i INPUT] -o RESULT EVENT... -- PROGRAM [ARGUMENTS]\n");
		return EXIT_FAILURE;
	}
	result = fopen(options.result, "we");
	if (!result)
		return EXIT_FAILURE;
	if (options.fifo && (fifo = make_fifo(options.fifo, O_NONBLOCK)) < 0)
		return fail("fifo");
	if (options.ack && (ack = make_fifo(options.ack, 0)) < 0)
		return fail("fifo");
	if (options.fixed_random && restart_random() < 0)
		return fail("random");
	if (set_memory_aside() < 0)
		return fail("memory");
	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(failed, O_CLOEXEC) < 0)
		return fail("pipe");

	pid_t child = fork();

	if (child < 0)
		return fail("fork");
	if (child == 0) {
		close(go[1]);
		become(argv + at + 1, &options, go[0], failed[1]);
	}
	for (; first < at; first++) {
		if (open_event(&events[event_count], argv[first], child, !options.fifo) < 0) {
			fprintf(result, "open %s %d\n", events[event_count].name, errno);
			return fclose(result);
		}
		event_count++;
	}
	close(failed[1]);
	close(go[1]);
	if (read(failed[0], &error, sizeof(error)) == sizeof(error)) {
		fprintf(result, "exec %d\n", error);
		return fclose(result);
	}
	if (options.fifo && follow(child, fifo, ack) < 0)
		return fail("control");
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return fail("wait");
	return write_counts(status) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
