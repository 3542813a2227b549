/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that show records as lines: each opened `trace` from the oldest record to the newest;
 * `trace_pipe` each record once, waiting for the next. And `trace_marker`, which makes records.
 *
 * A reader keeps one record, its line, and its position in the buffers: no buffer is copied.
 *
 * Lock: reader->mutex (M), around the reader's state. It is not held while a reader sleeps.
 */
#include "reading.h"

#include <string.h>

#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/text.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <kernel/time/time.h>
#include <kernel/trace/event.h>
#include <kernel/trace/ring.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>

#include "instance.h"

struct trace_reader {
	struct mutex mutex;
	struct trace_instance *instance; /* in use as long as the file is open */
	struct trace_cursor cursor;	 /* M: of trace */
	struct text line;		 /* M: line_done bytes of it are read */
	size_t line_done;		 /* M */
	bool read_something;		 /* M */
	struct trace_entry entry;	 /* M */
};					 /* M: mutex */

/* --- lines --- */

/* Prints flags and depth: Linux's trace_print_lat_fmt. */
static void print_context(struct text *text, const struct trace_common *common)
{
	unsigned int depth = common->preempt_count & 0xf;

	text_print(text, "%c%c%c", common->flags & TRACE_FLAG_IRQS_OFF ? 'd' : '.',
		   common->flags & TRACE_FLAG_NEED_RESCHED ? 'N' : '.',
		   common->flags & TRACE_FLAG_HARDIRQ ? 'h' : '.');
	if (depth)
		text_print(text, "%x.", depth);
	else
		text_print(text, "..");
}

static void print_line(struct text *text, const struct trace_entry *entry)
{
	const struct trace_common *common = (const struct trace_common *)entry->record;
	const struct trace_event *event = trace_event_get(entry->number);
	uint64_t us = entry->time_ns / NSEC_PER_USEC;
	char name[TASK_COMM_SIZE];

	trace_name_of(common->pid, name);
	text_print(text, "%16s-%-7d [%03u] ", name, common->pid, entry->cpu);
	print_context(text, common);
	text_print(text, " %5lu.%06lu: ", (unsigned long)(us / 1000000),
		   (unsigned long)(us % 1000000));
	if (entry->number == TRACE_print)
		text_print(text, "tracing_mark_write: %s",
			   ((const struct trace_print *)entry->record)->buf);
	else if (event->system[0] == 's' && event->arguments)
		event->print(text, entry->record);
	else {
		if (entry->number < TRACE_DECLARED)
			text_print(text, "%s: ", event->name);
		event->print(text, entry->record);
	}
	if (!text->size || text->bytes[text->size - 1] != '\n')
		text_print(text, "\n");
}

static void print_head(struct text *text, struct trace_buffer *buffer)
{
	uint64_t present, written;

	trace_ring_count(buffer, &present, &written);
	text_print(text, "# tracer: nop\n#\n# entries-in-buffer/entries-written: %lu/%lu   #P:%u\n",
		   (unsigned long)present, (unsigned long)written, cpu_count());
	text_print(text, "#\n"
			 "#                                _-----=> irqs-off/BH-disabled\n"
			 "#                               / _----=> need-resched\n"
			 "#                              | / _---=> hardirq/softirq\n"
			 "#                              || / _--=> preempt-depth\n"
			 "#                              ||| / _-=> migrate-disable\n"
			 "#                              |||| /     delay\n"
			 "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
			 "#              | |         |   |||||     |         |\n");
}

/* --- reading --- */

/* Prints the next record into the reader's line, which must be used up; false: there is none.
 * reader->mutex held. */
static bool next_line(struct trace_reader *reader, bool take)
{
	struct trace_buffer *buffer = &reader->instance->buffer;
	bool found = take ? trace_ring_take(buffer, &reader->entry) :
			    trace_ring_next(buffer, &reader->cursor, &reader->entry);

	text_clear(&reader->line);
	reader->line_done = 0;
	if (found)
		print_line(&reader->line, &reader->entry);
	return found;
}

/* Copies lines until SIZE bytes are copied or no line is left. reader->mutex held. */
static ssize_t read_lines(struct trace_reader *reader, char *user_buffer, size_t size, bool take)
{
	size_t done = 0;

	while (done < size) {
		if (reader->line_done == reader->line.size && !next_line(reader, take))
			break;
		if (reader->line.failed)
			return done ? (ssize_t)done : -ENOMEM;
		size_t part = reader->line.size - reader->line_done;

		if (part > size - done)
			part = size - done;
		if (copy_to_user(user_buffer + done, reader->line.bytes + reader->line_done, part))
			return done ? (ssize_t)done : -EFAULT;
		reader->line_done += part;
		done += part;
	}
	return (ssize_t)done;
}

