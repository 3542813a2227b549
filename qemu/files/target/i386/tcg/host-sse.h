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
static bool __attribute__((noinline, cold)) host_sse_clear(void)
{
    uint32_t plain = HOST_SSE_PLAIN;

    if ((host_sse_mxcsr() & ~HOST_SSE_FLAGS) != HOST_SSE_PLAIN) {
        return false;
    }
    asm volatile("ldmxcsr %0" : : "m" (plain));
    return true;
}

/* Raises for the guest what the host has raised. */
static void __attribute__((noinline, cold)) host_sse_raise(CPUX86State *env)
{
    uint32_t raised = host_sse_mxcsr() & HOST_SSE_FLAGS & ~env->mxcsr;

    env->mxcsr |= raised;
    float_raise((raised & FPUS_IE ? float_flag_invalid : 0) |
                (raised & FPUS_ZE ? float_flag_divbyzero : 0) |
                (raised & FPUS_OE ? float_flag_overflow : 0) |
                (raised & FPUS_UE ? float_flag_underflow : 0) |
                (raised & FPUS_PE ? float_flag_inexact : 0),
                &env->sse_status);
}

/* Whether the host may compute. */
static inline bool host_sse_may(CPUX86State *env)
{
    return likely(!(env->mxcsr & HOST_SSE_SOFT));
}

/*
 * After an operation: whether the host's MXCSR is a plain one and has no flag that
 * the guest has not. Then the result is right, and the operation raised no new flag.
 */
static inline bool host_sse_quiet(CPUX86State *env)
{
    return likely(!((host_sse_mxcsr() ^ HOST_SSE_PLAIN) &
                    ~(env->mxcsr & HOST_SSE_FLAGS)));
}

/*
 * Lets the host COMPUTE. It computes once more, with its flags clear, where it
 * cannot be seen whether a flag is this operation's. Then the helper has to KEEP
 * the result and be done; if the host may not compute, it goes on.
 */
#define HOST_SSE_DO(compute, keep)                                          \
    if (host_sse_may(env)) {                                                \
        compute;                                                            \
        if (host_sse_quiet(env)) {                                          \
            keep;                                                           \
        }                                                                   \
        if (host_sse_clear()) {                                             \
            compute;                                                        \
            host_sse_raise(env);                                            \
            keep;                                                           \
        }                                                                   \
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
#define HOST_SSE_PACKED(part, insn)                                         \
    HostVector value[SHIFT];                                                \
                                                                            \
    HOST_SSE_DO({                                                           \
        for (int n = 0; n < SHIFT; n++) {                                   \
            value[n] = host_sse_part(part, n);                              \
            asm volatile(insn : "+x" (value[n])                             \
                         : "x" (host_sse_part(s, n)));                      \
        }                                                                   \
    }, {                                                                    \
        for (int n = 0; n < SHIFT; n++) {                                   \
            host_sse_set_part(d, n, value[n]);                              \
        }                                                                   \
        return;                                                             \
    })

#define HOST_SSE_PACKED_2(insn) HOST_SSE_PACKED(v, insn " %1, %0")
#define HOST_SSE_PACKED_1(insn) HOST_SSE_PACKED(s, insn " %1, %0")

/* INSN of element 0, in v and s, or in s alone; the others are v's. */
#define HOST_SSE_SCALAR_2(insn, elem)                                       \
    HostVector value;                                                       \
                                                                            \
    HOST_SSE_DO({                                                           \
        value = host_sse_part(v, 0);                                        \
        asm volatile(insn " %1, %0" : "+x" (value) : "m" (s->elem(0)));     \
    }, {                                                                    \
        host_sse_set_part(d, 0, value);                                     \
        return;                                                             \
    })

/* The flags of a comparison INSN of d's element 0 and s's. */
#define HOST_SSE_COMPARE(insn, elem)                                        \
    bool less, equal, parity;                                               \
                                                                            \
    HOST_SSE_DO({                                                           \
        asm volatile(insn " %4, %3"                                         \
                     : "=@ccc" (less), "=@ccz" (equal), "=@ccp" (parity)    \
                     : "x" (host_sse_part(d, 0)), "m" (s->elem(0)));        \
    }, {                                                                    \
        CC_SRC = (less ? CC_C : 0) | (equal ? CC_Z : 0) |                   \
                 (parity ? CC_P : 0);                                       \
        CC_OP = CC_OP_EFLAGS;                                               \
        return;                                                             \
    })

/* INSN of an integer to d's element 0, or of s's element 0 to an integer. */
#define HOST_SSE_FROM_INT(insn, elem)                                       \
    HostVector value;                                                       \
                                                                            \
    HOST_SSE_DO({                                                           \
        value = (HostVector){};                                             \
        asm volatile(insn " %1, %0" : "+x" (value) : "r" (val));            \
    }, {                                                                    \
        memcpy(&d->elem(0), &value, sizeof(d->elem(0)));                    \
        return;                                                             \
    })

#define HOST_SSE_TO_INT(insn, elem, type)                                   \
    type value;                                                             \
                                                                            \
    HOST_SSE_DO({                                                           \
        asm volatile(insn " %1, %0" : "=r" (value) : "m" (s->elem(0)));     \
    }, {                                                                    \
        return value;                                                       \
    })

/* cvtdq2pd: a double holds each integer, so that nothing is rounded or raised. */
#define HOST_SSE_DOUBLES()                                                  \
    for (int n = 1 << SHIFT; --n >= 0; ) {                                  \
        double value = (int32_t)s->ZMM_L(n);                                \
                                                                            \
        memcpy(&d->ZMM_D(n), &value, sizeof(value));                        \
    }                                                                       \
    return;

#else

#define HOST_SSE_PACKED_2(insn)
#define HOST_SSE_PACKED_1(insn)
#define HOST_SSE_SCALAR_2(insn, elem)
#define HOST_SSE_COMPARE(insn, elem)
#define HOST_SSE_FROM_INT(insn, elem)
#define HOST_SSE_TO_INT(insn, elem, type)
#define HOST_SSE_DOUBLES()

#endif
#endif
