/* SPDX-License-Identifier: BSD-2-Clause */
/* OSF/1's way back from a signal handler, beside Linux's (<arch/signal.h>). */
#ifndef SIGNAL_FRAME_H
#define SIGNAL_FRAME_H

#include <stdint.h>

struct trap_frame;

/*
 * Makes FRAME, a sigreturn's, what the sigcontext at its a0 says, and tells the mask that belongs to it. In task
 * context. -EFAULT: it cannot be read.
 */
int signal_return_plain(struct trap_frame *frame, uint64_t *mask);

#endif
