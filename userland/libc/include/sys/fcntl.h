/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/fcntl.h - flags of open() and commands of fcntl(), as Linux numbers them.
 *
 * Replaces newlib's file. Source of what is here: Linux's include/uapi/asm-generic/fcntl.h; what differs
 * between ISAs is in asm/fcntl.h.
 */
#ifndef _SYS_FCNTL_H_
#define _SYS_FCNTL_H_

#include <_ansi.h>
#include <linux/fcntl.h>
#include <sys/cdefs.h>
#include <sys/types.h>
#include <sys/stat.h>

/* Names that the kernel's header does not have. */
#define O_NDELAY     O_NONBLOCK
#define O_ASYNC	     FASYNC
#define O_SYNC	     (__O_SYNC | O_DSYNC)
#define O_RSYNC	     O_SYNC
#define O_TMPFILE    (__O_TMPFILE | O_DIRECTORY)

/* The targets of F_SETOWN_EX's signals: a thread, a process, a process group. */
#define F_OWNER_TID  0
#define F_OWNER_PID  1
#define F_OWNER_PGRP 2

struct f_owner_ex {
	int type;
	pid_t pid;
};

struct flock {
	short l_type;
	short l_whence;
	off_t l_start;
	off_t l_len;
	pid_t l_pid;
};

#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8

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
