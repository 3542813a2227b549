/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cost.h - what window.S executes beside the work, on Alpha, and how many events selfmon counts at a time. There is no
 * instruction that reads a counter.
 */
#ifndef SELFMON_ALPHA_COST_H
#define SELFMON_ALPHA_COST_H

#define COUNTED_EVENTS	      2
#define WINDOW_READS_DIRECTLY 0

/* Between the two counter reads in the kernel: 0-9. */
static const struct window_cost window_call_cost = { .instructions = 10, .branches = 1 };
/* There are none. */
static const struct window_cost window_direct_cost, window_lead_cost;

#endif /* SELFMON_ALPHA_COST_H */
