/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals about an event: an overflow notes them, the deferred work sends them.
 */
#ifndef KERNEL_PERF_SIGNAL_H
#define KERNEL_PERF_SIGNAL_H

#include <stdint.h>

struct perf_context;
struct perf_event;
struct trap_frame;

/* Notes that EVENT overflowed for POLL_CODE (POLL_IN, or POLL_HUP: for the last time), for a signal to the
 * owner of its file, if there is one (O_ASYNC). Any context, NMI included. */
void perf_event_note_owner(struct perf_event *event, int poll_code);

/* Notes that EVENT, with attr.sigtrap, overflowed at FRAME (NULL: unknown) with data ADDRESS, for a SIGTRAP
 * to its task, which runs. Any context, NMI included. */
void perf_event_note_trap(struct perf_event *event, const struct trap_frame *frame,
			  uint64_t address);

/* Sends the noted signals. Interrupt context, interrupts off. */
void perf_event_send_signals(struct perf_event *event);

/* Sends soon the traps that came too late for the task of CONTEXT, which runs here again. Context locked,
 * interrupts off. */
void perf_context_resend_traps(struct perf_context *context);

#endif
