/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration space by number, for the enumeration; drivers use <kernel/pci/pci.h>. */
#ifndef CONFIG_H
#define CONFIG_H

#include <stdbool.h>
#include <stdint.h>

/* Looks for configuration mechanism #1. False: there is no PCI bus. START_CORE, first. */
bool pci_config_init(void);

/* Reads the 32-bit word at OFFSET (a multiple of 4 below 256) of the function at BUS, SLOT (0 … 31), FUNCTION (0 … 7):
 * all ones if there is none. Any context but NMI. */
uint32_t pci_config_read(unsigned int bus, unsigned int slot, unsigned int function,
			 unsigned int offset);

#endif
