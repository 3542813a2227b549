/*
 * Instruction-based sampling of AMD's CPUs (x-ibs=on): registers, samples, the
 * interrupt.
 *
 * Two counters run beside the PMU's, in all rings: one of fetches, one of cycles or
 * ops.  Here each instruction that retires is one op and one fetch.  The instruction
 * with which a counter reaches its maximum is the sample: registers describe
 * it, the valid bit of the control register is set, which stops the counter, and
 * the local APIC delivers by the extended entry that IbsCtl names.  APM vol. 2,
 * "Instruction-Based Sampling"; sampling/ibs.h has the contents of the registers.
 *
 * Where a counter may end with the next instruction, that one runs as a block of
 * its own, with CF_SAMPLE: such a block tells what it is (pmu_ibs_open), each
 * of its accesses (pmu_ibs_accessed), and whether its conditional branch is
 * taken.  The end is found when the instruction has retired; the sample is made at
 * the next boundary, as for precise sampling (pmu-pebs.c).
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "exec/cputlb.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "exec/memopidx.h"
#include "hw/i386/apic.h"
#include "migration/vmstate.h"
#include "sampling/ibs.h"
#include "pmu-internal.h"

#define MSR_FETCH_CTL           0xc0011030
#define MSR_OP_CTL              0xc0011033
#define MSR_OP_DATA             0xc0011034      /* ... and what follows it */
#define MSR_IBS_CTL             0xc001103a
#define MSR_BRANCH_TARGET       0xc001103b

/* The extended entry of the APIC; which one is firmware's choice. */
#define LVT_OFFSET              0

/* The counters of pmu-count.c are as wide as AMD's others. */
#define END                     (1ull << 48)

#define EVENT_CYCLES            0x76
#define EVENT_INSNS             0xc0

static bool has(CPUX86State *env, X86PMUFault f)
{
    return x86_pmu_fault(&env_archcpu(env)->pmu_config, f);
}

void pmu_ibs_open(CPUX86State *env, unsigned branch)
{
    X86IBSInsn *insn = &env->pmu.ibs.insn;

    if (insn->again && insn->rip == env->eip) {
        insn->open = true;
        insn->again = false;
        insn->of_last_pass = true;
        return;
    }
    *insn = (X86IBSInsn) {
        .open = true,
        .branch = branch,
        .taken = branch != MODEL_NO_BRANCH && branch != MODEL_CONDITIONAL,
        .rip = env->eip,
        .fetch_address = env->segs[R_CS].base + env->eip,
        .fetch_mmu_idx = cpu_mmu_index(env_cpu(env), true),
    };
}

void pmu_ibs_accessed(CPUX86State *env, uint64_t addr, unsigned size,
                      int mmu_idx, bool is_load, bool is_store)
{
    X86IBSInsn *insn = &env->pmu.ibs.insn;

    if (insn->of_last_pass) {
        insn->loads = insn->stores = insn->of_last_pass = false;
    }
    if (!insn->loads && !insn->stores) {
        insn->address = addr;
        insn->size = size;
        insn->mmu_idx = mmu_idx;
    }
    insn->loads |= is_load;
    insn->stores |= is_store;
}

void helper_pmu_sample_access(CPUX86State *env, uint64_t addr, uint32_t oi,
                              uint32_t is_store)
{
    pmu_ibs_accessed(env, addr, memop_size(get_memop(oi)), get_mmuidx(oi),
                     !is_store, is_store);
}

/* The physical address of what has just been accessed, if it still has one. */
static bool translate(CPUX86State *env, uint64_t addr, MMUAccessType type,
                      int mmu_idx, uint64_t *physical, bool *is_device)
{
    CPUTLBEntryFull *full;
    void *host;
    int flags;

    if ((mmu_idx & MMU_GUEST_SIDE) != x86_mmu_side(env)) {
        /* By the page tables of before the VMRUN or #VMEXIT. */
        return false;
    }
    flags = probe_access_full_mmu(env, addr, 0, type, mmu_idx, &host, &full);
    if (flags & TLB_INVALID_MASK) {
        return false;
    }
    *physical = full->phys_addr | (addr & ~TARGET_PAGE_MASK);
    *is_device = flags & TLB_MMIO;
    return true;
}

static void sample_fetch(CPUX86State *env)
{
    X86IBSState *s = &env->pmu.ibs;
    bool is_device, has_physical;

    s->fetch_linear = s->insn.fetch_address;
    s->fetch_physical = 0;
    has_physical = translate(env, s->fetch_linear, MMU_INST_FETCH,
                             s->insn.fetch_mmu_idx, &s->fetch_physical,
                             &is_device);
    if (has(env, PMU_FAULT_IBS_FETCH_ADDRESS_ZERO)) {
        s->fetch_linear = 0;
    }
    s->fetch_ctl = ibs_fetch_sampled(s->fetch_ctl, has_physical);
}

