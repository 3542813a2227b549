/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Alpha's bodies for <arch/port.h>: the PCI bus's I/O space, which Typhoon maps into memory. The
 * barrier keeps accesses in program order and out of the CPU's write buffer.
 *
 * Source: Tsunami/Typhoon 21272 Chipset Hardware Reference Manual, section 10.1.1 "System address map".
 */
#ifndef MACHINE_PORT_H
#define MACHINE_PORT_H

#include <stdint.h>

#include <machine/mmu.h>

/* Pchip 0's PCI I/O space, 801.FC00.0000 of the physical addresses. */
#define PORTS_BASE (DEVICE_BASE + 0x1fc000000)

#define PORT_ACCESS(bits)                                                               \
	static inline uint##bits##_t arch_port_read##bits(uint16_t port)                \
	{                                                                               \
		uint##bits##_t value = *(volatile uint##bits##_t *)(PORTS_BASE + port); \
                                                                                        \
		__asm__ volatile("mb" : : : "memory");                                  \
		return value;                                                           \
	}                                                                               \
                                                                                        \
	static inline void arch_port_write##bits(uint16_t port, uint##bits##_t value)   \
	{                                                                               \
		*(volatile uint##bits##_t *)(PORTS_BASE + port) = value;                \
		__asm__ volatile("mb" : : : "memory");                                  \
	}

PORT_ACCESS(8)
PORT_ACCESS(16)
PORT_ACCESS(32)

#undef PORT_ACCESS

#endif
