// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel's possessions, by its own account: objects of each size (/proc/slabinfo) and free memory.
 */
#define _GNU_SOURCE
#include "state.h"

#include "fuzz.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SETTLE_MS     10000
#define TASKS_AT_ONCE 240
#define STACK_ROOM    65536

/* The numbers of LINE after its name: active objects, objects, size, objects of a slab, its pages. */
static bool parse_line(const char *line, char *name, unsigned long numbers[5])
{
	return sscanf(line, "%31s %lu %lu %lu %lu %lu", name, &numbers[0], &numbers[1], &numbers[2],
		      &numbers[3], &numbers[4]) == 6;
}

/* The places of objects decide how many pages they take, so pages of objects count as free. */
void state_look(struct state *state)
{
	static char text[8192];
	char *line, *rest = text, name[32];
	unsigned long numbers[5];
	size_t length = 0;

	memset(state, 0, sizeof(*state));
	tree_read_text("/proc/slabinfo", text, sizeof(text));
	while ((line = strsep(&rest, "\n"))) {
		if (!parse_line(line, name, numbers))
			continue;
		length += (size_t)snprintf(state->objects + length, sizeof(state->objects) - length,
					   "# %s: %lu\n", name, numbers[0]);
		state->free_kb += numbers[1] / numbers[3] * numbers[4] * 4;
	}
	tree_read_text("/proc/meminfo", state->memory, sizeof(state->memory));
	line = strstr(state->memory, "MemFree:");
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

bool state_becomes(const struct state *before, struct state *now)
{
	struct timespec moment = { 0, 100000000 };

	for (int waited = 0; waited < SETTLE_MS; waited += 100) {
		state_look(now);
		if (strcmp(now->objects, before->objects) == 0 && now->free_kb == before->free_kb)
			return true;
		nanosleep(&moment, NULL);
	}
	return false;
}

static void show(const char *when, const struct state *state)
{
	const char *line = state->memory;

	printf("# %s: %llu kB free\n%s", when, (unsigned long long)state->free_kb, state->objects);
	while (*line) {
		int length = (int)strcspn(line, "\n");

		printf("# %.*s\n", length, line);
		line += length + (line[length] != '\0');
	}
}

void state_show_difference(const struct state *before, const struct state *now)
{
	show("before", before);
	show("after", now);
}

/* A task that was once counted keeps its place for events. So do this one and its parent, which
 * are there to the end, and which a worker may happen to count. */
void state_be_counted(void)
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

/* A page of the program's file is not in memory before its first use. */
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

/* Writes each page from START to END with what it has. */
static void write_pages(uintptr_t start, uintptr_t end)
{
	for (uintptr_t at = start; at < end; at += PAGE) {
		volatile char *byte = (volatile char *)at;

		*byte = *byte;
	}
}

static __attribute__((noinline)) void grow_stack(void)
{
	volatile char room[STACK_ROOM];

	write_pages((uintptr_t)room, (uintptr_t)room + sizeof(room));
}

void state_own_memory(void)
{
	static char text[16384];
	char *line, *rest = text, mode[5];
	unsigned long start, end;

	grow_stack();
	tree_read_text("/proc/self/maps", text, sizeof(text));
	while ((line = strsep(&rest, "\n")))
		if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) == 3 &&
		    strcmp(mode, "rw-p") == 0)
			write_pages(start, end);
}

void state_warm_up(void)
{
	be_in_memory();
	have_many_tasks();
}
