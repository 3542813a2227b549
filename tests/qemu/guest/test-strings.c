// SPDX-License-Identifier: BSD-2-Clause
/*
 * test-strings.c: REP MOVS and REP STOS do what as many single passes do.
 *
 * The emulator makes many passes at once where it can (qemu/files/target/i386/tcg/system/string.c). Each row is one
 * instruction; the memory after it is compared with that of a loop in C over elements, and the registers with the
 * manual's (Intel SDM 2, REP).
 */

#include "pmu.h"

#define AREA	   ((uint8_t *)(uintptr_t)WINDOW)
#define AREA_BYTES sizeof(scratch)
#define PAGE	   4096
#define VALUE	   0x8182838485868788
#define FLAG_DOWN  (1u << 10)

enum operation { MOVS, STOS };

struct string {
	const char *name;
	enum operation operation;
	unsigned int size; /* bytes of an element */
	uint64_t passes, from, to;
	bool down;
};

/* The registers of a string instruction, when it has completed. */
struct registers {
	uint64_t count, from, to;
};

static const struct string strings[] = {
	{ "MOVSB, one page", MOVS, 1, PAGE, 0, 8 * PAGE, false },
	{ "MOVSB, no pass", MOVS, 1, 0, 0, PAGE, false },
	{ "MOVSB, one pass", MOVS, 1, 1, 0, PAGE, false },
	{ "MOVSB, 8 passes", MOVS, 1, 8, 0, PAGE, false },
	{ "MOVSB, 9 passes over the ends of both pages", MOVS, 1, 9, PAGE - 4, 3 * PAGE - 5,
	  false },
	{ "MOVSB, pages that end at different passes", MOVS, 1, 5 * PAGE, 123, 9 * PAGE + 1000,
	  false },
	{ "MOVSW, one element in two pages of the source", MOVS, 2, 3000, 1, 8 * PAGE, false },
	{ "MOVSL, one element in two pages of the target", MOVS, 4, 3000, 0, 8 * PAGE + 2, false },
	{ "MOVSQ, elements in two pages of each", MOVS, 8, 3000, 3, 8 * PAGE + 5, false },
	{ "MOVSQ, 16 pages", MOVS, 8, 16 * PAGE / 8, 0, 16 * PAGE, false },
	{ "MOVSB, the target a byte after the source", MOVS, 1, 3 * PAGE, 100, 101, false },
	{ "MOVSB, the target a byte before the source", MOVS, 1, 3 * PAGE, 101, 100, false },
	{ "MOVSQ, the target 4 bytes after the source", MOVS, 8, 1000, 100, 104, false },
	{ "MOVSQ, the target 4 bytes before the source", MOVS, 8, 1000, 104, 100, false },
	{ "MOVSQ, the target half a page after the source", MOVS, 8, 2000, 0, PAGE / 2, false },
	{ "MOVSB, the target is the source", MOVS, 1, 2 * PAGE, 7, 7, false },
	{ "MOVSB, downwards", MOVS, 1, 2 * PAGE, 5 * PAGE, 9 * PAGE, true },
	{ "MOVSQ, downwards, the target before the source", MOVS, 8, 1000, 3 * PAGE + 8, 3 * PAGE,
	  true },
	{ "STOSB, one page", STOS, 1, PAGE, 0, PAGE, false },
	{ "STOSB, 7 passes", STOS, 1, 7, 0, PAGE - 3, false },
	{ "STOSW, elements in two pages", STOS, 2, 5000, 0, PAGE + 1, false },
	{ "STOSL, elements in two pages", STOS, 4, 5000, 0, PAGE + 3, false },
	{ "STOSQ, elements in two pages", STOS, 8, 5000, 0, PAGE + 5, false },
	{ "STOSQ, 16 pages", STOS, 8, 16 * PAGE / 8, 0, PAGE, false },
	{ "STOSQ, downwards", STOS, 8, 5000, 0, 12 * PAGE, true },
};

static struct registers run(enum operation operation, unsigned int size, uint64_t passes,
			    uint64_t from, uint64_t to)
{
	struct registers r = { passes, from, to };

#define RUN(instruction)                                           \
	__asm__ volatile("rep " instruction                        \
			 : "+c"(r.count), "+S"(r.from), "+D"(r.to) \
			 : "a"(VALUE)                              \
			 : "memory")
	switch (operation == MOVS ? size : 16 * size) {
	case 1:
		RUN("movsb");
		break;
	case 2:
		RUN("movsw");
		break;
	case 4:
		RUN("movsl");
		break;
	case 8:
		RUN("movsq");
		break;
	case 16:
		RUN("stosb");
		break;
	case 32:
		RUN("stosw");
		break;
	case 64:
		RUN("stosl");
		break;
	case 128:
		RUN("stosq");
		break;
	}
	return r;
}

static uint8_t pattern(uint64_t i)
{
	return (uint8_t)(i * 167 + i / 251);
}

/* The same by elements, in the memory that is compared with. */
static void do_by_elements(const struct string *s, volatile uint8_t *memory)
{
	uint64_t from = s->from, to = s->to, step = s->down ? -(uint64_t)s->size : s->size;

	for (uint64_t pass = 0; pass < s->passes; pass++, from += step, to += step) {
		uint8_t element[8];

		for (unsigned int i = 0; i < s->size; i++)
			element[i] = s->operation == MOVS ? memory[from + i] :
							    (uint8_t)(VALUE >> 8 * i);
		for (unsigned int i = 0; i < s->size; i++)
			memory[to + i] = element[i];
	}
}

