/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pipes: a ring of bytes between files, see <kernel/fs/pipe.h>.
 *
 * A write of at most PIPE_BUF bytes is not mixed with other writes (pipe(7)). A reader at an empty pipe
 * without writers gets 0; a writer without readers gets EPIPE and SIGPIPE. A write with O_DIRECT makes a
 * packet: a read takes one packet and loses the rest of it.
 *
 * A pipe belongs to an inode, where open files find it, and lives as long as one is open.
 *
 * Locks: pipes_mutex for every inode->pipe and number of files; inside it pipe->mutex (M) for the rest. User
 * copies run under pipe->mutex, which no page fault needs, and never under a spin lock.
 */
#include <kernel/fs/pipe.h>

#include <kernel/fs/anonymous.h>
#include <kernel/task/credentials.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/task/signal.h>
#include <kernel/syscall/syscall.h>
#include <kernel/sched/task.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>
#include <uapi/linux/termios.h>

#include "pipe_charge.h"
#include "pipe_ring.h"

/* Linux's default, and the most that it grants a user: /proc/sys/fs/pipe-max-size. */
#define DEFAULT_ORDER 4
/* The size for a user with too many pages in pipes. */
#define LEAST_ORDER   1
#define MAX_BYTES     (1u << 20)

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

static bool reads(const struct file *file)
{
	return (file->flags & O_ACCMODE) != O_WRONLY;
}

static bool writes(const struct file *file)
{
	return (file->flags & O_ACCMODE) != O_RDONLY;
}

/* --- reading and writing --- */

/* Both wake-ups are synchronous: a writer is likely to wait for an answer next, a reader for more. As on
 * Linux, a task that lets another begin by writing a byte can so look at the clock before the other runs. */

static void wake_readers(struct pipe *pipe)
{
	wait_queue_wake_events(&pipe->readable, POLLIN | POLLRDNORM | WAKE_SYNC);
}

static void wake_writers(struct pipe *pipe)
{
	wait_queue_wake_events(&pipe->writable, POLLOUT | POLLWRNORM | WAKE_SYNC);
}

/* Sends SIGIO to the owners of readers' or writers' files with O_ASYNC. pipe->mutex held. */
static void notify(struct pipe *pipe, bool readers)
{
	struct file *file;

	LIST_FOREACH(file, &pipe->files, of_object)
		if ((file->flags & FASYNC) && (readers ? reads(file) : writes(file)))
			file_notify(file, readers ? POLL_IN : POLL_OUT);
}

static void wake_all(struct pipe *pipe)
{
	wait_queue_wake(&pipe->readable);
	wait_queue_wake(&pipe->writable);
}

/* Sleeps until ENTRY, on QUEUE, is woken; releases pipe->mutex meanwhile. 0, -EINTR. pipe->mutex held
 * before and after. */
static int sleep_on(struct pipe *pipe, struct wait_queue *queue, struct wait_entry *entry)
{
	mutex_unlock(&pipe->mutex);
	int error = wait_sleep(UINT64_MAX);

	wait_queue_remove(queue, entry);
	mutex_lock(&pipe->mutex);
	return error;
}

/* Waits for a change on QUEUE, as one of all waiters. 0, -EAGAIN, -EINTR. */
static int wait_for_change(struct pipe *pipe, struct wait_queue *queue, bool nonblock)
{
	struct wait_entry entry;

	if (nonblock)
		return -EAGAIN;
	wait_queue_add(queue, &entry);
	return sleep_on(pipe, queue, &entry);
}

/* Waits for a turn to read or write, as an exclusive waiter. *WAITED: the task wakes the next waiter after
 * its work if more work is left, or will never come. 0, -EAGAIN, -EINTR. */
static int wait_for_turn(struct pipe *pipe, struct wait_queue *queue, bool nonblock, bool *waited)
{
	struct wait_entry entry;

	if (nonblock)
		return -EAGAIN;
	*waited = true;
	wait_queue_add_exclusive(queue, &entry);
	return sleep_on(pipe, queue, &entry);
}

