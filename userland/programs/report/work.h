/* SPDX-License-Identifier: BSD-2-Clause */
/* work.h - what work.S has. */
#ifndef REPORT_WORK_H
#define REPORT_WORK_H

#include <stdint.h>

/* N times CPUID. Any thread. */
void work_exits(uint64_t n, void *memory);

/* The value of RDPMC of INDEX in ring 3; where it is not allowed, #GP at work_rdpmc_at. */
uint64_t work_rdpmc(uint32_t index);
extern const char work_rdpmc_at[];

/* Branches of each kind. Any thread. */
void work_kinds(uint64_t n, void *memory);

/* Those that it takes before it returns, in their order. */
#define WORK_BRANCHES 7
struct work_branch {
	uint64_t from, to;
	uint64_t kind; /* the bit of MSR_LBR_SELECT that leaves it out */
};
extern const struct work_branch work_branches[WORK_BRANCHES];

/* n times: the seven instructions of work_sampled_at, with 24 bytes at MEMORY. Any thread. */
void work_sampled(uint64_t n, void *memory);

enum work_sampled {
	SAMPLED_LOAD,
	SAMPLED_STORE,
	SAMPLED_ADD,
	SAMPLED_JMP,
	SAMPLED_NOP,
	SAMPLED_SUB,
	SAMPLED_JNZ,
	SAMPLED_COUNT
};
extern const uint64_t work_sampled_at[SAMPLED_COUNT];

#endif /* REPORT_WORK_H */
