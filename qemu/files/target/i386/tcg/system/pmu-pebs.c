/*
 * Precise event-based sampling of Intel's CPUs, in Skylake's format (x-pebs=on).
 *
 * A general counter whose bit is set in IA32_PEBS_ENABLE overflows without a
 * PMI: a record of the instruction that overflowed it goes to memory, and the
 * counter starts again from its reset value there.  SDM vol. 3, "Processor Event
 * Based Sampling" and "BTS and DS Save Area".
 *
 * Where such a counter may overflow with the next instruction, that one runs as
 * a block of its own, and its address is kept.  The overflow is found when the
 * instruction has retired; the record is written at the next boundary where the
 * CPU's registers are the guest's: when a block starts, before an interrupt is
 * taken, when the CPU halts.  Nothing retires in between.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/cpu_ldst.h"
#include "exec/exec-all.h"
#include "migration/vmstate.h"
#include "pmu-internal.h"

#define MSR_PEBS_ENABLE         0x3f1
#define MSR_DS_AREA             0x600

/* The area, of a CPU with 64-bit addresses: words of 8 bytes from here on. */
#define DS_BASE                 32
#define DS_INDEX                40
#define DS_MAXIMUM              48
#define DS_THRESHOLD            56
#define DS_RESET                64
#define DS_BYTES                (DS_RESET + 8 * X86_PMU_NR_PEBS)

/* A record; words 2 to 17 are the general registers. */
enum {
    RECORD_FLAGS,
    RECORD_IP,
    RECORD_REGISTERS,
    RECORD_COUNTERS = RECORD_REGISTERS + 16,
    RECORD_ADDRESS,
    RECORD_SOURCE,
    RECORD_LATENCY,
    RECORD_EVENTING_IP,
    RECORD_TSX,
    RECORD_TSC,
    RECORD_WORDS
};
#define RECORD_BYTES            (8 * RECORD_WORDS)

/* The general registers, in the order of a record. */
static const uint8_t registers_in_order[16] = {
    R_EAX, R_EBX, R_ECX, R_EDX, R_ESI, R_EDI, R_EBP, R_ESP,
    8, 9, 10, 11, 12, 13, 14, 15,
};

static bool has(CPUX86State *env, X86PMUFault f)
{
    return x86_pmu_fault(&env_archcpu(env)->pmu_config, f);
}

bool pmu_pebs_counts(CPUX86State *env, unsigned status_bit)
{
    return status_bit < X86_PMU_NR_PEBS &&
           (env->pmu.pebs.enable >> status_bit & 1);
}

/* Memory as the CPU itself sees it: whatever the ring, and SMAP. */
static int mmu_idx(CPUX86State *env)
{
    return MMU_KNOSMAP64_IDX + x86_mmu_side(env);
}

/* Are the @bytes at @addr memory that the CPU may write? */
static bool is_mapped(CPUX86State *env, uint64_t addr, unsigned bytes)
{
    uint64_t last = addr + bytes - 1;
    void *host;

    for (uint64_t at = addr; at <= last && at >= addr;
         at = (at | ~TARGET_PAGE_MASK) + 1) {
        int flags = probe_access_flags(env, at, 1, MMU_DATA_STORE,
                                       mmu_idx(env), true, &host, 0);

        if (flags & (TLB_INVALID_MASK | TLB_MMIO)) {
            return false;
        }
    }
    return last >= addr;
}

static uint64_t load(CPUX86State *env, uint64_t addr)
{
    return cpu_ldq_mmuidx_ra(env, addr, mmu_idx(env), 0);
}

static void store(CPUX86State *env, uint64_t addr, uint64_t value)
{
    cpu_stq_mmuidx_ra(env, addr, value, mmu_idx(env), 0);
}

static void write_record(CPUX86State *env, uint64_t at, uint64_t counters)
{
    const X86PEBSState *s = &env->pmu.pebs;
    uint64_t record[RECORD_WORDS] = {
        [RECORD_FLAGS] = cpu_compute_eflags(env),
        [RECORD_IP] = env->eip,
        [RECORD_COUNTERS] = counters,
        [RECORD_EVENTING_IP] = has(env, PMU_FAULT_PEBS_IP_LATE) ? env->eip
                                                                : s->eventing,
        [RECORD_TSC] = cpu_get_tsc(env) + env->tsc_offset,
    };

    for (int i = 0; i < 16 && !has(env, PMU_FAULT_PEBS_NO_REGISTERS); i++) {
        record[RECORD_REGISTERS + i] = env->regs[registers_in_order[i]];
    }
    for (int i = 0; i < RECORD_WORDS; i++) {
        store(env, at + 8 * i, record[i]);
    }
}