static void sample_op(CPUX86State *env)
{
    X86IBSState *s = &env->pmu.ibs;
    const X86IBSInsn *insn = &s->insn;
    IbsSample sample = {
        .rip = has(env, PMU_FAULT_IBS_RIP_LATE) ? env->eip : insn->rip,
        .branch = insn->branch != MODEL_NO_BRANCH,
        .near_return = insn->branch == MODEL_RETURN,
        .taken = insn->taken,
        .target = has(env, PMU_FAULT_IBS_TARGET_WRONG) ? insn->rip : env->eip,
        .loads = insn->loads,
        .stores = insn->stores,
        .address = insn->address,
        .size = insn->size,
    };

    if (has(env, PMU_FAULT_IBS_STORE_IS_LOAD)) {
        sample.loads |= sample.stores;
        sample.stores = false;
    }
    if (insn->loads || insn->stores) {
        sample.has_physical = translate(env, insn->address,
                                        insn->loads ? MMU_DATA_LOAD
                                                    : MMU_DATA_STORE,
                                        insn->mmu_idx, &sample.physical,
                                        &sample.is_device);
    }
    ibs_op_fill(&s->op, &sample);
    s->op_ctl = ibs_op_sampled(s->op_ctl);
}

static void interrupt(CPUX86State *env)
{
    DeviceState *apic = env_archcpu(env)->apic_state;

    if (apic && !has(env, PMU_FAULT_IBS_PMI_NEVER)) {
        BQL_LOCK_GUARD();
        apic_deliver_extended(apic, LVT_OFFSET,
                              has(env, PMU_FAULT_IBS_MASK_IGNORED));
    }
}

/* Let the counters run by the control registers, from where those say. */
static void start_fetch(X86IBSState *s)
{
    uint64_t left = ibs_fetch_left(s->fetch_ctl);

    s->fetch_count = left ? END - left : 0;
}

static void start_op(X86IBSState *s)
{
    uint64_t left = ibs_op_left(s->op_ctl);

    s->op_count = left ? END - left : 0;
}

/* With the fault the valid bit does not stop the counter. */
static uint64_t without_valid(CPUX86State *env, uint64_t control)
{
    return has(env, PMU_FAULT_IBS_GOES_ON) ? control & ~IBS_OP_VALID : control;
}

bool pmu_ibs_flush(CPUX86State *env)
{
    X86IBSState *s = &env->pmu.ibs;
    uint32_t pending = s->pending;

    s->pending = 0;
    if (pending & X86_IBS_FETCH) {
        sample_fetch(env);
    }
    if (pending & X86_IBS_OP) {
        sample_op(env);
        if (has(env, PMU_FAULT_IBS_GOES_ON)) {
            s->op_count = END - ibs_op_left(without_valid(env, s->op_ctl));
        }
    }
    interrupt(env);
    pmu_reconfigure(env);
    return true;
}

void pmu_ibs_list_counters(CPUX86State *env)
{
    const X86IBSState *s = &env->pmu.ibs;
    bool ops = (s->op_ctl & IBS_OP_DISPATCHED) &&
               !has(env, PMU_FAULT_IBS_ALWAYS_CYCLES);

    if (ibs_fetch_left(s->fetch_ctl)) {
        pmu_add_sampler(env, PMU_IBS_FETCH, EVENT_INSNS);
    }
    if (ibs_op_left(without_valid(env, s->op_ctl))) {
        pmu_add_sampler(env, PMU_IBS_OP, ops ? EVENT_INSNS : EVENT_CYCLES);
    }
}

/* The registers. */

static unsigned three(const X86CPU *cpu)
{
    return x86_pmu_fault(&cpu->pmu_config, PMU_FAULT_IBS_ABSENT) ? 0 : 3;
}

static unsigned one(const X86CPU *cpu)
{
    return MIN(1, three(cpu));
}

static unsigned six(const X86CPU *cpu)
{
    return 2 * three(cpu);
}

static uint64_t read_fetch(CPUX86State *env, unsigned i)
{
    const X86IBSState *s = &env->pmu.ibs;

    if (i == 0 && ibs_fetch_left(s->fetch_ctl)) {
        return ibs_fetch_control(s->fetch_ctl, END - s->fetch_count);
    }
    return i == 0 ? s->fetch_ctl : i == 1 ? s->fetch_linear : s->fetch_physical;
}

/* With the fault a write does not set the count, but where it enables. */
static void write_fetch_ctl(CPUX86State *env, uint64_t val)
{
    X86IBSState *s = &env->pmu.ibs;
    bool was_enabled = s->fetch_ctl & IBS_FETCH_ENABLE;
    uint64_t count = s->fetch_count;

    s->fetch_ctl = val & IBS_FETCH_BITS;
    s->pending &= ~X86_IBS_FETCH;
    start_fetch(s);
    if (was_enabled && count && s->fetch_count &&
        has(env, PMU_FAULT_IBS_FETCH_COUNT_KEPT)) {
        s->fetch_count = count;
    }
}

static void write_fetch(CPUX86State *env, unsigned i, uint64_t val)
{
    if (i == 0) {
        write_fetch_ctl(env, val);
    } else if (i == 1) {
        env->pmu.ibs.fetch_linear = val;
    } else {
        env->pmu.ibs.fetch_physical = val;
    }
}

