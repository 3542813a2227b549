/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The initial stack of a new program.
 *
 * From the top down (System V ABI for x86-64, 3.4.1; order as in Linux): a zero word, the
 * program's path, the strings, the platform's name, 16 random bytes, the auxiliary vector, the
 * pointers to the environment and to the arguments, their count.
 */
#include <string.h>

#include <arch/exec.h>
#include <arch/signal.h>
#include <kernel/mm/page.h>
#include <kernel/mm/vm.h>
#include <kernel/random/random.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <kernel/task/vdso.h>
#include <uapi/asm/param.h>
#include <uapi/linux/auxvec.h>
#include <uapi/linux/rseq.h>

#include "exec.h"

/* Mapped below the strings and their table at once; the rest is mapped by growth. Linux: 128 KiB. */
#define STACK_INITIAL_SIZE ((size_t)128 << 10)
#define RANDOM_SIZE	   16
/* Pairs in the auxiliary vector, end included. */
#define AUXILIARY_MAX	   24

/* Writes below *SP and moves *SP down. */
static int push(struct vm_space *space, uintptr_t *sp, const void *bytes, size_t size)
{
	*sp -= size;
	return vm_write(space, *sp, bytes, size);
}

struct auxiliary {
	uint64_t type, value;
};

/* Fills VECTOR; returns the number of pairs. */
static size_t make_auxiliary(struct auxiliary *vector, const struct exec_image *image,
			     uintptr_t path, uintptr_t platform, uintptr_t random)
{
	const struct auxiliary all[] = {
		{ AT_SYSINFO_EHDR, image->vdso },
		{ AT_MINSIGSTKSZ, arch_signal_frame_size() },
		{ AT_HWCAP, arch_exec_hwcap() },
		{ AT_PAGESZ, PAGE_SIZE },
		{ AT_CLKTCK, HZ },
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
		{ AT_RSEQ_FEATURE_SIZE, RSEQ_FEATURE_SIZE },
		{ AT_RSEQ_ALIGN, RSEQ_ALIGN },
		{ AT_NULL, 0 },
	};

	_Static_assert(sizeof(all) / sizeof(all[0]) <= AUXILIARY_MAX, "vector too small");
	memcpy(vector, all, sizeof(all));
	return sizeof(all) / sizeof(all[0]);
}

/* Writes everything below the strings, which begin at STRINGS_AT. */
static int push_tables(struct exec_image *image, const struct exec_strings *strings, uintptr_t sp,
		       uintptr_t strings_at, uintptr_t path_at)
{
	struct auxiliary vector[AUXILIARY_MAX];
	char random[RANDOM_SIZE];
	size_t table_size = exec_strings_table_size(strings);

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
	/* Align the count to 16. */
	sp = ((sp - vector_size - table_size) & ~(uintptr_t)15) + vector_size + table_size;
	error = push(image->space, &sp, vector, vector_size);
	image->auxiliary_start = sp;
	image->auxiliary_end = sp + vector_size;
	sp -= table_size;
	image->arguments_start = strings_at;
	image->environment_end = strings_at + exec_strings_size(strings);
	if (!error)
		error = exec_strings_write_table(strings, image->space, sp, strings_at,
						 &image->environment_start);
	image->stack = sp;
	return error;
}

int exec_make_stack(struct exec_image *image, const char *path, const struct exec_strings *strings)
{
	static const uint64_t zero;
	struct vm_space *space = image->space;
	size_t strings_size = exec_strings_size(strings);
	size_t size =
		STACK_INITIAL_SIZE +
		((strings_size + exec_strings_table_size(strings) + PAGE_SIZE - 1) & PAGE_MASK);
	struct vm_request request = { .address = space->stack_top - size,
				      .size = size,
				      .prot = image->stack_prot,
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

	sp -= strings_size;
	if (!error)
		error = exec_strings_write(strings, space, sp);
	return error ? error : push_tables(image, strings, sp, sp, path_at);
}
