/* SPDX-License-Identifier: BSD-2-Clause */
/* The regions of a function, for the enumeration. */
#ifndef REGION_H
#define REGION_H

#include <kernel/pci/pci.h>

/* PCI Local Bus Specification 3.0, 6.2.5.1 and appendix D. */
#define BAR_FIRST	0x10
#define BAR_TYPE	0x06u
#define BAR_TYPE_1M	0x02u /* below 1 MiB: PCI 2.2 and older */
#define BAR_IO_MASK	(~0x03u)
#define BAR_MEMORY_MASK (~0x0fu)
#define CLASS_HOST	0x0600 /* base class and subclass */

/* Fills in the regions of DEVICE, the last one in the list; its header type is known. A region that cannot be used gets size 0 and
 * a line in the log. One without an address is unusable, but has its size, until pci_regions_assign. START_CORE. */
void pci_regions_read(struct pci_device *device);

/* Returns another region that has bytes of REGION and can be used; NULL: none. START_CORE. */
const struct pci_region *pci_region_at_same_place(const struct pci_region *region);

/* Makes region INDEX of DEVICE unusable, with size 0 and a line in the log, which says the REASON. START_CORE. */
void pci_region_leave(struct pci_device *device, unsigned int index, const char *reason);

#endif
