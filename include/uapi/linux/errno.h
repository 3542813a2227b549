/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Error numbers, as the functions of system calls return them (negated): those that are the same on
 * every ISA, and the others by asm/errno.h. Source: Linux's asm-generic/errno-base.h and errno.h.
 */
#ifndef _UAPI_LINUX_ERRNO_H
#define _UAPI_LINUX_ERRNO_H

#include "../asm/errno.h"

#define EPERM	    1
#define ENOENT	    2
#define ESRCH	    3
#define EINTR	    4
#define EIO	    5
#define ENXIO	    6
#define E2BIG	    7
#define ENOEXEC	    8
#define EBADF	    9
#define ECHILD	    10
#define ENOMEM	    12
#define EACCES	    13
#define EFAULT	    14
#define ENOTBLK	    15
#define EBUSY	    16
#define EEXIST	    17
#define EXDEV	    18
#define ENODEV	    19
#define ENOTDIR	    20
#define EISDIR	    21
#define EINVAL	    22
#define ENFILE	    23
#define EMFILE	    24
#define ENOTTY	    25
#define ETXTBSY	    26
#define EFBIG	    27
#define ENOSPC	    28
#define ESPIPE	    29
#define EROFS	    30
#define EMLINK	    31
#define EPIPE	    32
#define EDOM	    33
#define ERANGE	    34
#define EWOULDBLOCK EAGAIN
#define EDEADLOCK   EDEADLK

#endif
