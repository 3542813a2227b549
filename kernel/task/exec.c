/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executing a program: execve.
 *
 * The new address space is complete before the old one is touched, so an execve that fails leaves the
 * caller unchanged. After that only a fatal signal or a lack of memory can fail; both end the task.
 * Other tasks never see a mixture of the old program and the new one: exec_guard.c.
 *
 * Not here: the strings (exec_strings.c), scripts (exec_script.c), the stack (exec_stack.c),
 * segments and the dynamic loader (elf.c).
 */
#include "exec.h"

#include <string.h>

#include <arch/exec.h>
#include <arch/ptrace.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/base/syscall.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/path_view.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/exec_guard.h>
#include <kernel/task/futex.h>
#include <kernel/task/process.h>
#include <kernel/task/process_timers.h>
#include <kernel/task/ptrace.h>
#include <kernel/task/rseq.h>
#include <uapi/linux/auxvec.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/personality.h>

/* The stack limit of the first program: Linux's default. */
#define EXEC_STACK_LIMIT_DEFAULT ((uint64_t)8 << 20)
/* Most nested interpreters. */
#define INTERPRETERS_MAX	 5

/* Returns LIMIT of a stack, cut for IMAGE: a huge stack must not choose the layout of a program with more
 * privileges. As Linux. */
static uint64_t cut_stack(const struct exec_image *image, uint64_t limit)
{
	return image->secure && limit > EXEC_STACK_LIMIT_DEFAULT ? EXEC_STACK_LIMIT_DEFAULT : limit;
}

/* Returns the bits of PERSONALITY that IMAGE keeps. */
static unsigned int clear_personality(const struct exec_image *image, unsigned int personality)
{
	personality &= ~ARCH_EXEC_PERSONALITY_CLEARED;
	return image->clears_personality ? personality & ~(unsigned int)PER_CLEAR_ON_SETID :
					   personality;
}

/* Lays out IMAGE's space by the current process's limit and personality. */
static void lay_out(struct exec_image *image)
{
	const struct process *process = task_current()->process;
	bool fixed = process &&
		     (clear_personality(image, process->personality) & ADDR_NO_RANDOMIZE);
	uint64_t limit = process ? process->limits[RLIMIT_STACK].rlim_cur :
				   EXEC_STACK_LIMIT_DEFAULT;

	vm_lay_out(image->space, cut_stack(image, limit), vm_layout_randomized() && !fixed);
}

void executable_put(struct dentry *executable)
{
	inode_end_program(executable->inode);
	dentry_put(executable);
}

/* Looks up the dentry of REQUEST, with a reference. */
static int look_up(const struct exec_request *request, struct dentry **executable)
{
	if (request->path[0])
		return path_lookup(request->start, request->path,
				   request->follow ? LOOKUP_FOLLOW : 0, executable);
	*executable = request->start;
	dentry_get(*executable);
	return 0;
}

int exec_open(const struct exec_request *request, struct dentry **executable, struct file **file,
	      const char **reason)
{
	int error = look_up(request, executable);

	if (error) {
		*reason = "no such file";
		return error;
	}
	const struct inode *inode = (*executable)->inode;

	if (inode_type(inode) == S_IFLNK) {
		*reason = "a link that is not to be followed";
		error = -ELOOP;
	} else if (inode_type(inode) != S_IFREG || inode_permission(inode, X_OK) < 0) {
		*reason = "not a file with permission to execute";
		error = -EACCES;
	} else {
		error = inode_begin_program((*executable)->inode);
		*reason = "it is open for writing";
	}
	if (error) {
		dentry_put(*executable);
		return error;
	}
	error = dentry_open(*executable, O_RDONLY, file);
	if (error) {
		*reason = "it cannot be opened";
		executable_put(*executable);
	}
	return error;
}

/* Decides the credentials of the program in INODE. */
static int decide_credentials(const struct inode *inode, struct exec_image *image)
{
	struct credentials_exec decided;
	uint32_t uid, gid, mode;

	/* A consistent set: a change of the owner clears the set-id bits first. */
	do {
		uid = inode->uid;
		gid = inode->gid;
		mode = inode->mode;
	} while (uid != inode->uid || gid != inode->gid);
	/* The permission may have been withdrawn meanwhile. */
	if (inode_permission(inode, X_OK) < 0)
		mode = 0;
	int error = credentials_for_exec(mode, uid, gid, &decided);

	if (error)
		return error;
	image->credentials = decided.new;
	image->secure = decided.secure;
	image->clears_personality = decided.clears_personality;
	/* A file that is not readable must not be readable from memory either. */
	image->dumpable = decided.dumpable && inode_permission(inode, R_OK) == 0;
	return 0;
}

