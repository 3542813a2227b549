// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory of a process: mmap, mprotect and madvise, and the places of a program's parts.
 */
#include <sys/wait.h>

#include "private_pages.h"

static void change(volatile char *at)
{
	*at = 1;
}

static void mapping_arguments(void)
{
	static const struct {
		const char *name;
		unsigned long address, size;
		int prot, flags, fd;
		long offset;
	} cases[] = {
		{ "nothing", 0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 },
		{ "neither private nor shared", 0, 1, PROT_READ, MAP_ANONYMOUS, -1, 0 },
		{ "a bad descriptor", 0, 1, PROT_READ, MAP_PRIVATE, 99, 0 },
		{ "an odd offset", 0, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 5 },
		{ "more than there are addresses", 0, 1UL << 48, PROT_READ,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 },
		{ "a size that wraps", 0, -1UL, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 },
		{ "FIXED inside a page", 0x7000001, 1, PROT_READ,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0 },
		{ "FIXED at the kernel's", 0xffff800000000000, 1, PROT_READ,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0 },
		{ "SHARED_VALIDATE without a file", 0, 1, PROT_READ,
		  MAP_SHARED_VALIDATE | MAP_ANONYMOUS, -1, 0 },
		{ "GROWSDOWN and shared", 0, 1, PROT_READ,
		  MAP_SHARED | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0 },
		{ "no access at all", 0, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 },
		{ "unknown protection", 0, 1, 0x40, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 },
		{ "a terabyte without reserve", 0, 1UL << 40, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0 },
		{ "a terabyte", 0, 1UL << 40, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		  -1, 0 },
		{ "a terabyte without access", 0, 1UL << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		  -1, 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		show(mmap((void *)cases[i].address, cases[i].size, cases[i].prot, cases[i].flags,
			  cases[i].fd, cases[i].offset) == MAP_FAILED ?
			     error_name(errno) :
			     "ok",
		     "mmap: %s", cases[i].name);
}

static void places(void)
{
	char *memory = private_pages(8), *result;

	munmap(memory + 2 * PAGE_BYTES, 2 * PAGE_BYTES);
	result = mmap(memory + 2 * PAGE_BYTES + 5, PAGE_BYTES, PROT_READ,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	show(result == memory + 2 * PAGE_BYTES ? "there" : "elsewhere",
	     "mmap: a free hint in a page");
	result = mmap(memory, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	show(result == memory ? "there" : "elsewhere", "mmap: a hint that is taken");
	result = mmap(memory, PAGE_BYTES, PROT_READ,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	show(result == MAP_FAILED ? error_name(errno) : "ok", "mmap: NOREPLACE of what is taken");
	result = mmap((void *)1, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	show(result == MAP_FAILED ? error_name(errno) : "ok", "mmap: a hint of 1");
	result = mmap((void *)0x2000, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	show(result == (char *)0x10000 ? "the least address" : "elsewhere",
	     "mmap: a hint below the least address");
#ifdef MAP_32BIT
	result = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	show((uintptr_t)result < 0x80000000 ? "below 2 GiB" : "elsewhere", "mmap: 32BIT");
#endif
	show(outcome(munmap(memory + 1, PAGE_BYTES)), "munmap: inside a page");
	show(outcome(munmap(memory, 0)), "munmap: nothing");
	show(outcome(munmap(memory, -1UL)), "munmap: a size that wraps");
	show(outcome(munmap((void *)0xffff800000000000, PAGE_BYTES)), "munmap: the kernel's");
	show(outcome(munmap(memory, 8 * PAGE_BYTES)), "munmap: with a hole");
	show(outcome(munmap(memory, 8 * PAGE_BYTES)), "munmap: again");
}

static void protection(void)
{
	char *memory = private_pages(4);

	memory[0] = 5;
	munmap(memory + 2 * PAGE_BYTES, PAGE_BYTES);
	show(outcome(mprotect(memory + 1, PAGE_BYTES, PROT_READ)), "mprotect: inside a page");
	show(outcome(mprotect(memory, 0, PROT_READ)), "mprotect: nothing");
	show(outcome(mprotect(memory, PAGE_BYTES, 0x40)), "mprotect: unknown protection");
	show(outcome(mprotect(memory, -1UL, PROT_READ)), "mprotect: a size that wraps");
	show(outcome(mprotect(memory, PAGE_BYTES, PROT_READ | PROT_GROWSDOWN)),
	     "mprotect: GROWSDOWN of what does not");
	show(outcome(mprotect(memory, PAGE_BYTES, PROT_READ | PROT_GROWSUP)), "mprotect: GROWSUP");
	show(outcome(mprotect(memory, PAGE_BYTES, PROT_READ | PROT_GROWSUP | PROT_GROWSDOWN)),
	     "mprotect: both");
	show(outcome(mprotect(memory, 4 * PAGE_BYTES, PROT_READ)), "mprotect: with a hole");
	show(in_child(change, memory), "mprotect: write before the hole");
	show(in_child(change, memory + 3 * PAGE_BYTES), "mprotect: write after the hole");
	show(outcome(mprotect(memory, PAGE_BYTES, PROT_NONE)), "mprotect: to nothing");
	show(in_child(look, memory), "mprotect: look at what may not be");
	show(outcome(mprotect(memory, PAGE_BYTES, PROT_READ)), "mprotect: back");
	show(in_child(look, memory), "mprotect: look at it again");
	show(outcome(mprotect(memory, PAGE_BYTES, PROT_READ | 8)), "mprotect: SEM");
	munmap(memory, 4 * PAGE_BYTES);
}

static const struct {
	const char *name;
	int advice;
} advices[] = {
	{ "NORMAL", 0 },
	{ "RANDOM", 1 },
	{ "SEQUENTIAL", 2 },
	{ "WILLNEED", 3 },
	{ "DONTNEED", MADV_DONTNEED },
	{ "5", 5 },
	{ "7", 7 },
	{ "FREE", 8 },
	{ "REMOVE", 9 },
	{ "DONTFORK", 10 },
	{ "DOFORK", 11 },
	{ "NOHUGEPAGE", 15 },
	{ "DONTDUMP", 16 },
	{ "DODUMP", 17 },
	{ "WIPEONFORK", 18 },
	{ "KEEPONFORK", 19 },
	{ "COLD", 20 },
	{ "PAGEOUT", 21 },
	{ "POPULATE_READ", 22 },
	{ "POPULATE_WRITE", 23 },
	{ "DONTNEED_LOCKED", 24 },
	{ "26", 26 },
	{ "-1", -1 },
};

static void advise_all(const char *what, char *memory, size_t size)
{
	for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++)
		show(outcome(madvise(memory, size, advices[i].advice)), "madvise %s: %s",
		     advices[i].name, what);
}

/* Advises on the mapping from which programs read the time. */
static void advise_clock(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start = 0, end = 0;
	char line[256];

	while (fgets(line, sizeof(line), maps) && !strstr(line, "[vvar]"))
		;
	sscanf(line, "%lx-%lx", &start, &end);
	fclose(maps);
	advise_all("the clock", (char *)start, end - start);
}

static void advice(void)
{
	char *memory = private_pages(4), *shared = map(4, PROT_READ | PROT_WRITE, MAP_SHARED);
	char *read_only = map(1, PROT_READ, MAP_PRIVATE);

	advise_all("private memory", memory, 4 * PAGE_BYTES);
	advise_all("shared memory", shared, 4 * PAGE_BYTES);
	advise_all("read-only memory", read_only, PAGE_BYTES);
	advise_all("inside a page", memory + 1, PAGE_BYTES);
	advise_all("nothing", memory, 0);
	fflush(stdout);
	/* In a child: afterwards its own children have no clock. */
	if (fork() == 0) {
		advise_clock();
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	munmap(memory + 2 * PAGE_BYTES, PAGE_BYTES);
	advise_all("a hole", memory, 4 * PAGE_BYTES);
	memory[0] = memory[3 * PAGE_BYTES] = shared[0] = 5;
	madvise(memory, 4 * PAGE_BYTES, MADV_DONTNEED);
	show(memory[0] ? "kept" : "zero", "DONTNEED: before a hole");
	show(memory[3 * PAGE_BYTES] ? "kept" : "zero", "DONTNEED: after a hole");
	madvise(shared, PAGE_BYTES, MADV_DONTNEED);
	show(shared[0] ? "kept" : "zero", "DONTNEED: shared memory");
	madvise(shared, PAGE_BYTES, MADV_REMOVE);
	show(shared[0] ? "kept" : "zero", "REMOVE: shared memory");
	memory[0] = 5;
	madvise(memory, PAGE_BYTES, MADV_WIPEONFORK);
	show(in_child(look, memory), "WIPEONFORK: in the child");
	madvise(memory, PAGE_BYTES, MADV_KEEPONFORK);
	show(in_child(look, memory), "KEEPONFORK: in the child");
	madvise(memory, PAGE_BYTES, MADV_DONTFORK);
	show(in_child(look, memory), "DONTFORK: in the child");
	madvise(memory, PAGE_BYTES, MADV_DOFORK);
	show(in_child(look, memory), "DOFORK: in the child");
}

enum { PLACES = 3 };
static const char *const place_names[PLACES] = { "stack", "mmap", "brk" };

/* Writes where this program's memory is: all that it does when it has an argument. */
static void show_places(void)
{
	char *places[PLACES] = { (char *)&places, private_pages(1), (char *)syscall(SYS_brk, 0) };

	if (write(1, places, sizeof(places)) < 0)
		_exit(1);
}

static void request_places(char *program, char *places[PLACES])
{
	char *words[] = { program, (char[]){ "places" }, NULL };
	int ends[2];

	if (pipe(ends) < 0)
		return;
	pid_t child = fork();

	if (child == 0) {
		dup2(ends[1], 1);
		execv(program, words);
		_exit(1);
	}
	if (read(ends[0], places, PLACES * sizeof(places[0])) < 0)
		places[0] = NULL;
	waitpid(child, NULL, 0);
	close(ends[0]);
	close(ends[1]);
}

static void compare_places(char *program, const char *how)
{
	char *first[PLACES] = { 0 }, *second[PLACES] = { 0 };

	request_places(program, first);
	request_places(program, second);
	for (int i = 0; i < PLACES; i++)
		show(!first[i]		   ? "unknown" :
		     first[i] == second[i] ? "the same" :
					     "differs",
		     "layout: two runs%s: %s", how, place_names[i]);
}

static void layout(char *program)
{
	compare_places(program, "");
	show(outcome_value(syscall(SYS_personality, 0x0040000)), "personality: what it was");
	show(outcome_value(syscall(SYS_personality, 0xffffffff)), "personality: what it is");
	compare_places(program, " without randomization");
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		show_places();
		return 0;
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	mapping_arguments();
	places();
	protection();
	advice();
	layout(argv[0]);
	return 0;
}
