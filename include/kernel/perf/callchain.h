/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains of samples (PERF_SAMPLE_CALLCHAIN): the instruction and its callers, in the kernel and
 * in user space, innermost first.
 */
#ifndef KERNEL_PERF_CALLCHAIN_H
#define KERNEL_PERF_CALLCHAIN_H

#include <stdint.h>

#include <uapi/linux/perf_event.h>

struct perf_event;
struct trap_frame;

/* Addresses of one part each, and the marks in front of them. */
#define PERF_CALLCHAIN_ENTRIES (PERF_MAX_STACK_DEPTH + 2)

struct perf_callchain {
	uint64_t count;
	uint64_t entries[PERF_CALLCHAIN_ENTRIES]; /* PERF_CONTEXT_* marks and addresses */
};

/* Makes CHAIN that of a sample of EVENT which interrupted FRAME, with the user registers USER (NULL:
 * there are none). Any context, NMI included. */
void perf_callchain_take(struct perf_callchain *chain, const struct perf_event *event,
			 const struct trap_frame *frame, const struct trap_frame *user);

#endif
