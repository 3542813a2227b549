// SPDX-License-Identifier: BSD-2-Clause
/* Exactly what the kernel has given out, for the tests that expect all of it back: leak.c, tidy.c,
 * races.c and others. */
#ifndef TESTS_BOOT_TIDINESS_H
#define TESTS_BOOT_TIDINESS_H

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"

#define TASKS_AT_ONCE 32

/* struct sysinfo's beginning: Linux's uapi/linux/sysinfo.h. */
struct system_info {
	int64_t uptime;
	uint64_t loads[3];
	uint64_t total_ram, free_ram;
	uint64_t rest[10];
};

static inline uint64_t free_memory(void)
{
	struct system_info info;

	EXPECT_EQ(syscall(__NR_sysinfo, &info), 0);
	return info.free_ram;
}

#define SIZES_MAX 24
/* How often the kernel may keep more for the next time. */
#define BATCHES	  20

/* A state of the kernel. */
struct state {
	struct {
		char name[24];
		unsigned long used; /* objects */
	} sizes[SIZES_MAX];
	/* Free memory, and pages of objects: which object is where decides how many those are. */
	uint64_t free_bytes;
};

static inline void state_look(struct state *state)
{
	static char text[4096];
	size_t size = 0, count = 0;
	ssize_t got;
	int fd = open("/proc/slabinfo", O_RDONLY);

	while ((got = read(fd, text + size, sizeof(text) - 1 - size)) > 0)
		size += (size_t)got;
	memset(state, 0, sizeof(*state));
	/* While the file is open: it takes memory itself. */
	state->free_bytes = free_memory();
	close(fd);
	text[size] = '\0';
	/* After the two lines of titles: name, used, there, bytes each, in a slab, pages of a slab. */
	for (char *line = text; (line = strchr(line, '\n')) && count < SIZES_MAX;) {
		unsigned long there, in_slab, pages;

		if (sscanf(++line, "%23s %lu %lu %*u %lu %lu", state->sizes[count].name,
			   &state->sizes[count].used, &there, &in_slab, &pages) != 5)
			continue;
		state->free_bytes += there / in_slab * pages * 4096;
		count++;
	}
	EXPECT(count > 0);
}

/* The same, when the memory of exited tasks is free: two looks agree. */
static inline void state_settle(struct state *state)
{
	struct state last;

	do {
		state_look(&last);
		pause_ms(100);
		state_look(state);
	} while (memcmp(&last, state, sizeof(last)) != 0);
}

/* Whether AFTER has more objects than BEFORE, or less memory. */
static inline int state_is_less(const struct state *after, const struct state *before)
{
	for (int i = 0; i < SIZES_MAX; i++)
		if (after->sizes[i].used > before->sizes[i].used)
			return 1;
	return after->free_bytes < before->free_bytes;
}

/* WORK leaves nothing. The memory that the kernel keeps for the next time, a page of a stack or of
 * objects, grows only now and then; a leak takes something each time. So, after WARM_UP times, one of
 * BATCHES times that WORK is done TIMES times leaves the kernel's state as it was; else the test reports
 * what the last one took. */
static inline void state_expect_kept(void (*work)(void), int warm_up, int times)
{
	static struct state before, after;
	int batches = BATCHES;

	fflush(stdout);
	for (int i = 0; i < warm_up; i++)
		work();
	state_settle(&after);
	do {
		before = after;
		for (int i = 0; i < times; i++)
			work();
		state_settle(&after);
		if (!state_is_less(&after, &before))
			return;
	} while (--batches > 0);
	for (int i = 0; i < SIZES_MAX; i++)
		EXPECT_EQ_AT(after.sizes[i].used, before.sizes[i].used, "%s after %d rounds",
			     after.sizes[i].name, times);
	EXPECT_EQ_AT(after.free_bytes, before.free_bytes, "after %d rounds", times);
}

/* The kernel keeps stacks for the next task when one exits: it needs as many as tasks ever existed at
 * once, exited ones that are not freed yet included. First create many at once, so that no rule needs
 * more. */
static inline void have_many_tasks(void)
{
	pid_t children[TASKS_AT_ONCE];

	for (int i = 0; i < TASKS_AT_ONCE; i++) {
		children[i] = fork();
		if (children[i] == 0)
			for (;;)
				pause();
	}
	for (int i = 0; i < TASKS_AT_ONCE; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}

#endif
