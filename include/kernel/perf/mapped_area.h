/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The name of a mapping and the file in it, for its records.
 */
#ifndef KERNEL_PERF_MAPPED_AREA_H
#define KERNEL_PERF_MAPPED_AREA_H

struct vm_area;

/* Writes the records of AREA, which the current task has mapped or changed. Task context. */
void perf_area_mapped(const struct vm_area *area);
/* Does the same for AREA, which the current task has unmapped: the first ABI alone has such records. */
void perf_area_unmapped(const struct vm_area *area);

#endif
