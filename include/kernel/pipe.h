/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pipes and FIFOs: a ring of bytes between files, which belongs to an inode.
 *
 * The kernel's side of them, for splice(2) and its kin; programs use files.
 */
#ifndef KERNEL_PIPE_H
#define KERNEL_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct file;
struct inode;

/* Writes of so many bytes are not mixed with others': pipe(7). */
#define PIPE_BUF 4096u

/* Pages that pipes of one user may hold before further ones are small, 0: any; pipe-user-pages-soft of /proc/sys/fs. */
extern _Atomic int pipe_user_pages_soft;

/* At start. */
void pipes_init(void);

/* Opens FILE on INODE, a FIFO or a pipe, as fifo(7) says: waits for the other end. 0, -ENXIO, -EINTR,
 * -ENOMEM. Task context. */
int fifo_open(struct inode *inode, struct file *file);

/* Whether FILE is an end of a pipe. Any context. */
bool file_is_pipe(const struct file *file);

/* A new pipe in the running process's table: FDS are its reading and writing ends. FLAGS: O_CLOEXEC, O_NONBLOCK,
 * O_DIRECT; others are -EINVAL. 0, or the errors of pipe(2). Task context. */
long pipe_open(int fds[2], unsigned int flags);

/* Copies up to SIZE bytes out of the pipe behind FILE; with PEEK they stay. Waits for some unless
 * NONBLOCK. The number, 0 at the end, -EAGAIN, -EINTR. Task context. */
ssize_t pipe_read_for_kernel(struct file *file, void *buffer, size_t size, bool peek,
			     bool nonblock);
/* Takes SIZE bytes of the kernel's BYTES: how many, or a negative error. The pipe is locked. */
typedef ssize_t pipe_sink(void *context, const void *bytes, size_t size);
/* Gives SINK up to SIZE bytes that are in FILE's pipe; what it does not take stays there. Waits for the
 * first. How many it took, 0 at the end, its error, -EAGAIN, -EINTR. */
ssize_t pipe_pour(struct file *file, size_t size, bool nonblock, pipe_sink *sink, void *context);
/* Points *BYTES at up to ROOM bytes for a pipe, all of which it gets: how many, or a negative error. The pipe
 * is locked. */
typedef ssize_t pipe_source(void *context, size_t room, const void **bytes);
/* Writes what SOURCE gives, in one piece, once there is room for NEEDED bytes, for which it waits unless
 * NONBLOCK. How many they were; SOURCE's error, -ENOSPC (the pipe is smaller), -EPIPE (no SIGPIPE was sent),
 * -EAGAIN, -EINTR. Task context. */
ssize_t pipe_fill(struct file *file, size_t needed, bool nonblock, pipe_source *source,
		  void *context);
/* Copies up to SIZE bytes into it, at least one. Waits for room unless NONBLOCK. The number, -EPIPE
 * (SIGPIPE was sent), -EAGAIN, -EINTR. Task context. */
ssize_t pipe_write_from_kernel(struct file *file, const void *buffer, size_t size, bool nonblock);
/* Waits until there is something to read, or room to write; -EAGAIN with NONBLOCK. 0: there is, or
 * (reading) the end; -EPIPE, -EINTR. Task context. */
int pipe_wait_readable(struct file *file, bool nonblock);
int pipe_wait_writable(struct file *file, bool nonblock);
/* The bytes that are in it now. */
size_t pipe_filled(struct file *file);
/* Whether A and B are ends of one pipe. */
bool pipe_is_same(const struct file *a, const struct file *b);

/* fcntl's F_GETPIPE_SZ and F_SETPIPE_SZ: bytes, or -EBADF (no pipe), -EINVAL, -EBUSY, -ENOMEM. */
long pipe_get_size(struct file *file);
long pipe_set_size(struct file *file, unsigned long bytes);

#endif
