/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rules of the perf_event ABI, one test each: the parts that rules are made of.
 *
 *	RULE("a sentence that states the rule")
 *	{
 *		EXPECT_EQ(...);
 *	}
 *
 * A rule runs in a process of its own, so it leaves its events, mappings and children to the end of that.
 * Rules find each other by the linker: those of all files are one table, in the order of the files. They
 * are run as root.
 */
#ifndef TESTS_RULES_H
#define TESTS_RULES_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../unit/tap.h"
#include "../programs/work.h"

#define RULE_JOIN_(name, line) name##line
#define RULE_JOIN(name, line)  RULE_JOIN_(name, line)
/* Only the rule's own file knows of a failure (tap.h), so the rule ends its process there. */
#define RULE(sentence_)                                                                            \
	static void RULE_JOIN(rule_, __LINE__)(void);                                              \
	static void RULE_JOIN(run_, __LINE__)(void)                                                \
	{                                                                                          \
		RULE_JOIN(rule_, __LINE__)();                                                      \
		fflush(stdout);                                                                    \
		_exit(tap_failed);                                                                 \
	}                                                                                          \
	__attribute__((used, section("rules"))) static const struct tap_rule RULE_JOIN(            \
		entry_, __LINE__) = { .sentence = sentence_, .check = RULE_JOIN(run_, __LINE__) }; \
	static void RULE_JOIN(rule_, __LINE__)(void)

/* How the sentence of a rule begins that is run only when it is named: see main.c. */
#define ALONE "with virtual time: "

/* CALL fails with NUMBER. */
#define EXPECT_ERRNO(call_, number_)                                                             \
	do {                                                                                     \
		errno = 0;                                                                       \
		long rule_result = (long)(call_);                                                \
		EXPECT_EQ_AT(rule_result < 0 ? errno : 0, number_, "returned %ld", rule_result); \
	} while (0)

/* CALL does not fail. */
#define EXPECT_OK(call_) EXPECT_ERRNO(call_, 0)

/* For rules about execve: with one of these arguments this program does nothing, respectively returns
 * 0 if the file that is named next exists, else 1. */
#define DO_NOTHING	 "--nothing"
#define EXISTS		 "--exists"

#define PAGE		 WORK_PAGE
#define LOOPS		 1000

typedef struct perf_event_attr attr_t;

static inline long sys_open(const void *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
}

/* Opens an event of this task, on any CPU. */
static inline long open_one(const attr_t *attr)
{
	return sys_open(attr, 0, -1, -1, 0);
}

/* The same; ends the rule if it fails. */
static inline int need(long fd)
{
	EXPECT_AT(fd >= 0, "needed: errno %d", errno);
	if (fd < 0)
		_exit(1);
	return (int)fd;
}

static inline int open_in(const attr_t *attr, int group)
{
	return need(sys_open(attr, 0, -1, group, 0));
}

/* Disabled; counts nothing. */
static inline attr_t dummy(void)
{
	return (attr_t){ .type = PERF_TYPE_SOFTWARE,
			 .config = PERF_COUNT_SW_DUMMY,
			 .size = sizeof(attr_t),
			 .disabled = 1 };
}

static inline attr_t software(uint64_t config)
{
	attr_t attr = dummy();

	attr.config = config;
	return attr;
}

/* User mode's; disabled. */
static inline attr_t hardware(uint64_t config)
{
	attr_t attr = dummy();

	attr.type = PERF_TYPE_HARDWARE;
	attr.config = config;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return attr;
}

static inline attr_t instructions(void)
{
	return hardware(PERF_COUNT_HW_INSTRUCTIONS);
}

/* Samples every PERIOD instructions with fields TYPE. */
static inline attr_t sampling(uint64_t period, uint64_t type)
{
	attr_t attr = instructions();

	attr.sample_period = period;
	attr.sample_type = type;
	return attr;
}

/* An event that samples the place every PERIOD instructions. */
static inline int sampler(uint64_t period)
{
	attr_t attr = sampling(period, PERF_SAMPLE_IP);

	return need(open_one(&attr));
}

