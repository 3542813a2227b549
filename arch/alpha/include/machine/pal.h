/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PALcode's services: one inline function for each call, nothing more. Any context, unless stated
 * otherwise.
 *
 * Sources: Alpha Architecture Handbook version 4, II-B chapter 2 "OSF/1 PALcode instruction
 * descriptions"; for CSERVE, which belongs to a machine's console, qemu-palcode's pal.S.
 */
#ifndef MACHINE_PAL_H
#define MACHINE_PAL_H

#define PAL_HALT     0x00
#define PAL_CSERVE   0x09
#define PAL_WRIPIR   0x0d
#define PAL_WRMCES   0x11
#define PAL_WRVAL    0x31
#define PAL_SWPCTX   0x30
#define PAL_RDVAL    0x32
#define PAL_TBI	     0x33
#define PAL_WRENT    0x34
#define PAL_SWPIPL   0x35
#define PAL_RDPS     0x36
#define PAL_WRKGP    0x37
#define PAL_WRUSP    0x38
#define PAL_RDUSP    0x3a
#define PAL_WHAMI    0x3c
#define PAL_WTINT    0x3e
#define PAL_RTI	     0x3f
#define PAL_IMB	     0x86
#define PAL_RDUNIQUE 0x9e
#define PAL_WRUNIQUE 0x9f

#ifndef __ASSEMBLER__

#include <stdint.h>

/* The registers that a privileged call may change beside its result: t0, t8 … t11 (section 2.1). */
#define PAL_CLOBBERS "$1", "$22", "$23", "$24", "$25", "memory"

/* An unprivileged call with one result. */
#define PAL_READ(name, number, ...)                                                     \
	static inline uint64_t name(void)                                               \
	{                                                                               \
		register uint64_t v0 __asm__("$0");                                     \
                                                                                        \
		__asm__ volatile("call_pal %1" : "=r"(v0) : "i"(number) : __VA_ARGS__); \
		return v0;                                                              \
	}

#define PAL_WRITE(name, number)                                                                \
	static inline void name(uint64_t value)                                                \
	{                                                                                      \
		register uint64_t a0 __asm__("$16") = value;                                   \
                                                                                               \
		__asm__ volatile("call_pal %1" : "+r"(a0) : "i"(number) : "$0", PAL_CLOBBERS); \
	}

/* The word that the kernel keeps for each CPU; the CPU's number; the processor status; the user's stack
 * pointer; the running task's thread pointer. */
PAL_READ(pal_read_value, PAL_RDVAL, "$1", "$22", "$23", "$24", "$25")
PAL_READ(pal_read_cpu, PAL_WHAMI, "$1", "$22", "$23", "$24", "$25")
PAL_READ(pal_read_status, PAL_RDPS, "$1", "$22", "$23", "$24", "$25")
PAL_READ(pal_read_unique, PAL_RDUNIQUE, "memory")

PAL_WRITE(pal_write_value, PAL_WRVAL)
/* Sets the running task's thread pointer. */
PAL_WRITE(pal_write_unique, PAL_WRUNIQUE)
/* Interrupts the CPU with number VALUE. */
PAL_WRITE(pal_interrupt_cpu, PAL_WRIPIR)
/* Clears the pending machine checks in VALUE. */
PAL_WRITE(pal_write_machine_checks, PAL_WRMCES)
/* Sleeps until an interrupt is pending, even one that the priority level holds back. VALUE: 0. */
PAL_WRITE(pal_wait, PAL_WTINT)

/* Sets the interrupt priority level to LEVEL; returns the old one. */
static inline uint64_t pal_swap_level(uint64_t level)
{
	register uint64_t a0 __asm__("$16") = level;
	register uint64_t v0 __asm__("$0");

	__asm__ volatile("call_pal %2" : "=r"(v0), "+r"(a0) : "i"(PAL_SWPIPL) : PAL_CLOBBERS);
	return v0;
}

/* Sets ENTRY as the kernel's entry for WHICH (ENTRY_*). */
static inline void pal_write_entry(void (*entry)(void), uint64_t which)
{
	register uint64_t a0 __asm__("$16") = (uint64_t)entry;
	register uint64_t a1 __asm__("$17") = which;

	__asm__ volatile("call_pal %2" : "+r"(a0), "+r"(a1) : "i"(PAL_WRENT) : PAL_CLOBBERS);
}

/* Flushes translations: PAL_FORGET_*; ADDRESS where it is one page's. */
#define PAL_FORGET_ALL	   (-2l)
#define PAL_FORGET_PROCESS (-1l) /* all but those with ASM, the kernel's */
#define PAL_FORGET_PAGE	   3l	 /* instructions and data */

static inline void pal_forget(long which, uintptr_t address)
{
	register long a0 __asm__("$16") = which;
	register uintptr_t a1 __asm__("$17") = address;

	__asm__ volatile("call_pal %2" : "+r"(a0), "+r"(a1) : "i"(PAL_TBI) : PAL_CLOBBERS);
}

/* CSERVE's functions of this console: the emulator's clocks. */
enum {
	CONSOLE_WALL_TIME = 3,	 /* ns since 1970 */
	CONSOLE_SET_ALARM = 6,	 /* a clock interrupt at a time of the machine's clock, ns */
	CONSOLE_MACHINE_TIME = 7 /* that clock: ns since the machine was started */
};

static inline uint64_t pal_console(uint64_t function, uint64_t argument)
{
	register uint64_t a0 __asm__("$16") = function;
	register uint64_t a1 __asm__("$17") = argument;
	register uint64_t v0 __asm__("$0");

	__asm__ volatile("call_pal %3"
			 : "=r"(v0), "+r"(a0), "+r"(a1)
			 : "i"(PAL_CSERVE)
			 : "$18", "$19", "$20", "$21", PAL_CLOBBERS);
	return v0;
}

/* Makes written data executable. Also from user mode. */
static inline void pal_instruction_barrier(void)
{
	__asm__ volatile("call_pal %0" : : "i"(PAL_IMB) : "memory");
}

/* Ends the machine: the console switches it off. */
static inline void pal_halt(void)
{
	__asm__ volatile("call_pal %0" : : "i"(PAL_HALT) : "memory");
}

#endif /* !__ASSEMBLER__ */
#endif
