/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of terminals (pty(7)): opening their two sides. What they do then is in kernel/tty/pty.c. */
#ifndef KERNEL_PTY_H
#define KERNEL_PTY_H

struct file;

/* FILE, new, becomes the master of a new pair, whose slave is locked. 0, -ENOMEM, -ENOSPC (there
 * are as many pairs as there may be). Task context. */
int pty_open_master(struct file *file);

/* FILE, new, becomes a file of pair NUMBER's slave. 0, -ENOMEM, -EBUSY, or -EIO: there is none, it is
 * locked, or its master was closed. Task context. */
int pty_open_slave(unsigned int number, struct file *file);

#endif
