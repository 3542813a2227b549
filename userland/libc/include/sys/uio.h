/* SPDX-License-Identifier: BSD-2-Clause */
/* sys/uio.h - reading into and writing from several pieces at once. */
#ifndef _SYS_UIO_H
#define _SYS_UIO_H

#include <sys/types.h>

struct iovec {
	void *iov_base;
	size_t iov_len;
};

#ifdef __cplusplus
extern "C" {
#endif

ssize_t readv(int fd, const struct iovec *pieces, int count);
ssize_t writev(int fd, const struct iovec *pieces, int count);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_UIO_H */
