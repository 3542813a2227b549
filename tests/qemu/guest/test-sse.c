// SPDX-License-Identifier: BSD-2-Clause
/*
 * test-sse.c: the flags of MXCSR belong to one CPU, and stay while it does something else or is stopped.
 *
 * An instruction raises one flag. In the first half of the rounds the CPU then waits, and shows what MXCSR has to be: R14 is
 * HELD and R15 is the value, for a test that stops the machine. In the second half it uses a device, executes code for the
 * first time, or computes by other units, and then reads MXCSR.
 */

#include "guest.h"

#define CR4_SSE	       0x600 /* OSFXSR, OSXMMEXCPT */
#define PLAIN	       0x1f80u
#define DENORMALS_ZERO 0x0040u
#define DOWN	       0x2000u
#define FLUSH	       0x8000u
#define HELD	       0x5555aaaa12345678
#define HOLD_PASSES    300000
#define ROUNDS	       8
#define FRESH_BYTES    16
#define FRESH_CODES    64
#define FRESH_CALLS    500
#define COM1_LCR       0x3fb /* bit 7 shows the divisor in place of the first two */
#define COM1_DIVISOR   0x3f8
#define DOUBLE(high)   ((uint64_t)(high) << 32)

/* ADDSD or DIVSD of two doubles, and what each raises alone. */
static const struct operation {
	uint64_t a, b;
	uint32_t plain, flushed; /* flags; with FTZ and DAZ */
	bool divides;
} operations[] = {
	{ DOUBLE(0x3ff00000), DOUBLE(0x3ff00000), 0, 0, false },       /* 1 + 1 */
	{ DOUBLE(0x3ff00000), DOUBLE(0x40080000), 0x20, 0x20, true },  /* 1 / 3 */
	{ DOUBLE(0x3ff00000), 0, 0x04, 0x04, true },		       /* 1 / 0 */
	{ 0, 0, 0x01, 0x01, true },				       /* 0 / 0 */
	{ DOUBLE(0x7fe00000), DOUBLE(0x7fe00000), 0x28, 0x28, false }, /* overflow */
	{ DOUBLE(0x00080000), DOUBLE(0x3ff00000), 0x02, 0, true },     /* denormal / 1 */
	{ DOUBLE(0x00100000), DOUBLE(0x40080000), 0x30, 0x30, true },  /* smallest / 3 */
};

static const uint32_t modes[] = { 0, FLUSH | DENORMALS_ZERO, DOWN };

static void enable_sse(void)
{
	uint64_t cr4;

	__asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
	__asm__ volatile("mov %0, %%cr4" ::"r"(cr4 | CR4_SSE));
}

static void write_mxcsr(uint32_t value)
{
	__asm__ volatile("ldmxcsr %0" ::"m"(value));
}

static uint32_t read_mxcsr(void)
{
	uint32_t value;

	__asm__ volatile("stmxcsr %0" : "=m"(value));
	return value;
}

static void compute(const struct operation *operation)
{
	__asm__ volatile("movsd %0, %%xmm0" ::"m"(operation->a));
	if (operation->divides)
		__asm__ volatile("divsd %0, %%xmm0" ::"m"(operation->b));
	else
		__asm__ volatile("addsd %0, %%xmm0" ::"m"(operation->b));
}

/* Shows VALUE for a while. */
static void hold(uint32_t value)
{
	__asm__ volatile("mov %0, %%r15d\n\tmov %1, %%r14\n\t"
			 "1: dec %2\n\tjnz 1b\n\txor %%r14d, %%r14d"
			 :
			 : "r"(value), "i"(HELD), "r"((uint64_t)HOLD_PASSES)
			 : "r14", "r15", "cc");
}

