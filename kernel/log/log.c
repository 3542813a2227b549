/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel log: lines of text on a serial line, and on the screen if there is one.
 *
 * A line is formatted on the writer's stack and sent in one piece, so lines of several processors
 * do not mix; the only lock is the serial line's. In an NMI that interrupted a writer the line is
 * lost and counted, and the next line says so.
 */
#include <kernel/log.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include <kernel/boot.h>
#include <kernel/screen.h>
#include <kernel/serial.h>

#define LINE_SIZE 256

static const char prefix[] = "tally: ";

/* Where the log goes: constant after log_init. */
static bool targets[SERIAL_LINES] = { [SERIAL_COM1] = true };
static int highest_level = LOG_INFO;

static atomic_uint lost_lines;

/* Values of the command line's log=. */
static const struct {
	const char *name;
	bool targets[SERIAL_LINES];
} target_names[] = {
	{ "com1", { [SERIAL_COM1] = true } },
	{ "com2", { [SERIAL_COM2] = true } },
	{ "both", { [SERIAL_COM1] = true, [SERIAL_COM2] = true } },
	{ "none", { false } },
};

void log_init(void)
{
	char value[16];

	if (boot_option("log", value, sizeof value)) {
		bool known = false;

		for (size_t i = 0; i < sizeof target_names / sizeof *target_names; i++) {
			if (strcmp(value, target_names[i].name) != 0)
				continue;
			memcpy(targets, target_names[i].targets, sizeof targets);
			known = true;
		}
		if (!known)
			boot_failure(
				"log=%s: not a place for the log; give com1, com2, both or none",
				value);
	}
	if (boot_option("loglevel", value, sizeof value)) {
		if (value[0] < '0' || value[0] > '0' + LOG_DEBUG || value[1])
			boot_failure("loglevel=%s: not a level; give 0 (errors) to %d (everything)",
				     value, LOG_DEBUG);
		highest_level = value[0] - '0';
	}
}

/* LINE of LENGTH characters has room for the line end. */
static bool send(char *line, size_t length)
{
	bool sent = true;

	line[length++] = '\r';
	line[length++] = '\n';
	for (enum serial_line i = 0; i < SERIAL_LINES; i++)
		if (targets[i])
			sent &= serial_write(i, line, length);
	return sent & screen_write(line, length);
}

void log_write_v(const char *format, va_list args)
{
	char line[LINE_SIZE + 2];
	unsigned int lost = atomic_exchange(&lost_lines, 0);

	memcpy(line, prefix, sizeof prefix - 1);
	if (lost > 0) {
		int length = format_string(line + sizeof prefix - 1, LINE_SIZE - sizeof prefix,
					   "%u lines of log lost in NMIs", lost);

		if (!send(line, sizeof prefix - 1 + (size_t)length))
			atomic_fetch_add(&lost_lines, lost);
	}

	size_t room = LINE_SIZE - (sizeof prefix - 1);
	size_t length = (size_t)format_string_v(line + sizeof prefix - 1, room, format, args);

	if (length >= room)
		length = room - 1;
	if (!send(line, sizeof prefix - 1 + length))
		atomic_fetch_add(&lost_lines, 1);
}

void log_write(enum log_level level, const char *format, ...)
{
	va_list args;

	if ((int)level > highest_level)
		return;
	va_start(args, format);
	log_write_v(format, args);
	va_end(args);
}
