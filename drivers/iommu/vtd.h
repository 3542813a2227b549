/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel's IOMMU (VT-d) in scalable mode: the tables by which it translates, and their invalidation. iommu.c decides what
 * they say.
 *
 * Source: Intel Virtualization Technology for Directed I/O, Architecture Specification, 4.1.
 */
#ifndef IOMMU_VTD_H
#define IOMMU_VTD_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/physical.h>

struct pci_device;

/* PASIDs are below this: those of a directory of one page (9.5, PDTS). 0 is that of requests without PASID. */
#define VTD_PASIDS (1u << 15)

/* A device with PASIDs of its own. */
struct vtd_device {
	uint16_t source; /* bus, slot and function, as requests have them */
	bool device_tlb; /* it caches translations (ATS) */
	uint64_t *directory;
};

/* Switches on the IOMMU that translates for PCI, unless it is on: all requests pass untranslated. 0; -EOPNOTSUPP: there is
 * none with first-level translation by PASID, or another one is on; -ENOMEM; -EIO: it does not answer. Task context,
 * callers exclude each other. */
int vtd_start(const struct pci_device *pci);

/* Gives PCI's requests with PASID a directory of DEVICE's, empty so far. 0 or -ENOMEM. After vtd_start; context as
 * there. */
int vtd_device_add(struct vtd_device *device, const struct pci_device *pci, bool device_tlb);

/* Lets PASID of DEVICE, which has no meaning, use the page tables at ROOT. 0 or -ENOMEM. Task context; callers exclude
 * each other for one device. */
int vtd_pasid_set(struct vtd_device *device, uint32_t pasid, paddr_t root);
/* Takes PASID's meaning away: returns when no request uses its tables. Context as above. */
void vtd_pasid_clear(struct vtd_device *device, uint32_t pasid);
/* Returns when no request with PASID uses an entry of its tables for [START, END), page aligned, which software has
 * changed. Task context. */
void vtd_flush(const struct vtd_device *device, uint32_t pasid, uintptr_t start, uintptr_t end);

#endif
