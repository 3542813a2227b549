/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * open, fcntl, *at; asm/fcntl.h has the parts that differ between ISAs. Source: Linux's
 * asm-generic/fcntl.h, uapi/linux/fcntl.h.
 */
#ifndef _UAPI_LINUX_FCNTL_H
#define _UAPI_LINUX_FCNTL_H

#include "../asm/fcntl.h"

#define O_ACCMODE	     00000003
#define O_RDONLY	     00000000
#define O_WRONLY	     00000001
#define O_RDWR		     00000002

#define F_DUPFD		     0
#define F_GETFD		     1
#define F_SETFD		     2
#define F_GETFL		     3
#define F_SETFL		     4
#define F_SETSIG	     10
#define F_GETSIG	     11
#define F_SETOWN_EX	     15
#define F_GETOWN_EX	     16
#define F_OFD_GETLK	     36
#define F_OFD_SETLK	     37
#define F_OFD_SETLKW	     38
#define F_DUPFD_CLOEXEC	     1030

#define F_SETPIPE_SZ	     1031
#define F_GETPIPE_SZ	     1032
#define F_ADD_SEALS	     1033
#define F_GET_SEALS	     1034

#define F_SEAL_SEAL	     0x01
#define F_SEAL_SHRINK	     0x02
#define F_SEAL_GROW	     0x04
#define F_SEAL_WRITE	     0x08
#define F_SEAL_FUTURE_WRITE  0x10
#define F_SEAL_EXEC	     0x20
#define F_SEAL_ALL	     0x3f

#define FD_CLOEXEC	     1

#define AT_FDCWD	     -100
#define AT_SYMLINK_NOFOLLOW  0x100
#define AT_EACCESS	     0x200
#define AT_SYMLINK_FOLLOW    0x400
#define AT_NO_AUTOMOUNT	     0x800
#define AT_EMPTY_PATH	     0x1000

#define SEEK_SET	     0
#define SEEK_CUR	     1
#define SEEK_END	     2
#define SEEK_DATA	     3
#define SEEK_HOLE	     4

/* fallocate: uapi/linux/falloc.h */
#define FALLOC_FL_KEEP_SIZE  1
#define FALLOC_FL_PUNCH_HOLE 2

#define AT_REMOVEDIR	     0x200
#define AT_RECURSIVE	     0x8000

#define RENAME_NOREPLACE     1
#define RENAME_EXCHANGE	     2
#define RENAME_WHITEOUT	     4

#define F_OK		     0
#define X_OK		     1
#define W_OK		     2
#define R_OK		     4

#endif
