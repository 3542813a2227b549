// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory that is in use: mincore, mlock, brk, and faults.
 */
#include <sys/resource.h>

#include "private_pages.h"

static const char *residence(char *memory, size_t pages)
{
	static char text[32];
	unsigned char present[16];

	if (mincore(memory, pages * PAGE_BYTES, present) < 0)
		return error_name(errno);
	for (size_t i = 0; i < pages; i++)
		text[i] = present[i] & 1 ? '1' : '0';
	text[pages] = '\0';
	return text;
}

static void residency(void)
{
	char *memory = private_pages(4), *shared = map(4, PROT_READ | PROT_WRITE, MAP_SHARED);
	unsigned char present[4];
	char seen;

	madvise(memory, 4 * PAGE_BYTES, MADV_NOHUGEPAGE);
	show(residence(memory, 4), "mincore: fresh memory");
	memory[PAGE_BYTES] = 1;
	seen = ((volatile char *)memory)[2 * PAGE_BYTES];
	show(residence(memory, 4), "mincore: one written, one read");
	madvise(memory, 4 * PAGE_BYTES, MADV_DONTNEED);
	show(residence(memory, 4), "mincore: after DONTNEED");
	shared[PAGE_BYTES] = (char)(1 + seen);
	show(residence(shared, 4), "mincore: shared, one written");
	madvise(shared, 4 * PAGE_BYTES, MADV_DONTNEED);
	show(residence(shared, 4), "mincore: shared, after DONTNEED");
	show(outcome(mincore(memory + 1, PAGE_BYTES, present)), "mincore: inside a page");
	show(outcome(mincore(memory, 0, present)), "mincore: nothing");
	show(outcome(syscall(SYS_mincore, memory, PAGE_BYTES, 8)), "mincore: a bad vector");
	show(outcome(syscall(SYS_mincore, memory, -1UL, present)), "mincore: a size that wraps");
	munmap(memory + PAGE_BYTES, PAGE_BYTES);
	show(residence(memory, 4), "mincore: a hole");
	show(outcome(madvise(memory + 2 * PAGE_BYTES, PAGE_BYTES, 23)), "POPULATE_WRITE");
	show(residence(memory + 2 * PAGE_BYTES, 2), "mincore: after POPULATE_WRITE");
	memory = map(4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_POPULATE);
	show(residence(memory, 4), "mincore: POPULATE");
	memory = map(4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_LOCKED);
	show(residence(memory, 4), "mincore: LOCKED");
}

static void locks(void)
{
	char *memory = private_pages(4);
	unsigned char present;

	madvise(memory, 4 * PAGE_BYTES, MADV_NOHUGEPAGE);
	show(outcome(mlock(memory + PAGE_BYTES + 5, 1)), "mlock: a byte");
	show(residence(memory, 4), "mlock: a byte: what is there");
	show(outcome(madvise(memory, 4 * PAGE_BYTES, MADV_DONTNEED)), "mlock: DONTNEED");
	show(outcome(msync(memory, 4 * PAGE_BYTES, MS_INVALIDATE)), "mlock: msync INVALIDATE");
	show(outcome(munlock(memory, 4 * PAGE_BYTES)), "munlock");
	show(outcome(madvise(memory, 4 * PAGE_BYTES, MADV_DONTNEED)), "munlock: DONTNEED");
	show(outcome(syscall(SYS_mlock2, memory, PAGE_BYTES, 1)), "mlock2: ONFAULT");
	show(residence(memory, 4), "mlock2: ONFAULT: what is there");
	show(outcome(syscall(SYS_mlock2, memory, PAGE_BYTES, 2)), "mlock2: unknown flags");
	show(outcome(mlock(memory, 0)), "mlock: nothing");
	show(outcome(mlock(memory, -1UL)), "mlock: a size that wraps");
	munmap(memory + 2 * PAGE_BYTES, PAGE_BYTES);
	show(outcome(mlock(memory, 4 * PAGE_BYTES)), "mlock: a hole");
	show(outcome(munlock(memory, 4 * PAGE_BYTES)), "munlock: a hole");
	show(outcome(mlockall(0)), "mlockall: nothing");
	show(outcome(mlockall(8)), "mlockall: unknown flags");
	show(outcome(mlockall(4)), "mlockall: ONFAULT alone");
	show(outcome(mlockall(MCL_FUTURE)), "mlockall: FUTURE");
	memory = private_pages(1);
	mincore(memory, PAGE_BYTES, &present);
	show(present & 1 ? "1" : "0", "mlockall: FUTURE: new memory");
	show(outcome(munlockall()), "munlockall");
	show(outcome(msync(memory, PAGE_BYTES, MS_SYNC)), "msync: SYNC");
	show(outcome(msync(memory, PAGE_BYTES, MS_SYNC | MS_ASYNC)), "msync: SYNC and ASYNC");
	show(outcome(msync(memory, PAGE_BYTES, 8)), "msync: unknown flags");
	show(outcome(msync(memory + 1, PAGE_BYTES, MS_SYNC)), "msync: inside a page");
	munmap(memory, PAGE_BYTES);
	show(outcome(msync(memory, PAGE_BYTES, MS_SYNC)), "msync: what is not mapped");
	show(outcome(msync(memory, 0, MS_SYNC)), "msync: nothing of it");
}

static void heap(void)
{
	char *start = (char *)syscall(SYS_brk, 0), *now;

	now = (char *)syscall(SYS_brk, start + 3 * PAGE_BYTES + 5);
	show(now == start + 3 * PAGE_BYTES + 5 ? "moved" : "stayed", "brk: up");
	start[3 * PAGE_BYTES + 100] = 1;
	now = (char *)syscall(SYS_brk, start + PAGE_BYTES);
	show(now == start + PAGE_BYTES ? "moved" : "stayed", "brk: down");
	show(in_child(look, start + 3 * PAGE_BYTES), "brk: down: what was above");
	now = (char *)syscall(SYS_brk, start + 4 * PAGE_BYTES);
	show(start[3 * PAGE_BYTES + 100] ? "kept" : "zero", "brk: up again");
	show((char *)syscall(SYS_brk, 5) == now ? "stayed" : "moved", "brk: below its start");
	show((char *)syscall(SYS_brk, -1UL) == now ? "stayed" : "moved", "brk: beyond everything");
}

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

static void fault_counts(void)
{
	volatile char *memory = private_pages(16);
	long before;

	madvise((char *)memory, 16 * PAGE_BYTES, MADV_NOHUGEPAGE);
	(void)faults();
	before = faults();
	for (int i = 0; i < 8; i++)
		memory[i * PAGE_BYTES] = 1;
	show(outcome_value(faults() - before), "faults: 8 pages written");
	before = faults();
	for (int i = 0; i < 8; i++)
		memory[i * PAGE_BYTES] = 1;
	show(outcome_value(faults() - before), "faults: written again");
	before = faults();
	for (int i = 8; i < 12; i++)
		(void)memory[i * PAGE_BYTES];
	show(outcome_value(faults() - before), "faults: 4 pages read");
	before = faults();
	for (int i = 8; i < 12; i++)
		memory[i * PAGE_BYTES] = 1;
	show(outcome_value(faults() - before), "faults: written after they were read");
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	residency();
	locks();
	heap();
	fault_counts();
	return 0;
}
