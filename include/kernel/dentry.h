/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dentries: names in directories, and the tree that they make; file systems and where they are
 * mounted.
 *
 * A dentry that is linked is in its directory, which keeps it. One that was unlinked lives on while
 * somebody uses it: an open file, a current directory. A file system whose entries come and go
 * (inode_ops.look_up) has dentries only while they are used, never linked.
 *
 * Locks: tree_mutex (D), for every name, parent, link and mount. It comes before every inode's and
 * space's mutex. Names and parents change under dentry_name_lock (N), a spin lock, too: who may not take D looks
 * at them under that. References need none.
 */
#ifndef KERNEL_DENTRY_H
#define KERNEL_DENTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/tree.h>
#include <kernel/wait.h>

struct dentry;
struct file;
struct inode;

RB_HEAD(dentry_tree, dentry);

struct dentry {
	_Atomic unsigned int references;
	struct inode *inode;   /* referenced, for good */
	struct dentry *parent; /* D, N: referenced; a file system's root: itself, not referenced */
	char *name;	       /* D, N: allocated, terminated; a root's: empty */
	size_t name_size;      /* D, N: without its end */
	bool linked;	       /* D: in parent's children; elsewhere a snapshot */
	RB_ENTRY(dentry) node; /* D: there, by name */
	TAILQ_ENTRY(dentry) sibling; /* D: there, in the order they were made */
	uint64_t position; /* D: of a reader of the directory: grows from one to the next */
	struct dentry_tree children;		/* D */
	TAILQ_HEAD(, dentry) children_in_order; /* D */
	uint64_t last_position;			/* D */
	struct dentry *mounted;			/* D: the root that is mounted over it, or NULL */
	struct dentry *covered; /* D: of a mounted root: what it covers, referenced */
};

/* A file system in use. */
struct superblock {
	_Atomic unsigned int references;   /* the mount's, and one for each inode */
	const char *type;		   /* "tmpfs", "proc" … */
	uint32_t magic;			   /* what statfs says: Linux's uapi/linux/magic.h */
	bool keeps_xattrs;		   /* its inodes can have extended attributes */
	bool fixed;			   /* programs can make and remove nothing in it */
	int refusal;			   /* what they are told then: -EPERM, -ENOENT */
	uint64_t device;		   /* st_dev */
	_Atomic uint64_t pages;		   /* of contents */
	uint64_t pages_max;		   /* 0: no limit; an image's own pages may pass it */
	_Atomic uint64_t space; /* of inodes, names and attributes, in bytes: tmpfs_space.c */
	uint64_t space_max;	/* 0: no limit */
	_Atomic uint64_t last_number;
	struct dentry *root;		 /* referenced */
	TAILQ_ENTRY(superblock) mounted; /* D */
	LIST_HEAD(, inotify_watch) watches; /* kernel/fs/inotify.c's */
};

extern struct mutex tree_mutex;
extern struct spinlock dentry_name_lock;

/* The root of everything. */
extern struct dentry *root_dentry;

/* Makes the root a new tmpfs. At start. */
void tree_init(void);

/* One more reference, and one less. get: any context, with one; put: task context, tree_mutex may be
 * held. */
void dentry_get(struct dentry *dentry);
void dentry_put(struct dentry *dentry);

/* A dentry for INODE, whose reference moves in, called NAME in PARENT, not linked; one reference.
 * NULL: no memory (INODE's reference stays). Task context. */
struct dentry *dentry_create(struct dentry *parent, struct inode *inode, const char *name,
			     size_t name_size);
/* Puts DENTRY into its parent, which keeps a reference; and takes it out. The inodes' numbers of links
 * are the caller's. D held. */
void dentry_link(struct dentry *dentry);
void dentry_unlink(struct dentry *dentry);
/* The linked child of that name, without a reference, or NULL. D held. */
struct dentry *dentry_find(struct dentry *parent, const char *name, size_t name_size);
/* Makes DENTRY, linked, the entry NAME of PARENT. 0, -ENOMEM. D held. */
int dentry_move(struct dentry *dentry, struct dentry *parent, const char *name, size_t name_size);
/* A and B, linked, take each other's name and place. D held. */
void dentry_exchange(struct dentry *a, struct dentry *b);
/* Whether DENTRY is ABOVE or below it. D held. */
bool dentry_is_below(const struct dentry *dentry, const struct dentry *above);

/* The path of DENTRY from ROOT into the end of BUFFER of SIZE bytes, terminated, with " (deleted)"
 * behind the name of one that is unlinked; where it begins, or NULL: it is too long. Task context. */
