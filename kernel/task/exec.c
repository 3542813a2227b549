/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starting a program: execve, and the stack that a new program finds.
 *
 * The new address space is made whole before the old one is touched, so an execve that fails
 * leaves the caller as it was. After that nothing can fail but the task being killed meanwhile.
 *
 * Stack, from the top down (System V ABI for x86-64, 3.4.1; order as in Linux): a zero word, the
 * program's path, the strings, the platform's name, 16 random bytes, the auxiliary vector, the
 * pointers to the environment and to the arguments, their count.
 */
#include <string.h>

#include <arch/exec.h>
#include <arch/signal.h>
#include <kernel/credentials.h>
#include <kernel/file.h>
#include <kernel/futex.h>
#include <kernel/dentry.h>
#include <kernel/inode.h>
#include <kernel/kmalloc.h>
#include <kernel/log.h>
#include <kernel/perf.h>
#include <kernel/process.h>
#include <kernel/process_timers.h>
#include <kernel/ptrace.h>
#include <kernel/random.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/usercopy.h>
#include <kernel/vdso.h>
#include <kernel/vm.h>
#include <uapi/linux/auxvec.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/personality.h>

#include "exec.h"

/* Mapped below the strings at once; the rest comes by growing. Linux: 128 KiB. */
#define STACK_INITIAL_SIZE	 ((size_t)128 << 10)
#define RANDOM_SIZE		 16
#define CLOCK_TICKS		 100
/* Of the first program, which nobody has set a limit for: Linux's default. */
#define EXEC_STACK_LIMIT_DEFAULT ((uint64_t)8 << 20)
/* Pairs in the auxiliary vector, end included. */
#define AUXILIARY_MAX		 24

int exec_strings_add(struct exec_strings *strings, const char *text)
{
	size_t size = strlen(text) + 1;

	if (size > EXEC_STRINGS_MAX - strings->size)
		return -E2BIG;
	memcpy(strings->bytes + strings->size, text, size);
	strings->size += size;
	return 0;
}

/* Writes below *SP; *SP is where it begins then. */
static int push(struct vm_space *space, uintptr_t *sp, const void *bytes, size_t size)
{
	*sp -= size;
	return vm_write(space, *sp, bytes, size);
}

struct auxiliary {
	uint64_t type, value;
};

