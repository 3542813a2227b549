// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the files that are made when they are read, on several CPUs: of tasks that exit meanwhile, of
 * descriptors that close, of settings that others change, of the log and of random bytes. Linux has the
 * same rules: the same executable has to pass there.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "process.h"

#define WORKERS 4
#define ROUNDS	60
#define RECORDS 25
#define DRAWS	100

/* The words of the shared page that a rule uses: */
static _Atomic int *words;
enum { FAILED, STOP, PID, COUNT, PLACES };

/* A failure in a child is counted where the parent sees it. */
static void must(bool right)
{
	if (!right)
		words[FAILED]++;
}

static void begin(void)
{
	words = (_Atomic int *)shared;
	memset((void *)shared, 0, PAGE);
}

/* Runs BODY in the WORKERS children, and waits for their exits. */
static void start_all(pid_t children[WORKERS], void (*body)(void))
{
	for (int i = 0; i < WORKERS; i++)
		children[i] = start(body);
}

static void end_all(const pid_t children[WORKERS])
{
	for (int i = 0; i < WORKERS; i++)
		EXPECT_EQ(status_of(children[i]), 0);
	EXPECT_EQ(words[FAILED], 0);
}

/* Reads PATH into TEXT, terminated; -errno. */
static long read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	long length = fd < 0 ? -errno : 0;

	if (fd >= 0) {
		length = read(fd, text, size - 1);
		if (length < 0)
			length = -errno;
		close(fd);
	}
	text[length > 0 ? length : 0] = '\0';
	return length;
}

/* --- tasks that exit --- */

static const char *const files[] = {
	"stat", "status", "statm",  "cmdline", "comm",	   "environ",
	"maps", "auxv",	  "limits", "fd/0",    "fdinfo/0", "oom_score"
};

/* The answers of a file whose task exits: it was there, or it is not, or it has nothing any more. */
static bool may_be(long result)
{
	return result >= 0 || result == -ENOENT || result == -ESRCH || result == -EACCES;
}

static void read_all_of(int pid)
{
	char path[64], text[4096];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		sprintf(path, "/proc/%d/%s", pid, files[i]);
		/* fd/0 is whatever standard input is: it is not read. */
		if (!strcmp(files[i], "fd/0")) {
			long length = readlink(path, text, sizeof(text));

			must(may_be(length < 0 ? -errno : length));
			continue;
		}
		long length = read_file(path, text, sizeof(text));

		must(may_be(length));
		if (i == 0 && length > 0)
			must(atoi(text) == pid && strchr(text, '\n') == text + length - 1);
		if (i == 1 && length > 0)
			must(!strncmp(text, "Name:\t", 6) && strstr(text, "\nPid:\t"));
	}
}

static void read_the_dying(void)
{
	while (!words[STOP]) {
		int pid = words[PID];

		if (pid)
			read_all_of(pid);
		words[COUNT]++;
	}
}

static void check_dying(void)
{
	pid_t readers[WORKERS];

	begin();
	start_all(readers, read_the_dying);
	for (int i = 0; i < ROUNDS || words[COUNT] < ROUNDS; i++) {
		pid_t child = start(do_nothing);

		words[PID] = child;
		EXPECT_EQ(status_of(child), 0);
	}
	words[STOP] = 1;
	end_all(readers);
}

/* --- the list of tasks --- */

struct entry {
	uint64_t number, position;
	uint16_t size;
	uint8_t type;
	char name[];
};

/* Counts the entries of /proc that are PID; all that are numbers must ascend. */
static int count_in_list(int pid)
{
	int fd = open("/proc", O_RDONLY), found = 0, last = 0;
	char buffer[512];
	long length;

	must(fd >= 0);
	while ((length = syscall(__NR_getdents64, fd, buffer, sizeof(buffer))) > 0)
		for (char *at = buffer; at < buffer + length; at += ((struct entry *)at)->size) {
			int number = atoi(((struct entry *)at)->name);

			if (!number)
				continue;
			must(number > last);
			last = number;
			found += number == pid;
		}
	must(length == 0);
	close(fd);
	return found;
}

static void list_tasks(void)
{
	for (int i = 0; i < ROUNDS; i++)
		must(count_in_list(words[PID]) == 1 && count_in_list(getpid()) == 1);
	words[COUNT]++;
}

static void check_list(void)
{
	pid_t readers[WORKERS];

	begin();
	words[PID] = getpid();
	start_all(readers, list_tasks);
	while (words[COUNT] < WORKERS)
		EXPECT_EQ(status_of(start(do_nothing)), 0);
	end_all(readers);
}

/* --- descriptors that are closed --- */

enum { CHANGING = 20 };

static void read_links(void)
{
	char path[64], text[64];
	struct {
		const char *target, *file;
	} known[] = { { "/dev/null", NULL }, { "/dev/zero", NULL } };

	sprintf(path, "/proc/%d/fd/%d", words[PID], CHANGING);
	while (!words[STOP]) {
		long length = readlink(path, text, sizeof(text) - 1);

		if (length < 0) {
			must(errno == ENOENT);
		} else {
			text[length] = '\0';
			must(!strcmp(text, known[0].target) || !strcmp(text, known[1].target));
		}
		int fd = open(path, O_RDONLY);

		if (fd < 0) {
			must(errno == ENOENT);
		} else {
			/* Null has no byte, zero has a zero. */
			text[0] = 'x';
			length = read(fd, text, 1);
			must((length == 0 && text[0] == 'x') || (length == 1 && !text[0]));
			close(fd);
		}
		words[COUNT]++;
	}
}

