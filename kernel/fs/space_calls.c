/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls about the room of contents: fallocate; and calls about a medium, which Tally does not have:
 * they only check their arguments. */
#include <kernel/base/syscall.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/inotify.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

/* posix_fadvise's advice is 0 … this: Linux's uapi/linux/fadvise.h. */
#define ADVICE_LAST	 5
/* sync_file_range's flags: Linux's uapi/linux/fs.h. */
#define SYNC_RANGE_FLAGS 7

static bool is_type(const struct inode *inode, uint32_t type)
{
	return inode && inode_type(inode) == type;
}

static long allocate(struct file *file, unsigned int mode, int64_t offset, int64_t size)
{
	struct inode *inode = file_inode(file);
	int64_t end;

	if (offset < 0 || size <= 0)
		return -EINVAL;
	if ((mode & ~(unsigned int)(FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE)) ||
	    mode == FALLOC_FL_PUNCH_HOLE)
		return -EOPNOTSUPP;
	if ((file->flags & O_ACCMODE) == O_RDONLY || (file->flags & O_PATH))
		return -EBADF;
	if (is_type(inode, S_IFIFO))
		return -ESPIPE;
	if (is_type(inode, S_IFDIR))
		return -EISDIR;
	if (!is_type(inode, S_IFREG))
		return -ENODEV;
	if (__builtin_add_overflow(offset, size, &end))
		return -EFBIG;
	if ((uint64_t)end > FILE_SIZE_MAX) {
		/* Beyond the greatest size there is nothing to remove. */
		if (!(mode & FALLOC_FL_PUNCH_HOLE))
			return -EFBIG;
		if ((uint64_t)offset >= FILE_SIZE_MAX)
			return 0;
		size = (int64_t)FILE_SIZE_MAX - offset;
	}
	return inode_allocate(inode, mode, (uint64_t)offset, (uint64_t)size);
}

long sys_fallocate(const unsigned long arg[6])
{
	struct file *file = fd_get_file((int)arg[0]);

	if (!file)
		return -EBADF;
	long result = allocate(file, (unsigned int)arg[1], (int64_t)arg[2], (int64_t)arg[3]);

	if (!result)
		inotify_file(file, IN_MODIFY);
	file_put(file);
	return result;
}

long sys_fadvise64(const unsigned long arg[6])
{
	struct file *file = fd_get_file((int)arg[0]);
	long result = 0;

	if (!file)
		return -EBADF;
	if (file->flags & O_PATH)
		result = -EBADF;
	else if (is_type(file_inode(file), S_IFIFO))
		result = -ESPIPE;
	else if ((int64_t)arg[2] < 0 || (unsigned int)arg[3] > ADVICE_LAST)
		result = -EINVAL;
	file_put(file);
	return result;
}

long sys_readahead(const unsigned long arg[6])
{
	struct file *file = fd_get_file((int)arg[0]);
	long result = 0;

	if (!file)
		return -EBADF;
	if ((file->flags & O_ACCMODE) == O_WRONLY || (file->flags & O_PATH))
		result = -EBADF;
	else if (!is_type(file_inode(file), S_IFREG))
		result = -EINVAL;
	file_put(file);
	return result;
}

long sys_sync_file_range(const unsigned long arg[6])
{
	struct file *file = fd_get_file((int)arg[0]);
	int64_t offset = (int64_t)arg[1], size = (int64_t)arg[2], end;
	long result = 0;

	if (!file)
		return -EBADF;
	const struct inode *inode = file_inode(file);

	if (file->flags & O_PATH)
		result = -EBADF;
	else if ((arg[3] & ~(unsigned long)SYNC_RANGE_FLAGS) || offset < 0 ||
		 __builtin_add_overflow(offset, size, &end) || end < offset)
		result = -EINVAL;
	else if (!is_type(inode, S_IFREG) && !is_type(inode, S_IFDIR) && !is_type(inode, S_IFBLK))
		result = -ESPIPE;
	file_put(file);
	return result;
}

long sys_syncfs(const unsigned long arg[6])
{
	struct file *file = fd_get_file((int)arg[0]);
	long result = file && !(file->flags & O_PATH) ? 0 : -EBADF;
	struct inode *inode = result ? NULL : file_inode(file);

	if (inode && inode->superblock->sync)
		result = inode->superblock->sync(inode->superblock, NULL, false);
	if (file)
		file_put(file);
	return result;
}
