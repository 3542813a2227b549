/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of mappings that differ between ISAs. Source: Linux's asm-generic/mman-common.h, mman.h and
 * x86's mman.h.
 */
#ifndef _UAPI_ASM_MMAN_H
#define _UAPI_ASM_MMAN_H

/* mmap */
#define MAP_FIXED	    0x10
#define MAP_ANONYMOUS	    0x20
#define MAP_32BIT	    0x40
#define MAP_GROWSDOWN	    0x100
#define MAP_DENYWRITE	    0x800
#define MAP_EXECUTABLE	    0x1000
#define MAP_LOCKED	    0x2000
#define MAP_NORESERVE	    0x4000
#define MAP_POPULATE	    0x8000
#define MAP_NONBLOCK	    0x10000
#define MAP_STACK	    0x20000
#define MAP_HUGETLB	    0x40000
#define MAP_SYNC	    0x80000
#define MAP_FIXED_NOREPLACE 0x100000

/* madvise */
#define MADV_DONTNEED	    4

/* msync */
#define MS_INVALIDATE	    2
#define MS_SYNC		    4

/* mlockall */
#define MCL_CURRENT	    1
#define MCL_FUTURE	    2
#define MCL_ONFAULT	    4

#endif