/* Fills VECTOR; returns how many pairs. */
static size_t make_auxiliary(struct auxiliary *vector, const struct exec_image *image,
			     uintptr_t path, uintptr_t platform, uintptr_t random)
{
	const struct auxiliary all[] = {
		{ AT_SYSINFO_EHDR, image->vdso },
		{ AT_MINSIGSTKSZ, arch_signal_frame_size() },
		{ AT_HWCAP, arch_exec_hwcap() },
		{ AT_PAGESZ, PAGE_SIZE },
		{ AT_CLKTCK, CLOCK_TICKS },
		{ AT_PHDR, image->program_headers },
		{ AT_PHENT, sizeof(Elf64_Phdr) },
		{ AT_PHNUM, image->program_header_count },
		{ AT_BASE, image->interpreter_base },
		{ AT_FLAGS, 0 },
		{ AT_ENTRY, image->program_entry },
		{ AT_UID, image->credentials->uid },
		{ AT_EUID, image->credentials->euid },
		{ AT_GID, image->credentials->gid },
		{ AT_EGID, image->credentials->egid },
		{ AT_SECURE, image->secure },
		{ AT_RANDOM, random },
		{ AT_HWCAP2, arch_exec_hwcap2() },
		{ AT_EXECFN, path },
		{ AT_PLATFORM, platform },
		{ AT_NULL, 0 },
	};

	_Static_assert(sizeof(all) / sizeof(all[0]) <= AUXILIARY_MAX, "vector too small");
	memcpy(vector, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

/* Fills POINTERS with the addresses of COUNT strings, the first of which is at *ADDRESS, and a
 * NULL. */
static uint64_t *make_pointers(uint64_t *pointers, const char **text, uintptr_t *address,
			       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(*text) + 1;

		*pointers++ = *address;
		*address += size;
		*text += size;
	}
	*pointers++ = 0;
	return pointers;
}

/* Everything below the strings, which begin at STRINGS_AT. */
static int push_tables(struct exec_image *image, const struct exec_strings *strings, uintptr_t sp,
		       uintptr_t strings_at, uintptr_t path_at)
{
	struct auxiliary vector[AUXILIARY_MAX];
	char random[RANDOM_SIZE];
	size_t words = 1 + strings->argument_count + 1 + strings->environment_count + 1;

	sp = (sp - vm_stack_shift(image->space)) & ~(uintptr_t)15;
	random_bytes(random, sizeof(random));
	int error = push(image->space, &sp, ARCH_PLATFORM, sizeof(ARCH_PLATFORM));
	uintptr_t platform_at = sp;

	if (!error)
		error = push(image->space, &sp, random, sizeof(random));
	if (error)
		return error;
	size_t pairs = make_auxiliary(vector, image, path_at, platform_at, sp);
	size_t vector_size = pairs * sizeof(vector[0]);
	uint64_t *table = kzalloc(words * sizeof(*table));

	if (!table)
		return -ENOMEM;
	const char *text = strings->bytes;
	uintptr_t address = strings_at;

	table[0] = strings->argument_count;
	uint64_t *rest = make_pointers(table + 1, &text, &address, strings->argument_count);

	image->arguments_start = strings_at;
	image->environment_start = address;
	make_pointers(rest, &text, &address, strings->environment_count);
	image->environment_end = address;
	/* The count ends up at a multiple of 16. */
	sp = ((sp - vector_size - words * sizeof(*table)) & ~(uintptr_t)15) + vector_size +
	     words * sizeof(*table);
	error = push(image->space, &sp, vector, vector_size);
	image->auxiliary_start = sp;
	image->auxiliary_end = sp + vector_size;
	if (!error)
		error = push(image->space, &sp, table, words * sizeof(*table));
	kfree(table);
	image->stack = sp;
	return error;
}

/* Maps the stack and the vDSO, and fills the stack. */
static int make_stack(struct exec_image *image, const char *path,
		      const struct exec_strings *strings)
{
	static const uint64_t zero;
	struct vm_space *space = image->space;
	size_t size = STACK_INITIAL_SIZE + EXEC_STRINGS_MAX;
	struct vm_request request = { .address = space->stack_top - size,
				      .size = size,
				      .prot = VM_READ | VM_WRITE,
				      .fixed = true,
				      .no_replace = true,
				      .grows_down = true };
	long result = vm_map(space, &request);

	if (result < 0)
		return (int)result;
	result = vdso_map(space);
	if (result < 0)
		return (int)result;
	image->vdso = (uintptr_t)result;
	uintptr_t sp = space->stack_top;
	int error = push(space, &sp, &zero, sizeof(zero));

	if (!error)
		error = push(space, &sp, path, strlen(path) + 1);
	uintptr_t path_at = sp;

	if (!error)
		error = push(space, &sp, strings->bytes, strings->size);
	return error ? error : push_tables(image, strings, sp, sp, path_at);
}

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

int exec_open(struct dentry *start, const char *path, struct dentry **executable,
	      struct file **file, const char **reason)
{
	int error = path_lookup(start, path, LOOKUP_FOLLOW, executable);

	if (error) {
		*reason = "no such file";
		return error;
	}
	const struct inode *inode = (*executable)->inode;

	if (inode_type(inode) != S_IFREG || inode_permission(inode, X_OK) < 0) {
		*reason = "not a file with permission to execute";
		error = -EACCES;
	} else {
		error = dentry_open(*executable, O_RDONLY, file);
		*reason = "it cannot be opened";
	}
	if (error)
		dentry_put(*executable);
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
	image->dumpable = new->euid == new->uid && new->egid == new->gid &&
			  inode_permission(inode, R_OK) == 0;
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
		error = make_stack(image, path, strings);
		*reason = "no room for its stack";
	}
	if (error)
		discard_image(image);
	return error;
}

/* Most interpreters in a row, and most of a script's first line that is looked at: Linux's
 * BINPRM_BUF_SIZE. */
