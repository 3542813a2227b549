/* SPDX-License-Identifier: BSD-2-Clause */
/* sse.c: each instruction of SSE to SSE3 that the emulator lets the host compute (sse.h). */
#include "sse.h"

#define VECTOR(insn)                                                    \
	static void do_##insn(union operand *a, const union operand *b) \
	{                                                               \
		__m128 value = _mm_loadu_ps(a->ps);                     \
		__m128 by = _mm_loadu_ps(b->ps);                        \
                                                                        \
		asm volatile(#insn " %1, %0" : "+x"(value) : "x"(by));  \
		_mm_storeu_ps(a->ps, value);                            \
	}
#define EACH(name) VECTOR(name##ps) VECTOR(name##pd) VECTOR(name##ss) VECTOR(name##sd)
#define COMPARE(insn)                                                             \
	static void do_##insn(union operand *a, const union operand *b)           \
	{                                                                         \
		uint64_t flags;                                                   \
                                                                                  \
		asm volatile(#insn " %2, %1\n\tpushfq\n\tpop %0"                  \
			     : "=r"(flags)                                        \
			     : "x"(_mm_loadu_ps(a->ps)), "x"(_mm_loadu_ps(b->ps)) \
			     : "cc", "memory");                                   \
		a->words[0] = flags & 0x8d5;                                      \
	}
#define FROM_INTEGER(insn, type)                                                      \
	static void do_##insn(union operand *a, const union operand *b)               \
	{                                                                             \
		__m128 value = _mm_loadu_ps(a->ps);                                   \
                                                                                      \
		asm volatile(#insn " %1, %0" : "+x"(value) : "r"((type)b->words[0])); \
		_mm_storeu_ps(a->ps, value);                                          \
	}
#define TO_INTEGER(insn, name, type)                                                    \
	static void do_##name(union operand *a, const union operand *b)                 \
	{                                                                               \
		type value;                                                             \
                                                                                        \
		asm volatile(#insn " %1, %0" : "=r"(value) : "x"(_mm_loadu_ps(b->ps))); \
		a->words[0] = (uint64_t)value;                                          \
	}
/* The comparisons that make a mask, by their numbers. */
#define MASK(insn, number)                                                           \
	static void do_##insn##_##number(union operand *a, const union operand *b)   \
	{                                                                            \
		__m128 value = _mm_loadu_ps(a->ps);                                  \
		__m128 by = _mm_loadu_ps(b->ps);                                     \
                                                                                     \
		asm volatile(#insn " $" #number ", %1, %0" : "+x"(value) : "x"(by)); \
		_mm_storeu_ps(a->ps, value);                                         \
	}
#define MASKS(number) \
	MASK(cmpps, number) MASK(cmppd, number) MASK(cmpss, number) MASK(cmpsd, number)

EACH(add)
EACH(sub)
EACH(mul)
EACH(div)
EACH(min)
EACH(max)
EACH(sqrt)
COMPARE(comiss)
COMPARE(comisd)
COMPARE(ucomiss)
COMPARE(ucomisd)
VECTOR(cvtss2sd)
VECTOR(cvtsd2ss)
VECTOR(cvtdq2ps)
VECTOR(cvtdq2pd)
VECTOR(cvtps2dq)
VECTOR(cvttps2dq)
FROM_INTEGER(cvtsi2ssl, int32_t)
FROM_INTEGER(cvtsi2sdl, int32_t)
FROM_INTEGER(cvtsi2ssq, int64_t)
FROM_INTEGER(cvtsi2sdq, int64_t)
TO_INTEGER(cvtss2si, cvtss2si_l, int32_t)
TO_INTEGER(cvtsd2si, cvtsd2si_l, int32_t)
TO_INTEGER(cvttss2si, cvttss2si_l, int32_t)
TO_INTEGER(cvttsd2si, cvttsd2si_l, int32_t)
TO_INTEGER(cvtss2si, cvtss2si_q, int64_t)
TO_INTEGER(cvtsd2si, cvtsd2si_q, int64_t)
TO_INTEGER(cvttss2si, cvttss2si_q, int64_t)
TO_INTEGER(cvttsd2si, cvttsd2si_q, int64_t)
VECTOR(cvtps2pd)
VECTOR(cvtpd2ps)
VECTOR(cvtpd2dq)
VECTOR(cvttpd2dq)
VECTOR(haddps)
VECTOR(haddpd)
VECTOR(hsubps)
VECTOR(hsubpd)
VECTOR(addsubps)
VECTOR(addsubpd)
MASKS(0)
MASKS(1)
MASKS(2)
MASKS(3)
MASKS(4)
MASKS(5)
MASKS(6)
MASKS(7)

#define ENTRIES(name) ENTRY(name##ps), ENTRY(name##pd), ENTRY(name##ss), ENTRY(name##sd)

#define MASK_ENTRIES(number) \
	ENTRY(cmpps_##number), ENTRY(cmppd_##number), ENTRY(cmpss_##number), ENTRY(cmpsd_##number)

static const struct instruction instructions[] = {
	ENTRIES(add),	    ENTRIES(sub),      ENTRIES(mul),	  ENTRIES(div),
	ENTRIES(min),	    ENTRIES(max),      ENTRIES(sqrt),	  ENTRY(comiss),
	ENTRY(comisd),	    ENTRY(ucomiss),    ENTRY(ucomisd),	  ENTRY(cvtss2sd),
	ENTRY(cvtsd2ss),    ENTRY(cvtdq2ps),   ENTRY(cvtdq2pd),	  ENTRY(cvtps2dq),
	ENTRY(cvttps2dq),   ENTRY(cvtsi2ssl),  ENTRY(cvtsi2sdl),  ENTRY(cvtsi2ssq),
	ENTRY(cvtsi2sdq),   ENTRY(cvtss2si_l), ENTRY(cvtsd2si_l), ENTRY(cvttss2si_l),
	ENTRY(cvttsd2si_l), ENTRY(cvtss2si_q), ENTRY(cvtsd2si_q), ENTRY(cvttss2si_q),
	ENTRY(cvttsd2si_q), ENTRY(cvtps2pd),   ENTRY(cvtpd2ps),	  ENTRY(cvtpd2dq),
	ENTRY(cvttpd2dq),   ENTRY(haddps),     ENTRY(haddpd),	  ENTRY(hsubps),
	ENTRY(hsubpd),	    ENTRY(addsubps),   ENTRY(addsubpd),	  MASK_ENTRIES(0),
	MASK_ENTRIES(1),    MASK_ENTRIES(2),   MASK_ENTRIES(3),	  MASK_ENTRIES(4),
	MASK_ENTRIES(5),    MASK_ENTRIES(6),   MASK_ENTRIES(7),
};

/* The 32 bytes of A and B by an instruction on 256 bits, in *a. */
#define WIDE(insn)                                                                       \
	__attribute__((target("avx"))) static void wide_##insn(union operand a[2],       \
							       const union operand b[2]) \
	{                                                                                \
		asm volatile("vmovups %0, %%ymm0\n\tvmovups %1, %%ymm1\n\tv" #insn       \
			     " %%ymm1, %%ymm0, %%ymm0\n\t"                               \
			     "vmovups %%ymm0, %0\n\tvzeroupper"                          \
			     : "+m"(*(union operand(*)[2])a)                             \
			     : "m"(*(const union operand(*)[2])b)                        \
			     : "xmm0", "xmm1");                                          \
	}
WIDE(addpd)
WIDE(mulps)
WIDE(divpd)

#define WIDE_ENTRY(insn)                      \
	{                                     \
#insn, wide_##insn, do_##insn \
	}

static const struct {
	const char *name;
	void (*wide)(union operand a[2], const union operand b[2]);
	operation *narrow;
} wide_instructions[] = { WIDE_ENTRY(addpd), WIDE_ENTRY(mulps), WIDE_ENTRY(divpd) };

/* Counts the random operands for which an instruction on 256 bits differs from two on 128. */
static int count_wide_differences(size_t number)
{
	int differences = 0;

	for (int i = 0; i < RANDOM_PAIRS; i++) {
		union operand a[2], b[2], narrow[2];

		for (int word = 0; word < 4; word++) {
			a[word / 2].words[word % 2] = special_double(next_random() >> 20);
			b[word / 2].words[word % 2] = next_random();
		}
		memcpy(narrow, a, sizeof(narrow));
		_mm_setcsr(MASKED);
		wide_instructions[number].wide(a, b);
		unsigned int flags = _mm_getcsr();

		_mm_setcsr(MASKED);
		for (int part = 0; part < 2; part++)
			wide_instructions[number].narrow(&narrow[part], &b[part]);
		differences += _mm_getcsr() != flags || memcmp(narrow, a, sizeof(a)) != 0;
	}
	return differences;
}

/* With an argument: the instructions on 256 bits, which the host may not have. */
int main(int argc, char **argv)
{
	(void)argv;
	print_hashes(instructions, sizeof(instructions) / sizeof(instructions[0]));
	for (size_t i = 0; argc > 1 && i < sizeof(wide_instructions) / sizeof(wide_instructions[0]);
	     i++)
		printf("v%s: %d\n", wide_instructions[i].name, count_wide_differences(i));
	return 0;
}
