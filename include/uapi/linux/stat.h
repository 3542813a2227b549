/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * File types, and the structures that statx and getdents64 fill in; those of stat and statfs are in
 * asm/stat.h. Source: Linux's uapi/linux/stat.h.
 */
#ifndef _UAPI_LINUX_STAT_H
#define _UAPI_LINUX_STAT_H

#include <stdint.h>

#include "../asm/stat.h"

#define S_IFMT		      00170000
#define S_IFSOCK	      0140000
#define S_IFLNK		      0120000
#define S_IFREG		      0100000
#define S_IFBLK		      0060000
#define S_IFDIR		      0040000
#define S_IFCHR		      0020000
#define S_IFIFO		      0010000

#define S_ISUID		      0004000
#define S_ISGID		      0002000
#define S_ISVTX		      0001000
#define S_IXGRP		      0000010
#define S_IALLUGO	      07777

/* statx: Linux's uapi/linux/stat.h. */
#define STATX_BASIC_STATS     0x7ff
#define STATX__RESERVED	      0x80000000u
#define STATX_ATTR_MOUNT_ROOT 0x2000

struct kernel_statx_timestamp {
	int64_t tv_sec;
	uint32_t tv_nsec;
	int32_t reserved;
};

struct kernel_statx {
	uint32_t stx_mask;
	uint32_t stx_blksize;
	uint64_t stx_attributes;
	uint32_t stx_nlink;
	uint32_t stx_uid, stx_gid;
	uint16_t stx_mode;
	uint16_t padding;
	uint64_t stx_ino;
	uint64_t stx_size;
	uint64_t stx_blocks;
	uint64_t stx_attributes_mask;
	struct kernel_statx_timestamp stx_atime, stx_btime, stx_ctime, stx_mtime;
	uint32_t stx_rdev_major, stx_rdev_minor;
	uint32_t stx_dev_major, stx_dev_minor;
	uint64_t reserved[14];
};

/* statfs: Linux's asm-generic/statfs.h. */
#define ST_VALID    0x0020
#define ST_RELATIME 0x1000

/* An entry of getdents64: name is terminated, length_bytes is a multiple of 8. */
struct kernel_dirent64 {
	uint64_t d_ino;
	int64_t d_off;
	uint16_t d_reclen;
	uint8_t d_type; /* the mode's S_IFMT >> 12 */
	char d_name[];
};

/* getdents': the entry's last byte is its type, as above. */
struct kernel_dirent {
	uint64_t d_ino;
	int64_t d_off;
	uint16_t d_reclen;
	char d_name[];
};

#endif
