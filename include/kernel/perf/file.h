/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file of an event.
 */
#ifndef KERNEL_PERF_FILE_H
#define KERNEL_PERF_FILE_H

struct file_ops;
struct perf_event;

/* Closes EVENT, which nobody has open or mapped any more. Task context. */
void perf_event_close(struct perf_event *event);

/* The file operations of an event; also how a descriptor is known to be one. */
extern const struct file_ops perf_file_ops;

#endif
