/* SPDX-License-Identifier: BSD-2-Clause */
/* The regions of a function, for the enumeration. */
#ifndef REGION_H
#define REGION_H

#include <kernel/pci/pci.h>

/* Fills in the regions of DEVICE, the last one in the list; its header type is known. A region that cannot be used gets size 0 and
 * a line in the log. START_CORE. */
void pci_regions_read(struct pci_device *device);

#endif
