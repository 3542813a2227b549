/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of terminals that differ between ISAs. Source: Linux's uapi/asm/termbits.h, ioctls.h,
 * termios.h for Alpha.
 */
#ifndef _UAPI_ASM_TERMIOS_H
#define _UAPI_ASM_TERMIOS_H

#include <stdint.h>

/* Requests: OSF/1's where it has them. */
#define TCGETS	    _IOR('t', 19, struct kernel_termios)
#define TCSETS	    _IOW('t', 20, struct kernel_termios)
#define TCSETSW	    _IOW('t', 21, struct kernel_termios)
#define TCSETSF	    _IOW('t', 22, struct kernel_termios)
#define TCGETA	    _IOR('t', 23, struct kernel_termio)
#define TCSETA	    _IOW('t', 24, struct kernel_termio)
#define TCSETAW	    _IOW('t', 25, struct kernel_termio)
#define TCSETAF	    _IOW('t', 28, struct kernel_termio)
#define TCSBRK	    _IO('t', 29)
#define TCXONC	    _IO('t', 30)
#define TCFLSH	    _IO('t', 31)
#define TIOCSWINSZ  _IOW('t', 103, struct kernel_winsize)
#define TIOCGWINSZ  _IOR('t', 104, struct kernel_winsize)
#define TIOCOUTQ    _IOR('t', 115, int)
#define TIOCSPGRP   _IOW('t', 118, int)
#define TIOCGPGRP   _IOR('t', 119, int)
#define FIOCLEX	    _IO('f', 1)
#define FIONCLEX    _IO('f', 2)
#define FIOASYNC    _IOW('f', 125, int)
#define FIONBIO	    _IOW('f', 126, int)
#define FIONREAD    _IOR('f', 127, int)

#define KERNEL_NCCS 19

/* The structure of TCGETS2 and TCSETS2. */
struct kernel_termios2 {
	uint32_t c_iflag;
	uint32_t c_oflag;
	uint32_t c_cflag;
	uint32_t c_lflag;
	uint8_t c_cc[KERNEL_NCCS];
	uint8_t c_line;
	uint32_t c_ispeed, c_ospeed; /* bits a second */
};

/* The structure of TCGETS and TCSETS: the same. */
struct kernel_termios {
	uint32_t c_iflag;
	uint32_t c_oflag;
	uint32_t c_cflag;
	uint32_t c_lflag;
	uint8_t c_cc[KERNEL_NCCS];
	uint8_t c_line;
	uint32_t c_ispeed, c_ospeed;
};

/* Indices of c_cc. */
#define VINTR	 8
#define VQUIT	 9
#define VERASE	 3
#define VKILL	 5
#define VEOF	 0
#define VTIME	 17
#define VMIN	 16
#define VSWTC	 7
#define VSTART	 12
#define VSTOP	 13
#define VSUSP	 10
#define VEOL	 1
#define VREPRINT 6
#define VDISCARD 15
#define VWERASE	 4
#define VLNEXT	 14
#define VEOL2	 2

/* c_iflag */
#define IUCLC	 0x1000
#define IXON	 0x0200
#define IXOFF	 0x0400

/* c_oflag */
#define OLCUC	 0x0004
#define ONLCR	 0x0002
#define TABDLY	 0x0c00
#define XTABS	 0x0c00

/* c_cflag */
#define CBAUD	 0x1f
#define CBAUDEX	 0x0
#define BOTHER	 0x1f
#define CSIZE	 0x300
#define CS8	 0x300
#define CREAD	 0x800
#define PARENB	 0x1000
#define HUPCL	 0x4000
#define CLOCAL	 0x8000
#define CIBAUD	 0x1f0000

/* c_lflag */
#define ISIG	 0x80
#define ICANON	 0x100
#define ECHOE	 0x2
#define ECHOK	 0x4
#define ECHONL	 0x10
#define NOFLSH	 0x80000000
#define TOSTOP	 0x400000
#define ECHOCTL	 0x40
#define ECHOPRT	 0x20
#define ECHOKE	 0x1
#define FLUSHO	 0x800000
#define PENDIN	 0x20000000
#define IEXTEN	 0x400
#define EXTPROC	 0x10000000

#endif
