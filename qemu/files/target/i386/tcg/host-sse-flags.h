/*
 * x86: the guest's MXCSR in the host's register
 *
 * While a vCPU executes, MXCSR of its thread has the guest's mode, that is
 * rounding, FTZ and DAZ, and masks all exceptions. An instruction that the host
 * computes is the guest's own. It raises its flags in the host's MXCSR, and no code
 * reads them after each instruction: host_sse_gather() adds them to env's when
 * a reader asks, and when the vCPU stops. softfloat has its mode and its flags in
 * env->sse_status; they end in the same env->mxcsr.
 *
 * Code in the vCPU's thread that computes by the host's unit what no instruction
 * of SSE asked for, does so with a plain MXCSR, and keeps the guest's as it was
 * (tcg/host-flags.h).
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef I386_HOST_SSE_FLAGS_H
#define I386_HOST_SSE_FLAGS_H

#include "fpu/softfloat.h"
#include "tcg/host-flags.h"

/* MXCSR: Intel SDM volume 1, 10.2.3 */
#define HOST_SSE_IE       (1 << 0)
#define HOST_SSE_ZE       (1 << 2)
#define HOST_SSE_OE       (1 << 3)
#define HOST_SSE_UE       (1 << 4)
#define HOST_SSE_PE       (1 << 5)
#define HOST_SSE_FLAGS    0x003f
#define HOST_SSE_MODE     0xe040        /* rounding, FTZ, DAZ */

#ifdef __x86_64__

/* The guest's MXCSR has a new value: the host gets its mode, and no flags. The CPU's thread. */
static inline void host_sse_load(CPUX86State *env)
{
    host_flags_set_mxcsr(HOST_FLAGS_PLAIN | (env->mxcsr & HOST_SSE_MODE));
}

/* The CPU begins to execute. Its thread. */
static inline void host_sse_enter(CPUX86State *env)
{
    host_sse_load(env);
    env->host_has_mxcsr = true;
}

/* The CPU stops; all flags have been gathered. Its thread. */
static inline void host_sse_exit(CPUX86State *env)
{
    env->host_has_mxcsr = false;
    host_flags_set_mxcsr(HOST_FLAGS_PLAIN);
}

/* Adds to env the flags that the host has, if they are env's. Any thread. */
static inline void host_sse_gather(CPUX86State *env)
{
    uint32_t flags;

    if (!env->host_has_mxcsr || current_cpu != env_cpu(env)) {
        return;
    }
    flags = (host_flags_kept ?: host_flags_mxcsr()) & HOST_SSE_FLAGS;
    env->mxcsr |= flags;
    float_raise((flags & HOST_SSE_IE ? float_flag_invalid : 0) |
                (flags & HOST_SSE_ZE ? float_flag_divbyzero : 0) |
                (flags & HOST_SSE_OE ? float_flag_overflow : 0) |
                (flags & HOST_SSE_UE ? float_flag_underflow : 0) |
                (flags & HOST_SSE_PE ? float_flag_inexact : 0),
                &env->sse_status);
}

#else

static inline void host_sse_load(CPUX86State *env)
{
}

static inline void host_sse_enter(CPUX86State *env)
{
}

static inline void host_sse_exit(CPUX86State *env)
{
}

static inline void host_sse_gather(CPUX86State *env)
{
}

#endif
#endif
