/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A terminal as a file: open, read, write, poll, hang-up.
 *
 * Readers sleep without a lock, then take ready input under read_mutex, so that two readers do not
 * share a line. Output goes through the line discipline in pieces under tty->lock, so that echo from an
 * interrupt finds the column right.
 *
 * A file stores its terminal's count of hang-ups at the open: so a hang-up reaches every file without a
 * list of them.
 *
 * Locks: <kernel/tty/tty.h>.
 */
#include "tty.h"

#include <kernel/base/assert.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <kernel/task/signal.h>
#include <kernel/time/time.h>
#include <kernel/tty/tty.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>

#include "line.h"

/* Bytes copied between user space and the line discipline at a time. */
#define CHUNK	 256
/* VTIME's unit. */
#define TENTH_NS (100 * NSEC_PER_MSEC)

/* The private data of an open file. */
struct tty_open {
	struct tty *tty;
	unsigned int hang_ups; /* tty's count at the open */
};

/* A line discipline that knows its terminal. */
struct tty_line {
	struct line line;
	struct tty *tty;
};

static struct tty *tty_of_line(struct line *line)
{
	return ((struct tty_line *)line)->tty;
}

static size_t put(struct line *line, const char *bytes, size_t size)
{
	struct tty *tty = tty_of_line(line);

	return tty->driver->put(tty, bytes, size);
}

static size_t room(struct line *line)
{
	struct tty *tty = tty_of_line(line);

	return tty->driver->room(tty);
}

static void flush(struct line *line)
{
	struct tty *tty = tty_of_line(line);

	if (tty->driver->flush_output)
		tty->driver->flush_output(tty);
}

static const struct line_device line_device = { .put = put, .room = room, .flush = flush };

int tty_init(struct tty *tty, const struct tty_driver *driver, uint32_t device)
{
	struct tty_line *line = kzalloc(sizeof(*line));

	if (!line)
		return -ENOMEM;
	line->tty = tty;
	line_init(&line->line, &line_device);
	tty->line = &line->line;
	tty->driver = driver;
	tty->device = device;
	tty->references = 1;
	spin_init(&tty->lock);
	wait_queue_init(&tty->readers);
	wait_queue_init(&tty->writers);
	mutex_init(&tty->read_mutex);
	mutex_init(&tty->write_mutex);
	return 0;
}

void tty_destroy(struct tty *tty)
{
	kfree(tty->line);
	tty->line = NULL;
}

void tty_get(struct tty *tty)
{
	atomic_fetch_add(&tty->references, 1);
}

bool tty_get_unless_dead(struct tty *tty)
{
	unsigned int references = tty->references;

	while (references)
		if (atomic_compare_exchange_weak(&tty->references, &references, references + 1))
			return true;
	return false;
}

void tty_put(struct tty *tty)
{
	unsigned int before = atomic_fetch_sub(&tty->references, 1);

	ASSERT(before != 0);
	if (before == 1 && tty->driver->free)
		tty->driver->free(tty);
}

/* ---- from the device ---- */

void tty_notify(struct tty *tty, unsigned int happened)
{
	unsigned int events = 0;

	if (happened & LINE_STOPPED)
		events |= TIOCPKT_STOP;
	if (happened & LINE_STARTED)
		events |= TIOCPKT_START;
	if (happened & LINE_FLUSHED)
		events |= TIOCPKT_FLUSHREAD;
	if (events && tty->driver->notify)
		tty->driver->notify(tty, events);
}

void tty_act(struct tty *tty, unsigned int happened)
{
	if (happened & LINE_SIGNAL)
		tty_signal_foreground(tty, (int)(happened & LINE_SIGNAL));
	if (happened & (LINE_STARTED | LINE_FLUSHED))
		wait_queue_wake(&tty->writers);
}