/* Frees the parts of an image that will not run. */
static void discard_image(struct exec_image *image)
{
	if (image->credentials)
		credentials_abort(image->credentials);
	vm_space_put(image->space);
}

/* Creates and fills a space for FILE's program. */
static int make_image(struct file *file, const char *path, const struct exec_strings *strings,
		      struct exec_image *image, const char **reason)
{
	image->space = vm_space_create();
	if (!image->space) {
		*reason = "not enough memory";
		return -ENOMEM;
	}
	int error = decide_credentials(file_inode(file), image);

	*reason = "not enough memory";
	if (!error) {
		lay_out(image);
		error = elf_load(file, image, reason);
	}
	if (!error) {
		error = exec_make_stack(image, path, strings);
		*reason = "no room for its stack";
	}
	if (error)
		discard_image(image);
	return error;
}

/* Makes an image of the program at REQUEST, or of the interpreter of a script, whose path goes into LINES.
 * Follows nested scripts. */
static int follow_scripts(struct exec_request *request, struct exec_strings *strings, char *lines,
			  struct exec_image *image, struct dentry **executable, const char **reason)
{
	const char *name = request->name, *shown = name;
	struct dentry *directory = request->start;
	struct file *file;
	int error = 0, script = 1;

	for (unsigned int depth = 0; !error && script; depth++) {
		char *line = lines + depth % 2 * EXEC_LINE_SIZE;

		if (depth > INTERPRETERS_MAX) {
			*reason = "a script whose interpreter is a script, and so on";
			return -ELOOP;
		}
		error = exec_open(request, executable, &file, reason);
		if (error)
			return error;
		script = exec_read_script(file, shown, strings, line);
		if (script < 0) {
			error = script;
			*reason = "a script without an interpreter";
		} else if (script && request->name_closes) {
			error = -ENOENT;
			*reason = "a script that its interpreter could not find";
		} else if (!script) {
			error = make_image(file, name, strings, image, reason);
		}
		file_put(file);
		if (error || script)
			executable_put(*executable);
		shown = line;
		*request =
			(struct exec_request){ .start = directory, .path = line, .follow = true };
	}
	return error;
}

int exec_prepare(const struct exec_request *request, struct exec_strings *strings,
		 struct exec_image *image, struct dentry **executable, const char **reason)
{
	/* Two lines: the name of a script may lie in the line of the script before it. */
	char *lines = kzalloc(2 * EXEC_LINE_SIZE);
	const char *slash = strrchr(request->name, '/');
	struct exec_request next = *request;

	if (!lines)
		return -ENOMEM;
	*image = (struct exec_image){ 0 };
	strlcpy(image->name, slash ? slash + 1 : request->name, sizeof(image->name));
	int error = follow_scripts(&next, strings, lines, image, executable, reason);

	kfree(lines);
	return error;
}

void process_inherit_program(struct process *child, const struct process *parent)
{
	mutex_lock(&tree_mutex);
	child->arguments_start = parent->arguments_start;
	child->auxiliary_start = parent->auxiliary_start;
	child->auxiliary_end = parent->auxiliary_end;
	child->environment_start = parent->environment_start;
	child->environment_end = parent->environment_end;
	child->executable = parent->executable;
	/* This cannot fail: the parent runs it already. */
	if (child->executable && !inode_begin_program(child->executable->inode))
		dentry_get(child->executable);
	mutex_unlock(&tree_mutex);
}

void process_drop_program(struct process *process)
{
	mutex_lock(&tree_mutex);
	struct dentry *executable = process->executable;

	process->executable = NULL;
	mutex_unlock(&tree_mutex);
	if (executable)
		executable_put(executable);
}

static void rename_task(struct task *task, const struct exec_image *image)
{
	hook_task_renames(task, image->name);
	memcpy(task->comm, image->name, sizeof(task->comm));
}

/* Sets PROCESS's program to IMAGE, made from EXECUTABLE; returns the old one, or NULL. tree_mutex held. */
static struct dentry *set_program(struct process *process, const struct exec_image *image,
				  struct dentry *executable)
{
	struct dentry *old = process->executable;

	process->executable = executable;
	process->arguments_start = image->arguments_start;
	process->environment_start = image->environment_start;
	process->environment_end = image->environment_end;
	process->auxiliary_start = image->auxiliary_start;
	process->auxiliary_end = image->auxiliary_end;
	return old;
}

