/*
 * REP MOVS and REP STOS in pieces of pages
 *
 * Translated code makes one pass of a REP string instruction at a time, with a
 * look-up in the TLB for each access; under -icount each pass is a block of
 * its own.  Kernels clear and copy pages in this way.  Before a pass, translated
 * code asks here to make as many passes as are only bytes moved in the host's
 * memory: within pages of RAM that the TLB has as such, none of them watched,
 * or with translated code in it.  One pass always remains, and it and all that
 * is not so plain is left to translated code: faults, the last pass, the flags.
 *
 * A pass costs the same time of -icount here as there, so that virtual time, and
 * every count, is as before.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/cpu_ldst.h"
#include "exec/helper-proto.h"
#include "exec/target_page.h"
#include "tcg/helper-tcg.h"

/* As translated code: other CPUs' requests wait for no more passes. */
#define MOST_PASSES 65535

/* The bytes from @addr to the end of its page. */
static uint64_t left_in_page(uint64_t addr)
{
    return -(addr | TARGET_PAGE_MASK);
}

static void fill(uint8_t *to, uint64_t value, unsigned size, uint64_t passes)
{
    if (size == 1) {
        memset(to, value, passes);
        return;
    }
    for (; passes; passes--, to += size) {
        memcpy(to, &value, size);       /* the host is little-endian */
    }
}

/* Makes up to @most passes, all in one page of each side. Returns how many. */
static uint64_t make_passes(CPUX86State *env, uint32_t info, uint64_t most)
{
    unsigned log2 = info & X86_STRING_SIZE;
    int mmu_idx = info >> X86_STRING_MMU_INDEX;
    uint64_t to = env->regs[R_EDI], from = env->regs[R_ESI];
    uint64_t passes = MIN(most, left_in_page(to) >> log2);
    uint8_t *source = NULL, *target;

    if (info & X86_STRING_MOVS) {
        passes = MIN(passes, left_in_page(from) >> log2);
        if (passes) {
            source = tlb_vaddr_to_host(env, from, MMU_DATA_LOAD, mmu_idx);
        }
        if (!source) {
            return 0;
        }
    }
    target = passes ? tlb_vaddr_to_host(env, to, MMU_DATA_STORE, mmu_idx)
                    : NULL;
    if (!target) {
        return 0;
    }
    if (!source) {
        fill(target, env->regs[R_EAX], 1u << log2, passes);
    } else if (target <= source || target >= source + (passes << log2)) {
        memmove(target, source, passes << log2);
        env->regs[R_ESI] += passes << log2;
    } else {
        /* A pass reads what an earlier one has written. */
        return 0;
    }
    env->regs[R_EDI] += passes << log2;
    env->regs[R_ECX] -= passes;
    return passes;
}

void helper_string_passes(CPUX86State *env, uint32_t info)
{
    CPUState *cs = env_cpu(env);
    uint64_t left = MIN(env->regs[R_ECX] - 1, MOST_PASSES), passes;

    if (env->df != 1 || !env->regs[R_ECX]) {
        return;
    }
    if (info & X86_STRING_ICOUNT) {
        left = MIN(left, cs->neg.icount_decr.u16.low);
    }
    while (left && (passes = make_passes(env, info, left))) {
        left -= passes;
        if (info & X86_STRING_ICOUNT) {
            cs->neg.icount_decr.u16.low -= passes;
        }
    }
}
