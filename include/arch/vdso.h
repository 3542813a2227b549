/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of every ISA: the vDSO, the shared object for its programs. */
#ifndef ARCH_VDSO_H
#define ARCH_VDSO_H

#include <stdbool.h>

/* The object, an ELF file whose one segment starts with it. Empty: there is none. */
extern const unsigned char arch_vdso_start[], arch_vdso_end[];

/* Returns whether the object can find out on which CPU it runs. Any context. */
bool arch_vdso_knows_cpu(void);

#endif
