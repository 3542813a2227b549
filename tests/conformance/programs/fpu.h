/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers of the floating-point unit.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_FPU_H
#define TESTS_FPU_H

#include <signal.h>
#include <ucontext.h>

#include "observe.h"

/* Offsets in the area: Intel SDM vol. 1, 13.4; the software's bytes: Linux's asm/sigcontext.h. */
enum {
	CONTROL_AT = 0,
	MXCSR_AT = 24,
	X87_AT = 32,
	XMM_AT = 160,
	MAGIC1_AT = 464,
	EXTENDED_SIZE_AT = 468,
	FEATURES_AT = 472,
	STATE_SIZE_AT = 480,
	RESERVED_AT = 484,
	HEADER_AT = 512,
	HEADER_BYTES = 64,
	REGISTERS = 16
};

#define CONTROL_START 0x37f
#define MXCSR_START   0x1f80

/* Round down: no program begins with this. */
#define CONTROL_OTHER 0x77f

#define MXCSR_OTHER   0x3f80

/* All registers of AVX, each 32 bytes. */
struct vectors {
	unsigned char bytes[REGISTERS][32];
};

static bool has_avx;
static unsigned int avx_at;

static void load_vectors(const struct vectors *from)
{
#define LOAD(n)	    "vmovdqu " #n "*32(%0), %%ymm" #n "\n\t"
#define LOAD_LOW(n) "movdqu " #n "*32(%0), %%xmm" #n "\n\t"
#define ALL(x)	    x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) x(12) x(13) x(14) x(15)
	if (has_avx)
		__asm__ volatile(ALL(LOAD) : : "r"(from) : "memory");
	else
		__asm__ volatile(ALL(LOAD_LOW) : : "r"(from) : "memory");
}

static void store_vectors(struct vectors *to)
{
#define STORE(n)     "vmovdqu %%ymm" #n ", " #n "*32(%0)\n\t"
#define STORE_LOW(n) "movdqu %%xmm" #n ", " #n "*32(%0)\n\t"
	if (has_avx)
		__asm__ volatile(ALL(STORE) : : "r"(to) : "memory");
	else
		__asm__ volatile(ALL(STORE_LOW) : : "r"(to) : "memory");
}

static void fill(struct vectors *vectors, unsigned char seed)
{
	memset(vectors, 0, sizeof(*vectors));
	for (int i = 0; i < REGISTERS; i++)
		for (int j = 0; j < (has_avx ? 32 : 16); j++)
			vectors->bytes[i][j] = (unsigned char)(seed + i * 7 + j);
}

static void set_control(uint16_t control, uint32_t mxcsr)
{
	__asm__ volatile("fldcw %0; ldmxcsr %1" : : "m"(control), "m"(mxcsr));
}

static void get_control(uint16_t *control, uint32_t *mxcsr)
{
	__asm__ volatile("fnstcw %0; stmxcsr %1" : "=m"(*control), "=m"(*mxcsr));
}

/* A system call without the C library, which may use the registers: changes are the kernel's. */
static inline long call(long number, long a, long b)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b)
			 : "rcx", "r11", "memory");
	return result;
}

static const char *yes(bool value)
{
	return value ? "yes" : "no";
}

static const char *hex(uint64_t value)
{
	static char text[4][24];
	static int next;
	char *to = text[next++ % 4];

	snprintf(to, sizeof(text[0]), "%#llx", (unsigned long long)value);
	return to;
}

/* The state that the last handler found. */
static struct {
	struct vectors vectors;
	uint16_t control;
	uint32_t mxcsr;
	unsigned char state[8192];
	size_t size;
} found;

static void (*change)(unsigned char *state);

__attribute__((noinline)) static void note(ucontext_t *context)
{
	unsigned char *state = (unsigned char *)context->uc_mcontext.fpregs;
	uint32_t size;

	memcpy(&size, state + EXTENDED_SIZE_AT, sizeof(size));
	found.size = size < sizeof(found.state) ? size : sizeof(found.state);
	memcpy(found.state, state, found.size);
	if (change)
		change(state);
}

/* First of all the registers, before anything is called that may use them. */
static void handler(int signal, siginfo_t *info, void *context)
{
	static struct vectors spoiled;

	(void)signal;
	(void)info;
	store_vectors(&found.vectors);
	get_control(&found.control, &found.mxcsr);
	note(context);
	fill(&spoiled, 0x99);
	load_vectors(&spoiled);
	set_control(CONTROL_OTHER | 0x800, MXCSR_OTHER | 0x4000);
}

static struct vectors before, after;
static uint16_t control_after;
static uint32_t mxcsr_after;

/* Whether the first or the second half of each register is the one in BEFORE, or is 0. */
static bool is_kept(const struct vectors *vectors, int half)
{
	for (int i = 0; i < REGISTERS; i++)
		if (memcmp(vectors->bytes[i] + 16 * half, before.bytes[i] + 16 * half, 16) != 0)
			return false;
	return true;
}

#endif
