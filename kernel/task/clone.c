/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * New tasks: fork, vfork, clone, clone3, and the first one.
 *
 * A new task is a thread of the caller's process (CLONE_THREAD, which as in Linux needs
 * CLONE_SIGHAND and CLONE_VM) or the first of a new process. Everything that can fail is done
 * before the task is in the table.
 *
 * Not implemented: namespaces (EINVAL, as from a Linux built without them) and control groups.
 */
#include <string.h>

#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/fs/path_view.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/job_control.h>
#include <kernel/task/pidfd.h>
#include <kernel/task/process.h>
#include <kernel/task/ptrace.h>
#include <kernel/task/rseq.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/ptrace.h>
#include <uapi/linux/sched.h>

#define NAMESPACE_FLAGS                                                                \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	 CLONE_NEWPID | CLONE_NEWNET)

/* Checks the flags: Linux's copy_process, in its order. */
static int check_flags(const struct clone_request *request)
{
	uint64_t flags = request->flags;

	if (flags & NAMESPACE_FLAGS)
		return -EINVAL;
	if ((flags & CLONE_PIDFD) && (flags & CLONE_DETACHED))
		return -EINVAL;
	if ((flags & CLONE_SIGHAND) && (flags & CLONE_CLEAR_SIGHAND))
		return -EINVAL;
	/* There are no control groups: no descriptor refers to one. */
	if (flags & CLONE_INTO_CGROUP)
		return -EBADF;
	if ((flags & CLONE_THREAD) && !(flags & CLONE_SIGHAND))
		return -EINVAL;
	if ((flags & CLONE_SIGHAND) && !(flags & CLONE_VM))
		return -EINVAL;
	if ((flags & CLONE_PARENT) && task_current()->process->pid == 1)
		return -EINVAL;
	if (request->exit_signal < 0 || request->exit_signal > SIGNALS_MAX)
		return -EINVAL;
	return 0;
}

/* Creates a process like PARENT, without tasks. */
static struct process *copy_process(struct process *parent, const struct clone_request *request)
{
	struct process *process = process_alloc();

	if (!process)
		return NULL;
	process->handlers = request->flags & CLONE_SIGHAND ?
				    signal_handlers_share(parent->handlers) :
				    signal_handlers_copy(parent->handlers);
	if (!process->handlers) {
		process_put(process);
		return NULL;
	}
	if (request->flags & CLONE_CLEAR_SIGHAND)
		signal_handlers_clear(process->handlers, false);
	memcpy(process->limits, parent->limits, sizeof(process->limits));
	process_inherit_program(process, parent);
	process->dumpable = parent->dumpable;
	process->last_broadcast = parent->last_broadcast;
	process->no_huge_pages = parent->no_huge_pages;
	process->oom_score_adj = parent->oom_score_adj;
	process->personality = parent->personality;
	/* A sibling sends the common parent the same exit signal as its creator. */
	process->exit_signal = request->flags & CLONE_PARENT ? parent->exit_signal :
							       request->exit_signal;
	process->parent_executed = (request->flags & CLONE_PARENT) && parent->parent_executed;
	return process;
}

