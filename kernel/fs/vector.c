/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of memory, see <kernel/fs/vector.h>. */
#include <kernel/fs/vector.h>

#include <string.h>

#include <kernel/base/assert.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/user_range.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>

/* Most bytes that one call moves: Linux's MAX_RW_COUNT. */
#define TRANSFER_MAX (0x7fffffffUL & ~4095UL)

void vector_init(struct vector *vector, uintptr_t memory, size_t size, bool kernel)
{
	vector->inline_parts[0] = (struct kernel_iovec){ memory, size };
	vector->parts = vector->inline_parts;
	vector->offset = 0;
	vector->left = size < TRANSFER_MAX ? size : TRANSFER_MAX;
	vector->kernel = kernel;
	vector->allocated = NULL;
}

/* Adds PART, at most as much as one call may move; of a single part only that much is checked. Linux:
 * __import_iovec. */
static int add_part(struct vector *vector, struct kernel_iovec *part, bool single)
{
	size_t most = TRANSFER_MAX - vector->left;
	size_t size = part->iov_len < most ? part->iov_len : most;
	struct user_range range;

	if (!user_range_make(part->iov_base, single ? size : part->iov_len, &range))
		return -EFAULT;
	part->iov_len = size;
	vector->left += size;
	return 0;
}

void vector_finish(struct vector *vector)
{
	kfree(vector->allocated);
	vector->allocated = NULL;
}

int vector_import(struct vector *vector, uintptr_t user_parts, size_t count)
{
	vector_init(vector, 0, 0, false);
	if (count > VECTOR_INLINE_PARTS) {
		vector->allocated = kzalloc(count * sizeof(struct kernel_iovec));
		if (!vector->allocated)
			return -ENOMEM;
		vector->parts = vector->allocated;
	}
	int error = copy_from_user(vector->parts, (const void *)user_parts,
				   count * sizeof(struct kernel_iovec));

	for (size_t i = 0; i < count && !error; i++)
		if ((int64_t)vector->parts[i].iov_len < 0)
			error = -EINVAL;
	for (size_t i = 0; i < count && !error; i++)
		error = add_part(vector, &vector->parts[i], count == 1);
	if (error)
		vector_finish(vector);
	return error;
}

static int copy_piece(const struct vector *vector, uintptr_t memory, void *buffer, size_t size,
		      bool to_vector)
{
	if (vector->kernel) {
		memcpy(to_vector ? (void *)memory : buffer, to_vector ? buffer : (void *)memory,
		       size);
		return 0;
	}
	return to_vector ? copy_to_user((void *)memory, buffer, size) :
			   copy_from_user(buffer, (const void *)memory, size);
}

static int copy(struct vector *vector, char *buffer, size_t size, bool to_vector)
{
	struct kernel_iovec *part = vector->parts;
	size_t offset = vector->offset;

	ASSERT(size <= vector->left);
	for (size_t done = 0; done < size;) {
		size_t here = part->iov_len - offset;

		if (here == 0) {
			part++;
			offset = 0;
			continue;
		}
		if (here > size - done)
			here = size - done;
		if (copy_piece(vector, part->iov_base + offset, buffer + done, here, to_vector))
			return -EFAULT;
		offset += here;
		done += here;
	}
	vector->parts = part;
	vector->offset = offset;
	vector->left -= size;
	return 0;
}

int vector_copy_from(struct vector *vector, void *destination, size_t size)
{
	return copy(vector, destination, size, false);
}

int vector_copy_to(struct vector *vector, const void *source, size_t size)
{
	return copy(vector, (char *)(uintptr_t)source, size, true);
}
