/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dentries: names in directories, and the tree that they make; file systems and their mounts.
 *
 * A linked dentry is in its directory, which keeps it. An unlinked one lives as long as it is used: by an
 * open file, or as a current directory. A file system whose entries come and go (inode_ops.look_up) has
 * dentries only while they are used, never linked.
 *
 * Locks: tree_mutex (D), at all times: name, parent, link and mount. It comes before every inode's and
 * space's mutex. Names and parents change also under dentry_name_lock (N), a spin lock, for readers that
 * cannot take D. References need none.
 */
#ifndef KERNEL_DENTRY_H
#define KERNEL_DENTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/fs/name_tree.h>
#include <kernel/sched/wait.h>

struct dentry;
struct file;
struct inode;
struct inode_change;
struct kernel_statfs;

struct dentry {
	_Atomic unsigned int references;
	struct inode *inode;   /* referenced; never changes */
	struct dentry *parent; /* D, N: referenced; a file system's root: itself, not referenced */
	char *name;	       /* D, N: allocated, terminated; empty for a root */
	size_t name_size;      /* D, N: without the terminator */
	bool linked;	       /* D: in parent's children; false: a snapshot */
	struct name_entry entry;		/* D: in parent's children */
	TAILQ_ENTRY(dentry) sibling;		/* D: there, in the order of creation */
	uint64_t position;			/* D: for readers of the directory; ascending */
	struct name_tree children;		/* D */
	TAILQ_HEAD(, dentry) children_in_order; /* D */
	uint64_t last_position;			/* D */
	struct dentry *mounted;			/* D: the root that is mounted over it, or NULL */
	struct dentry *covered; /* D: of a mounted root: its mount point, referenced */
};

/* A file system in use. */
struct superblock {
	_Atomic unsigned int references; /* the mount's, and one for each inode */
	const char *type;		 /* "tmpfs", "proc" … */
	uint32_t magic;			 /* for statfs: Linux's uapi/linux/magic.h */
	const char *source;		 /* what is mounted; NULL: its type */
	const char *options;		 /* for /proc/mounts, each after a comma; NULL: none */
	_Atomic bool read_only;		 /* mount's ro: changes are EROFS */
	bool keeps_xattrs;		 /* its inodes can have extended attributes */
	bool fixed;			 /* programs cannot create or remove entries */
	int refusal;			 /* the error when they try: -EPERM, -ENOENT */
	uint64_t device;		 /* st_dev */
	_Atomic uint64_t pages;		 /* of contents */
	uint64_t pages_max;		 /* 0: no limit; an image's own pages may pass it */
	_Atomic uint64_t space; /* of inodes, names and attributes, in bytes: tmpfs_space.c */
	uint64_t space_max;	/* 0: no limit */
	_Atomic uint64_t last_number;
	struct dentry *root; /* referenced */
	void (*enter)(struct superblock
			      *superblock); /* before a path's walk enters ROOT; NULL: nothing */
	void (*end)(struct superblock *superblock); /* before it is freed; NULL: nothing */
	/* The attributes of INODE are about to change: 0, or an error: they do not. NULL: 0. */
	int (*change)(struct inode *inode, const struct inode_change *change);
	/* Secures the contents of INODE, a file or directory, or with NULL of all files; DATA_ONLY: as fdatasync. 0 or an
	 * error. NULL: they are. */
	int (*sync)(struct superblock *superblock, struct inode *inode, bool data_only);
	/* Fills STATFS, which has defaults, with the space where INODE's contents are kept. 0, or a negative error with STATFS
	 * unchanged. Task context. NULL: the limits above are the space. */
	int (*statfs)(struct inode *inode, struct kernel_statfs *statfs);
	void *private;			    /* of those */
	TAILQ_ENTRY(superblock) mounted;    /* D */
	LIST_HEAD(, inotify_watch) watches; /* kernel/fs/inotify.c's */
};

extern struct mutex tree_mutex;
extern struct spinlock dentry_name_lock;

/* The root of the whole tree. */
extern struct dentry *root_dentry;

/* Creates the root, a new tmpfs. At start. */
void tree_init(void);

/* Take and drop a reference. get: any context, with one; put: task context, tree_mutex may be held. */
void dentry_get(struct dentry *dentry);
void dentry_put(struct dentry *dentry);

/* Creates a dentry for INODE, whose reference moves in, called NAME in PARENT, not linked; one reference.
 * NULL: no memory (INODE's reference stays). Task context. */
struct dentry *dentry_create(struct dentry *parent, struct inode *inode, const char *name,
			     size_t name_size);
/* Put DENTRY into its parent, which keeps a reference; and take it out. The caller updates the inodes'
 * link counts. tree_mutex held. */
void dentry_link(struct dentry *dentry);
void dentry_unlink(struct dentry *dentry);
/* Returns the linked child of that name, without a reference, or NULL. tree_mutex held. */
struct dentry *dentry_find(struct dentry *parent, const char *name, size_t name_size);
/* Makes DENTRY, linked, the entry NAME, allocated, which moves in, of PARENT. tree_mutex held. */
void dentry_move(struct dentry *dentry, struct dentry *parent, char *name, size_t name_size);
/* Exchanges the names and places of A and B, linked. tree_mutex held. */
void dentry_exchange(struct dentry *a, struct dentry *b);
/* True if DENTRY is ABOVE or below it. tree_mutex held. */
bool dentry_is_below(const struct dentry *dentry, const struct dentry *above);

