/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests to a terminal, by table. control.c has those about sessions and groups, pty.c those of
 * pairs.
 *
 * No output is ever pending in a device here, so waiting for output to drain returns at once.
 *
 * Source: ioctl_tty(2).
 */
#include <string.h>

#include <kernel/mm/usercopy.h>
#include <kernel/task/credentials.h>
#include <kernel/tty/tty.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/signal.h>

#include "line.h"
#include "modes.h"
#include "tty.h"

static long put_int(unsigned long user, int value)
{
	return copy_to_user((void *)user, &value, sizeof(value));
}

static long send_break(struct tty *tty, unsigned long argument)
{
	/* A break is a state of a wire, which no device here has. */
	return tty_check_background(tty, SIGTTOU);
}

/* Sends a control character to the other side, unless it is disabled. */
static long send_control(struct tty *tty, unsigned int index)
{
	unsigned long state = spin_lock_irqsave(&tty->lock);
	char byte = (char)tty->line->modes.c_cc[index];

	if (byte)
		tty->driver->put(tty, &byte, 1);
	spin_unlock_irqrestore(&tty->lock, state);
	return 0;
}

static long hold_output(struct tty *tty, bool hold)
{
	unsigned long state = spin_lock_irqsave(&tty->lock);
	bool changed = hold ? line_hold(tty->line) : line_release(tty->line);

	if (changed)
		tty_notify(tty, hold ? LINE_STOPPED : LINE_STARTED);
	spin_unlock_irqrestore(&tty->lock, state);
	if (!hold)
		wait_queue_wake(&tty->writers);
	return 0;
}

static long control_flow(struct tty *tty, unsigned long argument)
{
	int error = tty_check_background(tty, SIGTTOU);

	if (error)
		return error;
	switch (argument) {
	case TCOOFF:
	case TCOON:
		return hold_output(tty, argument == TCOOFF);
	case TCIOFF:
	case TCION:
		return send_control(tty, argument == TCIOFF ? VSTOP : VSTART);
	default:
		return -EINVAL;
	}
}

static long flush(struct tty *tty, unsigned long argument)
{
	int error = tty_check_background(tty, SIGTTOU);

	if (error)
		return error;
	if (argument > TCIOFLUSH)
		return -EINVAL;
	unsigned long state = spin_lock_irqsave(&tty->lock);

	if (argument != TCOFLUSH)
		tty_flush_input(tty);
	if (argument != TCIFLUSH && tty->driver->flush_output) {
		tty->driver->flush_output(tty);
		if (tty->driver->notify)
			tty->driver->notify(tty, TIOCPKT_FLUSHWRITE);
	}
	spin_unlock_irqrestore(&tty->lock, state);
	if (tty->driver->pull)
		tty->driver->pull(tty);
	wait_queue_wake(&tty->writers);
	return 0;
}

static long set_exclusive(struct tty *tty, unsigned long argument)
{
	tty->exclusive = true;
	return 0;
}

static long clear_exclusive(struct tty *tty, unsigned long argument)
{
	tty->exclusive = false;
	return 0;
}

static long get_exclusive(struct tty *tty, unsigned long argument)
{
	return put_int(argument, tty->exclusive);
}

static long count_output(struct tty *tty, unsigned long argument)
{
	return put_int(argument, 0);
}

static long count_input(struct tty *tty, unsigned long argument)
{
	unsigned long state = spin_lock_irqsave(&tty->lock);
	int count = (int)line_readable_count(tty->line);

	spin_unlock_irqrestore(&tty->lock, state);
	return put_int(argument, count);
}

/* Inserts the byte as if it had been typed. Linux's default for dev.tty.legacy_tiocsti is 0: otherwise
 * a user could type commands into the terminal of a privileged program. */
static long type(struct tty *tty, unsigned long argument)
{
	uint8_t byte;

	if (!capable(CAP_SYS_ADMIN))
		return -EIO;
	if (copy_from_user(&byte, (const void *)argument, 1))
		return -EFAULT;
	if (tty_room(tty) == 0)
		return 0;
	unsigned long state = arch_irq_save();

	tty_receive(tty, byte);
	arch_irq_restore(state);
	return 0;
}

static long get_size(struct tty *tty, unsigned long argument)
{
	unsigned long state = spin_lock_irqsave(&tty->lock);
	struct kernel_winsize size = tty->size;

	spin_unlock_irqrestore(&tty->lock, state);
	return copy_to_user((void *)argument, &size, sizeof(size));
}

void tty_set_size(struct tty *tty, const struct kernel_winsize *size)
{
	unsigned long state = spin_lock_irqsave(&tty->lock);
	bool changed = memcmp(&tty->size, size, sizeof(*size)) != 0;

	tty->size = *size;
	spin_unlock_irqrestore(&tty->lock, state);
	if (changed)
		tty_signal_foreground(tty, SIGWINCH);
}

