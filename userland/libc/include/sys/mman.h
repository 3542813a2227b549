/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/mman.h - memory mappings, with Linux/x86-64's numbers (asm-generic/mman-common.h).
 */
#ifndef _SYS_MMAN_H
#define _SYS_MMAN_H

#include <stddef.h>
#include <sys/types.h>

#define PROT_NONE	    0x0
#define PROT_READ	    0x1
#define PROT_WRITE	    0x2
#define PROT_EXEC	    0x4

#define MAP_SHARED	    0x01
#define MAP_PRIVATE	    0x02
#define MAP_FIXED	    0x10
#define MAP_ANONYMOUS	    0x20
#define MAP_ANON	    MAP_ANONYMOUS
#define MAP_GROWSDOWN	    0x0100
#define MAP_LOCKED	    0x2000
#define MAP_NORESERVE	    0x4000
#define MAP_POPULATE	    0x8000
#define MAP_STACK	    0x20000
#define MAP_FIXED_NOREPLACE 0x100000

#define MAP_FAILED	    ((void *)-1)

#define MS_ASYNC	    1
#define MS_INVALIDATE	    2
#define MS_SYNC		    4

#define MADV_NORMAL	    0
#define MADV_DONTNEED	    4

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
