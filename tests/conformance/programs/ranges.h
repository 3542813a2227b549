/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ranges of a program's memory at the edges of user space: the places and lengths that are tried, and what a
 * call has changed (the map of the memory, or a canary).
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_RANGES_H
#define TESTS_RANGES_H

#include "child.h"

#ifdef __alpha__
#define USER_ENDS               \
	{                       \
		0x40000000000ul \
	}
#else
/* With page tables of five levels, and of four. */
#define USER_ENDS                                    \
	{                                            \
		0xfffffffffff000ul, 0x7ffffffff000ul \
	}
#endif
#define PAGE   ((unsigned long)PAGE_BYTES)
#define HALF   (1ul << 63)
/* x86-64's; Alpha's is where the kernel's half begins. */
#define IMAGE  0xffffffff80100000ul
#define MAPPED 0x10000000000ul

enum { CANARY = 0x5a, ANY_USER = 1000, TEXT_MAX = 4000, MAPS_MAX = 1 << 16 };

/* The results of a child so far, and its place. */
static struct board {
	int place;
	char text[TEXT_MAX];
} * board;
static int zero_fd, mem_fd, pipe_fds[2];
static unsigned char vector[256];

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...)
{
	size_t length = strlen(board->text);
	va_list args;

	va_start(args, format);
	vsnprintf(board->text + length, TEXT_MAX - length, format, args);
	va_end(args);
}

/* Where ranges begin: from zero, from the end of user space, from the kernel's half. */
static const struct {
	const char *name;
	enum { FROM_ZERO, FROM_END, FROM_KERNEL } from;
	unsigned long at;
} places[] = {
	{ "0", FROM_ZERO, 0 },
	{ "1", FROM_ZERO, 1 },
	{ "a page", FROM_ZERO, PAGE },
	{ "a mapped page", FROM_ZERO, MAPPED },
	{ "in a mapped page", FROM_ZERO, MAPPED + 1 },
	{ "user space's last page", FROM_END, -PAGE },
	{ "user space's last word", FROM_END, -8ul },
	{ "user space's end", FROM_END, 0 },
	{ "a page beyond user space", FROM_END, PAGE },
	{ "two pages beyond user space", FROM_END, 2 * PAGE },
	{ "the hole", FROM_ZERO, 1ul << 62 },
	{ "half of all", FROM_ZERO, HALF },
	{ "the last page before the kernel", FROM_KERNEL, -PAGE },
	{ "the kernel's half", FROM_KERNEL, 0 },
	{ "the kernel's image", FROM_ZERO, IMAGE },
	{ "the last page of all", FROM_ZERO, -PAGE },
	{ "the last word of all", FROM_ZERO, -8ul },
	{ "the last byte of all", FROM_ZERO, -1ul },
};

enum { PLACES = sizeof(places) / sizeof(places[0]) };

static unsigned long user_end, kernel_start;

/* munmap accepts unmapped pages, but none beyond user space. */
static void find_user_end(void)
{
	const unsigned long ends[] = USER_ENDS;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (syscall(SYS_munmap, ends[i] - PAGE, PAGE) == 0 &&
		    syscall(SYS_munmap, ends[i], PAGE) < 0)
			user_end = ends[i];
	/* As far below the end of all addresses, to a page that x86-64 leaves out. */
	kernel_start = -(user_end + (PAGE_BYTES == 4096 ? PAGE : 0));
	show(user_end ? "found" : "not found", "user space's end");
}

static unsigned long address_of(int place)
{
	const unsigned long from[] = { 0, user_end, kernel_start };

	return places[place].at + from[places[place].from];
}

/* The lengths that a range from AT on is given, in LENGTHS; how many. The last two reach into what this program
 * lives in. */
static size_t lengths_at(unsigned long at, unsigned long *lengths)
{
	const unsigned long all[] = {
		0,
		1,
		PAGE,
		HALF,
		-PAGE,
		-1ul,
		-at,
		PAGE - at,
		PAGE + 1 - at,
		kernel_start + PAGE - at,
		user_end + 2 * PAGE - at,
		user_end + PAGE - at,
		user_end - at,
	};

	memcpy(lengths, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

enum { LENGTHS_MAX = 16 };

static unsigned long maps_hash(void)
{
	static char maps[MAPS_MAX];
	unsigned long hash = 0;
	int fd = open("/proc/self/maps", O_RDONLY);
	ssize_t size;

	while ((size = read(fd, maps, sizeof(maps))) > 0)
		for (ssize_t i = 0; i < size; i++)
			hash = hash * 31 + (unsigned char)maps[i];
	close(fd);
	return hash;
}

/* Three pages, the middle one to be named; in its neighbours the canary. */
static void map_canary(void)
{
	char *pages = mmap((void *)(MAPPED - PAGE), 3 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED) {
		show(error_name(errno), "a page to name");
		exit(1);
	}
	memset(pages, CANARY, 3 * PAGE);
}

/* Whether the canary's first bytes at AT are as they were: so many that random bytes are never the same. */
static bool is_kept(unsigned long at)
{
	unsigned char bytes[16];
	struct iovec own = { bytes, sizeof(bytes) }, other = { (void *)at, sizeof(bytes) };

	if (process_vm_readv(getpid(), &own, 1, &other, 1, 0) != (ssize_t)sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		if (bytes[i] != CANARY)
			return false;
	return true;
}

#endif
