/* SPDX-License-Identifier: BSD-2-Clause */
/* MSI-X, for the reset of a function. */
#ifndef MSIX_H
#define MSIX_H

#include <kernel/pci/pci.h>

/* Writes DEVICE's vectors and control again after a reset. pci_mutex held. */
void pci_msix_restore(struct pci_device *device);

#endif
