/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc: of all that Linux has there, the one link by which every program finds its own executable,
 * /proc/self/exe. What it leads to depends on who follows it: inode.c and path_calls.c ask here.
 */
#include <kernel/inode.h>
#include <kernel/log.h>
#include <kernel/process.h>
#include <kernel/task.h>

static struct inode *self_exe;

/* The directory NAME of PARENT, made if it is not there. */
static struct inode *directory(struct inode *parent, const char *name, size_t size)
{
	struct inode *inode = inode_find(parent, name, size);

	if (!inode)
		inode = inode_create(parent, name, size, S_IFDIR | 0555);
	if (!inode || (inode->mode & S_IFMT) != S_IFDIR)
		boot_failure(
			"initramfs: /proc and /proc/self must be directories, or not be there");
	return inode;
}

void proc_init(void)
{
	struct inode *self = directory(directory(&root_inode, "proc", 4), "self", 4);

	self_exe = inode_find(self, "exe", 3);
	if (!self_exe)
		self_exe = inode_create(self, "exe", 3, S_IFLNK | 0777);
	if (!self_exe)
		boot_failure("too little memory for /proc; give the machine more");
	self_exe->mode = S_IFLNK | 0777;
	self_exe->size = 0;
}

struct inode *proc_link_target(const struct inode *link)
{
	const struct process *process = task_current()->process;

	return link == self_exe && process ? process->executable : NULL;
}

const char *proc_link_text(const struct inode *link)
{
	const struct process *process = task_current()->process;

	return link == self_exe && process ? process->executable_path : NULL;
}
