/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * linux/ioctl.h - how Linux packs an ioctl request (asm-generic/ioctl.h): command in bits 0-7, type
 * in 8-15, size of the argument from 16 on, direction (as user space sees it) above that, where
 * asm/ioctl.h says.
 */
#ifndef _LINUX_IOCTL_H
#define _LINUX_IOCTL_H

#ifndef _IOC
#include "../asm/ioctl.h"

#define _IOC(direction, type, number, size)                                                \
	(((direction) << _IOC_DIRSHIFT) | ((unsigned)(type) << 8) | ((unsigned)(number)) | \
	 ((unsigned)(size) << 16))
#define _IO(type, number)	      _IOC(_IOC_NONE, type, number, 0)
#define _IOR(type, number, argument)  _IOC(_IOC_READ, type, number, sizeof(argument))
#define _IOW(type, number, argument)  _IOC(_IOC_WRITE, type, number, sizeof(argument))
#define _IOWR(type, number, argument) _IOC(_IOC_READ | _IOC_WRITE, type, number, sizeof(argument))
#endif

#endif
