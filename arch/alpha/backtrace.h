/* SPDX-License-Identifier: BSD-2-Clause */
/* One step of a walk of a kernel stack. */
#ifndef BACKTRACE_H
#define BACKTRACE_H

#include <stdbool.h>
#include <stdint.h>

/* A place in a function: at PC, with stack pointer SP. */
struct place {
	uintptr_t pc, sp;
};

/* Moves *PLACE to its caller. RETURN_ADDRESS: the value of $26 there, 0 if it is not known (the
 * function has called others). False: the caller cannot be found. Any context. */
bool backtrace_step(struct place *place, uintptr_t return_address);

#endif
