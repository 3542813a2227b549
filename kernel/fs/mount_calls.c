/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls mount and umount2. They mount memory (tmpfs, ramfs) and the kernel's own file systems (proc,
 * sysfs), and folders of servers (9p). They cannot show a tree in a second place (MS_BIND), and Tally has no file systems on media.
 */
#include <string.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/mount.h>
#include <kernel/fs/pseudo.h>
#include <kernel/fs/share.h>
#include <kernel/fs/tmpfs.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/capability.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/stat.h>

#include "path_arguments.h"

/* Linux's uapi/linux/mount.h. The flags that are missing here change how files may be used; they have no
 * effect: all files of a mount may be read, written and run. MS_RDONLY has one for 9p alone. */
#define MS_RDONLY	0x1
#define MS_REMOUNT	0x20
#define MS_BIND		0x1000
#define MS_MOVE		0x2000
#define MS_PROPAGATION	(0x20000 | 0x40000 | 0x80000 | 0x100000) /* UNBINDABLE … SHARED */
#define MS_MAGIC	0xc0ed0000u
#define MS_MAGIC_MASK	0xffff0000u
#define MNT_FLAGS	15u
#define MNT_EXPIRE	4u
#define UMOUNT_NOFOLLOW 8u

/* Longest options: a page, as on Linux. */
#define OPTIONS_SIZE	PAGE_SIZE

/* Parses a number, with k, m or g after it; *END: the rest. -1: no number. */
static int64_t parse_number(const char *text, const char **end)
{
	static const char units[] = "kmg";
	uint64_t number = 0;

	if (*text < '0' || *text > '9')
		return -1;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*text - '0'), &number))
			return -1;
	const char *unit = *text ? strchr(units, *text | 0x20) : NULL;

	if (unit) {
		number <<= 10 * (unit - units + 1);
		text++;
	}
	*end = text;
	return (int64_t)number;
}

/* Parses a number of bytes, or a percentage of all memory with % after it. Returns pages, or -1. */
static int64_t parse_pages(const char *text)
{
	int64_t number = parse_number(text, &text);

	if (number >= 0 && *text == '%') {
		number = (int64_t)(page_total_count() * PAGE_SIZE / 100) * number;
		text++;
	}
	return number < 0 || *text ? -1 :
				     (int64_t)(((uint64_t)number + PAGE_SIZE - 1) >> PAGE_SHIFT);
}

static int64_t parse_octal(const char *text)
{
	int64_t number = 0;

	for (; *text >= '0' && *text <= '7' && number <= S_IALLUGO; text++)
		number = number * 8 + (*text - '0');
	return *text || number > S_IALLUGO ? -1 : number;
}

/* Sets one option of tmpfs. False: no such option. */
static bool set_option(struct superblock *superblock, const char *name, const char *value)
{
	if (strcmp(name, "size") == 0) {
		int64_t pages = parse_pages(value);

		superblock->pages_max = (uint64_t)pages;
		return pages >= 0;
	}
	if (strcmp(name, "nr_inodes") == 0) {
		int64_t count = parse_number(value, &value);

		return count >= 0 && !*value && !tmpfs_change_inodes(superblock, (uint64_t)count);
	}
	if (strcmp(name, "mode") == 0) {
		int64_t mode = parse_octal(value);

		superblock->root->inode->mode = S_IFDIR | (uint32_t)mode;
		return *value && mode >= 0;
	}
	return false;
}

/* Sets OPTIONS, "name=value,…", and cuts them up. 0, -EINVAL. */
static int set_options(struct superblock *superblock, char *options)
{
	while (*options) {
		char *end = strchr(options, ','), *value;

		if (end)
			*end = '\0';
		value = strchr(options, '=');
		if (value)
			*value++ = '\0';
		if (*options && !set_option(superblock, options, value ? value : ""))
			return -EINVAL;
		if (!end)
			break;
		options = end + 1;
	}
	return 0;
}

static int make(const char *source, const char *type, unsigned int flags, char *options,
		struct superblock **result)
{
	bool in_memory = strcmp(type, "tmpfs") == 0 || strcmp(type, "ramfs") == 0;

