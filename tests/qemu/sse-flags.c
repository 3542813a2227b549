/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sse-flags.c: MXCSR in programs: read and written in all ways, in long sequences, by threads and by signal handlers.
 *
 * Prints one line for each rule: how often it was broken, or values that the host has too.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "xorshift.h"

#define PLAIN	  0x1f80u
#define FLAGS	  0x3fu
#define SEQUENCES 3000
#define LONGEST	  64
#define SAVED	  (0x18 / 4) /* the place of MXCSR in what FXSAVE writes, in words of 4 */
#define THREADS	  6
#define PASSES	  4000
#define PAGES	  512

/* Zeros, ones, small, great and denormal numbers, infinities and NaNs, of both signs. */
static double random_operand(void)
{
	static const uint64_t words[] = {
		0,
		0x3ff0000000000000,
		0x4008000000000000,
		0x0008000000000000,
		0x0010000000000000,
		0x7fefffffffffffff,
		0x7ff0000000000000,
		0x7ff8000000000000,
		0x7ff4000000000000,
		0x36a0000000000001,
	};
	uint64_t word = words[next_random() >> 20 & 7] | next_random() << 63;
	double value;

	if (next_random() >> 30 & 1)
		word = 0x3ff0000000000000 | next_random() >> 12;
	else if (!(next_random() >> 30 & 15))
		word = words[8 + (next_random() >> 30 & 1)];
	memcpy(&value, &word, sizeof(value));
	return value;
}

/* Instructions of all ways to compute: in translated code, by a helper with the host's unit, by softfloat. */
static double compute(unsigned int kind, double a, double b)
{
	uint64_t integer;

	switch (kind) {
	case 0:
		__asm__ volatile("addsd %1, %0" : "+x"(a) : "x"(b));
		break;
	case 1:
		__asm__ volatile("mulpd %1, %0" : "+x"(a) : "x"(b));
		break;
	case 2:
		__asm__ volatile("divsd %1, %0" : "+x"(a) : "x"(b));
		break;
	case 3:
		__asm__ volatile("sqrtpd %1, %0" : "=x"(a) : "x"(b));
		break;
	case 4:
		__asm__ volatile("cvtsd2ss %1, %0" : "+x"(a) : "x"(b));
		break;
	case 5:
		__asm__ volatile("cvttsd2si %1, %0" : "=r"(integer) : "x"(b));
		break;
	case 6:
		__asm__ volatile("comisd %1, %0" : : "x"(a), "x"(b) : "cc");
		break;
	case 7:
		__asm__ volatile("cmpltpd %1, %0" : "+x"(a) : "x"(b));
		break;
	case 8:
		__asm__ volatile("maxsd %1, %0" : "+x"(a) : "x"(b));
		break;
	case 9:
		__asm__ volatile("mulps %1, %0" : "+x"(a) : "x"(b));
		break;
	case 10:
		__asm__ volatile("roundsd $0, %1, %0" : "+x"(a) : "x"(b));
		break;
	case 11:
		__asm__ volatile("rcpps %1, %0" : "=x"(a) : "x"(b));
		break;
	default:
		__asm__ volatile("cvtpd2dq %1, %0" : "=x"(a) : "x"(b));
		break;
	}
	return a;
}
#define KINDS 13

static uint32_t area[1024] __attribute__((aligned(64)));

static unsigned int read_mxcsr(unsigned int how)
{
	switch (how) {
	case 0:
		return _mm_getcsr();
	case 1:
		__asm__ volatile("fxsave64 %0" : "=m"(area));
		break;
	case 2:
		__asm__ volatile("xsave64 %0" : "+m"(area) : "a"(3), "d"(0));
		break;
	default:
		__asm__ volatile("xsaveopt64 %0" : "+m"(area) : "a"(3), "d"(0));
		break;
	}
	return area[SAVED];
}

/* The registers stay as they are. */
static void write_mxcsr(unsigned int how, unsigned int value)
{
	switch (how) {
	case 0:
		_mm_setcsr(value);
		return;
	case 1:
		__asm__ volatile("fxsave64 %0" : "=m"(area));
		area[SAVED] = value;
		__asm__ volatile("fxrstor64 %0" : : "m"(area));
		return;
	default:
		memset(area, 0, sizeof(area));
		__asm__ volatile("xsave64 %0" : "+m"(area) : "a"(3), "d"(0));
		area[SAVED] = value;
		__asm__ volatile("xrstor64 %0" : : "m"(area), "a"(3), "d"(0));
		return;
	}
}

struct operation {
	unsigned int kind;
	double a, b;
};

static unsigned int flags_alone(const struct operation *operation, unsigned int mode)
{
	_mm_setcsr(PLAIN | mode);
	compute(operation->kind, operation->a, operation->b);
	return _mm_getcsr() & FLAGS;
}

