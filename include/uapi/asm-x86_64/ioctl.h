/* SPDX-License-Identifier: BSD-2-Clause */
/* The place and the values of the direction in an ioctl request. Source: Linux's asm-generic/ioctl.h. */
#ifndef _UAPI_ASM_IOCTL_H
#define _UAPI_ASM_IOCTL_H

#define _IOC_NONE     0U
#define _IOC_READ     2U
#define _IOC_WRITE    1U
#define _IOC_DIRSHIFT 30

#endif
