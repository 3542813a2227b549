/*
 * x86: SSE's arithmetic by the host's own SSE
 *
 * A host of the same kind computes what the guest's processor would: the result,
 * the choice among NaNs and all flags of MXCSR, in the guest's mode
 * (host-sse-flags.h). softfloat computes on other hosts, and what a host lacks.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef I386_HOST_SSE_H
#define I386_HOST_SSE_H

#ifdef __x86_64__

typedef double HostVector __attribute__((vector_size(16)));

/* Lets the host COMPUTE. Then the helper has to KEEP the result and be done. */
#define HOST_SSE_DO(compute, keep)                                          \
    do {                                                                    \
        compute;                                                            \
        keep;                                                               \
    } while (0);

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

/* The same of an instruction that SSE3 has. */
#define HOST_SSE3_PACKED_2(insn)                                            \
    if (__builtin_cpu_supports("sse3")) {                                   \
        HOST_SSE_PACKED_2(insn)                                             \
    }

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

/* INSN of floats to twice as many bytes. */
#define HOST_SSE_WIDEN(insn)                                                \
    HostVector value[SHIFT];                                                \
                                                                            \
    HOST_SSE_DO({                                                           \
        for (int n = 0; n < SHIFT; n++) {                                   \
            asm volatile(insn " %1, %0"                                     \
                         : "=x" (value[n]) : "m" (s->ZMM_Q(n)));            \
        }                                                                   \
    }, {                                                                    \
        for (int n = 0; n < SHIFT; n++) {                                   \
            host_sse_set_part(d, n, value[n]);                              \
        }                                                                   \
        return;                                                             \
    })