/* Ends reading, and wakes the tasks that can go on now. WAS_FULL: the pipe was full at the start.
 * pipe->mutex held, released here. */
static void end_reading(struct pipe *pipe, bool was_full, bool waited)
{
	bool room_came = (was_full || pipe->large_writers) && !ring_is_full(&pipe->ring);
	bool next = waited && (ring_filled(&pipe->ring) || !pipe->writers);

	mutex_unlock(&pipe->mutex);
	if (room_came)
		wake_writers(pipe);
	if (next)
		wake_readers(pipe);
}

/* Ends writing. NEWS: readers have something new. pipe->mutex held, released here. */
static void end_writing(struct pipe *pipe, bool news, bool waited)
{
	bool next = waited && (!ring_is_full(&pipe->ring) || !pipe->readers);

	mutex_unlock(&pipe->mutex);
	if (news)
		wake_readers(pipe);
	if (next)
		wake_writers(pipe);
}

/* As on Linux, a transfer with partly mapped user memory stops at the first unmapped page. So a copy that
 * faults is tried again in pieces of PIPE_BUF. */

static ssize_t read_out(struct pipe *pipe, const struct outside *outside, size_t size, bool peek,
			bool nonblock)
{
	ssize_t result = 0;
	bool waited = false;

	if (!size)
		return 0;
	mutex_lock(&pipe->mutex);
	while (!ring_filled(&pipe->ring) && pipe->writers && !result)
		result = wait_for_turn(pipe, &pipe->readable, nonblock, &waited);
	bool was_full = ring_is_full(&pipe->ring);

	if (ring_filled(&pipe->ring)) {
		size_t done = 0, most = SIZE_MAX;

		/* All runs that are no packets form one stream, even if packets stood between them. */
		do {
			size_t requested = size - done < most ? size - done : most;
			size_t part = ring_readable(&pipe->ring, requested);
			bool packet = ring_next_is_packet(&pipe->ring);

			if (packet && done)
				break;
			result = ring_read(&pipe->ring, outside, done, part);
			if (result && !packet && part > PIPE_BUF) {
				most = PIPE_BUF;
				continue;
			}
			if (result)
				break;
			done += part;
			if (peek || packet) {
				if (!peek)
					ring_consume(&pipe->ring, part);
				break;
			}
			ring_consume(&pipe->ring, part);
		} while (done < size && ring_filled(&pipe->ring));
		if (done)
			result = (ssize_t)done;
	}
	if (result > 0 && !peek)
		notify(pipe, false);
	end_reading(pipe, was_full, waited);
	return result;
}

static ssize_t write_in(struct pipe *pipe, const struct outside *outside, size_t size, bool packet,
			bool nonblock, bool some)
{
	size_t done = 0, most = SIZE_MAX;
	ssize_t error = 0;
	/* Readers sleep only while the pipe is empty; pollers need each write. */
	bool news = false, waited = false;

	mutex_lock(&pipe->mutex);
	if (packet && !pipe->ring.runs)
		error = ring_begin_packets(&pipe->ring);
	while (done < size && !error) {
		size_t left = size - done;
		/* Bytes that must go in at once. */
		size_t whole = packet			 ? (left < PIPE_BUF ? left : PIPE_BUF) :
			       size <= PIPE_BUF && !some ? left :
							   1;

		if (!pipe->readers) {
			error = -EPIPE;
		} else if (!ring_has_room(&pipe->ring, whole, packet)) {
			if (some && done)
				break;
			if (news)
				wake_readers(pipe);
			news = false;
			error = wait_for_turn(pipe, &pipe->writable, nonblock, &waited);
		} else {
			size_t room = pipe->ring.size - ring_occupied(&pipe->ring);
			size_t part = packet ? whole : left < room ? left : room;
			bool was_empty = !ring_filled(&pipe->ring);

			part = part < most ? part : most;
			error = ring_write(&pipe->ring, outside, done, part, packet);
			if (error == -EFAULT && part > PIPE_BUF) {
				most = PIPE_BUF;
				error = 0;
			} else if (!error) {
				done += part;
				news |= was_empty || pipe->polled;
			}
		}
	}
	if (done)
		notify(pipe, true);
	end_writing(pipe, news, waited);
	if (error == -EPIPE)
		task_signal(task_current(), SIGPIPE);
	return done ? (ssize_t)done : error;
}

