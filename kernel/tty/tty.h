/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of kernel/tty/ know of each other. */
#ifndef KERNEL_TTY_TTY_H
#define KERNEL_TTY_TTY_H

#include <stdbool.h>

struct file;
struct tty;

/* tty_hang_up with T held. */
void tty_hang_up_locked(struct tty *tty, bool session_ends);
/* FILE was opened on TTY by the running task: it may become its controlling terminal. Task
 * context. */
void tty_control_opened(struct tty *tty, struct file *file);
/* Throws away input, with those who wait told. L held. */
void tty_flush_input(struct tty *tty);
/* Acts on what the line discipline did (LINE_*), with no lock held. */
void tty_act(struct tty *tty, unsigned int happened);
/* Tells packet mode about what line discipline did (LINE_*). L held. */
void tty_tell(struct tty *tty, unsigned int happened);

#endif
