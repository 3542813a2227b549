/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Charging for the memory of rings. All functions: task context, output locked (output.h).
 */
#ifndef KERNEL_PERF_RING_CHARGE_H
#define KERNEL_PERF_RING_CHARGE_H

#include <stddef.h>

struct perf_ring;
struct vm_space;

/* Whether PAGES more may be charged to the running task's user and to SPACE, its address space: 0 or
 * -EPERM. */
int perf_ring_check_charge(size_t pages, const struct vm_space *space);
/* Charges RING, just made, to them, before it is mapped in SPACE. The last perf_ring_unmap undoes it. */
void perf_ring_charge(struct perf_ring *ring, struct vm_space *space);
/* Account one more mapping of RING in SPACE, and one less. */
void perf_ring_map(struct perf_ring *ring, struct vm_space *space);
void perf_ring_unmap(struct perf_ring *ring, struct vm_space *space);

#endif
