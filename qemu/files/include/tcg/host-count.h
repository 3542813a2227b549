/*
 * Counters in memory, by one instruction of the host
 *
 * A block that charges a counter in the CPU's state and asks whether the count
 * is used up does so by an addition to memory and a branch on its flags, in
 * place of a load, an addition, a store and a comparison.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TCG_HOST_COUNT_H
#define TCG_HOST_COUNT_H

enum TCGHostCount {
    TCG_HOST_COUNT_ADD_64,      /* add ADDEND; branch if the sum is negative */
    TCG_HOST_COUNT_ADD_32,      /* the same with 32 bits */
    TCG_HOST_COUNT_TEST_32,     /* ADDEND is 0; branch if it is negative */
};

/* Whether the host has the operation. */
bool tcg_has_host_count(void);

/*
 * Changes or tests the counter at OFFSET from env, and branches to LABEL or
 * not. ADDEND is in the counter's unit. Returns the operation. Any target, while
 * it translates.
 */
TCGOp *tcg_gen_host_count(enum TCGHostCount how, intptr_t offset,
                          int32_t addend, TCGLabel *label);

/* Replaces the ADDEND of OP, before its block becomes code of the host. */
void tcg_set_host_count_addend(TCGOp *op, int32_t addend);

#endif
