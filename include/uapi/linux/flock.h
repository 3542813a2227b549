/* SPDX-License-Identifier: BSD-2-Clause */
/* The structure of fcntl's locks. Source: Linux's asm-generic/fcntl.h. */
#ifndef _UAPI_LINUX_FLOCK_H
#define _UAPI_LINUX_FLOCK_H

#include <stdint.h>

struct kernel_flock {
	int16_t l_type;	  /* F_RDLCK … */
	int16_t l_whence; /* SEEK_* */
	int32_t padding;
	int64_t l_start;
	int64_t l_len; /* 0: up to the end, however far that moves; negative: before l_start */
	int32_t l_pid;
	int32_t padding2;
};

#endif
