/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access to user memory; see <kernel/mm/usercopy.h>. This file checks ranges; the ISA's copies survive
 * faults.
 */
#include <kernel/mm/usercopy.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <kernel/mm/user_range.h>
#include <kernel/sched/sched.h>
#include <uapi/linux/errno.h>

/* Long system calls move most data in copies at least this large; each may sleep, so each is a place to yield
 * the CPU. */
#define RELAX_SIZE 256

static void relax_after(size_t size)
{
	if (size >= RELAX_SIZE)
		sched_relax();
}

static bool in_user_space(const void *address, size_t size)
{
	struct user_range range;

	return user_range_make((uintptr_t)address, size, &range);
}

int copy_from_user(void *destination, const void *user_source, size_t size)
{
	if (!in_user_space(user_source, size) ||
	    arch_copy_user(destination, user_source, size) != 0)
		return -EFAULT;
	relax_after(size);
	return 0;
}

inline int copy_to_user(void *user_destination, const void *source, size_t size)
{
	if (!in_user_space(user_destination, size) ||
	    arch_copy_user(user_destination, source, size) != 0)
		return -EFAULT;
	relax_after(size);
	return 0;
}

int clear_user(void *user_destination, size_t size)
{
	if (!in_user_space(user_destination, size) || arch_clear_user(user_destination, size) != 0)
		return -EFAULT;
	relax_after(size);
	return 0;
}

int user_compare_exchange(uint32_t *user, uint32_t *expected, uint32_t desired)
{
	if (!in_user_space(user, sizeof(*user)) ||
	    arch_user_compare_exchange(user, expected, desired) != 0)
		return -EFAULT;
	return 0;
}

/* Copies in pieces that do not cross a page: the page after the string's end may not be mapped. */
long copy_string_from_user(char *destination, const char *user_source, size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t piece = PAGE_SIZE - ((uintptr_t)(user_source + done) & ~PAGE_MASK);

		if (piece > size - done)
			piece = size - done;
		if (copy_from_user(destination + done, user_source + done, piece) != 0)
			return -EFAULT;

		size_t length = strnlen(destination + done, piece);

		done += length;
		if (length < piece)
			return (long)done;
	}
	return -ENAMETOOLONG;
}
