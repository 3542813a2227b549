/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals of the ISA that is compiled for. */
#ifdef __alpha__
#include "../asm-alpha/signal.h"
#else
#include "../asm-x86_64/signal.h"
#endif
