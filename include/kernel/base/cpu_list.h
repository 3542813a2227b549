/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of CPUs as text (Linux: Documentation/admin-guide/kernel-parameters.rst, "cpu lists"): ranges
 * between commas or spaces.
 *
 *      range   =  all | number [ - number ]  [ : used / group ]
 *      number  =  decimal digits | N, the last CPU
 *
 * A range with a group means the first USED of every GROUP CPUs.
 */
#ifndef KERNEL_CPU_LIST_H
#define KERNEL_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <kernel/base/cpu.h>

/* Parses the SIZE bytes of TEXT into *CPUS; false: they are no list of running CPUs. Any context. */
bool cpu_list_parse(const char *text, size_t size, cpumask_t *cpus);

#endif
