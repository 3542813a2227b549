/* SPDX-License-Identifier: BSD-2-Clause */
/* Ports of the simulated machine: the test that links a driver of ports defines them. */
#ifndef MACHINE_PORT_H
#define MACHINE_PORT_H

#include <stdint.h>

uint8_t arch_port_read8(uint16_t port);
uint16_t arch_port_read16(uint16_t port);
uint32_t arch_port_read32(uint16_t port);
void arch_port_write8(uint16_t port, uint8_t value);
void arch_port_write16(uint16_t port, uint16_t value);
void arch_port_write32(uint16_t port, uint32_t value);

#endif
