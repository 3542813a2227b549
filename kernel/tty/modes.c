/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Getting and setting a terminal's modes, in three different structures, and their speeds.
 *
 * Lock: tty->lock while modes are copied; never held during a copy from or to user memory.
 */
#include "modes.h"

#include <string.h>

#include <kernel/mm/usercopy.h>
#include <kernel/task/credentials.h>
#include <kernel/tty/tty.h>
#include <uapi/linux/capability.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/signal.h>

#include "line.h"
#include "tty.h"

/* Bits per second by c_cflag's CBAUD; from EXTENDED on with CBAUDEX. Linux's asm-generic/termbits.h. */
static const uint32_t speeds[] = {
	0,	 50,	  75,	   110,	    134,     150,     200,     300,
	600,	 1200,	  1800,	   2400,    4800,    9600,    19200,   38400,
	57600,	 115200,  230400,  460800,  500000,  576000,  921600,  1000000,
	1152000, 1500000, 2000000, 2500000, 3000000, 3500000, 4000000,
};

#define EXTENDED 15

/* Returns the speed for CODE, CBAUD's bits; OTHER: the speed given as a number. */
static uint32_t speed_of(uint32_t code, uint32_t other)
{
	size_t index = code & ~(uint32_t)CBAUDEX;

	if (code == BOTHER)
		return other;
	if (code & CBAUDEX)
		index += EXTENDED;
	return index < sizeof(speeds) / sizeof(speeds[0]) ? speeds[index] : 0;
}

static void complete_speeds(struct kernel_termios2 *modes)
{
	uint32_t output = speed_of(modes->c_cflag & CBAUD, modes->c_ospeed);
	uint32_t code = modes->c_cflag >> IBSHIFT & CBAUD;

	modes->c_ispeed = code ? speed_of(code, modes->c_ispeed) : output;
	modes->c_ospeed = output;
}

static struct kernel_termios2 current_modes(struct tty *tty)
{
	unsigned long state = spin_lock_irqsave(&tty->lock);
	struct kernel_termios2 modes = tty->line->modes;

	spin_unlock_irqrestore(&tty->lock, state);
	return modes;
}

static void shrink(struct kernel_termio *old, const struct kernel_termios2 *modes)
{
	*old = (struct kernel_termio){
		.c_iflag = (uint16_t)modes->c_iflag,
		.c_oflag = (uint16_t)modes->c_oflag,
		.c_cflag = (uint16_t)modes->c_cflag,
		.c_lflag = (uint16_t)modes->c_lflag,
		.c_line = modes->c_line,
	};
	memcpy(old->c_cc, modes->c_cc, sizeof(old->c_cc));
}

/* Keeps the upper half. */
static uint32_t lower_half(uint32_t old, uint16_t new)
{
	return (old & 0xffff0000) | new;
}

static void widen(struct kernel_termios2 *modes, const struct kernel_termio *new)
{
	modes->c_iflag = lower_half(modes->c_iflag, new->c_iflag);
	modes->c_oflag = lower_half(modes->c_oflag, new->c_oflag);
	modes->c_cflag = lower_half(modes->c_cflag, new->c_cflag);
	modes->c_lflag = lower_half(modes->c_lflag, new->c_lflag);
	modes->c_line = new->c_line;
	memcpy(modes->c_cc, new->c_cc, sizeof(new->c_cc));
}

long tty_modes_get(struct tty *tty, enum tty_modes_form form, void *user)
{
	struct kernel_termios2 modes = current_modes(tty);
	struct kernel_termio old;

	if (form != TTY_MODES_TERMIO)
		return copy_to_user(user, &modes,
				    form == TTY_MODES_TERMIOS2 ? sizeof(modes) :
								 sizeof(struct kernel_termios));
	shrink(&old, &modes);
	return copy_to_user(user, &old, sizeof(old));
}

