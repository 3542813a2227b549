/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of an inotify instance as text.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_INOTIFY_H
#define TESTS_INOTIFY_H

#include <sys/inotify.h>

#include "observe.h"

static const struct {
	uint32_t bit;
	const char *name;
} bits[] = {
	{ IN_ACCESS, "ACCESS" },
	{ IN_MODIFY, "MODIFY" },
	{ IN_ATTRIB, "ATTRIB" },
	{ IN_CLOSE_WRITE, "CLOSE_WRITE" },
	{ IN_CLOSE_NOWRITE, "CLOSE_NOWRITE" },
	{ IN_OPEN, "OPEN" },
	{ IN_MOVED_FROM, "MOVED_FROM" },
	{ IN_MOVED_TO, "MOVED_TO" },
	{ IN_CREATE, "CREATE" },
	{ IN_DELETE, "DELETE" },
	{ IN_DELETE_SELF, "DELETE_SELF" },
	{ IN_MOVE_SELF, "MOVE_SELF" },
	{ IN_UNMOUNT, "UNMOUNT" },
	{ IN_Q_OVERFLOW, "Q_OVERFLOW" },
	{ IN_IGNORED, "IGNORED" },
	{ IN_ISDIR, "ISDIR" },
};

static char shown[16384];
static size_t used;
static uint32_t first_cookie;

static void add(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (used < sizeof(shown))
		used += (size_t)vsnprintf(shown + used, sizeof(shown) - used, format, args);
	va_end(args);
}

static void add_event(const struct inotify_event *event)
{
	add("%s%d", used ? "; " : "", event->wd);
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if (event->mask & bits[i].bit)
			add(" %s", bits[i].name);
	if (event->len)
		add(" %s (%u)", event->name, event->len);
	if (event->cookie && !first_cookie)
		first_cookie = event->cookie;
	if (event->cookie)
		add(" cookie %u", event->cookie - first_cookie);
}

/* All that FD has, as one line. */
static const char *events(int fd)
{
	static char buffer[65536] __attribute__((aligned(8)));
	ssize_t size;

	used = 0;
	shown[0] = 0;
	first_cookie = 0;
	while ((size = read(fd, buffer, sizeof(buffer))) > 0)
		for (char *at = buffer; at < buffer + size;) {
			const struct inotify_event *event = (void *)at;

			add_event(event);
			at += sizeof(*event) + event->len;
		}
	if (size < 0 && errno != EAGAIN)
		add(" %s", error_name(errno));
	return used ? shown : "nothing";
}

/* The events that CALL makes; CALL names the line. */
#define REPORTS(fd, call)                                                 \
	do {                                                              \
		long result = (long)(call);                               \
                                                                          \
		show(result < 0 ? error_name(errno) : "ok", "%s", #call); \
		show(events(fd), "events of %s", #call);                  \
	} while (0)

static int make(const char *path)
{
	return close(open(path, O_CREAT | O_WRONLY, 0644));
}

#endif
