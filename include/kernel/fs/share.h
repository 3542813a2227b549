/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders of the host in the tree: see kernel/fs/9p/share.h. */
#ifndef KERNEL_SHARE_H
#define KERNEL_SHARE_H

#include <stdbool.h>

struct dentry;

/* Mounts the folder of the host that the transport with TAG leads to at MOUNTPOINT, below a layer in memory, through which with
 * WRITES all changes go: 0, -ENODEV (no such transport), -ENOMEM, and superblock_mount's errors. The server is not asked before
 * a path leads there. Task context. */
int share_mount(const char *tag, bool writes, struct dentry *mountpoint);

#endif
