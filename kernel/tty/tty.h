/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions shared between the files of kernel/tty/. */
#ifndef KERNEL_TTY_TTY_H
#define KERNEL_TTY_TTY_H

#include <stdbool.h>

struct file;
struct tty;

/* tty_hang_up with task_table_lock held. */
void tty_hang_up_locked(struct tty *tty, bool session_ends);
/* The running task has opened FILE on TTY: makes TTY its controlling terminal if the rules say so. Task
 * context. */
void tty_control_opened(struct tty *tty, struct file *file);
/* Discards input, and reports that to packet mode. tty->lock held. */
void tty_flush_input(struct tty *tty);
/* Performs the consequences of the line discipline's result (LINE_*), no lock held. */
void tty_act(struct tty *tty, unsigned int happened);
/* Reports the line discipline's result (LINE_*) to packet mode. tty->lock held. */
void tty_notify(struct tty *tty, unsigned int happened);

#endif
