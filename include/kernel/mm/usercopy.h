/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access to user memory: the only way. Every function checks that the whole range lies in user space
 * and survives a fault at any byte (exception table); none of them trusts anything.
 */
#ifndef KERNEL_USERCOPY_H
#define KERNEL_USERCOPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arch/usercopy.h>

/* The address of MEMBER in the TYPE at ADDRESS of user memory. ADDRESS may be misaligned for TYPE, so a
 * pointer to TYPE must not be used. */
#define USER_MEMBER(address, type, member) ((void *)((uintptr_t)(address) + offsetof(type, member)))

/* Task context, interrupts on (a fault may sleep). 0, or -EFAULT (then it is unknown how
 * much was copied). */
int copy_from_user(void *destination, const void *user_source, size_t size);
int copy_to_user(void *user_destination, const void *source, size_t size);
int clear_user(void *user_destination, size_t size);

/* The same, but not USER means kernel memory: for code that serves programs and the kernel alike. */
static inline int copy_from(void *destination, const void *source, size_t size, bool user)
{
	if (user)
		return copy_from_user(destination, source, size);
	memcpy(destination, source, size);
	return 0;
}

static inline int copy_to(void *destination, const void *source, size_t size, bool user)
{
	if (user)
		return copy_to_user(destination, source, size);
	memcpy(destination, source, size);
	return 0;
}

/* Stores DESIRED at USER, aligned, if *EXPECTED is there, in one atomic step; *EXPECTED becomes what was
 * there, unchanged on success. Context as above. 0, -EFAULT. */
int user_compare_exchange(uint32_t *user, uint32_t *expected, uint32_t desired);

/* Copies a string of at most SIZE bytes with its end; returns its length without it, -EFAULT, or
 * -ENAMETOOLONG. */
long copy_string_from_user(char *destination, const char *user_source, size_t size);

#endif
