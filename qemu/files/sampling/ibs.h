/*
 * Instruction-based sampling of AMD's CPUs: the contents of its registers.
 *
 * What a control register holds, how far its counter is from the next sample,
 * and how a sample is written into the data registers.  It knows neither QEMU nor
 * the emulated CPU: tcg/system/pmu-ibs.c of the x86 target has the registers,
 * and takes the samples.
 *
 * Sources: APM (AMD64 Architecture Programmer's Manual) vol. 2, "Instruction-
 * Based Sampling", and the BKDG of family 10h and the PPR of family 19h for the bits.
 *
 * All functions are pure.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef SAMPLING_IBS_H
#define SAMPLING_IBS_H

#include <stdbool.h>
#include <stdint.h>

/* CPUID 8000_001B EAX: what is there. */
#define IBS_CAPABILITIES        0xffu   /* IBSFFV, FetchSam, OpSam, RdWrOpCnt,
                                           OpCnt, BrnTrgt, OpCntExt,
                                           RipInvalidChk */

/* IbsFetchCtl. */
#define IBS_FETCH_ENABLE        (1ull << 48)
#define IBS_FETCH_VALID         (1ull << 49)
#define IBS_FETCH_COMPLETED     (1ull << 50)
#define IBS_FETCH_PHYSICAL      (1ull << 52)    /* IbsFetchPhysAd is valid */
#define IBS_FETCH_RANDOM        (1ull << 57)
#define IBS_FETCH_BITS          0x07ffffffffffffffull

/* IbsOpCtl. */
#define IBS_OP_ENABLE           (1ull << 17)
#define IBS_OP_VALID            (1ull << 18)
#define IBS_OP_DISPATCHED       (1ull << 19)    /* count ops, not cycles */
#define IBS_OP_BITS             0x07ffffff07feffffull

/* IbsCtl. */
#define IBS_CTL_LVT_VALID       (1ull << 8)

/* IbsOpData. */
#define IBS_DATA_TAG_TO_RETIRE  16      /* the lowest bit of the field */
#define IBS_DATA_RETURN         (1ull << 34)
#define IBS_DATA_TAKEN          (1ull << 35)
#define IBS_DATA_BRANCH         (1ull << 37)

/* IbsOpData3. */
#define IBS_DATA3_LOAD          (1ull << 0)
#define IBS_DATA3_STORE         (1ull << 1)
#define IBS_DATA3_UNCACHEABLE   (1ull << 14)
#define IBS_DATA3_LINEAR        (1ull << 17)    /* IbsDcLinAd is valid */
#define IBS_DATA3_PHYSICAL      (1ull << 18)    /* IbsDcPhysAd is valid */
#define IBS_DATA3_WIDTH         22      /* the lowest bit of the field */

/* What is known of an instruction that is sampled. */
typedef struct IbsSample {
    uint64_t rip;
    uint64_t fetch_address;     /* of its first byte, linear */
    bool branch, near_return, taken;
    uint64_t target;            /* of a branch that is taken */
    bool loads, stores;
    uint64_t address;           /* of its first access, linear */
    unsigned size;              /* of that access, in bytes */
    uint64_t physical;
    bool has_physical, is_device;
} IbsSample;

/* The registers that a sample of an op fills in. */
typedef struct IbsOpRegisters {
    uint64_t rip, data, data2, data3, linear, physical, target;
} IbsOpRegisters;

/*
 * ibs_fetch_left, ibs_op_left: the fetches, or the ops or cycles, up to and with
 * the one that is sampled, at least 1.  0: the counter does not run, because it is
 * not enabled, the last sample is still valid, or the maximum is 0.
 */
uint64_t ibs_fetch_left(uint64_t control);
uint64_t ibs_op_left(uint64_t control);

/*
 * ibs_fetch_control, ibs_op_control: the control register, as it is read when so
 * much is left.  @left: as above, and not 0.
 */
uint64_t ibs_fetch_control(uint64_t control, uint64_t left);
uint64_t ibs_op_control(uint64_t control, uint64_t left);

/*
 * ibs_fetch_sampled, ibs_op_sampled: the control register after a sample: it is
 * valid.  The count of fetches stays at the maximum, and that of ops is 0 again: so
 * Linux's driver reads them.
 */
uint64_t ibs_fetch_sampled(uint64_t control, bool has_physical);
uint64_t ibs_op_sampled(uint64_t control);

/* ibs_op_fill: the data registers of a sample. */
void ibs_op_fill(IbsOpRegisters *to, const IbsSample *sample);

#endif /* SAMPLING_IBS_H */
