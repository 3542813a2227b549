/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls that change the attributes of an inode: permissions, owner, times, size. */
#include <kernel/base/syscall.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/inotify.h>
#include <kernel/fs/tmpfs.h>
#include <kernel/mm/usercopy.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "path_arguments.h"

/* utimensat's special values of tv_nsec: Linux's UTIME_NOW, UTIME_OMIT. */
#define NSEC_NOW  0x3fffffff
#define NSEC_OMIT 0x3ffffffe

/* A change to an inode. */
struct change {
	enum { CHANGE_MODE, CHANGE_OWNER, CHANGE_TIMES } kind;
	bool times_are_now; /* not chosen by the caller: permission to write is enough */
	uint32_t mode;
	uint32_t uid, gid;		 /* INODE_OWNER_STAYS */
	struct kernel_timespec times[2]; /* of access, of modification */
};

/* Checks that the running task may make CHANGE to INODE: 0 or an error. */
static int check(const struct inode *inode, const struct change *change)
{
	if (change->kind != CHANGE_TIMES && inode->ops->is_fixed &&
	    inode->ops->is_fixed(inode, change->kind == CHANGE_OWNER))
		return -EPERM;
	if (change->kind == CHANGE_OWNER) {
		/* Removing privileges of the file changes its mode. */
		if (inode_mode_without_privileges(inode) != inode->mode &&
		    !inode_owner_or_capable(inode))
			return -EPERM;
		return inode_check_owner_change(inode, change->uid, change->gid);
	}
	if (inode_owner_or_capable(inode))
		return 0;
	return change->kind == CHANGE_TIMES && change->times_are_now ?
		       inode_permission(inode, W_OK) :
		       -EPERM;
}

/* Makes the check and the change one step, so that an owner cannot give privileges to a file that has just
 * got another owner. */
static struct mutex attribute_mutex = MUTEX_INITIALIZER(attribute_mutex);

/* attribute_mutex held. */
static int apply_locked(struct inode *inode, const struct change *change)
{
	struct inode_change after = {
		.mode = inode->mode,
		.uid = inode->uid,
		.gid = inode->gid,
		.times_are_now = change->times_are_now,
	};
	int error = check(inode, change);

	if (error)
		return error;
	switch (change->kind) {
	case CHANGE_MODE:
		if (inode_type(inode) == S_IFLNK)
			return -EOPNOTSUPP;
		if (((after.mode ^ change->mode) & 0111) && tmpfs_get_seals(inode) > 0 &&
		    (tmpfs_get_seals(inode) & F_SEAL_EXEC))
			return -EPERM;
		after.mode = (after.mode & S_IFMT) |
			     inode_allowed_mode(change->mode & S_IALLUGO, inode->gid);
		break;
	case CHANGE_OWNER:
		after.mode = inode_mode_without_privileges(inode);
		if (change->uid != INODE_OWNER_STAYS)
			after.uid = change->uid;
		if (change->gid != INODE_OWNER_STAYS)
			after.gid = change->gid;
		break;
	case CHANGE_TIMES:
		if (change->times[0].tv_nsec != NSEC_OMIT)
			after.accessed = &change->times[0];
		if (change->times[1].tv_nsec != NSEC_OMIT)
			after.modified = &change->times[1];
		break;
	}
	if (inode->superblock->read_only)
		error = -EROFS;
	else if (inode->superblock->change)
		error = inode->superblock->change(inode, &after);
	if (error)
		return error;
	if (change->kind != CHANGE_TIMES) {
		inode->mode = after.mode;
		inode->uid = after.uid;
		inode->gid = after.gid;
	}
	if (after.accessed)
		inode->accessed = *after.accessed;
	if (after.modified)
		inode->modified = *after.modified;
	inode_touch_attributes(inode);
	return 0;
}

/* Returns the inotify event of CHANGE, or 0. Linux: fsnotify_change. */
static uint32_t event_of(const struct change *change)
{
	if (change->kind == CHANGE_OWNER && change->uid == INODE_OWNER_STAYS &&
	    change->gid == INODE_OWNER_STAYS)
		return 0;
	if (change->kind != CHANGE_TIMES ||
	    (change->times[0].tv_nsec != NSEC_OMIT && change->times[1].tv_nsec != NSEC_OMIT))
		return IN_ATTRIB;
	return change->times[0].tv_nsec != NSEC_OMIT ? IN_ACCESS : IN_MODIFY;
}

static int apply(struct inode *inode, const struct change *change)
{
	mutex_lock(&attribute_mutex);
	int error = apply_locked(inode, change);

	mutex_unlock(&attribute_mutex);
	return error;
}

