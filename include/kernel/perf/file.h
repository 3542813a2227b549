/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file of an event.
 */
#ifndef KERNEL_PERF_FILE_H
#define KERNEL_PERF_FILE_H

struct file_ops;
struct perf_event;

/* Closes EVENT, which has no descriptor and no mapping any more. Task context. */
void perf_event_close(struct perf_event *event);

/* The file operations of an event. They also identify the descriptor of an event. */
extern const struct file_ops perf_file_ops;

#endif
