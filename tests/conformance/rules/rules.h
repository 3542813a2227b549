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

#endif
