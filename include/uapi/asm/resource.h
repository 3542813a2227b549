/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of limits of the ISA that is compiled for. */
#ifdef __alpha__
#include "../asm-alpha/resource.h"
#else
#include "../asm-x86_64/resource.h"
#endif