static void test_memory(void)
{
	for (unsigned int n = 0; n < ARRAY_SIZE(strings); n++) {
		const struct string *s = &strings[n];
		uint64_t base = (uint64_t)(uintptr_t)AREA, length = s->passes * s->size, differ = 0;
		volatile uint8_t *area = AREA, *expected = scratch;
		struct registers r;

		for (uint64_t i = 0; i < AREA_BYTES; i++)
			area[i] = expected[i] = pattern(i);
		do_by_elements(s, expected);
		if (s->down)
			__asm__ volatile("std");
		r = run(s->operation, s->size, s->passes, base + s->from, base + s->to);
		__asm__ volatile("cld");
		for (uint64_t i = 0; i < AREA_BYTES; i++)
			differ += area[i] != expected[i];
		tap_equal(differ, 0, "bytes that differ: %s", s->name);
		length = s->down ? -length : length;
		tap_equal(r.count, 0, "RCX: %s", s->name);
		tap_equal(r.from - base, s->from + (s->operation == MOVS ? length : 0), "RSI: %s",
			  s->name);
		tap_equal(r.to - base, s->to + length, "RDI: %s", s->name);
	}
}

static struct registers faulted;

/* Keeps the registers that the fault finds, and ends the instruction by a count of 0. */
static void note_fault(struct frame *f)
{
	faulted = (struct registers){ f->rcx, f->rsi, f->rdi };
	f->rcx = 0;
}

/* The pages end 100 passes before the instruction does. */
static void test_fault(void)
{
	static const struct {
		const char *name;
		enum operation operation;
		unsigned int size;
		bool source; /* the source ends, else the target */
	} rows[] = {
		{ "MOVSB, the target's pages end", MOVS, 1, false },
		{ "MOVSB, the source's pages end", MOVS, 1, true },
		{ "MOVSQ, the target's pages end", MOVS, 8, false },
		{ "MOVSQ, the source's pages end", MOVS, 8, true },
		{ "STOSB, the pages end", STOS, 1, false },
		{ "STOSQ, the pages end", STOS, 8, false },
	};

	on_trap(VECTOR_PF, note_fault);
	for (unsigned int n = 0; n < ARRAY_SIZE(rows); n++) {
		uint64_t good = 2000, length = good * rows[n].size, at_end = UNMAPPED - length,
			 other = WINDOW;
		uint64_t from = rows[n].source ? at_end : other,
			 to = rows[n].source ? other : at_end;

		run(rows[n].operation, rows[n].size, good + 100, from, to);
		tap_equal(faulted.count, 100, "RCX at the fault: %s", rows[n].name);
		tap_equal(faulted.from, from + (rows[n].operation == MOVS ? length : 0),
			  "RSI at the fault: %s", rows[n].name);
		tap_equal(faulted.to, to + length, "RDI at the fault: %s", rows[n].name);
	}
	on_trap(VECTOR_PF, NULL);
}

/* A copy over code that has run: the new code runs next. */
static void test_code(void)
{
	static const uint8_t ret = 0xc3, load = 0xb8; /* MOV to EAX, with 4 bytes of the number */
	uint32_t (*code)(void) = (uint32_t(*)(void))(uintptr_t)(AREA + 100);

	for (uint8_t number = 1; number <= 3; number++) {
		for (unsigned int i = 0; i < PAGE; i++)
			AREA[2 * PAGE + i] = ret;
		AREA[2 * PAGE + 100] = load;
		AREA[2 * PAGE + 101] = number;
		AREA[2 * PAGE + 102] = AREA[2 * PAGE + 103] = AREA[2 * PAGE + 104] = 0;
		run(MOVS, 1, PAGE, WINDOW + 2 * PAGE, WINDOW);
		tap_equal(code(), number, "the code that was copied over other code runs");
	}
}

/* Not inlined: the instructions around the passes are the same in each call. */
static __attribute__((noinline)) uint64_t time_of(enum operation operation, uint64_t passes,
						  uint64_t to)
{
	uint64_t before = __builtin_ia32_rdtsc();

	run(operation, 1, passes, WINDOW, WINDOW + to);
	return __builtin_ia32_rdtsc() - before;
}

/* Time passes by one nanosecond for each pass, however many are made at once. */
static void test_time(void)
{
	static const struct {
		enum operation operation;
		uint64_t to;
		const char *name;
	} rows[] = {
		{ MOVS, 4 * PAGE, "REP MOVSB" },
		{ MOVS, 1, "REP MOVSB over itself, which is made by single passes" },
		{ STOS, 4 * PAGE, "REP STOSB" },
	};

	for (unsigned int n = 0; n < ARRAY_SIZE(rows); n++) {
		uint64_t few = time_of(rows[n].operation, 5000, rows[n].to);
		uint64_t many = time_of(rows[n].operation, 10000, rows[n].to);

		tap_equal(many - few, 5000, "nanoseconds of 5000 more passes: %s", rows[n].name);
	}
}

void test_strings(void)
{
	test_memory();
	test_fault();
	test_code();
	if (config.icount)
		test_time();
}
