/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/termios.h - terminal settings in the kernel's layout, which is the ISA's (machine/_termios.h), and
 * the numbers of their bits and indices, which are the kernel's.
 *
 * Speeds are kept in the control flags, as Linux keeps them.
 */
#ifndef _SYS_TERMIOS_H
#define _SYS_TERMIOS_H

#include <linux/termios.h>

typedef unsigned char cc_t;
typedef unsigned int speed_t;
typedef unsigned int tcflag_t;

#include <machine/_termios.h>

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
