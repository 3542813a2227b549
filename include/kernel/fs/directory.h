/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading open directories: the common part of getdents64, getdents and OSF/1's call, all but the form of an
 * entry.
 */
#ifndef KERNEL_DIRECTORY_H
#define KERNEL_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct directory_entry {
	const char *name;
	size_t name_size; /* without the terminator */
	uint64_t number;  /* of the inode */
	uint32_t mode;	  /* of the inode: S_IFMT */
	uint64_t next_position;
};

/* The form of entries in a program's buffer. */
struct directory_format {
	/* Returns the bytes of an entry whose name has NAME_SIZE. */
	size_t (*size)(size_t name_size);
	/* Writes ENTRY to TO, SIZE bytes of zeros. The tree's mutex is held. */
	void (*write)(void *to, size_t size, const struct directory_entry *entry);
};

/* Fills SIZE bytes at USER_BUFFER with entries from the position of directory FD on, in FORMAT, and moves
 * the position. *POSITION, unless NULL: the position before. Returns the filled bytes, 0: at the end;
 * -EBADF, -ENOTDIR, -EFAULT; -ENOENT: the directory is removed; -EINVAL: no room for one entry; -ENOMEM.
 * Task context. */
ssize_t directory_read(int fd, const struct directory_format *format, unsigned long user_buffer,
		       size_t size, uint64_t *position);

#endif
