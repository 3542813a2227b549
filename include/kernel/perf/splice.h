/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading a ring in the kernel.
 */
#ifndef KERNEL_PERF_SPLICE_H
#define KERNEL_PERF_SPLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct file;

/* Implement next_record and take_records of struct file_ops for an event's file. -EINVAL: its ring cannot be
 * read so, or it has none; -EBUSY: another reader has moved data_tail meanwhile. Task context, may sleep. */
ssize_t perf_splice_next_record(struct file *file, bool nonblock);
ssize_t perf_splice_take_records(struct file *file, void *buffer, size_t size);

#endif
