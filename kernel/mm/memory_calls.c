/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls on the address space: their arguments, as the functions of <kernel/vm.h> want
 * them. */
#include <kernel/file.h>
#include <kernel/log.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/vm.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/mman.h>

#define PROT_ALL (PROT_READ | PROT_WRITE | PROT_EXEC)
/* What MAP_SHARED_VALIDATE accepts: Linux's LEGACY_MAP_MASK. */
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

/* The flags and the file, checked in Linux's order (ksys_mmap_pgoff, do_mmap). */
static int check_map(unsigned long flags, unsigned long offset, struct file *file)
{
	unsigned long type = flags & MAP_TYPE;

	if (offset & ~PAGE_MASK)
		return -EINVAL;
	if (!(flags & MAP_ANONYMOUS) && !file)
		return -EBADF;
	/* No huge pages are reserved, ever. */
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
	struct file *file = flags & MAP_ANONYMOUS ? NULL : fd_get_file((int)arg[4]);
	struct vm_request request = {
		.address = arg[0],
		.size = arg[1],
		.prot = (unsigned int)arg[2] & PROT_ALL,
		.fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE),
		.no_replace = flags & MAP_FIXED_NOREPLACE,
		.shared = (flags & MAP_TYPE) != MAP_PRIVATE,
		.grows_down = flags & MAP_GROWSDOWN,
		.no_reserve = flags & MAP_NORESERVE,
		.populate = (flags & (MAP_POPULATE | MAP_NONBLOCK)) == MAP_POPULATE ||
			    (flags & MAP_LOCKED),
		.file = file,
		.offset = file ? offset : 0,
	};
	long result = check_map(flags, offset, file);

	if (!result)
		result = vm_map(task_current()->space, &request);
	if (file)
		file_put(file);
	return result;
}

long sys_munmap(const unsigned long arg[6])
{
	return vm_unmap(task_current()->space, arg[0], arg[1]);
}

long sys_mprotect(const unsigned long arg[6])
{
	unsigned long prot = arg[2];

	/* Only for areas that grow up or down as a whole, which Linux supports for stacks alone. */
	if (prot & ~(unsigned long)PROT_ALL)
		return -EINVAL;
	return vm_protect(task_current()->space, arg[0], arg[1], (unsigned int)prot);
}

long sys_mremap(const unsigned long arg[6])
{
	uintptr_t address = arg[0];
	size_t old_size = (arg[1] + PAGE_SIZE - 1) & PAGE_MASK;
	size_t new_size = (arg[2] + PAGE_SIZE - 1) & PAGE_MASK;

	if ((address & ~PAGE_MASK) || !new_size)
		return -EINVAL;
	/* Shrinking in place is what it has in common with munmap; growing and moving are not
	 * there. */
	if (arg[3] || new_size > old_size)
		return -ENOMEM;
	if (new_size == old_size)
		return vm_is_mapped(task_current()->space, address, old_size) ? (long)address :
										-EFAULT;
	int error = vm_unmap(task_current()->space, address + new_size, old_size - new_size);

	return error ? error : (long)address;
}

long sys_madvise(const unsigned long arg[6])
{
	struct vm_space *space = task_current()->space;
	uintptr_t address = arg[0];
	size_t size = (arg[1] + PAGE_SIZE - 1) & PAGE_MASK;
	int advice = (int)arg[2];

	if ((address & ~PAGE_MASK) || (arg[1] && !size) || address + size < address)
		return -EINVAL;
	switch (advice) {
	case MADV_DONTNEED:
		return vm_discard(space, address, size);
	case MADV_DONTFORK:
	case MADV_DOFORK:
		return vm_set_dont_copy(space, address, size, advice == MADV_DONTFORK);
	/* Hints: whoever gives one is promised nothing. */
	case MADV_NORMAL:
	case MADV_RANDOM:
	case MADV_SEQUENTIAL:
	case MADV_WILLNEED:
	case MADV_FREE:
	case MADV_HUGEPAGE:
	case MADV_NOHUGEPAGE:
	case MADV_DONTDUMP:
	case MADV_DODUMP:
	case MADV_COLD:
	case MADV_PAGEOUT:
		return !size || vm_is_mapped(space, address, size) ? 0 : -ENOMEM;
	default:
		return -EINVAL;
	}
}
