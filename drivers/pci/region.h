/* SPDX-License-Identifier: BSD-2-Clause */
/* The regions of a function, for the enumeration. */
#ifndef REGION_H
#define REGION_H

#include <kernel/pci/pci.h>

/* Fills in the regions of DEVICE, the last one in the list; its header type is known. A region that cannot be used gets size 0 and
 * a line in the log. One without an address is unusable, but has its size, until pci_regions_assign. START_CORE. */
void pci_regions_read(struct pci_device *device);

/* Returns another region that has bytes of REGION and can be used; NULL: none. START_CORE. */
const struct pci_region *pci_region_at_same_place(const struct pci_region *region);

/* Makes region INDEX of DEVICE unusable, with size 0 and a line in the log, which says the REASON. START_CORE. */
void pci_region_leave(struct pci_device *device, unsigned int index, const char *reason);

#endif
