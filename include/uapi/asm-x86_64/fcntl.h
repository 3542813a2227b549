/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of open and fcntl that differ between ISAs. Source: Linux's asm-generic/fcntl.h.
 */
#ifndef _UAPI_ASM_FCNTL_H
#define _UAPI_ASM_FCNTL_H

/* open */
#define O_CREAT	    000000100
#define O_EXCL	    000000200
#define O_NOCTTY    000000400
#define O_TRUNC	    000001000
#define O_APPEND    000002000
#define O_NONBLOCK  000004000
#define O_DSYNC	    000010000
#define FASYNC	    000020000
#define O_DIRECT    000040000
#define O_LARGEFILE 000100000
#define O_DIRECTORY 000200000
#define O_NOFOLLOW  000400000
#define O_NOATIME   001000000
#define O_CLOEXEC   002000000
#define O_PATH	    010000000

/* O_TMPFILE without O_DIRECTORY, which it includes; O_SYNC without O_DSYNC */
#define __O_TMPFILE 020000000
#define __O_SYNC    004000000

/* fcntl */
#define F_GETLK	    5
#define F_SETLK	    6
#define F_SETLKW    7
#define F_SETOWN    8
#define F_GETOWN    9

/* its locks */
#define F_RDLCK	    0
#define F_WRLCK	    1
#define F_UNLCK	    2

#endif
