/* SPDX-License-Identifier: BSD-2-Clause */
/* personality(2). Source: Linux's uapi/linux/personality.h. */
#ifndef _UAPI_LINUX_PERSONALITY_H
#define _UAPI_LINUX_PERSONALITY_H

#define ADDR_NO_RANDOMIZE 0x0040000

/* Asks for the present one. */
#define PERSONALITY_QUERY 0xffffffff

#endif
