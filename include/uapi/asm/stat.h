/* SPDX-License-Identifier: BSD-2-Clause */
/* Structures of stat and statfs of the ISA that is compiled for. */
#ifdef __alpha__
#include "../asm-alpha/stat.h"
#else
#include "../asm-x86_64/stat.h"
#endif
