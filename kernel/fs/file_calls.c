/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls on descriptors: reading, writing, moving, duplicating. System calls on paths are in
 * path_calls.c. */
#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/fs/file_lock.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/inotify.h>
#include <kernel/fs/pipe.h>
#include <kernel/fs/tmpfs.h>
#include <kernel/fs/vector.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/user_range.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/termios.h>
#include <uapi/linux/uio.h>

/* Most bytes that one call moves: Linux's MAX_RW_COUNT. */
#define TRANSFER_MAX   (0x7fffffffUL & ~4095UL)

/* The flags that F_SETFL may change. */
#define SETTABLE_FLAGS (O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME | FASYNC)

/* Checks that user space may hold such memory and that the file offset does not overflow: 0, -EFAULT or
 * -EINVAL. */
static int check_range(const void *buffer, size_t size, uint64_t position)
{
	struct user_range range;

	if (!user_range_make((uintptr_t)buffer, size, &range))
		return -EFAULT;
	return (int64_t)(position + size) < 0 ? -EINVAL : 0;
}

/* Reads and reports it to inotify. Apart from read_from, so that without watches a read costs one test. */
static __attribute__((noinline)) ssize_t read_and_notify(struct file *file, void *buffer,
							 size_t size, uint64_t *position)
{
	ssize_t done = file->ops->read(file, buffer, size, position);

	if (done > 0)
		inotify_file(file, IN_ACCESS);
	return done;
}

static __attribute__((noinline)) ssize_t write_and_notify(struct file *file, const void *buffer,
							  size_t size, uint64_t *position)
{
	ssize_t done = file->ops->write(file, buffer, size, position);

	if (done > 0)
		inotify_file(file, IN_MODIFY);
	return done;
}

static inline ssize_t read_checked(struct file *file, void *buffer, size_t size, uint64_t *position)
{
	if (inotify_is_used())
		return read_and_notify(file, buffer, size, position);
	return file->ops->read(file, buffer, size, position);
}

/* SIZE is more than one call moves: checks the whole range, and moves what one call moves. */
static __attribute__((noinline)) ssize_t read_much(struct file *file, void *buffer, size_t size,
						   uint64_t *position)
{
	int error = check_range(buffer, size, *position);

	return error ? error : read_checked(file, buffer, TRANSFER_MAX, position);
}

static inline ssize_t read_from(struct file *file, void *buffer, size_t size, uint64_t *position)
{
	unsigned int flags = file->flags;

	/* O_WRONLY or O_PATH, found by one comparison: O_RDONLY, O_RDWR and 3 come to 0, 2 and 1. */
	if (((flags & (O_ACCMODE | O_PATH)) ^ O_WRONLY) - 1u > 2)
		return -EBADF;
	if (!file->ops->read)
		return -EINVAL;
	if (__builtin_expect(size > TRANSFER_MAX, 0))
		return read_much(file, buffer, size, position);
	int error = check_range(buffer, size, *position);

	if (__builtin_expect(error, 0))
		return error;
	return read_checked(file, buffer, size, position);
}

static inline ssize_t write_checked(struct file *file, const void *buffer, size_t size,
				    uint64_t *position)
{
	if (inotify_is_used())
		return write_and_notify(file, buffer, size, position);
	return file->ops->write(file, buffer, size, position);
}

/* SIZE is more than one call moves: checks the whole range, and moves what one call moves. */
static __attribute__((noinline)) ssize_t write_much(struct file *file, const void *buffer,
						    size_t size, uint64_t *position)
{
	int error = check_range(buffer, size, *position);

	return error ? error : write_checked(file, buffer, TRANSFER_MAX, position);
}

static ssize_t write_to(struct file *file, const void *buffer, size_t size, uint64_t *position)
{
	unsigned int access = file->flags & O_ACCMODE;

	if (access == O_RDONLY || (file->flags & O_PATH))
		return -EBADF;
	if (!file->ops->write)
		return -EINVAL;
	if (__builtin_expect(size > TRANSFER_MAX, 0))
		return write_much(file, buffer, size, position);
	int error = check_range(buffer, size, *position);

	if (__builtin_expect(error, 0))
		return error;
	return write_checked(file, buffer, size, position);
}

long sys_read(const unsigned long arg[6])
{
	struct file *file = fd_get_file((int)arg[0]);

	if (!file)
		return -EBADF;
	long result = read_from(file, (void *)arg[1], arg[2], &file->position);

	file_put(file);
	return result;
}

long sys_write(const unsigned long arg[6])
{
	struct file *file = fd_get_file((int)arg[0]);

	if (!file)
		return -EBADF;
	long result = write_to(file, (const void *)arg[1], arg[2], &file->position);

	file_put(file);
	return result;
}

