/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of terminals (pty(7)): opening their two sides. kernel/tty/pty.c has their behaviour. */
#ifndef KERNEL_PTY_H
#define KERNEL_PTY_H

#include <stdbool.h>
#include <stdint.h>

struct dentry;
struct file;
struct inode;

/* Opens FILE, a new one, as the master of a new pair, whose slave is locked. 0, -ENOMEM, -ENOSPC (the
 * greatest number of pairs exists). Task context. */
int pty_open_master(struct file *file);

/* Opens FILE, a new one, on the slave of pair NUMBER. 0, -ENOMEM, -EBUSY, or -EIO: the slave does not
 * exist, is locked, or its master was closed. Task context. */
int pty_open_slave(unsigned int number, struct file *file);

/* Create slave NUMBER's name below /dev/pts: returns the dentry, or NULL; and remove the name. Task
 * context. */
struct dentry *pty_name_create(unsigned int number);
void pty_name_remove(struct dentry *name);

#endif