/* Writes the path of DENTRY from ROOT into the end of BUFFER of SIZE bytes, terminated, with " (deleted)"
 * after the name of an unlinked one. Returns its first byte, or NULL: too long. Task context. */
char *dentry_path(struct dentry *dentry, struct dentry *root, char *buffer, size_t size);
/* The same. tree_mutex held. */
char *dentry_path_locked(struct dentry *dentry, struct dentry *root, char *buffer, size_t size);

/* --- mounts --- */

/* Creates a superblock of TYPE with its own device number and no root; or returns NULL. Task context. */
struct superblock *superblock_create(const char *type, uint32_t magic, bool fixed);
/* Take and drop a reference; the last one frees. Task context. */
void superblock_get(struct superblock *superblock);
void superblock_put(struct superblock *superblock);
/* Frees SUPERBLOCK, which was never mounted, and its root. Task context. */
void superblock_discard(struct superblock *superblock);
/* Mounts SUPERBLOCK, whose root is set, at MOUNTPOINT. 0, -EBUSY, -ENOTDIR. Task context. */
int superblock_mount(struct superblock *superblock, struct dentry *mountpoint);
/* The same; after an error SUPERBLOCK is discarded. */
int superblock_mount_new(struct superblock *superblock, struct dentry *mountpoint);
/* Unmounts the file system with ROOT: 0, -EINVAL, -EBUSY. It stays in memory while it is used. Task
 * context. */
int superblock_unmount(struct dentry *root);
/* Calls VISIT for each mount, in order, until it returns false. tree_mutex is held meanwhile. */
void superblock_for_each(bool (*visit)(const struct superblock *superblock, void *arg), void *arg);

/* --- paths --- */

enum lookup_flags {
	LOOKUP_FOLLOW = 1,    /* a link at the end, too */
	LOOKUP_DIRECTORY = 2, /* only a directory */
};

/* Follows PATH from START (if it does not begin with '/'). 0 and *RESULT with a reference, or
 * -ENOENT, -ENOTDIR, -ELOOP, -ENAMETOOLONG, -EACCES. Task context. */
int path_lookup(struct dentry *start, const char *path, unsigned int flags, struct dentry **result);

/* Finds the directory of PATH's last name, with a reference, and that name, which points into PATH and may
 * not exist; it may be "." or "..", or empty ("/"). Errors as above. Task context. */
int path_lookup_parent(struct dentry *start, const char *path, struct dentry **parent,
		       const char **name, size_t *name_size);

/* Finds the entry of that name in PARENT, a directory, with a reference; enters mounts, does not follow
 * links. 0, or -ENOENT and other errors. tree_mutex held. */
int path_step(struct dentry *parent, const char *name, size_t name_size, struct dentry **result);

/* --- changing directories; task context, tree_mutex not held --- */

/* The properties of an entry that entry_create makes. */
struct entry_request {
	uint32_t mode;	    /* S_IF* and permissions, the umask applied */
	uint64_t device;    /* of a device node */
	const char *target; /* of a symbolic link, terminated */
	bool opened;	    /* the caller opens the new file at once */
};

/* Creates an entry NAME in PARENT. 0, and *RESULT (may be NULL) with a reference; -EEXIST, -ENOENT (PARENT
 * was removed), -ENAMETOOLONG, -EACCES, -EPERM, -ENOTDIR, -ENOMEM. */
int entry_create(struct dentry *parent, const char *name, size_t name_size,
		 const struct entry_request *request, struct dentry **result);
/* Creates a regular file of MODE without a name in the file system of DIRECTORY; linkat can give it one if
 * MAY_GET_NAME. 0 and *RESULT with a reference; errors as above, -EOPNOTSUPP. */
int entry_create_nameless(struct dentry *directory, uint32_t mode, bool may_get_name,
			  struct dentry **result);
/* Removes the entry: unlink, or with DIRECTORY rmdir. Errors as unlink(2) and rmdir(2). */
int entry_remove(struct dentry *parent, const char *name, size_t name_size, bool directory);
/* Gives INODE of DENTRY, no directory, another name. Errors as link(2). */
int entry_link(struct dentry *dentry, struct dentry *parent, const char *name, size_t name_size);
/* Renames, with FLAGS RENAME_*. Errors as renameat2(2). */
int entry_rename(struct dentry *from, const char *from_name, size_t from_size, struct dentry *to,
		 const char *to_name, size_t to_size, unsigned int flags);

/* --- opening --- */

/* Opens a file on DENTRY. FLAGS: O_*. 0 and *RESULT, or a negative error. The caller has checked the
 * permissions, and that FLAGS suit the file's type. Task context. */
int dentry_open(struct dentry *dentry, unsigned int flags, struct file **result);

/* Opens a directory, for inode_ops.open of file systems other than tmpfs. */
int directory_open(struct inode *inode, struct file *file);

#endif
