/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inotify. Source: Linux's uapi/linux/inotify.h.
 */
#ifndef _UAPI_LINUX_INOTIFY_H
#define _UAPI_LINUX_INOTIFY_H

#include <stdint.h>

#define IN_ACCESS	 0x00000001u
#define IN_MODIFY	 0x00000002u
#define IN_ATTRIB	 0x00000004u
#define IN_CLOSE_WRITE	 0x00000008u
#define IN_CLOSE_NOWRITE 0x00000010u
#define IN_OPEN		 0x00000020u
#define IN_MOVED_FROM	 0x00000040u
#define IN_MOVED_TO	 0x00000080u
#define IN_CREATE	 0x00000100u
#define IN_DELETE	 0x00000200u
#define IN_DELETE_SELF	 0x00000400u
#define IN_MOVE_SELF	 0x00000800u
#define IN_ALL_EVENTS	 0x00000fffu

/* Events that no watch requests. */
#define IN_UNMOUNT	 0x00002000u
#define IN_Q_OVERFLOW	 0x00004000u
#define IN_IGNORED	 0x00008000u

/* Flags of a watch, and of an event. */
#define IN_ONLYDIR	 0x01000000u
#define IN_DONT_FOLLOW	 0x02000000u
#define IN_EXCL_UNLINK	 0x04000000u
#define IN_MASK_CREATE	 0x10000000u
#define IN_MASK_ADD	 0x20000000u
#define IN_ISDIR	 0x40000000u
#define IN_ONESHOT	 0x80000000u

struct kernel_inotify_event {
	int32_t wd;
	uint32_t mask;
	uint32_t cookie;
	uint32_t len; /* length of the name that follows, padded with zeros to a multiple of this structure's size */
};

#endif