/* Code that the emulator has not seen: constants, and an exact product. */
static void execute_fresh_code(void)
{
	static uint64_t next;

	for (unsigned int call = 0; call < FRESH_CALLS; call++) {
		uint8_t *code = scratch + call % 8 * (FRESH_CODES * 10 + FRESH_BYTES);

		for (unsigned int i = 0; i < FRESH_CODES; i++) {
			/* movabs $constant, %rax */
			code[i * 10] = 0x48;
			code[i * 10 + 1] = 0xb8;
			next = next * 6364136223846793005 + 1442695040888963407;
			*(uint64_t *)(code + i * 10 + 2) = next;
		}
		/* mulsd %xmm1, %xmm1; ret */
		*(uint32_t *)(code + FRESH_CODES * 10) = 0xc9590ff2;
		code[FRESH_CODES * 10 + 4] = 0xc3;
		__asm__ volatile("xorps %%xmm1, %%xmm1\n\tcall *%0" ::"r"(code) : "rax", "memory");
	}
}

/* The emulator computes the speed of the line as a float. */
static void use_device(void)
{
	uint8_t lcr, divisor;

	__asm__ volatile("inb %1, %0" : "=a"(lcr) : "d"((uint16_t)COM1_LCR));
	__asm__ volatile("outb %0, %1" ::"a"((uint8_t)(lcr | 0x80)), "d"((uint16_t)COM1_LCR));
	__asm__ volatile("inb %1, %0" : "=a"(divisor) : "d"((uint16_t)COM1_DIVISOR));
	__asm__ volatile("outb %0, %1" ::"a"((uint8_t)7), "d"((uint16_t)COM1_DIVISOR));
	__asm__ volatile("outb %0, %1" ::"a"(divisor), "d"((uint16_t)COM1_DIVISOR));
	__asm__ volatile("outb %0, %1" ::"a"(lcr), "d"((uint16_t)COM1_LCR));
}

/* x87 and the approximations leave MXCSR alone. */
static void compute_apart(void)
{
	static const uint32_t third = 0x3eaaaaab;

	__asm__ volatile(
		"fninit\n\tfld1\n\tfsin\n\tfptan\n\tfstp %%st(0)\n\tfldpi\n\tfdivrp\n\tfstp %%st(0)\n\t"
		"rcpss %0, %%xmm2\n\trsqrtss %0, %%xmm2\n\trcpps %%xmm2, %%xmm2\n\t"
		"rsqrtps %%xmm2, %%xmm2" ::"m"(third));
}

static void (*const others[])(void) = { execute_fresh_code, use_device, compute_apart };

static uint32_t wrong[256];

/* Counts per CPU the values of MXCSR that are not those of its operation. */
static void compute_on(unsigned int cpu)
{
	enable_sse();
	for (unsigned int i = 0; i < 3000; i++) {
		const struct operation *operation =
			&operations[(cpu + i / 1000) % ARRAY_SIZE(operations)];

		write_mxcsr(PLAIN);
		compute(operation);
		for (unsigned int pass = 0; pass < i % 300; pass++)
			__asm__ volatile("pause");
		wrong[cpu] += read_mxcsr() != (PLAIN | operation->plain);
	}
}

void test_sse(void)
{
	enable_sse();
	for (unsigned int round = 0; round < ROUNDS; round++) {
		for (unsigned int mode = 0; mode < ARRAY_SIZE(modes); mode++) {
			uint32_t flags = 0;

			write_mxcsr(PLAIN | modes[mode]);
			for (unsigned int i = 0; i < ARRAY_SIZE(operations); i++) {
				const struct operation *operation = &operations[i];

				/* The flags of all so far, or, in odd rounds, of this one. */
				if (round % 2) {
					flags = 0;
					write_mxcsr(PLAIN | modes[mode]);
				}
				compute(operation);
				flags |= modes[mode] & FLUSH ? operation->flushed :
							       operation->plain;
				if (round >= ROUNDS / 2)
					others[(i + round) % ARRAY_SIZE(others)]();
				else
					hold(PLAIN | modes[mode] | flags);
				tap_equal(read_mxcsr(), PLAIN | modes[mode] | flags,
					  "round %u, mode %x, operation %u: the flags",
					  (uint64_t)round, (uint64_t)modes[mode], (uint64_t)i);
			}
		}
	}
	run_on_all(compute_on);
	for (unsigned int cpu = 0; cpu < config.cpus; cpu++)
		tap_equal(wrong[cpu], 0, "CPU %u has the flags of its own operations",
			  (uint64_t)cpu);
}
