/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sse-avx.c: each instruction of AVX and FMA that the emulator lets the host compute (sse.h), on 128 and on 256 bits.
 *
 * Prints nothing where the CPU has no FMA, which implies AVX. The upper half of a result is added to the lower.
 */
#include "sse.h"

#define TARGET __attribute__((target("avx,fma")))

/* TEXT has the destination as %0, the operands as %1 and %2. */
#define APART(insn, name, immediate)                                                \
	TARGET static void do_##name(union operand *a, const union operand *b)      \
	{                                                                           \
		__m128 value;                                                       \
                                                                                    \
		asm volatile(#insn " " immediate "%2, %1, %0"                       \
			     : "=x"(value)                                          \
			     : "x"(_mm_loadu_ps(a->ps)), "x"(_mm_loadu_ps(b->ps))); \
		_mm_storeu_ps(a->ps, value);                                        \
	}
/* Each half of the registers has both operands, once in their order, once exchanged. */
#define WIDE(text, name)                                                                         \
	TARGET static void do_##name(union operand *a, const union operand *b)                   \
	{                                                                                        \
		asm volatile("vmovups %0, %%xmm0\n\tvinsertf128 $1, %1, %%ymm0, %%ymm0\n\t"      \
			     "vmovups %1, %%xmm1\n\tvinsertf128 $1, %0, %%ymm1, %%ymm1\n\t"      \
			     "vmovups %2, %%xmm2\n\tvinsertf128 $1, %2, %%ymm2, %%ymm2\n\t" text \
			     "\n\tvextractf128 $1, %%ymm0, %%xmm1\n\tvzeroupper\n\t"             \
			     "vpaddq %%xmm1, %%xmm0, %%xmm0\n\tvmovups %%xmm0, %0"               \
			     : "+m"(*a)                                                          \
			     : "m"(*b), "m"(third)                                               \
			     : "xmm0", "xmm1", "xmm2");                                          \
	}
#define FUSED(insn)                                                                    \
	TARGET static void do_##insn(union operand *a, const union operand *b)         \
	{                                                                              \
		__m128 value = _mm_loadu_ps(a->ps);                                    \
                                                                                       \
		asm volatile(#insn " %2, %1, %0"                                       \
			     : "+x"(value)                                             \
			     : "x"(_mm_loadu_ps(b->ps)), "x"(_mm_loadu_ps(third.ps))); \
		_mm_storeu_ps(a->ps, value);                                           \
	}
#define WIDE_OF(insn)	   WIDE(#insn " %%ymm1, %%ymm0, %%ymm0", insn##_wide)
#define WIDE_FUSED(insn)   WIDE(#insn " %%ymm2, %%ymm1, %%ymm0", insn##_wide)
#define WIDE_UNARY(insn)   WIDE(#insn " %%ymm0, %%ymm0", insn##_wide)
#define WIDE_MASK(insn, n) WIDE(#insn " $" #n ", %%ymm1, %%ymm0, %%ymm0", insn##_##n##_wide)
#define WIDEN(insn)	   WIDE(#insn " %%xmm0, %%ymm0", insn##_wide)
#define NARROW(insn)	   WIDE(#insn " %%ymm0, %%xmm0", insn##_wide)

/* X takes a name with vectors only, Y one with scalars too, Z a predicate, F a name with three operands. */
#define ARITHMETIC(Y)	   Y(vadd) Y(vsub) Y(vmul) Y(vdiv) Y(vmin) Y(vmax)
#define PAIRS(X)	   X(vhadd) X(vhsub) X(vaddsub)
#define PREDICATES_0(Z)	   Z(0) Z(1) Z(2) Z(3) Z(4) Z(5) Z(6) Z(7)
#define PREDICATES_8(Z)	   Z(8) Z(9) Z(10) Z(11) Z(12) Z(13) Z(14) Z(15)
#define PREDICATES_16(Z)   Z(16) Z(17) Z(18) Z(19) Z(20) Z(21) Z(22) Z(23)
#define PREDICATES_24(Z)   Z(24) Z(25) Z(26) Z(27) Z(28) Z(29) Z(30) Z(31)
#define PREDICATES(Z)	   PREDICATES_0(Z) PREDICATES_8(Z) PREDICATES_16(Z) PREDICATES_24(Z)
#define ORDERS(F, name)	   F(name##132) F(name##213) F(name##231)
#define FUSIONS(F)	   ORDERS(F, vfmadd) ORDERS(F, vfmsub) ORDERS(F, vfnmadd) ORDERS(F, vfnmsub)
#define ALTERNATIONS(F)	   ORDERS(F, vfmaddsub) ORDERS(F, vfmsubadd)

