/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guest.h: the common part of the test guest.
 *
 * The guest is a kernel of its own, as small as the tests of the emulated PMU allow: one address
 * space, no scheduler, no memory allocation. Its output is TAP on the first serial port; it ends the
 * emulator through the exit device.
 */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"
#include "tap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The driver script's description of the machine, by the multiboot command line: NAME=NUMBER words. */
struct config {
	uint64_t version, counters, width, skid, cpus, icount, one_thread, amd, lbr, pebs, ibs;
	uint64_t kind, mode, rounds; /* of the bench */
	const char *suite;
	const char *fault; /* the machine's, by its name; NULL: none */
};
extern struct config config;

/* machine.c */
struct frame {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
	uint64_t vector, error, rip, cs, rflags, rsp, ss;
};

static inline uint64_t rdmsr(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(index) : "memory");
	return low | (uint64_t)high << 32;
}

static inline void wrmsr(uint32_t index, uint64_t value)
{
	__asm__ volatile("wrmsr" ::"c"(index), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
			 : "memory");
}

static inline uint64_t rdpmc(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index) : "memory");
	return low | (uint64_t)high << 32;
}

static inline void cpuid(uint32_t leaf, uint32_t regs[4])
{
	__asm__ volatile("cpuid"
			 : "=a"(regs[0]), "=b"(regs[1]), "=c"(regs[2]), "=d"(regs[3])
			 : "a"(leaf), "c"(0));
}

static inline volatile uint32_t *apic_register(unsigned int offset)
{
	return (volatile uint32_t *)(uintptr_t)(APIC + offset);
}

#define APIC_IRR	    0x200
#define APIC_ICR	    0x300
#define APIC_LVT_TIMER	    0x320
#define APIC_LVT_PMI	    0x340
#define APIC_TIMER_INITIAL  0x380
#define APIC_TIMER_DIVIDE   0x3e0
#define APIC_LVT_MASKED	    (1u << 16)
#define APIC_LVT_NMI	    (4u << 8)
#define APIC_TIMER_PERIODIC (1u << 17)

void machine_init(void);
/* Sets the C handler of a vector; NULL: the vector is fatal. */
void on_trap(unsigned int vector, void (*handler)(struct frame *));
/* Lets a vector go straight to `entry`, or (NULL) to its C handler. `dpl`: who may INT it. */
void set_gate(unsigned int vector, void (*entry)(void), unsigned int dpl);
/* Sets, or clears, gates of the exact handlers, whose instructions are in the tables of sequences. */
void exact_gates(bool set);
/* Runs fn(cpu) on each other CPU, one after another, and waits; returns how many did. */
unsigned int run_on_others(void (*fn)(unsigned int cpu));
/* INIT and a new start for the CPU of the highest number, while it has nothing to do. */
void restart_last_cpu(void);
/* Runs fn(cpu) on all CPUs at the same time. */
void run_on_all(void (*fn)(unsigned int cpu));
/* Does wrmsr, rdmsr or rdpmc raise #GP? `value`: written, or where to put what was read. */
bool wrmsr_faults(uint32_t index, uint64_t value);
bool rdmsr_faults(uint32_t index, uint64_t *value);
bool rdpmc_faults(uint32_t index, uint64_t *value);

/* trap.S */
void exact_skip2(void), exact_skip2_error(void), exact_mend(void), exact_return(void);
void exact_tick(void), exact_sysret(void), exact_sysexit(void), exact_come_back(void),
	leave_user(void);
void measure(void (*fn)(void *), void *arg);
void measure_user(void (*fn)(void *), void *arg, uint64_t rflags);
extern char measure_call[], measure_return[];
extern uint32_t measure_switch;
extern uint64_t global_enable, global_disable;
extern volatile uint32_t ticks;
extern uint64_t gdt[]; /* boot.S */
extern uint8_t scratch[131072];

#define MEASURE_INSNS	 5
#define MEASURE_BRANCHES 1

/* sequences.S */
struct sequence {
	const char *name;
	void (*fn)(void *);
	uint64_t insns, branches;
	uint64_t kernel_insns, kernel_branches; /* user_sequences only */
	uint64_t exceptions;			/* delivered to the kernel */
};
extern const struct sequence kernel_sequences[], user_sequences[];
extern const struct sequence sysenter_intel[], sysenter_amd[];
void fetch_fault(void *), interrupted_copy(void *), halt_until_tick(void *), stepped(void *);
void system_calls(void *), pmi_block(void *), user_block(void *), halting(void *), opening(void *);
extern char halting_end[], opening_end[];

/* The suites. */
void test_cpuid(void), test_registers(void), test_counts(void), test_rings(void);
void test_pmi(void), test_smp(void), test_absent(void), test_unmodelled(void);
void test_kinds(void), test_model(void), test_svm(void), test_dsa(void), test_faults(void);
void test_strings(void), test_lbr(void), test_pebs(void), test_ibs(void), test_sse(void);
void test_amd_cpuid(void), test_amd_registers(void), test_amd_free_running(void);
/* Not a test: work for qemu/bench to measure. */
void bench(void);

#endif
