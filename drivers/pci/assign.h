/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of regions without one, for the enumeration. */
#ifndef ASSIGN_H
#define ASSIGN_H

/* Gives an address to each region that firmware left without one, if the machine's host bridge is known. A region that stays
 * without gets size 0 and a line in the log. START_CORE, after all functions and their regions have been read. */
void pci_regions_assign(void);

#endif
