/* SPDX-License-Identifier: BSD-2-Clause */
/* The operations on an open file of a tmpfs: see tmpfs_contents.c. */
#ifndef FS_TMPFS_CONTENTS_H
#define FS_TMPFS_CONTENTS_H

struct file_ops;

extern const struct file_ops tmpfs_file_ops;

#endif
