/* SPDX-License-Identifier: BSD-2-Clause */
/* The vDSO of x86-64 as the kernel has it: the object that vdso/ makes, and what it relies on. */
#include <arch/vdso.h>

#include "features.h"

bool arch_vdso_knows_cpu(void)
{
	return cpu_features.rdtscp;
}
