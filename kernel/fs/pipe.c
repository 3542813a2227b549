/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pipes: a ring of bytes between files, see <kernel/pipe.h>.
 *
 * Writes of at most PIPE_BUF bytes are not mixed with others' (pipe(7)). A reader at an empty
 * pipe without writers gets 0; a writer without readers gets EPIPE and SIGPIPE. What was written
 * with O_DIRECT is a packet: a read takes one of them, and the rest of it is lost. Packets are a
 * second ring, of where runs of bytes end; there is none until the first packet comes.
 *
 * A pipe belongs to an inode, in which open files find it, and lives as long as one is open.
 *
 * Locks: pipes_mutex for every inode->pipe and number of files; pipe->mutex for the rest, inside it.
 * No user memory is touched under a spin lock; a user copy under pipe->mutex is fine, since no fault
 * needs it.
 */
#include <kernel/pipe.h>

#include <string.h>

#include <kernel/anonymous.h>
#include <kernel/dentry.h>
#include <kernel/file.h>
#include <kernel/inode.h>
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
#include <uapi/linux/termios.h>

/* Linux's default, and the most it lets a user ask for: /proc/sys/fs/pipe-max-size. */
#define DEFAULT_ORDER 4
#define MAX_BYTES     (1u << 20)

/* Where a run of bytes ends: one packet, or what other writes left. */
struct run {
	uint32_t end;
	bool packet;
};

struct pipe {
	struct mutex mutex;
	struct wait_queue readable;		 /* bytes came, or ends came or went */
	struct wait_queue writable;		 /* room came, or ends came or went */
	bool polled;				 /* M: somebody may watch for edges */
	LIST_HEAD(, file) files;		 /* M, and pipes_mutex: open ones */
	char *bytes;				 /* M: size bytes */
	uint32_t size;				 /* M: a power of two, at least a page */
	uint32_t read_at, write_at;		 /* M: run freely */
	unsigned int readers, writers;		 /* M: files that can */
	unsigned int readers_ever, writers_ever; /* M */
	struct run *runs;			 /* M: a ring of size / PIPE_BUF, or NULL */
	uint32_t first_run, last_run;		 /* M: run freely; the first, and behind the last */
};						 /* M: mutex */

static struct mutex pipes_mutex;

void pipes_init(void)
{
	mutex_init(&pipes_mutex);
}

/* Where the bytes of a copy are, outside. */
struct outside {
	char *memory;
	bool user;
};

static bool reads(const struct file *file)
{
	return (file->flags & O_ACCMODE) != O_WRONLY;
}

static bool writes(const struct file *file)
{
	return (file->flags & O_ACCMODE) != O_RDONLY;
}

static uint32_t filled(const struct pipe *pipe)
{
	return pipe->write_at - pipe->read_at;
}

/* Bytes of the ring that are taken. Room comes by whole pages, as on Linux: a page that was read in
 * part is still there. */
static uint32_t occupied(const struct pipe *pipe)
{
	return pipe->write_at - (pipe->read_at & ~(PIPE_BUF - 1));
}

static int copy_piece(const struct outside *outside, size_t at, char *ring, size_t size, bool out)
{
	char *memory = outside->memory + at;

	if (outside->user)
		return out ? copy_to_user(memory, ring, size) : copy_from_user(ring, memory, size);
	memcpy(out ? memory : ring, out ? ring : memory, size);
	return 0;
}

/* Copies SIZE bytes between the ring at AT and OUTSIDE from DONE on, in at most two pieces. */
static int copy_ring(struct pipe *pipe, uint32_t at, const struct outside *outside, size_t done,
		     size_t size, bool out)
{
	while (size) {
		uint32_t offset = at & (pipe->size - 1);
		size_t part = pipe->size - offset < size ? pipe->size - offset : size;

		if (copy_piece(outside, done, pipe->bytes + offset, part, out))
			return -EFAULT;
		at += (uint32_t)part;
		done += part;
		size -= part;
	}
	return 0;
}

/* --- packets --- */

