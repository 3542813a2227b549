/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The local APIC: access to its registers in both modes, and the operations that <machine/apic.h>
 * declares.
 *
 * In x2APIC mode a register is an MSR, and one write sends an interrupt. In the memory-mapped mode the
 * destination is a second register. Interrupts are off while both are written. An NMI between the two
 * writes is harmless: it sends only to its own CPU, and does not use the destination register.
 *
 * Source: SDM vol. 3A chapter 11.
 */
#include <machine/apic.h>

#include <kernel/base/log.h>
#include <machine/cpu.h>
#include <machine/msr.h>
#include <machine/trap.h>

#include "features.h"
#include "page_table.h"

/* Registers, by their offset in the memory-mapped page; the MSR is 0x800 + offset / 16. SDM table
 * 11-1, 11-6. */
enum apic_register {
	APIC_ID = 0x020,
	APIC_VERSION = 0x030,
	APIC_TASK_PRIORITY = 0x080,
	APIC_EOI = 0x0b0,
	APIC_SPURIOUS = 0x0f0,
	APIC_COMMAND = 0x300,
	APIC_COMMAND_HIGH = 0x310,
	APIC_LVT_TIMER = 0x320,
	APIC_LVT_PMI = 0x340,
	APIC_LVT_LINT0 = 0x350,
	APIC_LVT_LINT1 = 0x360,
	APIC_LVT_ERROR = 0x370,
	APIC_TIMER_INITIAL = 0x380,
	APIC_TIMER_CURRENT = 0x390,
	APIC_TIMER_DIVIDE = 0x3e0,
	APIC_SELF = 0x3f0, /* x2APIC only */
	/* AMD's: APM vol. 2 table 16-2. */
	APIC_EXTENDED_FEATURE = 0x400,
	APIC_EXTENDED_LVT = 0x500
};

#define MSR_X2APIC_BASE	   0x800

#define BASE_X2APIC	   (1u << 10)
#define BASE_ENABLE	   (1u << 11)
#define BASE_ADDRESS	   0x000ffffffffff000ull

#define SPURIOUS_ENABLE	   (1u << 8)

#define LVT_MASKED	   (1u << 16)
#define LVT_NMI		   (4u << 8)
#define LVT_TIMER_DEADLINE (2u << 17)
#define DIVIDE_BY_1	   0xb

#define VERSION_EXTENDED   (1u << 31)
#define FEATURE_ENTRIES(f) ((f) >> 16 & 0xff)

#define COMMAND_FIXED	   (0u << 8)
#define COMMAND_NMI	   (4u << 8)
#define COMMAND_INIT	   (5u << 8)
#define COMMAND_STARTUP	   (6u << 8)
#define COMMAND_PENDING	   (1u << 12)
#define COMMAND_ASSERT	   (1u << 14)
#define COMMAND_TO_SELF	   (1u << 18)

#define REGISTER_PAGE_SIZE 4096

volatile uint32_t *apic_page;

static uint32_t read(enum apic_register offset)
{
	if (apic_page)
		return apic_page[offset / sizeof *apic_page];
	return (uint32_t)msr_read(MSR_X2APIC_BASE + offset / 16);
}

static void write(enum apic_register offset, uint32_t value)
{
	if (apic_page)
		apic_page[offset / sizeof *apic_page] = value;
	else
		msr_write(MSR_X2APIC_BASE + offset / 16, value);
}

void apic_init(void)
{
	uint64_t base = msr_read(MSR_IA32_APIC_BASE);

	/* When firmware has switched x2APIC on, the memory-mapped mode is out of reach. */
	if (cpu_features.x2apic || (base & BASE_X2APIC))
		return;
	apic_page = paging_map_device(base & BASE_ADDRESS, REGISTER_PAGE_SIZE);
	if (!apic_page)
		boot_failure("not enough memory to start; give the machine more");
}

void apic_timer_set_deadline(bool on)
{
	write(APIC_LVT_TIMER, VECTOR_TIMER | (on ? LVT_TIMER_DEADLINE : 0));
	/* The CPU ignores a deadline that is written before the mode takes effect. SDM vol. 3A
	 * 11.5.4.1. */
	__asm__ volatile("mfence" : : : "memory");
}

