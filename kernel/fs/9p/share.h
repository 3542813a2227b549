/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A share: a folder of the host, below a layer in memory. The changes of programs stay in the layer (tmpfs.c has its files,
 * the tree its names); the server is only read from. The folder must not change meanwhile: names that were listed and
 * files that were looked up stay as they were found, contents are read when they are needed.
 *
 * Locks: tree_mutex (D) for directories; share->mutex (M) for the start and for reading contents. M comes after an inode's
 * mutex and before the client's.
 */
#ifndef FS_9P_SHARE_H
#define FS_9P_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/base/tree.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/tmpfs.h>
#include <kernel/sched/wait.h>

#include "client.h"

/* Most files that are open at the server at once: its host's limit may be as low as 1024. */
#define SHARE_FILES_MAX	 64
/* Bytes that small reads get at once. */
#define SHARE_BLOCK_SIZE 65536u

struct p9_source;
struct lower_name;

struct share {
	struct p9_transport *transport;
	struct superblock *superblock;
	struct mutex mutex;
	struct p9_client client;
	bool started;			     /* M */
	int error;			     /* M: of the start; 0: none yet */
	TAILQ_HEAD(, p9_source) open_files;  /* M: in the order of their use */
	unsigned int open_count;	     /* M */
	void *block;			     /* M: SHARE_BLOCK_SIZE bytes, or NULL */
	const struct p9_source *block_owner; /* M: the file that they are of; NULL: none */
	uint64_t block_offset;		     /* M */
	size_t block_size;		     /* M: bytes that the file had there */
};

RB_HEAD(lower_names, lower_name);

struct share_directory {
	struct inode inode;
	struct share *share;
	uint32_t fid;
	bool has_fid;		  /* the root gets its fid at the start of the share */
	bool listed;		  /* D: names is complete */
	struct lower_names names; /* D: sorted */
	uint64_t name_count;	  /* D */
	uint64_t space;		  /* D: charged for names */
};

/* Starts SHARE if it is not: 0, or the error of its start, each time the same but for -EINTR. Task context; M is not held. */
int share_start(struct share *share);

/* Creates a directory of SHARE without a fid, with MODE; NULL: no memory. directory.c. Task context. */
struct share_directory *share_directory_create(struct share *share, uint32_t mode);
/* Sets the attributes of INODE to the server's. directory.c. */
void share_set_attributes(struct inode *inode, const struct p9_attributes *attributes);

/* Makes the file of FID, which moves in, with SIZE bytes, the source of INODE: 0 or -ENOMEM (FID stays). source.c. Task
 * context. */
int share_set_source(struct share *share, struct inode *inode, uint32_t fid, uint64_t size);

#endif
