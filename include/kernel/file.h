/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open files and descriptor tables.
 *
 * A file is an operations table and a private pointer with a reference count. Descriptors are numbers in a task group's
 * table, which fork copies and threads share.
 */
#ifndef KERNEL_FILE_H
#define KERNEL_FILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct file;
struct vm_area;
struct poll_table;

/* Every function runs in task context and may sleep. A NULL member means the errno given. Errors are returned negative. */
struct file_ops {
	ssize_t (*read)(struct file *file, void *user_buffer, size_t size, uint64_t *position);	       /* EINVAL */
	ssize_t (*write)(struct file *file, const void *user_buffer, size_t size, uint64_t *position); /* EINVAL */
	long (*ioctl)(struct file *file, unsigned int command, unsigned long argument);		       /* ENOTTY */
	/* Returns the POLL* bits that hold now; calls poll_wait() for each queue that a change would wake. */
	unsigned int (*poll)(struct file *file, struct poll_table *table); /* always ready */
	/* Fills in AREA's ops and private data, see <kernel/vm.h>. */
	int (*mmap)(struct file *file, struct vm_area *area); /* ENODEV */
	/* The last reference is gone. */
	void (*release)(struct file *file);
};

struct file {
	const struct file_ops *ops;
	void *private;
	unsigned int flags; /* O_ACCMODE, O_NONBLOCK … */
	uint64_t position;
	_Atomic unsigned int references;
};

/* A file with one reference, or NULL. */
struct file *file_create(const struct file_ops *ops, void *private, unsigned int flags);
void file_get(struct file *file);
/* Drops a reference; the last one calls release. Task context. */
void file_put(struct file *file);

/* The file behind descriptor FD of the running task with a new reference, or NULL. */
struct file *fd_get_file(int fd);

/* Puts FILE (its reference moves in) at the lowest free descriptor; close-on-exec if CLOEXEC. Returns it, or -EMFILE (reference stays). */
int fd_install(struct file *file, int cloexec);

struct wait_queue;
/* Adds the polling task to QUEUE, woken by wait_queue_wake; TABLE may be NULL (only look). */
void poll_wait(struct poll_table *table, struct wait_queue *queue);

#endif
