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
#include <kernel/file.h>
#include <kernel/futex.h>
#include <kernel/inode.h>
#include <kernel/kmalloc.h>
#include <kernel/log.h>
#include <kernel/perf.h>
#include <kernel/process.h>
#include <kernel/random.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/usercopy.h>
#include <kernel/vm.h>
#include <uapi/linux/auxvec.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/personality.h>

#include "exec.h"

/* Mapped below the strings at once; the rest comes by growing. Linux: 128 KiB. */
#define STACK_INITIAL_SIZE ((size_t)128 << 10)
#define RANDOM_SIZE	   16
#define CLOCK_TICKS	   100
/* Of the first program, which nobody has set a limit for: Linux's default. */
#define EXEC_STACK_LIMIT_DEFAULT ((uint64_t)8 << 20)
/* Pairs in the auxiliary vector, end included. */
#define AUXILIARY_MAX	   24

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
		{ AT_UID, 0 },
		{ AT_EUID, 0 },
		{ AT_GID, 0 },
		{ AT_EGID, 0 },
		{ AT_SECURE, 0 },
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

	make_pointers(rest, &text, &address, strings->environment_count);
	/* The count ends up at a multiple of 16. */
	sp = ((sp - vector_size - words * sizeof(*table)) & ~(uintptr_t)15) + vector_size +
	     words * sizeof(*table);
	error = push(image->space, &sp, vector, vector_size);
	if (!error)
		error = push(image->space, &sp, table, words * sizeof(*table));
	kfree(table);
	image->stack = sp;
	return error;
}

/* Maps the stack and fills it. */
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

int exec_prepare(struct inode *start, const char *path, const struct exec_strings *strings,
		 struct exec_image *image, struct inode **executable, const char **reason)
{
	struct inode *inode;
	int error = inode_lookup(start, path, true, &inode);

	*image = (struct exec_image){ 0 };
	if (error) {
		*reason = "no such file";
		return error;
	}
	if ((inode->mode & S_IFMT) != S_IFREG || !(inode->mode & 0111)) {
		*reason = "not a file with permission to execute";
		return -EACCES;
	}
	image->space = vm_space_create();
	if (!image->space) {
		*reason = "not enough memory";
		return -ENOMEM;
	}
	lay_out(image->space);
	error = elf_load(inode, image, reason);
	if (!error) {
		error = make_stack(image, path, strings);
		*reason = "no room for its stack";
	}
	if (error)
		vm_space_put(image->space);
	*executable = inode;
	return error;
}

void exec_set_name(struct task *task, struct inode *executable)
{
	struct process *process = task->process;
	size_t size = executable->name_size < TASK_COMM_SIZE ? executable->name_size :
							       TASK_COMM_SIZE - 1;

	memset(task->comm, 0, sizeof(task->comm));
	memcpy(task->comm, executable->name, size);
	process->executable = executable;
	if (inode_path(executable, process->executable_path, EXE_PATH_SIZE) < 0)
		process->executable_path[0] = '\0';
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

	if (leader == self)
		return;
	task_get(self);
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	task_table_remove(self);
	task_table_replace(leader, self);
	process->leader = self;
	spin_unlock_irqrestore(&task_table_lock, state);
	task_put(leader);
}

/* From here on there is only the new program. */
static void commit(struct task *self, struct exec_image *image, struct inode *executable)
{
	become_leader(self);
	robust_list_release(self);
	task_release_space(self);
	process_apply_limits(self->process, image->space);
	vm_space_switch(image->space);
	if (file_table_is_shared(self->files)) {
		struct file_table *own = file_table_copy(self->files);

		if (!own)
			process_exit(SIGKILL);
		file_table_put(self->files);
		self->files = own;
	}
	file_table_close_on_exec(self->files);
	signal_reset_for_exec(self->process);
	self->process->has_executed = true;
	self->signals.alternate = (struct kernel_sigaltstack){ .ss_flags = SS_DISABLE };
	self->clear_child_tid = 0;
	self->robust_list = 0;
	exec_set_name(self, executable);
	arch_task_set_program(arch_task_user_frame(self), image->entry, image->stack);
	perf_task_exec(self);
	perf_task_renamed(self, true);
}

/* execve with all copies made. */
static int execute(const char *path, const struct exec_strings *strings)
{
	struct task *self = task_current();
	struct exec_image image;
	struct inode *executable;
	const char *reason = "";
	int error =
		exec_prepare(self->process->directory, path, strings, &image, &executable, &reason);

	if (error) {
		log_debug("execve %s: %s", path, reason);
		return error;
	}
	error = process_kill_other_threads();
	if (error) {
		vm_space_put(image.space);
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
