/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console as a file: bytes to and from the driver.
 *
 * Cooked (the default): a terminal. Input is edited by lines and echoed, \n goes out as \r\n; a
 * program can change that with TCSETS. Raw (command line console=raw): bytes as they are, both
 * ways, and no terminal: what a program sees when its standard streams are pipes. Nothing is lost
 * then: while the ring is full, bytes stay in the device. The end of input is final.
 *
 * The interrupt handler does the line editing, so an edited line is what readers find. In a
 * cooked line the end-of-file character is kept as a mark: END_OF_FILE in the ring.
 *
 * Lock: input_lock, irqsave; the wait queue's lock is taken inside. Output: output_mutex, so that
 * what one call writes stays together.
 */
#include <string.h>

#include <kernel/console.h>
#include <kernel/file.h>
#include <kernel/inode.h>
#include <kernel/signal.h>
#include <kernel/spinlock.h>
#include <kernel/task.h>
#include <kernel/usercopy.h>
#include <kernel/wait.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>
#include <uapi/linux/termios.h>

/* Bytes typed ahead; a power of two. As Linux's N_TTY_BUF_SIZE. */
#define RING_SIZE	4096
#define CONTROL(letter) ((letter)&0x1f)
#define DELETE		0x7f
#define CONSOLE_ROWS	24
#define CONSOLE_COLUMNS 80
/* Bytes taken from user space at once. */
#define WRITE_CHUNK	256

enum { END_OF_FILE = 0x100 };

/* The raw console's escape, see console_set_raw. */
enum { DLE = 0x10, EOT = 0x04 };

static struct spinlock input_lock = SPINLOCK_INITIALIZER;
static uint16_t ring[RING_SIZE]; /* I */
static uint32_t read_at;	 /* I: next to read */
static uint32_t ready_at;	 /* I: up to here lines are complete */
static uint32_t write_at;	 /* I: end of the line being typed */
static struct wait_queue input_waiters = { SPINLOCK_INITIALIZER,
					   TAILQ_HEAD_INITIALIZER(input_waiters.entries) };
static struct mutex output_mutex = {
	.waiters = { SPINLOCK_INITIALIZER, TAILQ_HEAD_INITIALIZER(output_mutex.waiters.entries) }
};
static bool is_terminal = true;
static bool escaped; /* I: raw only; the byte before was an escape */

/* I. As Linux sets up a new terminal. */
static struct kernel_termios modes = {
	.c_iflag = ICRNL | IXON,
	.c_oflag = OPOST | ONLCR,
	.c_cflag = B38400 | CS8 | CREAD,
	.c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | IEXTEN,
	.c_cc = { [VINTR] = CONTROL('C'),
		  [VQUIT] = CONTROL('\\'),
		  [VERASE] = DELETE,
		  [VKILL] = CONTROL('U'),
		  [VEOF] = CONTROL('D'),
		  [VMIN] = 1,
		  [VSTART] = CONTROL('Q'),
		  [VSTOP] = CONTROL('S'),
		  [VSUSP] = CONTROL('Z') },
};

void console_set_raw(bool raw)
{
	is_terminal = !raw;
	if (raw) {
		modes.c_iflag = 0;
		modes.c_oflag = 0;
		modes.c_lflag = 0;
	}
}

static void echo(const char *text, size_t size)
{
	if (modes.c_lflag & ECHO)
		console_device_write(text, size);
}

static void put_input(uint16_t value)
{
	if (write_at - read_at < RING_SIZE)
		ring[write_at++ % RING_SIZE] = value;
}

/* One byte of a line that is being edited. */
static void edit_line(uint8_t byte)
{
	char c = (char)byte;

	if (byte == modes.c_cc[VEOF]) {
		put_input(END_OF_FILE);
		ready_at = write_at;
	} else if (byte == modes.c_cc[VERASE] || byte == '\b') {
		if (write_at != ready_at) {
			write_at--;
			echo("\b \b", 3);
		}
	} else if (byte == modes.c_cc[VKILL]) {
		for (; write_at != ready_at; write_at--)
			echo("\b \b", 3);
	} else if (c == '\n') {
		put_input(byte);
		ready_at = write_at;
		echo("\r\n", 2);
	} else {
		put_input(byte);
		echo(&c, 1);
	}
}

/* One byte of a raw console. */
static void take_raw(uint8_t byte)
{
	if (!escaped && byte == DLE) {
		escaped = true;
		return;
	}
	put_input(escaped && byte == EOT ? END_OF_FILE : byte);
	ready_at = write_at;
	escaped = false;
}

bool console_has_room(void)
{
	unsigned long state = spin_lock_irqsave(&input_lock);
	bool room = is_terminal || write_at - read_at < RING_SIZE;

	spin_unlock_irqrestore(&input_lock, state);
	return room;
}

/* The signal a byte stands for, or 0. */
static int signal_of(uint8_t byte)
{
	if (!(modes.c_lflag & ISIG))
		return 0;
	if (byte == modes.c_cc[VINTR])
		return SIGINT;
	return byte == modes.c_cc[VQUIT] ? SIGQUIT : 0;
}

