/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of open and fcntl that differ between ISAs. Source: Linux's uapi/asm/fcntl.h for Alpha.
 */
#ifndef _UAPI_ASM_FCNTL_H
#define _UAPI_ASM_FCNTL_H

/* open */
#define O_CREAT	    000001000
#define O_EXCL	    000004000
#define O_NOCTTY    000010000
#define O_TRUNC	    000002000
#define O_APPEND    000000010
#define O_NONBLOCK  000000004
#define O_DSYNC	    000040000
#define FASYNC	    000020000
#define O_DIRECT    002000000
#define O_LARGEFILE 000400000
#define O_DIRECTORY 000100000
#define O_NOFOLLOW  000200000
#define O_NOATIME   004000000
#define O_CLOEXEC   010000000
#define O_PATH	    040000000

/* O_TMPFILE without O_DIRECTORY, which it includes; O_SYNC without O_DSYNC */
#define __O_TMPFILE 0100000000
#define __O_SYNC    020000000

/* fcntl */
#define F_GETLK	    7
#define F_SETLK	    8
#define F_SETLKW    9
#define F_SETOWN    5
#define F_GETOWN    6

/* its locks */
#define F_RDLCK	    1
#define F_WRLCK	    2
#define F_UNLCK	    8

#endif
