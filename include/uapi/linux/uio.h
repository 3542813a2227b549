/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vectors of buffers: readv, writev. Source: Linux's uapi/linux/uio.h.
 */
#ifndef _UAPI_LINUX_UIO_H
#define _UAPI_LINUX_UIO_H

#include <stdint.h>

#define IOV_MAX_COUNT 1024

struct kernel_iovec {
	uint64_t iov_base;
	uint64_t iov_len; /* bytes */
};

#endif
