/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the registers that CPUID announces are there. */
#ifndef ARCH_X86_64_PMU_COUNTERS_PROBE_H
#define ARCH_X86_64_PMU_COUNTERS_PROBE_H

#include <stdbool.h>

struct counter_registers;

/* Tries all of REGISTERS on each CPU, which stops all counting. False: one faults, and the log names it. Task context, all
 * CPUs running. */
bool counters_are_there(const struct counter_registers *registers);

#endif