static long set_size(struct tty *tty, unsigned long argument)
{
	struct kernel_winsize size;

	if (copy_from_user(&size, (const void *)argument, sizeof(size)))
		return -EFAULT;
	tty_set_size(tty, &size);
	return 0;
}

/* The only line discipline: N_TTY. */
static long get_discipline(struct tty *tty, unsigned long argument)
{
	return put_int(argument, 0);
}

static long set_discipline(struct tty *tty, unsigned long argument)
{
	int number;

	if (copy_from_user(&number, (const void *)argument, sizeof(number)))
		return -EFAULT;
	return number ? -EINVAL : 0;
}

static long get_device(struct tty *tty, unsigned long argument)
{
	return put_int(argument, (int)tty->device);
}

static long get_carrier(struct tty *tty, unsigned long argument)
{
	return put_int(argument, tty->line->modes.c_cflag & CLOCAL ? 1 : 0);
}

static long set_carrier(struct tty *tty, unsigned long argument)
{
	int on;

	if (copy_from_user(&on, (const void *)argument, sizeof(on)))
		return -EFAULT;
	unsigned long state = spin_lock_irqsave(&tty->lock);
	uint32_t *modes = &tty->line->modes.c_cflag;

	*modes = on ? *modes | CLOCAL : *modes & ~(uint32_t)CLOCAL;
	spin_unlock_irqrestore(&tty->lock, state);
	return 0;
}

/* A slave has no peer to open. */
static long refuse_peer(struct tty *tty, unsigned long argument)
{
	return -EIO;
}

static long hang_up(struct tty *tty, unsigned long argument)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	tty_hang_up(tty, false);
	return 0;
}

static long get_locked(struct tty *tty, unsigned long argument)
{
	return tty_modes_get_locked(tty, (void *)argument);
}

static long set_locked(struct tty *tty, unsigned long argument)
{
	return tty_modes_set_locked(tty, (const void *)argument);
}

static const struct {
	unsigned int command;
	long (*act)(struct tty *tty, unsigned long argument);
} requests[] = {
	{ TCSBRK, send_break },		{ TCSBRKP, send_break },
	{ TCXONC, control_flow },	{ TCFLSH, flush },
	{ TIOCEXCL, set_exclusive },	{ TIOCNXCL, clear_exclusive },
	{ TIOCGEXCL, get_exclusive },	{ TIOCOUTQ, count_output },
	{ FIONREAD, count_input },	{ TIOCSTI, type },
	{ TIOCGWINSZ, get_size },	{ TIOCSWINSZ, set_size },
	{ TIOCGETD, get_discipline },	{ TIOCSETD, set_discipline },
	{ TIOCGDEV, get_device },	{ TIOCGSOFTCAR, get_carrier },
	{ TIOCSSOFTCAR, set_carrier },	{ TIOCVHANGUP, hang_up },
	{ TIOCSBRK, send_break },	{ TIOCCBRK, send_break },
	{ TIOCGPTPEER, refuse_peer },	{ TIOCGLCKTRMIOS, get_locked },
	{ TIOCSLCKTRMIOS, set_locked },
};

/* The twelve requests to get and set modes. */
static const struct {
	unsigned int command;
	enum tty_modes_form form;
	bool set, flush;
} mode_requests[] = {
	{ TCGETA, TTY_MODES_TERMIO, false, false },    { TCSETA, TTY_MODES_TERMIO, true, false },
	{ TCSETAW, TTY_MODES_TERMIO, true, false },    { TCSETAF, TTY_MODES_TERMIO, true, true },
	{ TCGETS, TTY_MODES_TERMIOS, false, false },   { TCSETS, TTY_MODES_TERMIOS, true, false },
	{ TCSETSW, TTY_MODES_TERMIOS, true, false },   { TCSETSF, TTY_MODES_TERMIOS, true, true },
	{ TCGETS2, TTY_MODES_TERMIOS2, false, false }, { TCSETS2, TTY_MODES_TERMIOS2, true, false },
	{ TCSETSW2, TTY_MODES_TERMIOS2, true, false }, { TCSETSF2, TTY_MODES_TERMIOS2, true, true },
};

long tty_ioctl(struct tty *tty, struct tty *caller, struct file *file, unsigned int command,
	       unsigned long argument)
{
	for (size_t i = 0; i < sizeof(mode_requests) / sizeof(mode_requests[0]); i++) {
		if (mode_requests[i].command != command)
			continue;
		if (!mode_requests[i].set)
			return tty_modes_get(tty, mode_requests[i].form, (void *)argument);
		return tty_modes_set(tty, mode_requests[i].form, (const void *)argument,
				     mode_requests[i].flush);
	}
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		if (requests[i].command == command)
			return requests[i].act(tty, argument);
	return tty_control_ioctl(tty, caller, file, command, argument);
}
