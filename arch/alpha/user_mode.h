/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What entry.S and user_mode.c agree on about counters of user mode: how many instructions of an entry there
 * are before it looks whether such a counter counts.
 */
#ifndef USER_MODE_H
#define USER_MODE_H

#define USER_MODE_SAVED 29 /* instructions until the frame is made, and but for a0 … a2 complete */
#define USER_MODE_ENTRY 39 /* … until the look, in every entry but that of system calls */
#define USER_MODE_CALL	37 /* … in that one */

#ifndef __ASSEMBLER__

#include <stdint.h>

struct trap_frame;

/* From entry.S: the counters of user mode have been halted, behind the entry that made FRAME. IPL 6 or above,
 * and behind a system call's entry 0 afterwards. */
void user_mode_left(struct trap_frame *frame);

/* From entry.S, before the registers are loaded: user mode comes. What wrperfmon is to write to counters and let
 * count; 0: there is nothing to count. IPL 6. */
uint64_t user_mode_begins(void);

#endif /* !__ASSEMBLER__ */
#endif
