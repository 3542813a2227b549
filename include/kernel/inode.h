/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inodes: what a file is, apart from its names. Names are dentries (<kernel/dentry.h>); an open
 * file (<kernel/file.h>) is a way to use an inode.
 *
 * Locks: inode->write_mutex orders who changes the contents, and is held across copies from user
 * memory; it comes before a space's mutex. inode->mutex guards where the contents are, and is taken
 * by page faults: after a space's mutex, and never around an access to user memory. The attributes
 * are words that change one at a time.
 */
#ifndef KERNEL_INODE_H
#define KERNEL_INODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <kernel/file_lock.h>
#include <kernel/wait.h>
#include <kernel/xattr.h>
#include <uapi/linux/stat.h>
#include <uapi/linux/time.h>

struct dentry;
struct file;
struct inode;
struct pipe;
struct superblock;
struct task;

/* Longest path, with its end, and longest name in a directory, without: Linux's PATH_MAX, NAME_MAX. */
#define PATH_SIZE     4096
#define NAME_SIZE_MAX 255
/* Most bytes a file can have: as the pages of tmpfs can be numbered. */
#define FILE_SIZE_MAX ((uint64_t)1 << 51)

/* FILE, new, gets its operations. 0 or a negative error. Task context. */
typedef int inode_open_function(struct inode *inode, struct file *file);

/* Receives one entry of a directory. False: there is no room for it. */
struct directory_reader {
	bool (*entry)(struct directory_reader *reader, const char *name, size_t name_size,
		      uint64_t number, uint32_t mode, uint64_t next_position);
};

/* What a kind of inode does. Task context. NULL: as said. */
struct inode_ops {
	/* A directory whose entries are no dentries that stay: the inode of that name, with a
	 * reference, or NULL with *ERROR. NULL: its dentries are all there is. */
	struct inode *(*look_up)(struct inode *directory, const char *name, size_t name_size,
				 int *error);
	/* Entries from POSITION (2 …) on, until the reader has no room. With look_up. */
	void (*list)(struct inode *directory, uint64_t position, struct directory_reader *reader);
	/* mkdir and rmdir in a directory with look_up, of which NAME is no dot: 0 or a negative error. Both or
	 * none; NULL: nothing can be made there. */
	int (*make_directory)(struct inode *directory, const char *name, size_t name_size);
	int (*remove_directory)(struct inode *directory, const char *name, size_t name_size);
	/* A link's target into BUFFER of SIZE bytes, without an end: its length, or an error. */
	ssize_t (*read_link)(struct inode *link, char *buffer, size_t size);
	/* A link that leads where no path may: the dentry, with a reference, or NULL with *ERROR.
	 * tree_mutex is held. NULL: by its text. */
	struct dentry *(*follow)(struct inode *link, int *error);
	/* NULL: directories and devices are opened by their type, other types cannot be. */
	inode_open_function *open;
	/* Sets the size of the contents. 0, -EFBIG, -ENOMEM. write_mutex held. NULL: EINVAL. */
	int (*resize)(struct inode *inode, uint64_t size);
	/* Gives the SIZE bytes at OFFSET (both checked) room; they may lie behind the end, which
	 * stays where it is. 0, -ENOSPC, -EINTR, -EPERM (sealed). write_mutex held. NULL: EOPNOTSUPP. */
	int (*allocate)(struct inode *inode, uint64_t offset, uint64_t size);
	/* Makes them read as zeros and gives their room back. 0, -EPERM (sealed). With
	 * allocate. */
	int (*punch)(struct inode *inode, uint64_t offset, uint64_t size);
	/* The first offset from OFFSET on where contents, or with HOLE none, begin; -ENXIO: none
	 * before the end. NULL: all of the file is contents. */
	int64_t (*find_data)(struct inode *inode, uint64_t offset, bool hole);
	/* As inode_permission, instead of it. NULL: the mode and the owner say. */
	int (*permission)(const struct inode *inode, unsigned int mask);
	/* Whether nobody changes the mode, respectively with OWNER the owner, whoever owns it. NULL: no. */
	bool (*is_fixed)(const struct inode *inode, bool owner);
	/* The last reference is gone. NULL: kfree. */
	void (*free)(struct inode *inode);
};

struct inode {
	_Atomic unsigned int references;
	const struct inode_ops *ops;
	struct superblock *superblock;
	uint64_t number;
	_Atomic uint32_t mode; /* S_IF* and permissions */
	_Atomic uint32_t uid, gid;
	_Atomic uint32_t links; /* names; directories: 2 and one for each directory in them */
	uint64_t device;	/* st_rdev of a device node */
	_Atomic int writers;	/* opened for writing by path; negative: programs that run it */
	_Atomic bool nameless;	/* O_TMPFILE: may get its first name */
	struct mutex write_mutex, mutex;
	_Atomic uint64_t size;	     /* bytes; written under both mutexes */
	_Atomic uint64_t pages;	     /* of contents that there are */
	struct pipe *pipe;	     /* pipe.c's lock: of a FIFO that is open; else NULL */
	LIST_HEAD(, inotify_watch) watches; /* kernel/fs/inotify.c's */
	struct file_lock_list locks; /* see <kernel/file_lock.h> */
	struct xattr_list xattrs;    /* write_mutex */
	struct kernel_timespec accessed, modified, changed; /* may be torn: a reader cannot tell */
};