/* A call that gives its own position. */
static long at_position(int fd, uintptr_t buffer, size_t size, int64_t at, bool writes)
{
	uint64_t position = (uint64_t)at;
	struct file *file;
	long result = -ESPIPE;

	if (at < 0)
		return -EINVAL;
	file = fd_get_opened(fd);
	if (!file)
		return -EBADF;
	if (file->ops->seekable)
		result = writes ? write_to(file, (const void *)buffer, size, &position) :
				  read_from(file, (void *)buffer, size, &position);
	file_put(file);
	return result;
}

long sys_pread64(const unsigned long arg[6])
{
	return at_position((int)arg[0], arg[1], arg[2], (int64_t)arg[3], false);
}

long sys_pwrite64(const unsigned long arg[6])
{
	return at_position((int)arg[0], arg[1], arg[2], (int64_t)arg[3], true);
}

/* Writes the parts of VECTOR to FILE as one write: gathers them first. */
static long write_whole(struct file *file, struct vector *vector)
{
	size_t size = vector->left;

	if (size > file->ops->whole_max)
		return -EINVAL;
	char *bytes = kzalloc(file->ops->whole_max);

	if (!bytes)
		return -ENOMEM;
	long result = vector_copy_from(vector, bytes, size);

	if (!result)
		result = file->ops->write_from_kernel(file, bytes, size, &file->position);
	if (result > 0)
		inotify_file(file, IN_MODIFY);
	kfree(bytes);
	return result;
}

/* Transfers one part after another, until one is not transferred whole. */
static long transfer_parts(struct file *file, const struct kernel_iovec *parts, size_t count,
			   uint64_t *position, bool writes)
{
	long done = 0, result = 0;

	for (size_t i = 0; i < count; i++) {
		void *memory = (void *)parts[i].iov_base;

		result = writes ? write_to(file, memory, parts[i].iov_len, position) :
				  read_from(file, memory, parts[i].iov_len, position);
		if (result > 0)
			done += result;
		if (result < (long)parts[i].iov_len)
			break;
	}
	return done ? done : result;
}

static long transfer_vector(struct file *file, struct vector *vector, size_t count,
			    uint64_t *position, bool writes)
{
	bool moves_vector = writes ? file->ops->write_vector != NULL :
				     file->ops->read_vector != NULL;

	if (writes && file->ops->whole_max && (file->flags & O_ACCMODE) != O_RDONLY)
		return write_whole(file, vector);
	if (!moves_vector)
		return transfer_parts(file, vector->parts, count, position, writes);
	if (!vector->left)
		return 0;

	long result = writes ? file->ops->write_vector(file, vector) :
			       file->ops->read_vector(file, vector);

	if (result > 0)
		inotify_file(file, writes ? IN_MODIFY : IN_ACCESS);
	return result;
}

/* readv, writev and their variants. POSITION NULL: the file's own. */
static long transfer(int fd, unsigned long user_vector, size_t count, uint64_t *position,
		     bool writes)
{
	struct file *file = fd_get_opened(fd);
	struct vector vector;
	long result = 0;

	if (!file)
		return -EBADF;
	if (count > IOV_MAX_COUNT)
		result = -EINVAL;
	else if (position && !file->ops->seekable)
		result = -ESPIPE;
	if (!position)
		position = &file->position;
	if (!result)
		result = vector_import(&vector, user_vector, count);
	if (!result) {
		result = transfer_vector(file, &vector, count, position, writes);
		vector_finish(&vector);
	}
	file_put(file);
	return result;
}

long sys_readv(const unsigned long arg[6])
{
	return transfer((int)arg[0], arg[1], (unsigned int)arg[2], NULL, false);
}

long sys_writev(const unsigned long arg[6])
{
	return transfer((int)arg[0], arg[1], (unsigned int)arg[2], NULL, true);
}

/* The position fits in one register on a 64-bit machine; -1 means the file's own if OWN_ALLOWED. */
static long transfer_at(const unsigned long arg[6], bool own_allowed, bool writes)
{
	uint64_t position = arg[3];

	if (own_allowed && (int64_t)position == -1)
		return transfer((int)arg[0], arg[1], (unsigned int)arg[2], NULL, writes);
	if ((int64_t)position < 0)
		return -EINVAL;
	return transfer((int)arg[0], arg[1], (unsigned int)arg[2], &position, writes);
}

long sys_preadv(const unsigned long arg[6])
{
	return transfer_at(arg, false, false);
}

long sys_pwritev(const unsigned long arg[6])
{
	return transfer_at(arg, false, true);
}

