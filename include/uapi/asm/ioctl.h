/* SPDX-License-Identifier: BSD-2-Clause */
/* The packing of ioctl requests of the ISA that is compiled for. */
#ifdef __alpha__
#include "../asm-alpha/ioctl.h"
#else
#include "../asm-x86_64/ioctl.h"
#endif
