/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen and the keyboard of a PC, if there is a screen: a text terminal with ANSI sequences,
 * beside the serial line. The log, panics and a cooked console appear there.
 */
#ifndef KERNEL_SCREEN_H
#define KERNEL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* Looks for a framebuffer from the boot loader, else for a VGA in a text mode, and clears it. Once, at
 * start, after arch_init. */
void screen_init(void);

/* Returns whether there is a screen. Any context. */
bool screen_is_present(void);

/* Stores the screen's numbers of rows and columns of characters. There is a screen. Any context. */
void screen_get_size(unsigned int *rows, unsigned int *columns);

/* Shows BYTES: UTF-8 and ANSI sequences; nothing without a screen. Any context; in an NMI that
 * interrupted a writer, shows nothing and returns false. */
bool screen_write(const char *bytes, size_t size);

/* Takes the terminal's reply to a sequence that requested one: returns its length, up to SIZE, 0: none.
 * Any context but NMI. */
size_t screen_take_reply(char *bytes, size_t size);

/* Makes screen_write() ignore other writers, as serial_ignore_locks() does. */
void screen_ignore_locks(void);

/* Passes the keyboard's input to input_receive() from now on, by interrupt. Start, after
 * arch_irq_register works. */
void keyboard_start(void);

#endif