void tty_receive(struct tty *tty, uint8_t byte)
{
	unsigned long state = spin_lock_irqsave(&tty->lock);
	unsigned int happened = line_receive(tty->line, byte);
	bool ready = line_is_ready(tty->line, 1);

	tty_notify(tty, happened);
	spin_unlock_irqrestore(&tty->lock, state);
	tty_act(tty, happened);
	if (ready)
		wait_queue_wake(&tty->readers);
}

size_t tty_room(struct tty *tty)
{
	unsigned long state = spin_lock_irqsave(&tty->lock);
	size_t bytes = line_room(tty->line);

	spin_unlock_irqrestore(&tty->lock, state);
	return bytes;
}

void tty_wake_writers(struct tty *tty)
{
	unsigned long state = spin_lock_irqsave(&tty->lock);

	line_flush_echo(tty->line);
	spin_unlock_irqrestore(&tty->lock, state);
	wait_queue_wake(&tty->writers);
}

void tty_flush_input(struct tty *tty)
{
	line_flush_input(tty->line);
	if (tty->driver->notify)
		tty->driver->notify(tty, TIOCPKT_FLUSHREAD);
}

void tty_hang_up_locked(struct tty *tty, bool session_ends)
{
	tty_disconnect_session(tty, session_ends);
	spin_lock(&tty->lock);
	tty->hang_ups++;
	tty->exclusive = false;
	line_flush_input(tty->line);
	tty->line->echo_read_at = tty->line->echo_write_at;
	line_release(tty->line);
	line_start(tty->line);
	spin_unlock(&tty->lock);
	wait_queue_wake(&tty->readers);
	wait_queue_wake(&tty->writers);
}

void tty_hang_up(struct tty *tty, bool session_ends)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	tty_hang_up_locked(tty, session_ends);
	spin_unlock_irqrestore(&task_table_lock, state);
}

/* ---- reading ---- */

static bool is_hung_up(const struct tty_open *open)
{
	return open->hang_ups != open->tty->hang_ups;
}

/* The wait of a reader, by VMIN and VTIME; see termios(3), "Canonical and noncanonical mode". */
struct patience {
	size_t least;	     /* bytes that end the read */
	uint64_t between_ns; /* greatest time from one byte to the next; 0: unlimited */
	uint64_t deadline_ns;
	bool none; /* reads only what is ready */
};

static struct patience read_patience(struct tty *tty)
{
	struct patience patience = { .least = 1, .deadline_ns = UINT64_MAX };
	unsigned long state = spin_lock_irqsave(&tty->lock);
	const struct kernel_termios2 *modes = &tty->line->modes;
	uint64_t time_ns = modes->c_cc[VTIME] * TENTH_NS;
	size_t least = modes->c_cc[VMIN];
	bool lines = modes->c_lflag & ICANON;

	spin_unlock_irqrestore(&tty->lock, state);
	if (lines)
		return patience;
	if (least) {
		patience.least = least;
		patience.between_ns = time_ns;
	} else {
		patience.none = !time_ns;
		patience.deadline_ns = clock_ns() + time_ns;
	}
	return patience;
}

/* The destination of a read: a program's memory, or the kernel's. */
struct reader {
	char *buffer;
	size_t size;
	bool user;
};

/* Moves ready input into READER's buffer from BEGIN on: at most one line, if lines are edited, and then
 * sets *ENDED. Returns the number of bytes, or -EFAULT: the input is lost. */
static ssize_t take_ready(struct tty *tty, const struct reader *reader, size_t begin, bool *ended)
{
	size_t size = reader->size - begin, done = 0, count;
	char bytes[CHUNK];

	*ended = false;
	mutex_lock(&tty->read_mutex);
	do {
		size_t part = size - done < CHUNK ? size - done : CHUNK;
		unsigned long state = spin_lock_irqsave(&tty->lock);

		count = line_read(tty->line, bytes, part, ended);
		if (done + count == size && !*ended)
			line_skip_end_of_file(tty->line);
		spin_unlock_irqrestore(&tty->lock, state);
		if (copy_to(reader->buffer + begin + done, bytes, count, reader->user)) {
			mutex_unlock(&tty->read_mutex);
			return -EFAULT;
		}
		done += count;
	} while (count && done < size && !*ended);
	mutex_unlock(&tty->read_mutex);
	return (ssize_t)done;
}