/* Makes INODE, zeroed, one of SUPERBLOCK's with one reference, a new number, MODE and the present
 * time. Task context. */
void inode_init(struct inode *inode, struct superblock *superblock, const struct inode_ops *ops,
		uint32_t mode);
/* One more reference, and one less; the last frees. get: any context, with one; put: task context. */
void inode_get(struct inode *inode);
void inode_put(struct inode *inode);

/* Who writes INODE and who runs it keep each other out, as with Linux's i_writecount. begin: 0 or -ETXTBSY.
 * Any context. */
int inode_begin_write(struct inode *inode);
void inode_end_write(struct inode *inode);
int inode_begin_program(struct inode *inode);
void inode_end_program(struct inode *inode);

static inline uint32_t inode_type(const struct inode *inode)
{
	return inode->mode & S_IFMT;
}

/* --- what the running task may do: kernel/fs/permission.c. Task context. --- */

/* MASK (R_OK, W_OK, X_OK) to INODE: 0 or -EACCES. */
int inode_permission(const struct inode *inode, unsigned int mask);
/* The same by mode, owner and capabilities alone, whatever the inode's operations say: for these. */
int inode_permission_by_mode(const struct inode *inode, unsigned int mask);
/* What only an owner may (change the mode, set times): owns it, or CAP_FOWNER. */
bool inode_owner_or_capable(const struct inode *inode);
/* Take INODE's name out of DIRECTORY, which may be sticky: 0 or -EPERM. */
int inode_check_sticky(const struct inode *directory, const struct inode *inode);

/* Give INODE, somebody else's perhaps, one more name: 0 or -EPERM. Linux's protected_hardlinks, which Debian switches on. */
int inode_check_link(const struct inode *inode);
/* Follow LINK, found in DIRECTORY, where a path ends: 0 or -EACCES. Linux's protected_symlinks, the same. */
int inode_check_follow(const struct inode *directory, const struct inode *link);

#define INODE_OWNER_STAYS ((uint32_t)-1)

/* Give INODE to UID and GID (INODE_OWNER_STAYS: as it is): 0 or -EPERM. */
int inode_check_owner_change(const struct inode *inode, uint32_t uid, uint32_t gid);
/* MODE, asked for on a file of group GID, without S_ISGID if that group is not the task's own. */
uint32_t inode_allowed_mode(uint32_t mode, uint32_t gid);
/* INODE's mode without the bits that would let others act with the rights of a new owner, or run new
 * contents with those of the old one. */
uint32_t inode_mode_without_privileges(const struct inode *inode);
/* The contents of INODE are about to change: such bits go, unless CAP_FSETID. */
void inode_written(struct inode *inode);

/* Fills in STAT. Task context. */
void inode_stat(const struct inode *inode, struct kernel_stat *stat);

/* The contents, respectively only the attributes, changed just now. Task context. */
void inode_touch_contents(struct inode *inode);
void inode_touch_attributes(struct inode *inode);
/* utimes, futimesat: the file at the program's USER_PATH, which may be relative to DIRECTORY_FD, has TIMES, of access
 * and of modification, or both are now (NULL). 0, or an error as the call has it. Task context. */
long attribute_set_times(int directory_fd, unsigned long user_path,
			 const struct kernel_timespec times[2]);

/* Sets the size of a regular file: 0, -EINVAL, -EISDIR, -EFBIG, -ENOMEM. Task context, no space's
 * mutex held. */
int inode_resize(struct inode *inode, uint64_t size);

/* What fallocate(2) does with MODE of FALLOC_FL_*, checked: 0 or as the operations. Task context, no
 * space's mutex held. */
int inode_allocate(struct inode *inode, unsigned int mode, uint64_t offset, uint64_t size);

/* Opens the device node NODE: FILE's operations are those of its number. 0, -ENXIO. Task context. */
int device_open(struct inode *node, struct file *file);
inode_open_function console_open, tty_current_open, ptmx_open;
inode_open_function null_open, zero_open, full_open, random_open, urandom_open, kmsg_open;

/* Mounts /dev, /proc and /sys. At start. */
void devices_mount(void);
void proc_mount(void);
/* The task whose directory /proc/PID is open as FILE, which keeps it; NULL: that is something else. Any context. */
struct task *proc_task_of(const struct file *file);
void sysfs_mount(void);

static inline uint64_t device_number(unsigned int major, unsigned int minor)
{
	return (uint64_t)(minor & 0xff) | (uint64_t)(major & 0xfff) << 8 |
	       (uint64_t)(minor & ~0xffu) << 12;
}

#endif
