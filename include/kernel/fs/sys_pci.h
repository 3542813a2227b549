/* SPDX-License-Identifier: BSD-2-Clause */
/* The directories of PCI functions in /sys, for the links of what lies in them (sys_pci_device_added). */
#ifndef KERNEL_SYS_PCI_H
#define KERNEL_SYS_PCI_H

#include <stddef.h>
#include <sys/types.h>

struct pci_device;

/* Writes the path of DEVICE's directory below /sys after COUNT times "../", without an end: for COUNT 2 it is
 * "../../devices/pci0000:00/0000:00:01.0". Returns its length, at most SIZE. Any context. */
ssize_t sys_pci_put_path(const struct pci_device *device, char *buffer, size_t size,
			 unsigned int count);
/* Returns how many "../" lead from DEVICE's directory to /sys. Any context. */
unsigned int sys_pci_depth(const struct pci_device *device);

#endif
