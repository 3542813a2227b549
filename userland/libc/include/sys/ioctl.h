/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/ioctl.h - device control, and the requests of terminals (asm-generic/ioctls.h).
 */
#ifndef _SYS_IOCTL_H
#define _SYS_IOCTL_H

#include <linux/ioctl.h>
#include <sys/termios.h>

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