void console_receive(uint8_t byte)
{
	unsigned long state = spin_lock_irqsave(&input_lock);
	int signal = signal_of(byte);

	if ((modes.c_iflag & ICRNL) && byte == '\r')
		byte = '\n';
	if (signal) {
		echo(signal == SIGINT ? "^C\r\n" : "^\\\r\n", 4);
		write_at = ready_at;
	} else if (!is_terminal) {
		take_raw(byte);
	} else if (modes.c_lflag & ICANON) {
		edit_line(byte);
	} else {
		char c = (char)byte;

		put_input(byte);
		ready_at = write_at;
		echo(&c, 1);
	}
	bool ready = ready_at != read_at;

	spin_unlock_irqrestore(&input_lock, state);
	if (signal)
		signal_send_all(signal);
	if (ready)
		wait_queue_wake(&input_waiters);
}

/* Takes up to SIZE bytes that are ready; a line's end or the end-of-file mark ends a cooked
 * read. -1: nothing ready. */
static ssize_t take_input(char *bytes, size_t size)
{
	unsigned long state = spin_lock_irqsave(&input_lock);
	bool lines = modes.c_lflag & ICANON;
	ssize_t count = read_at == ready_at ? -1 : 0;

	while (read_at != ready_at && (size_t)count < size) {
		uint16_t value = ring[read_at % RING_SIZE];

		if (value == END_OF_FILE) {
			if (is_terminal && (count == 0 || lines))
				read_at++;
			break;
		}
		read_at++;
		bytes[count++] = (char)value;
		if (lines && value == '\n')
			break;
	}
	spin_unlock_irqrestore(&input_lock, state);
	return count;
}

static ssize_t read_console(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	char bytes[WRITE_CHUNK];
	struct wait_entry entry;
	ssize_t count;
	int error = 0;

	if (size == 0)
		return 0;
	wait_queue_add(&input_waiters, &entry);
	for (;;) {
		count = take_input(bytes, size < sizeof(bytes) ? size : sizeof(bytes));
		if (count >= 0)
			break;
		error = file->flags & O_NONBLOCK ? -EAGAIN : wait_sleep(UINT64_MAX);
		if (error)
			break;
	}
	wait_queue_remove(&input_waiters, &entry);
	if (error)
		return error;
	if (!is_terminal)
		console_device_receive();
	return copy_to_user(user_buffer, bytes, (size_t)count) ? -EFAULT : count;
}

/* Sends BYTES, each \n as \r\n if the modes say so. */
static void write_translated(const char *bytes, size_t size)
{
	if ((modes.c_oflag & (OPOST | ONLCR)) != (OPOST | ONLCR)) {
		console_device_write(bytes, size);
		return;
	}
	while (size) {
		const char *end = memchr(bytes, '\n', size);
		size_t part = end ? (size_t)(end - bytes) : size;

		console_device_write(bytes, part);
		if (end) {
			console_device_write("\r\n", 2);
			part++;
		}
		bytes += part;
		size -= part;
	}
}

static ssize_t write_console(struct file *file, const void *user_buffer, size_t size,
			     uint64_t *position)
{
	char bytes[WRITE_CHUNK];
	size_t done = 0;
	int error = 0;

	mutex_lock(&output_mutex);
	while (done < size && !error) {
		size_t part = size - done < sizeof(bytes) ? size - done : sizeof(bytes);

		if (signal_is_fatal_pending(task_current()))
			error = -EINTR;
		else
			error = copy_from_user(bytes, (const char *)user_buffer + done, part);
		if (!error) {
			write_translated(bytes, part);
			done += part;
		}
	}
	mutex_unlock(&output_mutex);
	return done ? (ssize_t)done : error;
}

static unsigned int poll_console(struct file *file, struct poll_table *table)
{
	poll_wait(table, &input_waiters);
	unsigned long state = spin_lock_irqsave(&input_lock);
	bool ready = read_at != ready_at;

	spin_unlock_irqrestore(&input_lock, state);
	return POLLOUT | POLLWRNORM | (ready ? POLLIN | POLLRDNORM : 0);
}

static long set_modes(const void *user_modes, bool flush_input)
{
	struct kernel_termios new;

	if (copy_from_user(&new, user_modes, sizeof(new)))
		return -EFAULT;
	unsigned long state = spin_lock_irqsave(&input_lock);

	modes = new;
	/* Without line editing, a line begun is input like any other. */
	if (!(modes.c_lflag & ICANON))
		ready_at = write_at;
	if (flush_input)
		read_at = ready_at = write_at;
	spin_unlock_irqrestore(&input_lock, state);
	return 0;
}

static long console_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	static const struct kernel_winsize size = { .ws_row = CONSOLE_ROWS,
						    .ws_col = CONSOLE_COLUMNS };
	void *user = (void *)argument;

	if (!is_terminal)
		return -ENOTTY;
	switch (command) {
	case TCGETS:
		return copy_to_user(user, &modes, sizeof(modes));
	case TCSETS:
	case TCSETSW:
	case TCSETSF:
		return set_modes(user, command == TCSETSF);
	case TIOCGWINSZ:
		return copy_to_user(user, &size, sizeof(size));
	default:
		return -ENOTTY;
	}
}

static const struct file_ops console_ops = {
	.read = read_console,
	.write = write_console,
	.ioctl = console_ioctl,
	.poll = poll_console,
};

int console_open(struct inode *inode, struct file *file)
{
	file->ops = &console_ops;
	return 0;
}
