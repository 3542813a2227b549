/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vectors: memory in several parts, of the running program or of the kernel, read or written from its
 * beginning on.
 *
 * A vector belongs to one task. Source of the limits: readv(2).
 */
#ifndef KERNEL_VECTOR_H
#define KERNEL_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uapi/linux/uio.h>

/* Parts that fit into the vector itself. */
#define VECTOR_INLINE_PARTS 8

struct vector {
	struct kernel_iovec *parts; /* from the current one on */
	size_t offset;		    /* in the current part, bytes */
	size_t left;		    /* bytes up to the end of the last part */
	bool kernel;		    /* memory of the kernel */
	struct kernel_iovec inline_parts[VECTOR_INLINE_PARTS];
	struct kernel_iovec *allocated; /* or NULL */
};

/* Makes VECTOR the SIZE bytes at MEMORY. Any context. */
void vector_init(struct vector *vector, uintptr_t memory, size_t size, bool kernel);

/* Makes VECTOR the COUNT (0 … IOV_MAX_COUNT) parts that the program describes at USER_PARTS, as far as one
 * call may move. 0, -EFAULT, -EINVAL (a negative size), -ENOMEM. After 0, call vector_finish. Task
 * context. */
int vector_import(struct vector *vector, uintptr_t user_parts, size_t count);
void vector_finish(struct vector *vector);

/* Copy the next SIZE bytes (at most those left) from VECTOR, or to it, and move on. 0; -EFAULT: VECTOR is
 * unchanged. Task context, as for copy_from_user. */
int vector_copy_from(struct vector *vector, void *destination, size_t size);
int vector_copy_to(struct vector *vector, const void *source, size_t size);

#endif
