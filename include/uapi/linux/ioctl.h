/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * linux/ioctl.h - how Linux packs an ioctl request (asm-generic/ioctl.h): command in bits 0-7, type
 * in 8-15, size of the argument in 16-29, direction (as user space sees it) in 30-31.
 */
#ifndef _LINUX_IOCTL_H
#define _LINUX_IOCTL_H

#ifndef _IOC
#define _IOC_NONE  0U
#define _IOC_WRITE 1U
#define _IOC_READ  2U

#define _IOC(direction, type, number, size) \
	(((direction) << 30) | ((type) << 8) | (number) | ((unsigned)(size) << 16))
#define _IO(type, number)	      _IOC(_IOC_NONE, type, number, 0)
#define _IOR(type, number, argument)  _IOC(_IOC_READ, type, number, sizeof(argument))
#define _IOW(type, number, argument)  _IOC(_IOC_WRITE, type, number, sizeof(argument))
#define _IOWR(type, number, argument) _IOC(_IOC_READ | _IOC_WRITE, type, number, sizeof(argument))
#endif

#endif