/* Gives the child the parts that it shares with the parent, and copies of the others. */
static int copy_parts(struct task *child, struct task *self, const struct clone_request *request)
{
	uint64_t flags = request->flags;

	if (flags & CLONE_THREAD) {
		child->process = self->process;
		atomic_fetch_add(&child->process->references, 1);
	} else {
		child->process = copy_process(self->process, request);
	}
	if (flags & CLONE_VM) {
		child->space = self->space;
		vm_space_get(child->space);
	} else {
		child->space = vm_space_fork(self->space);
	}
	if (flags & CLONE_FILES) {
		child->files = self->files;
		file_table_get(child->files);
	} else {
		child->files = file_table_copy(self->files);
	}
	child->paths = flags & CLONE_FS ? path_view_share(self->paths) :
					  path_view_copy(self->paths);
	if ((flags & CLONE_FS) && !child->paths)
		return -EAGAIN;
	if (!child->process || !child->space || !child->files || !child->paths)
		return -ENOMEM;
	memcpy(child->comm, self->comm, sizeof(child->comm));
	credentials_put(child->credentials);
	child->credentials = credentials_share(self->credentials);
	child->no_new_privs = self->no_new_privs;
	child->timer_slack_ns = child->first_timer_slack_ns = self->timer_slack_ns;
	child->affinity = self->affinity;
	sched_inherit(child);
	child->io_priority = self->io_priority;
	child->signals.mask = self->signals.mask;
	/* A thread starts without an alternate stack; a vfork child keeps the parent's until execve. */
	if (!(flags & CLONE_VM) || (flags & CLONE_VFORK))
		child->signals.alternate = self->signals.alternate;
	rseq_fork(child, flags & CLONE_VM);

	return hook_task_copied(self, child, flags);
}

/* Links CHILD into its process and the table. T held. */
static int enter_table(struct task *child, struct task *self, const struct clone_request *request,
		       bool traced)
{
	uint64_t flags = request->flags;
	struct process *process = child->process;

	if (self->signals.fatal)
		return -EINTR;
	int error = task_table_insert(child, request->tid);

	if (error)
		return error;
	if (flags & CLONE_THREAD) {
		child->tgid = self->tgid;
	} else {
		child->tgid = process->pid = child->tid;
		process->leader = child;
		task_get(child);
		process->parent = flags & CLONE_PARENT ? self->process->parent : self->process;
		process->parent_pid = process->parent->pid;
		process->parent_tid = flags & CLONE_PARENT ? self->process->parent_tid : self->tid;
		LIST_INSERT_HEAD(&process->parent->children, process, sibling);
		job_control_fork(self->process, process);
		atomic_fetch_add(&process->references, 1);
	}
	LIST_INSERT_HEAD(&process->threads, child, thread);
	process->live_threads++;
	if (traced)
		ptrace_attach_child(child);
	return 0;
}

/* Stores the requested tids in user memory. A failure is not reported, as in Linux. */
static void store_tids(struct task *child, const struct clone_request *request)
{
	uint32_t tid = (uint32_t)child->tid;

	if ((request->flags & CLONE_PARENT_SETTID) &&
	    copy_to_user((void *)request->parent_tid, &tid, sizeof(tid)))
		log_debug("clone: parent_tid is not writable");
	if (!(request->flags & CLONE_CHILD_SETTID))
		return;
	if (request->flags & CLONE_VM ?
		    copy_to_user((void *)request->child_tid, &tid, sizeof(tid)) :
		    vm_write(child->space, request->child_tid, &tid, sizeof(tid)))
		log_debug("clone: child_tid is not writable");
}

/* Waits until the child has executed another program or has exited. */
static void wait_for_vfork(struct task *child, struct task_completion *completion)
{
	struct wait_entry entry;
	int error = 0;

	wait_queue_add(&completion->queue, &entry);
	while (!completion->done && !error)
		error = wait_sleep_killable(UINT64_MAX);
	wait_queue_remove(&completion->queue, &entry);
	/* The child may be completing it right now; afterwards nothing refers to this stack. */
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	child->vfork = NULL;
	spin_unlock_irqrestore(&task_table_lock, state);
}

/* Releases the parts of CHILD, which never ran and is in no table, here, where that may sleep: the last
 * reference may be dropped in the idle task, which must not sleep. */
static void abandon(struct task *child)
{
	hook_task_exits(child);
	if (child->paths)
		path_view_put(child->paths);
	if (child->files)
		file_table_put(child->files);
	if (child->space)
		vm_space_put(child->space);
	child->paths = NULL;
	child->files = NULL;
	child->space = NULL;
	task_put(child);
}