#define INTERPRETERS_MAX 5
#define LINE_SIZE	 256

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The word of LINE behind its blanks, terminated; *LINE moves behind it. NULL: there is none. */
static char *take_word(char **line)
{
	char *word = *line;

	while (is_blank(*word))
		word++;
	if (!*word)
		return NULL;
	char *end = word;

	while (*end && !is_blank(*end))
		end++;
	*line = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

/* Puts the words A, B (NULL: none) and C in the place of the first argument. 0 or -E2BIG. */
static int replace_first(struct exec_strings *strings, const char *a, const char *b, const char *c)
{
	const char *const words[] = { a, b, c };
	size_t old = strings->argument_count ? strlen(strings->bytes) + 1 : 0, new = 0;

	for (size_t i = 0; i < 3; i++)
		new += words[i] ? strlen(words[i]) + 1 : 0;
	if (strings->size - old + new > EXEC_STRINGS_MAX)
		return -E2BIG;
	memmove(strings->bytes + new, strings->bytes + old, strings->size - old);
	char *at = strings->bytes;

	for (size_t i = 0; i < 3; i++) {
		if (!words[i])
			continue;
		memcpy(at, words[i], strlen(words[i]) + 1);
		at += strlen(words[i]) + 1;
	}
	strings->size += new - old;
	strings->argument_count += (b ? 3 : 2) - (strings->argument_count ? 1 : 0);
	return 0;
}

/* If FILE, at PATH, is a script: the arguments become those of its interpreter, whose path goes into
 * LINE, LINE_SIZE bytes. 1: it is one, 0: it is none, or -ENOEXEC, -E2BIG. As Linux's load_script. */
static int read_script(struct file *file, const char *path, struct exec_strings *strings,
		       char *line)
{
	ssize_t size = file_read_for_kernel(file, line, LINE_SIZE - 1, 0);

	if (size < 2 || line[0] != '#' || line[1] != '!')
		return 0;
	line[size] = '\0';
	char *end = memchr(line, '\n', (size_t)size), *rest = line + 2;

	/* A line that goes on beyond what is looked at must at least end its first word here. */
	if (!end && size == LINE_SIZE - 1) {
		char *at = rest;

		while (is_blank(*at))
			at++;
		while (*at && !is_blank(*at))
			at++;
		if (!*at)
			return -ENOEXEC;
	}
	if (end)
		*end = '\0';
	for (end = line + strlen(line); end > rest && is_blank(end[-1]); end--)
		end[-1] = '\0';
	char *interpreter = take_word(&rest), *argument = rest;

	if (!interpreter)
		return -ENOEXEC;
	while (is_blank(*argument))
		argument++;
	int error = replace_first(strings, interpreter, *argument ? argument : NULL, path);

	memmove(line, interpreter, strlen(interpreter) + 1);
	return error ? error : 1;
}

int exec_prepare(struct dentry *start, const char *path, struct exec_strings *strings,
		 struct exec_image *image, struct dentry **executable, const char **reason)
{
	/* Two: a script's name may be in the line of the one before. */
	char *lines = kzalloc(2 * LINE_SIZE);
	const char *program = path, *slash = strrchr(path, '/');
	struct file *file;
	int error = lines ? 0 : -ENOMEM, script = 1;

	*image = (struct exec_image){ 0 };
	strlcpy(image->name, slash ? slash + 1 : path, sizeof(image->name));
	for (unsigned int depth = 0; !error && script; depth++) {
		char *line = lines + depth % 2 * LINE_SIZE;

		if (depth > INTERPRETERS_MAX) {
			*reason = "a script whose interpreter is a script, and so on";
			error = -ELOOP;
			break;
		}
		error = exec_open(start, program, executable, &file, reason);
		if (error)
			break;
		script = read_script(file, program, strings, line);
		if (script > 0) {
			program = line;
		} else {
			error = script ? script : make_image(file, path, strings, image, reason);
			if (script)
				*reason = "a script without an interpreter";
		}
		file_put(file);
		if (error || script)
			dentry_put(*executable);
	}
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
	if (child->executable)
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
		dentry_put(executable);
}

void exec_set_name(struct task *task, const struct exec_image *image, struct dentry *executable)
{
	struct process *process = task->process;

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
		dentry_put(old);
}

/* Adds the strings that the array of pointers at USER_ARRAY names; *COUNT of them. */
static int copy_strings(struct exec_strings *strings, uintptr_t user_array, size_t *count)
{
	for (;;) {
		uint64_t pointer;

		if (!user_array)
			return 0;
		if (copy_from_user(&pointer, (void *)(user_array + *count * sizeof(pointer)),
				   sizeof(pointer)))
			return -EFAULT;
		if (!pointer)
			return 0;
		if (signal_is_fatal_pending(task_current()))
			return -EINTR;
		long length = copy_string_from_user(strings->bytes + strings->size,
						    (const char *)pointer,
						    EXEC_STRINGS_MAX - strings->size);

		if (length < 0)
			return length == -ENAMETOOLONG ? -E2BIG : (int)length;
		strings->size += (size_t)length + 1;
		(*count)++;
	}
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

/* A program with more privileges is not to be given a layout of memory by a huge stack. As Linux. */
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
	robust_list_release(self);
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
	exec_set_name(self, image, executable);
	arch_task_set_program(arch_task_user_frame(self), image->entry, image->stack);
	perf_task_exec(self);
	perf_task_renamed(self, true);
	ptrace_exec(former_tid);
}

/* execve with all copies made. */
static int execute(const char *path, struct exec_strings *strings)
{
	struct task *self = task_current();
	struct exec_image image;
	struct dentry *executable, *start = process_get_directory();
	const char *reason = "";
	int error = exec_prepare(start, path, strings, &image, &executable, &reason);

	dentry_put(start);

	if (error) {
		log_debug("execve %s: %s", path, reason);
		return error;
	}
	error = process_kill_other_threads();
	if (error) {
		discard_image(&image);
		dentry_put(executable);
		return error;
	}
	commit(self, &image, executable);
	return 0;
}

long sys_execve(const unsigned long arg[6])
{
	struct exec_strings strings = { .bytes = kzalloc(EXEC_STRINGS_MAX) };
	char *path = kzalloc(PATH_SIZE);
	long result = strings.bytes && path ? 0 : -ENOMEM;

	if (!result) {
		result = copy_string_from_user(path, (const char *)arg[0], PATH_SIZE);
		result = result < 0 ? result : 0;
	}
	if (!result)
		result = copy_strings(&strings, arg[1], &strings.argument_count);
	/* A program always has a name: Linux 5.18 and later. */
	if (!result && strings.argument_count == 0) {
		result = exec_strings_add(&strings, "");
		strings.argument_count = 1;
	}
	if (!result)
		result = copy_strings(&strings, arg[2], &strings.environment_count);
	if (!result)
		result = execute(path, &strings);
	kfree(strings.bytes);
	kfree(path);
	return result;
}
