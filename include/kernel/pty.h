/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of terminals (pty(7)): opening their two sides. What they do then is in kernel/tty/pty.c. */
#ifndef KERNEL_PTY_H
#define KERNEL_PTY_H

#include <stdbool.h>
#include <stdint.h>

struct dentry;
struct file;
struct inode;

/* FILE, new, becomes the master of a new pair, whose slave is locked. 0, -ENOMEM, -ENOSPC (there
 * are as many pairs as there may be). Task context. */
int pty_open_master(struct file *file);

/* FILE, new, becomes a file of pair NUMBER's slave. 0, -ENOMEM, -EBUSY, or -EIO: there is none, it is
 * locked, or its master was closed. Task context. */
int pty_open_slave(unsigned int number, struct file *file);

/* Gives slave NUMBER its name below /dev/pts: the dentry, or NULL; and takes it away. Task context. */
struct dentry *pty_name_create(unsigned int number);
void pty_name_remove(struct dentry *name);

#endif
