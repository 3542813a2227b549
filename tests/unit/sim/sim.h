/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulated machine that the perf core and the PMU drivers are unit-tested on.
 *
 * It provides what <kernel/...> and <arch/...> declare, deterministically, in one host thread:
 * CPUs are a number that the test switches, time stands still until the test advances it, a
 * cross call is a call with that number changed. Deferred work and due timers run at the points
 * where a real CPU would take the interrupt: when interrupts become enabled. A lock that is
 * not free is a deadlock and ends the program. Exceptions to the one thread: a test may start host
 * threads and make each a CPU of its own (sim_cpu_enter_thread), as the ring-buffer test
 * does; and sim_cpus_run makes every CPU a thread, with cross calls, mutexes and
 * interrupts between them.
 *
 * sim_start() begins a fresh machine; sim_end() checks that nothing is left: objects, pages, tasks,
 * deferred work, locks. Every test calls both.
 */
#ifndef TESTS_UNIT_SIM_H
#define TESTS_UNIT_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/base/cpu.h>
#include <kernel/perf/pmu.h>
#include <machine/task.h>

struct task;
struct file;
struct perf_event;

/* --- the machine --- */

/* A machine with so many CPUS (1 … CPUS_MAX), time 1 s, interrupts enabled, CPU 0 running a
 * task with tid 1. */
void sim_start(unsigned int cpus);
/* Ends it; returns how many things were left behind (0 is right), each reported as a TAP
 * comment. */
unsigned int sim_end(void);

/* Switches the code to the given CPU. */
void sim_cpu_set(unsigned int cpu);
/* Makes this host thread the given CPU. */
void sim_cpu_enter_thread(unsigned int cpu);

/* Every CPU calls FUNCTION at once, each as a host thread of its own; returns when all have
 * returned. Until then a CPU that is done takes interrupts, mutexes are waited for, and each reading of the clock
 * lets time pass: PARALLEL_TICK_NS. A file is used with a reference: fd_get_file. */
void sim_cpus_run(void (*function)(unsigned int cpu));
#define PARALLEL_TICK_NS 200

/* Calls PMU's start_cpu on each CPU, as the core does: at registration, and when it gets the counters back. */
void sim_start_pmu(struct pmu *pmu);

/* Sets what the running CPU executes: an interrupt or a sample sees this as the
 * interrupted context. */
void sim_frame_set(uint64_t ip, bool user);
struct trap_frame *sim_frame(void);
/* The interrupted context, set before, has these pointers; the SIZE bytes at START are all of the
 * memory that a sample can see, user's and kernel's alike. */
void sim_stack_set(const void *start, size_t size, uintptr_t stack_pointer,
		   uintptr_t frame_pointer);
/* Register NUMBER holds so much more than the instruction pointer. */
#define SIM_REGISTER(number) (0x1000ul * ((number) + 1))

/* Calls HANDLER as the machine takes an NMI on this CPU: whatever the interrupt flag says,
 * with interrupts off. */
void sim_nmi(void (*handler)(void *arg), void *arg);
/* The handlers that arch_nmi_register got, on this CPU; returns whether one said it was its
 * own. Inside an NMI it is remembered, once, until that one ends, and counts as its own part of the answer of that
 * one. */
bool sim_nmi_dispatch(void);

/* --- tasks --- */

/* A new task (its own process) that runs nowhere and is not found by its number: a fork makes it. */
struct task *sim_task_make(void);
/* TASK, just made, is found from now on. sim_end puts it. */
void sim_task_enter(struct task *task);
/* Both at once. */
struct task *sim_task_create(void);
/* The scheduler gives this CPU to NEXT, as kernel/sched does it: perf_task_sched_out, switch,
 * perf_task_sched_in. */
void sim_switch(struct task *next);
/* TASK, which runs on no CPU, ends: what task_exit does about perf, in its context. */
void sim_task_exit(struct task *task);
/* Signals that task_signal sent to TASK since the last call, as bits (signal n: bit n - 1); clears
 * them. */
uint64_t sim_task_signals(struct task *task);

/* The last signal with information, as signal_send got it. */
struct kernel_siginfo;
const struct kernel_siginfo *sim_signal_last(void);

/* Takes all capabilities from every task, or gives them back; sim_start gives them. An unprivileged task may observe
 * no other process. */
void sim_unprivileged_set(bool is_unprivileged);

/* --- time --- */

/* Lets NS nanoseconds pass; timers fire on their CPUs at their deadlines. */
void sim_clock_advance(uint64_t ns);

/* The time of day when the machine starts: in 2001. */
#define SIM_BOOT_TIME_S 1000000000ull
/* Sets the answer of clock_user_conversion(); NULL: it has none. */
struct clock_conversion;
void sim_clock_conversion_set(const struct clock_conversion *conversion);

