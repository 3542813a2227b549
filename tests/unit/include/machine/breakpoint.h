/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated machine's breakpoints: as many as x86-64 has. */
#ifndef MACHINE_BREAKPOINT_H
#define MACHINE_BREAKPOINT_H

#include <stdint.h>

#define ARCH_BREAKPOINTS 4

struct arch_breakpoint {
	uint64_t address;
	uint32_t type;
};

#endif
