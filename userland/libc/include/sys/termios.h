/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/termios.h - terminal settings in the kernel's layout (asm-generic/termbits.h).
 *
 * The kernel's structure ends after 19 control characters; POSIX's speeds are kept in the
 * control flags, as Linux keeps them.
 */
#ifndef _SYS_TERMIOS_H
#define _SYS_TERMIOS_H

typedef unsigned char cc_t;
typedef unsigned int speed_t;
typedef unsigned int tcflag_t;

#define NCCS 19

struct termios {
	tcflag_t c_iflag;
	tcflag_t c_oflag;
	tcflag_t c_cflag;
	tcflag_t c_lflag;
	cc_t c_line;
	cc_t c_cc[NCCS];
};

#define VINTR	  0
#define VQUIT	  1
#define VERASE	  2
#define VKILL	  3
#define VEOF	  4
#define VTIME	  5
#define VMIN	  6

#define BRKINT	  0000002
#define ICRNL	  0000400
#define INLCR	  0000100
#define IXON	  0002000
#define OPOST	  0000001
#define ONLCR	  0000004
#define CSIZE	  0000060
#define CS8	  0000060
#define ISIG	  0000001
#define ICANON	  0000002
#define ECHO	  0000010
#define ECHOE	  0000020
#define IEXTEN	  0100000

#define TCSANOW	  0
#define TCSADRAIN 1
#define TCSAFLUSH 2

#ifdef __cplusplus
extern "C" {
#endif

int tcgetattr(int fd, struct termios *settings);
int tcsetattr(int fd, int when, const struct termios *settings);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_TERMIOS_H */
