/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console: COM1 and, where there is one, the screen with its keyboard, together as one terminal; or
 * COM1 as a pipe; or what another file attaches (stream.c).
 *
 * Cooked (the default): a terminal like any other, the controlling terminal of the first program. Raw
 * (command line console=raw): unchanged bytes in both directions, and no terminal: programs see pipes
 * as their standard streams. Raw input loses nothing: while the ring is full, bytes stay in the device.
 * The end of input is final.
 *
 * Lock: input_lock, irqsave, for the raw ring; a wait queue's lock is taken inside. Raw output:
 * console_mutex, which keeps the bytes of one call together.
 */
#include <kernel/tty/console.h>

#include <kernel/base/boot.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/base/smp.h>
#include <kernel/drivers/console_device.h>
#include <kernel/drivers/input.h>
#include <kernel/drivers/screen.h>
#include <kernel/drivers/serial.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <kernel/tty/tty.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>

/* Size of the buffer for bytes that no program has read; a power of two. */
#define RING_SIZE	4096
/* The size of a terminal that does not report one. */
#define DEFAULT_ROWS	24
#define DEFAULT_COLUMNS 80
/* Bytes copied from user space at a time. */
#define WRITE_CHUNK	256
/* Most bytes of a terminal's reply. */
#define REPLY_SIZE	24
/* A UART's FIFO. A longer piece would keep interrupts off for too long on a real line. */
#define PIECE		16
/* Linux's admin-guide/devices.txt: 4, 64 is ttyS0. */
#define DEVICE		(4 << 8 | 64)
/* The escape of raw input, see console_init. */
enum { DLE = 0x10, EOT = 0x04 };

static bool is_raw;
static bool is_elsewhere;
static const struct file_ops *attached; /* changes at the start only */
static struct tty terminal;

/* ---- raw ---- */

static struct spinlock input_lock = SPINLOCK_INITIALIZER;
static char ring[RING_SIZE]; /* I */
static uint32_t read_at;     /* I: next to read; runs freely */
static uint32_t write_at;    /* I */
static bool escaped;	     /* I: the previous byte was an escape */
static bool ended;	     /* I: no more input comes; I is input_lock */
static struct wait_queue input_waiters = { SPINLOCK_INITIALIZER,
					   TAILQ_HEAD_INITIALIZER(input_waiters.entries) };
static struct mutex console_mutex = {
	.waiters = { SPINLOCK_INITIALIZER, TAILQ_HEAD_INITIALIZER(console_mutex.waiters.entries) }
};

static void receive_raw(uint8_t byte)
{
	unsigned long state = spin_lock_irqsave(&input_lock);

	if (!escaped && byte == DLE) {
		escaped = true;
	} else {
		if (escaped && byte == EOT)
			ended = true;
		else if (!ended)
			ring[write_at++ % RING_SIZE] = (char)byte;
		escaped = false;
	}
	spin_unlock_irqrestore(&input_lock, state);
	wait_queue_wake(&input_waiters);
}

static bool has_raw_room(void)
{
	unsigned long state = spin_lock_irqsave(&input_lock);
	bool room = write_at - read_at < RING_SIZE;

	spin_unlock_irqrestore(&input_lock, state);
	return room;
}

/* Takes up to SIZE bytes. -1: no bytes yet. */
static ssize_t take_raw(char *bytes, size_t size)
{
	unsigned long state = spin_lock_irqsave(&input_lock);
	ssize_t count = read_at == write_at && !ended ? -1 : 0;

	while (read_at != write_at && (size_t)count < size)
		bytes[count++] = ring[read_at++ % RING_SIZE];
	spin_unlock_irqrestore(&input_lock, state);
	return count;
}

static ssize_t read_raw(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	char bytes[WRITE_CHUNK];
	struct wait_entry entry;
	ssize_t count;
	int error = 0;

	if (size == 0)
		return 0;
	wait_queue_add(&input_waiters, &entry);
	for (;;) {
		count = take_raw(bytes, size < sizeof(bytes) ? size : sizeof(bytes));
		if (count >= 0)
			break;
		error = file->flags & O_NONBLOCK ? -EAGAIN : wait_sleep(UINT64_MAX);
		if (error)
			break;
	}
	wait_queue_remove(&input_waiters, &entry);
	if (error)
		return error;
	console_device_receive();
	return copy_to_user(user_buffer, bytes, (size_t)count) ? -EFAULT : count;
}

static ssize_t write_bytes(const char *source, size_t size, bool user)
{
	char bytes[WRITE_CHUNK];
	size_t done = 0;
	int error = 0;

	mutex_lock(&console_mutex);
	while (done < size && !error) {
		size_t part = size - done < sizeof(bytes) ? size - done : sizeof(bytes);

		if (signal_is_fatal_pending(task_current()))
			error = -EINTR;
		else
			error = copy_from(bytes, source + done, part, user);
		if (!error) {
			console_device_write(bytes, part);
			done += part;
		}
	}
	mutex_unlock(&console_mutex);
	return done ? (ssize_t)done : error;
}

