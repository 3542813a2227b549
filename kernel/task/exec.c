/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starting a program: execve, and the stack that a new program finds.
 *
 * The new address space is made whole before the old one is touched, so an execve that fails
 * leaves the caller as it was. After that nothing can fail but the task being killed meanwhile.
 *
 * Not here: the strings (exec_strings.c), scripts (exec_script.c), the stack (exec_stack.c),
 * segments and the dynamic loader (elf.c).
 */
#include <string.h>

#include <arch/exec.h>
#include <arch/ptrace.h>
#include <arch/signal.h>
#include <kernel/credentials.h>
#include <kernel/file.h>
#include <kernel/futex.h>
#include <kernel/dentry.h>
#include <kernel/inode.h>
#include <kernel/kmalloc.h>
#include <kernel/log.h>
#include <kernel/path_view.h>
#include <kernel/perf.h>
#include <kernel/process.h>
#include <kernel/process_timers.h>
#include <kernel/ptrace.h>
#include <kernel/random.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/trace/sched.h>
#include <kernel/usercopy.h>
#include <kernel/vdso.h>
#include <kernel/vm.h>
#include <uapi/linux/auxvec.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/personality.h>

#include "exec.h"

/* Of the first program, which nobody has set a limit for: Linux's default. */
#define EXEC_STACK_LIMIT_DEFAULT ((uint64_t)8 << 20)
/* Most interpreters in a row. */
#define INTERPRETERS_MAX	 5

/* The running task's wishes about where things lie go over to its program. */
static void lay_out(struct vm_space *space)
{
	const struct process *process = task_current()->process;
	bool randomized = vm_layout_randomized() &&
			  !(process && (process->personality & ADDR_NO_RANDOMIZE));

	vm_lay_out(space,
		   process ? process->limits[RLIMIT_STACK].rlim_cur : EXEC_STACK_LIMIT_DEFAULT,
		   randomized);
}

void executable_put(struct dentry *executable)
{
	inode_end_program(executable->inode);
	dentry_put(executable);
}

/* The dentry that REQUEST means, with a reference. */
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
		*reason = "somebody is writing it";
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

/* Who the program in INODE will be. */
static int decide_credentials(const struct inode *inode, struct exec_image *image)
{
	int error = credentials_for_exec(inode->mode, inode->uid, inode->gid, &image->credentials,
					 &image->secure);

	if (error)
		return error;
	const struct credentials *new = image->credentials;

	/* What could not be read as a file is not to be read from memory either. */
	image->dumpable = new->euid == new->uid &&new->egid ==
			  new->gid &&inode_permission(inode, R_OK) == 0;
	return 0;
}

/* Frees what a program that will not run has been given. */
static void discard_image(struct exec_image *image)
{
	if (image->credentials)
		credentials_abort(image->credentials);
	vm_space_put(image->space);
}

/* A space for FILE's program, filled. */
static int make_image(struct file *file, const char *path, const struct exec_strings *strings,
		      struct exec_image *image, const char **reason)
{
	image->space = vm_space_create();
	if (!image->space) {
		*reason = "not enough memory";
		return -ENOMEM;
	}
	lay_out(image->space);
	int error = decide_credentials(file_inode(file), image);

	*reason = "not enough memory";
	if (!error)
		error = elf_load(file, image, reason);
	if (!error) {
		error = exec_make_stack(image, path, strings);
		*reason = "no room for its stack";
	}
	if (error)
		discard_image(image);
	return error;
}

/* Makes an image of the program at REQUEST, or of the interpreters that scripts name, into
 * LINES, one after the other. */
static int follow_scripts(struct exec_request *request, struct exec_strings *strings, char *lines,
			  struct exec_image *image, struct dentry **executable, const char **reason)
{
	const char *name = request->name, *told = name;
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
		script = exec_read_script(file, told, strings, line);
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
		told = line;
		*request =
			(struct exec_request){ .start = directory, .path = line, .follow = true };
	}
	return error;
}

