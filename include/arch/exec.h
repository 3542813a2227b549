/* SPDX-License-Identifier: BSD-2-Clause */
/* What every ISA must provide about programs: what its executables say they are for, and what a new
 * one is told. */
#ifndef ARCH_EXEC_H
#define ARCH_EXEC_H

#include <stdint.h>

/* ARCH_ELF_MACHINE, ARCH_PLATFORM, ARCH_UTSNAME: e_machine, AT_PLATFORM, and what uname calls the machine;
 * ARCH_EXEC_PERSONALITY_CLEARED: of the personality, what no program begins with. */
#include <machine/exec.h>

/* AT_HWCAP and AT_HWCAP2. Any context. */
uint64_t arch_exec_hwcap(void);
uint64_t arch_exec_hwcap2(void);

struct text;

/* What /proc/cpuinfo says of CPU number CPU. Task context. */
void arch_cpu_describe(struct text *text, unsigned int cpu);

#endif
