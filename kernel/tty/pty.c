/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs of terminals: bytes written to the master are typed at the slave, bytes written to the slave
 * are read from the master.
 *
 * The slave is a terminal (struct tty) whose device is this file. The master is not a terminal but a
 * file with two rings: `shown` takes the slave's output and echo, `typed` takes input that the line
 * discipline has no room for yet. A pair lives until both sides are closed, and so does its number. The
 * number is also the slave's name below /dev/pts, but the name is removed when the master is closed.
 *
 * Closing: without a slave (once there was one) the master reads the remaining bytes, then EIO. Closing
 * the master hangs the slave up.
 *
 * Locks: the slave's tty->lock (L) for all of a pair; pairs_lock, innermost, for the numbers.
 */
#include <kernel/tty/pty.h>

#include <kernel/base/tree.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/signal.h>
#include <kernel/tty/tty.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>

#include "line.h"
#include "tty.h"

/* Like Linux: kernel.pty.max. */
#define PAIRS_MAX   4096
/* A ring's bytes; a power of two. */
#define RING_SIZE   8192u
#define CHUNK	    256
#define SLAVE_MAJOR 136
/* Bytes of output that a slave sends under its lock. */
#define PIECE	    256
/* The status bits that a new packet-mode status replaces. */
#define FLOW_STATUS (TIOCPKT_STOP | TIOCPKT_START)
#define MODE_STATUS (TIOCPKT_NOSTOP | TIOCPKT_DOSTOP)

struct ring {
	char bytes[RING_SIZE];
	uint32_t read_at, write_at; /* run freely */
};

struct pty {
	struct tty slave; /* first: the slave's address is also its pair's */
	unsigned int number;
	struct dentry *name;	 /* below /dev/pts, while the master is open; referenced */
	RB_ENTRY(pty) by_number; /* pairs_lock */

	struct ring shown, typed;  /* L */
	bool locked;		   /* L: the slave cannot be opened yet */
	bool slave_closed;	   /* L: was open and is closed again */
	bool held;		   /* L: TCXONC: no byte is typed */
	bool packet;		   /* L: reads of the master start with a TIOCPKT_* byte */
	uint8_t status;		   /* L: TIOCPKT_* bits that the master has not read */
	struct wait_queue readers; /* of the master */
	struct wait_queue writers; /* to the master */
};

static struct spinlock pairs_lock = SPINLOCK_INITIALIZER;
static RB_HEAD(pair_tree, pty) pairs; /* pairs_lock */

static int compare(struct pty *a, struct pty *b)
{
	return a->number < b->number ? -1 : a->number > b->number;
}

RB_GENERATE_STATIC(pair_tree, pty, by_number, compare)

/* ---- rings ---- */

static uint32_t filled(const struct ring *ring)
{
	return ring->write_at - ring->read_at;
}

static size_t put_ring(struct ring *ring, const char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size && filled(ring) < RING_SIZE)
		ring->bytes[ring->write_at++ % RING_SIZE] = bytes[done++];
	return done;
}

static size_t take_ring(struct ring *ring, char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size && filled(ring))
		bytes[done++] = ring->bytes[ring->read_at++ % RING_SIZE];
	return done;
}

/* ---- the slave's device ---- */

static struct pty *pair_of(struct tty *slave)
{
	return (struct pty *)slave;
}

static size_t show(struct tty *slave, const char *bytes, size_t size)
{
	struct pty *pty = pair_of(slave);
	size_t done = put_ring(&pty->shown, bytes, size);

	wait_queue_wake(&pty->readers);
	return done;
}

static size_t show_room(struct tty *slave)
{
	return RING_SIZE - filled(&pair_of(slave)->shown);
}

static void flush_shown(struct tty *slave)
{
	struct ring *shown = &pair_of(slave)->shown;

	shown->read_at = shown->write_at;
}

static void set_packet_status(struct tty *slave, unsigned int events)
{
	struct pty *pty = pair_of(slave);

	if (!pty->packet)
		return;
	if (events & FLOW_STATUS)
		pty->status &= (uint8_t)~FLOW_STATUS;
	if (events & MODE_STATUS)
		pty->status &= (uint8_t)~MODE_STATUS;
	pty->status |= (uint8_t)events;
	wait_queue_wake(&pty->readers);
}

