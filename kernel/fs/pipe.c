/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of pipes: creating, opening, closing, resizing; see <kernel/fs/pipe.h>. Their bytes:
 * pipe_transfer.c.
 *
 * A pipe belongs to an inode, where open files find it, and lives as long as one is open.
 *
 * Locks: pipes_mutex for every inode->pipe and number of files; inside it pipe->mutex (M) for the rest.
 */
#include <kernel/fs/pipe.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/anonymous.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "pipe_charge.h"
#include "pipe_object.h"

/* Linux's default, and the most that it grants a user: /proc/sys/fs/pipe-max-size. */
#define DEFAULT_ORDER 4
/* The size for a user with too many pages in pipes. */
#define LEAST_ORDER   1
#define MAX_BYTES     (1u << 20)

static struct mutex pipes_mutex;

/* Linux's PIPEFS_MAGIC. */
#define PIPEFS_MAGIC 0x50495045

/* Opened again through /proc/PID/fd, a pipe has another end. */
static const struct inode_ops pipe_inode_ops = { .open = fifo_open };
static struct anonymous_kind pipe_kind = { "pipe", "pipefs", PIPEFS_MAGIC, &pipe_inode_ops, NULL };

void pipes_init(void)
{
	mutex_init(&pipes_mutex);
	anonymous_add(&pipe_kind);
}

static long pages_of(const struct pipe *pipe)
{
	return pipe->ring.size >> PAGE_SHIFT;
}

/* --- opening and closing --- */

static void free_pipe(struct pipe *pipe)
{
	pipe_charge(pipe->account, -pages_of(pipe));
	user_account_put(pipe->account);
	ring_free(&pipe->ring);
	kfree(pipe);
}

static void release_pipe(struct file *file)
{
	struct inode *inode = file_inode(file);
	struct pipe *pipe = file->private;

	mutex_lock(&pipes_mutex);
	mutex_lock(&pipe->mutex);
	pipe->readers -= pipe_reads(file);
	pipe->writers -= pipe_writes(file);
	LIST_REMOVE(file, of_object);
	if (!pipe->readers != !pipe->writers) {
		pipe_notify(pipe, true);
		pipe_notify(pipe, false);
	}
	mutex_unlock(&pipe->mutex);
	pipe_wake_all(pipe);
	if (LIST_EMPTY(&pipe->files)) {
		inode->pipe = NULL;
		free_pipe(pipe);
	}
	mutex_unlock(&pipes_mutex);
}

static const struct file_ops pipe_ops = {
	.read = pipe_file_read,
	.write = pipe_file_write,
	.ioctl = pipe_file_control,
	.poll = pipe_file_poll,
	.notifies = true,
	.release = release_pipe,
};

static struct pipe *create_pipe(void)
{
	struct pipe *pipe = kzalloc(sizeof(*pipe));

	if (!pipe)
		return NULL;
	struct user_account *account = credentials_current()->account;
	unsigned int order = DEFAULT_ORDER;

	if (pipe_charge(account, 1 << DEFAULT_ORDER)) {
		order = LEAST_ORDER;
		pipe_charge_least(account, 1 << LEAST_ORDER);
	}
	if (ring_create(&pipe->ring, order)) {
		pipe_charge(account, -(1l << order));
		kfree(pipe);
		return NULL;
	}
	user_account_get(account);
	pipe->account = account;
	mutex_init(&pipe->mutex);
	wait_queue_init(&pipe->readable);
	wait_queue_init(&pipe->writable);
	return pipe;
}

/* Makes FILE an end of INODE's pipe, creating the pipe if needed. 0, -ENOMEM. */
static int attach(struct inode *inode, struct file *file)
{
	mutex_lock(&pipes_mutex);
	if (!inode->pipe)
		inode->pipe = create_pipe();
	struct pipe *pipe = inode->pipe;

	if (pipe) {
		mutex_lock(&pipe->mutex);
		LIST_INSERT_HEAD(&pipe->files, file, of_object);
		file->position = pipe->writers ? UINT64_MAX : pipe->writers_ever;
		pipe->readers += pipe_reads(file);
		pipe->readers_ever += pipe_reads(file);
		pipe->writers += pipe_writes(file);
		pipe->writers_ever += pipe_writes(file);
		mutex_unlock(&pipe->mutex);
		file->ops = &pipe_ops;
		file->private = pipe;
	}
	mutex_unlock(&pipes_mutex);
	return pipe ? 0 : -ENOMEM;
}

