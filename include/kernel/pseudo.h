/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pseudo files: file systems whose files are tables of functions, as /proc and /sys are.
 *
 * A tree of struct pseudo_entry, static and constant, says which files there are; a file's contents
 * are made when it is read. Parts of the tree are about something that comes and goes, like a task:
 * its target. A directory with a struct pseudo_dynamic has an entry for each target that there is.
 */
#ifndef KERNEL_PSEUDO_H
#define KERNEL_PSEUDO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dentry;
struct file;
struct inode;
struct pseudo_entry;
struct superblock;
struct text;

/* Directories' entries that come and go. Task context. */
struct pseudo_dynamic {
	/* The target of the entry NAME in a directory about PARENT, with a reference, or NULL. */
	void *(*find)(void *parent, const char *name, size_t name_size);
	/* The first target with an id of at least *ID, which becomes its own, with a reference; or
	 * NULL: no more. */
	void *(*next)(void *parent, uint64_t *id);
	/* One more reference, and one less. NULL: targets are there for good. */
	void (*get)(void *target);
	void (*put)(void *target);
	/* The number by which it is listed, unlike any other's that is the target of such an entry. */
	uint64_t (*id)(void *target);
	/* What it is called, into BUFFER of SIZE bytes. NULL: its id is the name. */
	void (*name)(void *target, char *buffer, size_t size);
	/* Whether TARGET is no more: its directory stays open, but what is in it is ESRCH. NULL: never. */
	bool (*gone)(void *target);
	/* mkdir and rmdir: an entry NAME comes, and goes: 0 or a negative error. NULL: nobody can do that. */
	int (*make)(void *parent, const char *name, size_t name_size);
	int (*remove)(void *parent, const char *name, size_t name_size);
	/* Corrects the owner and the permissions of a new inode about TARGET. NULL: root's. */
	void (*set_attributes)(void *target, struct inode *inode);
	/* Nobody changes the modes of what is about a target. */
	bool fixed_modes;
	/* What an entry is; its own name is not looked at. */
	const struct pseudo_entry *entry;
};

struct pseudo_entry {
	const char *name; /* NULL: the end of a table */
	uint32_t mode;	  /* S_IF* and permissions */
	/* A regular file: its permissions are for root too. */
	bool strict;
	/* Nobody changes its mode or owner. */
	bool fixed;
	/* Whether MASK (R_OK, W_OK, X_OK) is permitted: 0 or -EACCES. NULL: inode_permission_by_mode. */
	int (*permission)(const struct inode *inode, void *target, unsigned int mask);
	/* Whether it is there for TARGET. NULL: always. */
	bool (*exists)(void *target);
	/* Whether it may be opened, beyond its permissions: 0 or a negative error. NULL: yes. */
	int (*open)(void *target);
	/* What read_at, write_at, show and store are about while it is open, made of TARGET as it is opened: 0 or a negative
	 * error; and its end. It may outlive TARGET. NULL: TARGET itself. */
	int (*begin)(void *target, void **about);
	void (*end)(void *about);
	/* It is closed, for the last time of one opening that open permitted. Not with open_file. NULL:
	 * nothing. */
	void (*close)(void *target);
	/* Whether it may be opened for writing, beyond that: 0 or a negative error. NULL: yes. */
	int (*may_write)(void *target);
	/* A regular file with operations of its own, which this sets: 0 or a negative error. Instead of all
	 * that follow but truncate. */
	int (*open_file)(struct file *file, void *target);
	/* It was opened so that it is cut off (O_TRUNC), or cut off. NULL: nothing. */
	void (*truncate)(void *target);
	/* A regular file of bytes at positions, read and written by pieces of up to a page: how many
	 * could be, or a negative error. Instead of the two that follow. */
	ssize_t (*read_at)(void *target, char *buffer, size_t size, uint64_t position);
	ssize_t (*write_at)(void *target, const char *buffer, size_t size, uint64_t position);
	/* A regular file: its contents. 0 or a negative error. */
	int (*show)(struct text *text, void *target);
	/* What was written to it at once, terminated: SIZE, or a negative error. NULL: EIO. */
	ssize_t (*store)(void *target, const char *text, size_t size);
	/* The two know of its beginning only, as numbers in /proc/sys do: what is read behind that is nothing, and what
	 * is written there, or is nothing, is left out. */
	bool once;
	/* A link: its text, see inode_ops.read_link, and where it leads if that is not by the
	 * text. */
	ssize_t (*read_link)(void *target, char *buffer, size_t size);
	struct dentry *(*follow)(void *target, int *error);
	/* A directory: what is always in it, and what comes and goes. */
	const struct pseudo_entry *children;
	const struct pseudo_dynamic *dynamic;
};

/* What INODE, of any file system, is about, if it is a directory of ENTRY, which a pseudo_dynamic has; else NULL.
 * It is there as long as the inode. Any context. */
void *pseudo_target(struct inode *inode, const struct pseudo_entry *entry);

/* A file system of TYPE with ROOT's children in its root, mounted at PATH, whose directory is made if
 * it is not there. Who wants to make something in it is told REFUSAL. At start: boot_failure() when that
 * cannot be. */
void pseudo_mount(const char *type, uint32_t magic, int refusal, const struct pseudo_entry *root,
		  const char *path);

/* Another file system of a TYPE that was mounted so, mounted at PATH. At start, errors as above. */
void pseudo_mount_again(const char *type, const char *path);

/* Another file system of a TYPE that was mounted so, mounted nowhere. 0, -ENODEV (no such type),
 * -ENOMEM. Task context. */
int pseudo_create(const char *type, struct superblock **result);

#endif
