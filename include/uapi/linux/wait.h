/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wait4, waitid. Source: Linux's uapi/linux/wait.h.
 */
#ifndef _UAPI_LINUX_WAIT_H
#define _UAPI_LINUX_WAIT_H

#define WNOHANG	    0x00000001
#define WUNTRACED   0x00000002
#define WSTOPPED    0x00000002
#define WEXITED	    0x00000004
#define WCONTINUED  0x00000008
#define WNOWAIT	    0x01000000
#define __WNOTHREAD 0x20000000
#define __WALL	    0x40000000
#define __WCLONE    0x80000000

/* waitid's kinds of children */
#define P_ALL	    0
#define P_PID	    1
#define P_PGID	    2
#define P_PIDFD	    3

#endif
