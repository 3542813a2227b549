/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pseudo files: file systems whose files are tables of functions, as /proc and /sys are.
 *
 * A tree of struct pseudo_entry, static and constant, describes the files; a file's contents are made when it
 * is read. Parts of the tree describe an object that comes and goes, like a task: the target. A directory
 * with a struct pseudo_dynamic has an entry for each target.
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

/* Entries of a directory that come and go. Task context. */
struct pseudo_dynamic {
	/* Returns the target of the entry NAME in a directory about PARENT, with a reference, or NULL.
	 * NULL: the first that next() has by this name; for directories with few entries. */
	void *(*find)(void *parent, const char *name, size_t name_size);
	/* Returns the first target with an id of at least *ID, which becomes its id, with a reference;
	 * NULL: no more. */
	void *(*next)(void *parent, uint64_t *id);
	/* Take and drop a reference. NULL: targets exist at all times. */
	void (*get)(void *target);
	void (*put)(void *target);
	/* Returns the number by which the target is listed, unique among the targets of such entries. */
	uint64_t (*id)(void *target);
	/* Writes the target's name into BUFFER of SIZE bytes. NULL: its id is the name. */
	void (*name)(void *target, char *buffer, size_t size);
	/* True if TARGET is gone: its directory stays open, but access to its entries is ESRCH. NULL:
	 * never. */
	bool (*gone)(void *target);
	/* mkdir and rmdir of an entry NAME: 0 or a negative error. NULL: not possible. */
	int (*make)(void *parent, const char *name, size_t name_size);
	int (*remove)(void *parent, const char *name, size_t name_size);
	/* Corrects the owner and the permissions of a new inode about TARGET. NULL: root's. */
	void (*set_attributes)(void *target, struct inode *inode);
	/* The modes of files about a target cannot change. */
	bool fixed_modes;
	/* The description of each entry, apart from its name. */
	const struct pseudo_entry *entry;
};

/* Entries that a part above adds to a directory, and those that further parts add. Written at start, by one CPU. */
struct pseudo_added {
	const struct pseudo_entry *children;
	const struct pseudo_dynamic *dynamic;
	const struct pseudo_added *next;
};

struct pseudo_entry {
	const char *name; /* NULL: the end of a table */
	uint32_t mode;	  /* S_IF* and permissions */
	/* A regular file: its permissions apply to root, too. */
	bool strict;
	/* Its mode and owner cannot change. */
	bool fixed;
	/* show and store work only at position 0, as for numbers in /proc/sys: a read beyond it returns 0 bytes,
	 * and a write beyond it, or of 0 bytes, has no effect. */
	bool once;
	/* Checks MASK (R_OK, W_OK, X_OK): 0 or -EACCES. NULL: inode_permission_by_mode. */
	int (*permission)(const struct inode *inode, void *target, unsigned int mask);
	/* True if the entry exists for TARGET. NULL: always. */
	bool (*exists)(void *target);
	/* By the type of the file. */
	union {
		/* A regular file. */
		struct {
			/* Checks that it may be opened, beyond its permissions: 0 or a negative error. NULL: yes. */
			int (*open)(void *target);
			/* begin makes, at the open, the object *ABOUT that read_at, write_at, show and store get instead
			 * of TARGET: 0 or a negative error. end frees it. It may outlive TARGET. NULL: TARGET itself. */
			int (*begin)(void *target, void **about);
			void (*end)(void *about);
			/* Called at the last close after an open that `open` permitted. Not with open_file. NULL: no
			 * action. */
			void (*close)(void *target);
			/* Checks that it may be opened for writing, beyond that: 0 or a negative error. NULL: yes. */
			int (*may_write)(void *target);
			/* A regular file with operations of its own, which this sets: 0 or a negative error. Replaces all
			 * following members but truncate. */
			int (*open_file)(struct file *file, void *target);
			/* Called at an open with O_TRUNC, or a truncation. NULL: no action. */
			void (*truncate)(void *target);
			/* A regular file of bytes at positions, read and written in pieces of up to a page: returns how
			 * many bytes, or a negative error. Replaces the two following members. */
			ssize_t (*read_at)(void *target, char *buffer, size_t size,
					   uint64_t position);
			ssize_t (*write_at)(void *target, const char *buffer, size_t size,
					    uint64_t position);
			/* Writes the contents of a regular file. 0 or a negative error. */
			int (*show)(struct text *text, void *target);
			/* Stores the text of one write, terminated: SIZE, or a negative error. NULL: EIO. */
			ssize_t (*store)(void *target, const char *text, size_t size);
		};
		struct {
			/* A link: its text, see inode_ops.read_link, and its target if the text does not lead there. */
			ssize_t (*read_link)(void *target, char *buffer, size_t size);
			struct dentry *(*follow)(void *target, int *error);
		};
		struct {
			/* A directory: its constant entries, and those that come and go. */
			const struct pseudo_entry *children;
			const struct pseudo_dynamic *dynamic;
			/* A directory: what parts above add, after children and dynamic. NULL: nothing. */
			const struct pseudo_added *added;
		};
	};
};

/* Returns the target of INODE, of any file system, if it is a directory of ENTRY, which a pseudo_dynamic
 * has; else NULL. The target lives as long as the inode. Any context. */
void *pseudo_target(struct inode *inode, const struct pseudo_entry *entry);

/* Mounts a file system of TYPE with ROOT's children in its root at PATH, and creates that directory if
 * needed. REFUSAL: the error of creating an entry in it. At start: boot_failure() on errors. */
void pseudo_mount(const char *type, uint32_t magic, int refusal, const struct pseudo_entry *root,
		  const char *path);

/* Returns the type of the file system that call INDEX of pseudo_mount mounted; NULL: there was no such call.
 * Any context after the start. */
const char *pseudo_type(unsigned int index);

/* Mounts another file system of a TYPE that pseudo_mount mounted, at PATH. At start, errors as above. */
void pseudo_mount_again(const char *type, const char *path);

/* Creates another file system of such a TYPE, mounted nowhere. 0, -ENODEV (no such type), -ENOMEM. Task
 * context. */
int pseudo_create(const char *type, struct superblock **result);

/* Adds FURTHER, which stays, to DIRECTORY, one of those below. A step of START_DEV. */
static inline void pseudo_add(struct pseudo_added *directory, struct pseudo_added *further)
{
	further->next = directory->next;
	directory->next = further;
}

/* The directories that parts above add to: /sys/devices, /sys/bus, /sys/class, /sys/module, /proc/sys/kernel, /proc/net. Steps of
 * START_DEV write them, by pseudo_add. Without an addition there is no /sys/class, no /sys/module and no /proc/net. */
extern struct pseudo_added sys_devices_added, sys_bus_added, sys_class_added, sys_module_added,
	proc_sys_kernel_added, proc_net_added;
/* The directory of each PCI function; the target is its struct pci_device. Only where kernel/fs/sys/pci.c is. */
extern struct pseudo_added sys_pci_device_added;

#endif