/* No RWF_* flag is supported: they request speed, safety or atomicity. */
long sys_preadv2(const unsigned long arg[6])
{
	return arg[5] ? -EOPNOTSUPP : transfer_at(arg, true, false);
}

long sys_pwritev2(const unsigned long arg[6])
{
	return arg[5] ? -EOPNOTSUPP : transfer_at(arg, true, true);
}

long sys_close(const unsigned long arg[6])
{
	return fd_close((int)arg[0]);
}

/* Returns where contents, or a hole, begin at or after OFFSET; a file ends with a hole. */
static int64_t seek_data(struct inode *inode, int64_t offset, bool hole)
{
	if (!inode || inode_type(inode) != S_IFREG)
		return -EINVAL;
	if (offset < 0 || (uint64_t)offset >= inode->size)
		return -ENXIO;
	if (inode->ops->find_data)
		return inode->ops->find_data(inode, (uint64_t)offset, hole);
	return hole ? (int64_t)inode->size : offset;
}

/* Returns the new position for lseek, or a negative error. */
static int64_t seek_target(const struct file *file, int64_t offset, unsigned int whence)
{
	int64_t base, target;

	switch (whence) {
	case SEEK_SET:
		base = 0;
		break;
	case SEEK_CUR:
		base = (int64_t)file->position;
		break;
	case SEEK_END:
		base = file_inode(file) ? (int64_t)file_inode(file)->size : 0;
		break;
	case SEEK_DATA:
	case SEEK_HOLE:
		return seek_data(file_inode(file), offset, whence == SEEK_HOLE);
	default:
		return -EINVAL;
	}
	if (__builtin_add_overflow(base, offset, &target) || target < 0)
		return -EINVAL;
	return target;
}

long sys_lseek(const unsigned long arg[6])
{
	struct file *file = fd_get_opened((int)arg[0]);
	long result = -ESPIPE;

	if (!file)
		return -EBADF;
	if (file->ops->seek) {
		result = file->ops->seek(file, (int64_t)arg[1], (unsigned int)arg[2]);
	} else if (file->ops->seekable) {
		result = seek_target(file, (int64_t)arg[1], (unsigned int)arg[2]);
		if (result >= 0)
			file->position = (uint64_t)result;
	} else if (file->ops->seek_ignored) {
		result = 0;
	}
	file_put(file);
	return result;
}

/* Sets FILE's flags in MASK to those of FLAGS. FD is the descriptor for SIGIO. */
static void set_flags(struct file *file, int fd, unsigned int mask, unsigned int flags)
{
	unsigned int old = file->flags;

	if (flags & mask & ~old & FASYNC)
		file->async.fd = fd;
	while (!atomic_compare_exchange_weak(&file->flags, &old, (old & ~mask) | (flags & mask)))
		;
}

/* Switches FLAG of FILE, which is also FD, on or off by the int at USER_ON. */
static long switch_flag(struct file *file, int fd, unsigned int flag, const int *user_on)
{
	int on;

	if (copy_from_user(&on, user_on, sizeof(on)) < 0)
		return -EFAULT;
	unsigned int requested = on ? flag : 0;

	if (((file->flags ^ requested) & flag & FASYNC) && !file->ops->notifies)
		return -ENOTTY;
	set_flags(file, fd, flag, requested);
	return 0;
}

long sys_ioctl(const unsigned long arg[6])
{
	struct file *file = fd_get_opened((int)arg[0]);
	unsigned int command = (unsigned int)arg[1];
	long result;

	if (!file)
		return -EBADF;
	if (command == FIOCLEX || command == FIONCLEX) {
		result = fd_set_cloexec((int)arg[0], command == FIOCLEX);
	} else if (command == FIONBIO || command == FIOASYNC) {
		result = switch_flag(file, (int)arg[0], command == FIONBIO ? O_NONBLOCK : FASYNC,
				     (const int *)arg[2]);
	} else if (command == FIONREAD && file_inode(file) &&
		   inode_type(file_inode(file)) == S_IFREG) {
		int left = (int)(file_inode(file)->size - file->position);

		result = copy_to_user((void *)arg[2], &left, sizeof(left));
	} else {
		result = file->ops->ioctl ? file->ops->ioctl(file, command, arg[2]) : -ENOTTY;
	}
	file_put(file);
	return result;
}

/* close_range's flags: Linux's uapi/linux/close_range.h. */
#define CLOSE_RANGE_UNSHARE 2
#define CLOSE_RANGE_CLOEXEC 4

