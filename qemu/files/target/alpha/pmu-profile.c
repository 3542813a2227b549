/*
 * The emulated EV67 performance counters: ProfileMe, the mode in which PCTR0
 * chooses one instruction and the registers tell what became of it.
 *
 * PCTR0 counts instructions that retire.  When it is at 2^20 - 1, the next one
 * that runs is profiled.  It is translated as a block of its own: between
 * alpha_pmu_profile_begin, before it runs, and alpha_pmu_profile_end, when it
 * has retired or trapped, the window is open, and what it did is known from
 * its encoding, its operands and the models of memory and prediction.  If it has to start
 * again (for an operation that needs all CPUs to stop), the window is opened
 * again and nothing is told of the first attempt.
 *
 * TCG has no pipeline.  How long an instruction takes follows from the table
 * of costs below, which a test can add up by hand.  Stalls, kills before the
 * map stage, the Icache and overcounts do not happen: their bits read as 0.
 *
 * HRM section 6.10.3; the registers: 5.2.6 (PMPC), 5.2.16 (I_STAT), 5.2.22.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/cpu_ldst.h"

/* What an instruction takes, in cycles, and what it takes more. */
#define CYCLES_ANY              1
#define CYCLES_BRANCH           1
#define CYCLES_LOAD             2
#define CYCLES_MISPREDICT       7
#define CYCLES_BCACHE_MISS      100
#define CYCLES_REPLAY           14
/* The window's last cycle is the 2nd behind the retirement or the trap. */
#define CYCLES_BEHIND           2

/* I_STAT */
#define I_STAT_TRAP_TYPE_SHIFT  34
#define I_STAT_TRP              (UINT64_C(1) << 39)
#define I_STAT_MIS              (UINT64_C(1) << 40)
/* PCTR_CTL */
#define PCTR_CTL_TAK            (1u << 0)
#define PCTR_CTL_VAL            (1u << 1)

/* Primary opcodes (Architecture Handbook, appendix C). */
#define OPCODE_LDBU             0x0a
#define OPCODE_LDWU             0x0c
#define OPCODE_JSR              0x1a    /* and JMP, RET, JSR_COROUTINE */
#define OPCODE_HW_LD            0x1b
#define OPCODE_HW_RET           0x1e
#define OPCODE_LDF              0x20
#define OPCODE_STQ_C            0x2f
#define OPCODE_BR               0x30    /* it and all after it are branches */
#define OPCODE_FBEQ             0x31
#define OPCODE_FBLT             0x32
#define OPCODE_FBLE             0x33
#define OPCODE_BSR              0x34
#define OPCODE_FBNE             0x35
#define OPCODE_FBGE             0x36
#define OPCODE_FBGT             0x37
#define OPCODE_BLBC             0x38
#define OPCODE_BEQ              0x39
#define OPCODE_BLT              0x3a
#define OPCODE_BLE              0x3b
#define OPCODE_BLBS             0x3c
#define OPCODE_BNE              0x3d
#define OPCODE_BGE              0x3e
#define OPCODE_BGT              0x3f

/* I_STAT's trap types (HRM table 5-12); -1: not a trap of an instruction. */
static int trap_type(int exception)
{
    switch (exception) {
    case EXCP_FEN:
        return 4;
    case EXCP_UNALIGN:
        return 5;
    case EXCP_MMFAULT:
        return 7;
    case EXCP_OPCDEC:
        return 8;
    case EXCP_MCHK:
        return 10;
    case EXCP_ARITH:
        return 12;
    default:
        return -1;
    }
}

static bool is_branch(uint32_t opcode)
{
    return opcode >= OPCODE_BR || opcode == OPCODE_JSR ||
           opcode == OPCODE_HW_RET;
}

static bool is_conditional_branch(uint32_t opcode)
{
    return opcode > OPCODE_BR && opcode != OPCODE_BSR;
}

/* A load into the zero register is a prefetch or a no-op. */
static bool is_load(uint32_t opcode, unsigned ra)
{
    return ra != 31 &&
           ((opcode >= OPCODE_LDBU && opcode <= OPCODE_LDWU) ||
            opcode == OPCODE_HW_LD ||
            (opcode >= OPCODE_LDF && opcode <= OPCODE_STQ_C && !(opcode & 4)));
}

