/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process_vm_readv, process_vm_writev: copying between the caller's memory and another process's,
 * without stopping it. Behaviour: Linux's process_vm_readv(2).
 *
 * Both sides are a cursor over a vector; the data goes through a page of kernel memory, so that neither
 * side's faults happen under the other's lock. The call returns the bytes copied; none is EFAULT.
 */
#include <kernel/base/syscall.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/user_range.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/exec_guard.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/uio.h>

/* Most bytes that one call moves: Linux's MAX_RW_COUNT. */
#define TRANSFER_MAX (0x7fffffffUL & ~4095UL)

/* A position in a vector. */
struct cursor {
	struct kernel_iovec *vector;
	size_t count;
	size_t index;	 /* of the current part */
	uint64_t offset; /* in it */
};

/* Reads the vector of COUNT parts at user ADDRESS; OWN: its parts lie in the caller's memory. 0, -EINVAL,
 * -EFAULT or -ENOMEM; *TOTAL is their bytes. */
static int import(struct cursor *cursor, unsigned long address, unsigned long count, bool own,
		  uint64_t *total)
{
	struct user_range range;

	*cursor = (struct cursor){ .count = count };
	*total = 0;
	if (count > IOV_MAX_COUNT)
		return -EINVAL;
	if (!count)
		return 0;
	cursor->vector = kzalloc(count * sizeof(cursor->vector[0]));
	if (!cursor->vector)
		return -ENOMEM;
	if (copy_from_user(cursor->vector, (const void *)address,
			   count * sizeof(cursor->vector[0])))
		return -EFAULT;
	for (size_t i = 0; i < count; i++)
		if ((int64_t)cursor->vector[i].iov_len < 0)
			return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		/* Linux cuts a single part first (__import_iovec). */
		if (own && count == 1 && cursor->vector[i].iov_len > TRANSFER_MAX)
			cursor->vector[i].iov_len = TRANSFER_MAX;
		if (own &&
		    !user_range_make(cursor->vector[i].iov_base, cursor->vector[i].iov_len, &range))
			return -EFAULT;
		*total += cursor->vector[i].iov_len;
		if ((int64_t)*total < 0)
			*total = INT64_MAX;
	}
	return 0;
}

/* Returns how many contiguous bytes follow the cursor; 0: it is at the end. */
static uint64_t next_part(struct cursor *cursor, uintptr_t *address)
{
	while (cursor->index < cursor->count &&
	       cursor->offset == cursor->vector[cursor->index].iov_len) {
		cursor->index++;
		cursor->offset = 0;
	}
	if (cursor->index == cursor->count)
		return 0;
	*address = cursor->vector[cursor->index].iov_base + cursor->offset;
	return cursor->vector[cursor->index].iov_len - cursor->offset;
}

/* Copies SIZE bytes, at most a page, between OWN memory and OTHER in SPACE; returns how many it could. */
static size_t copy_part(struct vm_space *space, uintptr_t own, uintptr_t other, char *buffer,
			size_t size, bool write)
{
	struct user_range range = user_range_clip(other, size);

	if (write)
		return copy_from_user(buffer, (const void *)own, size) ?
			       0 :
			       vm_access(space, range, buffer, VM_ACCESS_WRITE);
	size_t done = vm_access(space, range, buffer, VM_ACCESS_READ);

	return done && copy_to_user((void *)own, buffer, done) == 0 ? done : 0;
}

static long copy_all(struct vm_space *space, struct cursor *own, struct cursor *other, bool write)
{
	char *buffer = kzalloc(PAGE_SIZE);
	uintptr_t here = 0, there = 0;
	long done = 0;

	if (!buffer)
		return -ENOMEM;
	while (!signal_is_fatal_pending(task_current())) {
		uint64_t size = next_part(own, &here), other_size = next_part(other, &there);

		if (size > other_size)
			size = other_size;
		/* In pages of the other side, so that all accessible bytes are copied. */
		if (size > PAGE_SIZE - there % PAGE_SIZE)
			size = PAGE_SIZE - there % PAGE_SIZE;
		if (!size)
			break;
		size_t copied = copy_part(space, here, there, buffer, size, write);

		done += (long)copied;
		own->offset += copied;
		other->offset += copied;
		if (copied < size) {
			done = done ? done : -EFAULT;
			break;
		}
	}
	kfree(buffer);
	return done;
}

/* Returns the space of process PID, with a reference, in *SPACE. -ESRCH, -EPERM. */
static int find_space(pid_t pid, struct vm_space **space)
{
	struct task *task = task_find(pid);

	if (!task)
		return -ESRCH;
	int error = exec_get_space(task, PTRACE_AS_REAL, space);

	task_put(task);
	return error;
}

static long transfer(const unsigned long arg[6], bool write)
{
	struct cursor own = { 0 }, other = { 0 };
	struct vm_space *space = NULL;
	uint64_t own_size, other_size = 0;
	long result;

	if (arg[5])
		return -EINVAL;
	result = import(&own, arg[1], arg[2], true, &own_size);
	if (!result && own_size)
		result = import(&other, arg[3], arg[4], false, &other_size);
	if (!result && other_size)
		result = find_space((pid_t)arg[0], &space);
	if (!result && space)
		result = copy_all(space, &own, &other, write);
	if (space)
		vm_space_put(space);
	kfree(own.vector);
	kfree(other.vector);
	return result;
}

long sys_process_vm_readv(const unsigned long arg[6])
{
	return transfer(arg, false);
}

long sys_process_vm_writev(const unsigned long arg[6])
{
	return transfer(arg, true);
}
