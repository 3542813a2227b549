/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/fcntl.h - flags of open() and commands of fcntl(), as Linux/x86-64 numbers them.
 *
 * Replaces newlib's file. Source: Linux's include/uapi/asm-generic/fcntl.h and linux/fcntl.h;
 * the numbers are octal there and here.
 */
#ifndef _SYS_FCNTL_H_
#define _SYS_FCNTL_H_

#include <_ansi.h>
#include <sys/cdefs.h>
#include <sys/types.h>
#include <sys/stat.h>

#define O_ACCMODE	00000003
#define O_RDONLY	00000000
#define O_WRONLY	00000001
#define O_RDWR		00000002
#define O_CREAT		00000100
#define O_EXCL		00000200
#define O_NOCTTY	00000400
#define O_TRUNC		00001000
#define O_APPEND	00002000
#define O_NONBLOCK	00004000
#define O_NDELAY	O_NONBLOCK
#define O_DSYNC		00010000
#define O_ASYNC		00020000
#define O_DIRECT	00040000
#define O_LARGEFILE	00100000
#define O_DIRECTORY	00200000
#define O_NOFOLLOW	00400000
#define O_NOATIME	01000000
#define O_CLOEXEC	02000000
#define O_SYNC		(04000000 | O_DSYNC)
#define O_RSYNC		O_SYNC
#define O_PATH		010000000
#define O_TMPFILE	(020000000 | O_DIRECTORY)

#define F_DUPFD		0
#define F_GETFD		1
#define F_SETFD		2
#define F_GETFL		3
#define F_SETFL		4
#define F_GETLK		5
#define F_SETLK		6
#define F_SETLKW	7
#define F_SETOWN	8
#define F_GETOWN	9
#define F_SETSIG	10
#define F_GETSIG	11
#define F_SETOWN_EX	15
#define F_GETOWN_EX	16
#define F_DUPFD_CLOEXEC 1030

#define FD_CLOEXEC	1

/* Whom F_SETOWN_EX signals: a thread, a process, a process group. */
#define F_OWNER_TID	0
#define F_OWNER_PID	1
#define F_OWNER_PGRP	2

struct f_owner_ex {
	int type;
	pid_t pid;
};

#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2

struct flock {
	short l_type;
	short l_whence;
	off_t l_start;
	off_t l_len;
	pid_t l_pid;
};

#define LOCK_SH		    1
#define LOCK_EX		    2
#define LOCK_NB		    4
#define LOCK_UN		    8

/* Descriptor that stands for the current directory in the ...at() calls, and their flags. */
#define AT_FDCWD	    (-100)
#define AT_SYMLINK_NOFOLLOW 0x100
#define AT_EACCESS	    0x200
#define AT_REMOVEDIR	    0x200
#define AT_SYMLINK_FOLLOW   0x400
#define AT_EMPTY_PATH	    0x1000

#ifdef __cplusplus
extern "C" {
#endif

int open(const char *path, int flags, ...);
int openat(int dirfd, const char *path, int flags, ...);
int creat(const char *path, mode_t mode);
int fcntl(int fd, int command, ...);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_FCNTL_H_ */