static void limit_modes(struct kernel_termios2 *modes)
{
	modes->c_cflag &= ~(uint32_t)(CSIZE | PARENB);
	modes->c_cflag |= CS8 | CREAD;
}

/* Gives the line discipline one typed byte. False: no byte is left, or no room. *READY: a reader can
 * read. */
static bool feed_one(struct pty *pty, bool *ready)
{
	struct tty *slave = &pty->slave;
	unsigned long state = spin_lock_irqsave(&slave->lock);
	unsigned int happened = 0;
	char byte;
	bool more = line_room(slave->line) && take_ring(&pty->typed, &byte, 1);

	if (more) {
		happened = line_receive(slave->line, (uint8_t)byte);
		tty_notify(slave, happened);
	}
	*ready = line_is_ready(slave->line, 1);
	spin_unlock_irqrestore(&slave->lock, state);
	tty_act(slave, happened);
	return more;
}

static void feed(struct tty *slave)
{
	struct pty *pty = pair_of(slave);
	bool ready, any = false;

	while (feed_one(pty, &ready))
		any = true;
	if (ready)
		wait_queue_wake(&slave->readers);
	if (any)
		wait_queue_wake(&pty->writers);
}

static void set_slave_closed(struct tty *slave, bool closed)
{
	struct pty *pty = pair_of(slave);
	unsigned long state = spin_lock_irqsave(&slave->lock);

	pty->slave_closed = closed;
	spin_unlock_irqrestore(&slave->lock, state);
	wait_queue_wake(&pty->readers);
	wait_queue_wake(&pty->writers);
}

static void slave_opened(struct tty *slave)
{
	set_slave_closed(slave, false);
}

static void slave_closed(struct tty *slave)
{
	set_slave_closed(slave, true);
}

static void free_pair(struct tty *slave)
{
	struct pty *pty = pair_of(slave);
	unsigned long state = spin_lock_irqsave(&pairs_lock);

	RB_REMOVE(pair_tree, &pairs, pty);
	spin_unlock_irqrestore(&pairs_lock, state);
	tty_destroy(slave);
	kfree(pty);
}

static const struct tty_driver slave_driver = {
	.put = show,
	.room = show_room,
	.piece = PIECE,
	.survives_session = true,
	.pull = feed,
	.flush_output = flush_shown,
	.notify = set_packet_status,
	.limit_modes = limit_modes,
	.opened = slave_opened,
	.closed = slave_closed,
	.free = free_pair,
};

/* ---- the master ---- */

/* Takes the result of a read of the master that does not wait: bytes, 0 if there are none, or -EIO. */
static ssize_t take_shown(struct pty *pty, char *bytes, size_t size)
{
	ssize_t count = 0;
	unsigned long state = spin_lock_irqsave(&pty->slave.lock);

	if (pty->packet && pty->status) {
		bytes[0] = (char)pty->status;
		pty->status = 0;
		count = 1;
	} else if (filled(&pty->shown)) {
		if (pty->packet)
			bytes[count++] = TIOCPKT_DATA;
		count += (ssize_t)take_ring(&pty->shown, bytes + count, size - (size_t)count);
	} else if (pty->slave_closed) {
		count = -EIO;
	}
	spin_unlock_irqrestore(&pty->slave.lock, state);
	return count;
}

static ssize_t read_master(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	struct pty *pty = file->private;
	struct wait_entry entry;
	char bytes[CHUNK];
	ssize_t count;

	if (!size)
		return 0;
	wait_queue_add(&pty->readers, &entry);
	do {
		count = take_shown(pty, bytes, size < CHUNK ? size : CHUNK);
		if (count)
			break;
		count = file->flags & O_NONBLOCK ? -EAGAIN : wait_sleep(UINT64_MAX);
	} while (!count);
	wait_queue_remove(&pty->readers, &entry);
	if (count < 0)
		return count;
	tty_wake_writers(&pty->slave);
	return copy_to_user(user_buffer, bytes, (size_t)count) ? -EFAULT : count;
}

/* Types as much of BYTES as fits. */
static size_t type(struct pty *pty, const char *bytes, size_t size)
{
	unsigned long state = spin_lock_irqsave(&pty->slave.lock);
	size_t done = pty->held ? 0 : put_ring(&pty->typed, bytes, size);

	spin_unlock_irqrestore(&pty->slave.lock, state);
	feed(&pty->slave);
	return done;
}

