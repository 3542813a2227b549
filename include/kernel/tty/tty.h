/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Terminals: a device, its line discipline, and the session that it controls.
 *
 * A terminal is a file to programs (kernel/tty/tty.c), a target of requests (ioctl.c) and, for a
 * session, the controlling terminal (control.c). A table of functions hides its device: the console
 * (console.c) or the master side of a pair (pty.c).
 *
 * Locks, outermost first: task_table_lock (T), tty->lock (L, irqsave), a wait queue's. The two mutexes
 * are outside of both. Signals need T and are sent without tty->lock.
 */
#ifndef KERNEL_TTY_H
#define KERNEL_TTY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/base/spinlock.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/termios.h>

struct file;
struct inode;
struct line;
struct process;
struct process_group;
struct session;
struct tty;

struct tty_driver {
	/* Takes up to SIZE bytes; returns how many. tty->lock held. */
	size_t (*put)(struct tty *tty, const char *bytes, size_t size);
	/* Returns how many bytes put would take now. tty->lock held. */
	size_t (*room)(struct tty *tty);
	/* Most bytes of a write that are sent with interrupts off. */
	size_t piece;
	/* The end of the session is not a hang-up: only the foreground group gets the signal. */
	bool survives_session;

	/* All that follows may be NULL. */
	/* Readers made room: the device can deliver the input that it held back. Task context, no lock
	 * held. */
	void (*pull)(struct tty *tty);
	/* Discards output that the device has not shown yet. tty->lock held. */
	void (*flush_output)(struct tty *tty);
	/* Reports EVENTS (TIOCPKT_*) to packet mode. tty->lock held. */
	void (*notify)(struct tty *tty, unsigned int events);
	/* Corrects modes that the device cannot have. */
	void (*limit_modes)(struct kernel_termios2 *modes);
	/* The first file was opened; the last one was closed. Task context, no lock held. */
	void (*opened)(struct tty *tty);
	void (*closed)(struct tty *tty);
	/* The last reference was dropped: frees the terminal. Any context but NMI. */
	void (*free)(struct tty *tty);
};

struct tty {
	const struct tty_driver *driver;
	uint32_t device; /* as in TIOCGDEV and stat: major << 8 | minor */
	_Atomic unsigned int references;

	struct spinlock lock;
	struct line *line; /* L; the pointer is constant */
	struct kernel_termios
		locked_modes; /* L: modes whose bits are set here do not change: TIOCSLCKTRMIOS */
	struct kernel_winsize size;    /* L */
	unsigned int opens;	       /* L: open files */
	bool exclusive;		       /* L: TIOCEXCL */
	bool gone;		       /* L: its device is gone: a pair's master was closed */
	_Atomic unsigned int hang_ups; /* written under L; files opened before are dead */

	struct wait_queue readers; /* wait for input, or its end */
	struct wait_queue writers; /* wait for room for output */
	struct mutex read_mutex;   /* keeps the bytes of one read together */
	struct mutex write_mutex;

	struct session *session;	  /* T: the session that it controls, or NULL */
	struct process_group *foreground; /* T: referenced, or NULL */
};

/* Initialises TTY, which is zeroed; one reference. -ENOMEM. Task context. */
int tty_init(struct tty *tty, const struct tty_driver *driver, uint32_t device);
/* Frees what tty_init allocated; for driver->free. Any context but NMI. */
void tty_destroy(struct tty *tty);
/* Takes a reference; tty_put drops one. Any context but NMI. */
void tty_get(struct tty *tty);
/* Takes a reference, unless the last one has been dropped: for a search of a table that free clears. */
bool tty_get_unless_dead(struct tty *tty);
void tty_put(struct tty *tty);

/* Opens FILE, a new one, on TTY. A session leader without a terminal acquires TTY, unless FILE has
 * O_NOCTTY or KEEP_FREE is set. 0, -EBUSY (TIOCEXCL), -ENOMEM. Task context. */
int tty_open(struct tty *tty, struct file *file, bool keep_free);

/* Returns the terminal of FILE with a reference, or NULL if it has none. Task context. */
struct tty *tty_of_file(struct file *file);

/* Takes a byte from the device; tty_room is not 0. Interrupts off. */
void tty_receive(struct tty *tty, uint8_t byte);
/* Returns how many bytes tty_receive can take. Any context but NMI. */
size_t tty_room(struct tty *tty);
/* The device has room for output again. Task and interrupt context, no lock held. */
void tty_wake_writers(struct tty *tty);

/* The device is gone: open files read an end of file and cannot be written to. The session that TTY
 * controls loses it and its leader gets SIGHUP; so does the foreground group if SESSION_ENDS. */
void tty_hang_up(struct tty *tty, bool session_ends);

/* Sets a new window size and sends SIGWINCH to the foreground group. Task context. */
void tty_set_size(struct tty *tty, const struct kernel_winsize *size);

/* Performs a request to TTY. CALLER is the terminal that the file is open on: TTY, or NULL at a pair's
 * master, whose other side is TTY. A negative error, or 0. Task context. */
long tty_ioctl(struct tty *tty, struct tty *caller, struct file *file, unsigned int command,
	       unsigned long argument);

/* ---- control.c: the controlling terminal ---- */

/* Returns why the running task may not use TTY in the way whose signal is SIGTTIN or SIGTTOU: 0 (it
 * may), -EIO, or -EINTR after SIGNAL was sent to its group. Task context. */
int tty_check_background(struct tty *tty, int signal);
/* Sends SIGNAL to TTY's foreground group. Task and interrupt context. */
void tty_signal_foreground(struct tty *tty, int signal);
/* Makes TTY, which controls no session, the terminal of PROCESS, a session leader without one.
 * task_table_lock held. */
void tty_set_controlling(struct tty *tty, struct process *process);
/* The rest of a hang-up: see tty_hang_up. task_table_lock held. */
void tty_disconnect_session(struct tty *tty, bool session_ends);
/* Returns the running task's controlling terminal with a reference, or NULL. Task context. */
struct tty *tty_get_controlling(void);
/* Returns the number of PROCESS's controlling terminal as /proc shows it; 0: none. task_table_lock
 * held. */
uint32_t tty_number(const struct process *process);
/* Performs the requests about sessions and groups: TIOCSCTTY, TIOCNOTTY, TIOCGPGRP, TIOCSPGRP,
 * TIOCGSID. -ENOTTY for others. */
long tty_control_ioctl(struct tty *tty, struct tty *caller, struct file *file, unsigned int command,
		       unsigned long argument);

#endif
