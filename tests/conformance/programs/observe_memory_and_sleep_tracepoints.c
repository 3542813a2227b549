// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tracepoints of memory, and of how long tasks sleep and wait: what they tell of work whose answer is known.
 * Formats are compared in observe_tracefs.c.
 */
#include "observe.h"
#include "tracefs.h"

#include <sched.h>
#include <sys/wait.h>
#include <time.h>

enum { PAGES = 16, SLEEP_NS = 20000000 };

#define SETTING "/proc/sys/kernel/sched_schedstats"

static void choose(const char *event, const char *filter, const char *on)
{
	char path[128];

	snprintf(path, sizeof(path), "events/%s/filter", event);
	write_with(path, filter, 0);
	snprintf(path, sizeof(path), "events/%s/enable", event);
	write_with(path, on, 0);
}

static void begin(const char *event, const char *filter)
{
	write_with("trace", "", O_TRUNC);
	choose(event, filter, "1");
}

static void end(const char *event)
{
	choose(event, "0", "0");
	read_file("trace", contents, sizeof(contents));
}

/* The number after WORD in LINE; -1: there is none. */
static long number_in(const char *line, const char *word)
{
	const char *at = strstr(line, word);

	return at ? strtol(at + strlen(word), NULL, 0) : -1;
}

static const char *yes(bool value)
{
	return value ? "yes" : "no";
}

/* --- memory --- */

static char *new_pages(void)
{
	return mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
}

static void touch(char *pages)
{
	for (int i = 0; i < PAGES; i++)
		*(volatile char *)(pages + i * PAGE_BYTES) = 1;
}

/* Each page that the program gets makes its anonymous memory one page larger. */
static void see_resident_pages(void)
{
	char *pages = new_pages(), number[24];
	long last = -1, steps = 0, others = 0;

	begin("kmem/rss_stat", "curr == 1 && member == 1");
	touch(pages);
	end("kmem/rss_stat");
	for (char *line = strtok(contents, "\n"); line; line = strtok(NULL, "\n")) {
		long size = number_in(line, "type=MM_ANONPAGES size=");

		if (size < 0)
			continue;
		steps += last >= 0 && size == last + PAGE_BYTES;
		others += last >= 0 && size != last + PAGE_BYTES;
		last = size;
	}
	snprintf(number, sizeof(number), "%ld", steps);
	show(number, "anonymous memory grows by one page, after the first of %d", PAGES);
	snprintf(number, sizeof(number), "%ld", others);
	show(number, "by anything else");
	munmap(pages, PAGES * PAGE_BYTES);
}

static int count_lines(const char *event, const char *also)
{
	char word[64];
	int count = 0;

	snprintf(word, sizeof(word), ": %s: ", event);
	for (char *line = strtok(contents, "\n"); line; line = strtok(NULL, "\n"))
		count += strstr(line, word) && strstr(line, also);
	return count;
}

static void see_pages(void)
{
	char *pages = new_pages(), filter[64];

	snprintf(filter, sizeof(filter), "common_pid == %d && order == 0", getpid());
	begin("kmem/mm_page_alloc", filter);
	touch(pages);
	end("kmem/mm_page_alloc");
	show(yes(count_lines("mm_page_alloc", "order=0") >= PAGES),
	     "a page is allocated for each of %d", PAGES);
	begin("kmem/mm_page_free", filter);
	munmap(pages, PAGES * PAGE_BYTES);
	end("kmem/mm_page_free");
	show(yes(count_lines("mm_page_free", "order=0") >= PAGES), "and freed");
}

/* Every object has room for what was asked for, and a caller. */
static void see_objects(void)
{
	int ends[2], objects = 0, wrong = 0;
	char filter[64];

	snprintf(filter, sizeof(filter), "common_pid == %d", getpid());
	begin("kmem/kmalloc", filter);
	SEE(pipe(ends));
	end("kmem/kmalloc");
	for (char *line = strtok(contents, "\n"); line; line = strtok(NULL, "\n")) {
		if (!strstr(line, ": kmalloc: call_site="))
			continue;
		objects++;
		wrong += number_in(line, "bytes_req=") > number_in(line, "bytes_alloc=") ||
			 !strstr(line, " ptr=") || !strstr(line, " gfp_flags=GFP_KERNEL") ||
			 !strstr(line, " node=-1 accounted=");
	}
	show(yes(objects > 0), "pipe allocates objects");
	show(yes(wrong > 0), "one of them is reported otherwise");
	begin("kmem/kfree", filter);
	close(ends[0]);
	close(ends[1]);
	end("kmem/kfree");
	show(yes(count_lines("kfree", "call_site=") > 0), "close frees some");
}

