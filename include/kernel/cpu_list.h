/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of processors as people write them (Linux: Documentation/admin-guide/kernel-parameters.rst, "cpu
 * lists"): ranges between commas or spaces.
 *
 *      range   =  all | number [ - number ]  [ : used / group ]
 *      number  =  decimal digits | N, the last processor
 *
 * Of a range with a group, the first USED of every GROUP processors.
 */
#ifndef KERNEL_CPU_LIST_H
#define KERNEL_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <kernel/cpu.h>

/* Whether the SIZE bytes of TEXT are a list of processors that run; then they are *CPUS. Any context. */
bool cpu_list_parse(const char *text, size_t size, cpumask_t *cpus);

#endif