/* Reads with the wait that PATIENCE describes. The running task is on tty->readers. */
static ssize_t read_patiently(struct tty_open *open, struct file *file, const struct reader *reader,
			      struct patience patience)
{
	struct tty *tty = open->tty;
	size_t done = 0;

	for (;;) {
		bool ended;
		ssize_t count = take_ready(tty, reader, done, &ended);
		int error = 0;

		if (count < 0)
			return count;
		done += (size_t)count;
		if (count && tty->driver->pull)
			tty->driver->pull(tty);
		if (ended || done >= patience.least || done == reader->size || patience.none)
			return (ssize_t)done;
		if (is_hung_up(open))
			return done || !tty->gone ? (ssize_t)done : -EIO;
		if (count && patience.between_ns)
			patience.deadline_ns = clock_ns() + patience.between_ns;
		if (file->flags & O_NONBLOCK)
			error = -EAGAIN;
		else
			error = wait_sleep(patience.deadline_ns);
		if (error == -ETIMEDOUT)
			return (ssize_t)done;
		if (error)
			return done ? (ssize_t)done : error;
	}
}

static ssize_t read_to(struct file *file, const struct reader *reader)
{
	struct tty_open *open = file->private;
	struct tty *tty = open->tty;
	struct wait_entry entry;

	if (is_hung_up(open) || reader->size == 0)
		return 0;
	int error = tty_check_background(tty, SIGTTIN);

	if (error)
		return error;
	wait_queue_add(&tty->readers, &entry);
	ssize_t count = read_patiently(open, file, reader, read_patience(tty));

	wait_queue_remove(&tty->readers, &entry);
	return count;
}

static ssize_t read_tty(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	const struct reader reader = { user_buffer, size, true };

	return read_to(file, &reader);
}

static ssize_t read_tty_for_kernel(struct file *file, void *buffer, size_t size, uint64_t position)
{
	const struct reader reader = { buffer, size, false };

	return read_to(file, &reader);
}

/* ---- writing ---- */

/* Sends up to SIZE bytes through the line discipline, a piece at a time; returns how many it sent. */
static size_t send(struct tty *tty, const char *bytes, size_t size)
{
	size_t done = 0, part, went;

	do {
		part = size - done < tty->driver->piece ? size - done : tty->driver->piece;
		unsigned long state = spin_lock_irqsave(&tty->lock);

		went = line_write(tty->line, bytes + done, part);
		spin_unlock_irqrestore(&tty->lock, state);
		done += went;
	} while (went == part && done < size);
	return done;
}

/* Sleeps until output can continue, and lets other writers try. write_mutex held on entry and return. */
static int wait_for_room(struct tty_open *open, struct file *file)
{
	struct tty *tty = open->tty;
	struct wait_entry entry;
	int error = 0;

	if (file->flags & O_NONBLOCK)
		return -EAGAIN;
	wait_queue_add(&tty->writers, &entry);
	mutex_unlock(&tty->write_mutex);
	unsigned long state = spin_lock_irqsave(&tty->lock);
	bool blocked = tty->line->stopped || tty->driver->room(tty) < CHUNK;

	spin_unlock_irqrestore(&tty->lock, state);
	if (blocked && !is_hung_up(open))
		error = wait_sleep(UINT64_MAX);
	wait_queue_remove(&tty->writers, &entry);
	mutex_lock(&tty->write_mutex);
	return error;
}

static int check_write(struct tty_open *open)
{
	struct tty *tty = open->tty;

	if (is_hung_up(open))
		return -EIO;
	return tty->line->modes.c_lflag & TOSTOP ? tty_check_background(tty, SIGTTOU) : 0;
}

