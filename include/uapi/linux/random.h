/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * getrandom. Source: Linux's uapi/linux/random.h.
 */
#ifndef _UAPI_LINUX_RANDOM_H
#define _UAPI_LINUX_RANDOM_H

#define GRND_NONBLOCK 0x0001
#define GRND_RANDOM   0x0002
#define GRND_INSECURE 0x0004

#endif
