/* SPDX-License-Identifier: BSD-2-Clause */
/* Contents that go through to the server. writing.c. */
#ifndef FS_9P_WRITING_H
#define FS_9P_WRITING_H

#include <stdbool.h>

struct inode;
struct p9_source;
struct share;
struct superblock;

/* The files of a share that writes take changes by these. */
extern const struct tmpfs_through p9_through;
/* FILE is freed, or loses its fid: it is not open for writing any more. M held. */
void p9_writing_end(struct p9_source *file);
/* Secures contents; see struct superblock. Task context. */
int share_sync(struct superblock *superblock, struct inode *inode, bool data_only);
/* Sends what mappings have written to files of SHARE, and with SYNC has the server secure all that is open for writing: 0 or the
 * first error. Task context. */
int share_send_all(struct share *share, bool sync, bool data_only);

#endif
