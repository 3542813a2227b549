/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Large memory of traces: instances, rings and histograms. All together may have a quarter of the machine's pages, so
 * that whoever traces does not take what programs need.
 */
#ifndef KERNEL_TRACE_MEMORY_H
#define KERNEL_TRACE_MEMORY_H

#include <stddef.h>

/* SIZE bytes (up to KMALLOC_MAX) from kzalloc, zeroed, or NULL; and back, with the same SIZE. NULL: nothing. Task
 * context. */
void *trace_memory_get(size_t size);
void trace_memory_put(void *memory, size_t size);

#endif
