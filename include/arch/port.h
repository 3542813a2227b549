/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of an ISA with PC devices: access to the 64 KiB port space. The inline bodies
 * are in <machine/port.h>.
 *
 *   uint8_t arch_port_read8(uint16_t port)               and 16, 32
 *   void arch_port_write8(uint16_t port, uint8_t value)  and 16, 32
 *
 * Any context, NMI included; in program order.
 */
#ifndef ARCH_PORT_H
#define ARCH_PORT_H

#include <machine/port.h>

#endif