static ssize_t write_raw(struct file *file, const void *user_buffer, size_t size,
			 uint64_t *position)
{
	return write_bytes(user_buffer, size, true);
}

static ssize_t write_raw_from_kernel(struct file *file, const void *buffer, size_t size,
				     uint64_t *position)
{
	return write_bytes(buffer, size, false);
}

static unsigned int poll_raw(struct file *file, struct poll_table *table)
{
	poll_wait(table, &input_waiters);
	unsigned long state = spin_lock_irqsave(&input_lock);
	bool ready = read_at != write_at || ended;

	spin_unlock_irqrestore(&input_lock, state);
	return POLLOUT | POLLWRNORM | (ready ? POLLIN | POLLRDNORM : 0);
}

static const struct file_ops raw_ops = {
	.read = read_raw,
	.write = write_raw,
	.write_from_kernel = write_raw_from_kernel,
	.poll = poll_raw,
};

/* ---- cooked ---- */

static bool has_room(void)
{
	/* A terminal drops input that no program reads. */
	return !is_raw || has_raw_room();
}

static void receive(uint8_t byte)
{
	if (is_raw)
		receive_raw(byte);
	else if (tty_room(&terminal))
		tty_receive(&terminal, byte);
}

static const struct input_listener listener = { has_room, receive };

/* Types the reply of the screen's terminal, once tty->lock is free again. With a serial line, the
 * terminal at its other end replies. */
static void type_reply(struct deferred_work *work)
{
	char reply[REPLY_SIZE];
	size_t length = screen_take_reply(reply, sizeof(reply));

	for (size_t i = 0; i < length; i++)
		receive((uint8_t)reply[i]);
}

static struct deferred_work reply_work = { .run = type_reply };

static size_t put(struct tty *tty, const char *bytes, size_t size)
{
	console_device_write(bytes, size);
	screen_write(bytes, size);
	if (screen_is_present() && !serial_is_present(SERIAL_COM1))
		deferred_work_queue(&reply_work);
	return size;
}

/* put waits for the device, so there is always room. */
static size_t room(struct tty *tty)
{
	return SIZE_MAX / 2;
}

static const struct tty_driver console_driver = { .put = put, .room = room, .piece = PIECE };

/* ---- both ---- */

/* Parses ROWSxCOLUMNS. */
static bool parse_window(const char *text, struct kernel_winsize *size)
{
	uint32_t numbers[2] = { 0, 0 };

	for (int i = 0; i < 2; i++) {
		const char *first = text;

		for (; *text >= '0' && *text <= '9' && numbers[i] <= UINT16_MAX; text++)
			numbers[i] = numbers[i] * 10 + (uint32_t)(*text - '0');
		if (text == first || numbers[i] > UINT16_MAX || *text != (i ? '\0' : 'x'))
			return false;
		text += !i;
	}
	size->ws_row = (uint16_t)numbers[0];
	size->ws_col = (uint16_t)numbers[1];
	return true;
}

void console_attach(const struct file_ops *ops)
{
	attached = ops;
}

void console_init(bool raw, bool elsewhere)
{
	struct kernel_winsize size = { .ws_row = DEFAULT_ROWS, .ws_col = DEFAULT_COLUMNS };
	char window[16];

	is_raw = raw;
	is_elsewhere = elsewhere;
	input_attach(&listener);
	if (raw) {
		ended = boot_word("noinput");
		return;
	}
	if (screen_is_present() && !serial_is_present(SERIAL_COM1)) {
		unsigned int rows, columns;

		screen_get_size(&rows, &columns);
		size = (struct kernel_winsize){ .ws_row = (uint16_t)rows,
						.ws_col = (uint16_t)columns };
	}
	if (boot_option("window", window, sizeof(window)) && !parse_window(window, &size))
		boot_failure("window=%s: not the size of a window; give ROWSxCOLUMNS", window);
	if (tty_init(&terminal, &console_driver, DEVICE) < 0)
		boot_failure("not enough memory for the console; give the machine more");
	tty_set_size(&terminal, &size);
}

/* Makes the console, if it is a terminal, the controlling terminal of PROCESS. */
void hook_first_process(struct process *process)
{
	if (is_elsewhere && !attached)
		boot_failure(
			"console=virtio: the machine has no virtio console with the ports of a program");
	if (is_raw)
		return;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	tty_set_controlling(&terminal, process);
	spin_unlock_irqrestore(&task_table_lock, state);
}

int console_open(struct inode *inode, struct file *file)
{
	if (!is_raw)
		return tty_open(&terminal, file, false);
	file->ops = is_elsewhere ? attached : &raw_ops;
	return 0;
}