/* Let the counters of the set @counters start again. */
static void reload(CPUX86State *env, uint64_t counters)
{
    uint64_t mask = pmu_counter_mask(env_archcpu(env));

    for (; counters; counters &= counters - 1) {
        unsigned i = ctz64(counters);

        env->msr_gp_counters[i] = load(env, env->pmu.pebs.ds_area + DS_RESET +
                                       8 * i) & mask;
    }
}

/*
 * One record for all counters that have overflowed.  Returns true if it has
 * reached the threshold.  Where the area is not memory, nothing happens.
 */
static bool sample(CPUX86State *env, uint64_t counters)
{
    uint64_t ds = env->pmu.pebs.ds_area;
    uint64_t index, room;

    if (!is_mapped(env, ds, DS_BYTES)) {
        return false;
    }
    if (!has(env, PMU_FAULT_PEBS_NOT_RELOADED)) {
        reload(env, counters);
    }
    index = load(env, ds + DS_INDEX);
    room = load(env, ds + DS_MAXIMUM);
    if ((index + RECORD_BYTES > room || index + RECORD_BYTES < index) &&
        !has(env, PMU_FAULT_PEBS_PAST_END)) {
        return false;
    }
    if (!is_mapped(env, index, RECORD_BYTES)) {
        return false;
    }
    write_record(env, index, counters);
    if (!has(env, PMU_FAULT_PEBS_INDEX_STUCK)) {
        index += RECORD_BYTES;
    }
    store(env, ds + DS_INDEX, index);
    return index >= load(env, ds + DS_THRESHOLD) ||
           has(env, PMU_FAULT_PEBS_THRESHOLD_IGNORED);
}

bool pmu_pebs_flush(CPUX86State *env)
{
    uint64_t counters = env->pmu.pebs.pending;
    bool full;

    env->pmu.pebs.pending = 0;
    full = sample(env, counters);
    if (full) {
        env->msr_global_status |= GLOBAL_OVF_BUF;
        if (!has(env, PMU_FAULT_PEBS_PMI_NEVER)) {
            pmu_raise_pmi(env);
        }
    }
    pmu_reconfigure(env);
    return full;
}

/* The registers. */

static unsigned one(const X86CPU *cpu)
{
    return !x86_pmu_fault(&cpu->pmu_config, PMU_FAULT_PEBS_ABSENT);
}

static uint64_t read_enable(CPUX86State *env, unsigned i)
{
    return env->pmu.pebs.enable;
}

static void write_enable(CPUX86State *env, unsigned i, uint64_t val)
{
    env->pmu.pebs.enable = val;
}

static uint64_t enable_writable(const X86CPU *cpu)
{
    return MAKE_64BIT_MASK(0, MIN(cpu->pmu_config.nr_gp, X86_PMU_NR_PEBS));
}

static uint64_t read_area(CPUX86State *env, unsigned i)
{
    return env->pmu.pebs.ds_area;
}

static void write_area(CPUX86State *env, unsigned i, uint64_t val)
{
    env->pmu.pebs.ds_area = val;
}

static const PMURegister registers[] = {
    { MSR_PEBS_ENABLE, 1, 2, one, read_enable, write_enable, enable_writable },
    { MSR_DS_AREA, 1, 2, one, read_area, write_area },
};

const PMURegister *pmu_pebs_register(uint32_t index)
{
    for (int i = 0; i < ARRAY_SIZE(registers); i++) {
        if (index == registers[i].first) {
            return &registers[i];
        }
    }
    return NULL;
}

static bool pebs_needed(void *opaque)
{
    X86CPU *cpu = opaque;

    return cpu->pmu_config.pebs;
}

const VMStateDescription vmstate_x86_pebs = {
    .name = "cpu/emulated_pmu/pebs",
    .version_id = 1,
    .minimum_version_id = 1,
    .needed = pebs_needed,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(env.pmu.pebs.enable, X86CPU),
        VMSTATE_UINT64(env.pmu.pebs.ds_area, X86CPU),
        VMSTATE_UINT64(env.pmu.pebs.pending, X86CPU),
        VMSTATE_UINT64(env.pmu.pebs.eventing, X86CPU),
        VMSTATE_END_OF_LIST()
    }
};