/* Returns whether VSTOP and VSTART have the values that a program at the other side of a pair assumes. */
static bool has_usual_flow(const struct kernel_termios2 *modes)
{
	return (modes->c_iflag & IXON) && modes->c_cc[VSTOP] == ('S' & 0x1f) &&
	       modes->c_cc[VSTART] == ('Q' & 0x1f);
}

static uint32_t keep(uint32_t new, uint32_t old, uint32_t locked)
{
	return (new & ~locked) | (old & locked);
}

/* Keeps locked bits as they were. tty->lock held. */
static void keep_locked(const struct tty *tty, struct kernel_termios2 *modes)
{
	const struct kernel_termios *locked = &tty->locked_modes;
	const struct kernel_termios2 *old = &tty->line->modes;

	modes->c_iflag = keep(modes->c_iflag, old->c_iflag, locked->c_iflag);
	modes->c_oflag = keep(modes->c_oflag, old->c_oflag, locked->c_oflag);
	modes->c_cflag = keep(modes->c_cflag, old->c_cflag, locked->c_cflag);
	modes->c_lflag = keep(modes->c_lflag, old->c_lflag, locked->c_lflag);
	if (locked->c_line)
		modes->c_line = old->c_line;
	for (size_t i = 0; i < sizeof(modes->c_cc); i++)
		if (locked->c_cc[i])
			modes->c_cc[i] = old->c_cc[i];
}

long tty_modes_get_locked(struct tty *tty, void *user)
{
	unsigned long state = spin_lock_irqsave(&tty->lock);
	struct kernel_termios locked = tty->locked_modes;

	spin_unlock_irqrestore(&tty->lock, state);
	return copy_to_user(user, &locked, sizeof(locked));
}

long tty_modes_set_locked(struct tty *tty, const void *user)
{
	struct kernel_termios locked;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (copy_from_user(&locked, user, sizeof(locked)))
		return -EFAULT;
	unsigned long state = spin_lock_irqsave(&tty->lock);

	tty->locked_modes = locked;
	spin_unlock_irqrestore(&tty->lock, state);
	return 0;
}

static void apply(struct tty *tty, struct kernel_termios2 *modes, bool flush_input)
{
	unsigned long state = spin_lock_irqsave(&tty->lock);
	struct kernel_termios2 old = tty->line->modes;

	keep_locked(tty, modes);
	bool flow = has_usual_flow(modes), external = (old.c_lflag | modes->c_lflag) & EXTPROC;

	if (flush_input)
		tty_flush_input(tty);
	line_set_modes(tty->line, modes);
	if (tty->driver->notify && flow != has_usual_flow(&old))
		tty->driver->notify(tty, flow ? TIOCPKT_DOSTOP : TIOCPKT_NOSTOP);
	if (tty->driver->notify && external)
		tty->driver->notify(tty, TIOCPKT_IOCTL);
	spin_unlock_irqrestore(&tty->lock, state);
	/* Without line editing, an unfinished line is input like any other. */
	wait_queue_wake(&tty->readers);
	wait_queue_wake(&tty->writers);
}

long tty_modes_set(struct tty *tty, enum tty_modes_form form, const void *user, bool flush_input)
{
	int error = tty_check_background(tty, SIGTTOU);
	struct kernel_termios2 modes = current_modes(tty);
	struct kernel_termio old;

	if (error)
		return error;
	if (form == TTY_MODES_TERMIO) {
		if (copy_from_user(&old, user, sizeof(old)))
			return -EFAULT;
		widen(&modes, &old);
	} else if (copy_from_user(&modes, user,
				  form == TTY_MODES_TERMIOS2 ? sizeof(modes) :
							       sizeof(struct kernel_termios))) {
		return -EFAULT;
	}
	complete_speeds(&modes);
	if (tty->driver->limit_modes)
		tty->driver->limit_modes(&modes);
	apply(tty, &modes, flush_input);
	return 0;
}
