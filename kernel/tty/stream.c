/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console as two ports of a virtio console (console=virtio): bytes of the program's standard input come from one, and its
 * output goes to the other. The host closes the first at the end of input, and the second when the output has no reader
 * any more: then a writer gets EPIPE and SIGPIPE, as of a pipe.
 */
#include <string.h>

#include <kernel/base/boot.h>
#include <kernel/base/clock.h>
#include <kernel/base/start.h>
#include <kernel/fs/file.h>
#include <kernel/sched/task.h>
#include <kernel/task/signal.h>
#include <kernel/tty/console.h>
#include <kernel/virtio/port.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>
#include <uapi/linux/signal.h>

/* The ports' names, which tools/tallylib/virtio.py gives them. */
#define INPUT	     "tally.input"
#define OUTPUT	     "tally.output"
#define INPUT_PAGES  64
#define OUTPUT_PAGES 1 /* nothing comes there but the end */
/* A host has this long to open the ports. */
#define LIMIT_NS     (10 * NSEC_PER_SEC)

static struct virtio_port *input; /* NULL: the input is at its end */
static struct virtio_port *output;

static ssize_t read_stream(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	if (!input)
		return 0;
	return virtio_port_read(input, user_buffer, size, file->flags & O_NONBLOCK);
}

static ssize_t write_bytes(const struct file *file, const void *source, size_t size, bool user)
{
	ssize_t count = virtio_port_write(output, source, size, user, file->flags & O_NONBLOCK);

	if (count == -EPIPE)
		task_signal(task_current(), SIGPIPE);
	return count;
}

static ssize_t write_stream(struct file *file, const void *user_buffer, size_t size,
			    uint64_t *position)
{
	return write_bytes(file, user_buffer, size, true);
}

static ssize_t write_stream_from_kernel(struct file *file, const void *buffer, size_t size,
					uint64_t *position)
{
	return write_bytes(file, buffer, size, false);
}

static unsigned int poll_stream(struct file *file, struct poll_table *table)
{
	unsigned int events = 0;

	if (input)
		poll_wait(table, virtio_port_waiters(input));
	poll_wait(table, virtio_port_waiters(output));
	if (!input || virtio_port_is_readable(input))
		events |= POLLIN | POLLRDNORM;
	if (virtio_port_is_writable(output))
		events |= POLLOUT | POLLWRNORM;
	if (virtio_port_is_closed(output))
		events |= POLLERR;
	return events;
}

static const struct file_ops ops = {
	.read = read_stream,
	.write = write_stream,
	.write_from_kernel = write_stream_from_kernel,
	.poll = poll_stream,
};

static void attach(void)
{
	char mode[8] = "";
	uint64_t deadline_ns = clock_ns() + LIMIT_NS;
	bool has_input = !boot_word("noinput");

	boot_option("console", mode, sizeof(mode));
	if (strcmp(mode, "virtio") != 0)
		return;
	output = virtio_port_open(OUTPUT, OUTPUT_PAGES, deadline_ns);
	if (output && has_input)
		input = virtio_port_open(INPUT, INPUT_PAGES, deadline_ns);
	if (output && (input || !has_input))
		console_attach(&ops);
}

START(START_LATE, attach);
