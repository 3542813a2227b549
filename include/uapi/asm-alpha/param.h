/* SPDX-License-Identifier: BSD-2-Clause */
/* How programs count times. Source: Linux's uapi/asm/param.h. */
#ifndef _UAPI_ASM_PARAM_H
#define _UAPI_ASM_PARAM_H

#define HZ 1024 /* ticks in a second */

#endif