static long change_path(int directory_fd, unsigned long user_path, unsigned int flags,
			const struct change *change)
{
	struct dentry *dentry;
	int error = path_arguments_look_up_at(directory_fd, user_path, flags, &dentry);

	if (error)
		return error;
	/* Anonymous inodes have no attributes to change. */
	if (!dentry)
		return -EPERM;
	error = apply(dentry->inode, change);
	if (!error)
		inotify_dentry(dentry, event_of(change));
	dentry_put(dentry);
	return error;
}

static long change_descriptor(int fd, const struct change *change)
{
	struct file *file = fd_get_file(fd);

	if (!file || (file->flags & O_PATH)) {
		if (file)
			file_put(file);
		return -EBADF;
	}
	long result = file_inode(file) ? apply(file_inode(file), change) : -EPERM;

	if (!result)
		inotify_dentry(file->dentry, event_of(change));
	file_put(file);
	return result;
}

/* --- permissions and owners --- */

long sys_chmod(const unsigned long arg[6])
{
	const struct change change = { .kind = CHANGE_MODE, .mode = (uint32_t)arg[1] };

	return change_path(AT_FDCWD, arg[0], 0, &change);
}

long sys_fchmod(const unsigned long arg[6])
{
	const struct change change = { .kind = CHANGE_MODE, .mode = (uint32_t)arg[1] };

	return change_descriptor((int)arg[0], &change);
}

long sys_fchmodat(const unsigned long arg[6])
{
	const struct change change = { .kind = CHANGE_MODE, .mode = (uint32_t)arg[2] };

	return change_path((int)arg[0], arg[1], 0, &change);
}

