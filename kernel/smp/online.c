/* SPDX-License-Identifier: BSD-2-Clause */
/* The set of CPUs that are on line; see <kernel/base/cpu.h>. kernel/sched/hotplug.c alone changes it. */
#include <kernel/base/cpu.h>

shared_cpumask_t cpus_offline;
