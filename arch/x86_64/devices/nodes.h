/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of the CPUs' devices: /dev/cpu/N/msr, /dev/cpu/N/cpuid, /dev/cpu/N/pmu.
 */
#ifndef ARCH_X86_64_DEVICES_NODES_H
#define ARCH_X86_64_DEVICES_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include <kernel/fs/inode.h>

struct file;

/* Major numbers: msr and cpuid as in Linux's admin-guide/devices.txt; pmu has one of those for local use. The minor number is
 * that of the CPU. */
#define MSR_MAJOR   202
#define CPUID_MAJOR 203
#define PMU_MAJOR   240

/* Give FILE its operations: the devices' open. */
inode_open_function msr_open, cpuid_open, pmu_open;

/* Ends the open file /dev/cpu/N/pmu of CPU, which is about to go off line. Task context, hotplug_mutex held. */
void pmu_cpu_goes_offline(unsigned int cpu);

/* Finds the CPU of INODE. 0, or -ENXIO: there is no such CPU, or it is off line. Task context. */
int node_cpu(const struct inode *inode, unsigned int *cpu);

/* Lets other tasks run between two accesses of a long request. Returns false if the request should end: the task was
 * killed. Task context, no lock held. */
bool node_may_continue(void);

/* lseek for devices without an end: SEEK_SET, SEEK_CUR, else -EINVAL. */
int64_t node_seek(struct file *file, int64_t offset, unsigned int whence);

#endif