char *dentry_path(struct dentry *dentry, struct dentry *root, char *buffer, size_t size);
/* The same. D held. */
char *dentry_path_locked(struct dentry *dentry, struct dentry *root, char *buffer, size_t size);

/* --- mounts --- */

/* A superblock of TYPE with its own device number and no root; or NULL. Task context. */
struct superblock *superblock_create(const char *type, uint32_t magic, bool fixed);
/* One more reference, and one less; the last frees. Task context. */
void superblock_get(struct superblock *superblock);
void superblock_put(struct superblock *superblock);
/* Frees SUPERBLOCK, which was mounted nowhere, and its root. Task context. */
void superblock_discard(struct superblock *superblock);
/* Shows SUPERBLOCK, whose root is set, at MOUNTPOINT. 0, -EBUSY, -ENOTDIR. Task context. */
int superblock_mount(struct superblock *superblock, struct dentry *mountpoint);
/* Takes away what is mounted with ROOT as its root: 0, -EINVAL, -EBUSY. It stays in memory while
 * it is used. Task context. */
int superblock_unmount(struct dentry *root);
/* Calls VISIT for each mount, in order, until it returns false. D is held meanwhile. */
void superblock_for_each(bool (*visit)(const struct superblock *superblock, void *arg), void *arg);

/* --- paths --- */

enum lookup_flags {
	LOOKUP_FOLLOW = 1,    /* a link at the end, too */
	LOOKUP_DIRECTORY = 2, /* only a directory */
};

/* Follows PATH from START (if it does not begin with '/'). 0 and *RESULT with a reference, or
 * -ENOENT, -ENOTDIR, -ELOOP, -ENAMETOOLONG, -EACCES. Task context. */
int path_lookup(struct dentry *start, const char *path, unsigned int flags, struct dentry **result);

/* The directory that PATH's last name is or would be in, with a reference, and that name, which
 * points into PATH; it may be "." or "..", or empty ("/"). Errors as above. Task context. */
int path_lookup_parent(struct dentry *start, const char *path, struct dentry **parent,
		       const char **name, size_t *name_size);

/* The entry of that name in PARENT, a directory, with a reference; mounts are entered, links are
 * not followed. 0 or -ENOENT and so on. D held. */
int path_step(struct dentry *parent, const char *name, size_t name_size, struct dentry **result);

/* --- changing directories; task context, tree_mutex not held --- */

/* What entry_create makes. */
struct entry_request {
	uint32_t mode;	    /* S_IF* and permissions, the umask applied */
	uint64_t device;    /* of a device node */
	const char *target; /* of a symbolic link, terminated */
};

/* Makes an entry NAME in PARENT. 0, and *RESULT (may be NULL) with a reference; -EEXIST, -ENOENT
 * (PARENT was removed), -ENAMETOOLONG, -EACCES, -EPERM, -ENOTDIR, -ENOMEM. */
int entry_create(struct dentry *parent, const char *name, size_t name_size,
		 const struct entry_request *request, struct dentry **result);
/* A regular file of MODE in the file system of DIRECTORY that has no name; linkat gives it one if
 * MAY_GET_NAME. 0 and *RESULT with a reference; errors as above, -EOPNOTSUPP. */
int entry_create_nameless(struct dentry *directory, uint32_t mode, bool may_get_name,
			  struct dentry **result);
/* Takes the entry away: unlink, or with DIRECTORY rmdir. Errors as unlink(2) and rmdir(2). */
int entry_remove(struct dentry *parent, const char *name, size_t name_size, bool directory);
/* Gives INODE of DENTRY, no directory, another name. Errors as link(2). */
int entry_link(struct dentry *dentry, struct dentry *parent, const char *name, size_t name_size);
/* Renames, with FLAGS RENAME_*. Errors as renameat2(2). */
int entry_rename(struct dentry *from, const char *from_name, size_t from_size, struct dentry *to,
		 const char *to_name, size_t to_size, unsigned int flags);

/* --- opening --- */

/* An open file on DENTRY. FLAGS: O_*. 0 and *RESULT, or a negative error. The caller has looked at the permissions, and
 * whether FLAGS suit the file's type. Task context. */
int dentry_open(struct dentry *dentry, unsigned int flags, struct file **result);

/* What an open directory does, for inode_ops.open of others than tmpfs. */
int directory_open(struct inode *inode, struct file *file);

#endif