int exec_prepare(const struct exec_request *request, struct exec_strings *strings,
		 struct exec_image *image, struct dentry **executable, const char **reason)
{
	/* Two: a script's name may be in the line of the one before. */
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
	/* It cannot be refused: the parent runs it already. */
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

void exec_set_name(struct task *task, const struct exec_image *image, struct dentry *executable)
{
	struct process *process = task->process;

	trace_task_rename(task, image->name);
	memcpy(task->comm, image->name, sizeof(task->comm));
	mutex_lock(&tree_mutex);
	struct dentry *old = process->executable;

	process->executable = executable;
	process->arguments_start = image->arguments_start;
	process->environment_start = image->environment_start;
	process->environment_end = image->environment_end;
	process->auxiliary_start = image->auxiliary_start;
	process->auxiliary_end = image->auxiliary_end;
	mutex_unlock(&tree_mutex);
	if (old)
		executable_put(old);
}

/* The running task, alone in its process, becomes the process's leader if it is not. */
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

/* A program with more privileges is not to be given a layout of memory by a huge stack. As
 * Linux. */
static void cut_stack_limit(struct process *process)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct rlimit64 *limit = &process->limits[RLIMIT_STACK];

	if (limit->rlim_cur > EXEC_STACK_LIMIT_DEFAULT)
		limit->rlim_cur = EXEC_STACK_LIMIT_DEFAULT;
	spin_unlock_irqrestore(&task_table_lock, state);
}

/* From here on there is only the new program. */
static void commit(struct task *self, struct exec_image *image, struct dentry *executable)
{
	pid_t former_tid = self->tid;

	become_leader(self);
	futex_exit(self, false);
	usage_note_space(self->process, self->space);
	task_release_space(self);
	if (image->secure)
		cut_stack_limit(self->process);
	process_apply_limits(self->process, image->space);
	vm_space_switch(image->space);
	if (file_table_is_shared(self->files)) {
		struct file_table *own = file_table_copy(self->files);

		if (!own)
			process_exit(SIGKILL);
		file_table_switch(own);
	}
	/* First: who sees its descriptors close knows. */
	self->process->has_executed = true;
	/* Whatever clone was told: a new program does not know it (Linux: begin_new_exec). */
	self->process->exit_signal = SIGCHLD;
	file_table_close_on_exec(self->files);
	if (signal_reset_for_exec(self->process))
		process_exit(SIGKILL);
	process_timers_exec(self->process);
	self->process->dumpable = image->dumpable;
	credentials_commit(image->credentials);
	self->signals.alternate = (struct kernel_sigaltstack){ .ss_flags = SS_DISABLE };
	self->clear_child_tid = 0;
	self->robust_list = 0;
	rseq_exec();
	exec_set_name(self, image, executable);
	arch_ptrace_end(self);
	arch_task_set_program(arch_task_user_frame(self), image->entry, image->stack);
	perf_task_exec(self);
	perf_task_renamed(self, true);
	vm_report_program(self->space, executable->inode);
	ptrace_exec(former_tid);
}

/* The strings that a program gets from the arrays at USER_ARGUMENTS and USER_ENVIRONMENT, in
 * *RESULT, which is to be freed even if it fails. */
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

/* execve of what REQUEST means. */
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

	if (!error)
		error = exec_prepare(request, strings, &image, &executable, &reason);
	exec_strings_free(strings);
	if (error) {
		log_debug("execve %s: %s", request->name, reason);
		return error;
	}
	error = process_kill_other_threads();
	if (error) {
		discard_image(&image);
		executable_put(executable);
		return error;
	}
	pid_t former_tid = self->tid;

	commit(self, &image, executable);
	trace_sched_exec(request->name, self, former_tid);
	return 0;
}

/* Descriptor FD as what REQUEST begins at: the program itself if the path is empty. */
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

/* What execveat tells a program of PATH at FD, into NAME, PATH_SIZE bytes: a path that leads
 * there. */
static void make_name(char *name, int fd, const char *path)
{
	if (fd == AT_FDCWD || path[0] == '/')
		strlcpy(name, path, PATH_SIZE);
	else
		format_string(name, PATH_SIZE, path[0] ? "/dev/fd/%d/%s" : "/dev/fd/%d", fd, path);
}

static long execute_at(int fd, const unsigned long arg[3], unsigned int flags)
{
	/* The path, and what the program is told of it. */
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
