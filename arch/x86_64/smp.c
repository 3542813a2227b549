/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several CPUs: their data, their start, and interrupts between them.
 *
 * Start: all CPUs that ACPI names get INIT and the start-up interrupt at once, run smp_start.S, and
 * take numbers in the order of their arrival. The kernel leaves out CPUs that have not arrived when none has
 * for a second: hundreds of them, threads of a busy host, take longer together.
 * The textbook's waits (10 ms after INIT, a second start-up interrupt after 200 us) are for CPUs of the
 * last century. The second interrupt is sent only if a CPU is missing; CPUs that run ignore it.
 *
 * Source: SDM vol. 3A 9.4.4 "MP Initialization Example".
 */
#include "smp.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <arch/mmu.h>
#include <arch/smp.h>
#include <kernel/base/cpu.h>
#include <kernel/base/log.h>
#include <kernel/mm/kernel_stacks.h>
#include <kernel/sched/sched.h>
#include <kernel/time/time.h>
#include <machine/apic.h>
#include <machine/boot.h>
#include <machine/init_check.h>
#include <machine/msr.h>
#include <machine/task.h>
#include <machine/trap.h>

#include "acpi.h"
#include "clock.h"
#include "features.h"

_Static_assert(offsetof(struct cpu_local, current) == CPU_LOCAL_CURRENT, "entry.S");
_Static_assert(offsetof(struct cpu_local, kernel_stack) == CPU_LOCAL_KERNEL_STACK, "entry.S");
_Static_assert(offsetof(struct cpu_local, user_stack) == CPU_LOCAL_USER_STACK, "entry.S");
_Static_assert(offsetof(struct cpu_local, id) == CPU_LOCAL_ID, "entry.S");
_Static_assert(offsetof(struct cpu_local, nmi_depth) == CPU_LOCAL_NMI_DEPTH, "entry.S");
_Static_assert(offsetof(struct cpu_local, debug_control) == CPU_LOCAL_DEBUG_CONTROL, "entry.S");
_Static_assert(sizeof(struct cpu_local) == CPU_LOCAL_SIZE, "smp_start.S");

#define WAIT_FIRST_NS  (1 * NSEC_PER_MSEC)
#define WAIT_SECOND_NS (1000 * NSEC_PER_MSEC)
#define CHECK_ROUNDS   32

struct cpu_local cpu_locals[CPUS_MAX];

/* Used by smp_start.S. */
_Atomic uint32_t smp_next_number = 1;
_Atomic uint32_t smp_number_limit; /* a CPU that takes this number or a greater one is too late */
uint64_t smp_root;
uintptr_t smp_stacks[CPUS_MAX];
extern const char smp_start_code[], smp_start_code_end[];

static paddr_t start_page; /* address of the start code: below 1 MiB */
/* CPUs that are started. Not static: after link-time optimization gdb could not find it
 * (tools/gdb/tally.py). */
atomic_uint started_cpus = 1;
static atomic_uint started; /* CPUs that wait for their turn */
static atomic_uint turn;    /* number of the CPU whose turn it is */
static atomic_uint checked; /* the last CPU whose counter was compared */

unsigned int cpu_count(void)
{
	return atomic_load_explicit(&started_cpus, memory_order_relaxed);
}

void smp_init_local(unsigned int cpu)
{
	struct cpu_local *local = &cpu_locals[cpu];

	local->self = local;
	local->id = cpu;
	local->apic_id = apic_id();
}

/* Called from smp_start.S, on its own stack and the kernel's tables, interrupts off. */
_Noreturn void smp_start_cpu(uint32_t cpu);
void smp_start_cpu(uint32_t cpu)
{
	cpu_locals[cpu].id = cpu;
	features_enable();
	descriptors_load(cpu);
	apic_enable();
	smp_init_local(cpu);
	init_check_here(cpu);
	atomic_fetch_add(&started, 1);

	/* The boot CPU takes the others one after the other, and wakes each by an interrupt. A CPU that
	 * spins here would take time from the others where CPUs are threads of a host. */
	while (atomic_load(&turn) != cpu)
		arch_cpu_idle();

	uint64_t back = clock_check_side(CHECK_ROUNDS);

	if (back)
		log_warning("CPU %u: its time-stamp counter lags by %lu ticks: times are "
			    "not exact across CPUs",
			    cpu, back);
	atomic_store(&checked, cpu);
	/* All numbers below cpu_count() must be complete before any CPU uses them. */
	while (cpu_count() <= cpu)
		arch_cpu_idle();
	cpu_start_secondary();
}

/* Allocates the stacks of CPU. */
static bool prepare(unsigned int cpu)
{
	void *stack = kernel_stack_alloc();

	if (!stack || descriptors_alloc_stacks(cpu) != 0)
		return false;
	smp_stacks[cpu] = (uintptr_t)stack + KERNEL_STACK_SIZE;
	return true;
}

