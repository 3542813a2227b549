/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the files of tracefs share. */
#ifndef KERNEL_TRACE_FILES_H
#define KERNEL_TRACE_FILES_H

#include <stddef.h>
#include <sys/types.h>

#include <kernel/fs/pseudo.h>

struct file;
struct text;
struct trace_event;

/* --- event_files.c: the directory `events` --- */

/* Its files, and its directories, of the systems. Their targets are those of target.h. */
extern const struct pseudo_entry trace_events_files[];
extern const struct pseudo_dynamic trace_systems;

/* --- format.c: an event's description --- */

/* Writes the contents of the file `format` of event NUMBER. Task context. */
void trace_print_format(struct text *text, unsigned int number);

/* --- reading.c: the files with the records --- */

/* Open `trace` and `trace_pipe`. */
int trace_open_trace(struct file *file, void *unused);
int trace_open_pipe(struct file *file, void *unused);

/* Writes `trace_marker`: BYTES become a record. */
ssize_t trace_write_marker(void *unused, const char *bytes, size_t size);

#endif
