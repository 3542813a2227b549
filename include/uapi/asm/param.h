/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks of the ISA that is compiled for. */
#ifdef __alpha__
#include "../asm-alpha/param.h"
#else
#include "../asm-x86_64/param.h"
#endif
