/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address spaces shared with devices: a device's request with a PASID has addresses of the program that the PASID stands
 * for, and the IOMMU translates them by that program's own page tables, with its rights.
 *
 *   sharing   one for each space that some device shares: its PASID
 *   binding   one for each device and space
 *
 * A fault is an error that the device reports itself: no page is brought, and nothing is logged, because a program can
 * make any number of them. All other requests of devices pass untranslated.
 *
 * Sources: Intel Virtualization Technology for Directed I/O 4.1; Linux's iommu_sva_bind_device.
 */
#ifndef KERNEL_IOMMU_H
#define KERNEL_IOMMU_H

#include <stdbool.h>
#include <stdint.h>

struct iommu_binding;
struct pci_device;
struct vm_space;

/* A PASID that no space ever has: each request with it is a fault. Inside the tables: an IOMMU might not check. */
#define IOMMU_PASID_NONE 0x7fffu

/* Lets DEVICE, which reaches no memory yet, issue requests with PASID. 0; -EOPNOTSUPP: the machine has no IOMMU for it,
 * or DEVICE no such requests; -ENOMEM. The first call switches the IOMMU on. Task context. */
int iommu_sharing_enable(struct pci_device *device);
/* Returns whether iommu_sharing_enable succeeded for DEVICE. Any context. */
bool iommu_sharing_enabled(const struct pci_device *device);

/* Shares SPACE, to which the caller has a reference, with DEVICE: *BINDING, for iommu_unbind. Several callers may bind
 * both; the binding lasts until the last unbinds. 0; -EOPNOTSUPP: not enabled; -ENOSPC: no PASID is free; -ENOMEM. Task
 * context, without SPACE's mutex. */
int iommu_bind(struct pci_device *device, struct vm_space *space, struct iommu_binding **binding);
/* Ends the caller's share of BINDING. The caller has made sure that the device has no request with the PASID under way,
 * and no user of the PASID. The space may be gone. Task context, without the space's mutex. */
void iommu_unbind(struct iommu_binding *binding);

/* Returns BINDING's PASID; it stands for no other space before iommu_unbind, and before the end of the space. Any
 * context. */
uint32_t iommu_binding_pasid(const struct iommu_binding *binding);
/* Returns whether BINDING is SPACE's (NULL: no). Any context. */
bool iommu_binding_is_of(const struct iommu_binding *binding, const struct vm_space *space);

#endif