/* --- memory and files --- */

/* The NUMBERth allocation from now (1: the next) of kzalloc or page_alloc fails, once; 0: none
 * does. */
void sim_allocation_fail(unsigned int number);
/* User accesses to [START, START + SIZE) fault; SIZE 0: none does. */
void sim_user_fault_set(const void *start, size_t size);

/* Descriptors are 0 … SIM_FILES_MAX - 1. */
#define SIM_FILES_MAX 1024

/* Returns the file of descriptor FD without a new reference, or NULL; and closes it. */
struct file *sim_fd_file(int fd);
int sim_fd_close(int fd);

/* The code of the last file_notify since the last call (POLL_IN, POLL_HUP), or 0. */
int sim_file_notice(void);

/* The last line that log_write printed, for tests of messages. */
const char *sim_log_last(void);
/* Returns whether one of the last three lines has TEXT. */
bool sim_log_has(const char *text);

/* --- a PMU --- */

#define SIM_COUNTERS_MAX 8

/* Which counters can count an event: event codes not in the table can be on any. */
struct sim_constraint {
	uint8_t code;
	uint8_t counters; /* bit n: counter n */
};

struct sim_pmu_model {
	unsigned int counters;	 /* 1 … SIM_COUNTERS_MAX */
	unsigned int width_bits; /* 20 … 64 */
	const struct sim_constraint *constraints;
	unsigned int constraint_count;
	bool no_interrupt; /* PMU_NO_INTERRUPT: counters wrap silently */
};

/* Registers the simulated PMU, type PERF_TYPE_RAW, name "cpu". It takes PERF_TYPE_HARDWARE events,
 * whose code is their config, and raw ones, whose code is the low byte. Once for a machine. */
void sim_pmu_register(const struct sim_pmu_model *model);

/* NUMBER events of CODE happen on this CPU, in the ring that sim_frame says. A counter that
 * overflows interrupts at that very event. */
void sim_pmu_count(uint8_t code, uint64_t number);

/* Returns the value of counter INDEX (of user_index, minus one) of this CPU, as the user's counter-read
 * instruction does. */
uint64_t sim_pmu_read_counter(unsigned int index);

/* Hold interrupts back (they stay pending and come with sim_pmu_interrupts_hold(false)): an
 * overflow that races other code. */
void sim_pmu_interrupts_hold(bool hold);
/* How many interrupts this CPU's PMU has raised since sim_start, and on how many overflows
 * they were. */
uint64_t sim_pmu_interrupts(void);
uint64_t sim_pmu_overflows(void);
/* By how much the counters of this CPU have moved since the PMU was registered, together. */
uint64_t sim_pmu_counted(void);

/* --- breakpoint registers --- */

/* This CPU accesses ADDRESS: hits each of its registers that has exactly this address, in the ring that sim_frame
 * says. Returns how many. */
unsigned int sim_breakpoint_access(uint64_t address);

/* --- the registers of x86's PMUs --- */

enum sim_x86_vendor {
	SIM_INTEL,
	SIM_AMD_LEGACY,	 /* the four legacy counters */
	SIM_AMD_CORE,	 /* core performance counter extensions: six */
	SIM_AMD_V2,	 /* performance monitoring version 2: general_count */
	SIM_AMD_IGNORES, /* announces the six, and ignores writes */
	SIM_AMD_REFUSES, /* no CPUID bit, and #GP for each register */
	SIM_OTHER
};

/* The answers of CPUID, and the registers that go with them. */
struct sim_x86_model {
	enum sim_x86_vendor vendor;
	/* The CPU; 0: AMD's is family 19h, model 1. */
	unsigned int family, model;
	unsigned int general_count; /* Intel's and version 2 of AMD's */
	/* Intel's. */
	unsigned int version; /* 0: no PMU */
	unsigned int general_width_bits;
	unsigned int fixed_count, fixed_width_bits;
	uint32_t fixed_bitmap;	 /* version 5: CPUID.0AH:ECX */
	uint32_t events_missing; /* CPUID.0AH:EBX */
	unsigned int event_bits; /* length of that vector; 0: 8 */
	bool full_width_writes;
	bool any_thread_deprecated;
	/* Which of SIM_EXTRA_REGISTERS hold what is written (bit n: register n); the others fault, or ignore writes
	 * as emulators do. */
	unsigned int extra_registers;
	bool extra_ignored;
	/* Not all 0: a hypervisor's bit, its greatest leaf, and EAX and EBX of leaf 0x40000001. */
	struct {
		uint32_t greatest, eax, ebx;
	} emulator;
	unsigned int threads; /* CPUs of a core; 0: 1 */
	uint32_t faults; /* an MSR that faults although CPUID announces it, or SIM_X86_RDPMC; 0: none */
};
#define SIM_X86_RDPMC	    0xffffffff
/* MSR_OFFCORE_RSP_0 and _1, PEBS_LD_LAT, PEBS_FRONTEND. */
#define SIM_EXTRA_REGISTERS 0x1a6, 0x1a7, 0x3f6, 0x3f7