static uint32_t run_count(const struct pipe *pipe)
{
	return pipe->size / PIPE_BUF;
}

static struct run *run_at(const struct pipe *pipe, uint32_t number)
{
	return &pipe->runs[number & (run_count(pipe) - 1)];
}

/* Writing so many bytes, a PACKET or not: is there room? */
static bool has_room(const struct pipe *pipe, size_t size, bool packet)
{
	if (pipe->runs && pipe->last_run - pipe->first_run == run_count(pipe) &&
	    (packet || run_at(pipe, pipe->last_run - 1)->packet))
		return false;
	return pipe->size - occupied(pipe) >= size;
}

/* Whether a writer may have to wait, whatever it writes. */
static bool is_full(const struct pipe *pipe)
{
	return !has_room(pipe, PIPE_BUF, true);
}

/* Begins to keep runs. 0, -ENOMEM. */
static int begin_runs(struct pipe *pipe)
{
	pipe->runs = kzalloc(run_count(pipe) * sizeof(*pipe->runs));
	if (!pipe->runs)
		return -ENOMEM;
	pipe->first_run = pipe->last_run = 0;
	if (filled(pipe))
		*run_at(pipe, pipe->last_run++) = (struct run){ .end = pipe->write_at };
	return 0;
}

/* Notes that the bytes up to write_at were written. */
static void end_run(struct pipe *pipe, bool packet)
{
	if (!pipe->runs)
		return;
	bool none = pipe->first_run == pipe->last_run;
	struct run *last = none ? NULL : run_at(pipe, pipe->last_run - 1);

	if (!packet && last && !last->packet)
		last->end = pipe->write_at;
	else
		*run_at(pipe, pipe->last_run++) = (struct run){ pipe->write_at, packet };
}

/* How many bytes a read of SIZE may take. */
static size_t readable(const struct pipe *pipe, size_t size)
{
	size_t most = filled(pipe);

	if (pipe->runs && pipe->first_run != pipe->last_run)
		most = run_at(pipe, pipe->first_run)->end - pipe->read_at;
	return size < most ? size : most;
}

/* SIZE bytes were read: they go, and the rest of their packet. */
static void consume(struct pipe *pipe, size_t size)
{
	pipe->read_at += (uint32_t)size;
	if (pipe->runs && pipe->first_run != pipe->last_run) {
		const struct run *run = run_at(pipe, pipe->first_run);

		if (run->packet)
			pipe->read_at = run->end;
		if (pipe->read_at == run->end)
			pipe->first_run++;
	}
	/* Empty: all of it is room. */
	if (!filled(pipe))
		pipe->read_at = pipe->write_at = 0;
}

/* --- reading and writing --- */

static void wake_readers(struct pipe *pipe)
{
	wait_queue_wake_events(&pipe->readable, POLLIN | POLLRDNORM);
}

static void wake_writers(struct pipe *pipe)
{
	wait_queue_wake_events(&pipe->writable, POLLOUT | POLLWRNORM);
}

/* Sends signals to those who want them when something came for readers or writers. M held. */
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

/* Lets others change the pipe until they have and woke ENTRY, which is on QUEUE. 0, -EINTR. Mutex held
 * before and after. */
static int sleep_on(struct pipe *pipe, struct wait_queue *queue, struct wait_entry *entry)
{
	mutex_unlock(&pipe->mutex);
	int error = wait_sleep(UINT64_MAX);

	wait_queue_remove(queue, entry);
	mutex_lock(&pipe->mutex);
	return error;
}

/* Waits for a change on QUEUE, with all who do. 0, -EAGAIN, -EINTR. */
static int wait_for_change(struct pipe *pipe, struct wait_queue *queue, bool nonblock)
{
	struct wait_entry entry;

	if (nonblock)
		return -EAGAIN;
	wait_queue_add(queue, &entry);
	return sleep_on(pipe, queue, &entry);
}

/* Waits for one's turn to read or write: one of those who do is woken. *WAITED: he wakes the next when
 * he has done what he could and there is more to do, or there will never be. 0, -EAGAIN, -EINTR. */
