/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls on the address space: they check their arguments and call the functions of
 * <kernel/mm/vm.h>. */
#include <kernel/base/log.h>
#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/mman.h>
#include <uapi/linux/stat.h>

#define PROT_ALL (PROT_READ | PROT_WRITE | PROT_EXEC)
/* Some ISAs lack it. */
#ifndef MAP_32BIT
#define MAP_32BIT 0
#endif

/* The flags that MAP_SHARED_VALIDATE accepts: Linux's LEGACY_MAP_MASK. */
#define VALIDATED_FLAGS                                                                          \
	(MAP_TYPE | MAP_FIXED | MAP_ANONYMOUS | MAP_32BIT | MAP_GROWSDOWN | MAP_DENYWRITE |      \
	 MAP_EXECUTABLE | MAP_LOCKED | MAP_NORESERVE | MAP_POPULATE | MAP_NONBLOCK | MAP_STACK | \
	 MAP_HUGETLB)

_Static_assert(PROT_READ == (int)VM_READ && PROT_WRITE == (int)VM_WRITE &&
		       PROT_EXEC == (int)VM_EXEC,
	       "protections are passed through");

long sys_brk(const unsigned long arg[6])
{
	return (long)vm_brk(task_current()->space, arg[0]);
}

/* Checks the flags and the file in Linux's order (ksys_mmap_pgoff, do_mmap). */
static int check_map(unsigned long flags, unsigned long offset, unsigned long size,
		     struct file *file)
{
	unsigned long type = flags & MAP_TYPE;

	if (offset & ~PAGE_MASK)
		return -EINVAL;
	if (!(flags & MAP_ANONYMOUS) && !file)
		return -EBADF;
	if (file && file_inode(file) && inode_type(file_inode(file)) == S_IFREG &&
	    (offset > INT64_MAX || size > INT64_MAX - offset))
		return -EOVERFLOW;
	/* There are never huge pages in reserve. */
	if (flags & MAP_HUGETLB)
		return -ENOMEM;
	if (type != MAP_SHARED && type != MAP_PRIVATE && type != MAP_SHARED_VALIDATE)
		return -EINVAL;
	if (type == MAP_SHARED_VALIDATE) {
		if (!file)
			return -EINVAL;
		if (flags & ~(unsigned long)VALIDATED_FLAGS)
			return -EOPNOTSUPP;
	}
	if ((flags & MAP_GROWSDOWN) && (type != MAP_PRIVATE || file))
		return -EINVAL;
	return 0;
}

long sys_mmap(const unsigned long arg[6])
{
	unsigned long flags = arg[3], offset = arg[5];
	struct file *file = flags & MAP_ANONYMOUS ? NULL : fd_get_opened((int)arg[4]);
	struct vm_request request = {
		.address = arg[0],
		.size = arg[1],
		.prot = (unsigned int)arg[2] & PROT_ALL,
		.fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE),
		.no_replace = flags & MAP_FIXED_NOREPLACE,
		.shared = (flags & MAP_TYPE) != MAP_PRIVATE,
		.grows_down = flags & MAP_GROWSDOWN,
		.no_reserve = flags & MAP_NORESERVE,
		.populate = (flags & (MAP_POPULATE | MAP_NONBLOCK)) == MAP_POPULATE,
		.locked = flags & MAP_LOCKED,
		.low_2gib = flags & MAP_32BIT,
		.file = file,
		.offset = file ? offset : 0,
	};
	long result = check_map(flags, offset, arg[1], file);

	if (!result)
		result = vm_map(task_current()->space, &request);
	if (file)
		file_put(file);
	return result;
}

static bool is_page_aligned(uintptr_t address)
{
	return !(address & ~PAGE_MASK);
}

long sys_munmap(const unsigned long arg[6])
{
	struct user_range range;

	if (!is_page_aligned(arg[0]) || !user_range_make(arg[0], arg[1], &range) || !arg[1])
		return -EINVAL;
	return vm_unmap(task_current()->space, user_range_pages(range));
}

long sys_mprotect(const unsigned long arg[6])
{
	unsigned long prot = arg[2];
	size_t size = pages_round_up(arg[1]);

	if ((prot & PROT_GROWSDOWN) && (prot & PROT_GROWSUP))
		return -EINVAL;
	if (!is_page_aligned(arg[0]))
		return -EINVAL;
	if (!arg[1])
		return 0;
	if (arg[0] + size <= arg[0])
		return -ENOMEM;
	if (prot & ~(unsigned long)(PROT_ALL | PROT_SEM | PROT_GROWSDOWN | PROT_GROWSUP))
		return -EINVAL;
	return vm_protect(task_current()->space, user_range_clip(arg[0], size), (unsigned int)prot);
}

