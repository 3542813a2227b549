/* SPDX-License-Identifier: BSD-2-Clause */
/* The regions of a function, for the enumeration. */
#ifndef REGION_H
#define REGION_H

#include <kernel/pci/pci.h>

/* Fills in DEVICE's regions; its header type is known, and no driver has it. A region that cannot be used gets size 0 and
 * a line in the log. START_CORE. */
void pci_regions_read(struct pci_device *device);

#endif
