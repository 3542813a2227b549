/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets: families, types, addresses, messages, options; asm/socket.h has the parts that differ
 * between ISAs. Source: Linux's linux/socket.h, asm-generic/socket.h, linux/un.h, linux/net.h,
 * asm-generic/sockios.h.
 */
#ifndef _UAPI_LINUX_SOCKET_H
#define _UAPI_LINUX_SOCKET_H

#include <stddef.h>
#include <stdint.h>

#include "../asm/socket.h"
#include "termios.h"

#define AF_UNSPEC	  0
#define AF_UNIX		  1
#define AF_MAX		  46

#define SOCK_STREAM	  1
#define SOCK_DGRAM	  2
#define SOCK_RAW	  3
#define SOCK_SEQPACKET	  5
#define SOCK_MAX	  11
#define SOCK_TYPE_MASK	  0xf

#define SHUT_RD		  0
#define SHUT_WR		  1
#define SHUT_RDWR	  2

/* sockaddr_storage: no address is larger. */
#define SOCKADDR_SIZE_MAX 128
#define UNIX_PATH_MAX	  108

struct kernel_sockaddr_un {
	uint16_t sun_family;
	char sun_path[UNIX_PATH_MAX];
};

/* Bytes of an address that has no name. */
#define SOCKADDR_UN_HEAD offsetof(struct kernel_sockaddr_un, sun_path)

struct kernel_msghdr {
	uint64_t msg_name;
	int32_t msg_namelen;
	uint32_t unused0;
	uint64_t msg_iov;
	uint64_t msg_iovlen;
	uint64_t msg_control;
	uint64_t msg_controllen;
	uint32_t msg_flags;
	uint32_t unused1;
};

struct kernel_mmsghdr {
	struct kernel_msghdr msg_hdr;
	uint32_t msg_len;
	uint32_t unused;
};

struct kernel_cmsghdr {
	uint64_t cmsg_len; /* with this header */
	int32_t cmsg_level;
	int32_t cmsg_type;
};

#define CMSG_ALIGN(size) (((size) + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1))

struct kernel_ucred {
	uint32_t pid, uid, gid;
};

struct kernel_linger {
	int32_t l_onoff;
	int32_t l_linger; /* seconds */
};

#define SCM_RIGHTS	 0x01
#define SCM_CREDENTIALS	 0x02
/* Most descriptors in a message. */
#define SCM_MAX_FD	 253

#define MSG_OOB		 0x1
#define MSG_PEEK	 0x2
#define MSG_CTRUNC	 0x8
#define MSG_TRUNC	 0x20
#define MSG_DONTWAIT	 0x40
#define MSG_EOR		 0x80
#define MSG_WAITALL	 0x100
#define MSG_ERRQUEUE	 0x2000
#define MSG_NOSIGNAL	 0x4000
#define MSG_WAITFORONE	 0x10000
#define MSG_CMSG_CLOEXEC 0x40000000
#define MSG_CMSG_COMPAT	 0x80000000u

#define SO_PRIORITY	 12
#define SO_MARK		 36
#define SO_RCVTIMEO_NEW	 66
#define SO_SNDTIMEO_NEW	 67

/* ioctl: bytes that can be read, and the room that sent and unread data take. */
#define SIOCINQ		 FIONREAD
#define SIOCOUTQ	 TIOCOUTQ

#endif
