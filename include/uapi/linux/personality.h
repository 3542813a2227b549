/* SPDX-License-Identifier: BSD-2-Clause */
/* personality(2). Source: Linux's uapi/linux/personality.h. */
#ifndef _UAPI_LINUX_PERSONALITY_H
#define _UAPI_LINUX_PERSONALITY_H

#define ADDR_NO_RANDOMIZE  0x0040000
#define MMAP_PAGE_ZERO	   0x0100000
#define ADDR_COMPAT_LAYOUT 0x0200000
#define READ_IMPLIES_EXEC  0x0400000
/* Bits that a program loses when it gains privileges. */
#define PER_CLEAR_ON_SETID \
	(READ_IMPLIES_EXEC | ADDR_NO_RANDOMIZE | ADDR_COMPAT_LAYOUT | MMAP_PAGE_ZERO)

/* Returns the present personality without a change. */
#define PERSONALITY_QUERY 0xffffffff

#endif
