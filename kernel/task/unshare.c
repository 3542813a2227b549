/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unshare(2): a task stops sharing parts that it was cloned with.
 *
 * A task can unshare descriptors and directories at any time; memory, handlers and the process only if it
 * shares them with no other task already. There are no namespaces to leave (EINVAL, as from a Linux without
 * them) and no semaphores of System V, so CLONE_SYSVSEM has no effect.
 */
#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/fs/path_view.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/sched.h>

#define UNSHARED (CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM)

/* Returns whether the current task is the only user of the parts in FLAGS that it cannot unshare. */
static bool is_alone(unsigned long flags)
{
	struct task *self = task_current();

	if ((flags & (CLONE_THREAD | CLONE_SIGHAND | CLONE_VM)) && self->process->live_threads > 1)
		return false;
	if ((flags & (CLONE_SIGHAND | CLONE_VM)) && self->process->handlers->references > 1)
		return false;
	return !(flags & CLONE_VM) || self->space->references == 1;
}

static int unshare_files(void)
{
	struct file_table *old = task_current()->files;

	if (!file_table_is_shared(old))
		return 0;
	struct file_table *own = file_table_copy(old);

	if (!own)
		return -ENOMEM;
	file_table_switch(own);
	return 0;
}

long sys_unshare(const unsigned long arg[6])
{
	unsigned long flags = arg[0];
	int error = 0;

	if ((flags & ~(unsigned long)UNSHARED) || !is_alone(flags))
		return -EINVAL;
	if (flags & CLONE_FILES)
		error = unshare_files();
	if (!error && (flags & CLONE_FS))
		error = path_view_unshare();
	return error;
}
