/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel log and the end of the machine.
 *
 * Every line is kept (<kernel/base/log_ring.h>). If its level is among those that the console shows, it also
 * goes to the serial line that the command line's log= names, as "tally: text". A line from an NMI may
 * be lost (and is then counted) rather than deadlock: an NMI only tries locks.
 */
#ifndef KERNEL_LOG_H
#define KERNEL_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

struct trap_frame;

/* A driver's device that shows lines. */
struct log_sink {
	struct log_sink *next;
	const char *name; /* log= chooses it by this name; NULL: always chosen */
	/* Sends TEXT; false: an NMI found the device busy. Any context. */
	bool (*write)(const char *text, size_t length);
	/* See log_ignore_locks. */
	void (*ignore_locks)(void);
};

/* Shows later lines at SINK, too. Start, the boot CPU alone. */
void log_sink_add(struct log_sink *sink);

/* Applies the command line's log= and loglevel=; before this call all lines up to LOG_INFO go to COM1.
 * Once, at start; a bad value is a boot failure. */
void log_init(void);

/* Logs one line, without a newline at the end; cut off at 248 characters. Formats: %d %i %u %x %X %c %s
 * %p %% with width, 0, -, a precision for %s (.N or .*), and l, ll, z. Any context. */
void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Logs one line that is shown at any level: the result of the machine's work. Any context. */
void log_write_result(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Logs a program's line: TEXT of LENGTH bytes, terminated, with Linux's PRIORITY: facility * 8 + level.
 * Task context. */
void log_write_user(unsigned int priority, const char *text, size_t length);

/* Linux's levels: lines with a lower number appear on the serial line, others are only kept. Any
 * context. */
#define CONSOLE_LEVEL_LEAST   1
#define CONSOLE_LEVEL_MOST    8
#define CONSOLE_LEVEL_DEFAULT 7
#define CONSOLE_LEVEL_MESSAGE 4 /* of a line without a level */
int log_console_level(void);
void log_set_console_level(int level);

/* The machine is about to end and the other CPUs stand still, perhaps with locks held: from now on
 * lines are only shown. Any context. */
void log_ignore_locks(void);

#define log_error(...)	 log_write(LOG_ERROR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_WARNING, __VA_ARGS__)
#define log_info(...)	 log_write(LOG_INFO, __VA_ARGS__)
#define log_debug(...)	 log_write(LOG_DEBUG, __VA_ARGS__)

/* Formats into BUFFER of SIZE bytes, always terminated unless SIZE is 0; returns the length of the
 * whole text. Any context. */
int format_string(char *buffer, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int format_string_v(char *buffer, size_t size, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

/* Stops every CPU, prints the reason and a symbolised backtrace, ends the machine with the panic code.
 * Any context. */
_Noreturn void panic(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for a bug that a trap reported: prints FRAME's registers and walks its stack. Any context. */
_Noreturn void panic_at(const struct trap_frame *frame, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The image cannot start (no init, damaged initramfs …): prints "tally: boot: …" and ends the
 * machine with the boot-failure code. Any context. */
_Noreturn void boot_failure(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
