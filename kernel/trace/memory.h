/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Large memory of traces: instances, rings and histograms. Together they may have a quarter of the machine's
 * pages, so that tracing does not take the memory that programs need.
 */
#ifndef KERNEL_TRACE_MEMORY_H
#define KERNEL_TRACE_MEMORY_H

#include <stddef.h>

/* Returns SIZE bytes (up to KMALLOC_MAX) from kzalloc, zeroed, or NULL; and frees them, with the same SIZE
 * (NULL: no effect). Task context. */
void *trace_memory_get(size_t size);
void trace_memory_put(void *memory, size_t size);

#endif
