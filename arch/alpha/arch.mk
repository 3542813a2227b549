# SPDX-License-Identifier: BSD-2-Clause
# What kernel.mk needs to know of Alpha: flags, and which of newlib's string functions. There is no vDSO.

# No floating-point registers, and code and small data within reach of one GP.
KERNEL_CFLAGS += -mcpu=ev67 -mno-fp-regs -msmall-text -msmall-data
# There may be no breakpoint registers: loops over them are empty.
KERNEL_CFLAGS += -Wno-type-limits -Wno-stringop-overflow -Wno-zero-length-bounds
ifeq ($(DEBUG),1)
# There is more data than what 16 bits reach.
KERNEL_CFLAGS += -G0
endif
KERNEL_LDFLAGS += -z max-page-size=0x2000
NEWLIB_STRING += memcpy memmove memset