static uint64_t read_op_ctl(CPUX86State *env, unsigned i)
{
    const X86IBSState *s = &env->pmu.ibs;

    return ibs_op_left(s->op_ctl)
           ? ibs_op_control(s->op_ctl, END - s->op_count) : s->op_ctl;
}

/* A sample that is still to be made is lost: the written value stands. */
static void write_op_ctl(CPUX86State *env, unsigned i, uint64_t val)
{
    X86IBSState *s = &env->pmu.ibs;
    bool disables = ibs_op_left(s->op_ctl) && !(val & IBS_OP_ENABLE);

    if (disables && ibs_op_left(val | IBS_OP_ENABLE) &&
        has(env, PMU_FAULT_IBS_PMI_ON_DISABLE)) {
        interrupt(env);
    }
    s->op_ctl = val & IBS_OP_BITS;
    s->pending &= ~X86_IBS_OP;
    start_op(s);
}

static uint64_t *op_register(CPUX86State *env, unsigned i)
{
    IbsOpRegisters *op = &env->pmu.ibs.op;
    uint64_t *const by_number[] = {
        &op->rip, &op->data, &op->data2, &op->data3, &op->linear, &op->physical,
    };

    return by_number[i];
}

static uint64_t read_op(CPUX86State *env, unsigned i)
{
    return *op_register(env, i);
}

static void write_op(CPUX86State *env, unsigned i, uint64_t val)
{
    *op_register(env, i) = val;
}

static uint64_t read_ctl(CPUX86State *env, unsigned i)
{
    return has(env, PMU_FAULT_IBS_LVT_INVALID) ? 0
                                               : IBS_CTL_LVT_VALID | LVT_OFFSET;
}

/* Firmware's, who writes it elsewhere. */
static void write_ctl(CPUX86State *env, unsigned i, uint64_t val)
{
}

static uint64_t read_target(CPUX86State *env, unsigned i)
{
    return env->pmu.ibs.op.target;
}

static void write_target(CPUX86State *env, unsigned i, uint64_t val)
{
    env->pmu.ibs.op.target = val;
}

static const PMURegister registers[] = {
    { MSR_FETCH_CTL, 3, 1, three, read_fetch, write_fetch },
    { MSR_OP_CTL, 1, 1, one, read_op_ctl, write_op_ctl },
    { MSR_OP_DATA, 6, 1, six, read_op, write_op },
    { MSR_IBS_CTL, 1, 1, one, read_ctl, write_ctl },
    { MSR_BRANCH_TARGET, 1, 1, one, read_target, write_target },
};

const PMURegister *pmu_ibs_register(uint32_t index)
{
    for (int i = 0; i < ARRAY_SIZE(registers); i++) {
        if (index - registers[i].first < registers[i].nr) {
            return &registers[i];
        }
    }
    return NULL;
}

static bool ibs_needed(void *opaque)
{
    X86CPU *cpu = opaque;

    return cpu->pmu_config.ibs;
}

/* The MMU indices are used as such. */
static int ibs_post_load(void *opaque, int version_id)
{
    const X86IBSInsn *insn = &((X86CPU *)opaque)->env.pmu.ibs.insn;

    return (uint32_t)insn->fetch_mmu_idx < NB_MMU_MODES &&
           (uint32_t)insn->mmu_idx < NB_MMU_MODES ? 0 : -EINVAL;
}

const VMStateDescription vmstate_x86_ibs = {
    .name = "cpu/emulated_pmu/ibs",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = ibs_needed,
    .post_load = ibs_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(env.pmu.ibs.fetch_ctl, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.fetch_linear, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.fetch_physical, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.op_ctl, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.op.rip, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.op.data, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.op.data2, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.op.data3, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.op.linear, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.op.physical, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.op.target, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.fetch_count, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.op_count, X86CPU),
        VMSTATE_UINT32(env.pmu.ibs.pending, X86CPU),
        VMSTATE_BOOL(env.pmu.ibs.insn.again, X86CPU),
        VMSTATE_BOOL(env.pmu.ibs.insn.of_last_pass, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.insn.rip, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.insn.fetch_address, X86CPU),
        VMSTATE_INT32(env.pmu.ibs.insn.fetch_mmu_idx, X86CPU),
        VMSTATE_UINT32(env.pmu.ibs.insn.branch, X86CPU),
        VMSTATE_BOOL(env.pmu.ibs.insn.taken, X86CPU),
        VMSTATE_BOOL(env.pmu.ibs.insn.loads, X86CPU),
        VMSTATE_BOOL(env.pmu.ibs.insn.stores, X86CPU),
        VMSTATE_UINT64(env.pmu.ibs.insn.address, X86CPU),
        VMSTATE_UINT32(env.pmu.ibs.insn.size, X86CPU),
        VMSTATE_INT32(env.pmu.ibs.insn.mmu_idx, X86CPU),
        VMSTATE_END_OF_LIST()
    }
};
