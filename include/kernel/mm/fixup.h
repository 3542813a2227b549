/* SPDX-License-Identifier: BSD-2-Clause */
/* Expected faults of the kernel: those of the ISA's functions that touch user memory (<arch/usercopy.h>),
 * and of instructions that probe the CPU. */
#ifndef KERNEL_FIXUP_H
#define KERNEL_FIXUP_H

#include <stdint.h>

/* Returns where a kernel fault at INSTRUCTION continues; 0: the fault is not expected. Any context. */
uintptr_t fixup_find(uintptr_t instruction);

#endif