/* INSN of doubles to half as many bytes; zeros follow. */
#define HOST_SSE_NARROW(insn)                                               \
    HostVector value[SHIFT];                                                \
                                                                            \
    HOST_SSE_DO({                                                           \
        for (int n = 0; n < SHIFT; n++) {                                   \
            asm volatile(insn " %1, %0"                                     \
                         : "=x" (value[n]) : "x" (host_sse_part(s, n)));    \
        }                                                                   \
    }, {                                                                    \
        for (int n = 0; n < 2 * SHIFT; n++) {                               \
            d->ZMM_Q(n) = 0;                                                \
        }                                                                   \
        for (int n = 0; n < SHIFT; n++) {                                   \
            memcpy(&d->ZMM_Q(n), &value[n], sizeof(d->ZMM_Q(n)));           \
        }                                                                   \
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

/* The predicates of comparisons that make masks, by their numbers. AVX has the last 24. */
enum {
    HOST_SSE_cmpeq, HOST_SSE_cmplt, HOST_SSE_cmple, HOST_SSE_cmpunord,
    HOST_SSE_cmpneq, HOST_SSE_cmpnlt, HOST_SSE_cmpnle, HOST_SSE_cmpord,
    HOST_SSE_cmpequ, HOST_SSE_cmpnge, HOST_SSE_cmpngt, HOST_SSE_cmpfalse,
    HOST_SSE_cmpnequ, HOST_SSE_cmpge, HOST_SSE_cmpgt, HOST_SSE_cmptrue,
    HOST_SSE_cmpeqs, HOST_SSE_cmpltq, HOST_SSE_cmpleq, HOST_SSE_cmpunords,
    HOST_SSE_cmpneqq, HOST_SSE_cmpnltq, HOST_SSE_cmpnleq, HOST_SSE_cmpords,
    HOST_SSE_cmpequs, HOST_SSE_cmpngeq, HOST_SSE_cmpngtq, HOST_SSE_cmpfalses,
    HOST_SSE_cmpnequs, HOST_SSE_cmpgeq, HOST_SSE_cmpgtq, HOST_SSE_cmptrues,
};

#define HOST_SSE_MASK_OF(suffix, number, value, by)                         \
    if ((number) < 8) {                                                     \
        asm volatile("cmp" suffix " %2, %1, %0"                             \
                     : "+x" (value) : "xm" (by), "i" ((number) & 7));       \
    } else {                                                                \
        asm volatile("vcmp" suffix " %2, %1, %0, %0"                        \
                     : "+x" (value) : "xm" (by), "i" (number));             \
    }

#define HOST_SSE_HAS_MASK(name)                                             \
    (HOST_SSE_##name < 8 || __builtin_cpu_supports("avx"))

#define HOST_SSE_MASKS(name, suffix)                                        \
    if (HOST_SSE_HAS_MASK(name)) {                                          \
        HostVector value[SHIFT];                                            \
                                                                            \
        HOST_SSE_DO({                                                       \
            for (int n = 0; n < SHIFT; n++) {                               \
                value[n] = host_sse_part(v, n);                             \
                HOST_SSE_MASK_OF(suffix, HOST_SSE_##name, value[n],         \
                                 host_sse_part(s, n))                       \
            }                                                               \
        }, {                                                                \
            for (int n = 0; n < SHIFT; n++) {                               \
                host_sse_set_part(d, n, value[n]);                          \
            }                                                               \
            return;                                                         \
        })                                                                  \
    }

#define HOST_SSE_MASK(name, suffix, elem)                                   \
    if (HOST_SSE_HAS_MASK(name)) {                                          \
        HostVector value;                                                   \
                                                                            \
        HOST_SSE_DO({                                                       \
            value = host_sse_part(v, 0);                                    \
            HOST_SSE_MASK_OF(suffix, HOST_SSE_##name, value, s->elem(0))    \
        }, {                                                                \
            host_sse_set_part(d, 0, value);                                 \
            return;                                                         \
        })                                                                  \
    }

/* VALUE = A * VALUE + C, by FMA: INSN may negate the product or C. */
#define HOST_FMA(insn, value, a, c)                                         \
    asm volatile(insn " %2, %1, %0" : "+x" (value) : "x" (a), "xm" (c))

/* The one of the instructions that FLAGS of softfloat stand for. */
#define HOST_FMA_BY(flags, suffix, value, a, c)                             \
    switch (flags) {                                                        \
    case 0:                                                                 \
        HOST_FMA("vfmadd213" suffix, value, a, c);                          \
        break;                                                              \
    case float_muladd_negate_product:                                       \
        HOST_FMA("vfnmadd213" suffix, value, a, c);                         \
        break;                                                              \
    case float_muladd_negate_c:                                             \
        HOST_FMA("vfmsub213" suffix, value, a, c);                          \
        break;                                                              \
    default:                                                                \
        HOST_FMA("vfnmsub213" suffix, value, a, c);                         \
        break;                                                              \
    }

#define HOST_FMA_TYPE_ZMM_S "s"
#define HOST_FMA_TYPE_ZMM_D "d"

/* Element 0 of a * b + c; the others are d's. */
#define HOST_FMA_SCALAR(elem)                                               \
    if (__builtin_cpu_supports("fma")) {                                    \
        HostVector value;                                                   \
                                                                            \
        HOST_SSE_DO({                                                       \
            value = host_sse_part(b, 0);                                    \
            HOST_FMA_BY(flags, "s" HOST_FMA_TYPE_##elem, value,             \
                        host_sse_part(a, 0), c->elem(0))                    \
        }, {                                                                \
            memcpy(&d->elem(0), &value, sizeof(d->elem(0)));                \
            return;                                                         \
        })                                                                  \
    }

/* a * b + c. FLIP is the difference of the odd elements' flags. */
#define HOST_FMA_PACKED(elem)                                               \
    if (__builtin_cpu_supports("fma")) {                                    \
        HostVector value[SHIFT];                                            \
                                                                            \
        HOST_SSE_DO({                                                       \
            for (int n = 0; n < SHIFT; n++) {                               \
                value[n] = host_sse_part(b, n);                             \
                if (!flip) {                                                \
                    HOST_FMA_BY(flags, "p" HOST_FMA_TYPE_##elem, value[n],  \
                                host_sse_part(a, n), host_sse_part(c, n))   \
                } else if (flags) {                                         \
                    HOST_FMA("vfmaddsub213p" HOST_FMA_TYPE_##elem,          \
                             value[n], host_sse_part(a, n),                 \
                             host_sse_part(c, n));                          \
                } else {                                                    \
                    HOST_FMA("vfmsubadd213p" HOST_FMA_TYPE_##elem,          \
                             value[n], host_sse_part(a, n),                 \
                             host_sse_part(c, n));                          \
                }                                                           \
            }                                                               \
        }, {                                                                \
            for (int n = 0; n < SHIFT; n++) {                               \
                host_sse_set_part(d, n, value[n]);                          \
            }                                                               \
            return;                                                         \
        })                                                                  \
    }

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
#define HOST_SSE3_PACKED_2(insn)
#define HOST_SSE_SCALAR_2(insn, elem)
#define HOST_SSE_WIDEN(insn)
#define HOST_SSE_NARROW(insn)
#define HOST_SSE_COMPARE(insn, elem)
#define HOST_SSE_MASKS(name, suffix)
#define HOST_SSE_MASK(name, suffix, elem)
#define HOST_FMA_SCALAR(elem)
#define HOST_FMA_PACKED(elem)
#define HOST_SSE_FROM_INT(insn, elem)
#define HOST_SSE_TO_INT(insn, elem, type)
#define HOST_SSE_DOUBLES()

#endif
#endif
