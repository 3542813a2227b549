# SPDX-License-Identifier: BSD-2-Clause
# Alpha's part of kernel.mk: flags, and the string functions that come from newlib. There is no vDSO.

# No floating-point registers, and code and small data within reach of one GP.
KERNEL_CFLAGS += -mcpu=ev67 -mno-fp-regs -msmall-text -msmall-data
# Alpha has no breakpoint registers: loops over them are empty.
KERNEL_CFLAGS += -Wno-type-limits -Wno-stringop-overflow -Wno-zero-length-bounds
ifeq ($(DEBUG),1)
# The small data exceeds the reach of 16 bits.
KERNEL_CFLAGS += -G0
endif
KERNEL_LDFLAGS += -z max-page-size=0x2000
NEWLIB_STRING += memcpy memmove memset
