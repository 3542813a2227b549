/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inodes: what a file is, apart from its names. Names are dentries (<kernel/fs/dentry.h>); an open file
 * (<kernel/fs/file.h>) gives access to an inode.
 *
 * Locks: inode->write_mutex orders changes of the contents, and is held across copies from user memory; it
 * comes before a space's mutex. inode->mutex guards the places of the contents, and is taken by page faults:
 * after a space's mutex, and never around an access to user memory. The attributes are words that change one
 * at a time.
 */
#ifndef KERNEL_INODE_H
#define KERNEL_INODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <kernel/fs/file_lock.h>
#include <kernel/fs/xattr.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/stat.h>
#include <uapi/linux/time.h>

struct dentry;
struct file;
struct inode;
struct pipe;
struct superblock;
struct task;

/* Longest path, with its terminator, and longest name in a directory, without: Linux's PATH_MAX, NAME_MAX. */
#define PATH_SIZE     4096
#define NAME_SIZE_MAX 255
/* Most bytes of a file: limited by the page numbers of tmpfs. */
#define FILE_SIZE_MAX ((uint64_t)1 << 51)

/* Sets the operations of FILE, new. 0 or a negative error. Task context. */
typedef int inode_open_function(struct inode *inode, struct file *file);

/* Receives one entry of a directory. False: no room for it. */
struct directory_reader {
	bool (*entry)(struct directory_reader *reader, const char *name, size_t name_size,
		      uint64_t number, uint32_t mode, uint64_t next_position);
};

/*
 * A directory above entries that its file system finds elsewhere (look_up): the tree keeps each entry that was looked up
 * as a lasting dentry, in front of the ones below, and programs change only the tree. tree_mutex is held. Errors are
 * negative.
 */
struct directory_layer {
	/* Lists the entries from POSITION (2 …) on, the tree's among them, until the reader has no room. */
	int (*list)(struct dentry *directory, uint64_t position, struct directory_reader *reader);
	/* Prepares for hide, which then cannot fail. */
	int (*begin_change)(struct inode *directory);
	/* The tree's entry of that name goes: none below shows there any more. */
	void (*hide)(struct inode *directory, const char *name, size_t name_size);
	/* Returns 0 or -ENOTEMPTY: an entry below shows that the tree does not have. */
	int (*check_empty)(struct inode *directory);
	/* Programs change what is below, too, or with NULL the tree alone. */
	const struct directory_changes *changes;
};

struct entry_request;

/*
 * The changes of the entries below: each comes first, and the tree's follows without fail. After an error nothing has changed.
 * tree_mutex is held.
 */
struct directory_changes {
	/* Creates the inode of an entry that is to be made: NULL: no memory. */
	struct inode *(*make_inode)(struct inode *directory, uint32_t mode, uint64_t device);
	/* Makes the entry of MADE, not linked, whose inode is make_inode's. */
	int (*create)(struct dentry *made, const struct entry_request *request);
	/* Gives INODE the name of MADE, not linked. */
	int (*link)(struct inode *inode, struct dentry *made);
	int (*remove)(struct dentry *dentry);
	/* Makes DENTRY the entry NAME of TO, where REPLACED, unless NULL, was. */
	int (*rename)(struct dentry *dentry, struct dentry *to, const char *name, size_t name_size,
		      struct dentry *replaced);
};

