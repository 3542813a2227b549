/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Terminals: modes and requests. Many of them differ between ISAs, and so does the order of the modes:
 * asm/termios.h. Source: Linux's asm-generic/termbits.h, ioctls.h, termios.h.
 */
#ifndef _UAPI_LINUX_TERMIOS_H
#define _UAPI_LINUX_TERMIOS_H

#include <stdint.h>

#include "../asm/termios.h"
#include "ioctl.h"

#define TIOCEXCL       0x540c
#define TIOCNXCL       0x540d
#define TIOCSCTTY      0x540e
#define TIOCSTI	       0x5412
#define TIOCPKT	       0x5420
#define TIOCNOTTY      0x5422
#define TIOCSETD       0x5423
#define TIOCGETD       0x5424
#define TCSBRKP	       0x5425
#define TIOCSBRK       0x5427
#define TIOCCBRK       0x5428
#define TIOCGSID       0x5429
#define TCGETS2	       _IOR('T', 42, struct kernel_termios2)
#define TCSETS2	       _IOW('T', 43, struct kernel_termios2)
#define TCSETSW2       _IOW('T', 44, struct kernel_termios2)
#define TCSETSF2       _IOW('T', 45, struct kernel_termios2)
#define TIOCGPTN       _IOR('T', 48, unsigned int)
#define TIOCSPTLCK     _IOW('T', 49, int)
#define TIOCGDEV       _IOR('T', 50, unsigned int)
#define TIOCSIG	       _IOW('T', 54, int)
#define TIOCVHANGUP    0x5437
#define TIOCGPKT       _IOR('T', 56, int)
#define TIOCGPTLCK     _IOR('T', 57, int)
#define TIOCGEXCL      _IOR('T', 64, int)
#define TIOCGPTPEER    _IO('T', 65)
#define TIOCGSOFTCAR   0x5419
#define TIOCSSOFTCAR   0x541a
#define TIOCGLCKTRMIOS 0x5456
#define TIOCSLCKTRMIOS 0x5457

#define KERNEL_NCC     8

/* The structure of TCGETA and TCSETA: System V's. */
struct kernel_termio {
	uint16_t c_iflag;
	uint16_t c_oflag;
	uint16_t c_cflag;
	uint16_t c_lflag;
	uint8_t c_line;
	uint8_t c_cc[KERNEL_NCC];
};

struct kernel_winsize {
	uint16_t ws_row, ws_col, ws_xpixel, ws_ypixel;
};

/* c_iflag */
#define IGNBRK		   0000001
#define BRKINT		   0000002
#define IGNPAR		   0000004
#define PARMRK		   0000010
#define INPCK		   0000020
#define ISTRIP		   0000040
#define INLCR		   0000100
#define IGNCR		   0000200
#define ICRNL		   0000400
#define IXANY		   0004000
#define IMAXBEL		   0020000
#define IUTF8		   0040000

/* c_oflag */
#define OPOST		   0000001
#define OCRNL		   0000010
#define ONOCR		   0000020
#define ONLRET		   0000040

/* c_cflag */
#define B38400		   0000017
#define IBSHIFT		   16

/* c_lflag */
#define ECHO		   0000010

/* TCXONC's and TCFLSH's argument. */
#define TCOOFF		   0
#define TCOON		   1
#define TCIOFF		   2
#define TCION		   3
#define TCIFLUSH	   0
#define TCOFLUSH	   1
#define TCIOFLUSH	   2

/* The first byte of a read in packet mode. */
#define TIOCPKT_DATA	   0
#define TIOCPKT_FLUSHREAD  1
#define TIOCPKT_FLUSHWRITE 2
#define TIOCPKT_STOP	   4
#define TIOCPKT_START	   8
#define TIOCPKT_NOSTOP	   16
#define TIOCPKT_DOSTOP	   32
#define TIOCPKT_IOCTL	   64

#endif