/* Does the conditional branch with this operand go? */
static bool branch_goes(uint32_t opcode, int64_t value)
{
    /* Floating point: -0 is zero. */
    bool zero = !((uint64_t)value << 1), negative = value < 0 && !zero;

    switch (opcode) {
    case OPCODE_FBEQ:
        return zero;
    case OPCODE_FBNE:
        return !zero;
    case OPCODE_FBLT:
        return negative;
    case OPCODE_FBGE:
        return !negative;
    case OPCODE_FBLE:
        return negative || zero;
    case OPCODE_FBGT:
        return !negative && !zero;
    case OPCODE_BLBC:
        return !(value & 1);
    case OPCODE_BLBS:
        return value & 1;
    case OPCODE_BEQ:
        return value == 0;
    case OPCODE_BNE:
        return value != 0;
    case OPCODE_BLT:
        return value < 0;
    case OPCODE_BGE:
        return value >= 0;
    case OPCODE_BLE:
        return value <= 0;
    case OPCODE_BGT:
        return value > 0;
    default:
        g_assert_not_reached();
    }
}

static int64_t branch_operand(CPUAlphaState *env, uint32_t opcode, unsigned ra)
{
    if (ra == 31) {
        return 0;
    }
    return opcode < OPCODE_BLBC ? env->fir[ra] : cpu_alpha_load_gr(env, ra);
}

void alpha_pmu_profile_begin(CPUAlphaState *env)
{
    AlphaPMUProfile *f = &env->pmu.profile;
    uint32_t insn = cpu_ldl_code(env, env->pc);
    uint32_t opcode = insn >> 26;
    unsigned ra = extract32(insn, 21, 5);

    f->window = true;
    f->pc = (env->pc & ~UINT64_C(3)) | !!(env->flags & ENV_FLAG_PAL_MODE);
    f->conditional = is_conditional_branch(opcode);
    f->taken = f->conditional &&
               branch_goes(opcode, branch_operand(env, opcode, ra));
    f->cycles = CYCLES_ANY + CYCLES_BRANCH * is_branch(opcode) +
                CYCLES_LOAD * is_load(opcode, ra);
}

bool alpha_pmu_profile_end(AlphaPMUState *p, bool retired, int exception)
{
    AlphaPMUProfile *f = &p->profile;
    int trap = trap_type(exception);
    uint32_t cycles = f->cycles + CYCLES_BCACHE_MISS * p->misses +
                      CYCLES_REPLAY * p->replays +
                      CYCLES_MISPREDICT * p->mispredicts;
    uint32_t window = cycles + CYCLES_BEHIND;
    /* What SL1 selects for each counter in the window (HRM table 6-14). */
    const uint32_t inputs[4][ALPHA_PMU_NR_COUNTERS] = {
        { retired, window },
        { window, cycles },             /* Inum retire delay: up to that */
        { retired, p->misses },
        { window, p->replays },
    };
    const uint32_t *counts = inputs[alpha_pmu_sl1(p)];

    f->window = false;
    if (!retired && trap < 0) {
        return false;           /* it will start again */
    }
    f->armed = false;
    f->pmpc = f->pc;
    f->result = PCTR_CTL_VAL * retired | PCTR_CTL_TAK * f->taken;
    f->i_stat = 0;
    if (trap >= 0) {
        f->i_stat = I_STAT_TRP | (uint64_t)trap << I_STAT_TRAP_TYPE_SHIFT;
    } else if (p->mispredicts && f->conditional) {
        f->i_stat = I_STAT_TRP | I_STAT_MIS;
    } else if (p->replays || p->mispredicts) {
        f->i_stat = I_STAT_TRP;
    }
    p->counters[0] = counts[0];
    if (alpha_pmu_is_enabled(p, 1)) {
        p->counters[1] += counts[1];
        p->counters[1] &= ALPHA_PMU_COUNTER_MASK;
    }
    return true;
}
