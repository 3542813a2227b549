/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen and the keyboard of a PC, if there is a screen: a text terminal with ANSI sequences,
 * beside the serial line. The log, panics and a cooked console appear there.
 */
#ifndef KERNEL_SCREEN_H
#define KERNEL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* Looks for a framebuffer of the boot loader's, else for a VGA in a text mode, and clears it. Once, at
 * start, after arch_init. */
void screen_init(void);

/* Whether there is one. Any context. */
bool screen_is_present(void);

/* How many rows and columns of characters it has. There is one. Any context. */
void screen_get_size(unsigned int *rows, unsigned int *columns);

/* Shows BYTES: UTF-8 and ANSI sequences; nothing without a screen. Any context; in an NMI that
 * interrupted a writer nothing is shown and false returned. */
bool screen_write(const char *bytes, size_t size);

/* Takes the terminal's answer to a sequence that asked something: its length, up to SIZE, 0: none.
 * Any context but NMI. */
size_t screen_take_reply(char *bytes, size_t size);

/* Makes screen_write() ignore who else is writing, as serial_ignore_locks() does. */
void screen_ignore_locks(void);

/* From now on what is typed on the keyboard is given to console_receive() by interrupt. Start,
 * after arch_irq_register works. */
void keyboard_start(void);

#endif
