/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc/PID and /proc/PID/task/TID: a task's description of itself. proc(5) describes the formats.
 *
 * A target is a task, referenced. A process's target is its first thread, which stays until its parent waits
 * for it. Objects that the task has already given up, such as an address space or a directory, are shown as
 * absent.
 */
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/stat.h>

#include "task.h"

/* --- the tasks --- */

int64_t proc_number_of(const char *name, size_t size)
{
	int64_t number = 0;

	if (size == 0 || size > 9 || (name[0] == '0' && size > 1))
		return -1;
	for (size_t i = 0; i < size; i++) {
		if (name[i] < '0' || name[i] > '9')
			return -1;
		number = number * 10 + (name[i] - '0');
	}
	return number;
}

static void *find_process(void *unused, const char *name, size_t name_size)
{
	int64_t tid = proc_number_of(name, name_size);

	/* A thread's number leads to its directory, too, although it is not listed. */
	return tid > 0 ? task_find((pid_t)tid) : NULL;
}

/* Returns the task with the least tid from *ID on that is a process's first thread, or, if PROCESS is not
 * NULL, that belongs to PROCESS. */
static void *next_task(uint64_t *id, const struct process *process)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct task *task = *id < INT32_MAX ? task_table_next((pid_t)*id - 1) : NULL;

	while (task && (process ? task->process != process : task->tid != task->tgid))
		task = task_table_next(task->tid);
	if (task) {
		task_get(task);
		*id = (uint64_t)task->tid;
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	return task;
}

static void *next_process(void *unused, uint64_t *id)
{
	return next_task(id, NULL);
}

static void *find_thread(void *parent, const char *name, size_t name_size)
{
	const struct task *leader = parent;
	struct task *task = find_process(NULL, name, name_size);

	if (task && task->process != leader->process) {
		task_put(task);
		task = NULL;
	}
	return task;
}

static void *next_thread(void *parent, uint64_t *id)
{
	return next_task(id, ((const struct task *)parent)->process);
}

static void get_task(void *target)
{
	task_get(target);
}

static void put_task(void *target)
{
	task_put(target);
}

static uint64_t task_id(void *target)
{
	return (uint64_t)((struct task *)target)->tid;
}

void proc_set_owner(struct task *task, struct inode *inode)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	/* As on Linux: a directory that all users may list and enter reveals nothing, and always belongs
	 * to the user. */
	if (task->process->dumpable == 1 || (inode->mode & ~S_IFMT) == 0555) {
		inode->uid = credentials_of(task)->euid;
		inode->gid = credentials_of(task)->egid;
	}
	spin_unlock_irqrestore(&task_table_lock, state);
}

bool proc_task_is_gone(const struct task *task)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	bool gone = task_table_find(task->tid) != task;

	spin_unlock_irqrestore(&task_table_lock, state);
	return gone;
}

static bool is_gone(void *target)
{
	return proc_task_is_gone(target);
}

static void set_attributes(void *target, struct inode *inode)
{
	proc_set_owner(target, inode);
}

int proc_check_access(struct task *task)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	int error = task_table_find(task->tid) != task ||
				    credentials_may_ptrace(task, PTRACE_AS_FS) ?
			    -EACCES :
			    0;

	spin_unlock_irqrestore(&task_table_lock, state);
	return error;
}

/* Permits what the mode permits, and access by the process's own threads. Linux: proc_fd_permission. */
static int check_descriptors_access(const struct inode *inode, void *target, unsigned int mask)
{
	const struct task *task = target;
	int error = inode_permission_by_mode(inode, mask);

	return error && task->process == task_current()->process ? 0 : error;
}

/* Permits only tasks that may inspect the target, in addition to the mode; checked at each access. */
static int check_directory_access(const struct inode *inode, void *target, unsigned int mask)
{
	int error = proc_check_access(target);

	return error ? error : inode_permission_by_mode(inode, mask);
}

/* Linux makes a task's directory immutable: EPERM comes before the mode's check. */
static int check_task_directory(const struct inode *inode, void *target, unsigned int mask)
{
	return mask & W_OK ? -EPERM : inode_permission_by_mode(inode, mask);
}

/* --- the directories --- */

#define SHOWN(n, m, s)                                          \
	{                                                       \
		.name = (n), .mode = S_IFREG | (m), .show = (s) \
	}
/* Shows the memory that the task has when the file is opened, and only if the opener may inspect the task
 * then. */
#define MEMORY(n, m, s)                                                       \
	{                                                                     \
		.name = (n), .mode = S_IFREG | (m), .begin = proc_memory_get, \
		.end = proc_memory_put, .show = (s)                           \
	}
#define STORED(n, m, s, t)                                                    \
	{                                                                     \
		.name = (n), .mode = S_IFREG | (m), .show = (s), .store = (t) \
	}
