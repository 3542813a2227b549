/* SPDX-License-Identifier: BSD-2-Clause */
/* OSF/1's return from a signal handler, beside Linux's (<arch/signal.h>). */
#ifndef SIGNAL_FRAME_H
#define SIGNAL_FRAME_H

#include <stdint.h>

struct trap_frame;

/*
 * Restores FRAME, a sigreturn's, from the sigcontext at its a0, and stores the signal mask that belongs
 * to it. Task context. -EFAULT: the sigcontext cannot be read.
 */
int signal_return_plain(struct trap_frame *frame, uint64_t *mask);

#endif
