/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/ioctl.h - device control, and how Linux packs a request number (asm-generic/ioctl.h):
 * command in bits 0-7, type in 8-15, size of the argument in 16-29, direction in 30-31.
 */
#ifndef _SYS_IOCTL_H
#define _SYS_IOCTL_H

#include <sys/termios.h>

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

#define TCGETS	   0x5401
#define TCSETS	   0x5402
#define TCSETSW	   0x5403
#define TCSETSF	   0x5404
#define TIOCGPGRP  0x540f
#define TIOCGWINSZ 0x5413
#define FIONREAD   0x541b
#define FIONBIO	   0x5421

struct winsize {
	unsigned short ws_row;
	unsigned short ws_col;
	unsigned short ws_xpixel;
	unsigned short ws_ypixel;
};

#ifdef __cplusplus
extern "C" {
#endif

int ioctl(int fd, unsigned long request, ...);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_IOCTL_H */
