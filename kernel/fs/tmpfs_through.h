/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of a tmpfs whose source takes their changes: what a program writes goes to the source first, and into the file's pages
 * only where it has some. tmpfs_through.c.
 *
 * A page that a shared mapping writes to is dirty until the source has it: it is sent by msync and fsync, and when a mapping
 * ends. It stays dirty as long as some mapping may write to it. A source that fails leaves it dirty.
 */
#ifndef FS_TMPFS_THROUGH_H
#define FS_TMPFS_THROUGH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <kernel/fs/tmpfs.h>

#include "tmpfs_pages.h"

struct file;

/* Returns what takes the changes of FILE, or NULL: its pages do. Any context; write_mutex or inode.mutex keeps the answer. */
static inline const struct tmpfs_through *tmpfs_through(const struct tmpfs_inode *file)
{
	const struct tmpfs_source *source = file->source;

	return source && !source->detached ? source->through : NULL;
}

/* FILE, opened on INODE, is open at the source until tmpfs_close_through: 0 or the source's error. Task context. */
int tmpfs_open_through(struct inode *inode, struct file *file);
void tmpfs_close_through(struct file *file);

/* Writes some of the SIZE bytes at FROM, read by COPY, at POSITION: returns how many, at least 1, or -EFAULT, -ENOMEM, or the
 * source's error. Task context, write_mutex held. */
ssize_t tmpfs_write_through(struct tmpfs_inode *file, uint64_t position, const void *from,
			    size_t size, int (*copy)(void *to, const void *from, size_t size));

/* A mapping may write to PAGE, number NUMBER, from now on: 0 or -ENOMEM. inode.mutex held. */
int tmpfs_note_dirty(struct tmpfs_inode *file, uint64_t number, void *page);
/* Sends the dirty pages FIRST … END - 1: 0, or the first error; then the other pages are sent all the same. Task context, with
 * no mutex but a space's. */
int tmpfs_send_dirty(struct tmpfs_inode *file, uint64_t first, uint64_t end);

#endif
