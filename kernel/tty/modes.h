/* SPDX-License-Identifier: BSD-2-Clause */
/* Getting and setting a terminal's modes. Task context, no lock held. */
#ifndef KERNEL_TTY_MODES_H
#define KERNEL_TTY_MODES_H

#include <stdbool.h>

struct tty;

/* The structure of a request: TCGETA's, TCGETS's, TCGETS2's. */
enum tty_modes_form { TTY_MODES_TERMIO, TTY_MODES_TERMIOS, TTY_MODES_TERMIOS2 };

/* Copies TTY's modes out: 0 or -EFAULT. */
long tty_modes_get(struct tty *tty, enum tty_modes_form form, void *user);
/* Sets the modes: 0, -EFAULT, or an error of tty_check_background. FLUSH_INPUT: discards typed input
 * first. */
long tty_modes_set(struct tty *tty, enum tty_modes_form form, const void *user, bool flush_input);

/* The locked bits of TTY's modes: 0 or -EFAULT; set: also -EPERM. */
long tty_modes_get_locked(struct tty *tty, void *user);
long tty_modes_set_locked(struct tty *tty, const void *user);

#endif
