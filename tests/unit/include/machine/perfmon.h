/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The instructions of arch/alpha's <machine/perfmon.h> that the PMU drivers use, as calls into the
 * simulated counters of sim/ev67.c.
 */
#ifndef MACHINE_PERFMON_H
#define MACHINE_PERFMON_H

#include <stdbool.h>
#include <stdint.h>

enum { PERFMON_DISABLE = 0, PERFMON_ENABLE_WRITE = 7 };

uint64_t wrperfmon(uint64_t function, uint64_t argument);
bool cpu_is_ev67(void);
uint32_t cycles_read(void);
void perfmon_use_in_user_mode(unsigned int counters);

#endif
