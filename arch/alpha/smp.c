/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several CPUs: their data, their start, and interrupts between them.
 *
 * Start: the console holds the other CPUs. The boot CPU requests each in turn, by a message in its slot
 * of the console's parameter block, and the CPU takes the number in smp_starting. A CPU that does not
 * arrive in time is left out, and so are all later ones: it might still arrive, and take their number.
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
	/* All numbers below cpu_count() must be complete before any CPU uses them. */
	while (cpu_count() <= cpu)
		arch_cpu_relax();
	cpu_start_secondary();
}

static struct hwrpb_slot *slot_of(uint64_t hardware_id)
{
	return (struct hwrpb_slot *)((uintptr_t)hwrpb + hwrpb->slots +
				     hardware_id * hwrpb->slot_size);
}

/* Requests the CPU of SLOT from the console, as number CPU; returns false if it does not arrive. */
static bool start(struct hwrpb_slot *slot, uint64_t hardware_id, unsigned int cpu)
{
	static const char message[] = "START\r\n";
	void *stack = kernel_stack_alloc();
	uint64_t end_ns;

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

	end_ns = clock_ns() + WAIT_NS;
	while (atomic_load(&started) != cpu) {
		if (clock_ns() > end_ns) {
			log_warning("smp: CPU %lu does not start", hardware_id);
			return false;
		}
		arch_cpu_relax();
	}
	return true;
}

/* A read of this port is a delay: no device answers, and the bus needs about a microsecond. */
#define PORT_DELAY 0x80

/* The architecture has no hint for spinning. A CPU that waits for the bus takes nothing from the
 * others, and an emulated CPU yields the host's CPU, which the holder of the lock may need. */
void arch_cpu_relax(void)
{
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

void arch_ipi_send(unsigned int cpu, enum ipi ipi)
{
	atomic_fetch_or(&cpu_locals[cpu].ipis, 1u << ipi);
	pal_interrupt_cpu(cpu_locals[cpu].hardware_id);
}
