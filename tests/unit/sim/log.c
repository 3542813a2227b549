// SPDX-License-Identifier: BSD-2-Clause
/* The simulated kernel's log: TAP comments. A panic ends the program, which prove reports. */
#include <kernel/base/boot.h>
#include <kernel/base/log.h>

#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

/* One for each thread, so that log_write() needs no lock. */
static _Thread_local char last_line[512];

void log_write(enum log_level level, const char *format, ...)
{
	va_list args;

	(void)level;
	va_start(args, format);
	vsnprintf(last_line, sizeof(last_line), format, args);
	va_end(args);
	printf("# tally: %s\n", last_line);
}

const char *sim_log_last(void)
{
	return last_line;
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