/* The operations of a kind of inode. Task context. NULL: as stated. */
struct inode_ops {
	/* For a directory without lasting dentries: returns the inode of that name, with a reference, or
	 * NULL with *ERROR. NULL: the dentries are all entries. */
	struct inode *(*look_up)(struct inode *directory, const char *name, size_t name_size,
				 int *error);
	/* Lists entries from POSITION (2 …) on, until the reader has no room. With look_up. */
	void (*list)(struct inode *directory, uint64_t position, struct directory_reader *reader);
	/* mkdir and rmdir in a directory with look_up, where NAME is no dot: 0 or a negative error. Both
	 * or none; NULL: no entry can be made there. */
	int (*make_directory)(struct inode *directory, const char *name, size_t name_size);
	int (*remove_directory)(struct inode *directory, const char *name, size_t name_size);
	/* With look_up, and neither of list and these two: its entries stay. NULL: they do not. */
	const struct directory_layer *layer;
	/* Copies a link's target into BUFFER of SIZE bytes, without a terminator: its length, or an error. */
	ssize_t (*read_link)(struct inode *link, char *buffer, size_t size);
	/* Follows a link whose target no path reaches: the dentry, with a reference, or NULL with *ERROR.
	 * tree_mutex is held. NULL: by its text. */
	struct dentry *(*follow)(struct inode *link, int *error);
	/* NULL: directories and devices are opened by their type, other types cannot be. */
	inode_open_function *open;
	/* Sets the size of the contents. 0, -EFBIG, -ENOMEM. write_mutex held. NULL: EINVAL. */
	int (*resize)(struct inode *inode, uint64_t size);
	/* Makes room for the SIZE bytes at OFFSET (both checked); they may lie beyond the end, which does
	 * not move. 0, -ENOSPC, -EINTR, -EPERM (sealed). write_mutex held. NULL: EOPNOTSUPP. */
	int (*allocate)(struct inode *inode, uint64_t offset, uint64_t size);
	/* Clears the bytes and frees their pages. 0, -EPERM (sealed). With allocate. */
	int (*punch)(struct inode *inode, uint64_t offset, uint64_t size);
	/* Returns the first offset from OFFSET on where contents, or with HOLE a hole, begin; -ENXIO: none
	 * before the end. NULL: the whole file is contents. */
	int64_t (*find_data)(struct inode *inode, uint64_t offset, bool hole);
	/* Replaces inode_permission. NULL: by mode and owner. */
	int (*permission)(const struct inode *inode, unsigned int mask);
	/* True if the mode, or with OWNER the owner, can never change, not even by the owner. NULL: false. */
	bool (*is_fixed)(const struct inode *inode, bool owner);
	/* Called after the last reference is dropped. NULL: kfree. */
	void (*free)(struct inode *inode);
};

/* New attributes of an inode: its mode, owner or times. */
struct inode_change {
	uint32_t mode, uid, gid; /* mode: with the type; what does not change is the inode's */
	const struct kernel_timespec *accessed, *modified; /* NULL: no change */
	bool times_are_now;
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
	_Atomic int writers;	/* open for writing, by path; negative: running programs */
	_Atomic bool nameless;	/* O_TMPFILE: may get its first name */
	struct mutex write_mutex, mutex;
	_Atomic uint64_t size;	/* bytes; written under both mutexes */
	_Atomic uint64_t pages; /* of contents, allocated */
	/* mutex, once the inode is known: of 512 bytes, that its tmpfs_source has besides; stat peeks */
	uint64_t source_blocks;
	struct pipe *pipe;		    /* pipes_mutex, in pipe.c: of an open FIFO; else NULL */
	LIST_HEAD(, inotify_watch) watches; /* watch_lock, in inotify.c */
	struct file_lock_list locks;	    /* locks_mutex, in file_lock.c */
	struct xattr_list xattrs;	    /* write_mutex */
	struct kernel_timespec accessed, modified, changed; /* may be torn when read */
};

/* Initialises INODE, zeroed, in SUPERBLOCK with one reference, a new number, MODE and the current time.
 * Task context. */
void inode_init(struct inode *inode, struct superblock *superblock, const struct inode_ops *ops,
		uint32_t mode);
/* Take and drop a reference; the last one frees. get: any context, with one; put: task context. */
void inode_get(struct inode *inode);
void inode_put(struct inode *inode);

/* Writers of INODE and programs that run it exclude each other, as with Linux's i_writecount. begin: 0 or
 * -ETXTBSY. Any context. */
int inode_begin_write(struct inode *inode);
void inode_end_write(struct inode *inode);
int inode_begin_program(struct inode *inode);
void inode_end_program(struct inode *inode);

/* Whether a name that INODE, a directory, loses is gone from the tree: dentries are its entries. */
static inline bool inode_has_lasting_entries(const struct inode *inode)
{
	return !inode->ops->look_up || inode->ops->layer;
}

static inline uint32_t inode_type(const struct inode *inode)
{
	return inode->mode & S_IFMT;
}

/* --- permissions of the running task: kernel/fs/permission.c. Task context. --- */

