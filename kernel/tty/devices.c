/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terminals' device files: which file opens what. The console's own is console.c's.
 */
#include <kernel/file.h>
#include <kernel/inode.h>
#include <kernel/pty.h>
#include <kernel/tty.h>
#include <uapi/linux/errno.h>

/* /dev/tty: whatever controls the one who opens it. */
int tty_current_open(struct inode *inode, struct file *file)
{
	struct tty *tty = tty_get_controlling();
	int error;

	if (!tty)
		return -ENXIO;
	error = tty_open(tty, file, true);
	tty_put(tty);
	return error;
}

int ptmx_open(struct inode *inode, struct file *file)
{
	return pty_open_master(file);
}
