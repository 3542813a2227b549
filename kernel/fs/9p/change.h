/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requests of 9P2000.L that change the server's files. As in client.h: task context; they return 0 or their result, or a
 * negative error. A name or a target that does not fit a message is -ENAMETOOLONG. After -EINTR and -EIO the server may have
 * made the change.
 */
#ifndef FS_9P_CHANGE_H
#define FS_9P_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <uapi/linux/time.h>

struct p9_client;

/* An entry of the directory of fid DIRECTORY: the place, and what a request makes there. */
struct p9_entry {
	uint32_t directory;
	const char *name; /* not terminated */
	size_t name_size;
	uint32_t mode, gid; /* the type too */
};

/* Creates a regular file and opens it for writing: DIRECTORY becomes the fid of the open file. */
int p9_create(struct p9_client *client, const struct p9_entry *entry);
int p9_make_directory(struct p9_client *client, const struct p9_entry *entry);
/* DEVICE: its numbers, as the kernel has them. */
int p9_make_node(struct p9_client *client, const struct p9_entry *entry, uint64_t device);
/* TARGET is terminated. */
int p9_make_link(struct p9_client *client, const struct p9_entry *entry, const char *target);
/* Makes ENTRY one more name of FID's file. */
int p9_link(struct p9_client *client, const struct p9_entry *entry, uint32_t fid);
/* Makes FROM the entry TO, which may exist. */
int p9_rename(struct p9_client *client, const struct p9_entry *from, const struct p9_entry *to);
/* Removes a directory, or with !IS_DIRECTORY another entry. */
int p9_remove(struct p9_client *client, const struct p9_entry *entry, bool is_directory);

/* The attributes that a change sets: Tsetattr's. A time that is set without its value becomes the server's present. */
enum p9_change_set {
	P9_SET_MODE = 0x1,
	P9_SET_UID = 0x2,
	P9_SET_GID = 0x4,
	P9_SET_SIZE = 0x8,
	P9_SET_ACCESSED = 0x10,
	P9_SET_MODIFIED = 0x20,
	P9_SET_ACCESSED_VALUE = 0x80,
	P9_SET_MODIFIED_VALUE = 0x100,
};

struct p9_change {
	uint32_t set; /* enum p9_change_set */
	uint32_t mode, uid, gid;
	uint64_t size;
	struct kernel_timespec accessed, modified;
};

int p9_set_attributes(struct p9_client *client, uint32_t fid, const struct p9_change *change);

/* Writes to FID, open: returns how many of the SIZE bytes the server has, at least one; -EIO: it took none. */
ssize_t p9_write(struct p9_client *client, uint32_t fid, uint64_t offset, const void *buffer,
		 size_t size);
/* Has the server bring FID, open, to its medium; DATA_ONLY: as fdatasync. */
int p9_sync(struct p9_client *client, uint32_t fid, bool data_only);

#endif
