/* SPDX-License-Identifier: BSD-2-Clause */
/* Alpha has no breakpoint registers; see <arch/breakpoint.h>. */
#ifndef MACHINE_BREAKPOINT_H
#define MACHINE_BREAKPOINT_H

#define ARCH_BREAKPOINTS 0

struct arch_breakpoint {
	char unused;
};

#endif