static ssize_t write_master(struct file *file, const void *user_buffer, size_t size,
			    uint64_t *position)
{
	struct pty *pty = file->private;
	const char *user = user_buffer;
	struct wait_entry entry;
	char bytes[CHUNK];
	size_t done = 0;
	int error = 0;

	wait_queue_add(&pty->writers, &entry);
	while (done < size && !error) {
		size_t part = size - done < CHUNK ? size - done : CHUNK;

		if (copy_from_user(bytes, user + done, part)) {
			error = -EFAULT;
			break;
		}
		size_t went = type(pty, bytes, part);

		done += went;
		if (went == part)
			continue;
		error = file->flags & O_NONBLOCK ? -EAGAIN : wait_sleep(UINT64_MAX);
	}
	wait_queue_remove(&pty->writers, &entry);
	return done ? (ssize_t)done : error;
}

static unsigned int poll_master(struct file *file, struct poll_table *table)
{
	struct pty *pty = file->private;
	unsigned int ready = 0;

	poll_wait(table, &pty->readers);
	poll_wait(table, &pty->writers);
	unsigned long state = spin_lock_irqsave(&pty->slave.lock);

	if (filled(&pty->shown))
		ready |= POLLIN | POLLRDNORM;
	if (pty->packet && pty->status)
		ready |= POLLPRI | POLLIN | POLLRDNORM;
	if (pty->slave_closed)
		ready |= POLLHUP;
	if (!pty->held && filled(&pty->typed) < RING_SIZE)
		ready |= POLLOUT | POLLWRNORM;
	spin_unlock_irqrestore(&pty->slave.lock, state);
	return ready;
}

static void close_master(struct file *file)
{
	struct pty *pty = file->private;
	unsigned long state = spin_lock_irqsave(&pty->slave.lock);

	pty->slave.gone = true;
	spin_unlock_irqrestore(&pty->slave.lock, state);
	pty_name_remove(pty->name);
	tty_hang_up(&pty->slave, false);
	tty_put(&pty->slave);
}

/* ---- requests to the master ---- */

static long get_flag(struct pty *pty, unsigned long user, const bool *flag)
{
	int value = *flag;

	return copy_to_user((void *)user, &value, sizeof(value));
}

static long set_flag(struct pty *pty, unsigned long user, bool *flag)
{
	int value;

	if (copy_from_user(&value, (const void *)user, sizeof(value)))
		return -EFAULT;
	unsigned long state = spin_lock_irqsave(&pty->slave.lock);

	if (flag == &pty->packet && value && !pty->packet)
		pty->status = 0;
	*flag = value != 0;
	spin_unlock_irqrestore(&pty->slave.lock, state);
	return 0;
}

static long send_signal(struct pty *pty, unsigned long signal)
{
	if (signal < 1 || signal > SIGNALS_MAX)
		return -EINVAL;
	tty_signal_foreground(&pty->slave, (int)signal);
	return 0;
}

static long count_shown(struct pty *pty, unsigned long user)
{
	unsigned long state = spin_lock_irqsave(&pty->slave.lock);
	int count = (int)filled(&pty->shown);

	spin_unlock_irqrestore(&pty->slave.lock, state);
	return copy_to_user((void *)user, &count, sizeof(count));
}

/* Input is the slave's output; output is the typed bytes that the slave has not taken. */
static long flush(struct pty *pty, unsigned long which)
{
	if (which > TCIOFLUSH)
		return -EINVAL;
	unsigned long state = spin_lock_irqsave(&pty->slave.lock);

	if (which != TCOFLUSH)
		pty->shown.read_at = pty->shown.write_at;
	if (which != TCIFLUSH)
		pty->typed.read_at = pty->typed.write_at;
	spin_unlock_irqrestore(&pty->slave.lock, state);
	tty_wake_writers(&pty->slave);
	wait_queue_wake(&pty->writers);
	return 0;
}

static long control_flow(struct pty *pty, unsigned long what)
{
	static const char stop = 'S' & 0x1f, start = 'Q' & 0x1f;

	switch (what) {
	case TCOOFF:
	case TCOON:
		pty->held = what == TCOOFF;
		wait_queue_wake(&pty->writers);
		return 0;
	case TCIOFF:
	case TCION:
		type(pty, what == TCIOFF ? &stop : &start, 1);
		return 0;
	default:
		return -EINVAL;
	}
}

