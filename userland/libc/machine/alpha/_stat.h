/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/_stat.h - file status as Linux/alpha writes it for stat64, fstat64, lstat64 and fstatat64
 * (arch/alpha/include/uapi/asm/stat.h).
 */
#ifndef _MACHINE__STAT_H
#define _MACHINE__STAT_H

struct stat {
	dev_t st_dev;
	ino_t st_ino;
	dev_t st_rdev;
	off_t st_size;
	blkcnt_t st_blocks;
	mode_t st_mode;
	uid_t st_uid;
	gid_t st_gid;
	unsigned int st_blksize;
	nlink_t st_nlink;
	unsigned int __st_pad;
	struct timespec st_atim;
	struct timespec st_mtim;
	struct timespec st_ctim;
	long __st_reserved[3];
};

#endif /* _MACHINE__STAT_H */
