/* SPDX-License-Identifier: BSD-2-Clause */
/* One step of a walk of a kernel stack. */
#ifndef BACKTRACE_H
#define BACKTRACE_H

#include <stdbool.h>
#include <stdint.h>

/* Where some function is: at PC, with stack pointer SP. */
struct place {
	uintptr_t pc, sp;
};

/* Makes of *PLACE where its caller goes on. RETURN_ADDRESS: what $26 holds there, 0 if that is not known (the
 * function has called others). False: not to be seen. Any context. */
bool backtrace_step(struct place *place, uintptr_t return_address);

#endif
