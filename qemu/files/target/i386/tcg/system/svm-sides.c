/*
 * The translations of the two sides of SVM: see svm-sides.h.
 *
 * A model that has to know the pages (pmu-log.c) learns of them when the TLB is
 * filled, and has one page for an address: while it counts, every change of the
 * side flushes all.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/cputlb.h"
#include "pmu-internal.h"

/* The control registers as they are; a VMRUN's other fields are for the caller. */
static SVMSide present(CPUX86State *env)
{
    return (SVMSide) {
        .cr0 = env->cr[0], .cr3 = env->cr[3], .cr4 = env->cr[4],
        .efer = env->efer,
    };
}

static bool is_same(const SVMSide *one, const SVMSide *other)
{
    return one->cr0 == other->cr0 && one->cr3 == other->cr3 &&
           one->cr4 == other->cr4 && one->efer == other->efer &&
           one->asid == other->asid && one->nested == other->nested &&
           (!one->nested || (one->nested_cr3 == other->nested_cr3 &&
                             one->nested_pg_mode == other->nested_pg_mode));
}

static void begin(CPUX86State *env)
{
    if (env->pmu.items && pmu_log_has_pages(env)) {
        tlb_flush(env_cpu(env));
    }
    env->svm_sides.loading = true;
}

void svm_leave_host(CPUX86State *env)
{
    env->svm_sides.host = present(env);
    env->svm_sides.entered = false;
}

void svm_enter_guest(CPUX86State *env, SVMSide guest)
{
    SVMSides *s = &env->svm_sides;

    guest.nested = env->hflags2 & HF2_NPT_MASK;
    guest.nested_cr3 = env->nested_cr3;
    guest.nested_pg_mode = env->nested_pg_mode;
    if (!is_same(&guest, &s->guest)) {
        svm_flush_guest(env);
    }
    s->guest = guest;
    s->entered = true;
    begin(env);
}

void svm_leave_guest(CPUX86State *env)
{
    SVMSides *s = &env->svm_sides;
    SVMSide left = present(env);

    left.asid = s->entered ? s->guest.asid : 0;
    left.nested = s->guest.nested;
    left.nested_cr3 = s->guest.nested_cr3;
    left.nested_pg_mode = s->guest.nested_pg_mode;
    s->guest = left;
}

void svm_enter_host(CPUX86State *env, SVMSide host)
{
    if (!is_same(&host, &env->svm_sides.host)) {
        tlb_flush_by_mmuidx(env_cpu(env), x86_side_mmu_indexes(env));
    }
    begin(env);
}

void svm_entered(CPUX86State *env)
{
    env->svm_sides.loading = false;
}

void svm_flush_guest(CPUX86State *env)
{
    tlb_flush_by_mmuidx(env_cpu(env), MMU_SIDE_INDEXES << MMU_GUEST_SIDE |
                                      1 << MMU_NESTED_IDX);
}
