/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of limits that differ between ISAs. Source: Linux's uapi/asm/resource.h for Alpha.
 */
#ifndef _UAPI_ASM_RESOURCE_H
#define _UAPI_ASM_RESOURCE_H

#define RLIMIT_NPROC   8
#define RLIMIT_NOFILE  6
#define RLIMIT_MEMLOCK 9
#define RLIMIT_AS      7

/* No limit, to getrlimit and setrlimit. */
#define RLIM_INFINITY  0x7ffffffffffffffful

#endif
