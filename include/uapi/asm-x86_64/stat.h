/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The structures that stat, fstat and newfstatat, statfs and fstatfs fill in. Source: Linux's asm/stat.h
 * for x86_64, asm-generic/statfs.h.
 */
#ifndef _UAPI_ASM_STAT_H
#define _UAPI_ASM_STAT_H

#include <stdint.h>

struct kernel_stat {
	uint64_t st_dev;
	uint64_t st_ino;
	uint64_t st_nlink;
	uint32_t st_mode;
	uint32_t st_uid;
	uint32_t st_gid;
	uint32_t padding0;
	uint64_t st_rdev;
	int64_t st_size;
	int64_t st_blksize;
	int64_t st_blocks; /* number of 512-byte blocks */
	uint64_t st_atime_s, st_atime_ns;
	uint64_t st_mtime_s, st_mtime_ns;
	uint64_t st_ctime_s, st_ctime_ns;
	int64_t reserved[3];
};

struct kernel_statfs {
	int64_t f_type;
	int64_t f_bsize;
	uint64_t f_blocks, f_bfree, f_bavail;
	uint64_t f_files, f_ffree;
	int32_t f_fsid[2];
	int64_t f_namelen;
	int64_t f_frsize;
	int64_t f_flags;
	int64_t f_spare[4];
};

#endif