static ssize_t read_pipe(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	const struct outside outside = { user_buffer, true };

	return read_out(file->private, &outside, size, false, file->flags & O_NONBLOCK);
}

static ssize_t write_pipe(struct file *file, const void *user_buffer, size_t size,
			  uint64_t *position)
{
	const struct outside outside = { (char *)(uintptr_t)user_buffer, true };

	return write_in(file->private, &outside, size, file->flags & O_DIRECT,
			file->flags & O_NONBLOCK, false);
}

static unsigned int poll_pipe(struct file *file, struct poll_table *table)
{
	struct pipe *pipe = file->private;
	unsigned int ready = 0;

	if (reads(file))
		poll_wait(table, &pipe->readable);
	if (writes(file))
		poll_wait(table, &pipe->writable);
	mutex_lock(&pipe->mutex);
	pipe->polled = true;
	if (reads(file)) {
		if (ring_filled(&pipe->ring))
			ready |= POLLIN | POLLRDNORM;
		/* A FIFO opened before its first writer has lost no writer: see attach. */
		if (!pipe->writers && pipe->writers_ever != file->position)
			ready |= POLLHUP;
	}
	if (writes(file)) {
		if (ring_has_room(&pipe->ring, PIPE_BUF, file->flags & O_DIRECT))
			ready |= POLLOUT | POLLWRNORM;
		if (!pipe->readers)
			ready |= POLLERR;
	}
	mutex_unlock(&pipe->mutex);
	return ready;
}

static long control_pipe(struct file *file, unsigned int command, unsigned long argument)
{
	int bytes = (int)pipe_filled(file);

	if (command != FIONREAD)
		return -ENOTTY;
	return copy_to_user((void *)argument, &bytes, sizeof(bytes));
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
	pipe->readers -= reads(file);
	pipe->writers -= writes(file);
	LIST_REMOVE(file, of_object);
	if (!pipe->readers != !pipe->writers) {
		notify(pipe, true);
		notify(pipe, false);
	}
	mutex_unlock(&pipe->mutex);
	wake_all(pipe);
	if (LIST_EMPTY(&pipe->files)) {
		inode->pipe = NULL;
		free_pipe(pipe);
	}
	mutex_unlock(&pipes_mutex);
}

static const struct file_ops pipe_ops = {
	.read = read_pipe,
	.write = write_pipe,
	.ioctl = control_pipe,
	.poll = poll_pipe,
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
		pipe->readers += reads(file);
		pipe->readers_ever += reads(file);
		pipe->writers += writes(file);
		pipe->writers_ever += writes(file);
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
	const unsigned int *ever = reads(file) ? &pipe->writers_ever : &pipe->readers_ever;
	const unsigned int *now = reads(file) ? &pipe->writers : &pipe->readers;
	unsigned int before = *ever;

	while (!*now && *ever == before && !error)
		error = wait_for_change(pipe, reads(file) ? &pipe->readable : &pipe->writable,
					false);
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

	wake_all(pipe);
	/* An anonymous pipe, opened again through /proc, does not wait for its other end. */
	if ((reads(file) && writes(file)) || inode->superblock->magic == PIPEFS_MAGIC)
		return 0;
	if (!nonblock)
		error = wait_for_other_end(file);
	else if (writes(file) && !pipe->readers)
		error = -ENXIO;
	if (error)
		release_pipe(file);
	return error;
}

/* --- use by the kernel --- */

bool file_is_pipe(const struct file *file)
{
	return file->ops == &pipe_ops;
}

bool pipe_is_same(const struct file *a, const struct file *b)
{
	return a->private == b->private;
}

ssize_t pipe_read_for_kernel(struct file *file, void *buffer, size_t size, bool peek, bool nonblock)
{
	const struct outside outside = { buffer, false };

	return read_out(file->private, &outside, size, peek, nonblock);
}

