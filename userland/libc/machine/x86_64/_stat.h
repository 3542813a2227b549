/* SPDX-License-Identifier: BSD-2-Clause */
/* machine/_stat.h - file status as Linux/x86-64 writes it (arch/x86/include/uapi/asm/stat.h). */
#ifndef _MACHINE__STAT_H
#define _MACHINE__STAT_H

struct stat {
	dev_t st_dev;
	ino_t st_ino;
	nlink_t st_nlink;
	mode_t st_mode;
	uid_t st_uid;
	gid_t st_gid;
	unsigned int __st_pad;
	dev_t st_rdev;
	off_t st_size;
	blksize_t st_blksize;
	blkcnt_t st_blocks;
	struct timespec st_atim;
	struct timespec st_mtim;
	struct timespec st_ctim;
	long __st_reserved[3];
};

#endif /* _MACHINE__STAT_H */
