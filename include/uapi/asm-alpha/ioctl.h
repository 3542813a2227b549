/* SPDX-License-Identifier: BSD-2-Clause */
/* The place and the values of the direction in an ioctl request. Source: Linux's uapi/asm/ioctl.h for Alpha: OSF/1's. */
#ifndef _UAPI_ASM_IOCTL_H
#define _UAPI_ASM_IOCTL_H

#define _IOC_NONE     1U
#define _IOC_READ     2U
#define _IOC_WRITE    4U
#define _IOC_DIRSHIFT 29

#endif
