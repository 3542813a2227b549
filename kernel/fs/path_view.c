/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The start of a task's paths: its root, its current directory, its umask. Tasks cloned with CLONE_FS, as
 * threads are, share one view.
 *
 * Locks: tree_mutex, for a task's pointer to its view and for the view's members; inside it task_table_lock
 * (T), for `executing` and for sharing a view.
 */
#include <kernel/fs/path_view.h>

#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

struct path_view *path_view_copy(const struct path_view *old)
{
	struct path_view *view = kzalloc(sizeof(*view));

	if (!view)
		return NULL;
	view->references = 1;
	view->umask = UMASK_DEFAULT;
	if (!old)
		return view;
	mutex_lock(&tree_mutex);
	view->umask = old->umask;
	view->directory = old->directory;
	view->root = old->root;
	if (view->directory)
		dentry_get(view->directory);
	if (view->root)
		dentry_get(view->root);
	mutex_unlock(&tree_mutex);
	return view;
}

struct path_view *path_view_share(struct path_view *view)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	bool executing = view->executing;

	if (!executing)
		atomic_fetch_add(&view->references, 1);
	spin_unlock_irqrestore(&task_table_lock, state);
	return executing ? NULL : view;
}

static void free_view(struct path_view *view)
{
	if (view->directory)
		dentry_put(view->directory);
	if (view->root)
		dentry_put(view->root);
	kfree(view);
}

void path_view_put(struct path_view *view)
{
	if (atomic_fetch_sub(&view->references, 1) == 1)
		free_view(view);
}

void path_view_switch(struct path_view *view)
{
	struct task *self = task_current();

	mutex_lock(&tree_mutex);
	struct path_view *old = self->paths;

	self->paths = view;
	/* In one critical section: exec counts the users of a view (exec_guard_take). */
	bool last = old && atomic_fetch_sub(&old->references, 1) == 1;

	mutex_unlock(&tree_mutex);
	if (last)
		free_view(old);
}

int path_view_unshare(void)
{
	struct path_view *old = task_current()->paths;

	if (old->references == 1)
		return 0;
	struct path_view *own = path_view_copy(old);

	if (!own)
		return -ENOMEM;
	path_view_switch(own);
	return 0;
}

/* Sets *PLACE, of the running task's view, to DENTRY, whose reference moves in. */
static int begin_at(struct dentry **place, struct dentry *dentry)
{
	int error = inode_type(dentry->inode) != S_IFDIR ? -ENOTDIR :
							   inode_permission(dentry->inode, X_OK);

	if (error) {
		dentry_put(dentry);
		return error;
	}
	mutex_lock(&tree_mutex);
	struct dentry *old = *place;

	*place = dentry;
	mutex_unlock(&tree_mutex);
	if (old)
		dentry_put(old);
	return 0;
}

int path_view_set_directory(struct dentry *dentry)
{
	return begin_at(&task_current()->paths->directory, dentry);
}

int path_view_set_root(struct dentry *dentry)
{
	return begin_at(&task_current()->paths->root, dentry);
}

struct dentry *process_root(void)
{
	const struct path_view *view = task_current()->paths;

	return view && view->root ? view->root : root_dentry;
}

struct dentry *process_get_directory(void)
{
	const struct path_view *view = task_current()->paths;

	mutex_lock(&tree_mutex);
	struct dentry *directory = view && view->directory ? view->directory : root_dentry;

	dentry_get(directory);
	mutex_unlock(&tree_mutex);
	return directory;
}

uint32_t process_apply_umask(uint32_t mode)
{
	return mode & ~task_current()->paths->umask;
}
