/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sse.c: each instruction of SSE and SSE2 that the emulator lets the host compute, to nearest.
 *
 * Prints for each instruction a hash of all results and flags: of pairs of special operands, all with all, and of random ones.
 * Before each, flags of MXCSR are raised as a random number says: the instruction adds its own to them.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xmmintrin.h>

#define FLAGS	     0x3fu
#define MASKED	     0x1f80u
#define RANDOM_PAIRS 20000

union operand {
	double pd[2];
	float ps[4];
	uint64_t words[2];
};

/* Zeros, the smallest and greatest of each class, neighbours of one, limits of integers, and NaNs of both kinds. */
static const uint64_t doubles[] = {
	0x0000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000,
	0x0010000000000001, 0x1ff0000000000000, 0x36a0000000000000, 0x380fffffffffffff,
	0x3810000000000000, 0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fefffffffffffff,
	0x3ff0000000000000, 0x3ff0000000000001, 0x3ff8000000000000, 0x41dfffffffc00000,
	0x41e0000000000000, 0x4330000000000001, 0x43dfffffffffffff, 0x43e0000000000000,
	0x47efffffe0000000, 0x47f0000000000000, 0x5fefffffffffffff, 0x7fefffffffffffff,
	0x7ff0000000000000, 0x7ff0000000000001, 0x7ff4000000000123, 0x7ff8000000000000,
	0x7ff8000000000123, 0x7fffffffffffffff,
};
static const uint32_t floats[] = {
	0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x00800001, 0x1f800000,
	0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000,
	0x4effffff, 0x4f000000, 0x5effffff, 0x5f000000, 0x5f7fffff, 0x7f7fffff,
	0x7f800000, 0x7f800001, 0x7fa00123, 0x7fc00000, 0x7fc00123, 0x7fffffff,
};
#define DOUBLES (sizeof(doubles) / sizeof(doubles[0]))
#define FLOATS	(sizeof(floats) / sizeof(floats[0]))

static uint64_t state = 1;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t hash;

static void add_to_hash(uint64_t word)
{
	hash = (hash ^ word) * 0x100000001b3;
}

/* An instruction's effect on *a by *b; what is no vector goes to *a as a whole. */
typedef void instruction(union operand *a, const union operand *b);

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

#define ENTRY(insn)              \
	{                        \
#insn, do_##insn \
	}
#define ENTRIES(name) ENTRY(name##ps), ENTRY(name##pd), ENTRY(name##ss), ENTRY(name##sd)

static const struct {
	const char *name;
	instruction *run;
} instructions[] = {
	ENTRIES(add),	    ENTRIES(sub),      ENTRIES(mul),	  ENTRIES(div),
	ENTRIES(min),	    ENTRIES(max),      ENTRIES(sqrt),	  ENTRY(comiss),
	ENTRY(comisd),	    ENTRY(ucomiss),    ENTRY(ucomisd),	  ENTRY(cvtss2sd),
	ENTRY(cvtsd2ss),    ENTRY(cvtdq2ps),   ENTRY(cvtdq2pd),	  ENTRY(cvtps2dq),
	ENTRY(cvttps2dq),   ENTRY(cvtsi2ssl),  ENTRY(cvtsi2sdl),  ENTRY(cvtsi2ssq),
	ENTRY(cvtsi2sdq),   ENTRY(cvtss2si_l), ENTRY(cvtsd2si_l), ENTRY(cvttss2si_l),
	ENTRY(cvttsd2si_l), ENTRY(cvtss2si_q), ENTRY(cvtsd2si_q), ENTRY(cvttss2si_q),
	ENTRY(cvttsd2si_q),
};

static void run(instruction *run, union operand a, const union operand *b)
{
	uint64_t random = next_random();

	/* Three times in four none is raised. */
	_mm_setcsr(MASKED | (random & 0xc0 ? 0 : random & FLAGS));
	run(&a, b);
	add_to_hash(_mm_getcsr());
	add_to_hash(a.words[0]);
	add_to_hash(a.words[1]);
}

static uint64_t special_double(size_t number)
{
	return doubles[number / 2 % DOUBLES] | (uint64_t)(number & 1) << 63;
}

static uint32_t special_float(size_t number)
{
	return floats[number / 2 % FLOATS] | (uint32_t)(number & 1) << 31;
}

/* Floats of special values, the first chosen by NUMBER, the others by chance. */
static union operand four_floats(size_t number)
{
	uint32_t words[4] = { special_float(number), special_float(next_random() >> 20),
			      special_float(next_random() >> 20),
			      special_float(next_random() >> 20) };
	union operand operand;

	memcpy(&operand, words, sizeof(words));
	return operand;
}

static void run_all(instruction *instruction)
{
	union operand a, b;

	for (size_t i = 0; i < 4 * DOUBLES * DOUBLES; i++) {
		a = (union operand){ .words = { special_double(i % (2 * DOUBLES)),
						special_double(next_random() >> 20) } };
		b = (union operand){ .words = { special_double(i / (2 * DOUBLES)),
						special_double(next_random() >> 20) } };
		run(instruction, a, &b);
	}
	for (size_t i = 0; i < 4 * FLOATS * FLOATS; i++) {
		a = four_floats(i % (2 * FLOATS));
		b = four_floats(i / (2 * FLOATS));
		run(instruction, a, &b);
	}
	for (int i = 0; i < RANDOM_PAIRS; i++) {
		/* Their exponents are near to each other in every second pair. */
		uint64_t near = i % 2 ? 0x81ff81ffffffffff : UINT64_MAX,
			 base = i % 2 ? 0x3c003c0000000000 : 0;

		a = (union operand){ .words = { (next_random() & near) | base,
						(next_random() & near) | base } };
		b = (union operand){ .words = { (next_random() & near) | base,
						(next_random() & near) | base } };
		run(instruction, a, &b);
	}
}

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
	instruction *narrow;
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
	for (size_t i = 0; i < sizeof(instructions) / sizeof(instructions[0]); i++) {
		hash = 0xcbf29ce484222325;
		run_all(instructions[i].run);
		printf("%s: %016lx\n", instructions[i].name, (unsigned long)hash);
	}
	for (size_t i = 0; argc > 1 && i < sizeof(wide_instructions) / sizeof(wide_instructions[0]);
	     i++)
		printf("v%s: %d\n", wide_instructions[i].name, count_wide_differences(i));
	return 0;
}
