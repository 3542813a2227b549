/* SPDX-License-Identifier: BSD-2-Clause */
/* Interface of every ISA: programs, the identification of its executables, and the data for a
 * new program. */
#ifndef ARCH_EXEC_H
#define ARCH_EXEC_H

#include <stdint.h>

/* ARCH_ELF_MACHINE, ARCH_PLATFORM, ARCH_UTSNAME: e_machine, AT_PLATFORM, and uname's name of the
 * machine; ARCH_EXEC_PERSONALITY_CLEARED: the bits of the personality that a new program loses. */
#include <machine/exec.h>

/* AT_HWCAP and AT_HWCAP2. Any context. */
uint64_t arch_exec_hwcap(void);
uint64_t arch_exec_hwcap2(void);

struct text;

/* Prints CPU's part of /proc/cpuinfo. Task context. */
void arch_cpu_describe(struct text *text, unsigned int cpu);

#endif