long sys_fchmodat2(const unsigned long arg[6])
{
	const struct change change = { .kind = CHANGE_MODE, .mode = (uint32_t)arg[2] };
	unsigned int flags = (unsigned int)arg[3];

	if (flags & ~(unsigned int)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	return change_path((int)arg[0], arg[1], flags, &change);
}

static struct change owner_change(unsigned long uid, unsigned long gid)
{
	return (struct change){ .kind = CHANGE_OWNER, .uid = (uint32_t)uid, .gid = (uint32_t)gid };
}

long sys_chown(const unsigned long arg[6])
{
	const struct change change = owner_change(arg[1], arg[2]);

	return change_path(AT_FDCWD, arg[0], 0, &change);
}

long sys_lchown(const unsigned long arg[6])
{
	const struct change change = owner_change(arg[1], arg[2]);

	return change_path(AT_FDCWD, arg[0], AT_SYMLINK_NOFOLLOW, &change);
}

long sys_fchown(const unsigned long arg[6])
{
	const struct change change = owner_change(arg[1], arg[2]);

	return change_descriptor((int)arg[0], &change);
}

long sys_fchownat(const unsigned long arg[6])
{
	const struct change change = owner_change(arg[2], arg[3]);
	unsigned int flags = (unsigned int)arg[4];

	if (flags & ~(unsigned int)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	return change_path((int)arg[0], arg[1], flags, &change);
}

/* --- times --- */

static struct kernel_timespec now(void)
{
	return timespec_from_ns(clock_epoch_ns() + clock_ns());
}

static bool is_time(const struct kernel_timespec *time)
{
	return time->tv_nsec == NSEC_NOW || time->tv_nsec == NSEC_OMIT ||
	       (time->tv_nsec >= 0 && time->tv_nsec < (int64_t)NSEC_PER_SEC);
}

/* Sets both times of CHANGE: to those at USER_TIMES, or to now. */
static int get_times(struct change *change, unsigned long user_times)
{
	change->kind = CHANGE_TIMES;
	change->times[0] = change->times[1] = now();
	change->times_are_now = true;
	if (!user_times)
		return 0;
	struct kernel_timespec times[2];

	if (copy_from_user(times, (const void *)user_times, sizeof(times)))
		return -EFAULT;
	for (int i = 0; i < 2; i++) {
		if (!is_time(&times[i]))
			return -EINVAL;
		if (times[i].tv_nsec != NSEC_NOW) {
			change->times[i] = times[i];
			change->times_are_now = false;
		}
	}
	return 0;
}

long sys_utimensat(const unsigned long arg[6])
{
	struct change change;
	unsigned int flags = (unsigned int)arg[3];
	int error = get_times(&change, arg[2]);

	if (error)
		return error;
	if (change.times[0].tv_nsec == NSEC_OMIT && change.times[1].tv_nsec == NSEC_OMIT)
		return 0;
	if (flags & ~(unsigned int)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	/* futimens: the descriptor itself. */
	if (!arg[1] && (int)arg[0] != AT_FDCWD)
		return flags ? -EINVAL : change_descriptor((int)arg[0], &change);
	return change_path((int)arg[0], arg[1], flags, &change);
}

long attribute_set_times(int directory_fd, unsigned long user_path,
			 const struct kernel_timespec times[2])
{
	struct change change;

	get_times(&change, 0);
	if (times) {
		change.times_are_now = false;
		change.times[0] = times[0];
		change.times[1] = times[1];
	}
	return change_path(directory_fd, user_path, 0, &change);
}

/* Times in whole seconds (utime) or with microseconds (utimes, futimesat). */
static long set_old_times(int directory_fd, unsigned long user_path, unsigned long user_times,
			  bool seconds_only)
{
	struct kernel_timespec times[2];
	int64_t words[4] = { 0 };

	if (!user_times)
		return attribute_set_times(directory_fd, user_path, NULL);
	if (copy_from_user(words, (const void *)user_times,
			   seconds_only ? 2 * sizeof(int64_t) : sizeof(words)))
		return -EFAULT;
	for (int i = 0; i < 2; i++) {
		int64_t us = seconds_only ? 0 : words[2 * i + 1];

		if (us < 0 || us >= 1000000)
			return -EINVAL;
		times[i] = (struct kernel_timespec){ seconds_only ? words[i] : words[2 * i],
						     us * 1000 };
	}
	return attribute_set_times(directory_fd, user_path, times);
}

long sys_utime(const unsigned long arg[6])
{
	return set_old_times(AT_FDCWD, arg[0], arg[1], true);
}

long sys_utimes(const unsigned long arg[6])
{
	return set_old_times(AT_FDCWD, arg[0], arg[1], false);
}

long sys_futimesat(const unsigned long arg[6])
{
	return set_old_times((int)arg[0], arg[1], arg[2], false);
}

/* --- sizes --- */

long sys_truncate(const unsigned long arg[6])
{
	struct dentry *dentry;

	if ((int64_t)arg[1] < 0)
		return -EINVAL;
	int error = path_arguments_look_up(AT_FDCWD, arg[0], LOOKUP_FOLLOW, &dentry);

	if (error)
		return error;
	/* As Linux's vfs_truncate: the type is checked before the permission. */
	uint32_t type = inode_type(dentry->inode);

	error = type == S_IFDIR ? -EISDIR :
		type != S_IFREG ? -EINVAL :
				  inode_permission(dentry->inode, W_OK);
	if (!error)
		error = inode_begin_write(dentry->inode);
	if (!error) {
		error = inode_resize(dentry->inode, arg[1]);
		if (!error)
			inotify_dentry(dentry, IN_MODIFY);
		inode_end_write(dentry->inode);
	}
	dentry_put(dentry);
	return error;
}

long sys_ftruncate(const unsigned long arg[6])
{
	struct file *file;
	long result = -EINVAL;

	if ((int64_t)arg[1] < 0)
		return -EINVAL;
	file = fd_get_file((int)arg[0]);
	if (!file)
		return -EBADF;
	if (file->flags & O_PATH)
		result = -EBADF;
	else if (file_inode(file) && inode_type(file_inode(file)) == S_IFREG &&
		 (file->flags & O_ACCMODE) != O_RDONLY)
		result = inode_resize(file_inode(file), arg[1]);
	if (!result)
		inotify_file(file, IN_MODIFY);
	file_put(file);
	return result;
}

static long sync_descriptor(int fd, bool data_only)
{
	struct file *file = fd_get_opened(fd);

	if (!file)
		return -EBADF;
	struct inode *inode = file_inode(file);
	long result = file_has_contents(file) ? 0 : -EINVAL;

	if (!result && inode->superblock->sync)
		result = inode->superblock->sync(inode->superblock, inode, data_only);
	file_put(file);
	return result;
}

long sys_fsync(const unsigned long arg[6])
{
	return sync_descriptor((int)arg[0], false);
}

long sys_fdatasync(const unsigned long arg[6])
{
	return sync_descriptor((int)arg[0], true);
}

static bool sync_one(const struct superblock *superblock, void *unused)
{
	/* As on Linux, sync has no errors. */
	if (superblock->sync)
		superblock->sync(superblock->root->inode->superblock, NULL, false);
	return true;
}

long sys_sync(const unsigned long arg[6])
{
	superblock_for_each(sync_one, NULL);
	return 0;
}
