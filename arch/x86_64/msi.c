/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Message-signalled interrupts: a device writes a vector to the address of a CPU's local APIC.
 *
 * An interrupt keeps one vector, which is its own on every CPU: routing it to another CPU changes only the message, and a
 * message on its way finds the handler on either. There are as many as vectors that nothing else uses. A vector keeps its
 * entry function, so that a late message for a freed one is acknowledged.
 *
 * Lock: msi_lock (irqsave), for the choice of a free interrupt and for readers of names. Handlers run without it.
 *
 * Source: SDM vol. 3A 11.11, "Message Signalled Interrupts".
 */
#include "msi.h"

#include <stdatomic.h>
#include <stddef.h>

#include <kernel/base/smp.h>
#include <kernel/base/spinlock.h>
#include <machine/apic.h>
#include <machine/cpu.h>
#include <uapi/linux/errno.h>

#define ADDRESS_BASE	       0xfee00000u
#define ADDRESS_DESTINATION(n) ((n) << 12)
/* The address has 8 bits for a CPU. Data: fixed delivery, edge-triggered, and the vector. */
#define DESTINATION_MAX	       0xff

static struct spinlock msi_lock = SPINLOCK_INITIALIZER;

static struct msi {
	/* NULL: free, or about to be. Published after MSI's other members. */
	void (*_Atomic handler)(void *arg);
	bool used;	     /* msi_lock */
	struct arch_msi msi; /* written under msi_lock while no handler is published */
} interrupts[MSI_COUNT];

static void serve(unsigned int vector)
{
	struct msi *at = &interrupts[vector - VECTOR_MSI];
	void (*handler)(void *arg) = atomic_load_explicit(&at->handler, memory_order_acquire);

	if (handler)
		handler(at->msi.arg);
	apic_eoi();
}

bool msi_describe(unsigned int index, struct arch_msi *msi)
{
	unsigned long state = spin_lock_irqsave(&msi_lock);
	bool used = interrupts[index].used;

	*msi = interrupts[index].msi;
	spin_unlock_irqrestore(&msi_lock, state);
	return used;
}

const char *msi_name(unsigned int vector)
{
	const struct msi *at = &interrupts[vector - VECTOR_MSI];

	return atomic_load_explicit(&at->handler, memory_order_acquire) ? at->msi.name : "";
}

int arch_msi_alloc(const struct arch_msi *msi)
{
	unsigned long state = spin_lock_irqsave(&msi_lock);
	unsigned int index = 0;

	while (index < MSI_COUNT && interrupts[index].used)
		index++;
	if (index < MSI_COUNT) {
		interrupts[index].used = true;
		interrupts[index].msi = *msi;
		atomic_store_explicit(&interrupts[index].handler, msi->handler,
				      memory_order_release);
		trap_set_interrupt((uint8_t)(VECTOR_MSI + index), serve);
	}
	spin_unlock_irqrestore(&msi_lock, state);
	return index < MSI_COUNT ? (int)(MSI_FIRST_IRQ + index) : -ENOSPC;
}

int arch_msi_message(unsigned int number, unsigned int cpu, struct arch_msi_message *message)
{
	if (cpu >= cpu_count() || cpu_locals[cpu].apic_id > DESTINATION_MAX)
		return -EINVAL;
	message->address = ADDRESS_BASE | ADDRESS_DESTINATION(cpu_locals[cpu].apic_id);
	message->data = VECTOR_MSI + (number - MSI_FIRST_IRQ);
	return 0;
}

static void do_nothing(void *unused)
{
}

void arch_msi_free(unsigned int number)
{
	struct msi *at = &interrupts[number - MSI_FIRST_IRQ];

	atomic_store_explicit(&at->handler, NULL, memory_order_release);
	/* A CPU takes this call after it has left the handler: both run with interrupts off. */
	smp_call_all(do_nothing, NULL);

	unsigned long state = spin_lock_irqsave(&msi_lock);

	at->used = false;
	spin_unlock_irqrestore(&msi_lock, state);
}
