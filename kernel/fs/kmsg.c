/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev/kmsg: each read returns a record of the log, each write adds a line to it. Format and errors:
 * Linux, Documentation/ABI/testing/dev-kmsg.
 *
 * Each open file reads on its own, from its own sequence number. Lock: reader->mutex (M).
 */
#include <string.h>

#include <kernel/base/log.h>
#include <kernel/base/log_ring.h>
#include <kernel/base/smp.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/syslog.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/task/credentials.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>

#define LEVEL_MASK     7
#define FACILITY_SHIFT 3
/* The default facility of a program's line: syslog(3)'s LOG_USER. */
#define FACILITY_USER  1
/* An escaped byte takes four. */
#define ESCAPED_SIZE   4
#define HEAD_SIZE      64
#define LINE_MAX       (HEAD_SIZE + LOG_TEXT_MAX * ESCAPED_SIZE)

struct kmsg_reader {
	struct mutex mutex;
	uint64_t sequence;	  /* M: of the next record */
	struct log_record record; /* M: the one being read */
	char line[LINE_MAX];	  /* M: mutex */
};

/* --- readers that wait --- */

static struct wait_queue arrived = { SPINLOCK_INITIALIZER,
				     TAILQ_HEAD_INITIALIZER(arrived.entries) };

static void wake_readers(struct deferred_work *work)
{
	wait_queue_wake(&arrived);
}

static struct deferred_work wake_work = { .run = wake_readers };

/* A record may come under any lock, and in an NMI. */
static void wake_readers_later(void)
{
	deferred_work_queue(&wake_work);
}

struct wait_queue *syslog_queue(void)
{
	log_ring_listen(wake_readers_later);
	return &arrived;
}

/* --- records as lines --- */

static size_t escape(char *to, const char *text, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	char *at = to;

	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)text[i];

		if (byte >= ' ' && byte < 0x7f && byte != '\\') {
			*at++ = text[i];
			continue;
		}
		*at++ = '\\';
		*at++ = 'x';
		*at++ = digits[byte >> 4];
		*at++ = digits[byte & 15];
	}
	return (size_t)(at - to);
}

static size_t print_record(struct kmsg_reader *reader)
{
	const struct log_record *record = &reader->record;
	size_t length = (size_t)format_string(reader->line, HEAD_SIZE, "%u,%lu,%lu,-;",
					      record->priority, (unsigned long)record->sequence,
					      (unsigned long)(record->time_ns / NSEC_PER_USEC));

	length += escape(reader->line + length, record->text, record->length);
	reader->line[length++] = '\n';
	return length;
}

/* Waits for a record that READER has not read. reader->mutex held, except while it sleeps. */
static int wait_for_record(struct kmsg_reader *reader)
{
	struct wait_queue *queue = syslog_queue();
	struct wait_entry entry;
	int error = 0;

	mutex_unlock(&reader->mutex);
	wait_queue_add(queue, &entry);
	while (!error && log_ring_next() <= reader->sequence)
		error = wait_sleep(UINT64_MAX);
	wait_queue_remove(queue, &entry);
	mutex_lock(&reader->mutex);
	return error;
}

static ssize_t read_record(struct kmsg_reader *reader, void *user_buffer, size_t size, bool wait)
{
	int error;

	while (!log_ring_read(reader->sequence, &reader->record)) {
		error = wait ? wait_for_record(reader) : -EAGAIN;
		if (error)
			return error;
	}
	/* Records were lost: report that once. */
	if (reader->record.sequence != reader->sequence) {
		reader->sequence = reader->record.sequence;
		return -EPIPE;
	}
	reader->sequence++;
	size_t length = print_record(reader);

	if (length > size)
		return -EINVAL;
	return copy_to_user(user_buffer, reader->line, length) ? -EFAULT : (ssize_t)length;
}

static ssize_t read_kmsg(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	struct kmsg_reader *reader = file->private;

	mutex_lock(&reader->mutex);
	ssize_t result = read_record(reader, user_buffer, size, !(file->flags & O_NONBLOCK));

	mutex_unlock(&reader->mutex);
	return result;
}

