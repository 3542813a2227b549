/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the observing programs. Each is one static executable that runs on Linux and on Tally and
 * prints, line by line, "name: what happened"; a test compares the two transcripts by name. So a name is
 * best printed once, and nothing that may differ from run to run is printed: no addresses, times or ids.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_OBSERVE_H
#define TESTS_OBSERVE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __alpha__
enum { PAGE_BYTES = 8192 };
#else
enum { PAGE_BYTES = 4096 };
#endif

/* Linux/alpha has left out this one, and keeps its number for it. */
#if defined(__alpha__) && !defined(SYS_clone3)
#define SYS_clone3 545
#endif

/* The number of a call that all ISAs have got since: x86_64's, and Alpha's is 110 more. */
#ifdef __alpha__
#define NEW_CALL(number) ((number) + 110)
#else
#define NEW_CALL(number) (number)
#endif

/*
 * perf_event_attr as words, because the build host's header may be older than Linux 6.12, where it has
 * 136 bytes (PERF_ATTR_SIZE_VER8); the rest is for sizes that no kernel knows.
 */
union attr {
	struct perf_event_attr fields;
	uint64_t words[2 * PAGE_BYTES / 8];
	unsigned char bytes[2 * PAGE_BYTES];
};

enum { ATTR_BYTES = 136, WORD_CONFIG3 = 16 };
/* The word of perf_event_attr that holds the one-bit flags. */
enum { WORD_FLAGS = 5 };

/* The name of an error number; a number without one is shown as such. */
static inline const char *error_name(int number)
{
	static char unknown[16];
	const char *name = strerrorname_np(number);

	if (name)
		return name;
	snprintf(unknown, sizeof(unknown), "errno %d", number);
	return unknown;
}

/* Prints "name: text"; the format makes the name. */
__attribute__((format(printf, 2, 3))) static inline void show(const char *text, const char *format,
							      ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(": %s\n", text);
}

/* The outcome of a system call that returns 0 or more when it succeeds; the number itself is not shown. */
static inline const char *outcome(long result)
{
	return result < 0 ? error_name(errno) : "ok";
}

/* The same, with the number. */
static inline const char *outcome_value(long result)
{
	static char text[32];

	if (result < 0)
		return error_name(errno);
	snprintf(text, sizeof(text), "%ld", result);
	return text;
}

/* Writes TEXT to the file at PATH: the bytes, or -1 with errno. */
static inline int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0)
		return -1;
	int result = (int)write(fd, text, strlen(text)), error = errno;

	close(fd);
	errno = error;
	return result;
}

/* Observes one call: its text is the name, its value or error the observation. */
#define SEE(call) show(outcome_value((long)(call)), "%s", #call)

static inline long open_event(const void *attr, pid_t pid, int cpu, int group_fd,
			      unsigned long flags)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
}

/* How opening an event ends, which is not kept. */
static inline const char *try_open(const union attr *attr, pid_t pid, int cpu)
{
	long fd = open_event(attr, pid, cpu, -1, 0);
	const char *result = outcome(fd);

	if (fd >= 0)
		close((int)fd);
	return result;
}

/* A disabled event of this task on any CPU that every kernel has; counts nothing. */
static inline void attr_dummy(union attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->fields.type = PERF_TYPE_SOFTWARE;
	attr->fields.config = PERF_COUNT_SW_DUMMY;
	attr->fields.size = ATTR_BYTES;
	attr->fields.disabled = 1;
}

/* User instructions of this task, disabled. */
static inline void attr_instructions(union attr *attr)
{
	attr_dummy(attr);
	attr->fields.type = PERF_TYPE_HARDWARE;
	attr->fields.config = PERF_COUNT_HW_INSTRUCTIONS;
	attr->fields.exclude_kernel = 1;
	attr->fields.exclude_hv = 1;
}

/* Opens an event of this task; ends the program, saying so, if that fails. */
static inline int must_open(const union attr *attr, int group_fd)
{
	long fd = open_event(attr, 0, -1, group_fd, 0);

	if (fd < 0) {
		show(error_name(errno), "the event that the rest is about");
		exit(1);
	}
	return (int)fd;
}

/* Two pages of memory, of which the second is not there: an object across the edge cannot be read. */
static inline unsigned char *page_before_a_hole(void)
{
	unsigned char *page = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED || munmap(page + PAGE_BYTES, PAGE_BYTES) < 0) {
		show(error_name(errno), "memory for the test");
		exit(1);
	}
	return page;
}

#endif
