/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pipes and FIFOs: a ring of bytes between files, which belongs to an inode.
 *
 * This is the kernel's interface, for splice(2) and related calls; programs use files.
 */
#ifndef KERNEL_PIPE_H
#define KERNEL_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct file;
struct inode;

/* A write of at most so many bytes is not mixed with other writes: pipe(7). */
#define PIPE_BUF 4096u

/* Pages that pipes of one user may hold before further ones are small, 0: unlimited; pipe-user-pages-soft
 * of /proc/sys/fs. */
extern _Atomic int pipe_user_pages_soft;

/* At start. */
void pipes_init(void);

/* Opens FILE on INODE, a FIFO or a pipe, as in fifo(7): waits for the other end. 0, -ENXIO, -EINTR,
 * -ENOMEM. Task context. */
int fifo_open(struct inode *inode, struct file *file);

/* True if FILE is an end of a pipe. Any context. */
bool file_is_pipe(const struct file *file);

/* Creates a pipe in the running process's table: FDS are its reading and writing ends. FLAGS: O_CLOEXEC,
 * O_NONBLOCK, O_DIRECT; others are -EINVAL. 0, or the errors of pipe(2). Task context. */
long pipe_open(int fds[2], unsigned int flags);

/* Copies up to SIZE bytes out of FILE's pipe; with PEEK they stay. Waits for some unless NONBLOCK. Returns
 * the number, 0 at the end, -EAGAIN, -EINTR. Task context. */
ssize_t pipe_read_for_kernel(struct file *file, void *buffer, size_t size, bool peek,
			     bool nonblock);
/* Takes bytes from BYTES, SIZE bytes in kernel memory: returns how many, or a negative error. The pipe is
 * locked. */
typedef ssize_t pipe_sink(void *context, const void *bytes, size_t size);
/* Gives SINK up to SIZE bytes of FILE's pipe; bytes that it does not take stay there. Waits for the first.
 * Returns how many it took, 0 at the end, its error, -EAGAIN, -EINTR. */
ssize_t pipe_pour(struct file *file, size_t size, bool nonblock, pipe_sink *sink, void *context);
/* Points *BYTES at up to ROOM bytes for a pipe, which takes all: returns how many, or a negative error.
 * The pipe is locked. */
typedef ssize_t pipe_source(void *context, size_t room, const void **bytes);
/* Writes the bytes of SOURCE, in one piece, once there is room for NEEDED bytes; waits for it unless
 * NONBLOCK. Returns their number; SOURCE's error, -ENOSPC (the pipe is smaller), -EPIPE (without SIGPIPE),
 * -EAGAIN, -EINTR. Task context. */
ssize_t pipe_fill(struct file *file, size_t needed, bool nonblock, pipe_source *source,
		  void *context);
/* Copies up to SIZE bytes into FILE's pipe, at least one. Waits for room unless NONBLOCK. Returns the
 * number, -EPIPE (with SIGPIPE), -EAGAIN, -EINTR. Task context. */
ssize_t pipe_write_from_kernel(struct file *file, const void *buffer, size_t size, bool nonblock);
/* Wait for bytes to read, or for room to write; -EAGAIN with NONBLOCK. 0: there are some, or (reading) the
 * end; -EPIPE, -EINTR. Task context. */
int pipe_wait_readable(struct file *file, bool nonblock);
int pipe_wait_writable(struct file *file, bool nonblock);
/* Returns the number of bytes in the pipe now. */
size_t pipe_filled(struct file *file);
/* True if A and B are ends of one pipe. */
bool pipe_is_same(const struct file *a, const struct file *b);

/* fcntl's F_GETPIPE_SZ and F_SETPIPE_SZ: bytes, or -EBADF (no pipe), -EINVAL, -EBUSY, -ENOMEM. */
long pipe_get_size(struct file *file);
long pipe_set_size(struct file *file, unsigned long bytes);

#endif
