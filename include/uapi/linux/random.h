/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * getrandom. Source: Linux's uapi/linux/random.h.
 */
#ifndef _UAPI_LINUX_RANDOM_H
#define _UAPI_LINUX_RANDOM_H

#define GRND_NONBLOCK 0x0001
#define GRND_RANDOM   0x0002
#define GRND_INSECURE 0x0004

/* ioctl of /dev/random */
#define RNDGETENTCNT   0x80045200
#define RNDADDTOENTCNT 0x40045201
#define RNDADDENTROPY  0x40085203
#define RNDZAPENTCNT   0x5204
#define RNDCLEARPOOL   0x5206
#define RNDRESEEDCRNG  0x5207

#endif
