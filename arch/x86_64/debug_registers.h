/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug exceptions: finding the cause and reporting it. Bits of DR6 and DR7: SDM vol. 3B 18.2.
 */
#ifndef DEBUG_REGISTERS_H
#define DEBUG_REGISTERS_H

#include <stdint.h>

struct trap_frame;

/* DR6: breakpoint n was hit; a single step. */
#define DR6_HIT(n)	   (1ul << (n))
#define DR6_HITS	   0x0000000f
#define DR6_STEP	   0x00004000
/* The value of DR6 when nothing has happened: some bits are 1 then and 0 after an event. */
#define DR6_NOTHING	   0xffff0ff0

/* DR7 with everything off: one bit is always 1. */
#define DR7_NOTHING	   0x00000400
/* Breakpoint n: enabled for one task or for all, its type, its size. */
#define DR7_ENABLED(n)	   (3ul << (2 * (n)))
#define DR7_ENABLE(n)	   (2ul << (2 * (n)))
#define DR7_TYPE_SHIFT(n)  (16 + 4 * (n))
#define DR7_SIZE_SHIFT(n)  (18 + 4 * (n))
#define DR7_FIELD(n)	   (0xful << DR7_TYPE_SHIFT(n))
#define DR7_TYPE_EXECUTE   0
#define DR7_TYPE_WRITE	   1
#define DR7_TYPE_READWRITE 3
#define DR7_SIZE_1	   0
#define DR7_SIZE_2	   1
#define DR7_SIZE_8	   2
#define DR7_SIZE_4	   3

/* Handles a debug exception of user code, FRAME on its task's own stack: reports hits. Returns the
 * si_code of the SIGTRAP that is due, 0: none. Interrupts off. */
int debug_user_exception(struct trap_frame *frame);

/* Handles a debug exception of the kernel: the same, but for signals. Returns whether it found a cause.
 * Context as in an NMI. */
int debug_kernel_exception(struct trap_frame *frame);

#endif