static ssize_t read_trace(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	struct trace_reader *reader = file->private;

	mutex_lock(&reader->mutex);
	if (*position == 0) {
		reader->cursor = (struct trace_cursor){ 0 };
		text_clear(&reader->line);
		reader->line_done = 0;
		print_head(&reader->line, &reader->instance->buffer);
	}
	ssize_t result = read_lines(reader, user_buffer, size, false);

	mutex_unlock(&reader->mutex);
	if (result > 0)
		*position += (uint64_t)result;
	return result;
}

/* A write has no effect: opening with O_TRUNC has cleared the trace already. */
static ssize_t write_trace(struct file *file, const void *user_buffer, size_t size,
			   uint64_t *position)
{
	return (ssize_t)size;
}

static bool is_empty(struct trace_buffer *buffer)
{
	uint64_t present, written;

	trace_ring_count(buffer, &present, &written);
	return present == 0;
}

/* Waits for a record. Returns 0 also when recording is off and the reader has read records before. */
static int wait_for_record(const struct trace_reader *reader)
{
	struct trace_buffer *buffer = &reader->instance->buffer;
	struct wait_entry entry;
	int error = 0;

	wait_queue_add(&buffer->readers, &entry);
	for (;;) {
		trace_ring_request_wake(buffer);
		if (!is_empty(buffer) || error || (reader->read_something && !buffer->is_recording))
			break;
		error = wait_sleep(UINT64_MAX);
	}
	wait_queue_remove(&buffer->readers, &entry);
	return error;
}

static ssize_t read_pipe(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	struct trace_reader *reader = file->private;
	int error = 0;

	mutex_lock(&reader->mutex);
	ssize_t result = read_lines(reader, user_buffer, size, true);

	while (result == 0 && size > 0 && !error) {
		mutex_unlock(&reader->mutex);
		error = file->flags & O_NONBLOCK ? -EAGAIN : wait_for_record(reader);
		mutex_lock(&reader->mutex);
		if (!error)
			result = read_lines(reader, user_buffer, size, true);
		if (!result && reader->read_something && !reader->instance->buffer.is_recording)
			break;
	}
	reader->read_something |= result > 0;
	mutex_unlock(&reader->mutex);
	return result ? result : error;
}

static unsigned int poll_pipe(struct file *file, struct poll_table *table)
{
	struct trace_reader *reader = file->private;
	struct trace_buffer *buffer = &reader->instance->buffer;

	poll_wait(table, &buffer->readers);
	trace_ring_request_wake(buffer);
	return is_empty(buffer) ? 0 : POLLIN | POLLRDNORM;
}

static void release(struct file *file)
{
	struct trace_reader *reader = file->private;

	text_clear(&reader->line);
	trace_instance_close(reader->instance);
	kfree(reader);
}

static const struct file_ops trace_ops = {
	.read = read_trace,
	.write = write_trace,
	.release = release,
	.seekable = true,
};

static const struct file_ops pipe_ops = {
	.read = read_pipe,
	.poll = poll_pipe,
	.release = release,
};

static int open_reader(struct file *file, struct trace_instance *instance,
		       const struct file_ops *ops)
{
	struct trace_reader *reader = kzalloc(sizeof(*reader));
	int error = reader ? trace_instance_open(instance) : -ENOMEM;

	if (error) {
		kfree(reader);
		return error;
	}
	mutex_init(&reader->mutex);
	reader->instance = instance;
	file->private = reader;
	file->ops = ops;
	return 0;
}

int trace_open_trace(struct file *file, void *target)
{
	return open_reader(file, trace_target_instance(target), &trace_ops);
}

int trace_open_pipe(struct file *file, void *target)
{
	return open_reader(file, trace_target_instance(target), &pipe_ops);
}

/* --- the marker --- */

/* Longest text of one record; the rest is left for the next write. */
#define MARKER_SIZE 1024

ssize_t trace_write_marker(void *target, const char *bytes, size_t size)
{
	struct trace_buffer *buffer = &trace_target_instance(target)->buffer;
	const size_t start = offsetof(struct trace_print, buf);
	struct trace_common *common;
	union {
		struct trace_common common;
		unsigned char bytes[sizeof(struct trace_print) + MARKER_SIZE + 2];
	} room;

	if (trace_ring_make(buffer))
		return -ENOMEM;
	if (size > MARKER_SIZE)
		size = MARKER_SIZE;
	memset(&room, 0, sizeof(room));
	common = &room.common;
	common->type = (uint16_t)trace_event_id(TRACE_print);
	common->pid = task_current()->tid;
	memcpy(room.bytes + start, bytes, size);
	unsigned long state = arch_irq_save();

	if (buffer->is_recording)
		trace_ring_write(buffer, TRACE_print, &room, start + size + 1);
	arch_irq_restore(state);
	return (ssize_t)size;
}
