/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr.h: the last branch records of Intel's CPUs, in Skylake's format (x-lbr=on). */
#ifndef LBR_H
#define LBR_H

#include "pmu.h"

#define MSR_LBR_SELECT	  0x1c8
#define MSR_LBR_TOP	  0x1c9
#define MSR_LBR_FROM(i)	  (0x680 + (i))
#define MSR_LBR_TO(i)	  (0x6c0 + (i))
#define MSR_LBR_INFO(i)	  (0xdc0 + (i))
#define LBR_DEPTH	  32
#define DEBUGCTL_LBR	  1ull
#define FREEZE_LBR_ON_PMI (1ull << 11)
/* MSR_LBR_SELECT: what is left out. */
#define LBR_NOT_KERNEL	  1ull
#define LBR_NOT_USER	  2ull
#define LBR_NOT_FAR	  (1ull << 8)
#define LBR_CALLSTACK	  (1ull << 9)
#define LBR_KINDS	  0x1fcull

/* One entry: the code's own (sequences-lbr.S), or what the registers have. */
struct lbr_entry {
	uint64_t from, to, cycles, kind;
};

/* sequences-lbr.S */
void lbr_kinds(uint32_t debugctl), lbr_nested(uint32_t debugctl), lbr_debug(uint32_t debugctl);
extern const struct lbr_entry lbr_kinds_entries[], lbr_nested_entries[], lbr_debug_entries[];

/* Runs fn with the records on, from entry `top` + 1 on; returns the new top. */
uint64_t lbr_record(void (*fn)(uint32_t), uint64_t debugctl, uint64_t select, uint64_t top);

/* The same with a sequence of user mode; the frame of measure_user() is recorded too. */
uint64_t lbr_record_user(const struct sequence *s, uint64_t select);

/* A PMI after `period` branches of a loop in the kernel, with the records on. The status in its handler. */
uint64_t lbr_overflow(uint64_t period, uint64_t debugctl);

#endif
