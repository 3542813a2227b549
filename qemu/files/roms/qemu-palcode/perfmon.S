/*
 * OSF/1 PALcode for the EV67's performance counters: the call wrperfmon, and
 * the interrupt that an overflow makes.
 *
 * This is all that stands between the operating system and the registers; it
 * keeps no state of its own.  Functions, arguments and results are those of
 * the Alpha Architecture Reference Manual, appendix E, "21264 Performance
 * Monitoring".  Where it leaves the result open, 1 is success and 0 failure.
 *
 * The counters count in PALmode too.  So every instruction here is part of
 * what a program measures when it brackets its work with these calls: keep the
 * flows short, and the numbers in the emulator's README true.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

	.set		noat
	.set		nomacro
	.text		1

#include "pal.h"
#include "osf.h"
#include "perfmon.h"

#define PERFMON_LAST_FUNCTION	9

/*
 * wrperfmon
 *
 * INPUT PARAMETERS:
 *
 *	a0 = function
 *	a1 = its argument
 *
 * OUTPUT PARAMETERS:
 *
 *	v0 = its result; 0 if there is no such function, or no counters
 */
	.globl	PerfMon_Call
PerfMon_Call:
	mfpr	p0, ev67_ier_cm		// Set at reset if there are counters
	beq	p0, Fail
	cmpule	a0, PERFMON_LAST_FUNCTION, p0
	beq	p0, Fail
	br	p0, 1f
1:	lda	p0, Functions-1b(p0)
	s4addq	a0, p0, p0
	jmp	$31, (p0), 0
ENDFN	PerfMon_Call

Functions:
	br	Disable			// 0
	br	Enable			// 1
	br	SelectEvents		// 2
	br	SelectOptions		// 3
	br	Fail			// 4: interrupt frequency, 21164 only
	br	Read			// 5
	br	Write			// 6
	br	EnableWrite		// 7
	br	ReadStatus		// 8
	br	ReadProfiledPC		// 9

Fail:
	mov	0, v0
	hw_rei

/* a1<1:0> = the counters */
Disable:
	and	a1, 3, p1
	sll	p1, I_CTL_V_PCT_EN, p1
	mov	1, v0
	mfpr	p0, ev67_i_ctl
	bic	p0, p1, p0
	mtpr	p0, ev67_i_ctl
	hw_rei

/* a1<1:0> = the counters */
Enable:
	and	a1, 3, p1
	sll	p1, I_CTL_V_PCT_EN, p1
	mov	1, v0
	mfpr	p0, ev67_i_ctl
	bis	p0, p1, p0
	mtpr	p0, ev67_i_ctl
	hw_rei

/* a1<4> = SL0, a1<3:2> = SL1 */
SelectEvents:
	mtpr	a1, ev67_pctr_ctl_sl
	mov	1, v0
	hw_rei

/* a1<0> = count only for processes that have PME set */
SelectOptions:
	mfpr	p0, ev67_i_ctl
	bis	p0, I_CTL_M_SPCE, p0
	and	a1, I_CTL_M_SPCE, p1
	bic	p0, p1, p0
	mtpr	p0, ev67_i_ctl
	mov	1, v0
	hw_rei

/* v0 = PCTR_CTL */
Read:
	mfpr	v0, ev67_pctr_ctl
	hw_rei

/*
 * a1<0>, a1<1> = which counters; a1<47:28> = PCTR0, a1<25:6> = PCTR1
 *
 * An overflow of a counter that is written is forgotten (HRM section 6.10.1).
 */
Write:
	bsr	p7, WriteCounters
	mov	1, v0
	hw_rei

/* The same, and these counters are enabled. */
EnableWrite:
	bsr	p7, WriteCounters
	br	Enable

WriteCounters:
	and	a1, 3, p0
	sll	p0, ISUM_V_PC, p0
	blbc	a1, 1f
	mtpr	a1, ev67_pctr_ctl_0
1:	srl	a1, 1, p1
	blbc	p1, 2f
	mtpr	a1, ev67_pctr_ctl_1
2:	mtpr	p0, ev67_hw_int_clr
	ret	$31, (p7), 0

/* v0 = I_STAT */
ReadStatus:
	mfpr	v0, ev67_i_stat
	hw_rei

/* v0 = PMPC */
ReadProfiledPC:
	mfpr	v0, ev67_pmpc
	hw_rei

/*
 * Performance counter interrupt, behind the stack frame
 *
 * OUTPUT PARAMETERS, at entInt:
 *
 *	a0 = INT_K_PERF
 *	a1 = SCB_Q_PERFMON
 *	a2 = the counter that overflowed
 *
 * If both did, the other one interrupts again as soon as the IPL allows it.
 */
	.globl	PerfMon_Interrupt
PerfMon_Interrupt:
	mov	IPL_K_PERF, p0		// Raise IPL
	mtpr	p0, qemu_ps

	mfpr	p1, ev67_isum
	srl	p1, ISUM_V_PC, p1
	and	p1, 3, p1
	beq	p1, CallPal_Rti		// None asserted?

	and	p1, 1, a2
	xor	a2, 1, a2
	addq	a2, ISUM_V_PC, p1
	mov	1, p2
	sll	p2, p1, p2
	mtpr	p2, ev67_hw_int_clr

	mfpr	p6, ptEntInt
	mfpr	$gp, ptKgp
	lda	a0, INT_K_PERF
	lda	a1, SCB_Q_PERFMON

	hw_ret	(p6)
ENDFN	PerfMon_Interrupt
