/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's side of x86-64's vDSO. */
#include <arch/vdso.h>

#include "features.h"

bool arch_vdso_knows_cpu(void)
{
	return cpu_features.rdtscp;
}
