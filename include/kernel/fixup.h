/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults that the kernel foresees: those of the ISA's functions that touch user memory (<arch/usercopy.h>). */
#ifndef KERNEL_FIXUP_H
#define KERNEL_FIXUP_H

#include <stdint.h>

/* Where a fault of the kernel at INSTRUCTION goes on, 0: it is not foreseen. Any context. */
uintptr_t fixup_find(uintptr_t instruction);

#endif