static inline uint64_t value_of(int fd)
{
	uint64_t words[64] = { 0 };

	return read(fd, words, sizeof(words)) < 8 ? ~(uint64_t)0 : words[0];
}

static inline uint64_t id_of(int fd)
{
	uint64_t id = 0;

	ioctl(fd, PERF_EVENT_IOC_ID, &id);
	return id;
}

static inline int enable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static inline int disable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* LOOPS rounds of two instructions. */
static inline void spin(uint64_t loops)
{
	WORK_SPIN(loops);
}

static inline void pause_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static inline uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Uses the CPU for so long. */
static inline void spin_ms(uint64_t ms)
{
	uint64_t end = now_ns() + ms * 1000000;

	while (now_ns() < end)
		spin(1000);
}

/* Runs on CPU alone. */
static inline void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	EXPECT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
}

/* Waits for CHILD; its exit status, or -1. */
static inline int status_of(pid_t child)
{
	int status = -1;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A child that waits. */
struct waiter {
	pid_t pid;
	int go; /* it continues at a byte from this pipe */
};

/* Its WORK(LOOPS) begins when it is let go; then it exits with 0. */
static inline struct waiter start_waiter(void (*work)(uint64_t), uint64_t loops)
{
	int ends[2];
	char byte;

	EXPECT_EQ(pipe(ends), 0);
	struct waiter waiter = { fork(), ends[1] };

	if (waiter.pid == 0) {
		read(ends[0], &byte, 1);
		work(loops);
		_exit(0);
	}
	close(ends[0]);
	return waiter;
}

static inline void let_go(const struct waiter *waiter)
{
	write(waiter->go, "", 1);
}

/* Lets it go and waits for it; its exit status, or -1. */
static inline int end_of(const struct waiter *waiter)
{
	let_go(waiter);
	return status_of(waiter->pid);
}

/* Work of such a child: this program again, which ends at once. */
static inline void exec_nothing(uint64_t unused)
{
	(void)unused;
	execl("/proc/self/exe", "rules", DO_NOTHING, NULL);
	_exit(1);
}

/* Becomes a user without privileges. */
static inline void drop_privileges(void)
{
	EXPECT_EQ(setresgid(1000, 1000, 1000), 0);
	EXPECT_EQ(setresuid(1000, 1000, 1000), 0);
	/* Changing the user makes a process one that others of that user may not look into. */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

/* Writes TEXT to the file PATH; false: it could not. */
static inline bool set_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return good;
}

/* The number that the file PATH holds. */
static inline unsigned long file_number(const char *path)
{
	char text[32] = "";
	int fd = need(open(path, O_RDONLY));

	need(read(fd, text, sizeof(text) - 1));
	close(fd);
	return strtoul(text, NULL, 10);
}

/* --- buffers --- */

struct ring {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	uint64_t at; /* the next record */
	size_t size;
};

static inline void *map_pages(int fd, size_t pages, int protection)
{
	return mmap(NULL, pages * PAGE, protection, MAP_SHARED, fd, 0);
}

/* 1 if it failed, so that EXPECT_ERRNO can be used. */
static inline long map_result(int fd, size_t pages, int protection)
{
	return map_pages(fd, pages, protection) == MAP_FAILED ? -1 : 0;
}

static inline struct ring map_ring(int fd, size_t pages)
{
	struct ring ring = { .size = pages * PAGE };

	ring.page = map_pages(fd, pages + 1, PROT_READ | PROT_WRITE);
	need(ring.page == MAP_FAILED ? -1 : 0);
	ring.data = (const unsigned char *)ring.page + PAGE;
	return ring;
}

/* The next record into WORDS; its size in bytes, 0: there is none. */
static inline size_t next_record(struct ring *ring, uint64_t *words)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header header;

	if (ring->at >= head)
		return 0;
	memcpy(&header, ring->data + ring->at % ring->size, sizeof(header));
	for (size_t i = 0; i < header.size; i++)
		((unsigned char *)words)[i] = ring->data[(ring->at + i) % ring->size];
	ring->at += header.size;
	return header.size;
}

