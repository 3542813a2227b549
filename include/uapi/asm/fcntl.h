/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags of open, commands of fcntl of the ISA that is compiled for. */
#ifdef __alpha__
#include "../asm-alpha/fcntl.h"
#else
#include "../asm-x86_64/fcntl.h"
#endif
