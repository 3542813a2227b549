/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/ioctl.h - device control; the requests of terminals are the kernel's (linux/termios.h).
 */
#ifndef _SYS_IOCTL_H
#define _SYS_IOCTL_H

#include <linux/ioctl.h>
#include <sys/termios.h>

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
