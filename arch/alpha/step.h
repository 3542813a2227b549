/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints for single steps: inserted on the exit path, removed on entry; see step.c. */
#ifndef STEP_H
#define STEP_H

#include <stdbool.h>
#include <stdint.h>

struct trap_frame;

/* Makes the running task, which is being stepped and continues with FRAME, stop after one instruction.
 * Task context, interrupts on. */
void step_insert(struct trap_frame *frame);
/* Removes the breakpoints from the running task's memory; returns whether ADDRESS was one of them. The
 * same context. */
bool step_remove(uintptr_t address);

#endif
