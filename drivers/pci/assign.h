/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of regions without one, for the enumeration. */
#ifndef ASSIGN_H
#define ASSIGN_H

/* Gives an address to each BAR that firmware left without one, if the host bridge is an 82441FX and no bridge has a numbered bus.
 * Any other region without an address gets size 0 and a line in the log. START_CORE, once, after pci_regions_read of all
 * functions (PCI Local Bus Specification 3.0, 6.2.5). */
void pci_regions_assign(void);

#endif
