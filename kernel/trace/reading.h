/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of tracefs that show records, and the one that makes them. */
#ifndef KERNEL_TRACE_READING_H
#define KERNEL_TRACE_READING_H

#include <stddef.h>
#include <sys/types.h>

struct file;

/* Open `trace` and `trace_pipe`. */
int trace_open_trace(struct file *file, void *unused);
int trace_open_pipe(struct file *file, void *unused);

/* Writes `trace_marker`: BYTES become a record. */
ssize_t trace_write_marker(void *unused, const char *bytes, size_t size);

#endif
