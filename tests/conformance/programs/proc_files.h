/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of /proc: reading them, and showing a value as its shape.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_PROC_FILES_H
#define TESTS_PROC_FILES_H

#include <ctype.h>
#include <fcntl.h>

#include "observe.h"

static char text[1 << 16];

/* Reads the file at PATH into text; its length, or -1. */
static ssize_t read_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t done = 0, part = 0;

	text[0] = '\0';
	if (fd < 0)
		return -1;
	while ((size_t)done < sizeof(text) - 1 &&
	       (part = read(fd, text + done, sizeof(text) - 1 - (size_t)done)) > 0)
		done += part;
	int error = errno;

	close(fd);
	errno = error;
	text[part < 0 ? 0 : done] = '\0';
	return part < 0 ? -1 : done;
}

static void show_number(long number, const char *name)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%ld", number);
	show(digits, "%s", name);
}

/* The value of a line of text that begins with NAME, up to its end; "absent". */
static const char *value_of(const char *name)
{
	static char value[256];
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) || line[length] != ':')
			continue;
		snprintf(value, sizeof(value), "%s", line + length + 1);
		value[strcspn(value, "\n")] = '\0';
		for (char *c = value; *c; c++)
			if (*c == '\t')
				*c = '~';
		return value;
	}
	return "absent";
}

/* STRING with each number as N, each line end as $ and each tabulator as ~. */
static const char *shape(const char *string)
{
	static char result[4096];
	char *to = result;

	for (; *string && to < result + sizeof(result) - 1; string++) {
		if (isdigit((unsigned char)*string)) {
			if (to == result || to[-1] != 'N')
				*to++ = 'N';
		} else {
			*to++ = *string == '\n' ? '$' : *string == '\t' ? '~' : *string;
		}
	}
	*to = '\0';
	return result;
}

static const char *link_of(const char *path)
{
	static char target[4096];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length < 0)
		return error_name(errno);
	target[length] = '\0';
	return target;
}

/* Field NUMBER (from 1) of the stat line in text. */
static inline const char *stat_field(int number)
{
	static char field[64];
	const char *at = strrchr(text, ')');

	if (!at)
		return "no name";
	at += 2;
	for (int i = 3; i < number && at; i++) {
		at = strchr(at, ' ');
		at += at != NULL;
	}
	if (!at)
		return "absent";
	snprintf(field, sizeof(field), "%.*s", (int)strcspn(at, " \n"), at);
	return field;
}

#endif