static inline struct perf_event_header header_of(const uint64_t *words)
{
	struct perf_event_header header;

	memcpy(&header, words, sizeof(header));
	return header;
}

/* How many records of TYPE are there; the last one of them is left in WORDS (NULL: nowhere). */
static inline unsigned int count_records(struct ring *ring, uint32_t type, uint64_t *words)
{
	uint64_t record[8192];
	unsigned int count = 0;
	size_t size;

	while ((size = next_record(ring, record))) {
		if (header_of(record).type != type)
			continue;
		count++;
		if (words)
			memcpy(words, record, size < 512 ? size : 512);
	}
	return count;
}

/* Gives all of the buffer back. */
static inline void empty(struct ring *ring)
{
	ring->at = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	__atomic_store_n(&ring->page->data_tail, ring->at, __ATOMIC_RELEASE);
}

/* --- differences by PMU and page size --- */

/*
 * GENERAL_EVENT is what the general counters alone count, which are GENERAL_COUNTERS, and GENERAL_COUNT what that is of
 * known work. beside() is what fits into a group with instructions; BESIDE() and LEADING() make of an event the one or
 * the other; BESIDE_COUNT is what it counts of known work, and BESIDE_OF of work of which VALUE is instructions.
 * open_last opens the third member, which need count nothing, and group_count is what each of the three counts.
 *
 * perf_event_mlock_kb is LOCKED_PAGES; a buffer with its page is LOCKED_BUFFER, and beside it LOCKED_MORE are too many.
 * 256 samples of FILL_FIELDS are a page: so many of a filler() are not yet throttled.
 */
#ifdef __alpha__
#define GENERAL_EVENT		PERF_COUNT_HW_CPU_CYCLES
#define GENERAL_COUNTERS	1
#define GENERAL_COUNT(loops)	BESIDE_COUNT(loops)
#define BESIDE(attr)		((attr)->config = PERF_COUNT_HW_CPU_CYCLES, (attr))
#define LEADING(attr)		((attr)->config = PERF_COUNT_HW_INSTRUCTIONS, (attr))
#define BESIDE_OF(value, loops) ((value) + (loops))
#define beside()		hardware(PERF_COUNT_HW_CPU_CYCLES)
/* A cycle for each instruction, and a second for each branch. */
#define BESIDE_COUNT(loops)	(WORK_INSTRUCTIONS(loops) + (loops))
#define RAW_INSTRUCTIONS	2
#define LOCKED_PAGES		64
#define LOCKED_BUFFER		33
#define LOCKED_MORE		33
#define FILL_FIELDS		(PERF_SAMPLE_IP | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID)

static inline uint64_t group_count(int member, uint64_t loops)
{
	return member == 0 ? WORK_INSTRUCTIONS(loops) : member == 1 ? BESIDE_COUNT(loops) : 0;
}

static inline int open_last(attr_t *attr, int leader)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	return open_in(attr, leader);
}

static inline int filler(uint64_t period)
{
	attr_t a = sampling(period, FILL_FIELDS);

	return need(open_one(&a));
}
#else
#define GENERAL_EVENT		   PERF_COUNT_HW_BRANCH_INSTRUCTIONS
#define GENERAL_COUNTERS	   4
#define GENERAL_COUNT(loops)	   WORK_BRANCHES(loops)
#define BESIDE(attr)		   attr
#define LEADING(attr)		   attr
#define BESIDE_OF(value, loops)	   value
#define filler(period)		   sampler(period)
#define beside()		   instructions()
#define BESIDE_COUNT(loops)	   WORK_INSTRUCTIONS(loops)
#define group_count(member, loops) WORK_INSTRUCTIONS(loops)
#define open_last(attr, leader)	   open_in(attr, leader)
#define RAW_INSTRUCTIONS	   0xc0
#define LOCKED_PAGES		   129
#define LOCKED_BUFFER		   129
#define LOCKED_MORE		   2
#define FILL_FIELDS		   PERF_SAMPLE_IP
#endif

#endif
