/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of a sample: bits of attr.sample_regs_user and sample_regs_intr, and their order in the
 * record. Source: Linux's arch/x86/include/uapi/asm/perf_regs.h.
 */
#ifndef _UAPI_ASM_PERF_REGS_H
#define _UAPI_ASM_PERF_REGS_H

enum perf_event_x86_regs {
	PERF_REG_X86_AX,
	PERF_REG_X86_BX,
	PERF_REG_X86_CX,
	PERF_REG_X86_DX,
	PERF_REG_X86_SI,
	PERF_REG_X86_DI,
	PERF_REG_X86_BP,
	PERF_REG_X86_SP,
	PERF_REG_X86_IP,
	PERF_REG_X86_FLAGS,
	PERF_REG_X86_CS,
	PERF_REG_X86_SS,
	PERF_REG_X86_DS,
	PERF_REG_X86_ES,
	PERF_REG_X86_FS,
	PERF_REG_X86_GS,
	PERF_REG_X86_R8,
	PERF_REG_X86_R9,
	PERF_REG_X86_R10,
	PERF_REG_X86_R11,
	PERF_REG_X86_R12,
	PERF_REG_X86_R13,
	PERF_REG_X86_R14,
	PERF_REG_X86_R15,
	PERF_REG_X86_64_MAX,

	/* Vector registers, two bits each: only PMUs that save them (PEBS). */
	PERF_REG_X86_XMM0 = 32
};

#endif
