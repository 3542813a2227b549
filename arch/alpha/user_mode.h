/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agreement of entry.S and user_mode.c about counters of user mode: the number of an entry's
 * instructions before the test for such counters.
 */
#ifndef USER_MODE_H
#define USER_MODE_H

#define USER_MODE_SAVED 29 /* instructions until the frame is complete, but for a0 … a2 */
#define USER_MODE_ENTRY 39 /* … until the test, in every entry but that of system calls */
#define USER_MODE_CALL	37 /* … in that of system calls */

#ifndef __ASSEMBLER__

#include <stdint.h>

struct trap_frame;

/* Called from entry.S: the counters of user mode are stopped, after the entry that made FRAME. IPL 6 or
 * above; after a system call's entry, returns with IPL 0. */
void user_mode_left(struct trap_frame *frame);

/* Called from entry.S before it loads the registers: about to return to user mode. Returns wrperfmon's
 * argument: the values to write to counters and the counters to enable; 0: there are none. IPL 6. */
uint64_t user_mode_begins(void);

#endif /* !__ASSEMBLER__ */
#endif
