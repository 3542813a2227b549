/*
 * Arithmetic of the host's SSE on a CPU's state
 *
 * A target whose floating point is the host's own lets the host compute: two
 * operands of 16 bytes and a result, all at offsets from env. The operation is
 * one instruction of AVX. The host's MXCSR says how it rounds, and gets its
 * flags; so the operation stays where it is, even if nobody uses its result.
 *
 * INSN is the opcode in the map 0F, with one of the prefixes below. A scalar
 * instruction changes the lowest element of its first operand.
 *
 * An operand may have been stored in parts, and no store of a part forwards to
 * a load of the whole: INDEX_op_host_sse_ld loads parts.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TCG_HOST_SSE_H
#define TCG_HOST_SSE_H

#define TCG_HOST_SSE_PS 0x000
#define TCG_HOST_SSE_PD 0x100
#define TCG_HOST_SSE_SS 0x200
#define TCG_HOST_SSE_SD 0x300
#define TCG_HOST_SSE_SQRT 0x51  /* packed: of the second operand alone */

/* Which parts INDEX_op_host_sse_ld loads; the last two load all. */
enum {
    TCG_HOST_SSE_LD_4,
    TCG_HOST_SSE_LD_8,
    TCG_HOST_SSE_LD_8_8,
    TCG_HOST_SSE_LD_4_4_8,
};

/* Whether the host has the operation. */
bool tcg_has_host_sse(void);

/* TO = FROM INSN BY; TO may be one of them. Any target, while it translates. */
void tcg_gen_host_sse(unsigned insn, intptr_t to, intptr_t from, intptr_t by);

/* TO = FROM, 16 bytes in the CPU's state. */
void tcg_gen_host_sse_mov(intptr_t to, intptr_t from);

/*
 * 16 bytes between the guest's memory and the CPU's state at TO or FROM, by one
 * load or store of the host. The others are as in tcg_gen_qemu_ld_i128(). No
 * plugin sees the access.
 */
void tcg_gen_host_sse_qemu_ld(intptr_t to, TCGTemp *addr, TCGArg idx,
                              MemOp memop);
void tcg_gen_host_sse_qemu_st(intptr_t from, TCGTemp *addr, TCGArg idx,
                              MemOp memop);

#endif
