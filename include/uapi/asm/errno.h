/* SPDX-License-Identifier: BSD-2-Clause */
/* Error numbers of the ISA that is compiled for. */
#ifdef __alpha__
#include "../asm-alpha/errno.h"
#else
#include "../asm-x86_64/errno.h"
#endif