ssize_t pipe_pour(struct file *file, size_t size, bool nonblock, pipe_sink *sink, void *context)
{
	struct pipe *pipe = file->private;
	ssize_t result = 0;
	size_t done = 0;
	bool waited = false;

	mutex_lock(&pipe->mutex);
	while (!ring_filled(&pipe->ring) && pipe->writers && !result)
		result = wait_for_turn(pipe, &pipe->readable, nonblock, &waited);
	bool was_full = ring_is_full(&pipe->ring);

	while (done < size && ring_filled(&pipe->ring) && !result) {
		size_t part = size - done;
		const char *piece = ring_first_piece(&pipe->ring, &part);

		result = sink(context, piece, part);
		if (result <= 0)
			break;
		done += (size_t)result;
		ring_consume(&pipe->ring, (size_t)result);
		result = 0;
	}
	if (done)
		notify(pipe, false);
	end_reading(pipe, was_full, waited);
	return done ? (ssize_t)done : result;
}

ssize_t pipe_write_from_kernel(struct file *file, const void *buffer, size_t size, bool nonblock)
{
	const struct outside outside = { (char *)(uintptr_t)buffer, false };

	return write_in(file->private, &outside, size, false, nonblock, true);
}

/* Waits for room for NEEDED bytes. 0, -ENOSPC, -EPIPE, -EAGAIN, -EINTR. pipe->mutex held. */
static int wait_for_room(struct pipe *pipe, size_t needed, bool nonblock)
{
	int error = 0;

	pipe->large_writers += needed > PIPE_BUF;
	while (!error) {
		if (!pipe->readers)
			error = -EPIPE;
		else if (needed > pipe->ring.size)
			error = -ENOSPC;
		else if (ring_has_room(&pipe->ring, needed, false))
			break;
		else
			error = wait_for_change(pipe, &pipe->writable, nonblock);
	}
	pipe->large_writers -= needed > PIPE_BUF;
	return error;
}

ssize_t pipe_fill(struct file *file, size_t needed, bool nonblock, pipe_source *source,
		  void *context)
{
	struct pipe *pipe = file->private;
	bool news = false;

	mutex_lock(&pipe->mutex);
	ssize_t result = wait_for_room(pipe, needed, nonblock);
	if (!result) {
		struct outside outside = { NULL, false };
		const void *bytes = NULL;

		result = source(context, pipe->ring.size - ring_occupied(&pipe->ring), &bytes);
		outside.memory = (char *)(uintptr_t)bytes;
		if (result > 0) {
			news = !ring_filled(&pipe->ring) || pipe->polled;
			ring_write(&pipe->ring, &outside, 0, (size_t)result, false);
			notify(pipe, true);
		}
	}
	end_writing(pipe, news, false);
	return result;
}

int pipe_wait_readable(struct file *file, bool nonblock)
{
	struct pipe *pipe = file->private;
	int error = 0;

	mutex_lock(&pipe->mutex);
	while (!ring_filled(&pipe->ring) && pipe->writers && !error)
		error = wait_for_change(pipe, &pipe->readable, nonblock);
	mutex_unlock(&pipe->mutex);
	return error;
}

int pipe_wait_writable(struct file *file, bool nonblock)
{
	struct pipe *pipe = file->private;
	int error = 0;

	mutex_lock(&pipe->mutex);
	while (pipe->readers && !ring_has_room(&pipe->ring, 1, false) && !error)
		error = wait_for_change(pipe, &pipe->writable, nonblock);
	if (!pipe->readers)
		error = -EPIPE;
	mutex_unlock(&pipe->mutex);
	if (error == -EPIPE)
		task_signal(task_current(), SIGPIPE);
	return error;
}

size_t pipe_filled(struct file *file)
{
	struct pipe *pipe = file->private;

	mutex_lock(&pipe->mutex);
	size_t bytes = ring_filled(&pipe->ring);

	mutex_unlock(&pipe->mutex);
	return bytes;
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
	wake_all(pipe);
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
