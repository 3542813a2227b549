/* SPDX-License-Identifier: BSD-2-Clause */
/* machine/_termios.h - terminal settings as TCGETS and TCSETS have them on Linux/alpha (its asm/termbits.h). */
#ifndef _MACHINE__TERMIOS_H
#define _MACHINE__TERMIOS_H

#define NCCS KERNEL_NCCS

struct termios {
	tcflag_t c_iflag;
	tcflag_t c_oflag;
	tcflag_t c_cflag;
	tcflag_t c_lflag;
	cc_t c_cc[NCCS];
	cc_t c_line;
	speed_t c_ispeed;
	speed_t c_ospeed;
};

#endif /* _MACHINE__TERMIOS_H */
