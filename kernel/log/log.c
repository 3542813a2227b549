/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel log: lines of text on a serial line, on the screen if there is one, and in a ring.
 *
 * A line is formatted on the writer's stack and sent in one piece, so lines of several CPUs do not mix.
 * The only locks are the ring's, then the serial line's. A line written in an NMI that interrupted
 * another writer is lost and counted; the next line reports the loss.
 */
#include <kernel/base/log.h>

#include <stdatomic.h>
#include <string.h>

#include <kernel/base/boot.h>
#include <kernel/base/log_ring.h>

#define LINE_SIZE  256
#define LEVEL_MASK 7 /* of a priority; the rest is the facility */

static const char prefix[] = "tally: ";

/* The sinks in the order of their registration. Written at start, by one CPU. */
static struct log_sink *sinks;
/* Lines of a level below this appear on the console. */
static atomic_int console_level = CONSOLE_LEVEL_DEFAULT;
/* LOG_DEBUG is not even kept unless the command line requests it: there is much of it. */
static bool keep_debug;
static atomic_bool locks_ignored;

static atomic_uint lost_lines;

/* Linux's numbers: uapi/linux/syslog levels, KERN_ERR … KERN_DEBUG. */
static const int
	linux_levels[] = { [LOG_ERROR] = 3, [LOG_WARNING] = 4, [LOG_INFO] = 6, [LOG_DEBUG] = 7 };

/* Values of the command line's log=. */
static const struct log_target {
	const char *name;
	const char *sinks[2];
} target_names[] = {
	{ "com1", { "com1" } },
	{ "com2", { "com2" } },
	{ "both", { "com1", "com2" } },
	{ "none", { NULL } },
};

/* Where the log goes: the names of places. Constant after log_init. */
static const struct log_target *target = &target_names[0];

static bool is_target(const struct log_sink *sink)
{
	const char *const *names = target->sinks;

	if (!sink->name)
		return true;
	for (size_t i = 0; i < sizeof(target->sinks) / sizeof(target->sinks[0]) && names[i]; i++)
		if (!strcmp(names[i], sink->name))
			return true;
	return false;
}

void log_sink_add(struct log_sink *sink)
{
	struct log_sink **last = &sinks;

	while (*last)
		last = &(*last)->next;
	*last = sink;
}

void log_init(void)
{
	char value[16];

	if (boot_option("log", value, sizeof value)) {
		bool known = false;

		for (size_t i = 0; i < sizeof target_names / sizeof *target_names; i++) {
			if (strcmp(value, target_names[i].name) != 0)
				continue;
			target = &target_names[i];
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
		console_level = linux_levels[value[0] - '0'] + 1;
		keep_debug = value[0] == '0' + LOG_DEBUG;
	}
}

/* LINE of LENGTH characters must have room for the line end. */
static bool send(char *line, size_t length)
{
	bool sent = true;

	line[length++] = '\r';
	line[length++] = '\n';
	for (const struct log_sink *sink = sinks; sink; sink = sink->next)
		if (is_target(sink))
			sent &= sink->write(line, length);
	return sent;
}

/* Shows LINE, which starts with the prefix and has LENGTH characters in all. */
static void show(char *line, size_t length)
{
	unsigned int lost = atomic_exchange(&lost_lines, 0);

	if (lost > 0) {
		char note[LINE_SIZE];
		size_t note_length = (size_t)format_string(
			note, sizeof(note), "%s%u lines of log lost in NMIs", prefix, lost);

		if (!send(note, note_length))
			atomic_fetch_add(&lost_lines, lost);
	}
	if (!send(line, length))
		atomic_fetch_add(&lost_lines, 1);
}

static void __attribute__((format(printf, 2, 0)))
write_line(unsigned int level, const char *format, va_list args, bool always)
{
	char line[LINE_SIZE + 2];
	size_t room = LINE_SIZE - (sizeof(prefix) - 1);

	memcpy(line, prefix, sizeof(prefix) - 1);
	size_t length = (size_t)format_string_v(line + sizeof(prefix) - 1, room, format, args);

	if (length >= room)
		length = room - 1;
	if (!atomic_load(&locks_ignored) &&
	    !log_ring_store(level, line + sizeof(prefix) - 1, length))
		atomic_fetch_add(&lost_lines, 1);
	if (always || (int)level < atomic_load(&console_level))
		show(line, sizeof(prefix) - 1 + length);
}

void log_write(enum log_level level, const char *format, ...)
{
	va_list args;

	if (level == LOG_DEBUG && !keep_debug)
		return;
	va_start(args, format);
	write_line((unsigned int)linux_levels[level], format, args, false);
	va_end(args);
}

void log_write_result(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line((unsigned int)linux_levels[LOG_INFO], format, args, true);
	va_end(args);
}

void log_write_user(unsigned int priority, const char *text, size_t length)
{
	char line[LINE_SIZE + 2];
	int shown;

	log_ring_store(priority, text, length);
	if ((int)(priority & LEVEL_MASK) >= atomic_load(&console_level))
		return;
	/* Mark the line, so that a program's words are not taken for the kernel's. */
	shown = format_string(line, LINE_SIZE, "%skmsg: %s", prefix, text);
	show(line, shown < LINE_SIZE ? (size_t)shown : LINE_SIZE - 1);
}

int log_console_level(void)
{
	return atomic_load(&console_level);
}

void log_set_console_level(int level)
{
	atomic_store(&console_level, level);
}

void log_ignore_locks(void)
{
	atomic_store(&locks_ignored, true);
	for (const struct log_sink *sink = sinks; sink; sink = sink->next)
		sink->ignore_locks();
}
