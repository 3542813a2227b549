/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * traps: what becomes of each exception of an Alpha program, as Linux/alpha has it: which signal, which code,
 * where; and that an unaligned access is done instead. A static program of the GNU C library.
 */
#define _GNU_SOURCE

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "points.h"

#define PAGE	      8192
#define KSEG	      0xfffffc0000000000ul

/* Codes of the kernel's that the C library does not name everywhere. */
#define CODE_TRAP_UNK 5

static sigjmp_buf back;
static volatile struct {
	int signal, code;
	uintptr_t address, pc;
} seen;

static void note(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;

	seen.signal = signal;
	seen.code = info->si_code;
	seen.address = (uintptr_t)info->si_addr;
	seen.pc = (uintptr_t)interrupted->uc_mcontext.sc_pc;
	siglongjmp(back, 1);
}

/* --- signals --- */

static unsigned char
	*pages; /* one that may be read, one that may be written, one that is not there */
static const uintptr_t nowhere = KSEG;

static void read_null(void)
{
	(void)*(volatile char *)8;
}

static void write_null(void)
{
	*(volatile char *)8 = 1;
}

static void write_read_only(void)
{
	pages[16] = 1;
}

static void execute_data(void)
{
	((void (*)(void))(uintptr_t)(pages + PAGE))();
}

static void read_kernel(void)
{
	(void)*(volatile char *)nowhere;
}

static void jump_to_kernel(void)
{
	((void (*)(void))nowhere)();
}

static void privileged(void)
{
	__asm__ volatile("call_pal 0x35" ::: "$0", "$1", "$16", "$22", "$23", "$24", "$25");
}

static void unknown_call(void)
{
	__asm__ volatile("call_pal 0x85");
}

static void reserved_opcode(void)
{
	__asm__ volatile(".long 0x1c000000 | 1 << 5");
}

static void breakpoint(void)
{
	__asm__ volatile("call_pal 0x80");
}

static void bugcheck(void)
{
	__asm__ volatile("call_pal 0x81");
}

static long software_code;

static void software_trap(void)
{
	register long a0 __asm__("$16") = software_code;

	__asm__ volatile("call_pal 0xaa" : "+r"(a0));
}

static void divide_by_zero(void)
{
	volatile double zero = 0, one = 1, quotient;

	/* Without /S: no software completion. */
	__asm__ volatile("divt %1, %2, %0\n\ttrapb" : "=&f"(quotient) : "f"(one), "f"(zero));
}

static void lock_unaligned(void)
{
	long value;

	__asm__ volatile("ldq_l %0, 1(%1)" : "=r"(value) : "r"(pages + PAGE));
}

static void load_unaligned_nowhere(void)
{
	long value;

	__asm__ volatile("ldq %0, -1(%1)" : "=r"(value) : "r"(pages + 2 * PAGE));
}

enum { ANYWHERE, AT_8, AT_PAGE_0, AT_PAGE_1, AT_KSEG, AT_PC };

static const struct {
	const char *name;
	void (*trap)(void);
	int signal, code, where;
} traps[] = {
	{ "a load from nowhere", read_null, SIGSEGV, SEGV_MAPERR, AT_8 },
	{ "a store to nowhere", write_null, SIGSEGV, SEGV_MAPERR, AT_8 },
	{ "a store to what is read-only", write_read_only, SIGSEGV, SEGV_ACCERR, AT_PAGE_0 },
	{ "executing data", execute_data, SIGSEGV, SEGV_ACCERR, AT_PAGE_1 },
	{ "a load from KSEG", read_kernel, SIGSEGV, SEGV_MAPERR, AT_KSEG },
	{ "a jump to KSEG", jump_to_kernel, SIGSEGV, SEGV_MAPERR, AT_KSEG },
	{ "a privileged PALcall", privileged, SIGILL, ILL_ILLOPC, AT_PC },
	{ "a PALcall that is none", unknown_call, SIGILL, ILL_ILLOPC, AT_PC },
	{ "a reserved opcode", reserved_opcode, SIGILL, ILL_ILLOPC, AT_PC },
	{ "BPT", breakpoint, SIGTRAP, TRAP_BRKPT, AT_PC },
	{ "BUGCHK", bugcheck, SIGTRAP, CODE_TRAP_UNK, AT_PC },
	{ "a division by zero without software completion", divide_by_zero, SIGFPE, FPE_FLTINV,
	  AT_PC },
	{ "a load-locked of an unaligned word", lock_unaligned, SIGBUS, BUS_ADRALN, ANYWHERE },
	{ "an unaligned load that ends nowhere", load_unaligned_nowhere, SIGSEGV, SEGV_MAPERR,
	  ANYWHERE },
};

static bool is_there(int where)
{
	switch (where) {
	case AT_8:
		return seen.address == 8;
	case AT_PAGE_0:
		return seen.address == (uintptr_t)pages + 16;
	case AT_PAGE_1:
		return seen.address == (uintptr_t)pages + PAGE;
	case AT_KSEG:
		return seen.address == KSEG;
	case AT_PC:
		return seen.address == seen.pc;
	default:
		return true;
	}
}

