/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attributes of a file and of its file system: the calls with structures of 32 bits that Linux/alpha
 * had first, and OSF/1's. <machine/calls.h> has the calls with 64 bits, which all ISAs share.
 *
 * Like in Linux, a number that does not fit is EOVERFLOW in Linux's structures and cut off in OSF/1's.
 * Sources: Linux's uapi/asm/stat.h and asm/statfs.h for Alpha; arch/alpha/kernel/osf_sys.c and
 * fs/stat.c, fs/statfs.c as seen from user space.
 */
#include <machine/calls.h>

#include <stddef.h>
#include <string.h>

#include <kernel/fs/stat.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

/* --- stat, lstat, fstat --- */

struct old_stat {
	uint32_t dev, ino, mode, nlink, uid, gid, rdev;
	int64_t size;
	uint64_t atime, mtime, ctime;
	uint32_t blksize, blocks, flags, gen;
};

_Static_assert(sizeof(struct old_stat) == 80, "Linux's struct stat for Alpha");

static long put_old(const struct kernel_stat *stat, unsigned long user_stat)
{
	const struct old_stat old = {
		.dev = (uint32_t)stat->st_dev,
		.ino = (uint32_t)stat->st_ino,
		.mode = stat->st_mode,
		.nlink = stat->st_nlink,
		.uid = stat->st_uid,
		.gid = stat->st_gid,
		.rdev = (uint32_t)stat->st_rdev,
		.size = stat->st_size,
		.atime = stat->st_atime_s,
		.mtime = stat->st_mtime_s,
		.ctime = stat->st_ctime_s,
		.blksize = stat->st_blksize,
		.blocks = (uint32_t)stat->st_blocks,
	};

	if (old.ino != stat->st_ino)
		return -EOVERFLOW;
	return copy_to_user((void *)user_stat, &old, sizeof(old));
}

/* OSF/1's structure. The seconds of a time have 32 bits; the microseconds are where the seconds once
 * were. */
struct osf_stat {
	int32_t dev, padding0;
	uint32_t mode;
	uint16_t nlink, nlink_reserved;
	uint32_t uid, gid;
	int32_t rdev, ldev;
	int64_t size;
	int32_t padding1, atime_us, padding2, mtime_us, padding3, ctime_us;
	int32_t padding4[2];
	uint32_t flags, gen;
	int64_t spare[4];
	uint32_t ino, ino_reserved;
	int32_t atime, atime_reserved, mtime, mtime_reserved, ctime, ctime_reserved;
	int64_t blksize, blocks;
};

_Static_assert(sizeof(struct osf_stat) == 160, "OSF/1's struct stat");

static long put_osf(const struct kernel_stat *stat, unsigned long user_stat)
{
	const struct osf_stat osf = {
		.dev = (int32_t)stat->st_dev,
		.mode = stat->st_mode,
		.nlink = (uint16_t)stat->st_nlink,
		.uid = stat->st_uid,
		.gid = stat->st_gid,
		.rdev = (int32_t)stat->st_rdev,
		.ldev = (int32_t)stat->st_rdev,
		.size = stat->st_size,
		.atime_us = (int32_t)(stat->st_atime_ns / 1000),
		.mtime_us = (int32_t)(stat->st_mtime_ns / 1000),
		.ctime_us = (int32_t)(stat->st_ctime_ns / 1000),
		.ino = (uint32_t)stat->st_ino,
		.atime = (int32_t)stat->st_atime_s,
		.mtime = (int32_t)stat->st_mtime_s,
		.ctime = (int32_t)stat->st_ctime_s,
		.blksize = stat->st_blksize,
		.blocks = (int64_t)stat->st_blocks,
	};

	return copy_to_user((void *)user_stat, &osf, sizeof(osf));
}

typedef long put_function(const struct kernel_stat *stat, unsigned long user_stat);

static long path(const unsigned long arg[6], unsigned int flags, put_function *put)
{
	struct kernel_stat stat;
	int error = stat_of_path(AT_FDCWD, arg[0], flags, &stat);

	return error ? error : put(&stat, arg[1]);
}

static long descriptor(const unsigned long arg[6], put_function *put)
{
	struct kernel_stat stat;
	int error = stat_of_descriptor((int)arg[0], &stat);

	return error ? error : put(&stat, arg[1]);
}

long alpha_stat(const unsigned long arg[6])
{
	return path(arg, 0, put_old);
}

long alpha_lstat(const unsigned long arg[6])
{
	return path(arg, AT_SYMLINK_NOFOLLOW, put_old);
}

long alpha_fstat(const unsigned long arg[6])
{
	return descriptor(arg, put_old);
}

long alpha_osf_stat(const unsigned long arg[6])
{
	return path(arg, 0, put_osf);
}

long alpha_osf_lstat(const unsigned long arg[6])
{
	return path(arg, AT_SYMLINK_NOFOLLOW, put_osf);
}

long alpha_osf_fstat(const unsigned long arg[6])
{
	return descriptor(arg, put_osf);
}

/* --- statfs, fstatfs --- */

