/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of limits that differ between ISAs. Source: Linux's asm-generic/resource.h.
 */
#ifndef _UAPI_ASM_RESOURCE_H
#define _UAPI_ASM_RESOURCE_H

#define RLIMIT_NPROC   6
#define RLIMIT_NOFILE  7
#define RLIMIT_MEMLOCK 8
#define RLIMIT_AS      9

/* No limit, to getrlimit and setrlimit. */
#define RLIM_INFINITY  (~0ul)

#endif