/* Gives every CPU such a PMU, reset. */
void sim_x86_set(const struct sim_x86_model *model);

/* NUMBER events of EVENT (event select and unit mask; Intel's 0x0300: reference cycles) happen on this
 * CPU in the ring that sim_frame says. A counter that overflows sends its PMI at that very
 * event, as an NMI, if the APIC's entry is unmasked. A driver that does not claim it ends the test. */
void sim_x86_count(uint16_t event, uint64_t number);

/* By how much the counters of this CPU have moved since sim_x86_set, together. */
uint64_t sim_x86_counted(void);

/* Hold PMIs of this CPU back: an overflow's comes with sim_x86_hold(false), as with skid; two on AMD's, whose
 * APIC does not mask its entry. */
void sim_x86_hold(bool hold);

/* Writes to any MSR of this CPU since sim_x86_set, and whether its PMI entry is masked. */
uint64_t sim_x86_writes(void);
bool sim_x86_pmi_masked(void);

/* Write NUMBER, counted from 0, of those; the last SIM_WRITES_KEPT are kept. */
#define SIM_WRITES_KEPT 64
struct sim_x86_write {
	uint32_t number;
	uint64_t value;
};
struct sim_x86_write sim_x86_write_at(uint64_t number);

/* --- the counters of Alpha's EV67 --- */

enum sim_ev67 {
	SIM_EV67,
	SIM_EV67_NO_COUNTERS, /* an emulator's: wrperfmon does nothing and returns 0 */
	SIM_EV6
};

/* Gives every CPU such counters, in the state in which a console may leave them. */
void sim_ev67_set(enum sim_ev67 what);

/* NUMBER times everything in EVENTS (bit n: event n of arch/alpha/pmu/ev67_registers.h) happens at once on this
 * CPU. A counter that overflows interrupts at that very event. */
void sim_ev67_count(unsigned int events, uint64_t number);

/* Sets ProfileMe's registers for the next profiled instructions of this CPU: PMPC, I_STAT, PCTR_CTL's counters and
 * bits 1 and 0. */
void sim_ev67_profile_set(uint64_t pmpc, uint64_t i_stat, uint64_t pctr_ctl);

/* How often EVENT was counted by a counter of this CPU since sim_ev67_set. */
uint64_t sim_ev67_counted(unsigned int event);

/* Hold interrupts of this CPU back, as an IPL of 6 or 7 does; what is pending then comes with
 * sim_ev67_hold(false). They are held back after sim_ev67_set. */
void sim_ev67_hold(bool hold);
/* The counters whose overflows have not interrupted yet, bit n: counter n. */
unsigned int sim_ev67_pending(void);

/* Calls of wrperfmon on this CPU since sim_ev67_set. */
uint64_t sim_ev67_calls(void);
/* Call NUMBER, counted from 0, of those; the last SIM_WRITES_KEPT are kept. */
struct sim_ev67_call {
	uint64_t function, argument;
};
struct sim_ev67_call sim_ev67_call_at(uint64_t number);

/* This CPU goes to user mode, and back to the kernel: what is on the way counts, and may overflow and interrupt,
 * as everything else. In between it is in user mode, and so is what is interrupted; at all other
 * times in the kernel. The frame is the test's to set. */
void sim_ev67_user_begin(void);
void sim_ev67_user_end(void);
/* The same as the latter, after one more instruction of user mode, a PALcall: its overflow interrupts the entry. */
void sim_ev67_user_call(void);

/* --- NMIs everywhere --- */

struct sim_interruption {
	/* Makes the same state before each run; may be NULL. */
	void (*before)(void);
	/* The interrupted function. */
	void (*function)(void *argument);
	/* Called there: calls sim_nmi, or makes a counter overflow. */
	void (*interrupt)(void *argument);
	void *argument;
	/* Also where the function is in an NMI: what happens there must be no other. */
	bool in_nmis;
	/* Checks, after each run that was interrupted; may be NULL. */
	void (*after)(unsigned int place);
};

/* Runs the function once for each machine instruction it executes, interrupted before that one;
 * returns how often it was. The function runs once more, first, without. */
unsigned int sim_interrupt_everywhere(const struct sim_interruption *test);

#endif
