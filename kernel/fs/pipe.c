/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pipes: a ring of bytes between two files.
 *
 * Writes of at most PIPE_BUF bytes are not mixed with others' (pipe(7)). A reader at an empty
 * pipe without writers gets 0; a writer without readers gets EPIPE and SIGPIPE.
 *
 * Lock: pipe->mutex. No user memory is touched under a spin lock; a user copy under the mutex is
 * fine, since no fault needs it.
 */
#include <kernel/file.h>
#include <kernel/kmalloc.h>
#include <kernel/page.h>
#include <kernel/signal.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/usercopy.h>
#include <kernel/wait.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>

/* As Linux's default. */
#define PIPE_SIZE  65536u
#define PIPE_ORDER 4
#define PIPE_BUF   4096u

struct pipe {
	struct mutex mutex;
	struct wait_queue changed;   /* bytes or ends came or went */
	char *bytes;		     /* M: PIPE_SIZE */
	uint32_t read_at, write_at;  /* M: run freely */
	bool has_reader, has_writer; /* M */
};				     /* M: mutex */

static uint32_t filled(const struct pipe *pipe)
{
	return pipe->write_at - pipe->read_at;
}

/* Copies SIZE bytes between the ring at AT and user memory, in at most two pieces. */
static int copy_ring(struct pipe *pipe, uint32_t at, char *user, size_t size, bool out)
{
	while (size) {
		uint32_t offset = at % PIPE_SIZE;
		size_t part = PIPE_SIZE - offset < size ? PIPE_SIZE - offset : size;
		char *ring = pipe->bytes + offset;

		if (out ? copy_to_user(user, ring, part) : copy_from_user(ring, user, part))
			return -EFAULT;
		at += (uint32_t)part;
		user += part;
		size -= part;
	}
	return 0;
}

/* Lets others change the pipe until they have: 0, -EAGAIN, -EINTR. Mutex held before and after. */
static int wait_for_change(struct pipe *pipe, struct file *file)
{
	struct wait_entry entry;

	if (file->flags & O_NONBLOCK)
		return -EAGAIN;
	wait_queue_add(&pipe->changed, &entry);
	mutex_unlock(&pipe->mutex);
	int error = wait_sleep(UINT64_MAX);

	wait_queue_remove(&pipe->changed, &entry);
	mutex_lock(&pipe->mutex);
	return error;
}

static ssize_t read_pipe(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	struct pipe *pipe = file->private;
	ssize_t result = 0;

	if (!size)
		return 0;
	mutex_lock(&pipe->mutex);
	while (!filled(pipe) && pipe->has_writer && !result)
		result = wait_for_change(pipe, file);
	if (filled(pipe)) {
		size_t part = size < filled(pipe) ? size : filled(pipe);

		result = copy_ring(pipe, pipe->read_at, user_buffer, part, true);
		if (!result) {
			pipe->read_at += (uint32_t)part;
			result = (ssize_t)part;
		}
	}
	mutex_unlock(&pipe->mutex);
	wait_queue_wake(&pipe->changed);
	return result;
}

static ssize_t write_pipe(struct file *file, const void *user_buffer, size_t size,
			  uint64_t *position)
{
	struct pipe *pipe = file->private;
	char *user = (char *)(uintptr_t)user_buffer;
	size_t done = 0;
	ssize_t error = 0;

	mutex_lock(&pipe->mutex);
	while (done < size && !error) {
		uint32_t room = PIPE_SIZE - filled(pipe);
		size_t left = size - done;

		if (!pipe->has_reader) {
			error = -EPIPE;
		} else if (room == 0 || (size <= PIPE_BUF && room < left)) {
			wait_queue_wake(&pipe->changed);
			error = wait_for_change(pipe, file);
		} else {
			size_t part = left < room ? left : room;

			error = copy_ring(pipe, pipe->write_at, user + done, part, false);
			if (!error) {
				pipe->write_at += (uint32_t)part;
				done += part;
			}
		}
	}
	mutex_unlock(&pipe->mutex);
	wait_queue_wake(&pipe->changed);
	if (error == -EPIPE)
		task_signal(task_current(), SIGPIPE);
	return done ? (ssize_t)done : error;
}

static unsigned int poll_pipe(struct file *file, struct poll_table *table)
{
	struct pipe *pipe = file->private;
	unsigned int ready = 0;

	poll_wait(table, &pipe->changed);
	mutex_lock(&pipe->mutex);
	if ((file->flags & O_ACCMODE) == O_RDONLY) {
		if (filled(pipe))
			ready |= POLLIN | POLLRDNORM;
		if (!pipe->has_writer)
			ready |= POLLHUP;
	} else {
		if (PIPE_SIZE - filled(pipe) >= PIPE_BUF)
			ready |= POLLOUT | POLLWRNORM;
		if (!pipe->has_reader)
			ready |= POLLERR;
	}
	mutex_unlock(&pipe->mutex);
	return ready;
}

static void release_pipe(struct file *file)
{
	struct pipe *pipe = file->private;

	mutex_lock(&pipe->mutex);
	if ((file->flags & O_ACCMODE) == O_RDONLY)
		pipe->has_reader = false;
	else
		pipe->has_writer = false;
	bool last = !pipe->has_reader && !pipe->has_writer;

	mutex_unlock(&pipe->mutex);
	wait_queue_wake(&pipe->changed);
	if (last) {
		page_put(pipe->bytes);
		kfree(pipe);
	}
}

static const struct file_ops pipe_ops = {
	.read = read_pipe,
	.write = write_pipe,
	.poll = poll_pipe,
	.release = release_pipe,
};

/* Both ends, or NULL twice. */
static void create(struct file *ends[2], unsigned int flags)
{
	struct pipe *pipe = kzalloc(sizeof(*pipe));

	ends[0] = ends[1] = NULL;
	if (!pipe)
		return;
	pipe->bytes = page_alloc(PIPE_ORDER);
	if (pipe->bytes) {
		ends[0] = file_create(&pipe_ops, pipe, O_RDONLY | flags);
		ends[1] = file_create(&pipe_ops, pipe, O_WRONLY | flags);
	}
	if (ends[0] && ends[1]) {
		mutex_init(&pipe->mutex);
		wait_queue_init(&pipe->changed);
		pipe->has_reader = pipe->has_writer = true;
		return;
	}
	/* Without release: there is no pipe behind what there is. */
	kfree(ends[0]);
	kfree(ends[1]);
	if (pipe->bytes)
		page_put(pipe->bytes);
	kfree(pipe);
	ends[0] = ends[1] = NULL;
}

static long open_pipe(unsigned long user_fds, unsigned int flags)
{
	struct file *ends[2];
	int fds[2] = { -1, -1 };
	long result = 0;

	if (flags & ~(unsigned int)(O_CLOEXEC | O_NONBLOCK | O_DIRECT))
		return -EINVAL;
	create(ends, flags & O_NONBLOCK);
	if (!ends[0])
		return -ENOMEM;
	for (int i = 0; i < 2; i++) {
		fds[i] = fd_install(ends[i], flags & O_CLOEXEC);
		if (fds[i] < 0) {
			result = fds[i];
			file_put(ends[i]);
		}
	}
	if (!result && copy_to_user((void *)user_fds, fds, sizeof(fds)))
		result = -EFAULT;
	for (int i = 0; i < 2 && result; i++)
		if (fds[i] >= 0)
			fd_close(fds[i]);
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
