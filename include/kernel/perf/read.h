/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The read formats of an event and of its group.
 */
#ifndef KERNEL_PERF_READ_H
#define KERNEL_PERF_READ_H

#include <stddef.h>
#include <stdint.h>

struct perf_event;

/* Returns the bytes that read() returns for an event with READ_FORMAT whose leader has SIBLINGS. Any
 * context. */
size_t perf_read_size(uint64_t read_format, unsigned int siblings);

/* Reads EVENT, or its group if read_format says so, into USER_BUFFER of SIZE bytes. Returns the bytes
 * written, 0 for an event in error, -ENOSPC, -EFAULT, -ENOMEM, -ECHILD (the group has changed since a child
 * that lives was made). Task context, interrupts on. */
long perf_event_read_user(struct perf_event *event, void *user_buffer, size_t size);

#endif
