/* SPDX-License-Identifier: BSD-2-Clause */
/* Breakpoints for single steps, put in and taken out on the way to user mode and from it; see step.c. */
#ifndef STEP_H
#define STEP_H

#include <stdbool.h>
#include <stdint.h>

struct trap_frame;

/* The running task, which is stepped and goes on with FRAME, will stop behind one instruction. Task context,
 * interrupts on. */
void step_insert(struct trap_frame *frame);
/* Takes out what is in the running task's memory; whether ADDRESS was among it. The same context. */
bool step_remove(uintptr_t address);

#endif
