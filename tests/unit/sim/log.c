// SPDX-License-Identifier: BSD-2-Clause
/* The simulated kernel's log: TAP comments. A panic ends the program, which prove reports. */
#include <kernel/base/boot.h>
#include <kernel/base/log.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define LINES 3

/* For each thread, so that log_write() needs no lock. */
static _Thread_local char lines[LINES][512];
static _Thread_local unsigned int last;

void log_write(enum log_level level, const char *format, ...)
{
	va_list args;

	(void)level;
	va_start(args, format);
	last = (last + 1) % LINES;
	vsnprintf(lines[last], sizeof(lines[last]), format, args);
	va_end(args);
	printf("# tally: %s\n", lines[last]);
}

const char *sim_log_last(void)
{
	return lines[last];
}

bool sim_log_has(const char *text)
{
	for (unsigned int i = 0; i < LINES; i++)
		if (strstr(lines[i], text))
			return true;
	return false;
}

int format_string_v(char *buffer, size_t size, const char *format, va_list args)
{
	return vsnprintf(buffer, size, format, args);
}

int format_string(char *buffer, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int length = vsnprintf(buffer, size, format, args);
	va_end(args);
	return length;
}

void panic(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("# panic: ");
	vprintf(format, args);
	printf("\nBail out! the kernel panicked\n");
	va_end(args);
	fflush(stdout);
	abort();
}

/* Nothing that starts a machine runs here. */
/* The simulated machine has no command line. */
bool boot_option(const char *name, char *value, size_t size)
{
	(void)name, (void)value, (void)size;
	return false;
}

_Noreturn void boot_failure(const char *format, ...)
{
	(void)format;
	abort();
}
