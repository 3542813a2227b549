/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls on paths: opening, describing, links, the current directory. */
#include <string.h>

#include <kernel/file.h>
#include <kernel/inode.h>
#include <kernel/kmalloc.h>
#include <kernel/process.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

/* st_dev and st_ino of files without an inode (events): one anonymous inode, as Linux has. */
#define ANONYMOUS_DEVICE 2

/* Where a path that does not begin with '/' begins. 0 or -EBADF, -ENOTDIR. */
static int find_start(int directory_fd, const char *path, struct inode **start)
{
	*start = task_current()->process->directory;
	if (path[0] == '/' || directory_fd == AT_FDCWD)
		return 0;
	struct file *file = fd_get_file(directory_fd);

	if (!file)
		return -EBADF;
	*start = file->inode;
	file_put(file);
	return *start && ((*start)->mode & S_IFMT) == S_IFDIR ? 0 : -ENOTDIR;
}

/* The inode that a call's directory and path mean. */
static int look_up(int directory_fd, unsigned long user_path, bool follow, struct inode **result)
{
	char *path = kzalloc(PATH_SIZE);
	struct inode *start;
	long length;

	if (!path)
		return -ENOMEM;
	length = copy_string_from_user(path, (const char *)user_path, PATH_SIZE);
	int error = length < 0 ? (int)length : 0;

	if (!error && length == 0)
		error = -ENOENT;
	if (!error)
		error = find_start(directory_fd, path, &start);
	if (!error)
		error = inode_lookup(start, path, follow, result);
	kfree(path);
	return error;
}

static long open_path(int directory_fd, unsigned long user_path, unsigned int flags)
{
	struct inode *inode;
	struct file *file;
	int error = look_up(directory_fd, user_path, !(flags & O_NOFOLLOW), &inode);

	/* What is not there cannot be made. */
	if (error == -ENOENT && (flags & O_CREAT))
		return -EROFS;
	if (error)
		return error;
	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return -EEXIST;
	error = inode_open(inode, flags, &file);
	if (error)
		return error;
	int fd = fd_install(file, flags & O_CLOEXEC);

	if (fd < 0)
		file_put(file);
	return fd;
}

long sys_open(const unsigned long arg[6])
{
	return open_path(AT_FDCWD, arg[0], (unsigned int)arg[1]);
}

long sys_openat(const unsigned long arg[6])
{
	return open_path((int)arg[0], arg[1], (unsigned int)arg[2]);
}

static long put_stat(const struct inode *inode, unsigned long user_stat)
{
	struct kernel_stat stat = { .st_dev = ANONYMOUS_DEVICE,
				    .st_ino = 1,
				    .st_nlink = 1,
				    .st_mode = 0600,
				    .st_blksize = 4096 };

	if (inode)
		inode_stat(inode, &stat);
	return copy_to_user((void *)user_stat, &stat, sizeof(stat));
}

static long stat_path(int directory_fd, unsigned long user_path, bool follow,
		      unsigned long user_stat)
{
	struct inode *inode;
	int error = look_up(directory_fd, user_path, follow, &inode);

	return error ? error : put_stat(inode, user_stat);
}

long sys_stat(const unsigned long arg[6])
{
	return stat_path(AT_FDCWD, arg[0], true, arg[1]);
}

long sys_lstat(const unsigned long arg[6])
{
	return stat_path(AT_FDCWD, arg[0], false, arg[1]);
}

static long stat_descriptor(int fd, unsigned long user_stat)
{
	struct file *file = fd_get_file(fd);

	if (!file)
		return -EBADF;
	long result = put_stat(file->inode, user_stat);

	file_put(file);
	return result;
}

long sys_fstat(const unsigned long arg[6])
{
	return stat_descriptor((int)arg[0], arg[1]);
}

long sys_newfstatat(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[3];
	char first = 'x';

	if (flags & ~(unsigned int)(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH))
		return -EINVAL;
	/* An empty path (or none, since Linux 6.11) with AT_EMPTY_PATH: the descriptor itself. */
	if ((flags & AT_EMPTY_PATH) && arg[1] && copy_from_user(&first, (const void *)arg[1], 1))
		return -EFAULT;
	if ((flags & AT_EMPTY_PATH) && (!arg[1] || !first)) {
		if ((int)arg[0] == AT_FDCWD)
			return put_stat(task_current()->process->directory, arg[2]);
		return stat_descriptor((int)arg[0], arg[2]);
	}
	return stat_path((int)arg[0], arg[1], !(flags & AT_SYMLINK_NOFOLLOW), arg[2]);
}

/* Copies a link's TARGET, cut to SIZE, without an end. */
static long put_target(const char *target, size_t length, unsigned long user_buffer, size_t size)
{
	if (length > size)
		length = size;
	return copy_to_user((void *)user_buffer, target, length) ? -EFAULT : (long)length;
}

static long read_link(int directory_fd, unsigned long user_path, unsigned long user_buffer,
		      int size)
{
	struct inode *inode;

	if (size <= 0)
		return -EINVAL;
	int error = look_up(directory_fd, user_path, false, &inode);

	if (error)
		return error;
	if ((inode->mode & S_IFMT) != S_IFLNK)
		return -EINVAL;
	const char *text = proc_link_text(inode);

	if (text)
		return put_target(text, strlen(text), user_buffer, (size_t)size);
	return put_target(inode->data, inode->size, user_buffer, (size_t)size);
}

long sys_readlink(const unsigned long arg[6])
{
	return read_link(AT_FDCWD, arg[0], arg[1], (int)arg[2]);
}

long sys_readlinkat(const unsigned long arg[6])
{
	return read_link((int)arg[0], arg[1], arg[2], (int)arg[3]);
}

static long check_access(int directory_fd, unsigned long user_path, unsigned int mode)
{
	struct inode *inode;

	if (mode & ~(unsigned int)(R_OK | W_OK | X_OK))
		return -EINVAL;
	int error = look_up(directory_fd, user_path, true, &inode);

	if (error)
		return error;
	uint32_t type = inode->mode & S_IFMT;

	if ((mode & W_OK) && type != S_IFCHR)
		return -EROFS;
	/* Everything runs as root: execution needs some x bit all the same. */
	if ((mode & X_OK) && type != S_IFDIR && !(inode->mode & 0111))
		return -EACCES;
	return 0;
}

long sys_access(const unsigned long arg[6])
{
	return check_access(AT_FDCWD, arg[0], (unsigned int)arg[1]);
}

long sys_faccessat(const unsigned long arg[6])
{
	return check_access((int)arg[0], arg[1], (unsigned int)arg[2]);
}

long sys_getcwd(const unsigned long arg[6])
{
	char *path = kzalloc(PATH_SIZE);
	long result = -ENOMEM;

	if (!path)
		return result;
	result = inode_path(task_current()->process->directory, path, PATH_SIZE);
	if (result >= 0) {
		size_t size = (size_t)result + 1;

		if (size > arg[1])
			result = -ERANGE;
		else
			result = copy_to_user((void *)arg[0], path, size) ? -EFAULT : (long)size;
	}
	kfree(path);
	return result;
}

long sys_chdir(const unsigned long arg[6])
{
	struct inode *inode;
	int error = look_up(AT_FDCWD, arg[0], true, &inode);

	if (error)
		return error;
	if ((inode->mode & S_IFMT) != S_IFDIR)
		return -ENOTDIR;
	task_current()->process->directory = inode;
	return 0;
}
