/*
 * The emulated architectural PMU: what its own files share.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef I386_TCG_PMU_INTERNAL_H
#define I386_TCG_PMU_INTERNAL_H

/* Privilege as the PMU knows it: USR is every CPL but 0. */
#define X86_PMU_RING_OS         1
#define X86_PMU_RING_USR        2

/* IA32_PERFEVTSELx (SDM vol. 3, "Architectural Performance Monitoring"). */
#define EVTSEL_EVENT(sel)       ((uint8_t)(sel))
#define EVTSEL_UMASK(sel)       ((uint8_t)((sel) >> 8))
#define EVTSEL_USR              (1ull << 16)
#define EVTSEL_OS               (1ull << 17)
#define EVTSEL_EDGE             (1ull << 18)
#define EVTSEL_INT              (1ull << 20)
#define EVTSEL_ANY              (1ull << 21)
#define EVTSEL_EN               (1ull << 22)
#define EVTSEL_INV              (1ull << 23)
#define EVTSEL_CMASK(sel)       ((uint8_t)((sel) >> 24))

/* IA32_FIXED_CTR_CTRL: four bits for each counter. */
#define FIXED_CTRL(ctrl, i)     (((ctrl) >> (4 * (i))) & 0xf)
#define FIXED_CTRL_OS           1
#define FIXED_CTRL_USR          2
#define FIXED_CTRL_ANY          4
#define FIXED_CTRL_PMI          8

/* IA32_PERF_GLOBAL_STATUS and the registers of the same layout. */
#define GLOBAL_FIXED_SHIFT      32
#define GLOBAL_LBR_FRZ          (1ull << 58)
#define GLOBAL_CTR_FRZ          (1ull << 59)
#define GLOBAL_OVF_BUF          (1ull << 62)
#define GLOBAL_COND_CHGD        (1ull << 63)

/* IA32_DEBUGCTL. */
#define DEBUGCTL_LBR                    (1ull << 0)
#define DEBUGCTL_BTF                    (1ull << 1)
#define DEBUGCTL_FREEZE_PERFMON_ON_PMI  (1ull << 12)

/* IA32_PERF_CAPABILITIES. */
#define PERF_CAP_FW_WRITE       (1ull << 13)

/* All bits of a counter. */
static inline uint64_t pmu_counter_mask(const X86CPU *cpu)
{
    return MAKE_64BIT_MASK(0, cpu->pmu_config.width_bits);
}

/* The counters' bits in the global registers. */
static inline uint64_t pmu_global_mask(const X86CPU *cpu)
{
    return MAKE_64BIT_MASK(0, cpu->pmu_config.nr_gp) |
           MAKE_64BIT_MASK(GLOBAL_FIXED_SHIFT, X86_PMU_NR_FIXED);
}

/*
 * pmu_event_weights: digest an event selection: what one instruction and
 * additionally one branch adds to the counter.  Both 0: it never moves.
 */
void pmu_event_weights(uint64_t evtsel, uint8_t *per_insn,
                       uint8_t *per_branch);

/*
 * pmu_event_tell_unmodelled: a counter counts @evtsel.  If no event models the
 * selection, warn the user, once for each pair of event and umask.  Any vCPU's
 * thread may call it.
 */
void pmu_event_tell_unmodelled(uint64_t evtsel);

/*
 * pmu_reconfigure: the control registers have changed; count by them from
 * here on.  All that has retired must have been settled (x86_pmu_resync).
 */
void pmu_reconfigure(CPUX86State *env);

/*
 * pmu_resync_before_insn: as x86_pmu_resync, but the running instruction, the
 * last of its block, is left to be counted later.
 */
void pmu_resync_before_insn(CPUX86State *env);

#endif /* I386_TCG_PMU_INTERNAL_H */