long sys_close_range(const unsigned long arg[6])
{
	unsigned int first = (unsigned int)arg[0], last = (unsigned int)arg[1];
	unsigned int flags = (unsigned int)arg[2];

	if ((flags & ~(unsigned int)(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC)) || first > last)
		return -EINVAL;
	if ((flags & CLOSE_RANGE_UNSHARE) && file_table_is_shared(task_current()->files)) {
		struct file_table *own = file_table_copy(task_current()->files);

		if (!own)
			return -ENOMEM;
		file_table_switch(own);
	}
	for (; first <= last && first < fd_capacity(); first++) {
		/* Skip descriptors that are not open. */
		if (flags & CLOSE_RANGE_CLOEXEC)
			fd_set_cloexec((int)first, true);
		else
			fd_close((int)first);
	}
	return 0;
}

static long duplicate(int fd, int least, bool cloexec)
{
	struct file *file = fd_get_file(fd);

	if (!file)
		return -EBADF;
	long result = fd_install_from(file, least, cloexec);

	if (result < 0)
		file_put(file);
	return result;
}

long sys_dup(const unsigned long arg[6])
{
	return duplicate((int)arg[0], 0, false);
}

static long duplicate_at(int from, int to, bool cloexec)
{
	struct file *file = fd_get_file(from);

	if (!file)
		return -EBADF;
	long result = fd_install_at(file, to, cloexec);

	if (result < 0)
		file_put(file);
	return result;
}

long sys_dup2(const unsigned long arg[6])
{
	int from = (int)arg[0], to = (int)arg[1];

	if (from == to)
		return fd_get_cloexec(from) < 0 ? -EBADF : to;
	return duplicate_at(from, to, false);
}

long sys_dup3(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[2];

	if ((flags & ~(unsigned int)O_CLOEXEC) || (int)arg[0] == (int)arg[1])
		return -EINVAL;
	return duplicate_at((int)arg[0], (int)arg[1], flags & O_CLOEXEC);
}

/* Linux takes O_DIRECT only for files that bypass a cache, and for pipes (packets). */
static bool may_be_direct(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	return inode && (inode_type(inode) == S_IFREG || inode_type(inode) == S_IFIFO);
}

/* O_NOATIME hides reads from the owner, so only the owner may set it. */
static bool may_hide_access(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	return !inode || inode_owner_or_capable(inode);
}

static long control(struct file *file, int fd, unsigned int command, unsigned long argument)
{
	switch (command) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		if (argument >= task_current()->process->limits[RLIMIT_NOFILE].rlim_cur)
			return -EINVAL;
		return duplicate(fd, (int)argument, command == F_DUPFD_CLOEXEC);
	case F_GETFD:
		return fd_get_cloexec(fd);
	case F_SETFD:
		return fd_set_cloexec(fd, argument & FD_CLOEXEC);
	case F_GETFL:
		return (long)file->flags;
	case F_SETFL:
		if (!file->ops->notifies)
			argument &= ~(unsigned long)FASYNC;
		if ((argument & ~(unsigned long)file->flags & O_NOATIME) && !may_hide_access(file))
			return -EPERM;
		if ((argument & O_DIRECT) && !may_be_direct(file))
			return -EINVAL;
		set_flags(file, fd, SETTABLE_FLAGS, (unsigned int)argument);
		return 0;
	case F_SETOWN:
	case F_GETOWN:
	case F_SETOWN_EX:
	case F_GETOWN_EX:
	case F_SETSIG:
	case F_GETSIG:
		return file_notify_control(file, command, argument);
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		return file_lock_control(file, command, argument);
	case F_GETPIPE_SZ:
		return pipe_get_size(file);
	case F_SETPIPE_SZ:
		return pipe_set_size(file, argument);
	case F_GET_SEALS:
		return file_inode(file) ? tmpfs_get_seals(file_inode(file)) : -EINVAL;
	case F_ADD_SEALS:
		if ((file->flags & O_ACCMODE) == O_RDONLY)
			return -EPERM;
		return file_inode(file) ?
			       tmpfs_add_seals(file_inode(file), (unsigned int)argument) :
			       -EINVAL;
	default:
		return -EINVAL;
	}
}

/* True for commands that a descriptor opened with O_PATH allows: Linux's check_fcntl_cmd. */
static bool may_name(unsigned int command)
{
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC || command == F_GETFD ||
	       command == F_SETFD || command == F_GETFL;
}

long sys_fcntl(const unsigned long arg[6])
{
	unsigned int command = (unsigned int)arg[1];
	struct file *file = fd_get_file((int)arg[0]);

	if (!file)
		return -EBADF;
	long result = file->flags & O_PATH && !may_name(command) ?
			      -EBADF :
			      control(file, (int)arg[0], command, arg[2]);

	file_put(file);
	return result;
}