void exec_set_name(struct task *task, const struct exec_image *image, struct dentry *executable)
{
	rename_task(task, image);
	mutex_lock(&tree_mutex);
	struct dentry *old = set_program(task->process, image, executable);

	mutex_unlock(&tree_mutex);
	if (old)
		executable_put(old);
}

/* Makes the current task, alone in its process, the process's leader. */
static void become_leader(struct task *self)
{
	struct process *process = self->process;
	struct task *leader = process->leader;
	struct process *child;
	pid_t tid = self->tid;

	if (leader == self)
		return;
	task_get(self);
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	if (leader->ptrace.tracer)
		ptrace_unlink(leader);
	task_table_remove(self);
	task_table_replace(leader, self);
	process->leader = self;
	LIST_FOREACH(child, &process->children, sibling)
		if (child->parent_tid == tid)
			child->parent_tid = self->tid;
	spin_unlock_irqrestore(&task_table_lock, state);
	task_put(leader);
}

/* Ends a step of execve: the debug kernel lets other tasks run here, so that tests find a state that a step
 * leaves open (tests/boot/execution.c). */
static void end_step(void)
{
#ifdef TALLY_DEBUG
	for (int i = 0; i < 8; i++)
		sched_yield();
#endif
}

/* Ends the process: there is no memory for the new program, and the old one is gone. */
static _Noreturn void fail(void)
{
	exec_guard_give();
	process_exit(SIGKILL);
}

/* Drops the state of the old program that IMAGE's must not have and that is not guarded by a lock of its
 * observers. Ends the process if there is no memory. */
static void leave_program(struct task *self, const struct exec_image *image)
{
	struct process *process = self->process;

	become_leader(self);
	futex_exit(self, false);
	task_clear_child_tid(self);
	usage_note_space(process, self->space);
	if (file_table_is_shared(self->files)) {
		struct file_table *own = file_table_copy(self->files);

		if (!own)
			fail();
		file_table_switch(own);
	}
	/* First: a task that sees the descriptors close must see this, too. */
	process->has_executed = true;
	file_table_close_on_exec(self->files);
	end_step();
	if (signal_reset_for_exec(process))
		fail();
	process_timers_exec(process);
	arch_ptrace_end(self);
}

/* Sets the process's attributes that others see to those of IMAGE. */
static void change_process(struct task *self, const struct exec_image *image)
{
	struct process *process = self->process, *child;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct rlimit64 *limit = &process->limits[RLIMIT_STACK];

	/* The new program does not know the exit signal of clone (Linux: begin_new_exec). */
	process->exit_signal = SIGCHLD;
	/* Nor does it know those that it requested for its children (do_notify_parent). */
	LIST_FOREACH(child, &process->children, sibling)
		child->parent_executed = true;
	if (image->secure)
		self->parent_death_signal = 0;
	limit->rlim_cur = cut_stack(image, limit->rlim_cur);
	process->personality = clear_personality(image, process->personality);
	process->dumpable = image->dumpable;
	spin_unlock_irqrestore(&task_table_lock, state);
}

/* Replaces the old program with IMAGE's, made from EXECUTABLE, by the protocol of exec_guard.c. */
static void exchange_program(struct task *self, struct exec_image *image, struct dentry *executable)
{
	struct process *process = self->process;

	mutex_lock(&process->exec.update);
	rename_task(self, image);
	end_step();
	hook_task_changes_program(self, image->dumpable);
	end_step();
	mutex_lock(&tree_mutex);
	struct vm_space *old_space = vm_space_exchange(image->space);

	end_step();
	credentials_commit(image->credentials);
	/* From here on, only tasks with a right to the new program can change its limits. */
	change_process(self, image);
	struct dentry *old_executable = set_program(process, image, executable);

	mutex_unlock(&tree_mutex);
	end_step();
	mutex_unlock(&process->exec.update);
	process_apply_limits(process, image->space);
	vm_space_leave(old_space);
	task_end_vfork(self);
	if (old_executable)
		executable_put(old_executable);
}

/* Replaces the program; cannot fail from here on. */
static void commit(struct task *self, struct exec_image *image, struct dentry *executable)
{
	pid_t former_tid = self->tid;

	leave_program(self, image);
	exchange_program(self, image, executable);
	self->signals.alternate = (struct kernel_sigaltstack){ .ss_flags = SS_DISABLE };
	self->robust_list = 0;
	rseq_exec();
	arch_task_set_program(arch_task_user_frame(self), image->entry, image->stack);
	vm_report_program(self->space, executable->inode);
	exec_guard_give();
	ptrace_exec(former_tid);
}

