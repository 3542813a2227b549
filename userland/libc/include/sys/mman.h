/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/mman.h - memory mappings.
 */
#ifndef _SYS_MMAN_H
#define _SYS_MMAN_H

#include <linux/mman.h>
#include <stddef.h>
#include <sys/types.h>

#define MAP_ANON   MAP_ANONYMOUS

#define MAP_FAILED ((void *)-1)

#ifdef __cplusplus
extern "C" {
#endif

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset);
int munmap(void *address, size_t length);
int mprotect(void *address, size_t length, int protection);
int madvise(void *address, size_t length, int advice);
void *mremap(void *address, size_t old_length, size_t new_length, int flags, ...);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_MMAN_H */
