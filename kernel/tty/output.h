/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The output side of the line discipline, as line.c needs it: echo, and what kind a byte is. What
 * writers call is in line.h. The terminal's lock is held.
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
/* The same; the cursor is where it was, as far as tabs are concerned. */
void output_echo_same_column(struct line *line, uint8_t byte);
/* Removes the character left of the cursor from the screen. */
void output_echo_rubout(struct line *line);
/* Moves the cursor back over a tab: before it COLUMNS are used, from the tab before on
 * (AFTER_TAB) or from the line's begin. */
void output_echo_untab(struct line *line, uint32_t columns, bool after_tab);

/* Whether BYTE has no picture. Bytes from 0x80 on have one. */
bool output_is_control(uint8_t byte);
/* Whether BYTE goes on with a UTF-8 character and the terminal's modes know those. */
bool output_is_continuation(const struct line *line, uint8_t byte);
/* Letters, of Latin-1 too, made small or large. */
uint8_t output_lower(uint8_t byte);
uint8_t output_upper(uint8_t byte);

#endif