/* Copies the strings of the arrays at USER_ARGUMENTS and USER_ENVIRONMENT into *RESULT, which the caller
 * frees even after an error. */
static int copy_strings(uintptr_t user_arguments, uintptr_t user_environment, const char *name,
			struct exec_strings **result)
{
	struct exec_strings *strings = exec_strings_create();
	size_t arguments = 0, environment = 0;

	*result = strings;
	if (!strings)
		return -ENOMEM;
	int error = exec_strings_count(user_arguments, &arguments);

	if (!error)
		error = exec_strings_count(user_environment, &environment);
	/* A program always has a name: Linux 5.18 and later. */
	strings->argument_count = arguments ? arguments : 1;
	strings->environment_count = environment;
	if (!error)
		error = exec_strings_reserve(strings, (strings->argument_count + environment) *
							      sizeof(uint64_t));
	if (!error)
		error = exec_strings_reserve(strings, strlen(name) + 1);
	if (!error)
		error = arguments ? exec_strings_add_array(strings, user_arguments, arguments) :
				    exec_strings_add(strings, "");
	return error ? error : exec_strings_add_array(strings, user_environment, environment);
}

/* Executes the program of REQUEST. */
static int execute(const struct exec_request *request, uintptr_t user_arguments,
		   uintptr_t user_environment)
{
	struct task *self = task_current();
	struct exec_strings *strings;
	struct exec_image image;
	struct dentry *executable;
	const char *reason = "its strings";

	if (!credentials_may_exec())
		return -EAGAIN;
	int error = copy_strings(user_arguments, user_environment, request->name, &strings);
	bool guarded = !error && (error = exec_guard_take()) == 0;

	if (guarded)
		error = exec_prepare(request, strings, &image, &executable, &reason);
	exec_strings_free(strings);
	if (error) {
		log_debug("execve %s: %s", request->name, reason);
	} else {
		error = process_kill_other_threads();
		if (error) {
			discard_image(&image);
			executable_put(executable);
		}
	}
	if (error && guarded)
		exec_guard_give();
	if (error)
		return error;
	pid_t former_tid = self->tid;

	commit(self, &image, executable);
	hook_task_executed(request->name, self, former_tid);
	return 0;
}

/* Sets REQUEST's start to descriptor FD: the program itself if the path is empty. */
static int begin_at(int fd, struct exec_request *request)
{
	if (request->path[0] || fd == AT_FDCWD)
		return path_start_find(fd, request->path, &request->start);
	struct file *file = fd_get_file(fd);
	int error = file ? 0 : -EBADF;

	if (file && !file->dentry)
		error = -EACCES;
	if (!error) {
		request->start = file->dentry;
		dentry_get(request->start);
	}
	if (file)
		file_put(file);
	return error;
}

/* Writes the path that execveat gives a program of PATH at FD into NAME, PATH_SIZE bytes. */
static void make_name(char *name, int fd, const char *path)
{
	if (fd == AT_FDCWD || path[0] == '/')
		strlcpy(name, path, PATH_SIZE);
	else
		format_string(name, PATH_SIZE, path[0] ? "/dev/fd/%d/%s" : "/dev/fd/%d", fd, path);
}

static long execute_at(int fd, const unsigned long arg[3], unsigned int flags)
{
	/* The path, and the name for the program. */
	char *path = kzalloc(2 * PATH_SIZE), *name = path + PATH_SIZE;
	struct exec_request request = { .path = path,
					.name = name,
					.follow = !(flags & AT_SYMLINK_NOFOLLOW) };

	if (!path)
		return -ENOMEM;
	long result = copy_string_from_user(path, (const char *)arg[0], PATH_SIZE);

	if (result == 0 && !(flags & AT_EMPTY_PATH))
		result = -ENOENT;
	if (result >= 0)
		result = begin_at(fd, &request);
	if (result >= 0) {
		make_name(name, fd, path);
		request.name_closes = fd != AT_FDCWD && path[0] != '/' && fd_get_cloexec(fd) == 1;
		result = execute(&request, arg[1], arg[2]);
		dentry_put(request.start);
	}
	kfree(path);
	return result;
}

long sys_execve(const unsigned long arg[6])
{
	return execute_at(AT_FDCWD, arg, 0);
}

long sys_execveat(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[4];

	if (flags & ~(unsigned int)(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW))
		return -EINVAL;
	return execute_at((int)arg[0], arg + 1, flags);
}