struct old_statfs {
	uint32_t type, bsize, blocks, bfree, bavail, files, ffree;
	int32_t fsid[2];
	uint32_t namelen, frsize, flags, spare[4];
};

/* The first part of OSF/1's structure; a program gets as many bytes as its buffer holds. */
struct osf_statfs {
	int16_t type, flags;
	int32_t fsize, bsize, blocks, bfree, bavail, files, ffree, fsid[2];
};

struct osf_statfs64 {
	int16_t type, flags;
	int32_t padding0[7], fsid[2];
	uint16_t name_max;
	int16_t reserved;
	int32_t spare0[8];
	char padding1[180];
	int64_t mount_info[10];
	uint64_t flags2;
	int64_t spare1[14];
	int64_t fsize, bsize, blocks, bfree, bavail, files, ffree;
};

_Static_assert(sizeof(struct old_statfs) == 64, "Linux's struct statfs for Alpha");
_Static_assert(sizeof(struct osf_statfs) == 40, "OSF/1's struct statfs");
_Static_assert(offsetof(struct osf_statfs64, fsize) == 456, "OSF/1's struct statfs64");

/* SIZE: of the program's buffer, for OSF/1's calls. */
typedef long put_statfs_function(const struct kernel_statfs *statfs, unsigned long user_statfs,
				 unsigned long size);

static long put_old_statfs(const struct kernel_statfs *statfs, unsigned long user_statfs,
			   unsigned long size)
{
	struct old_statfs old = {
		.type = statfs->f_type,
		.bsize = statfs->f_bsize,
		.blocks = (uint32_t)statfs->f_blocks,
		.bfree = (uint32_t)statfs->f_bfree,
		.bavail = (uint32_t)statfs->f_bavail,
		.files = (uint32_t)statfs->f_files,
		.ffree = (uint32_t)statfs->f_ffree,
		.namelen = statfs->f_namelen,
		.frsize = statfs->f_frsize,
		.flags = statfs->f_flags,
	};

	if ((statfs->f_blocks | statfs->f_bfree | statfs->f_bavail | statfs->f_files |
	     statfs->f_ffree) >>
	    32)
		return -EOVERFLOW;
	memcpy(old.fsid, statfs->f_fsid, sizeof(old.fsid));
	return copy_to_user((void *)user_statfs, &old, sizeof(old));
}

static long put_osf_statfs(const struct kernel_statfs *statfs, unsigned long user_statfs,
			   unsigned long size)
{
	struct osf_statfs osf = {
		.type = (int16_t)statfs->f_type,
		.fsize = (int32_t)statfs->f_frsize,
		.bsize = (int32_t)statfs->f_bsize,
		.blocks = (int32_t)statfs->f_blocks,
		.bfree = (int32_t)statfs->f_bfree,
		.bavail = (int32_t)statfs->f_bavail,
		.files = (int32_t)statfs->f_files,
		.ffree = (int32_t)statfs->f_ffree,
	};

	memcpy(osf.fsid, statfs->f_fsid, sizeof(osf.fsid));
	return copy_to_user((void *)user_statfs, &osf, size < sizeof(osf) ? size : sizeof(osf));
}

static long put_osf_statfs64(const struct kernel_statfs *statfs, unsigned long user_statfs,
			     unsigned long size)
{
	struct osf_statfs64 osf = {
		.type = (int16_t)statfs->f_type,
		.fsize = statfs->f_frsize,
		.bsize = statfs->f_bsize,
		.blocks = (int64_t)statfs->f_blocks,
		.bfree = (int64_t)statfs->f_bfree,
		.bavail = (int64_t)statfs->f_bavail,
		.files = (int64_t)statfs->f_files,
		.ffree = (int64_t)statfs->f_ffree,
	};

	memcpy(osf.fsid, statfs->f_fsid, sizeof(osf.fsid));
	return copy_to_user((void *)user_statfs, &osf, size < sizeof(osf) ? size : sizeof(osf));
}

static long statfs_path(const unsigned long arg[6], put_statfs_function *put)
{
	struct kernel_statfs statfs;
	int error = statfs_of_path(arg[0], &statfs);

	return error ? error : put(&statfs, arg[1], arg[2]);
}

static long statfs_descriptor(const unsigned long arg[6], put_statfs_function *put)
{
	struct kernel_statfs statfs;
	int error = statfs_of_descriptor((int)arg[0], &statfs);

	return error ? error : put(&statfs, arg[1], arg[2]);
}

long alpha_statfs(const unsigned long arg[6])
{
	return statfs_path(arg, put_old_statfs);
}

long alpha_fstatfs(const unsigned long arg[6])
{
	return statfs_descriptor(arg, put_old_statfs);
}

long alpha_osf_statfs(const unsigned long arg[6])
{
	return statfs_path(arg, put_osf_statfs);
}

long alpha_osf_fstatfs(const unsigned long arg[6])
{
	return statfs_descriptor(arg, put_osf_statfs);
}

long alpha_osf_statfs64(const unsigned long arg[6])
{
	return statfs_path(arg, put_osf_statfs64);
}

long alpha_osf_fstatfs64(const unsigned long arg[6])
{
	return statfs_descriptor(arg, put_osf_statfs64);
}
