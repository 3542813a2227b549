/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cost.h - what window.S executes beside the work, on x86-64, and how many events selfmon counts at a time.
 */
#ifndef SELFMON_X86_64_COST_H
#define SELFMON_X86_64_COST_H

#define COUNTED_EVENTS	      4
#define WINDOW_READS_DIRECTLY 1

/* Between the two counter reads through the page: 6-23. */
static const struct window_cost window_direct_cost = { .instructions = 18, .branches = 3 };
/* Between the two counter reads in the kernel: 0-38. */
static const struct window_cost window_call_cost = { .instructions = 39, .branches = 6 };
/* From the first reading by read() to the first reading through the page: 0-5. */
static const struct window_cost window_lead_cost = { .instructions = 6, .branches = 1 };

#endif /* SELFMON_X86_64_COST_H */
