/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * getrandom. Source: Linux's uapi/linux/random.h.
 */
#ifndef _UAPI_LINUX_RANDOM_H
#define _UAPI_LINUX_RANDOM_H

#include "ioctl.h"

#define GRND_NONBLOCK  0x0001
#define GRND_RANDOM    0x0002
#define GRND_INSECURE  0x0004

/* ioctl of /dev/random */
#define RNDGETENTCNT   _IOR('R', 0, int)
#define RNDADDTOENTCNT _IOW('R', 1, int)
#define RNDADDENTROPY  _IOW('R', 3, int[2])
#define RNDZAPENTCNT   _IO('R', 4)
#define RNDCLEARPOOL   _IO('R', 6)
#define RNDRESEEDCRNG  _IO('R', 7)

#endif