/* Runs TRAP; false: it made no signal. */
static bool run(void (*trap)(void))
{
	if (sigsetjmp(back, 1) == 0) {
		trap();
		return false;
	}
	return true;
}

static void check_traps(void)
{
	for (unsigned int i = 0; i < sizeof(traps) / sizeof(traps[0]); i++) {
		bool trapped = run(traps[i].trap);

		point(trapped && seen.signal == traps[i].signal && seen.code == traps[i].code &&
			      is_there(traps[i].where),
		      traps[i].name);
		if (trapped && (seen.signal != traps[i].signal || seen.code != traps[i].code ||
				!is_there(traps[i].where)))
			printf("# signal %d, code %d, address 0x%lx, pc 0x%lx\n", seen.signal,
			       seen.code, seen.address, seen.pc);
	}
}

static void check_software_traps(void)
{
	static const int codes[] = { FPE_INTOVF, FPE_INTDIV, FPE_FLTOVF, FPE_FLTDIV,
				     FPE_FLTUND, FPE_FLTINV, FPE_FLTRES };
	char name[40];

	for (unsigned int i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		software_code = -1l - (long)i;
		snprintf(name, sizeof(name), "GENTRAP of %ld", software_code);
		point(run(software_trap) && seen.signal == SIGFPE && seen.code == codes[i], name);
	}
	software_code = -100;
	point(run(software_trap) && seen.signal == SIGTRAP && seen.code == CODE_TRAP_UNK,
	      "GENTRAP of what is no exception");
}

/* --- unaligned accesses --- */

static const unsigned char bytes[16] = { 0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8,
					 0x09, 0x1a, 0x2b, 0x3c, 0x4d, 0x5e, 0x6f, 0x70 };

#define LOAD(instruction, type, constraint, result)                                            \
	static void load_##instruction(const unsigned char *at)                                \
	{                                                                                      \
		type value;                                                                    \
                                                                                               \
		__asm__ volatile(#instruction " %0, 0(%1)" : "=" constraint(value) : "r"(at)); \
		(result) = value;                                                              \
	}

static uint64_t whole;
static double floating;

LOAD(ldwu, uint64_t, "r", whole)
LOAD(ldl, uint64_t, "r", whole)
LOAD(ldq, uint64_t, "r", whole)
LOAD(lds, double, "f", floating)
LOAD(ldt, double, "f", floating)

static void check_loads(void)
{
	unsigned char *at = pages + PAGE;
	double expected;
	float narrow;

	for (unsigned int shift = 1; shift < 8; shift++) {
		char name[40];
		uint64_t word;
		uint32_t half;
		uint16_t quarter;

		memcpy(at + shift, bytes, sizeof(bytes));
		memcpy(&word, bytes, 8);
		memcpy(&half, bytes, 4);
		memcpy(&quarter, bytes, 2);
		snprintf(name, sizeof(name), "loads at an offset of %u", shift);
		load_ldq(at + shift);
		bool good = whole == word;

		load_ldl(at + shift);
		good = good && whole == (uint64_t)(int64_t)(int32_t)half;
		load_ldwu(at + shift);
		good = good && whole == quarter;
		load_ldt(at + shift);
		memcpy(&expected, bytes, 8);
		good = good && memcmp(&floating, &expected, 8) == 0;
		narrow = -1.5f;
		memcpy(at + shift, &narrow, 4);
		load_lds(at + shift);
		point(good && floating == -1.5, name);
	}
}

static void check_stores(void)
{
	unsigned char *at = pages + PAGE;

	for (unsigned int shift = 1; shift < 8; shift++) {
		uint64_t word = 0x8877665544332211;
		double number = 3.25;
		float narrow = 3.25f;
		char name[40];
		bool good;

		snprintf(name, sizeof(name), "stores at an offset of %u", shift);
		memset(at, 0, 32);
		__asm__ volatile("stq %0, 0(%1)" ::"r"(word), "r"(at + shift) : "memory");
		good = memcmp(at + shift, &word, 8) == 0 && at[shift + 8] == 0 &&
		       at[shift - 1] == 0;
		memset(at, 0, 32);
		__asm__ volatile("stl %0, 0(%1)" ::"r"(word), "r"(at + shift) : "memory");
		good = good && memcmp(at + shift, &word, 4) == 0 && at[shift + 4] == 0;
		memset(at, 0, 32);
		__asm__ volatile("stw %0, 0(%1)" ::"r"(word), "r"(at + shift) : "memory");
		good = good && memcmp(at + shift, &word, 2) == 0 && at[shift + 2] == 0;
		__asm__ volatile("stt %0, 0(%1)" ::"f"(number), "r"(at + shift) : "memory");
		good = good && memcmp(at + shift, &number, 8) == 0;
		__asm__ volatile("sts %0, 0(%1)" ::"f"(number), "r"(at + shift) : "memory");
		point(good && memcmp(at + shift, &narrow, 4) == 0, name);
	}
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE };

	pages = mmap(NULL, 3 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE);
	munmap(pages + 2 * PAGE, PAGE);
	for (unsigned int i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	setbuf(stdout, NULL);
	check_traps();
	check_software_traps();
	check_loads();
	check_stores();
	return points_done();
}
