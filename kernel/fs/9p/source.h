/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of the server as the source of an inode's contents. source.c. */
#ifndef FS_9P_SOURCE_H
#define FS_9P_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "share.h"

/* A further name of the file, with a fid of the server. */
struct p9_name {
	SLIST_ENTRY(p9_name) next;
	uint32_t fid;
};

struct p9_source {
	struct tmpfs_source source;
	struct share *share;
	struct inode *inode;
	uint64_t size;		     /* M, or of one that is only read: fixed */
	bool has_fid;		     /* D: a file that is being made has none */
	uint32_t fid;		     /* D, M */
	uint64_t path;		     /* D: the server's number, if it has a fid */
	SLIST_HEAD(, p9_name) names; /* D */
	bool open;		     /* M: for reading */
	bool kept;		     /* M: and stays so, because it has no name any more */
	uint32_t open_fid;	     /* M: if open */
	TAILQ_ENTRY(p9_source) used; /* M: in share->open_files, if open and not kept */
	/* In a share that writes: */
	unsigned int writers;	       /* M: programs' files */
	bool writing;		       /* M: open for writing */
	uint32_t writing_fid;	       /* M: if writing */
	LIST_ENTRY(p9_source) written; /* M: in share->written, if it has writers */
	uint64_t sync_round;	       /* M */
};

static inline struct share_directory *share_directory_of(struct inode *inode)
{
	return __containerof(inode, struct share_directory, inode);
}

static inline struct p9_source *p9_source_of(struct inode *inode)
{
	return __containerof(tmpfs_source_of(inode), struct p9_source, source);
}

/* Makes a file of SHARE with SIZE bytes, without a fid, the source of INODE: it, or NULL: no memory. Task context. */
struct p9_source *p9_source_create(struct share *share, struct inode *inode, uint64_t size);
/* Opens FILE for reading, if it is not: 0 or an error; -ESTALE: the host has removed it. M held. */
int p9_source_open(struct p9_source *file);
/* FID, of FILE in a share that writes, leads to one more name of it: 0 or -ENOMEM (FID stays). D held. */
int p9_source_add_name(struct p9_source *file, uint32_t fid);
/* FILE has lost one of its names, and others are left: it goes on with a fid of those, if there is one. D held. */
void p9_source_lose_name(struct p9_source *file);
/* FILE, in use, is about to lose a name: it is opened for reading, if it can be, and stays so. Task context. */
void p9_source_keep(struct p9_source *file);
/* Forgets the block of FILE's contents. M held. */
void p9_source_forget_block(struct p9_source *file);

#endif
