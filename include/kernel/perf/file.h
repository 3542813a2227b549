/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The file of an event.
 */
#ifndef KERNEL_PERF_FILE_H
#define KERNEL_PERF_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct file;
struct file_ops;
struct perf_event;
struct poll_table;

/* Closes EVENT, which has no descriptor and no mapping any more. Task context. */
void perf_event_close(struct perf_event *event);

/* The operations that events of either ABI have (first_abi.c): as in struct file_ops. */
ssize_t perf_file_read(struct file *file, void *user_buffer, size_t size, uint64_t *position);
long perf_file_ioctl(struct file *file, unsigned int command, unsigned long argument);
unsigned int perf_file_poll(struct file *file, struct poll_table *table);
void perf_file_release(struct file *file);

/* The file operations of an event. They also identify the descriptor of an event. */
extern const struct file_ops perf_file_ops;

#endif