	if (strcmp(type, "9p") == 0) {
		int error = share_create_9p(source, options, result);

		if (!error)
			(*result)->read_only = flags & MS_RDONLY;
		return error;
	}
	if (!in_memory)
		return pseudo_create(type, result);
	*result = tmpfs_create(strcmp(type, "tmpfs") == 0 ? "tmpfs" : "ramfs");
	if (!*result)
		return -ENOMEM;
	if (strcmp(type, "ramfs") == 0)
		(*result)->space_max = 0;
	(*result)->root->inode->mode = S_IFDIR | S_ISVTX | 0777;
	int error = set_options(*result, options);

	if (error)
		superblock_discard(*result);
	return error;
}

/* Copies a terminated string of a program, at most SIZE with its terminator; a null pointer gives an empty
 * one. *RESULT: for kfree. */
static int get_string(unsigned long user_text, size_t size, char **result)
{
	long length = 0;

	*result = kzalloc(size);
	if (!*result)
		return -ENOMEM;
	if (user_text)
		length = copy_string_from_user(*result, (const char *)user_text, size);
	if (length >= 0)
		return 0;
	kfree(*result);
	*result = NULL;
	return length == -ENAMETOOLONG ? -EINVAL : (int)length;
}

static int mount_new(struct dentry *mountpoint, const char *source, const char *type,
		     unsigned int flags, char *options)
{
	struct superblock *superblock;
	int error = make(source, type, flags, options, &superblock);

	return error ? error : superblock_mount_new(superblock, mountpoint);
}

/* Changes the options of the file system that is mounted with ROOT as its root. */
static int remount(struct dentry *root, unsigned int flags, char *options)
{
	struct superblock *superblock = root->inode->superblock;

	if (superblock->root != root)
		return -EINVAL;
	if (superblock->source) {
		superblock->read_only = flags & MS_RDONLY;
		return 0;
	}
	return superblock->fixed ? 0 : set_options(superblock, options);
}

int mount_at(const char *source, unsigned long user_path, const char *type, unsigned int flags,
	     char *options)
{
	struct dentry *dentry;
	int error = path_arguments_look_up(AT_FDCWD, user_path, LOOKUP_FOLLOW, &dentry);

	if (error)
		return error;
	if ((flags & MS_MAGIC_MASK) == MS_MAGIC)
		flags &= ~MS_MAGIC_MASK;
	if (!capable(CAP_SYS_ADMIN))
		error = -EPERM;
	else if (flags & (MS_BIND | MS_MOVE | MS_PROPAGATION))
		error = -EINVAL;
	else if (flags & MS_REMOUNT)
		error = remount(dentry, flags, options);
	else if (!type)
		error = -EINVAL;
	else
		error = mount_new(dentry, source, type, flags, options);
	dentry_put(dentry);
	return error;
}

long sys_mount(const unsigned long arg[6])
{
	char *source = NULL, *type = NULL, *options = NULL;
	int error = get_string(arg[2], NAME_SIZE_MAX + 1, &type);

	if (!error)
		error = get_string(arg[0], PATH_SIZE, &source);
	if (!error)
		error = get_string(arg[4], OPTIONS_SIZE, &options);
	if (!error)
		error = mount_at(arg[0] ? source : NULL, arg[1], arg[2] ? type : NULL,
				 (unsigned int)arg[3], options);
	kfree(source);
	kfree(type);
	kfree(options);
	return error;
}

long sys_umount2(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[1];
	struct dentry *dentry;

	if (flags & ~MNT_FLAGS)
		return -EINVAL;
	int error = path_arguments_look_up(AT_FDCWD, arg[0],
					   flags & UMOUNT_NOFOLLOW ? 0 : LOOKUP_FOLLOW, &dentry);

	if (error)
		return error;
	/* A mount expires when it was not used between two calls with MNT_EXPIRE; treat each call as the
	 * first. */
	error = !capable(CAP_SYS_ADMIN) ? -EPERM :
		flags & MNT_EXPIRE	? -EAGAIN :
					  superblock_unmount(dentry);
	dentry_put(dentry);
	return error;
}
