/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The targets of tracefs's files: what tracefs.c and event_files.c share. A target is an instance
 * (instance.h) and the number of an event plus one; for a system the number of its first event, and 0 for a
 * directory above those.
 */
#ifndef KERNEL_TRACE_TARGET_H
#define KERNEL_TRACE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <kernel/fs/pseudo.h>

/* Take and drop a reference to TARGET's instance. Task context. */
void trace_target_get(void *target);
void trace_target_put(void *target);

/* Returns false once TARGET's instance is removed: then it has no entries. Any context. */
bool trace_target_is_there(void *target);

/* Keep TARGET's instance while a file of it is open: 0 or -ENOENT; and end that. Task context. */
int trace_target_open(void *target);
void trace_target_close(void *target);

/* Parses BYTES, a single 0 or 1: returns it, else -EINVAL. Any context. */
int trace_parse_switch(const char *bytes, size_t size);

/* Fails a write as Linux's read-only files here do, not as files of /sys do: -EINVAL. */
ssize_t trace_refuse_write(void *target, const char *bytes, size_t size);

/* Members of a pseudo_entry that exists if CONDITION and keeps its instance while it is open. */
#define HELD_IF(condition) \
	.exists = (condition), .open = trace_target_open, .close = trace_target_close
#define HELD HELD_IF(trace_target_is_there)

/* An entry whose FUNCTION shows it, and that cannot be written. */
#define READ_ONLY_IF(file, function, condition)                                                  \
	.name = (file), .mode = S_IFREG | 0440, .show = (function), .store = trace_refuse_write, \
	condition
#define READ_ONLY(file, function)                  \
	{                                          \
		READ_ONLY_IF(file, function, HELD) \
	}

#endif
