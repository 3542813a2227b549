/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of sockets that differ between ISAs. Source: Linux's asm-generic/socket.h, linux/net.h.
 */
#ifndef _UAPI_ASM_SOCKET_H
#define _UAPI_ASM_SOCKET_H

/* socket */
#define SOCK_NONBLOCK  04000
#define SOCK_CLOEXEC   02000000

/* getsockopt, setsockopt */
#define SOL_SOCKET     0x1
#define SO_DEBUG       0x1
#define SO_REUSEADDR   0x2
#define SO_TYPE	       0x3
#define SO_ERROR       0x4
#define SO_DONTROUTE   0x5
#define SO_BROADCAST   0x6
#define SO_SNDBUF      0x7
#define SO_RCVBUF      0x8
#define SO_KEEPALIVE   0x9
#define SO_OOBINLINE   0xa
#define SO_LINGER      0xd
#define SO_REUSEPORT   0xf
#define SO_PASSCRED    0x10
#define SO_PEERCRED    0x11
#define SO_RCVLOWAT    0x12
#define SO_SNDLOWAT    0x13
#define SO_RCVTIMEO    0x14
#define SO_SNDTIMEO    0x15
#define SO_ACCEPTCONN  0x1e
#define SO_SNDBUFFORCE 0x20
#define SO_RCVBUFFORCE 0x21
#define SO_PROTOCOL    0x26
#define SO_DOMAIN      0x27

#endif
