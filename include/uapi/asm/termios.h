/* SPDX-License-Identifier: BSD-2-Clause */
/* Modes of terminals of the ISA that is compiled for. */
#ifdef __alpha__
#include "../asm-alpha/termios.h"
#else
#include "../asm-x86_64/termios.h"
#endif