static ssize_t write_bytes(struct file *file, const char *source, size_t size, bool user)
{
	struct tty_open *open = file->private;
	char bytes[CHUNK];
	size_t done = 0;
	int error = check_write(open);

	if (error)
		return error;
	mutex_lock(&open->tty->write_mutex);
	while (done < size && !error) {
		size_t part = size - done < CHUNK ? size - done : CHUNK;

		if (signal_is_pending(task_current()))
			error = -EINTR;
		else if (is_hung_up(open))
			error = -EIO;
		else
			error = copy_from(bytes, source + done, part, user);
		if (error)
			break;
		size_t went = send(open->tty, bytes, part);

		done += went;
		if (went < part)
			error = wait_for_room(open, file);
	}
	mutex_unlock(&open->tty->write_mutex);
	return done ? (ssize_t)done : error;
}

static ssize_t write_tty(struct file *file, const void *user_buffer, size_t size,
			 uint64_t *position)
{
	return write_bytes(file, user_buffer, size, true);
}

static ssize_t write_tty_from_kernel(struct file *file, const void *buffer, size_t size,
				     uint64_t *position)
{
	return write_bytes(file, buffer, size, false);
}

/* ---- the rest of a file ---- */

static unsigned int poll_tty(struct file *file, struct poll_table *table)
{
	struct tty_open *open = file->private;
	struct tty *tty = open->tty;
	unsigned int ready = 0;

	poll_wait(table, &tty->readers);
	poll_wait(table, &tty->writers);
	if (is_hung_up(open))
		return POLLIN | POLLOUT | POLLERR | POLLHUP | POLLRDNORM | POLLWRNORM;
	unsigned long state = spin_lock_irqsave(&tty->lock);
	const uint8_t *controls = tty->line->modes.c_cc;
	size_t least = !controls[VTIME] && controls[VMIN] ? controls[VMIN] : 1;

	if (line_is_ready(tty->line, least))
		ready |= POLLIN | POLLRDNORM;
	if (!tty->line->stopped && tty->driver->room(tty) >= CHUNK)
		ready |= POLLOUT | POLLWRNORM;
	spin_unlock_irqrestore(&tty->lock, state);
	return ready;
}

static long ioctl_tty(struct file *file, unsigned int command, unsigned long argument)
{
	struct tty_open *open = file->private;

	if (is_hung_up(open))
		return command == TIOCSPGRP ? -ENOTTY : -EIO;
	return tty_ioctl(open->tty, open->tty, file, command, argument);
}

static void release_tty(struct file *file)
{
	struct tty_open *open = file->private;
	struct tty *tty = open->tty;
	unsigned long state = spin_lock_irqsave(&tty->lock);
	bool last = --tty->opens == 0;

	if (last)
		tty->exclusive = false;
	spin_unlock_irqrestore(&tty->lock, state);
	if (last && tty->driver->closed)
		tty->driver->closed(tty);
	tty_put(tty);
	kfree(open);
}

static const struct file_ops tty_ops = {
	.read = read_tty,
	.write = write_tty,
	.read_for_kernel = read_tty_for_kernel,
	.write_from_kernel = write_tty_from_kernel,
	.ioctl = ioctl_tty,
	.poll = poll_tty,
	.release = release_tty,
};

int tty_open(struct tty *tty, struct file *file, bool keep_free)
{
	struct tty_open *open = kzalloc(sizeof(*open));

	if (!open)
		return -ENOMEM;
	tty_get(tty);
	unsigned long state = spin_lock_irqsave(&tty->lock);
	bool first = tty->opens++ == 0;

	spin_unlock_irqrestore(&tty->lock, state);
	*open = (struct tty_open){ .tty = tty, .hang_ups = tty->hang_ups };
	file->private = open;
	file->ops = &tty_ops;
	if (first && tty->driver->opened)
		tty->driver->opened(tty);
	if (!keep_free && !(file->flags & O_NOCTTY))
		tty_control_opened(tty, file);
	return 0;
}

struct tty *tty_of_file(struct file *file)
{
	struct tty_open *open = file->private;

	if (file->ops != &tty_ops)
		return NULL;
	tty_get(open->tty);
	return open->tty;
}
