/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of every ISA: what an IOMMU needs of the machine. */
#ifndef ARCH_IOMMU_H
#define ARCH_IOMMU_H

#include <stddef.h>
#include <stdint.h>

#include <kernel/base/physical.h>

/* Returns the physical address of the registers of the IOMMU that translates for a PCI function of segment 0; 0: none. Any
 * context after arch_init. */
paddr_t arch_iommu_registers(uint8_t bus, uint8_t slot, uint8_t function);

/* Writes the caches' contents of SIZE bytes at ADDRESS back to memory, for a device that reads memory only. Any
 * context. */
void arch_cache_write_back(const void *address, size_t size);

#endif
