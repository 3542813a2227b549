/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A share: a folder of the host, below a layer in memory (tmpfs.c has its files, the tree its names). The folder must not
 * change meanwhile: names that were listed and files that were looked up stay as they were found, contents are read when they
 * are needed.
 *
 * The changes of programs stay in the layer, and the share only reads from the server. Or the share writes: each change goes to
 * the server first (entries.c, writing.c), and the layer is a cache. Changed files then have the guest's times in the guest and
 * the host's times on the host, so runs repeat.
 *
 * Locks: tree_mutex (D) for directories; share->mutex (M) for the start and for contents. M comes after an inode's mutexes and
 * before the client's.
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

struct kernel_statfs;
struct p9_source;
struct lower_name;

struct share {
	struct p9_transport *transport;
	bool writes;	  /* the changes of programs go through to the server */
	bool guarded;	  /* so do not set-id bits and devices */
	char options[48]; /* of mount -t 9p, for /proc/mounts */
	struct superblock *superblock;
	LIST_ENTRY(share) all; /* shares_mutex */
	struct mutex mutex;
	struct p9_client client;
	bool started;			     /* M */
	int error;			     /* M: of the start; 0: none yet */
	LIST_HEAD(, p9_source) written;	     /* M: open for writing */
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

/* Creates the file system of TRANSPORT, mounted nowhere: 0, -EBUSY: the transport has one, or had one with a guard; -ENOMEM.
 * share.c. Task context. */
int share_create(struct p9_transport *transport, bool writes, bool guarded,
		 struct superblock **result);
/* Starts SHARE if it is not: 0, or the error of its start, each time the same but for -EINTR. Task context; M is not held. */
int share_start(struct share *share);

/* Creates a directory of SHARE without a fid, with MODE; NULL: no memory. directory.c. Task context. */
struct share_directory *share_directory_create(struct share *share, uint32_t mode);
/* Sets the attributes of INODE to the server's. directory.c. */
void share_set_attributes(struct inode *inode, const struct p9_attributes *attributes);

extern const struct directory_changes share_changes;
/* Tells the server of a change; see struct superblock. entries.c. Task context. */
int share_change(struct inode *inode, const struct inode_change *change);
/* Describes the server's file system that has INODE; see struct superblock. entries.c. Task context. */
int share_statfs(struct inode *inode, struct kernel_statfs *statfs);

#endif