/* Checks MASK (R_OK, W_OK, X_OK) on INODE: 0 or -EACCES. */
int inode_permission(const struct inode *inode, unsigned int mask);
/* The same by mode, owner and capabilities alone, for the inode's own permission operation. */
int inode_permission_by_mode(const struct inode *inode, unsigned int mask);
/* True if the task owns INODE or has CAP_FOWNER: may change the mode, set times. */
bool inode_owner_or_capable(const struct inode *inode);
/* Checks that the task may remove INODE's name from DIRECTORY, which may be sticky: 0 or -EPERM. */
int inode_check_sticky(const struct inode *directory, const struct inode *inode);

/* Checks that the task may give INODE, perhaps of another user, one more name: 0 or -EPERM. Linux's
 * protected_hardlinks, which Debian switches on. */
int inode_check_link(const struct inode *inode);
/* Checks that the task may follow LINK, found in DIRECTORY, at the end of a path: 0 or -EACCES. Linux's
 * protected_symlinks, which Debian switches on. */
int inode_check_follow(const struct inode *directory, const struct inode *link);

#define INODE_OWNER_STAYS ((uint32_t)-1)

/* Checks that the task may give INODE to UID and GID (INODE_OWNER_STAYS: no change): 0 or -EPERM. */
int inode_check_owner_change(const struct inode *inode, uint32_t uid, uint32_t gid);
/* Returns MODE, requested for a file of group GID, without S_ISGID if that group is not the task's own. */
uint32_t inode_allowed_mode(uint32_t mode, uint32_t gid);
/* Returns INODE's mode without the bits that would let other users act with the rights of a new owner, or
 * run new contents with those of the old one. */
uint32_t inode_mode_without_privileges(const struct inode *inode);
/* Removes such bits before the contents of INODE change, unless the task has CAP_FSETID. */
void inode_written(struct inode *inode);

/* Fills in STAT. Task context. */
void inode_stat(const struct inode *inode, struct kernel_stat *stat);

/* Set the times after a change of the contents, or only of the attributes, to now. Task context. */
void inode_touch_contents(struct inode *inode);
void inode_touch_attributes(struct inode *inode);
/* utimes, futimesat: sets the times of the file at the program's USER_PATH, which may be relative to
 * DIRECTORY_FD, to TIMES, of access and of modification, or both to now (NULL). 0, or an error as the call
 * has it. Task context. */
long attribute_set_times(int directory_fd, unsigned long user_path,
			 const struct kernel_timespec times[2]);

/* Sets the size of a regular file: 0, -EINVAL, -EISDIR, -EFBIG, -ENOMEM. Task context, no space's
 * mutex held. */
int inode_resize(struct inode *inode, uint64_t size);

/* Performs fallocate(2) with MODE of FALLOC_FL_*, checked: 0 or the errors of the operations. Task
 * context, no space's mutex held. */
int inode_allocate(struct inode *inode, unsigned int mode, uint64_t offset, uint64_t size);

/* Opens the device node NODE: FILE gets the operations of its number. 0, -ENXIO. Task context. */
int device_open(struct inode *node, struct file *file);

/* A kind of device node, which /dev has a node of. Numbers as in Linux's admin-guide/devices.txt. */
struct device {
	const char *name; /* in /dev; NULL: no node there */
	unsigned int major, minor;
	unsigned int more_minors; /* numbers above minor that are the device's too */
	uint32_t permissions;
	inode_open_function *open; /* gives a file its operations */
	struct device *next;	   /* device_add's own */
};

/* Adds DEVICE to those that nodes can be opened of. A step of START_DEVICES. */
void device_add(struct device *device);

/* The minor number in DEVICE. Any context. */
static inline unsigned int device_minor(uint64_t device)
{
	return (unsigned int)((device & 0xff) | (device >> 12 & 0xfff00));
}

inode_open_function random_open, urandom_open, kmsg_open;

/* Mounts /dev, /proc and /sys. At start. */
void devices_mount(void);
void proc_mount(void);
/* Returns the task whose directory /proc/PID is open as FILE, which keeps it; NULL: another file. Any
 * context. */
struct task *proc_task_of(const struct file *file);
void sysfs_mount(void);

static inline uint64_t device_number(unsigned int major, unsigned int minor)
{
	return (uint64_t)(minor & 0xff) | (uint64_t)(major & 0xfff) << 8 |
	       (uint64_t)(minor & ~0xffu) << 12;
}

#endif
