/*
 * Instruction-based sampling of AMD's CPUs: see ibs.h.
 *
 * Both counters count up to a maximum: that of fetches in 16 bits that stand for
 * bits 19 to 4 of the count, that of ops in 16 bits for the same ones and 7 more
 * for bits 26 to 20.  The count of ops is there in full; of the fetches' count bits
 * 19 to 4 are, and a write clears the others.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "sampling/ibs.h"

#include <string.h>

#define FIELD(value, low, bits) ((value) >> (low) & ((1ull << (bits)) - 1))
#define MASK(low, bits)         (((1ull << (bits)) - 1) << (low))

#define UNIT_SHIFT              4       /* a maximum's unit is 16 */
#define MAXIMUM_BITS            16
#define FETCH_COUNT             16      /* the lowest bits of fields */
#define FETCH_COUNT_BITS        16
#define OP_EXTENSION            20      /* of the maximum, and in the maximum */
#define OP_EXTENSION_BITS       7
#define OP_COUNT                32
#define OP_COUNT_BITS           27

/* Cycles from tag to retirement. */
#define INSN_CYCLES             1
#define BRANCH_CYCLES           2

static uint64_t fetch_maximum(uint64_t control)
{
    return FIELD(control, 0, MAXIMUM_BITS) << UNIT_SHIFT;
}

static uint64_t op_maximum(uint64_t control)
{
    return FIELD(control, 0, MAXIMUM_BITS) << UNIT_SHIFT |
           (control & MASK(OP_EXTENSION, OP_EXTENSION_BITS));
}

/* A count that has passed the maximum ends with the next event. */
static uint64_t left_of(uint64_t maximum, uint64_t count)
{
    if (maximum == 0) {
        return 0;
    }
    return count < maximum ? maximum - count : 1;
}

uint64_t ibs_fetch_left(uint64_t control)
{
    if ((control & (IBS_FETCH_ENABLE | IBS_FETCH_VALID)) != IBS_FETCH_ENABLE) {
        return 0;
    }
    return left_of(fetch_maximum(control),
                   FIELD(control, FETCH_COUNT, FETCH_COUNT_BITS) << UNIT_SHIFT);
}

uint64_t ibs_op_left(uint64_t control)
{
    if ((control & (IBS_OP_ENABLE | IBS_OP_VALID)) != IBS_OP_ENABLE) {
        return 0;
    }
    return left_of(op_maximum(control), FIELD(control, OP_COUNT, OP_COUNT_BITS));
}

uint64_t ibs_fetch_control(uint64_t control, uint64_t left)
{
    uint64_t count = (fetch_maximum(control) - left) >> UNIT_SHIFT;

    return (control & ~MASK(FETCH_COUNT, FETCH_COUNT_BITS)) |
           count << FETCH_COUNT;
}

uint64_t ibs_op_control(uint64_t control, uint64_t left)
{
    uint64_t count = op_maximum(control) - left;

    return (control & ~MASK(OP_COUNT, OP_COUNT_BITS)) | count << OP_COUNT;
}

uint64_t ibs_fetch_sampled(uint64_t control, bool has_physical)
{
    control &= ~(MASK(FETCH_COUNT, FETCH_COUNT_BITS) | IBS_FETCH_PHYSICAL);
    control |= FIELD(control, 0, MAXIMUM_BITS) << FETCH_COUNT;
    return control | IBS_FETCH_VALID | IBS_FETCH_COMPLETED |
           (has_physical ? IBS_FETCH_PHYSICAL : 0);
}

uint64_t ibs_op_sampled(uint64_t control)
{
    return (control & ~MASK(OP_COUNT, OP_COUNT_BITS)) | IBS_OP_VALID;
}

/* The encoding of OpMemWidth: 1 for a byte, and one more for each doubling. */
static unsigned width_of(unsigned size)
{
    unsigned width = 0;

    for (; size; size >>= 1) {
        width++;
    }
    return width;
}

static void fill_access(IbsOpRegisters *to, const IbsSample *sample)
{
    to->data3 = (sample->loads ? IBS_DATA3_LOAD : 0) |
                (sample->stores ? IBS_DATA3_STORE : 0) | IBS_DATA3_LINEAR |
                (uint64_t)width_of(sample->size) << IBS_DATA3_WIDTH;
    to->linear = sample->address;
    if (sample->is_device) {
        to->data3 |= IBS_DATA3_UNCACHEABLE;
    }
    if (sample->has_physical) {
        to->data3 |= IBS_DATA3_PHYSICAL;
        to->physical = sample->physical;
    }
}

void ibs_op_fill(IbsOpRegisters *to, const IbsSample *sample)
{
    unsigned cycles = sample->branch ? BRANCH_CYCLES : INSN_CYCLES;

    memset(to, 0, sizeof(*to));
    to->rip = sample->rip;
    to->data = (uint64_t)cycles << IBS_DATA_TAG_TO_RETIRE;
    if (sample->branch) {
        to->data |= IBS_DATA_BRANCH | (sample->taken ? IBS_DATA_TAKEN : 0) |
                    (sample->near_return ? IBS_DATA_RETURN : 0);
        to->target = sample->taken ? sample->target : 0;
    }
    if (sample->loads || sample->stores) {
        fill_access(to, sample);
    }
}
