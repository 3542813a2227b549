/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the programs that observe the DSA's files: where they are, and what they contain. */
#ifndef TESTS_DSA_H
#define TESTS_DSA_H

#include "observe.h"

#define DSA_DEVICES "/sys/bus/dsa/devices/"
#define DSA_DRIVERS "/sys/bus/dsa/drivers/"
#define DMATEST	    "/sys/module/dmatest/parameters/"

/* The contents of a file, its lines joined by "; ", or the error of reading it. */
static inline const char *file_text(const char *path)
{
	static char text[8192], joined[2 * sizeof(text)];
	int fd = open(path, O_RDONLY);
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *error = size < 0 ? error_name(errno) : NULL;
	char *to = joined;

	if (fd >= 0)
		close(fd);
	if (error)
		return error;
	if (size && text[size - 1] == '\n')
		size--;
	for (ssize_t i = 0; i < size; i++) {
		if (text[i] == '\n')
			*to++ = ';';
		*to++ = text[i] == '\n' ? ' ' : text[i];
	}
	*to = '\0';
	return joined;
}

/* Binds DEVICE to a driver, or unbinds it, as ACTION says. */
static inline int dsa_drive(const char *driver, const char *action, const char *device)
{
	char path[128];

	snprintf(path, sizeof(path), DSA_DRIVERS "%s/%s", driver, action);
	return write_file(path, device);
}

#endif
