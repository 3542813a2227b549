/*
 * x86: SSE's arithmetic by the host's own SSE
 *
 * A host of the same kind computes what the guest's processor would: the result,
 * the choice among NaNs and all flags of MXCSR. The host's MXCSR gathers
 * flags as the guest's does, so it shows what an operation has raised, if the
 * flags that the guest has not raised were clear before.
 *
 * softfloat computes where the guest asks for another rounding, or for zeros in
 * place of denormals, and on other hosts.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef I386_HOST_SSE_H
#define I386_HOST_SSE_H

#ifdef __x86_64__

/* MXCSR: Intel SDM volume 1, 10.2.3 */
#define HOST_SSE_FLAGS    0x003f
#define HOST_SSE_PLAIN    0x1f80        /* nothing traps, rounds to nearest */
#define HOST_SSE_SOFT     0xe040        /* rounding, FTZ, DAZ */

typedef double HostVector __attribute__((vector_size(16)));

static inline uint32_t host_sse_mxcsr(void)
{
    uint32_t mxcsr;

    asm volatile("stmxcsr %0" : "=m" (mxcsr));
    return mxcsr;
}

/* Clears the flags of the host. Whether the host's MXCSR is a plain one. */
static inline bool host_sse_clear(void)
{
    uint32_t plain = HOST_SSE_PLAIN;

    if ((host_sse_mxcsr() & ~HOST_SSE_FLAGS) != HOST_SSE_PLAIN) {
        return false;
    }
    asm volatile("ldmxcsr %0" : : "m" (plain));
    return true;
}

/* Whether the host may compute; host_sse_end() follows then. */
static inline bool host_sse_begin(CPUX86State *env)
{
    uint32_t unlike = host_sse_mxcsr() ^ HOST_SSE_PLAIN;

    if (unlikely(env->mxcsr & HOST_SSE_SOFT)) {
        return false;
    }
    return likely(!(unlike & ~(env->mxcsr & HOST_SSE_FLAGS))) ||
           host_sse_clear();
}

/* Raises for the guest what the host has raised. */
static inline void host_sse_end(CPUX86State *env)
{
    uint32_t raised = host_sse_mxcsr() & HOST_SSE_FLAGS & ~env->mxcsr;

    if (unlikely(raised)) {
        env->mxcsr |= raised;
        float_raise((raised & FPUS_IE ? float_flag_invalid : 0) |
                    (raised & FPUS_ZE ? float_flag_divbyzero : 0) |
                    (raised & FPUS_OE ? float_flag_overflow : 0) |
                    (raised & FPUS_UE ? float_flag_underflow : 0) |
                    (raised & FPUS_PE ? float_flag_inexact : 0),
                    &env->sse_status);
    }
}

/*
 * Part N of REG. A store of all 16 bytes could not forward to a load of them if
 * the halves were stored one by one, as translated code does; so they are
 * loaded one by one.
 */
static inline HostVector host_sse_part(const ZMMReg *reg, int n)
{
    HostVector part;

    asm("movsd %1, %0\n\tmovhpd %2, %0"
        : "=&x" (part) : "m" (reg->ZMM_Q(2 * n)), "m" (reg->ZMM_Q(2 * n + 1)));
    return part;
}

static inline void host_sse_set_part(ZMMReg *reg, int n, HostVector part)
{
    memcpy(&reg->ZMM_Q(2 * n), &part, sizeof(part));
}

/*
 * For a helper with the usual names of its arguments: INSN of all parts of v and
 * s, or of s alone, and the helper is done.
 */
#define HOST_SSE_PACKED_2(insn)                                             \
    if (host_sse_begin(env)) {                                              \
        for (int n = 0; n < SHIFT; n++) {                                   \
            HostVector value = host_sse_part(v, n);                         \
            HostVector by = host_sse_part(s, n);                            \
                                                                            \
            asm volatile(insn " %1, %0" : "+x" (value) : "x" (by));         \
            host_sse_set_part(d, n, value);                                 \
        }                                                                   \
        host_sse_end(env);                                                  \
        return;                                                             \
    }

#define HOST_SSE_PACKED_1(insn)                                             \
    if (host_sse_begin(env)) {                                              \
        for (int n = 0; n < SHIFT; n++) {                                   \
            HostVector value = host_sse_part(s, n);                         \
                                                                            \
            asm volatile(insn " %0, %0" : "+x" (value));                    \
            host_sse_set_part(d, n, value);                                 \
        }                                                                   \
        host_sse_end(env);                                                  \
        return;                                                             \
    }

/* INSN of element 0, in v and s, or in s alone; the others are v's. */
#define HOST_SSE_SCALAR_2(insn, elem)                                       \
    if (host_sse_begin(env)) {                                              \
        HostVector value = host_sse_part(v, 0);                             \
                                                                            \
        asm volatile(insn " %1, %0" : "+x" (value) : "m" (s->elem(0)));     \
        host_sse_set_part(d, 0, value);                                     \
        host_sse_end(env);                                                  \
        return;                                                             \
    }

/* The flags of a comparison INSN of d's element 0 and s's. */
#define HOST_SSE_COMPARE(insn, elem)                                        \
    if (host_sse_begin(env)) {                                              \
        HostVector value = host_sse_part(d, 0);                             \
        bool less, equal, parity;                                           \
                                                                            \
        asm volatile(insn " %4, %3"                                         \
                     : "=@ccc" (less), "=@ccz" (equal), "=@ccp" (parity)    \
                     : "x" (value), "m" (s->elem(0)));                      \
        host_sse_end(env);                                                  \
        CC_SRC = (less ? CC_C : 0) | (equal ? CC_Z : 0) |                   \
                 (parity ? CC_P : 0);                                       \
        CC_OP = CC_OP_EFLAGS;                                               \
        return;                                                             \
    }

/* INSN of an integer to d's element 0, or of s's element 0 to an integer. */
#define HOST_SSE_FROM_INT(insn, elem)                                       \
    if (host_sse_begin(env)) {                                              \
        HostVector value = {};                                              \
                                                                            \
        asm volatile(insn " %1, %0" : "+x" (value) : "r" (val));            \
        memcpy(&d->elem(0), &value, sizeof(d->elem(0)));                    \
        host_sse_end(env);                                                  \
        return;                                                             \
    }

#define HOST_SSE_TO_INT(insn, elem, type)                                   \
    if (host_sse_begin(env)) {                                              \
        type value;                                                         \
                                                                            \
        asm volatile(insn " %1, %0" : "=r" (value) : "m" (s->elem(0)));     \
        host_sse_end(env);                                                  \
        return value;                                                       \
    }

#else

#define HOST_SSE_PACKED_2(insn)
#define HOST_SSE_PACKED_1(insn)
#define HOST_SSE_SCALAR_2(insn, elem)
#define HOST_SSE_COMPARE(insn, elem)
#define HOST_SSE_FROM_INT(insn, elem)
#define HOST_SSE_TO_INT(insn, elem, type)

#endif
#endif
