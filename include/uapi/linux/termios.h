/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Terminals: the console's modes. Source: Linux's asm-generic/termbits.h, ioctls.h, termios.h.
 */
#ifndef _UAPI_LINUX_TERMIOS_H
#define _UAPI_LINUX_TERMIOS_H

#include <stdint.h>

#define TCGETS	    0x5401
#define TCSETS	    0x5402
#define TCSETSW	    0x5403
#define TCSETSF	    0x5404
#define TIOCGPGRP   0x540f
#define TIOCSPGRP   0x5410
#define TIOCGWINSZ  0x5413
#define TIOCSWINSZ  0x5414
#define FIONREAD    0x541b
#define FIONBIO	    0x5421
#define FIONCLEX    0x5450
#define FIOCLEX	    0x5451

#define KERNEL_NCCS 19

struct kernel_termios {
	uint32_t c_iflag;
	uint32_t c_oflag;
	uint32_t c_cflag;
	uint32_t c_lflag;
	uint8_t c_line;
	uint8_t c_cc[KERNEL_NCCS];
};

struct kernel_winsize {
	uint16_t ws_row, ws_col, ws_xpixel, ws_ypixel;
};

/* Indices of c_cc. */
#define VINTR  0
#define VQUIT  1
#define VERASE 2
#define VKILL  3
#define VEOF   4
#define VTIME  5
#define VMIN   6
#define VSTART 8
#define VSTOP  9
#define VSUSP  10

/* c_iflag, c_oflag, c_cflag, c_lflag */
#define ICRNL  0000400
#define IXON   0002000
#define OPOST  0000001
#define ONLCR  0000004
#define B38400 0000017
#define CS8    0000060
#define CREAD  0000200
#define ISIG   0000001
#define ICANON 0000002
#define ECHO   0000010
#define ECHOE  0000020
#define ECHOK  0000040
#define IEXTEN 0100000

#endif
