/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Special areas (the vDSO, its data, an event's ring, code with a breakpoint), read and written through /proc/PID/mem,
 * process_vm_readv, process_vm_writev and ptrace, by the program itself and by its tracer. And the charge for page tables.
 */
#include "child.h"

#include <linux/hw_breakpoint.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#define RING_PAGES 3

static const char *const names[] = { "the vDSO",
				     "the vDSO's data",
				     "an event's page",
				     "an event's ring",
				     "an event's page, read-only",
				     "an event's ring, read-only",
				     "code",
				     "code with a breakpoint",
				     "memory of no process",
				     "a file's memory, read-only" };

enum { AREAS = sizeof(names) / sizeof(names[0]) };

/* Where they are; 0: there is none. Shared with the tracer. */
static unsigned long *areas;

/* Where the area called NAME begins. */
static unsigned long area_called(const char *name)
{
	char line[512];
	unsigned long start = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	while (!start && fgets(line, sizeof(line), maps))
		if (strstr(line, name))
			start = strtoul(line, NULL, 16);
	fclose(maps);
	return start;
}

static unsigned long map_event(int protection)
{
	union attr attr;

	attr_dummy(&attr);
	long fd = open_event(&attr, 0, -1, -1, 0);
	void *ring = mmap(NULL, RING_PAGES * PAGE_BYTES, protection, MAP_SHARED, (int)fd, 0);

	if (ring == MAP_FAILED)
		show(error_name(errno), "an event to map");
	return ring == MAP_FAILED ? 0 : (unsigned long)ring;
}

__attribute__((noinline, aligned(64))) static void code(void)
{
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline, aligned(64))) static void watched_code(void)
{
	__asm__ volatile("" : : : "memory");
}

static void watch(unsigned long address)
{
	union attr attr;

	attr_dummy(&attr);
	attr.fields.type = PERF_TYPE_BREAKPOINT;
	attr.fields.config = 0;
	attr.fields.bp_type = HW_BREAKPOINT_X;
	attr.fields.bp_addr = address;
	attr.fields.bp_len = sizeof(long);
	attr.fields.disabled = 0;
	show(outcome(open_event(&attr, 0, -1, -1, 0)), "a breakpoint");
}

static void find_areas(void)
{
	int file = open("/proc/self/exe", O_RDONLY);
	unsigned long event = map_event(PROT_READ | PROT_WRITE), seen = map_event(PROT_READ);

	areas[0] = area_called("[vdso]");
	areas[1] = area_called("[vvar]");
	areas[2] = event;
	areas[3] = event + PAGE_BYTES;
	areas[4] = seen;
	areas[5] = seen + PAGE_BYTES;
	areas[6] = (unsigned long)code;
	areas[7] = (unsigned long)watched_code;
	areas[8] = (unsigned long)mmap(NULL, PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				       0);
	areas[9] = (unsigned long)mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, file, 0);
	watch(areas[7]);
}

/* WHO reads the word at AT of process PID, and writes it back. */
static void look(const char *who, const char *name, pid_t pid, int mem, unsigned long at)
{
	unsigned long word = 0;
	struct iovec own = { &word, sizeof(word) }, other = { (void *)at, sizeof(word) };

	if (!at)
		return;
	show(outcome_value(pread(mem, &word, sizeof(word), (off_t)at)), "%s: mem, read: %s", who,
	     name);
	show(outcome_value(pwrite(mem, &word, sizeof(word), (off_t)at)), "%s: mem, write: %s", who,
	     name);
	show(outcome_value(process_vm_readv(pid, &own, 1, &other, 1, 0)),
	     "%s: process_vm_readv: %s", who, name);
	show(outcome_value(process_vm_writev(pid, &own, 1, &other, 1, 0)),
	     "%s: process_vm_writev: %s", who, name);
}

static void trace(const char *name, pid_t pid, unsigned long at)
{
	if (!at)
		return;
	errno = 0;
	long word = ptrace(PTRACE_PEEKDATA, pid, at, 0);

	show(outcome(errno ? -1 : 0), "PTRACE_PEEKDATA: %s", name);
	show(outcome(ptrace(PTRACE_POKEDATA, pid, at, word)), "PTRACE_POKEDATA: %s", name);
}

/* A read of two pages, the first of which ends where AT begins. */
static void cross(int mem, const char *name, unsigned long at)
{
	static char bytes[2 * PAGE_BYTES];

	if (at)
		show(outcome_value(pread(mem, bytes, sizeof(bytes), (off_t)(at - PAGE_BYTES))),
		     "mem, read: a page and %s", name);
}

static void be_tracee(void)
{
	find_areas();
	int mem = open("/proc/self/mem", O_RDWR);

	for (int i = 0; i < AREAS; i++)
		look("itself", names[i], getpid(), mem, areas[i]);
	cross(mem, names[1], areas[1]);
	code();
	watched_code();
	fflush(stdout);
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	raise(SIGSTOP);
	_exit(0);
}

static void check_areas(void)
{
	char path[64];

	fflush(stdout);
	pid_t child = fork();

	if (child == 0)
		be_tracee();
	waitpid(child, NULL, 0);
	snprintf(path, sizeof(path), "/proc/%d/mem", child);
	int mem = open(path, O_RDWR);

	for (int i = 0; i < AREAS; i++) {
		look("its tracer", names[i], child, mem, areas[i]);
		trace(names[i], child, areas[i]);
	}
	close(mem);
	end_child(child);
}

/* --- page tables --- */

/* The bytes that one table covers. */
#define SPAN ((size_t)PAGE_BYTES * (PAGE_BYTES / 8))

/* KiB, as /proc/self/status has them. */
static long table_size(void)
{
	char line[256];
	long size = -1;
	FILE *status = fopen("/proc/self/status", "r");

	while (fgets(line, sizeof(line), status))
		if (strncmp(line, "VmPTE:", 6) == 0)
			size = atol(line + 6);
	fclose(status);
	return size;
}

static void show_tables(const char *when, long before)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", (table_size() - before) / (PAGE_BYTES / 1024));
	show(text, "page tables, %s", when);
}

static void check_tables(void)
{
	enum { COUNT = 50 };
	long before = table_size();
	char *memory = mmap(NULL, (COUNT + 1) * SPAN, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *first = (char *)(((unsigned long)memory + SPAN - 1) / SPAN * SPAN);

	/* Huge pages need no tables. */
	madvise(memory, (COUNT + 1) * SPAN, MADV_NOHUGEPAGE);
	*(volatile char *)first;
	before = table_size();
	for (size_t i = 1; i < COUNT / 2; i++)
		*(volatile char *)(first + i * SPAN);
	show_tables("read in 24 more places", before);
	for (size_t i = COUNT / 2; i < COUNT; i++)
		first[i * SPAN] = 1;
	show_tables("written in 25 more", before);
	for (size_t i = 1; i < COUNT; i++)
		first[i * SPAN + PAGE_BYTES] = 1;
	show_tables("a second page in each", before);
	munmap(first + SPAN, (COUNT - 1) * SPAN);
	show_tables("unmapped", before);
}

int main(void)
{
	areas = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (areas == MAP_FAILED)
		return 1;
	check_areas();
	check_tables();
	return 0;
}
