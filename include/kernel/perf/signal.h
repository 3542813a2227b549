/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals about an event: noted by an overflow, sent by the deferred work.
 */
#ifndef KERNEL_PERF_SIGNAL_H
#define KERNEL_PERF_SIGNAL_H

#include <stdint.h>

struct perf_context;
struct perf_event;
struct trap_frame;

/* EVENT overflowed for POLL_CODE (POLL_IN, or POLL_HUP: for the last time): the owner of its file is to
 * be told, if there is one (O_ASYNC). Any context, NMI included. */
void perf_event_note_owner(struct perf_event *event, int poll_code);

/* EVENT, with attr.sigtrap, overflowed at FRAME (NULL: unknown), about data ADDRESS: its task, which
 * runs, is to get SIGTRAP. Any context, NMI included. */
void perf_event_note_trap(struct perf_event *event, const struct trap_frame *frame,
			  uint64_t address);

/* Sends what was noted. Interrupt context, interrupts off. */
void perf_event_send_signals(struct perf_event *event);

/* The task of CONTEXT runs here again: traps that came too late for it are sent soon. Context's lock
 * held, interrupts off. */
void perf_context_resend_traps(struct perf_context *context);

#endif
