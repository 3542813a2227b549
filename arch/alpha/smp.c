/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several CPUs: their data, their start, and interrupts between them.
 *
 * Start: the console holds the other CPUs. The boot CPU requests each in turn, by a message in its slot
 * of the console's parameter block, and the CPU takes the number in smp_starting. A CPU that does not
 * arrive in time is left out, and so are all later ones: it might still arrive, and take their number.
 * Either side sleeps while it waits for the other, which wakes it by an interrupt. A CPU that spins here would
 * take time from the others where CPUs are threads of a host.
 *
 * There is one interrupt between CPUs. The receiver's cpu_local.ipis holds the reasons: the sender sets
 * a bit before it sends the interrupt, and the receiver takes all bits at once; so one interrupt may
 * serve several reasons.
 *
 * Source: Alpha Architecture Handbook version 4, III section 3.4.1.3 "Starting a secondary".
 */
#include <arch/smp.h>

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <arch/mmu.h>
#include <arch/port.h>
#include <kernel/base/log.h>
#include <kernel/base/panic.h>
#include <kernel/mm/kernel_stacks.h>
#include <kernel/time/time.h>
#include <machine/cpu.h>
#include <machine/hwrpb.h>

#include "interrupt.h"
#include "paging.h"
#include "trap.h"

#define WAIT_NS	       (1000 * NSEC_PER_MSEC)
#define SLOT_STARTABLE (SLOT_AVAILABLE | SLOT_PRESENT | SLOT_PALCODE_VALID)

struct cpu_local cpu_locals[CPUS_MAX];

extern const char smp_start_code[];

static unsigned int smp_starting; /* number of the CPU that is requested */
static atomic_uint started_cpus = 1;
static atomic_uint started; /* number of the last CPU that arrived */

unsigned int cpu_count(void)
{
	return atomic_load_explicit(&started_cpus, memory_order_relaxed);
}

void arch_ipi_send(unsigned int cpu, enum ipi ipi)
{
	atomic_fetch_or(&cpu_locals[cpu].ipis, 1u << ipi);
	pal_interrupt_cpu(cpu_locals[cpu].hardware_id);
}

/* Called from smp_start.S, on its own stack and the kernel's tables, interrupts off. */
_Noreturn void smp_start_cpu(void);
void smp_start_cpu(void)
{
	unsigned int cpu = smp_starting;

	pal_write_value((uint64_t)&cpu_locals[cpu]);
	trap_load_entries();
	cpu_locals[cpu].id = cpu;
	cpu_locals[cpu].hardware_id = pal_read_cpu();
	atomic_store(&started, cpu);
	arch_ipi_send(0, IPI_RESCHED);
	/* All numbers below cpu_count() must be complete before any CPU uses them. */
	while (cpu_count() <= cpu)
		pal_wait(0);
	cpu_start_secondary();
}

static struct hwrpb_slot *slot_of(uint64_t hardware_id)
{
	return (struct hwrpb_slot *)((uintptr_t)hwrpb + hwrpb->slots +
				     hardware_id * hwrpb->slot_size);
}

/* Its interrupt alone ends a wait. */
static void end_wait(struct timer *timer)
{
}

/* Sleeps until CPU has arrived; false: it has not for WAIT_NS. */
static bool wait_started(unsigned int cpu)
{
	uint64_t end_ns = clock_ns() + WAIT_NS;
	unsigned long state;
	struct timer timer = { 0 };
	bool arrived;

	timer_init(&timer, end_wait);
	state = arch_irq_save();
	timer_arm(&timer, end_ns);
	while (!(arrived = atomic_load(&started) == cpu) && clock_ns() < end_ns)
		arch_cpu_idle();
	arch_irq_restore(state);
	timer_cancel(&timer);
	return arrived;
}

/* Requests the CPU of SLOT from the console, as number CPU; returns false if it does not arrive. */
static bool start(struct hwrpb_slot *slot, uint64_t hardware_id, unsigned int cpu)
{
	static const char message[] = "START\r\n";
	void *stack = kernel_stack_alloc();

	if (!stack) {
		log_warning("smp: no memory for CPU %u", cpu);
		return false;
	}
	slot->context = (struct context_block){
		.kernel_stack = (uintptr_t)stack + KERNEL_STACK_SIZE,
		.page_table = paging_kernel_root(),
	};
	smp_starting = cpu;
	slot->message_bytes = sizeof(message) - 1;
	memcpy(slot->message, message, sizeof(message) - 1);
	atomic_thread_fence(memory_order_seq_cst);
	*(volatile uint64_t *)&hwrpb->receive_ready = 1ull << hardware_id;

	if (!wait_started(cpu)) {
		log_warning("smp: CPU %lu does not start", hardware_id);
		return false;
	}
	return true;
}

/* A read of this port is a delay: no device answers, and the bus needs about a microsecond. */
#define PORT_DELAY   0x80
/* Two instructions each: a fraction of the bus's time. */
#define RELAX_ROUNDS 128

/* The architecture has no hint for spinning. A CPU that counts takes nothing from the others, nor does one that waits for
 * the bus; and an emulated CPU yields the host's CPU at the bus, which the holder of the lock may need. Counting comes before
 * that, because an emulator pays more for one access to the bus than for all the rounds. */
void arch_cpu_relax(void)
{
	for (unsigned int i = 0; i < RELAX_ROUNDS; i++)
		__asm__ volatile("");
	arch_port_read8(PORT_DELAY);
}

unsigned int arch_smp_start(void)
{
	unsigned int cpu = 1;

	hwrpb->restart = (uint64_t)smp_start_code;
	hwrpb->restart_data = (uint64_t)smp_start_code;
	cpu_locals[0].hardware_id = pal_read_cpu();
	for (uint64_t id = 0; id < hwrpb->slot_count && cpu < CPUS_MAX; id++) {
		struct hwrpb_slot *slot = slot_of(id);

		if (id == cpu_locals[0].hardware_id ||
		    (slot->flags & SLOT_STARTABLE) != SLOT_STARTABLE)
			continue;
		if (!start(slot, id, cpu))
			break;
		cpu++;
	}
	atomic_store(&started_cpus, cpu);
	for (unsigned int other = 1; other < cpu; other++)
		arch_ipi_send(other, IPI_RESCHED);
	return cpu;
}

/* The handler of each interrupt. IPI_RESCHED needs none: the exit path of every interrupt reschedules. */
static void (*const ipi_handlers[])(void) = {
	[IPI_CALL] = smp_call_interrupt,
	[IPI_RESCHED] = NULL,
	[IPI_DEFERRED] = deferred_work_interrupt,
	[IPI_STOP] = panic_stop_cpu,
};

void smp_interrupt(void)
{
	uint32_t ipis = atomic_exchange(&cpu_local()->ipis, 0);

	/* The stop comes first: the other handlers may no longer be able to run. */
	for (unsigned int i = sizeof(ipi_handlers) / sizeof(*ipi_handlers); i-- > 0;)
		if ((ipis >> i & 1) && ipi_handlers[i])
			ipi_handlers[i]();
}
