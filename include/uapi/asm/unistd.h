/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of system calls of the ISA that is compiled for. */
#ifdef __alpha__
#include "../asm-alpha/unistd.h"
#else
#include "../asm-x86_64/unistd.h"
#endif