pid_t task_clone(const struct clone_request *request, const struct trap_frame *frame)
{
	struct task *self = task_current();
	struct task_completion completion = { .done = false };
	unsigned int event = ptrace_clone_event(request->flags, request->exit_signal);
	int error = check_flags(request), pidfd = -1;

	if (error)
		return error;
	if (!credentials_may_add_task())
		return -EAGAIN;
	/* The kernel's reserve is for tasks that exit, not for new ones. */
	struct task *child = oom_has_pages(oom_reserve_pages() / 2 + 1) ? task_alloc() : NULL;

	if (!child)
		return -ENOMEM;
	error = copy_parts(child, self, request);
	if (!error) {
		arch_task_set_fork_return(child, frame, request->stack,
					  request->flags & CLONE_SETTLS, request->tls);
		if (request->flags & CLONE_CHILD_CLEARTID)
			child->clear_child_tid = request->child_tid;
		if (request->flags & CLONE_VFORK) {
			wait_queue_init(&completion.queue);
			child->vfork = &completion;
		}
		if (request->flags & CLONE_PIDFD) {
			pidfd = pidfd_create(child->process,
					     request->flags & CLONE_THREAD ? child : NULL, false);
			error = pidfd < 0 ?
					pidfd :
					copy_to_user((void *)request->pidfd, &pidfd, sizeof(pidfd));
		}
	}
	if (!error) {
		unsigned long state = spin_lock_irqsave(&task_table_lock);

		error = enter_table(child, self, request, event || (request->flags & CLONE_PTRACE));
		spin_unlock_irqrestore(&task_table_lock, state);
	}
	if (error) {
		if (pidfd >= 0)
			fd_close(pidfd);
		abandon(child);
		return error;
	}
	pid_t tid = child->tid;

	store_tids(child, request);
	hook_task_forked(self, child, request->flags);
	sched_start(child);
	if (event)
		ptrace_event(event, (unsigned long)tid);
	if (request->flags & CLONE_VFORK) {
		wait_for_vfork(child, &completion);
		ptrace_event(PTRACE_EVENT_VFORK_DONE, (unsigned long)tid);
	}
	task_put(child);
	return tid;
}

struct task *task_create_first(void)
{
	struct task *task = task_alloc();
	struct process *process = process_alloc();

	if (!task || !process)
		return NULL;
	task->paths = path_view_copy(NULL);
	process->handlers = signal_handlers_copy(NULL);
	if (!task->paths || !process->handlers)
		return NULL;
	process_default_limits(process->limits);
	/* RLIMIT_NPROC of a user is half of all tasks. */
	task_count_max = (int)process->limits[RLIMIT_NPROC].rlim_cur * 2;
	process->dumpable = 1;
	process->exit_signal = SIGCHLD;
	task->process = process;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	int error = task_table_insert(task, 0);

	task->tgid = process->pid = task->tid;
	process->leader = task;
	LIST_INSERT_HEAD(&process->threads, task, thread);
	process->live_threads = 1;
	spin_unlock_irqrestore(&task_table_lock, state);
	return error || job_control_begin_session(process) ? NULL : task;
}

long sys_clone(const unsigned long arg[6])
{
	/* x86-64's order of the arguments. */
	struct clone_request request = {
		.flags = (arg[0] & 0xffffffff) & ~(uint64_t)CSIGNAL,
		.exit_signal = (int)(arg[0] & CSIGNAL),
		.stack = arg[1],
		.parent_tid = arg[2],
		.pidfd = arg[2],
		.child_tid = arg[3],
		.tls = arg[4],
	};

	/* Both use the same word. */
	if ((request.flags & CLONE_PIDFD) && (request.flags & CLONE_PARENT_SETTID))
		return -EINVAL;
	return task_clone(&request, arch_task_user_frame(task_current()));
}

