/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wait4. Source: Linux's uapi/linux/wait.h.
 */
#ifndef _UAPI_LINUX_WAIT_H
#define _UAPI_LINUX_WAIT_H

#define WNOHANG	    0x00000001
#define WUNTRACED   0x00000002
#define WCONTINUED  0x00000008
#define __WNOTHREAD 0x20000000
#define __WALL	    0x40000000
#define __WCLONE    0x80000000

#endif
