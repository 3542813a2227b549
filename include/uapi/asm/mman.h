/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags of mappings of the ISA that is compiled for. */
#ifdef __alpha__
#include "../asm-alpha/mman.h"
#else
#include "../asm-x86_64/mman.h"
#endif
