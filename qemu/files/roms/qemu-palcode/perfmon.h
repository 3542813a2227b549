/*
 * The EV67's performance counters: the processor registers, as the emulator
 * numbers them (target/alpha/pmu.h there), and what PALcode does for them in
 * the middle of other flows.
 *
 * HRM is the Alpha 21264/EV67 Hardware Reference Manual.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef PERFMON_H
#define PERFMON_H 1

#define ev67_pmpc		0x0500
#define ev67_ier_cm		0x0b00
#define ev67_isum		0x0d00
#define ev67_hw_int_clr		0x0e00
#define ev67_i_ctl		0x1100
#define ev67_pctr_ctl		0x1400
#define ev67_pctr_ctl_0		0x1401	// PCTR0 only
#define ev67_pctr_ctl_1		0x1402	// PCTR1 only
#define ev67_pctr_ctl_sl	0x1404	// SL0 and SL1 only
#define ev67_i_stat		0x1600
#define ev67_ppce		0x4800	// PCTX, its PPCE only

// I_CTL (HRM section 5.2.15)
#define I_CTL_M_SPCE		1
#define I_CTL_V_PCT_EN		18

// IER_CM, ISUM, HW_INT_CLR (HRM sections 5.2.9 to 5.2.12)
#define ISUM_V_PC		29

// PCTX (HRM section 5.2.21), and the process control block's PME bit
#define PCTX_M_PPCE		2
#define PCB_V_PME		62

/*
 * At reset: both counters may interrupt, and count for all processes as soon
 * as they are enabled.
 */
.macro	PERFMON_RESET temp
	ldah	\temp, 3 << (ISUM_V_PC - 16)($31)
	mtpr	\temp, ev67_ier_cm
	lda	\temp, I_CTL_M_SPCE
	mtpr	\temp, ev67_i_ctl
.endm

/*
 * The process changes. fen is the quadword of its control block that has PME.
 */
.macro	PERFMON_SWITCH fen temp
	srl	\fen, PCB_V_PME - 1, \temp
	and	\temp, PCTX_M_PPCE, \temp
	mtpr	\temp, ev67_ppce
.endm

#endif /* PERFMON_H */
