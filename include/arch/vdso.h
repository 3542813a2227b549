/* SPDX-License-Identifier: BSD-2-Clause */
/* What an ISA provides of the vDSO: the shared object for its programs. */
#ifndef ARCH_VDSO_H
#define ARCH_VDSO_H

#include <stdbool.h>

/* The object, an ELF file whose one segment begins at its start. Empty: there is none. */
extern const unsigned char arch_vdso_start[], arch_vdso_end[];

/* Whether the object can tell on which CPU it runs. Any context. */
bool arch_vdso_knows_cpu(void);

#endif