/* --- times --- */

static void write_setting(const char *text)
{
	int fd = open(SETTING, O_WRONLY);
	char value[16] = "";

	show(outcome_value(write(fd, text, strlen(text))), "write \"%s\" to sched_schedstats",
	     text);
	close(fd);
	fd = open(SETTING, O_RDONLY);
	ssize_t size = read(fd, value, sizeof(value) - 1);

	value[size > 0 ? size - 1 : 0] = '\0';
	show(value, "sched_schedstats after \"%s\"", text);
	close(fd);
}

static void sleep_a_while(void)
{
	struct timespec time = { .tv_nsec = SLEEP_NS };

	nanosleep(&time, NULL);
}

/* Whether EVENT tells of a delay of this program, of the size of its sleep. */
static const char *shows(const char *event)
{
	char word[64];
	bool found = false;

	end(event);
	snprintf(word, sizeof(word), " pid=%d delay=", getpid());
	for (char *line = strtok(contents, "\n"); line; line = strtok(NULL, "\n"))
		found |= number_in(line, word) >= SLEEP_NS / 2;
	return yes(found);
}

/* vfork's sleep is one that only a fatal signal ends. */
static void vfork_a_while(void)
{
	pid_t child = vfork();

	if (child == 0) {
		sleep_a_while();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void see_sleeps(const char *when)
{
	begin("sched/sched_stat_sleep", "0");
	sleep_a_while();
	show(shows("sched/sched_stat_sleep"), "%s, sched_stat_sleep reports nanosleep", when);
	begin("sched/sched_stat_blocked", "0");
	sleep_a_while();
	show(shows("sched/sched_stat_blocked"), "%s, sched_stat_blocked reports nanosleep", when);
	begin("sched/sched_stat_sleep", "0");
	vfork_a_while();
	show(shows("sched/sched_stat_sleep"), "%s, sched_stat_sleep reports vfork", when);
	begin("sched/sched_stat_blocked", "0");
	vfork_a_while();
	show(shows("sched/sched_stat_blocked"), "%s, sched_stat_blocked reports vfork", when);
}

/* Runs until the clock has advanced so far. */
static void spin(long for_ns)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < for_ns);
}

/* While another task has the CPU, this program waits for it. */
static void see_wait(void)
{
	begin("sched/sched_stat_wait", "0");
	pid_t child = fork();

	if (child == 0) {
		struct sched_param param = { .sched_priority = 1 };

		sched_setscheduler(0, SCHED_FIFO, &param);
		spin(2 * SLEEP_NS);
		_exit(0);
	}
	spin(2 * SLEEP_NS);
	show(shows("sched/sched_stat_wait"),
	     "sched_stat_wait reports waiting for a real-time task");
	waitpid(child, NULL, 0);
}

/* The letter of this program's state in vfork, and the state that sched_switch reports for it. */
static void see_state(void)
{
	char path[64], text[256] = "", filter[64], letter[2] = "";
	pid_t parent = getpid();

	snprintf(filter, sizeof(filter), "prev_pid == %d", parent);
	begin("sched/sched_switch", filter);
	pid_t child = vfork();

	if (child == 0) {
		snprintf(path, sizeof(path), "/proc/%d/stat", parent);
		int fd = open(path, O_RDONLY);

		read(fd, text, sizeof(text) - 1);
		close(fd);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	end("sched/sched_switch");
	letter[0] = strrchr(text, ')') ? strrchr(text, ')')[2] : '?';
	show(letter, "the state of a task in vfork");
	show(yes(count_lines("sched_switch", "prev_state=D ==>")), "sched_switch says so");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (!have_tracefs())
		return 1;
	see_resident_pages();
	see_pages();
	see_objects();
	see_state();
	see_sleeps("at first");
	write_setting("2");
	write_setting("-1");
	write_setting("x");
	write_setting("1\n");
	see_sleeps("switched on");
	see_wait();
	write_setting("0");
	see_sleeps("switched off");
	return 0;
}