static int wait_for_turn(struct pipe *pipe, struct wait_queue *queue, bool nonblock, bool *waited)
{
	struct wait_entry entry;

	if (nonblock)
		return -EAGAIN;
	*waited = true;
	wait_queue_add_exclusive(queue, &entry);
	return sleep_on(pipe, queue, &entry);
}

/* Ends reading, which began when the pipe was full or not: wakes who can go on now. M held, given back. */
static void end_reading(struct pipe *pipe, bool was_full, bool waited)
{
	bool room_came = was_full && !is_full(pipe);
	bool next = waited && (filled(pipe) || !pipe->writers);

	mutex_unlock(&pipe->mutex);
	if (room_came)
		wake_writers(pipe);
	if (next)
		wake_readers(pipe);
}

/* Ends writing, which brought NEWS or not. M held, given back. */
static void end_writing(struct pipe *pipe, bool news, bool waited)
{
	bool next = waited && (!is_full(pipe) || !pipe->readers);

	mutex_unlock(&pipe->mutex);
	if (news)
		wake_readers(pipe);
	if (next)
		wake_writers(pipe);
}

static ssize_t read_out(struct pipe *pipe, const struct outside *outside, size_t size, bool peek,
			bool nonblock)
{
	ssize_t result = 0;
	bool waited = false;

	if (!size)
		return 0;
	mutex_lock(&pipe->mutex);
	while (!filled(pipe) && pipe->writers && !result)
		result = wait_for_turn(pipe, &pipe->readable, nonblock, &waited);
	bool was_full = is_full(pipe);

	if (filled(pipe)) {
		size_t done = 0;

		/* Runs that are no packets are one stream, wherever a packet stood between them. */
		do {
			size_t part = readable(pipe, size - done);
			bool packet = pipe->runs && pipe->first_run != pipe->last_run &&
				      run_at(pipe, pipe->first_run)->packet;

			if (packet && done)
				break;
			result = copy_ring(pipe, pipe->read_at, outside, done, part, true);
			if (result)
				break;
			done += part;
			if (peek || packet) {
				if (!peek)
					consume(pipe, part);
				break;
			}
			consume(pipe, part);
		} while (done < size && filled(pipe));
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
	size_t done = 0;
	ssize_t error = 0;
	/* Readers wait for bytes to come when there are none; who watches wants to know of each write. */
	bool news = false, waited = false;

	mutex_lock(&pipe->mutex);
	if (packet && !pipe->runs)
		error = begin_runs(pipe);
	while (done < size && !error) {
		size_t left = size - done;
		/* What must go in at once. */
		size_t whole = packet			 ? (left < PIPE_BUF ? left : PIPE_BUF) :
			       size <= PIPE_BUF && !some ? left :
							   1;

		if (!pipe->readers) {
			error = -EPIPE;
		} else if (!has_room(pipe, whole, packet)) {
			if (some && done)
				break;
			if (news)
				wake_readers(pipe);
			news = false;
			error = wait_for_turn(pipe, &pipe->writable, nonblock, &waited);
		} else {
			size_t room = pipe->size - occupied(pipe);
			size_t part = packet ? whole : left < room ? left : room;
			bool was_empty = !filled(pipe);

			error = copy_ring(pipe, pipe->write_at, outside, done, part, false);
			if (!error) {
				pipe->write_at += (uint32_t)part;
				done += part;
				end_run(pipe, packet);
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
		if (filled(pipe))
			ready |= POLLIN | POLLRDNORM;
		/* A FIFO opened before any writer came has not lost one: see open_ends. */
		if (!pipe->writers && pipe->writers_ever != file->position)
			ready |= POLLHUP;
	}
	if (writes(file)) {
		if (has_room(pipe, PIPE_BUF, file->flags & O_DIRECT))
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

/* --- ends --- */

static void free_pipe(struct pipe *pipe)
{
	page_put(pipe->bytes);
	kfree(pipe->runs);
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
	pipe->bytes = page_alloc(DEFAULT_ORDER);
	if (!pipe->bytes) {
		kfree(pipe);
		return NULL;
	}
	pipe->size = PAGE_SIZE << DEFAULT_ORDER;
	mutex_init(&pipe->mutex);
	wait_queue_init(&pipe->readable);
	wait_queue_init(&pipe->writable);
	return pipe;
}

/* Makes FILE an end of the pipe of INODE, which is made if there is none. 0, -ENOMEM. */
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

/* Waits until the other end of FILE's pipe was opened, be it gone since. */
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
	/* A pipe that is opened again, through /proc, has had its ends. */
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

/* --- the kernel's side --- */

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
	while (!filled(pipe) && pipe->writers && !result)
		result = wait_for_turn(pipe, &pipe->readable, nonblock, &waited);
	bool was_full = is_full(pipe);

	while (done < size && filled(pipe) && !result) {
		uint32_t offset = pipe->read_at & (pipe->size - 1);
		size_t part = readable(pipe, size - done);

		if (part > pipe->size - offset)
			part = pipe->size - offset;
		result = sink(context, pipe->bytes + offset, part);
		if (result <= 0)
			break;
		done += (size_t)result;
		consume(pipe, (size_t)result);
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

int pipe_wait_readable(struct file *file, bool nonblock)
{
	struct pipe *pipe = file->private;
	int error = 0;

	mutex_lock(&pipe->mutex);
	while (!filled(pipe) && pipe->writers && !error)
		error = wait_for_change(pipe, &pipe->readable, nonblock);
	mutex_unlock(&pipe->mutex);
	return error;
}

int pipe_wait_writable(struct file *file, bool nonblock)
{
	struct pipe *pipe = file->private;
	int error = 0;

	mutex_lock(&pipe->mutex);
	while (pipe->readers && !has_room(pipe, 1, false) && !error)
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
	size_t bytes = filled(pipe);

	mutex_unlock(&pipe->mutex);
	return bytes;
}

/* --- sizes --- */

long pipe_get_size(struct file *file)
{
	return file_is_pipe(file) ? (long)((struct pipe *)file->private)->size : -EBADF;
}

/* Moves what is in PIPE into a ring of BYTES, 1 << ORDER pages. Runs stay as they are: mutex held. */
static int change_ring(struct pipe *pipe, uint32_t bytes, unsigned int order)
{
	uint32_t held = filled(pipe);

	if (held > bytes || (pipe->runs && pipe->first_run != pipe->last_run))
		return -EBUSY;
	char *ring = page_alloc(order);

	if (!ring)
		return -ENOMEM;
	const struct outside outside = { ring, false };

	copy_ring(pipe, pipe->read_at, &outside, 0, held, true);
	page_put(pipe->bytes);
	kfree(pipe->runs);
	pipe->runs = NULL;
	pipe->bytes = ring;
	pipe->size = bytes;
	pipe->read_at = 0;
	pipe->write_at = held;
	return 0;
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
	int error = change_ring(pipe, (uint32_t)(PAGE_SIZE << order), order);

	mutex_unlock(&pipe->mutex);
	wake_all(pipe);
	return error ? error : (long)(PAGE_SIZE << order);
}

/* --- pipe, pipe2 --- */

/* An end of the pipe of DENTRY's inode. */
static int open_end(struct dentry *dentry, unsigned int flags, struct file **result)
{
	/* What release_pipe is not for yet. */
	static const struct file_ops unattached_ops = { 0 };
	struct file *file = file_create(&unattached_ops, NULL, flags);

	if (!file)
		return -ENOMEM;
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
	struct dentry *dentry = anonymous_create("pipe", S_IFIFO | 0600);

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

static long open_pipe(unsigned long user_fds, unsigned int flags)
{
	struct file *ends[2];
	int fds[2] = { -1, -1 };

	if (flags & ~(unsigned int)(O_CLOEXEC | O_NONBLOCK | O_DIRECT))
		return -EINVAL;
	long result = create(ends, flags & (O_NONBLOCK | O_DIRECT));

	if (result)
		return result;
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
