/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls that describe more than stat does: statx for a file, statfs for a file system. */
#include <kernel/base/syscall.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/stat.h>
#include <kernel/fs/tmpfs.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "path_arguments.h"

/* The file system of files without a dentry: Linux's ANON_INODE_FS_MAGIC. */
#define ANONYMOUS_MAGIC 0x09041934
/* AT_STATX_SYNC_TYPE: how fresh the result must be. It always is. */
#define SYNC_TYPE	0x6000

static struct kernel_statx_timestamp stamp(const struct kernel_timespec *time)
{
	return (struct kernel_statx_timestamp){ .tv_sec = time->tv_sec,
						.tv_nsec = (uint32_t)time->tv_nsec };
}

static unsigned int major_of(uint64_t device)
{
	return (unsigned int)(device >> 8) & 0xfff;
}

static unsigned int minor_of(uint64_t device)
{
	return (unsigned int)((device & 0xff) | (device >> 12 & 0xfff00));
}

long sys_statx(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[2];
	struct dentry *dentry;

	if ((flags & SYNC_TYPE) == SYNC_TYPE || (arg[3] & STATX__RESERVED))
		return -EINVAL;
	if (flags &
	    ~(unsigned int)(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH | SYNC_TYPE))
		return -EINVAL;
	int error = path_arguments_look_up_at((int)arg[0], arg[1], flags, &dentry);

	if (error)
		return error;
	struct kernel_statx statx = { .stx_mask = STATX_BASIC_STATS,
				      .stx_blksize = PAGE_SIZE,
				      .stx_nlink = 1,
				      .stx_mode = 0600,
				      .stx_attributes_mask = STATX_ATTR_MOUNT_ROOT };

	if (dentry) {
		const struct inode *inode = dentry->inode;
		struct kernel_stat stat;

		inode_stat(inode, &stat);
		statx.stx_attributes = dentry->parent == dentry ? STATX_ATTR_MOUNT_ROOT : 0;
		statx.stx_nlink = (uint32_t)stat.st_nlink;
		statx.stx_uid = stat.st_uid;
		statx.stx_gid = stat.st_gid;
		statx.stx_mode = (uint16_t)stat.st_mode;
		statx.stx_ino = stat.st_ino;
		statx.stx_size = (uint64_t)stat.st_size;
		statx.stx_blocks = (uint64_t)stat.st_blocks;
		statx.stx_atime = stamp(&inode->accessed);
		statx.stx_mtime = stamp(&inode->modified);
		statx.stx_ctime = stamp(&inode->changed);
		statx.stx_rdev_major = major_of(stat.st_rdev);
		statx.stx_rdev_minor = minor_of(stat.st_rdev);
		statx.stx_dev_major = major_of(stat.st_dev);
		statx.stx_dev_minor = minor_of(stat.st_dev);
		dentry_put(dentry);
	}
	return copy_to_user((void *)arg[4], &statx, sizeof(statx));
}

/* INODE may be NULL. */
static int describe(struct inode *inode, struct kernel_statfs *statfs)
{
	const struct superblock *superblock = inode ? inode->superblock : NULL;

	*statfs = (struct kernel_statfs){ .f_type = ANONYMOUS_MAGIC,
					  .f_bsize = PAGE_SIZE,
					  .f_frsize = PAGE_SIZE,
					  .f_namelen = NAME_SIZE_MAX,
					  .f_flags = ST_VALID | ST_RELATIME };
	if (superblock) {
		statfs->f_type = superblock->magic;
		statfs->f_fsid[0] = (int32_t)superblock->device;
	}
	if (superblock && superblock->statfs)
		return superblock->statfs(inode, statfs);
	/* As on Linux, a limit that is not set shows as zeros. */
	if (superblock && !superblock->fixed) {
		uint64_t used = superblock->pages, limit = superblock->pages_max;

		statfs->f_blocks = limit;
		statfs->f_bfree = statfs->f_bavail = used < limit ? limit - used : 0;
		used = superblock->space, limit = superblock->space_max;
		statfs->f_files = limit / TMPFS_INODE_SPACE;
		statfs->f_ffree = used < limit ? (limit - used) / TMPFS_INODE_SPACE : 0;
	}
	return 0;
}

int statfs_of_path(unsigned long user_path, struct kernel_statfs *statfs)
{
	struct dentry *dentry;
	int error = path_arguments_look_up(AT_FDCWD, user_path, LOOKUP_FOLLOW, &dentry);

	if (error)
		return error;
	error = describe(dentry->inode, statfs);
	dentry_put(dentry);
	return error;
}

int statfs_of_descriptor(int fd, struct kernel_statfs *statfs)
{
	struct file *file = fd_get_file(fd);

	if (!file)
		return -EBADF;
	int error = describe(file_inode(file), statfs);

	file_put(file);
	return error;
}

long sys_statfs(const unsigned long arg[6])
{
	struct kernel_statfs statfs;
	int error = statfs_of_path(arg[0], &statfs);

	return error ? error : copy_to_user((void *)arg[1], &statfs, sizeof(statfs));
}

long sys_fstatfs(const unsigned long arg[6])
{
	struct kernel_statfs statfs;
	int error = statfs_of_descriptor((int)arg[0], &statfs);

	return error ? error : copy_to_user((void *)arg[1], &statfs, sizeof(statfs));
}
