/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mmap, mprotect, madvise; asm/mman.h has the parts that differ between ISAs. Source: Linux's
 * asm-generic/mman-common.h, mman.h.
 */
#ifndef _UAPI_LINUX_MMAN_H
#define _UAPI_LINUX_MMAN_H

#include "../asm/mman.h"

#define PROT_NONE	     0x0
#define PROT_READ	     0x1
#define PROT_WRITE	     0x2
#define PROT_EXEC	     0x4
#define PROT_SEM	     0x8
#define PROT_GROWSDOWN	     0x01000000
#define PROT_GROWSUP	     0x02000000

#define MAP_SHARED	     0x01
#define MAP_PRIVATE	     0x02
#define MAP_SHARED_VALIDATE  0x03
#define MAP_TYPE	     0x0f

#define MADV_NORMAL	     0
#define MADV_RANDOM	     1
#define MADV_SEQUENTIAL	     2
#define MADV_WILLNEED	     3
#define MADV_FREE	     8
#define MADV_REMOVE	     9
#define MADV_DONTFORK	     10
#define MADV_DOFORK	     11
#define MADV_MERGEABLE	     12
#define MADV_UNMERGEABLE     13
#define MADV_HUGEPAGE	     14
#define MADV_NOHUGEPAGE	     15
#define MADV_DONTDUMP	     16
#define MADV_DODUMP	     17
#define MADV_WIPEONFORK	     18
#define MADV_KEEPONFORK	     19
#define MADV_COLD	     20
#define MADV_PAGEOUT	     21
#define MADV_POPULATE_READ   22
#define MADV_POPULATE_WRITE  23
#define MADV_DONTNEED_LOCKED 24
#define MADV_HWPOISON	     100
#define MADV_SOFT_OFFLINE    101

#define MREMAP_MAYMOVE	     1
#define MREMAP_FIXED	     2
#define MREMAP_DONTUNMAP     4

#define MS_ASYNC	     1

#define MLOCK_ONFAULT	     1

#endif
