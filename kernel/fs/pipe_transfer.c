/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a pipe on their way: reading, writing, waiting, for programs and for the kernel (splice). The
 * ring is in pipe_ring.c, the life of a pipe in pipe.c.
 *
 * A write of at most PIPE_BUF bytes is not mixed with other writes (pipe(7)). A reader at an empty pipe
 * without writers gets 0; a writer without readers gets EPIPE and SIGPIPE. A write with O_DIRECT makes a
 * packet: a read takes one packet and loses the rest of it.
 *
 * Lock: pipe->mutex. User copies run under it, which no page fault needs, and never under a spin lock.
 */
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/poll.h>
#include <uapi/linux/termios.h>

#include "pipe_object.h"

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

static __attribute__((noinline)) void notify(struct pipe *pipe, bool readers)
{
	struct file *file;

	LIST_FOREACH(file, &pipe->files, of_object)
		if ((file->flags & FASYNC) && (readers ? pipe_reads(file) : pipe_writes(file)))
			file_notify(file, readers ? POLL_IN : POLL_OUT);
}

void pipe_notify(struct pipe *pipe, bool readers)
{
	struct file *file;

	/* Each read and write asks, and hardly any pipe has such a file: the question saves no registers. */
	LIST_FOREACH(file, &pipe->files, of_object)
		if (file->flags & FASYNC) {
			notify(pipe, readers);
			return;
		}
}

void pipe_wake_all(struct pipe *pipe)
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

int pipe_wait_for_change(struct pipe *pipe, struct wait_queue *queue, bool nonblock)
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
		pipe_notify(pipe, false);
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
		pipe_notify(pipe, true);
	end_writing(pipe, news, waited);
	if (error == -EPIPE)
		task_signal(task_current(), SIGPIPE);
	return done ? (ssize_t)done : error;
}

ssize_t pipe_file_read(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	const struct outside outside = { user_buffer, true };

	return read_out(file->private, &outside, size, false, file->flags & O_NONBLOCK);
}

ssize_t pipe_file_write(struct file *file, const void *user_buffer, size_t size, uint64_t *position)
{
	const struct outside outside = { (char *)(uintptr_t)user_buffer, true };

	return write_in(file->private, &outside, size, file->flags & O_DIRECT,
			file->flags & O_NONBLOCK, false);
}

unsigned int pipe_file_poll(struct file *file, struct poll_table *table)
{
	struct pipe *pipe = file->private;
	unsigned int ready = 0;

	if (pipe_reads(file))
		poll_wait(table, &pipe->readable);
	if (pipe_writes(file))
		poll_wait(table, &pipe->writable);
	mutex_lock(&pipe->mutex);
	pipe->polled = true;
	if (pipe_reads(file)) {
		if (ring_filled(&pipe->ring))
			ready |= POLLIN | POLLRDNORM;
		/* A FIFO opened before its first writer has lost no writer: see attach. */
		if (!pipe->writers && pipe->writers_ever != file->position)
			ready |= POLLHUP;
	}
	if (pipe_writes(file)) {
		if (ring_has_room(&pipe->ring, PIPE_BUF, file->flags & O_DIRECT))
			ready |= POLLOUT | POLLWRNORM;
		if (!pipe->readers)
			ready |= POLLERR;
	}
	mutex_unlock(&pipe->mutex);
	return ready;
}

size_t pipe_filled(struct file *file)
{
	struct pipe *pipe = file->private;

	mutex_lock(&pipe->mutex);
	size_t bytes = ring_filled(&pipe->ring);

	mutex_unlock(&pipe->mutex);
	return bytes;
}

long pipe_file_control(struct file *file, unsigned int command, unsigned long argument)
{
	int bytes = (int)pipe_filled(file);

	if (command != FIONREAD)
		return -ENOTTY;
	return copy_to_user((void *)argument, &bytes, sizeof(bytes));
}

/* --- use by the kernel --- */

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
		pipe_notify(pipe, false);
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
			error = pipe_wait_for_change(pipe, &pipe->writable, nonblock);
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
			pipe_notify(pipe, true);
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
		error = pipe_wait_for_change(pipe, &pipe->readable, nonblock);
	mutex_unlock(&pipe->mutex);
	return error;
}

int pipe_wait_writable(struct file *file, bool nonblock)
{
	struct pipe *pipe = file->private;
	int error = 0;

	mutex_lock(&pipe->mutex);
	while (pipe->readers && !ring_has_room(&pipe->ring, 1, false) && !error)
		error = pipe_wait_for_change(pipe, &pipe->writable, nonblock);
	if (!pipe->readers)
		error = -EPIPE;
	mutex_unlock(&pipe->mutex);
	if (error == -EPIPE)
		task_signal(task_current(), SIGPIPE);
	return error;
}
