/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of terminals that differ between ISAs. Source: Linux's asm-generic/termbits.h, ioctls.h.
 */
#ifndef _UAPI_ASM_TERMIOS_H
#define _UAPI_ASM_TERMIOS_H

#include <stdint.h>

/* Requests. */
#define TCGETS	    0x5401
#define TCSETS	    0x5402
#define TCSETSW	    0x5403
#define TCSETSF	    0x5404
#define TCGETA	    0x5405
#define TCSETA	    0x5406
#define TCSETAW	    0x5407
#define TCSETAF	    0x5408
#define TCSBRK	    0x5409
#define TCXONC	    0x540a
#define TCFLSH	    0x540b
#define TIOCGPGRP   0x540f
#define TIOCSPGRP   0x5410
#define TIOCOUTQ    0x5411
#define TIOCGWINSZ  0x5413
#define TIOCSWINSZ  0x5414
#define FIONREAD    0x541b
#define FIONBIO	    0x5421
#define FIONCLEX    0x5450
#define FIOCLEX	    0x5451
#define FIOASYNC    0x5452

#define KERNEL_NCCS 19

/* The structure of TCGETS2 and TCSETS2. */
struct kernel_termios2 {
	uint32_t c_iflag;
	uint32_t c_oflag;
	uint32_t c_cflag;
	uint32_t c_lflag;
	uint8_t c_line;
	uint8_t c_cc[KERNEL_NCCS];
	uint32_t c_ispeed, c_ospeed; /* bits a second; not in struct kernel_termios */
};

/* The structure of TCGETS and TCSETS: the first part of the other. */
struct kernel_termios {
	uint32_t c_iflag;
	uint32_t c_oflag;
	uint32_t c_cflag;
	uint32_t c_lflag;
	uint8_t c_line;
	uint8_t c_cc[KERNEL_NCCS];
};

/* Indices of c_cc. */
#define VINTR	 0
#define VQUIT	 1
#define VERASE	 2
#define VKILL	 3
#define VEOF	 4
#define VTIME	 5
#define VMIN	 6
#define VSWTC	 7
#define VSTART	 8
#define VSTOP	 9
#define VSUSP	 10
#define VEOL	 11
#define VREPRINT 12
#define VDISCARD 13
#define VWERASE	 14
#define VLNEXT	 15
#define VEOL2	 16

/* c_iflag */
#define IUCLC	 0x0200
#define IXON	 0x0400
#define IXOFF	 0x1000

/* c_oflag */
#define OLCUC	 0x0002
#define ONLCR	 0x0004
#define TABDLY	 0x1800
#define XTABS	 0x1800

/* c_cflag */
#define CBAUD	 0x100f
#define CBAUDEX	 0x1000
#define BOTHER	 0x1000
#define CSIZE	 0x30
#define CS8	 0x30
#define CREAD	 0x80
#define PARENB	 0x100
#define HUPCL	 0x400
#define CLOCAL	 0x800
#define CIBAUD	 0x100f0000

/* c_lflag */
#define ISIG	 0x1
#define ICANON	 0x2
#define ECHOE	 0x10
#define ECHOK	 0x20
#define ECHONL	 0x40
#define NOFLSH	 0x80
#define TOSTOP	 0x100
#define ECHOCTL	 0x200
#define ECHOPRT	 0x400
#define ECHOKE	 0x800
#define FLUSHO	 0x1000
#define PENDIN	 0x4000
#define IEXTEN	 0x8000
#define EXTPROC	 0x10000

#endif
