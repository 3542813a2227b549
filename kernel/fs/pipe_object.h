/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pipe, which pipe.c (its life) and pipe_transfer.c (its bytes) share. Task context.
 *
 * Locks: pipes_mutex of pipe.c; inside it pipe->mutex (M).
 */
#ifndef FS_PIPE_OBJECT_H
#define FS_PIPE_OBJECT_H

#include <kernel/fs/file.h>
#include <kernel/fs/pipe.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/fcntl.h>

#include "pipe_ring.h"

struct user_account;

struct pipe {
	struct mutex mutex;
	struct wait_queue readable;		 /* woken by bytes, and when ends open or close */
	struct wait_queue writable;		 /* woken by room, and when ends open or close */
	bool polled;				 /* M: edges may be watched */
	unsigned int large_writers;		 /* M: waiting for more room than PIPE_BUF */
	LIST_HEAD(, file) files;		 /* M, and pipes_mutex: open ones */
	struct pipe_ring ring;			 /* M */
	struct user_account *account;		 /* charged for the ring's pages, referenced */
	unsigned int readers, writers;		 /* M: files open for each */
	unsigned int readers_ever, writers_ever; /* M */
};						 /* M: mutex */

/* True if FILE, an end of a pipe, reads. */
static inline bool pipe_reads(const struct file *file)
{
	return (file->flags & O_ACCMODE) != O_WRONLY;
}

/* True if FILE, an end of a pipe, writes. */
static inline bool pipe_writes(const struct file *file)
{
	return (file->flags & O_ACCMODE) != O_RDONLY;
}

/* --- pipe_transfer.c --- */

/* Sends SIGIO to the owners of files with O_ASYNC: of readers' files, or of writers'. pipe->mutex held. */
void pipe_notify(struct pipe *pipe, bool readers);

/* Wakes all readers, writers and pollers of PIPE. */
void pipe_wake_all(struct pipe *pipe);

/* Waits for a change on QUEUE of PIPE, as one of all waiters. 0, -EAGAIN (NONBLOCK), -EINTR. pipe->mutex
 * held, but not while the task sleeps. */
int pipe_wait_for_change(struct pipe *pipe, struct wait_queue *queue, bool nonblock);

/* The operations of a pipe's file. */
ssize_t pipe_file_read(struct file *file, void *user_buffer, size_t size, uint64_t *position);
ssize_t pipe_file_write(struct file *file, const void *user_buffer, size_t size,
			uint64_t *position);
unsigned int pipe_file_poll(struct file *file, struct poll_table *table);
long pipe_file_control(struct file *file, unsigned int command, unsigned long argument);

#endif