long sys_fork(const unsigned long arg[6])
{
	struct clone_request request = { .exit_signal = SIGCHLD };

	return task_clone(&request, arch_task_user_frame(task_current()));
}

long sys_vfork(const unsigned long arg[6])
{
	struct clone_request request = { .flags = CLONE_VFORK | CLONE_VM, .exit_signal = SIGCHLD };

	return task_clone(&request, arch_task_user_frame(task_current()));
}

/* clone3's structure: Linux's uapi/linux/sched.h. Its first version ends before set_tid, its second
 * before cgroup. */
struct clone_args {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	uint64_t set_tid, set_tid_size, cgroup;
};

#define CLONE_ARGS_SIZE_FIRST 64
/* Most nested pid namespaces: Linux's MAX_PID_NS_LEVEL. Tally has one. */
#define PID_LEVELS_MAX	      32

/* Copies SIZE bytes of arguments; bytes beyond the known ones must be 0. */
static int copy_clone_args(struct clone_args *args, uintptr_t user, size_t size)
{
	uint8_t extra;

	if (size > PAGE_SIZE)
		return -E2BIG;
	if (size < CLONE_ARGS_SIZE_FIRST)
		return -EINVAL;
	*args = (struct clone_args){ 0 };
	if (copy_from_user(args, (void *)user, size < sizeof(*args) ? size : sizeof(*args)))
		return -EFAULT;
	for (size_t i = sizeof(*args); i < size; i++) {
		if (copy_from_user(&extra, (char *)user + i, 1))
			return -EFAULT;
		if (extra)
			return -E2BIG;
	}
	return 0;
}

/* Returns whether ARGS, of SIZE bytes, are valid; Linux's copy_clone_args_from_user and
 * clone3_args_valid. */
static bool are_valid(const struct clone_args *args, size_t size)
{
	const uint64_t known = 0xffffffff | CLONE_CLEAR_SIGHAND | CLONE_INTO_CGROUP;

	if (args->set_tid_size > PID_LEVELS_MAX || !args->set_tid != !args->set_tid_size)
		return false;
	if (args->exit_signal > SIGNALS_MAX || !args->stack != !args->stack_size)
		return false;
	if ((args->flags & CLONE_INTO_CGROUP) && (args->cgroup > INT32_MAX || size < sizeof(*args)))
		return false;
	if (args->flags & (~known | CSIGNAL | CLONE_DETACHED))
		return false;
	return !((args->flags & (CLONE_THREAD | CLONE_PARENT)) && args->exit_signal);
}

/* Returns the tid requested for the child in *TID. */
static int get_tid(const struct clone_args *args, pid_t *tid)
{
	if (!args->set_tid_size)
		return 0;
	/* Linux copies all of them before it checks their number. */
	for (size_t i = args->set_tid_size; i-- > 0;)
		if (copy_from_user(tid, (pid_t *)args->set_tid + i, sizeof(*tid)))
			return -EFAULT;
	if (args->set_tid_size > 1 || *tid < 1 || *tid >= PID_MAX)
		return -EINVAL;
	return capable(CAP_SYS_ADMIN) || capable(CAP_CHECKPOINT_RESTORE) ? 0 : -EPERM;
}

long sys_clone3(const unsigned long arg[6])
{
	struct clone_args args;
	pid_t tid = 0;
	int error = copy_clone_args(&args, arg[0], arg[1]);

	if (!error && !are_valid(&args, arg[1]))
		error = -EINVAL;
	if (!error)
		error = get_tid(&args, &tid);
	if (error)
		return error;
	struct clone_request request = {
		.flags = args.flags,
		.exit_signal = (int)args.exit_signal,
		.tid = tid,
		.stack = args.stack ? args.stack + args.stack_size : 0,
		.parent_tid = args.parent_tid,
		.pidfd = args.pidfd,
		.child_tid = args.child_tid,
		.tls = args.tls,
	};

	return task_clone(&request, arch_task_user_frame(task_current()));
}
