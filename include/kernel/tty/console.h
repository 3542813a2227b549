/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console: a program's standard input, output and error.
 *
 * kernel/tty/console.c makes it a terminal, or a pipe; the driver (drivers/serial.c) moves bytes.
 */
#ifndef KERNEL_CONSOLE_H
#define KERNEL_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file;
struct file_ops;
struct inode;

/*
 * Starts the console. Once, before the first user task and before any input. RAW: no translation of \n
 * to \r\n, no line editing, and the console is not a terminal. A serial line has no end, so raw input
 * has an escape: DLE EOT (0x10 0x04) is end of file, DLE DLE one DLE. tools/tally sends them. With the
 * word noinput on the command line, raw input is at its end from the start. Otherwise the console is a
 * terminal, whose size the command line gives (window=ROWSxCOLUMNS). ELSEWHERE: a raw console is not the
 * serial line, but what console_attach says; without it the first program does not start.
 */
void console_init(bool raw, bool elsewhere);

/* A raw console's files have the operations OPS. At the start, before the first user task. */
void console_attach(const struct file_ops *ops);

/* Opens the console's node. Task context. */
int console_open(struct inode *inode, struct file *file);

#endif