#define DO_PACKED(name)               \
	APART(name##ps, name##ps, "") \
	APART(name##pd, name##pd, "") WIDE_OF(name##ps) WIDE_OF(name##pd)
#define DO_EACH(name) DO_PACKED(name) APART(name##ss, name##ss, "") APART(name##sd, name##sd, "")
#define DO_MASK(n)                             \
	APART(vcmpps, vcmpps_##n, "$" #n ", ") \
	APART(vcmppd, vcmppd_##n, "$" #n ", ") \
	APART(vcmpss, vcmpss_##n, "$" #n ", ") \
	APART(vcmpsd, vcmpsd_##n, "$" #n ", ") WIDE_MASK(vcmpps, n) WIDE_MASK(vcmppd, n)
#define DO_FUSED_PACKED(name) \
	FUSED(name##ps) FUSED(name##pd) WIDE_FUSED(name##ps) WIDE_FUSED(name##pd)
#define DO_FUSED(name) DO_FUSED_PACKED(name) FUSED(name##ss) FUSED(name##sd)

ARITHMETIC(DO_EACH)
PAIRS(DO_PACKED)
PREDICATES(DO_MASK)
FUSIONS(DO_FUSED)
ALTERNATIONS(DO_FUSED_PACKED)
APART(vsqrtss, vsqrtss, "")
APART(vsqrtsd, vsqrtsd, "")
APART(vcvtss2sd, vcvtss2sd, "")
APART(vcvtsd2ss, vcvtsd2ss, "")
WIDE_UNARY(vsqrtps)
WIDE_UNARY(vsqrtpd)
WIDE_UNARY(vcvtdq2ps)
WIDE_UNARY(vcvtps2dq)
WIDE_UNARY(vcvttps2dq)
WIDEN(vcvtps2pd)
WIDEN(vcvtdq2pd)
NARROW(vcvtpd2ps)
NARROW(vcvtpd2dq)
NARROW(vcvttpd2dq)

#define PACKED(name) ENTRY(name##ps), ENTRY(name##pd), ENTRY(name##ps_wide), ENTRY(name##pd_wide),
#define EACH(name)   PACKED(name) ENTRY(name##ss), ENTRY(name##sd),
#define MASK(n)                                                                     \
	ENTRY(vcmpps_##n), ENTRY(vcmppd_##n), ENTRY(vcmpss_##n), ENTRY(vcmpsd_##n), \
		ENTRY(vcmpps_##n##_wide), ENTRY(vcmppd_##n##_wide),

static const struct instruction instructions[] = {
	ARITHMETIC(EACH) PAIRS(PACKED) PREDICATES(MASK) FUSIONS(EACH) ALTERNATIONS(PACKED)
		ENTRY(vsqrtss),
	ENTRY(vsqrtsd),
	ENTRY(vcvtss2sd),
	ENTRY(vcvtsd2ss),
	ENTRY(vsqrtps_wide),
	ENTRY(vsqrtpd_wide),
	ENTRY(vcvtdq2ps_wide),
	ENTRY(vcvtps2dq_wide),
	ENTRY(vcvttps2dq_wide),
	ENTRY(vcvtps2pd_wide),
	ENTRY(vcvtdq2pd_wide),
	ENTRY(vcvtpd2ps_wide),
	ENTRY(vcvtpd2dq_wide),
	ENTRY(vcvttpd2dq_wide),
};

int main(void)
{
	if (__builtin_cpu_supports("fma"))
		print_hashes(instructions, sizeof(instructions) / sizeof(instructions[0]));
	return 0;
}