/* A sequence raises the flags that its instructions raise alone; the mode may change on the way. */
static void run_sequences(void)
{
	static const unsigned int modes[] = { 0, 0, 0, 0x2000, 0x4000, 0x6000, 0x8040, 0x8000 };
	struct operation operations[LONGEST];
	unsigned int mode_of[LONGEST], broken = 0;
	uint64_t hash = 0;

	for (int sequence = 0; sequence < SEQUENCES; sequence++) {
		unsigned int length = 1 + (next_random() >> 20) % LONGEST, mode = 0, got;
		unsigned int expected = next_random() >> 24 & next_random() >> 33 & FLAGS;

		for (unsigned int i = 0; i < length; i++) {
			operations[i] = (struct operation){ (next_random() >> 20) % KINDS,
							    random_operand(), random_operand() };
			if (!(next_random() >> 20 & 15))
				mode = modes[next_random() >> 20 & 7];
			mode_of[i] = mode;
		}
		write_mxcsr(next_random() >> 20 & 3, PLAIN | mode_of[0] | expected);
		for (unsigned int i = 0; i < length; i++) {
			if (i && mode_of[i] != mode_of[i - 1]) {
				unsigned int now = read_mxcsr(next_random() >> 20 & 3);

				write_mxcsr(next_random() >> 20 & 3, (now & ~0xe040u) | mode_of[i]);
			}
			compute(operations[i].kind, operations[i].a, operations[i].b);
		}
		got = read_mxcsr(next_random() >> 20 & 3);
		for (unsigned int i = 0; i < length; i++)
			expected |= flags_alone(&operations[i], mode_of[i]);
		broken += got != (PLAIN | mode_of[length - 1] | expected);
		hash = (hash ^ got) * 0x100000001b3;
	}
	printf("sequences whose flags are not those of their instructions: %u\n", broken);
	printf("flags of the sequences: %016lx\n", (unsigned long)hash);
}

static unsigned int in_handler;

static void handle(int signal)
{
	(void)signal;
	in_handler = _mm_getcsr();
	compute(2, 1, 0);
}

static void take_signals(void)
{
	unsigned int broken = 0;

	signal(SIGUSR1, handle);
	for (unsigned int i = 0; i < 300; i++) {
		const struct operation operation = { i % KINDS, random_operand(),
						     random_operand() };
		unsigned int expected = flags_alone(&operation, i & 1 ? 0x8040 : 0);

		raise(SIGUSR1);
		broken += (_mm_getcsr() & FLAGS) != expected;
	}
	printf("signals whose handlers changed the flags: %u\n", broken);
	printf("MXCSR in a handler: %x\n", in_handler);
}

static void *compute_in_thread(void *argument)
{
	const struct operation *operation = argument;
	unsigned long broken = 0;

	for (unsigned int pass = 0; pass < PASSES; pass++) {
		unsigned int mode = pass & 256 ? 0x8040 : 0,
			     expected = flags_alone(operation, mode);

		_mm_setcsr(PLAIN | mode);
		if (pass % 8 == 0)
			sched_yield();
		broken += (_mm_getcsr() & FLAGS) != 0;
		compute(operation->kind, operation->a, operation->b);
		for (volatile unsigned int i = 0; i < pass % 64; i++)
			;
		if (pass % 8 == 1)
			sched_yield();
		broken += (_mm_getcsr() & FLAGS) != expected;
	}
	return (void *)broken;
}

static void switch_threads(void)
{
	static struct operation operations[THREADS] = {
		{ 0, 1, 1 }, { 2, 1, 3 },	  { 2, 1, 0 },
		{ 2, 0, 0 }, { 1, 1e300, 1e300 }, { 1, 1e-310, 1 },
	};
	pthread_t threads[THREADS];
	unsigned long broken = 0;
	void *result;

	for (unsigned int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, compute_in_thread, &operations[i]))
			return;
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		broken += (unsigned long)result;
	}
	printf("flags of other threads: %lu\n", broken);
}

/* Page faults, system calls, and code that is executed for the first time. */
static void do_other_things(void)
{
	unsigned char *pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int broken = 0;

	if (pages == MAP_FAILED)
		return;
	for (unsigned int page = 0; page < PAGES; page++) {
		unsigned char *code = pages + page * 4096;

		_mm_setcsr(PLAIN);
		compute(0, 1, 1);
		for (unsigned int i = 0; i < 60; i++) {
			uint64_t constant = next_random();

			/* movabs $constant, %rax */
			memcpy(code + i * 10, (const unsigned char[]){ 0x48, 0xb8 }, 2);
			memcpy(code + i * 10 + 2, &constant, 8);
		}
		code[600] = 0xc3; /* ret */
		__asm__ volatile("call *%0" : : "r"(code) : "rax", "memory");
		if (getppid() < 0)
			return;
		broken += _mm_getcsr() != PLAIN;
	}
	printf("flags that nothing raised: %u\n", broken);
}

int main(void)
{
	printf("MXCSR at the start: %x\n", _mm_getcsr());
	run_sequences();
	take_signals();
	switch_threads();
	do_other_things();
	return 0;
}
