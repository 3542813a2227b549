/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of mappings that differ between ISAs: no MAP_32BIT, no MAP_SYNC. Source: Linux's
 * uapi/asm/mman.h for Alpha.
 */
#ifndef _UAPI_ASM_MMAN_H
#define _UAPI_ASM_MMAN_H

/* mmap */
#define MAP_FIXED	    0x100
#define MAP_ANONYMOUS	    0x10
#define MAP_GROWSDOWN	    0x1000
#define MAP_DENYWRITE	    0x2000
#define MAP_EXECUTABLE	    0x4000
#define MAP_LOCKED	    0x8000
#define MAP_NORESERVE	    0x10000
#define MAP_POPULATE	    0x20000
#define MAP_NONBLOCK	    0x40000
#define MAP_STACK	    0x80000
#define MAP_HUGETLB	    0x100000
#define MAP_FIXED_NOREPLACE 0x200000

/* madvise */
#define MADV_DONTNEED	    6

/* msync */
#define MS_INVALIDATE	    4
#define MS_SYNC		    2

/* mlockall */
#define MCL_CURRENT	    8192
#define MCL_FUTURE	    16384
#define MCL_ONFAULT	    32768

#endif