#define LINK(n)                                                                 \
	{                                                                       \
		.name = #n, .mode = S_IFLNK | 0777, .read_link = proc_read_##n, \
		.follow = proc_follow_##n                                       \
	}

/* Entries of a process and of each of its threads. */
#define COMMON_ENTRIES                                                                            \
	SHOWN("statm", 0444, proc_show_statm), SHOWN("status", 0444, proc_show_status),           \
		STORED("comm", 0644, proc_show_comm, proc_store_comm),                            \
		SHOWN("cmdline", 0444, proc_show_cmdline_of),                                     \
		MEMORY("environ", 0400, proc_show_environ), MEMORY("auxv", 0400, proc_show_auxv), \
		MEMORY("maps", 0444, proc_show_maps), MEMORY("smaps", 0444, proc_show_smaps),     \
		{ .name = "mem",                                                                  \
		  .mode = S_IFREG | 0600,                                                         \
		  .begin = proc_memory_get,                                                       \
		  .end = proc_memory_put,                                                         \
		  .read_at = proc_read_mem,                                                       \
		  .write_at = proc_write_mem },                                                   \
		SHOWN("mounts", 0444, proc_show_mounts),                                          \
		SHOWN("mountinfo", 0444, proc_show_mountinfo),                                    \
		SHOWN("limits", 0444, proc_show_limits),                                          \
		SHOWN("oom_score", 0444, proc_show_oom_score),                                    \
		{ .name = "oom_score_adj",                                                        \
		  .mode = S_IFREG | 0644,                                                         \
		  .show = proc_show_oom_score_adj,                                                \
		  .store = proc_store_oom_score_adj },                                            \
		SHOWN("personality", 0400, proc_show_personality),                                \
		SHOWN("loginuid", 0444, proc_show_unset_id),                                      \
		SHOWN("sessionid", 0444, proc_show_unset_id),                                     \
		STORED("uid_map", 0644, proc_show_id_map, proc_store_id_map),                     \
		STORED("gid_map", 0644, proc_show_id_map, proc_store_id_map),                     \
		STORED("projid_map", 0644, proc_show_id_map, proc_store_id_map),                  \
		SHOWN("cgroup", 0444, proc_show_empty), LINK(exe), LINK(cwd), LINK(root),         \
		{ .name = "fd",                                                                   \
		  .mode = S_IFDIR | 0500,                                                         \
		  .permission = check_descriptors_access,                                         \
		  .dynamic = &proc_descriptors },                                                 \
		{ .name = "fdinfo",                                                               \
		  .mode = S_IFDIR | 0555,                                                         \
		  .permission = check_directory_access,                                           \
		  .dynamic = &proc_descriptor_infos },                                            \
	{                                                                                         \
		.name = "ns", .mode = S_IFDIR | 0511, .children = proc_namespaces                 \
	}

static const struct pseudo_entry thread_entries[] = {
	SHOWN("stat", 0444, proc_show_thread_stat),
	COMMON_ENTRIES,
	{ .name = NULL },
};
static const struct pseudo_entry thread_entry = { .mode = S_IFDIR | 0555,
						  .permission = check_task_directory,
						  .children = thread_entries };

static const struct pseudo_dynamic threads = {
	.find = find_thread,
	.next = next_thread,
	.get = get_task,
	.put = put_task,
	.id = task_id,
	.set_attributes = set_attributes,
	.gone = is_gone,
	.fixed_modes = true,
	.entry = &thread_entry,
};

static const struct pseudo_entry process_entries[] = {
	SHOWN("stat", 0444, proc_show_process_stat),
	{ .name = "setgroups",
	  .mode = S_IFREG | 0644,
	  .may_write = proc_may_write_setgroups,
	  .show = proc_show_setgroups,
	  .store = proc_store_setgroups },
	STORED("timerslack_ns", 0666, proc_show_timer_slack, proc_store_timer_slack),
	COMMON_ENTRIES,
	{ .name = "task", .mode = S_IFDIR | 0555, .dynamic = &threads },
	{ .name = NULL },
};
static const struct pseudo_entry process_entry = { .mode = S_IFDIR | 0555,
						   .permission = check_task_directory,
						   .children = process_entries };

const struct pseudo_dynamic proc_processes = {
	.find = find_process,
	.next = next_process,
	.get = get_task,
	.put = put_task,
	.id = task_id,
	.set_attributes = set_attributes,
	.gone = is_gone,
	.fixed_modes = true,
	.entry = &process_entry,
};

struct task *proc_task_of(const struct file *file)
{
	if (!file->dentry || (file->flags & O_PATH))
		return NULL;
	return pseudo_target(file->dentry->inode, &process_entry);
}
