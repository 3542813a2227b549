/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The local APIC of the running CPU. Sources: SDM vol. 3A, chapter 11 ("Advanced Programmable
 * Interrupt Controller"); x2APIC mode where CPUID has it, else memory-mapped.
 */
#ifndef MACHINE_APIC_H
#define MACHINE_APIC_H

#include <stdbool.h>
#include <stdint.h>

/* The registers, or NULL in x2APIC mode: a register is an MSR then. Constant after apic_init. */
extern volatile uint32_t *apic_page;

/* Finds the mode, and maps the registers if they are memory-mapped. Boot CPU, once, before apic_enable. */
void apic_init(void);

/* Enables this CPU's APIC: every local entry masked, spurious vector set. Each CPU at its start. */
void apic_enable(void);

/* Returns the number of this CPU's APIC, the one in the MADT. */
uint32_t apic_id(void);

/* Acknowledges the fixed interrupt being served. Interrupt context; not for NMIs. */
void apic_eoi(void);

/* Unmasks this CPU's performance-counter interrupt, delivered as an NMI. The APIC masks it again at
 * each delivery. Any context, NMI included. SDM vol. 3B, 20.6.3 "Programming the Performance Counters
 * and Handling Overflow". */
void apic_pmi_unmask(void);

/* Masks or unmasks it, and returns the entry of the local vector table as it is. Contexts as above. */
void apic_pmi_set_masked(bool masked);
uint32_t apic_pmi_entry(void);

/* AMD's extended entries of the local vector table: how many there are (0: none), entry NUMBER, and masking it; its
 * interrupt is an NMI. Contexts as above. APM vol. 2, 16.4.5 "Extended Interrupts". */
unsigned int apic_extended_entries(void);
uint32_t apic_extended_entry(unsigned int number);
void apic_extended_set_masked(unsigned int number, bool masked);

/* Sends fixed VECTOR to the CPU whose APIC is APIC_ID. Any context, also an NMI that interrupted this
 * function. */
void apic_send_fixed(uint32_t apic_id, uint8_t vector);
/* The same to this CPU. Any context, NMI included. */
void apic_send_self(uint8_t vector);
/* Sends an NMI to that CPU. */
void apic_send_nmi(uint32_t apic_id);
/* Send the INIT and the start-up interrupt. PAGE: physical page number (below 256) of the 16-bit start
 * code. */
void apic_send_init(uint32_t apic_id);
void apic_send_startup(uint32_t apic_id, uint8_t page);

/* Returns the greatest number of an APIC that can get interrupts in this APIC's mode. Any context. */
uint32_t apic_id_max(void);

/* The timer: one shot after COUNT periods of the APIC's clock (0: stop), or TSC-deadline mode.
 * Interrupts off. */
void apic_timer_one_shot(uint32_t count);
uint32_t apic_timer_count(void);
void apic_timer_deadline(uint64_t tsc);
/* Chooses the mode: deadlines, if ON, or one shot. It stops the timer. */
void apic_timer_set_deadline(bool on);

#endif
