/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc/PID/exe, cwd, root and ns: links to objects of a process, inside the tree or outside it.
 */
#include <string.h>

#include <kernel/base/log.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/path_view.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>

#include "task.h"

ssize_t proc_put_path(struct dentry *dentry, char *buffer, size_t size)
{
	char *path = dentry_path(dentry, root_dentry, buffer, size);
	ssize_t length = path ? (ssize_t)strlen(path) : -ENAMETOOLONG;

	if (path)
		memmove(buffer, path, (size_t)length);
	dentry_put(dentry);
	return length;
}

/* The targets of the links: dentries without a reference, or NULL. tree_mutex held. A process that never
 * changed its directories has the root's as long as it has a view of paths. */
static struct dentry *executable_of(const struct task *task)
{
	return task->process->executable;
}

static struct dentry *directory_of(const struct task *task)
{
	return !task->paths ? NULL : task->paths->directory ? task->paths->directory : root_dentry;
}

static struct dentry *root_of(const struct task *task)
{
	return !task->paths ? NULL : task->paths->root ? task->paths->root : root_dentry;
}

static struct dentry *follow_place(void *target, int *error,
				   struct dentry *(*find)(const struct task *task))
{
	struct dentry *dentry = NULL;

	*error = proc_check_access(target);
	if (*error)
		return NULL;
	dentry = find(target);
	*error = -ENOENT;
	if (dentry)
		dentry_get(dentry);
	return dentry;
}

static ssize_t read_place(void *target, char *buffer, size_t size,
			  struct dentry *(*find)(const struct task *task))
{
	int error;

	mutex_lock(&tree_mutex);
	struct dentry *dentry = follow_place(target, &error, find);

	mutex_unlock(&tree_mutex);
	return dentry ? proc_put_path(dentry, buffer, size) : error;
}

#define LINK(name, find)                                                  \
	ssize_t proc_read_##name(void *target, char *buffer, size_t size) \
	{                                                                 \
		return read_place(target, buffer, size, find);            \
	}                                                                 \
	struct dentry *proc_follow_##name(void *target, int *error)       \
	{                                                                 \
		return follow_place(target, error, find);                 \
	}

LINK(exe, executable_of)
LINK(cwd, directory_of)
LINK(root, root_of)

/* --- ns --- */

/* There is one namespace of each kind; these are the numbers of Linux's first ones. Programs compare the
 * links; opening one fails. */
#define NAMESPACE(file, kind, number)                                       \
	static ssize_t read_##file(void *target, char *buffer, size_t size) \
	{                                                                   \
		int error = proc_check_access(target);                      \
                                                                            \
		if (error)                                                  \
			return error;                                       \
		format_string(buffer, size, "%s:[%u]", kind, number);       \
		return (ssize_t)strlen(buffer);                             \
	}
#define NAMESPACE_ENTRY(file)                                                   \
	{                                                                       \
		.name = #file, .mode = S_IFLNK | 0777, .read_link = read_##file \
	}

NAMESPACE(time, "time", 4026531834u)
NAMESPACE(cgroup, "cgroup", 4026531835u)
NAMESPACE(pid, "pid", 4026531836u)
NAMESPACE(user, "user", 4026531837u)
NAMESPACE(uts, "uts", 4026531838u)
NAMESPACE(ipc, "ipc", 4026531839u)
NAMESPACE(net, "net", 4026531840u)
NAMESPACE(mnt, "mnt", 4026531841u)
NAMESPACE(pid_for_children, "pid", 4026531836u)
NAMESPACE(time_for_children, "time", 4026531834u)

const struct pseudo_entry proc_namespaces[] = {
	NAMESPACE_ENTRY(cgroup), NAMESPACE_ENTRY(ipc),
	NAMESPACE_ENTRY(mnt),	 NAMESPACE_ENTRY(net),
	NAMESPACE_ENTRY(pid),	 NAMESPACE_ENTRY(pid_for_children),
	NAMESPACE_ENTRY(time),	 NAMESPACE_ENTRY(time_for_children),
	NAMESPACE_ENTRY(user),	 NAMESPACE_ENTRY(uts),
	{ .name = NULL },
};
