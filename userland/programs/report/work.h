/* SPDX-License-Identifier: BSD-2-Clause */
/* work.h - the functions of work.S. */
#ifndef REPORT_WORK_H
#define REPORT_WORK_H

#include <stdint.h>

/* N times CPUID. Any thread. */
void work_exits(uint64_t n, void *memory);

/* The value of RDPMC of INDEX in ring 3; where it is not allowed, #GP at work_rdpmc_at. */
uint64_t work_rdpmc(uint32_t index);
extern const char work_rdpmc_at[];

#endif /* REPORT_WORK_H */