/* Waits until PREPARED CPUs have started; false: none more has for WAIT_NS. */
static bool wait_started(unsigned int prepared, uint64_t wait_ns)
{
	uint64_t end = clock_ns() + wait_ns;
	unsigned int before = 0, now;

	while ((now = atomic_load(&started)) < prepared) {
		if (now != before)
			end = clock_ns() + wait_ns;
		before = now;
		if (clock_ns() > end)
			return false;
		arch_cpu_relax();
	}
	return true;
}

static void send_to_others(void (*send)(uint32_t apic_id))
{
	for (unsigned int i = 0; i < acpi_info.listed_cpus; i++)
		if (acpi_info.apic_ids[i] != cpu_locals[0].apic_id)
			send(acpi_info.apic_ids[i]);
}

static void send_startup(uint32_t id)
{
	apic_send_startup(id, (uint8_t)(start_page >> PAGE_SHIFT));
}

void arch_ipi_send(unsigned int cpu, enum ipi ipi)
{
	if (ipi == IPI_STOP)
		apic_send_nmi(cpu_locals[cpu].apic_id);
	else if (cpu == arch_cpu_id())
		apic_send_self((uint8_t)(VECTOR_IPI + ipi));
	else
		apic_send_fixed(cpu_locals[cpu].apic_id, (uint8_t)(VECTOR_IPI + ipi));
}

/* Compares the boot CPU's counter with that of CPU, then lets CPU continue. */
static void admit(unsigned int cpu)
{
	unsigned long state = arch_irq_save();

	atomic_store(&turn, cpu);
	arch_ipi_send(cpu, IPI_RESCHED);

	uint64_t back = clock_check_side(CHECK_ROUNDS);

	while (atomic_load(&checked) != cpu)
		arch_cpu_relax();
	arch_irq_restore(state);
	if (back)
		log_warning("CPU %u: its time-stamp counter leads by %lu ticks: times are "
			    "not exact across CPUs",
			    cpu, back);
}

/* Sends INIT and the start-up interrupts, and waits for PREPARED CPUs; returns how many have started. */
static unsigned int start_others(unsigned int prepared)
{
	atomic_store(&started, 0);
	atomic_store(&smp_next_number, 1);
	send_to_others(apic_send_init);
	send_to_others(send_startup);
	if (wait_started(prepared, WAIT_FIRST_NS))
		return prepared;
	send_to_others(send_startup);
	if (wait_started(prepared, WAIT_SECOND_NS))
		return prepared;

	/* A CPU that has no number by now must not get one. */
	uint32_t numbers = atomic_exchange(&smp_next_number, CPUS_MAX);

	log_warning("smp: %u of %u CPUs do not start", prepared + 1 - numbers, prepared + 1);
	while (atomic_load(&started) < numbers - 1)
		arch_cpu_relax();
	return numbers - 1;
}

unsigned int arch_smp_start(void)
{
	unsigned int prepared = 0;

	while (prepared + 1 < acpi_info.listed_cpus && prepare(prepared + 1))
		prepared++;
	if (prepared + 1 < acpi_info.listed_cpus)
		log_warning("smp: memory for %u of %u CPUs", prepared + 1, acpi_info.listed_cpus);
	start_page = boot_memory_find_low();
	if (!start_page) {
		log_warning("smp: no memory below 1 MiB to start CPUs in");
		prepared = 0;
	}
	if (prepared == 0)
		return 1;

	memcpy(page_address(start_page), smp_start_code,
	       (size_t)(smp_start_code_end - smp_start_code));
	smp_root = cr3_read();
	atomic_store(&smp_number_limit, prepared + 1);

	if (init_check_requested()) {
		init_check_begin(false);

		unsigned int all = prepared;

		prepared = start_others(prepared);
		init_check_begin(true);
		/* A CPU that came late could take a number of the second start. */
		if (prepared == all)
			prepared = start_others(prepared);
	} else {
		prepared = start_others(prepared);
	}
	for (unsigned int cpu = 1; cpu <= prepared; cpu++)
		admit(cpu);
	atomic_store(&started_cpus, prepared + 1);
	for (unsigned int cpu = 1; cpu <= prepared; cpu++)
		arch_ipi_send(cpu, IPI_RESCHED);
	return prepared + 1;
}

/* The handler of each interrupt. IPI_RESCHED needs none: the exit path of every interrupt reschedules. */
static void (*const ipi_handlers[])(void) = {
	[IPI_CALL] = smp_call_interrupt,
	[IPI_RESCHED] = NULL,
	[IPI_DEFERRED] = deferred_work_interrupt,
};

static void on_ipi(unsigned int vector)
{
	void (*handler)(void) = ipi_handlers[vector - VECTOR_IPI];

	/* Acknowledge first: the handler may send the next interrupt to its own CPU. */
	apic_eoi();
	if (handler)
		handler();
}

static void on_spurious(unsigned int vector)
{
	/* SDM vol. 3A 11.9: no acknowledgement. */
}

void smp_init(void)
{
	for (unsigned int i = 0; i < sizeof ipi_handlers / sizeof *ipi_handlers; i++)
		trap_set_interrupt((uint8_t)(VECTOR_IPI + i), on_ipi);
	trap_set_interrupt(VECTOR_SPURIOUS, on_spurious);
}
