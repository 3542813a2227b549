/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The output side of the line discipline for line.c: echo, and classes of bytes. line.h has the
 * functions for writers. The terminal's lock is held.
 */
#ifndef KERNEL_TTY_OUTPUT_H
#define KERNEL_TTY_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

struct line;

/* Echoes BYTE: a control character as ^X if ECHOCTL, else through the output modes. */
void output_echo(struct line *line, uint8_t byte);
/* Echoes BYTE through the output modes alone. */
void output_echo_raw(struct line *line, uint8_t byte);
/* The same, without moving the column that tabs start from. */
void output_echo_same_column(struct line *line, uint8_t byte);
/* Removes the character left of the cursor from the screen. */
void output_echo_rubout(struct line *line);
/* Moves the cursor back over a tab: COLUMNS are used before it, from the previous tab (AFTER_TAB) or
 * from the line's start. */
void output_echo_untab(struct line *line, uint32_t columns, bool after_tab);

/* Returns whether BYTE is not printable. Bytes from 0x80 on are printable. */
bool output_is_control(uint8_t byte);
/* Returns whether BYTE continues a UTF-8 character in the terminal's modes. */
bool output_is_continuation(const struct line *line, uint8_t byte);
/* Return a letter, also of Latin-1, in lower or upper case; other bytes unchanged. */
uint8_t output_lower(uint8_t byte);
uint8_t output_upper(uint8_t byte);

#endif