/* Removes "<N>" from the start of *TEXT, if it is there. */
static unsigned int take_priority(const char **text, size_t *length)
{
	unsigned int number = 0;
	size_t at = 1;

	if (*length && (*text)[0] == '<') {
		while (at < *length && at < 10 && (*text)[at] >= '0' && (*text)[at] <= '9')
			number = number * 10 + (unsigned int)((*text)[at++] - '0');
		if (at > 1 && at < *length && (*text)[at] == '>') {
			*text += at + 1;
			*length -= at + 1;
			/* A program cannot write as the kernel, facility 0. */
			return number >> FACILITY_SHIFT ?
				       number :
				       FACILITY_USER << FACILITY_SHIFT | (number & LEVEL_MASK);
		}
	}
	return FACILITY_USER << FACILITY_SHIFT | CONSOLE_LEVEL_MESSAGE;
}

static ssize_t write_from_kernel(struct file *file, const void *buffer, size_t size,
				 uint64_t *position)
{
	char text[LOG_TEXT_MAX + 1];
	const char *line = text;
	size_t length = size;

	if (size > LOG_TEXT_MAX)
		return -EINVAL;
	memcpy(text, buffer, size);
	text[size] = '\0';
	unsigned int priority = take_priority(&line, &length);

	if (length && line[length - 1] == '\n')
		text[line - text + (ptrdiff_t)--length] = '\0';
	log_write_user(priority, line, length);
	return (ssize_t)size;
}

static ssize_t write_kmsg(struct file *file, const void *user_buffer, size_t size,
			  uint64_t *position)
{
	char text[LOG_TEXT_MAX];

	if (size > sizeof(text))
		return -EINVAL;
	if (size == 0)
		return 0;
	if (copy_from_user(text, user_buffer, size))
		return -EFAULT;
	return write_from_kernel(file, text, size, position);
}

/* Seeks to the start or the end only: positions do not count bytes. */
static int64_t seek_kmsg(struct file *file, int64_t offset, unsigned int whence)
{
	struct kmsg_reader *reader = file->private;
	uint64_t sequence;

	if (!reader)
		return -EBADF;
	if (offset)
		return -ESPIPE;
	switch (whence) {
	case SEEK_SET:
		sequence = log_ring_first();
		break;
	case SEEK_DATA:
		sequence = syslog_cleared();
		break;
	case SEEK_END:
		sequence = log_ring_next();
		break;
	default:
		return -EINVAL;
	}
	mutex_lock(&reader->mutex);
	reader->sequence = sequence;
	mutex_unlock(&reader->mutex);
	return 0;
}

static unsigned int poll_kmsg(struct file *file, struct poll_table *table)
{
	struct kmsg_reader *reader = file->private;
	unsigned int events = 0;

	if (!reader)
		return POLLERR | POLLNVAL;
	poll_wait(table, syslog_queue());
	mutex_lock(&reader->mutex);
	if (log_ring_next() > reader->sequence)
		events = POLLIN | POLLRDNORM;
	if (log_ring_first() > reader->sequence)
		events |= POLLERR | POLLPRI;
	mutex_unlock(&reader->mutex);
	return events;
}

static void release_kmsg(struct file *file)
{
	kfree(file->private);
}

static const struct file_ops kmsg_ops = {
	.read = read_kmsg,
	.write = write_kmsg,
	.write_from_kernel = write_from_kernel,
	.whole_max = LOG_TEXT_MAX,
	.seek = seek_kmsg,
	.poll = poll_kmsg,
	.release = release_kmsg,
};

int kmsg_open(struct inode *inode, struct file *file)
{
	struct kmsg_reader *reader;

	file->ops = &kmsg_ops;
	if ((file->flags & O_ACCMODE) == O_WRONLY)
		return 0;
	if (!syslog_permitted())
		return -EPERM;
	reader = kzalloc(sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	mutex_init(&reader->mutex);
	reader->sequence = log_ring_first();
	file->private = reader;
	return 0;
}
