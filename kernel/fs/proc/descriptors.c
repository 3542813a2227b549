/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc/PID/fd and fdinfo: the open files of a task, as links to them and as numbers.
 */
#include <string.h>

#include <kernel/base/log.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/text.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "task.h"

/* A descriptor of a task: allocated for the life of its dentry. */
struct descriptor {
	_Atomic unsigned int references;
	int fd;
	bool cloexec;
	struct file *file; /* referenced; NULL: the task that looked it up may not see it */
	struct task *task; /* referenced */
};

/* Allocates a descriptor for the open FD of TASK; NULL: FD is not open, or no memory. */
static struct descriptor *make_descriptor(struct task *task, int fd)
{
	bool cloexec = false;
	struct file *file = file_table_get_file_of(task, fd, &cloexec);
	struct descriptor *descriptor = file ? kzalloc(sizeof(*descriptor)) : NULL;

	if (!descriptor) {
		if (file)
			file_put(file);
		return NULL;
	}
	/* The caller holds tree_mutex, which makes the check and the lookup one step: see
	 * kernel/task/exec_guard.c. */
	if (proc_check_access(task)) {
		file_put(file);
		file = NULL;
	}
	task_get(task);
	*descriptor = (struct descriptor){ 1, fd, cloexec, file, task };
	return descriptor;
}

/* Checks that the running task may see TARGET now: 0 or -EACCES. */
static int check_descriptor(void *target)
{
	const struct descriptor *descriptor = target;

	return descriptor->file ? proc_check_access(descriptor->task) : -EACCES;
}

static void *find_descriptor(void *parent, const char *name, size_t name_size)
{
	int64_t fd = proc_number_of(name, name_size);

	return fd >= 0 ? make_descriptor(parent, (int)fd) : NULL;
}

static void *next_descriptor(void *parent, uint64_t *id)
{
	for (; *id < file_table_capacity_of(parent); (*id)++) {
		struct descriptor *descriptor = make_descriptor(parent, (int)*id);

		if (descriptor)
			return descriptor;
	}
	return NULL;
}

/* A link's permissions show the mode in which the file was opened. */
static void set_attributes(void *target, struct inode *inode)
{
	const struct descriptor *descriptor = target;
	unsigned int access = descriptor->file ? descriptor->file->flags & O_ACCMODE : O_RDWR;

	proc_set_owner(descriptor->task, inode);
	if (inode_type(inode) == S_IFLNK)
		inode->mode = S_IFLNK | (access != O_WRONLY ? 0500 : 0) |
			      (access != O_RDONLY ? 0300 : 0);
}

static void get_descriptor(void *target)
{
	atomic_fetch_add(&((struct descriptor *)target)->references, 1);
}

static void put_descriptor(void *target)
{
	struct descriptor *descriptor = target;

	if (atomic_fetch_sub(&descriptor->references, 1) != 1)
		return;
	if (descriptor->file)
		file_put(descriptor->file);
	task_put(descriptor->task);
	kfree(descriptor);
}

static uint64_t descriptor_id(void *target)
{
	return (uint64_t)((struct descriptor *)target)->fd;
}

static ssize_t read_descriptor(void *target, char *buffer, size_t size)
{
	const struct descriptor *descriptor = target;
	int error = check_descriptor(target);

	if (error)
		return error;
	if (descriptor->file->dentry) {
		dentry_get(descriptor->file->dentry);
		return proc_put_path(descriptor->file->dentry, buffer, size);
	}
	const char *name = descriptor->file->ops->name;

	return format_string(buffer, size, "anon_inode:%s", name ? name : "[file]");
}

static struct dentry *follow_descriptor(void *target, int *error)
{
	const struct descriptor *descriptor = target;

	*error = check_descriptor(target);
	if (*error)
		return NULL;
	*error = -ENXIO;
	if (descriptor->file->dentry)
		dentry_get(descriptor->file->dentry);
	return descriptor->file->dentry;
}

static const struct pseudo_entry link_entry = { .mode = S_IFLNK | 0700,
						.read_link = read_descriptor,
						.follow = follow_descriptor };

#define DYNAMIC(e)                                                                            \
	{                                                                                     \
		.find = find_descriptor, .next = next_descriptor, .get = get_descriptor,      \
		.put = put_descriptor, .id = descriptor_id, .set_attributes = set_attributes, \
		.fixed_modes = true, .entry = (e)                                             \
	}

const struct pseudo_dynamic proc_descriptors = DYNAMIC(&link_entry);

/* --- fdinfo --- */

static int show_info(struct text *text, void *target)
{
	const struct descriptor *descriptor = target;
	struct file *file = descriptor->file;

	if (proc_task_is_gone(descriptor->task))
		return -ENOENT;
	const struct inode *inode = file_inode(file);

	text_print(text, "pos:\t%lu\nflags:\t0%o\nmnt_id:\t%lu\nino:\t%lu\n",
		   (unsigned long)file->position,
		   file->flags | O_LARGEFILE | (descriptor->cloexec ? O_CLOEXEC : 0),
		   inode ? (unsigned long)(inode->superblock->device & 0xff) : 0ul,
		   inode ? (unsigned long)inode->number : 0ul);
	if (file->ops->show_info)
		file->ops->show_info(file, text);
	return 0;
}

static const struct pseudo_entry info_entry = { .mode = S_IFREG | 0444,
						.open = check_descriptor,
						.show = show_info };

const struct pseudo_dynamic proc_descriptor_infos = DYNAMIC(&info_entry);