/* Opens the slave without a look-up of its name: TIOCGPTPEER. */
static long open_peer(struct pty *pty, unsigned long flags)
{
	struct file *file;
	long result = dentry_open(pty->name, (unsigned int)flags & ~(unsigned int)O_CLOEXEC, &file);

	if (result)
		return result;
	return fd_install_or_put(file, flags & O_CLOEXEC);
}

static long ioctl_master(struct file *file, unsigned int command, unsigned long argument)
{
	struct pty *pty = file->private;
	unsigned int number = pty->number;

	switch (command) {
	case TIOCGPTN:
		return copy_to_user((void *)argument, &number, sizeof(number));
	case TIOCGPTLCK:
		return get_flag(pty, argument, &pty->locked);
	case TIOCSPTLCK:
		return set_flag(pty, argument, &pty->locked);
	case TIOCGPKT:
		return get_flag(pty, argument, &pty->packet);
	case TIOCPKT:
		return set_flag(pty, argument, &pty->packet);
	case TIOCSIG:
		return send_signal(pty, argument);
	case TIOCGPTPEER:
		return open_peer(pty, argument);
	case FIONREAD:
		return count_shown(pty, argument);
	case TCFLSH:
		return flush(pty, argument);
	case TCXONC:
		return control_flow(pty, argument);
	default:
		return tty_ioctl(&pty->slave, NULL, file, command, argument);
	}
}

static const struct file_ops master_ops = {
	.read = read_master,
	.write = write_master,
	.ioctl = ioctl_master,
	.poll = poll_master,
	.release = close_master,
};

/* ---- opening ---- */

/* Gives PTY the least free number. pairs_lock held. */
static bool take_number(struct pty *pty)
{
	struct pty *other;
	unsigned int number = 0;

	RB_FOREACH(other, pair_tree, &pairs) {
		if (other->number != number)
			break;
		number++;
	}
	if (number == PAIRS_MAX)
		return false;
	pty->number = number;
	RB_INSERT(pair_tree, &pairs, pty);
	return true;
}

int pty_open_master(struct file *file)
{
	struct pty *pty = kzalloc(sizeof(*pty));

	if (!pty || tty_init(&pty->slave, &slave_driver, 0) < 0) {
		kfree(pty);
		return -ENOMEM;
	}
	limit_modes(&pty->slave.line->modes);
	pty->slave.line->modes.c_cflag &= ~(uint32_t)HUPCL;
	pty->locked = true;
	wait_queue_init(&pty->readers);
	wait_queue_init(&pty->writers);
	unsigned long state = spin_lock_irqsave(&pairs_lock);
	bool numbered = take_number(pty);

	spin_unlock_irqrestore(&pairs_lock, state);
	if (!numbered) {
		tty_destroy(&pty->slave);
		kfree(pty);
		return -ENOSPC;
	}
	pty->slave.device = SLAVE_MAJOR << 8 | (pty->number & 0xff) | (pty->number & ~0xffu) << 12;
	pty->name = pty_name_create(pty->number);
	if (!pty->name) {
		tty_put(&pty->slave);
		return -ENOMEM;
	}
	file->private = pty;
	file->ops = &master_ops;
	return 0;
}

/* Returns the pair with this number and a reference, or NULL. */
static struct pty *find(unsigned int number)
{
	unsigned long state = spin_lock_irqsave(&pairs_lock);
	struct pty *pty = RB_ROOT(&pairs);

	/* Not RB_FIND: its key would be a whole pair, too large for a kernel stack. */
	while (pty && pty->number != number)
		pty = number < pty->number ? RB_LEFT(pty, by_number) : RB_RIGHT(pty, by_number);

	/* A pair that is being freed does not count. */
	if (pty && !tty_get_unless_dead(&pty->slave))
		pty = NULL;
	spin_unlock_irqrestore(&pairs_lock, state);
	return pty;
}

int pty_open_slave(unsigned int number, struct file *file)
{
	struct pty *pty = find(number);
	int error = -EIO;

	if (!pty)
		return -EIO;
	unsigned long state = spin_lock_irqsave(&pty->slave.lock);
	bool open = !pty->locked && !pty->slave.gone;

	spin_unlock_irqrestore(&pty->slave.lock, state);
	if (open)
		error = tty_open(&pty->slave, file, false);
	tty_put(&pty->slave);
	return error;
}
