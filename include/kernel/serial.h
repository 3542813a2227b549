/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two serial lines of a PC. COM1 carries the console (<kernel/console.h>), either can carry the
 * log.
 */
#ifndef KERNEL_SERIAL_H
#define KERNEL_SERIAL_H

#include <stdbool.h>
#include <stddef.h>

enum serial_line { SERIAL_COM1, SERIAL_COM2, SERIAL_LINES };

/* Sets both lines to 115200 baud, 8 data bits, no parity, polled. First thing at start: needs
 * nothing else. */
void serial_init(void);

/* Sends SIZE bytes as they are and in one piece, waiting while the line is busy; nowhere when there
 * is no such line. Any context; in an NMI a line that somebody else is writing to is left alone and
 * false returned. */
bool serial_write(enum serial_line line, const char *bytes, size_t size);

/* Whether there is such a line. After serial_init; any context. */
bool serial_is_present(enum serial_line line);

/* From now on what COM1 receives is given to console_receive() by interrupt. Start, after
 * arch_irq_register works. */
void serial_receive_start(void);

/* Makes serial_write() ignore who else is writing: for the last words of a panic, when all other
 * processors have stopped. Any context. */
void serial_ignore_locks(void);

#endif
