/* SPDX-License-Identifier: BSD-2-Clause */
/* x86-64's breakpoints; see <arch/breakpoint.h>. */
#ifndef MACHINE_BREAKPOINT_H
#define MACHINE_BREAKPOINT_H

#include <stdint.h>

/* DR0 … DR3. */
#define ARCH_BREAKPOINTS 4

struct arch_breakpoint {
	uint64_t address;
	uint8_t type, size_code; /* R/Wn and LENn of DR7 */
};

#endif
