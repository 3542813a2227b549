/* SPDX-License-Identifier: BSD-2-Clause */
/* Options of sockets of the ISA that is compiled for. */
#ifdef __alpha__
#include "../asm-alpha/socket.h"
#else
#include "../asm-x86_64/socket.h"
#endif
