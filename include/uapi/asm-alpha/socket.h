/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of sockets that differ between ISAs: options have OSF/1's numbers where it has them.
 * Source: Linux's uapi/asm/socket.h and asm/socket.h for Alpha.
 */
#ifndef _UAPI_ASM_SOCKET_H
#define _UAPI_ASM_SOCKET_H

/* socket */
#define SOCK_NONBLOCK  010000000000
#define SOCK_CLOEXEC   010000000

/* getsockopt, setsockopt */
#define SOL_SOCKET     0xffff
#define SO_DEBUG       0x1
#define SO_REUSEADDR   0x4
#define SO_TYPE	       0x1008
#define SO_ERROR       0x1007
#define SO_DONTROUTE   0x10
#define SO_BROADCAST   0x20
#define SO_SNDBUF      0x1001
#define SO_RCVBUF      0x1002
#define SO_KEEPALIVE   0x8
#define SO_OOBINLINE   0x100
#define SO_LINGER      0x80
#define SO_REUSEPORT   0x200
#define SO_PASSCRED    0x11
#define SO_PEERCRED    0x12
#define SO_RCVLOWAT    0x1010
#define SO_SNDLOWAT    0x1011
#define SO_RCVTIMEO    0x1012
#define SO_SNDTIMEO    0x1013
#define SO_ACCEPTCONN  0x1014
#define SO_SNDBUFFORCE 0x100a
#define SO_RCVBUFFORCE 0x100b
#define SO_PROTOCOL    0x1028
#define SO_DOMAIN      0x1029

#endif
