/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Terminals: a device, the line discipline before it, who is controlled by it.
 *
 * A terminal is a file to programs (kernel/tty/tty.c), a target of requests (ioctl.c) and, for a
 * session, the controlling terminal (control.c). Its device is behind a table of functions: the
 * console (console.c) or the master side of a pair (pty.c).
 *
 * Locks, outermost first: task_table_lock (T), tty->lock (L, irqsave), a wait queue's. The two
 * mutexes are outside of both. Signals need T and are sent with no tty->lock held.
 */
#ifndef KERNEL_TTY_H
#define KERNEL_TTY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/spinlock.h>
#include <kernel/wait.h>
#include <uapi/linux/termios.h>

struct file;
struct inode;
struct line;
struct process;
struct process_group;
struct session;
struct tty;

struct tty_driver {
	/* Takes up to SIZE bytes; returns how many. L held. */
	size_t (*put)(struct tty *tty, const char *bytes, size_t size);
	/* How many bytes put would take now. L held. */
	size_t (*room)(struct tty *tty);
	/* Most bytes of a write that are sent without letting interrupts in. */
	size_t piece;
	/* The end of the session is no hang-up: only the foreground is told. */
	bool survives_session;

	/* All that follows may be NULL. */
	/* Readers made room: what the device held back may come. Task context, no lock held. */
	void (*pull)(struct tty *tty);
	/* Output that the device has not shown yet is thrown away. L held. */
	void (*flush_output)(struct tty *tty);
	/* EVENTS (TIOCPKT_*) happened that packet mode tells about. L held. */
	void (*tell)(struct tty *tty, unsigned int events);
	/* Corrects modes that the device cannot have. */
	void (*limit_modes)(struct kernel_termios2 *modes);
	/* The first file was opened, the last one closed. Task context, no lock held. */
	void (*opened)(struct tty *tty);
	void (*closed)(struct tty *tty);
	/* The last reference is gone: frees the terminal. Any context but NMI. */
	void (*free)(struct tty *tty);
};

struct tty {
	const struct tty_driver *driver;
	void *device_data; /* the driver's */
	uint32_t device;   /* as TIOCGDEV and stat show it: major << 8 | minor */
	_Atomic unsigned int references;

	struct spinlock lock;
	struct line *line;		    /* L; the pointer is constant */
	struct kernel_termios locked_modes; /* L: bits set here do not change: TIOCSLCKTRMIOS */
	struct kernel_winsize size;	    /* L */
	unsigned int opens;		    /* L: open files */
	bool exclusive;			    /* L: TIOCEXCL */
	bool gone;		       /* L: its device is no more: a pair's master was closed */
	_Atomic unsigned int hang_ups; /* written under L; files opened before are dead */

	struct wait_queue readers; /* input, or the end of it */
	struct wait_queue writers; /* room for output */
	struct mutex read_mutex;   /* what one read takes stays together */
	struct mutex write_mutex;

	struct session *session;	  /* T: that it controls, or NULL */
	struct process_group *foreground; /* T: referenced, or NULL */
};

/* Makes TTY, which is zeroed, ready; one reference. -ENOMEM. Task context. */
int tty_init(struct tty *tty, const struct tty_driver *driver, void *device_data, uint32_t device);
/* Frees what tty_init made; for driver->free. Any context but NMI. */
void tty_destroy(struct tty *tty);
/* One more reference; dropping one. Any context but NMI. */
void tty_get(struct tty *tty);
/* One more reference, unless the last one is gone: for who finds TTY in a table that free clears. */
bool tty_get_unless_dead(struct tty *tty);
void tty_put(struct tty *tty);

/* FILE, new, becomes a file of TTY. A session leader without a terminal gets it as its own, unless
 * FILE has O_NOCTTY or KEEP_FREE. 0, -EBUSY (TIOCEXCL), -ENOMEM. Task context. */
int tty_open(struct tty *tty, struct file *file, bool keep_free);

/* The terminal of FILE with a reference, or NULL if it has none. Task context. */
struct tty *tty_of_file(struct file *file);

/* The device has a byte; tty_room is not 0. Interrupts off. */
void tty_receive(struct tty *tty, uint8_t byte);
/* How many bytes tty_receive can take. Any context but NMI. */
size_t tty_room(struct tty *tty);
/* The device has room for output again. Task and interrupt context, no lock held. */
void tty_wake_writers(struct tty *tty);

/* The device went away: open files read an end of file and cannot be written to, the session that
 * TTY controls loses it and its leader gets SIGHUP; the foreground group too if the SESSION_ENDS. */
void tty_hang_up(struct tty *tty, bool session_ends);

/* A new window size: told to the foreground group (SIGWINCH). Task context. */
void tty_set_size(struct tty *tty, const struct kernel_winsize *size);

/* A request to TTY; CALLER is what the file is open on: TTY, or NULL at a pair's master, where TTY
 * is the other side. A negative error, or 0. Task context. */
long tty_ioctl(struct tty *tty, struct tty *caller, struct file *file, unsigned int command,
	       unsigned long argument);

/* ---- control.c: the controlling terminal ---- */

/* Why the running task may not use TTY in the way whose signal is SIGTTIN or SIGTTOU: 0, -EIO, or
 * -EINTR after its group was sent SIGNAL. Task context. */
int tty_check_background(struct tty *tty, int signal);
/* Sends SIGNAL to TTY's foreground group. Task and interrupt context. */
void tty_signal_foreground(struct tty *tty, int signal);
/* Makes TTY, which controls nobody, the terminal of PROCESS, a session leader without one. T held. */
void tty_set_controlling(struct tty *tty, struct process *process);
/* PROCESS has no controlling terminal any more. T held. */
void tty_forget_controlling(struct process *process);
/* PROCESS, a session leader, ends or gives its terminal up (TIOCNOTTY). T held. */
void tty_leave_session(struct process *process, bool exiting);
/* The rest of a hang-up: see tty_hang_up. T held. */
void tty_disconnect_session(struct tty *tty, bool session_ends);
/* The running task's controlling terminal with a reference, or NULL. Task context. */
struct tty *tty_get_controlling(void);
/* Number of PROCESS's controlling terminal as /proc shows it; 0: none. T held. */
uint32_t tty_number(const struct process *process);
/* The requests about sessions and groups: TIOCSCTTY, TIOCNOTTY, TIOCGPGRP, TIOCSPGRP, TIOCGSID.
 * -ENOTTY for others. */
long tty_control_ioctl(struct tty *tty, struct tty *caller, struct file *file, unsigned int command,
		       unsigned long argument);

#endif