static void check_links(void)
{
	pid_t readers[WORKERS];
	int nothing = open("/dev/null", O_RDONLY), zeros = open("/dev/zero", O_RDONLY);

	begin();
	words[PID] = getpid();
	start_all(readers, read_links);
	for (int i = 0; i < 10 * ROUNDS || words[COUNT] < 10 * ROUNDS; i++) {
		EXPECT_EQ(dup2(i % 2 ? nothing : zeros, CHANGING), CHANGING);
		if (i % 3 == 0)
			EXPECT_EQ(close(CHANGING), 0);
	}
	words[STOP] = 1;
	end_all(readers);
	close(CHANGING);
	close(nothing);
	close(zeros);
}

/* --- settings --- */

static void change_name(void)
{
	char name[41], seen[128];

	memset(name, 'a' + words[PLACES]++, 40);
	name[40] = '\0';
	for (int i = 0; i < ROUNDS; i++) {
		int fd = open("/proc/sys/kernel/domainname", O_WRONLY);

		must(write(fd, name, 40) == 40);
		close(fd);
		must(read_file("/proc/sys/kernel/domainname", seen, sizeof(seen)) == 41);
		must(strspn(seen, (char[]){ seen[0], 0 }) == 40);
	}
}

static void check_settings(void)
{
	pid_t writers[WORKERS];

	begin();
	start_all(writers, change_name);
	end_all(writers);
	int fd = open("/proc/sys/kernel/domainname", O_WRONLY);

	EXPECT_EQ(write(fd, "(none)", 6), 6);
	close(fd);
}

/* --- the log --- */

static int log_reader;

/* Ten at a time: Linux takes no more from one opening within five seconds. */
static void write_records(void)
{
	char line[64];
	int writer = words[PLACES]++;

	for (int i = 0; i < RECORDS; i++) {
		int fd = open("/dev/kmsg", O_WRONLY), length;

		length = sprintf(line, "<7>rule %d: record %d\n", writer, i);
		must(write(fd, line, (size_t)length) == length);
		close(fd);
	}
}

static void check_log(void)
{
	pid_t writers[WORKERS];
	int next[WORKERS] = { 0 }, seen = 0;
	char line[2048];

	begin();
	log_reader = open("/dev/kmsg", O_RDONLY);
	EXPECT(log_reader >= 0);
	EXPECT_EQ(lseek(log_reader, 0, SEEK_END), 0);
	start_all(writers, write_records);
	unsigned long last = 0;

	while (seen < WORKERS * RECORDS) {
		unsigned int priority;
		unsigned long sequence, time;
		int writer, number;
		long length = read(log_reader, line, sizeof(line) - 1);

		EXPECT(length > 0);
		if (length <= 0)
			break;
		line[length] = '\0';
		if (sscanf(line, "%u,%lu,%lu,-;rule %d: record %d", &priority, &sequence, &time,
			   &writer, &number) != 5)
			continue;
		EXPECT(sequence > last);
		last = sequence;
		EXPECT_EQ(priority, 15);
		EXPECT_EQ(number, next[writer]);
		next[writer] = number + 1;
		seen++;
	}
	end_all(writers);
	close(log_reader);
}

/* --- random bytes --- */

static void draw_bytes(void)
{
	uint64_t *drawn = (uint64_t *)shared + 16 + DRAWS * words[PLACES]++;

	for (int i = 0; i < DRAWS; i++)
		must(syscall(__NR_getrandom, &drawn[i], sizeof(drawn[i]), 0) == sizeof(drawn[i]));
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static void check_random(void)
{
	pid_t children[WORKERS];
	uint64_t *drawn = (uint64_t *)shared + 16;

	begin();
	start_all(children, draw_bytes);
	end_all(children);
	qsort(drawn, WORKERS * DRAWS, sizeof(*drawn), compare);
	for (int i = 1; i < WORKERS * DRAWS; i++)
		EXPECT(drawn[i] != drawn[i - 1]);
}

/* Only x86-64 maps memory by tables of its own. */
#ifdef __x86_64__
/* The number of kB on LINE of TEXT, 0: there is none. */
static unsigned long amount(const char *text, const char *line)
{
	const char *found = strstr(text, line);

	return found ? strtoul(found + strlen(line), NULL, 10) : 0;
}

/* Memory that does not fill a large page is not in one: where memory begins, where the kernel's text and
 * its data do, and where memory ends. */
static void check_direct_map(void)
{
	const unsigned long large_kib = 2048, edges = 4;
	char text[4096];

	EXPECT(read_file("/proc/meminfo", text, sizeof(text)) > 0);
	unsigned long small = amount(text, "DirectMap4k:"), large = amount(text, "DirectMap2M:");

	EXPECT(small > 0 && small <= edges * large_kib);
	EXPECT_EQ(large % large_kib, 0);
	EXPECT(small + large >= amount(text, "MemTotal:"));
}
#endif

static const struct tap_rule rules[] = {
	{ "a process may end while all that is known of it is read", check_dying },
	{ "a living process is in the list of processes once, whatever others come and go",
	  check_list },
	{ "a descriptor's link leads to what was open under it, or nowhere", check_links },
	{ "a name that several change is always one of theirs", check_settings },
	{ "each line that is logged comes to a reader, in its writer's order", check_log },
	{ "no CPU draws the random bytes that another drew", check_random },
#ifdef __x86_64__
	{ "the kernel maps all memory but its edges by large pages", check_direct_map },
#endif
};

int main(void)
{
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