long sys_mremap(const unsigned long arg[6])
{
	return vm_remap(task_current()->space, arg[0], arg[1], arg[2], arg[3], arg[4]);
}

/* Checks madvise's range; *SIZE becomes whole pages. Linux: is_valid_madvise. */
static int check_advice(uintptr_t address, size_t *size)
{
	size_t rounded = pages_round_up(*size);

	if (!is_page_aligned(address) || (*size && !rounded) || address + rounded < address)
		return -EINVAL;
	*size = rounded;
	return 0;
}

long sys_madvise(const unsigned long arg[6])
{
	int advice = (int)arg[2];
	size_t size = arg[1];
	/* Injecting memory errors takes a right that no task has here. */
	bool poisons = advice == MADV_HWPOISON || advice == MADV_SOFT_OFFLINE;
	int error;

	if (!poisons && !vm_advice_known(advice))
		return -EINVAL;
	error = check_advice(arg[0], &size);
	if (error || !size)
		return error;
	if (poisons)
		return -EPERM;
	return vm_advise(task_current()->space, user_range_clip(arg[0], size), advice);
}

/* Linux: do_mlock. */
static long lock(uintptr_t address, size_t size, bool lock, bool on_fault)
{
	uintptr_t start = address & PAGE_MASK;
	/* A size that wraps to 0 is an empty range. */
	size_t rounded = pages_round_up(size + (address - start));

	return vm_lock(task_current()->space, user_range_clip(start, rounded),
		       rounded >> PAGE_SHIFT, lock, on_fault);
}

long sys_mlock(const unsigned long arg[6])
{
	return lock(arg[0], arg[1], true, false);
}

long sys_mlock2(const unsigned long arg[6])
{
	if (arg[2] & ~(unsigned long)MLOCK_ONFAULT)
		return -EINVAL;
	return lock(arg[0], arg[1], true, arg[2]);
}

long sys_munlock(const unsigned long arg[6])
{
	return lock(arg[0], arg[1], false, false);
}

long sys_mlockall(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[0];

	if (!flags || (flags & ~(unsigned int)(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)) ||
	    flags == MCL_ONFAULT)
		return -EINVAL;
	return vm_lock_all(task_current()->space, flags);
}

long sys_munlockall(const unsigned long arg[6])
{
	return vm_lock_all(task_current()->space, 0);
}

/* Pages reported in one critical section of space->mutex. */
#define RESIDENT_BATCH 256

long sys_mincore(const unsigned long arg[6])
{
	size_t pages = pages_round_up(arg[1]) >> PAGE_SHIFT;
	unsigned char present[RESIDENT_BATCH];
	struct user_range range, vector;

	if (!is_page_aligned(arg[0]))
		return -EINVAL;
	if (!user_range_make(arg[0], arg[1], &range))
		return -ENOMEM;
	if (!user_range_make(arg[2], pages, &vector))
		return -EFAULT;
	range = user_range_pages(range);
	while (user_range_size(range)) {
		uintptr_t at = user_range_start(range);
		struct user_range batch = user_range_below(range, at + RESIDENT_BATCH * PAGE_SIZE);
		long count = vm_resident_vector(task_current()->space, batch, present);

		if (count < 0)
			return count;
		if (copy_to_user((void *)user_range_start(vector), present, (size_t)count))
			return -EFAULT;
		range = user_range_from(range, at + ((size_t)count << PAGE_SHIFT));
		vector = user_range_from(vector, user_range_start(vector) + (size_t)count);
	}
	return 0;
}

long sys_msync(const unsigned long arg[6])
{
	uintptr_t address = arg[0];
	size_t size = pages_round_up(arg[1]);
	unsigned int flags = (unsigned int)arg[2];

	if (flags & ~(unsigned int)(MS_ASYNC | MS_INVALIDATE | MS_SYNC))
		return -EINVAL;
	if (!is_page_aligned(address) || ((flags & MS_ASYNC) && (flags & MS_SYNC)))
		return -EINVAL;
	if (address + size < address)
		return -ENOMEM;
	return vm_sync(task_current()->space, user_range_clip(address, size), flags);
}