/* Waits until the other end of FILE's pipe was opened, even if it is closed again by now. */
static int wait_for_other_end(struct file *file)
{
	struct pipe *pipe = file->private;
	int error = 0;

	mutex_lock(&pipe->mutex);
	const unsigned int *ever = pipe_reads(file) ? &pipe->writers_ever : &pipe->readers_ever;
	const unsigned int *now = pipe_reads(file) ? &pipe->writers : &pipe->readers;
	unsigned int before = *ever;

	while (!*now && *ever == before && !error)
		error = pipe_wait_for_change(
			pipe, pipe_reads(file) ? &pipe->readable : &pipe->writable, false);
	mutex_unlock(&pipe->mutex);
	return error;
}

int fifo_open(struct inode *inode, struct file *file)
{
	bool nonblock = file->flags & O_NONBLOCK;
	int error = attach(inode, file);

	if (error)
		return error;
	struct pipe *pipe = file->private;

	pipe_wake_all(pipe);
	/* An anonymous pipe, opened again through /proc, does not wait for its other end. */
	if ((pipe_reads(file) && pipe_writes(file)) || inode->superblock->magic == PIPEFS_MAGIC)
		return 0;
	if (!nonblock)
		error = wait_for_other_end(file);
	else if (pipe_writes(file) && !pipe->readers)
		error = -ENXIO;
	if (error)
		release_pipe(file);
	return error;
}

bool file_is_pipe(const struct file *file)
{
	return file->ops == &pipe_ops;
}

bool pipe_is_same(const struct file *a, const struct file *b)
{
	return a->private == b->private;
}

/* --- sizes --- */

long pipe_get_size(struct file *file)
{
	return file_is_pipe(file) ? (long)((struct pipe *)file->private)->ring.size : -EBADF;
}

long pipe_set_size(struct file *file, unsigned long bytes)
{
	struct pipe *pipe = file->private;
	unsigned int order = 0;

	if (!file_is_pipe(file))
		return -EBADF;
	if (bytes > 1u << 31)
		return -EINVAL;
	if (bytes > MAX_BYTES)
		return -EPERM;
	while (PAGE_SIZE << order < bytes)
		order++;
	mutex_lock(&pipe->mutex);
	long more = (1l << order) - pages_of(pipe);
	int error = pipe_charge(pipe->account, more);

	if (!error) {
		error = ring_resize(&pipe->ring, order);
		if (error)
			pipe_charge_least(pipe->account, -more);
	}
	mutex_unlock(&pipe->mutex);
	pipe_wake_all(pipe);
	return error ? error : (long)(PAGE_SIZE << order);
}

/* --- pipe, pipe2 --- */

/* Opens an end of the pipe of DENTRY's inode. */
static int open_end(struct dentry *dentry, unsigned int flags, struct file **result)
{
	/* Before the file is attached, release_pipe must not run. */
	static const struct file_ops unattached_ops = { 0 };
	struct file *file = file_create(&unattached_ops, NULL, flags);

	if (!file)
		return file_create_error();
	file->dentry = dentry;
	dentry_get(dentry);
	int error = attach(dentry->inode, file);

	if (error) {
		file_put(file);
		return error;
	}
	*result = file;
	return 0;
}

static int create(struct file *ends[2], unsigned int flags)
{
	struct dentry *dentry = anonymous_create(&pipe_kind, S_IFIFO | 0600);

	if (!dentry)
		return -ENFILE;
	int error = open_end(dentry, O_RDONLY | flags, &ends[0]);

	if (!error) {
		error = open_end(dentry, O_WRONLY | flags, &ends[1]);
		if (error)
			file_put(ends[0]);
	}
	dentry_put(dentry);
	return error;
}

long pipe_open(int fds[2], unsigned int flags)
{
	struct file *ends[2] = { NULL, NULL };

	fds[0] = fds[1] = -1;
	if (flags & ~(unsigned int)(O_CLOEXEC | O_NONBLOCK | O_DIRECT))
		return -EINVAL;
	long result = create(ends, flags & (O_NONBLOCK | O_DIRECT));

	if (result)
		return result;
	for (int i = 0; i < 2; i++) {
		fds[i] = fd_install_or_put(ends[i], flags & O_CLOEXEC);
		if (fds[i] < 0)
			result = fds[i];
	}
	for (int i = 0; i < 2 && result; i++)
		if (fds[i] >= 0)
			fd_close(fds[i]);
	return result;
}

static long open_pipe(unsigned long user_fds, unsigned int flags)
{
	int fds[2];
	long result = pipe_open(fds, flags);

	if (!result && copy_to_user((void *)user_fds, fds, sizeof(fds))) {
		fd_close(fds[0]);
		fd_close(fds[1]);
		return -EFAULT;
	}
	return result;
}

long sys_pipe(const unsigned long arg[6])
{
	return open_pipe(arg[0], 0);
}

long sys_pipe2(const unsigned long arg[6])
{
	return open_pipe(arg[0], (unsigned int)arg[1]);
}