void apic_enable(void)
{
	static const enum apic_register entries[] = { APIC_LVT_TIMER, APIC_LVT_LINT0,
						      APIC_LVT_LINT1, APIC_LVT_ERROR };
	uint64_t base = msr_read(MSR_IA32_APIC_BASE);

	/* The transition from disabled to x2APIC passes through the memory-mapped mode. SDM 11.12.5. */
	if (!(base & BASE_ENABLE))
		msr_write(MSR_IA32_APIC_BASE, base |= BASE_ENABLE);
	if (!apic_page && !(base & BASE_X2APIC))
		msr_write(MSR_IA32_APIC_BASE, base | BASE_X2APIC);

	write(APIC_SPURIOUS, SPURIOUS_ENABLE | VECTOR_SPURIOUS);
	for (unsigned int i = 0; i < sizeof entries / sizeof *entries; i++)
		write(entries[i], LVT_MASKED);
	write(APIC_LVT_PMI, LVT_MASKED | LVT_NMI);
	write(APIC_TASK_PRIORITY, 0);
	write(APIC_TIMER_DIVIDE, DIVIDE_BY_1);
	apic_timer_set_deadline(cpu_features.tsc_deadline);
}

uint32_t apic_id(void)
{
	return apic_page ? read(APIC_ID) >> 24 : read(APIC_ID);
}

uint32_t apic_id_max(void)
{
	/* The greatest number of all is a broadcast. */
	return apic_page ? 0xff - 1 : UINT32_MAX - 1;
}

void apic_eoi(void)
{
	write(APIC_EOI, 0);
}

void apic_pmi_unmask(void)
{
	write(APIC_LVT_PMI, LVT_NMI);
}

void apic_pmi_set_masked(bool masked)
{
	write(APIC_LVT_PMI, masked ? LVT_MASKED | LVT_NMI : LVT_NMI);
}

uint32_t apic_pmi_entry(void)
{
	return read(APIC_LVT_PMI);
}

unsigned int apic_extended_entries(void)
{
	if (!(read(APIC_VERSION) & VERSION_EXTENDED))
		return 0;
	return FEATURE_ENTRIES(read(APIC_EXTENDED_FEATURE));
}

uint32_t apic_extended_entry(unsigned int number)
{
	return read(APIC_EXTENDED_LVT + 16 * number);
}

void apic_extended_set_masked(unsigned int number, bool masked)
{
	write(APIC_EXTENDED_LVT + 16 * number, masked ? LVT_MASKED | LVT_NMI : LVT_NMI);
}

/* Waits until the previous interrupt is sent: only then may the command register be written again. */
static void wait_sent(void)
{
	while (read(APIC_COMMAND) & COMMAND_PENDING)
		arch_cpu_relax();
}

static void send(uint32_t destination, uint32_t command)
{
	if (!apic_page) {
		/* An MSR write does not wait for earlier stores. The other CPU must find the data of
		 * those stores. */
		__asm__ volatile("mfence; lfence" : : : "memory");
		msr_write(MSR_X2APIC_BASE + APIC_COMMAND / 16,
			  (uint64_t)destination << 32 | command);
		return;
	}

	unsigned long state = arch_irq_save();

	wait_sent();
	write(APIC_COMMAND_HIGH, destination << 24);
	write(APIC_COMMAND, command);
	arch_irq_restore(state);
}

void apic_send_fixed(uint32_t apic_id, uint8_t vector)
{
	send(apic_id, COMMAND_FIXED | COMMAND_ASSERT | vector);
}

void apic_send_self(uint8_t vector)
{
	if (!apic_page) {
		write(APIC_SELF, vector);
		return;
	}
	wait_sent();
	write(APIC_COMMAND, COMMAND_FIXED | COMMAND_ASSERT | COMMAND_TO_SELF | vector);
}

void apic_send_nmi(uint32_t apic_id)
{
	send(apic_id, COMMAND_NMI | COMMAND_ASSERT);
}

void apic_send_init(uint32_t apic_id)
{
	send(apic_id, COMMAND_INIT | COMMAND_ASSERT);
}

void apic_send_startup(uint32_t apic_id, uint8_t page)
{
	send(apic_id, COMMAND_STARTUP | COMMAND_ASSERT | page);
}

void apic_timer_one_shot(uint32_t count)
{
	write(APIC_TIMER_INITIAL, count);
}

uint32_t apic_timer_count(void)
{
	return read(APIC_TIMER_CURRENT);
}

void apic_timer_deadline(uint64_t tsc)
{
	msr_write(MSR_IA32_TSC_DEADLINE, tsc);
}
