/* SPDX-License-Identifier: BSD-2-Clause */
/* mremap: grow, shrink, move, to a place, away; its errors; the resulting lines of the map. */
#include "observe.h"

#include <signal.h>
#include <sys/wait.h>

static char *reserve(size_t pages)
{
	return mmap(NULL, pages * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* PAGES pages at AT, each with its number in its first byte. */
static char *place(char *at, size_t pages, int kind)
{
	char *memory = mmap(at, pages * PAGE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_FIXED | MAP_ANONYMOUS | kind, -1, 0);

	for (size_t i = 0; i < pages; i++)
		memory[i * PAGE_BYTES] = (char)(i + 1);
	return memory;
}

/* The first bytes of COUNT pages as text. */
static const char *bytes(const char *memory, size_t count)
{
	static char text[64];

	for (size_t i = 0; i < count; i++)
		text[i] = (char)('0' + memory[i * PAGE_BYTES]);
	text[count] = '\0';
	return text;
}

/* Whether a byte can be read, asked in a child. */
static const char *readable(const volatile char *at)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(*at ? 1 : 0);
	waitpid(child, &status, 0);
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGSEGV ? "SIGSEGV" :
		       WTERMSIG(status) == SIGBUS  ? "SIGBUS" :
						     "another signal";
	return WEXITSTATUS(status) ? "not zero" : "zero";
}

static const char *where(const char *result, const char *expected)
{
	if (result == MAP_FAILED)
		return error_name(errno);
	return result == expected ? "there" : "elsewhere";
}

static void arguments(void)
{
	char *hole = reserve(16);
	char *memory = place(hole + 4 * PAGE_BYTES, 4, MAP_PRIVATE);
	const struct {
		const char *name;
		long offset;
		size_t old_size, new_size;
		int flags;
		long new_offset;
	} cases[] = {
		{ "an unknown flag", 0, PAGE_BYTES, PAGE_BYTES, 8, 0 },
		{ "FIXED without MAYMOVE", 0, PAGE_BYTES, PAGE_BYTES, MREMAP_FIXED, -PAGE_BYTES },
		{ "DONTUNMAP without MAYMOVE", 0, PAGE_BYTES, PAGE_BYTES, MREMAP_DONTUNMAP, 0 },
		{ "DONTUNMAP and another size", 0, PAGE_BYTES, 2 * PAGE_BYTES,
		  MREMAP_DONTUNMAP | MREMAP_MAYMOVE, 0 },
		{ "an address inside a page", 1, PAGE_BYTES, PAGE_BYTES, 0, 0 },
		{ "to nothing", 0, PAGE_BYTES, 0, 0, 0 },
		{ "from nothing", 0, 0, PAGE_BYTES, MREMAP_MAYMOVE, 0 },
		{ "the same size", 0, PAGE_BYTES, PAGE_BYTES, 0, 0 },
		{ "the same size, rounded", 0, 5, PAGE_BYTES - 3, 0, 0 },
		{ "more than is mapped", 0, 5 * PAGE_BYTES, 6 * PAGE_BYTES, MREMAP_MAYMOVE, 0 },
		{ "more than there are addresses", 0, PAGE_BYTES, 1UL << 47, MREMAP_MAYMOVE, 0 },
		{ "a size that wraps", 0, PAGE_BYTES, -1UL, MREMAP_MAYMOVE, 0 },
		{ "FIXED onto itself", 0, PAGE_BYTES, PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
		  0 },
		{ "FIXED, overlapping", 0, 2 * PAGE_BYTES, 2 * PAGE_BYTES,
		  MREMAP_MAYMOVE | MREMAP_FIXED, PAGE_BYTES },
		{ "FIXED inside a page", 0, PAGE_BYTES, PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
		  -PAGE_BYTES + 1 },
		{ "growing where something is, without MAYMOVE", 0, PAGE_BYTES, 2 * PAGE_BYTES, 0,
		  0 },
		{ "growing the end where something is, without MAYMOVE", 3 * PAGE_BYTES, PAGE_BYTES,
		  2 * PAGE_BYTES, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *at = memory + cases[i].offset;

		show(where(mremap(at, cases[i].old_size, cases[i].new_size, cases[i].flags,
				  memory + cases[i].new_offset),
			   at),
		     "arguments: %s", cases[i].name);
	}
	show(bytes(memory, 4), "arguments: the memory after all that");
	munmap(hole, 16 * PAGE_BYTES);
	show(where(mremap(hole, PAGE_BYTES, PAGE_BYTES, 0), hole), "arguments: what is not mapped");
	show(where(mremap(hole, PAGE_BYTES, 2 * PAGE_BYTES, MREMAP_MAYMOVE), hole),
	     "arguments: growing what is not mapped");
	show(where(mremap((char *)0xffff800000000000, PAGE_BYTES, 2 * PAGE_BYTES, MREMAP_MAYMOVE),
		   hole),
	     "arguments: the kernel's memory");
}

static void sizes(void)
{
	char *hole = reserve(16);
	char *memory = place(hole, 4, MAP_PRIVATE), *result;

	munmap(hole + 4 * PAGE_BYTES, 12 * PAGE_BYTES);
	result = mremap(memory, 4 * PAGE_BYTES, 6 * PAGE_BYTES, 0);
	show(where(result, memory), "growing into free addresses");
	show(bytes(memory, 6), "growing into free addresses: contents");
	result = mremap(memory, 6 * PAGE_BYTES, 2 * PAGE_BYTES, 0);
	show(where(result, memory), "shrinking");
	show(readable(memory + 2 * PAGE_BYTES), "shrinking: after the end");
	show(bytes(memory, 2), "shrinking: contents");
	place(memory + 2 * PAGE_BYTES, 1, MAP_SHARED);
	result = mremap(memory, 2 * PAGE_BYTES, 4 * PAGE_BYTES, MREMAP_MAYMOVE);
	show(where(result, memory), "growing where something is, with MAYMOVE");
	if (result != MAP_FAILED)
		show(bytes(result, 4), "growing where something is, with MAYMOVE: contents");
	show(readable(memory), "growing where something is, with MAYMOVE: the old place");
	result[3 * PAGE_BYTES] = 4;
	show(bytes(result, 4), "what has moved can be written to");
	munmap(result, 4 * PAGE_BYTES);
	munmap(memory, 16 * PAGE_BYTES);
}

static void moves(void)
{
	char *hole = reserve(64);
	char *memory = place(hole, 4, MAP_PRIVATE), *target = hole + 32 * PAGE_BYTES, *result;

	place(target, 4, MAP_SHARED);
	result = mremap(memory, 4 * PAGE_BYTES, 4 * PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
			target);
	show(where(result, target), "FIXED onto another mapping");
	show(bytes(target, 4), "FIXED onto another mapping: contents");
	show(readable(memory), "FIXED onto another mapping: the old place");
	result = mremap(target + PAGE_BYTES, 2 * PAGE_BYTES, 2 * PAGE_BYTES,
			MREMAP_MAYMOVE | MREMAP_FIXED, memory);
	show(where(result, memory), "the middle of a mapping");
	show(bytes(memory, 2), "the middle of a mapping: contents");
	show(readable(target), "the middle of a mapping: before it");
	show(readable(target + PAGE_BYTES), "the middle of a mapping: its old place");
	show(readable(target + 3 * PAGE_BYTES), "the middle of a mapping: after it");
	result = mremap(memory, 2 * PAGE_BYTES, PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
			hole + 8 * PAGE_BYTES);
	show(where(result, hole + 8 * PAGE_BYTES), "FIXED and smaller");
	show(bytes(result, 1), "FIXED and smaller: contents");
	show(readable(memory + PAGE_BYTES), "FIXED and smaller: the rest of the old place");
	result = mremap(result, PAGE_BYTES, 3 * PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
			hole + 48 * PAGE_BYTES);
	show(where(result, hole + 48 * PAGE_BYTES), "FIXED and larger");
	show(bytes(result, 3), "FIXED and larger: contents");
	/* Not every C library hands on the address, which is a hint then. */
	result = (char *)syscall(SYS_mremap, result, 3 * PAGE_BYTES, 3 * PAGE_BYTES,
				 MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0);
	show(where(result, hole + 48 * PAGE_BYTES), "DONTUNMAP");
	show(bytes(result, 3), "DONTUNMAP: contents");
	show(readable(hole + 48 * PAGE_BYTES), "DONTUNMAP: the old place");
	munmap(hole, 64 * PAGE_BYTES);
}

static void kinds(void)
{
	char *hole = reserve(64), *result, *twin;
	char *memory = place(hole, 4, MAP_SHARED);

	twin = mremap(memory, 0, 4 * PAGE_BYTES, MREMAP_MAYMOVE);
	show(where(twin, memory), "a second view of shared memory");
	twin[0] = 7;
	show(bytes(memory, 4), "a second view of shared memory: the first");
	munmap(memory + 4 * PAGE_BYTES, 8 * PAGE_BYTES);
	result = mremap(memory, 4 * PAGE_BYTES, 6 * PAGE_BYTES, 0);
	show(where(result, memory), "growing shared memory");
	show(readable(memory + 3 * PAGE_BYTES), "growing shared memory: its last page");
	show(readable(memory + 4 * PAGE_BYTES), "growing shared memory: after its end");
	memory = place(hole + 16 * PAGE_BYTES, 2, MAP_PRIVATE);
	mprotect(memory, 2 * PAGE_BYTES, PROT_READ);
	result = mremap(memory, 2 * PAGE_BYTES, 4 * PAGE_BYTES, MREMAP_MAYMOVE);
	show(where(result, memory), "growing memory that is read-only");
	show(bytes(result, 4), "growing memory that is read-only: contents");
	show(write(1, "", 0) == 0 && read(0, result, 1) < 0 ? error_name(errno) : "ok",
	     "growing memory that is read-only: read(2) into it");
	mprotect(result, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE);
	show(where(mremap(result, 4 * PAGE_BYTES, 6 * PAGE_BYTES, MREMAP_MAYMOVE), result),
	     "growing two mappings at once");
	show(where(mremap(result, 4 * PAGE_BYTES, 4 * PAGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
			  hole + 40 * PAGE_BYTES),
		   result),
	     "moving two mappings at once");
	show(where(mremap(result, 4 * PAGE_BYTES, PAGE_BYTES, 0), result),
	     "shrinking two mappings at once");
	munmap(hole, 64 * PAGE_BYTES);
}

/* A child and its parent do not see what the other moves. */
static void after_fork(void)
{
	char *hole = reserve(64);
	char *memory = place(hole, 4, MAP_PRIVATE), *target = hole + 32 * PAGE_BYTES;
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		char *moved = mremap(memory, 4 * PAGE_BYTES, 4 * PAGE_BYTES,
				     MREMAP_MAYMOVE | MREMAP_FIXED, target);

		moved[0] = 9;
		_exit(moved[0] == 9 && moved[PAGE_BYTES] == 2 ? 0 : 1);
	}
	waitpid(child, &status, 0);
	show(status ? "wrong" : "right", "a move in the child: what it sees");
	show(bytes(memory, 4), "a move in the child: what the parent sees");
	munmap(hole, 64 * PAGE_BYTES);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	arguments();
	sizes();
	moves();
	kinds();
	after_fork();
	return 0;
}
