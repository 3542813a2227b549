/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/errno.h - error numbers, as Linux numbers them.
 *
 * Replaces newlib's file of the same name: newlib's own numbers above 34 are those of another
 * system, and a kernel that says 38 (ENOSYS) must not be heard as something else.
 */
#ifndef _SYS_ERRNO_H
#define _SYS_ERRNO_H

#include <linux/errno.h>
#include <sys/reent.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef _REENT_ONLY
#define errno (*__errno())
extern int *__errno(void);
#endif

/* newlib's own code names errors by these variables as well. */
extern const char *const _sys_errlist[];
extern int _sys_nerr;

#define __errno_r(reent) ((reent)->_errno)

#define EWOULDBLOCK	 EAGAIN
#define EDEADLOCK	 EDEADLK
#define ENOTSUP		 EOPNOTSUPP

/* A BSD's error for a file of the wrong format, which newlib's hash tables return. */
#define EFTYPE		 EINVAL

/* Where numbers that a program adds itself may begin; the kernel's end at 4095. */
#define __ELASTERROR	 4096

#ifdef __cplusplus
}
#endif

#endif /* _SYS_ERRNO_H */
