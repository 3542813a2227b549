/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders of the host in the tree: see kernel/fs/9p/share.h. */
#ifndef KERNEL_SHARE_H
#define KERNEL_SHARE_H

#include <stdbool.h>

struct dentry;
struct superblock;

/* Mounts the folder of the host that the transport with TAG leads to at MOUNTPOINT, below a layer in memory, through which with
 * WRITES all changes go: 0, -ENODEV (no such transport), -ENOMEM, and superblock_mount's errors. The server is not asked before
 * a path leads there. Task context. */
int share_mount(const char *tag, bool writes, struct dentry *mountpoint);
/* mount -t 9p: creates the file system of the transport with the tag SOURCE (NULL: none named), with OPTIONS (may be NULL), which
 * are cut up: 0 and *RESULT, mounted nowhere; -EINVAL, -ENOENT: no such tag, -EBUSY, -ENOMEM, and what the server says. Task
 * context. */
int share_create_9p(const char *source, char *options, struct superblock **result);

#endif
