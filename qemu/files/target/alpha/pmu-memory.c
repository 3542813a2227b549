/*
 * The emulated EV67 performance counters: the log of what retires, and the
 * models that are told of it.
 *
 * TCG has neither caches nor a store queue, so both are modelled, by rules that
 * a test can follow by hand.  While a counter counts a memory event, translated
 * code writes records to a log: for each line of code, each load and store, and
 * in ProfileMe mode each block and branch.  That of a load or store comes after
 * the access, so that one that faults has none.  The log is run through the
 * models when the PMU looks at its counters, and before pages change.
 *
 * Caches and prediction: the model of model/model.h in the shape "ev67", one
 * for each vCPU, without coherence.  Fetches go through it as loads and stores
 * do, but only theirs are Bcache misses of the PMU.  I/O space is not cached.
 * There is no TLB: what fills the EV67's is PALcode, which does not run here,
 * since QEMU walks the page tables itself.
 *
 * Mbox replay traps: a load whose bytes are in the store queue only in part
 * cannot be served from there (HRM section 2.8, wrong size).  The queue has
 * the vCPU's last 32 stores; the youngest that overlaps the load decides.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "cpu.h"
#include "migration/qemu-file-types.h"
#include "migration/vmstate.h"
#include "model/model.h"

/* Bit 43 of a physical address: I/O space (HRM section 2.1.1). */
#define PHYS_IO_SPACE           (UINT64_C(1) << 43)
/* The model's pages have 4 KiB, the Alpha's two of them. */
#define MODEL_PAGE_BITS         12
#define MODEL_PAGE_SIZE         (UINT64_C(1) << MODEL_PAGE_BITS)
/* The store queue (HRM section 2.1.6). */
#define NR_STORES               32
/*
 * An instruction has at most two: for itself, if it starts a block or a line,
 * and as an access or a branch.  The rest is for those that did not retire:
 * PALcode's instructions stand between any two of them.
 */
#define LOG_RECORDS             (4 * ALPHA_PMU_LOG_INSNS)

typedef struct Store {
    uint64_t address;           /* physical */
    uint32_t size;              /* bytes; 0: none */
} Store;

/* The stores of the queue by their quadword; no access is in two. */
#define STORE_GROUPS            256

struct AlphaPMUMemory {
    Model *model;
    Store stores[NR_STORES];
    uint32_t next_store;        /* where the next one goes: the oldest */
    uint8_t nr_stores[STORE_GROUPS];
    /* Where the guest's pages are, by number, and the one used last. */
    GHashTable *pages;
    uint64_t page, frame;
    ModelRecord records[LOG_RECORDS];
};

static AlphaPMUMemory *memory_of(CPUAlphaState *env)
{
    return env_archcpu(env)->pmu_memory;
}

static uint64_t record_size(const ModelRecord *r)
{
    return r->info >> ALPHA_PMU_LOG_SIZE & 0xff;
}

static bool is_store(const ModelRecord *r)
{
    return (uint8_t)r->info == MODEL_STORE;
}

static bool is_access(const ModelRecord *r)
{
    return is_store(r) || (uint8_t)r->info == MODEL_LOAD;
}

static void forget_used_page(AlphaPMUMemory *memory)
{
    memory->page = UINT64_MAX;
}

/* The physical address of an access; its page is known. */
static uint64_t physical(AlphaPMUMemory *memory, uint64_t address)
{
    uint64_t page = address >> TARGET_PAGE_BITS;

    if (memory->page != page) {
        memory->page = page;
        memory->frame = (uintptr_t)g_hash_table_lookup(memory->pages,
                                                       (void *)page);
    }
    return memory->frame << TARGET_PAGE_BITS | (address & ~TARGET_PAGE_MASK);
}

static uint8_t *group_of(AlphaPMUMemory *memory, uint64_t phys)
{
    return &memory->nr_stores[(phys >> 3) % STORE_GROUPS];
}

static void enter_store(AlphaPMUMemory *memory, uint64_t phys, unsigned size)
{
    Store *s = &memory->stores[memory->next_store++ % NR_STORES];

    *group_of(memory, s->address) -= !!s->size;
    *s = (Store) { phys, size };
    ++*group_of(memory, phys);
}

static bool load_is_replayed(AlphaPMUMemory *memory, uint64_t phys,
                             unsigned size)
{
    if (!*group_of(memory, phys)) {
        return false;
    }
    for (unsigned age = 1; age <= NR_STORES; age++) {
        const Store *s = &memory->stores[(memory->next_store - age) %
                                         NR_STORES];

        if (s->address < phys + size && phys < s->address + s->size) {
            return phys < s->address ||
                   phys + size > s->address + s->size;
        }
    }
    return false;
}

/* Returns the loads that are replayed. */
static uint32_t run_stores(AlphaPMUMemory *memory, const ModelRecord *end)
{
    uint32_t replays = 0;

    for (const ModelRecord *r = memory->records; r < end; r++) {
        uint64_t phys;

        if (!is_access(r)) {
            continue;
        }
        phys = physical(memory, r->address);
        if (phys & PHYS_IO_SPACE) {
            continue;
        }
        if (is_store(r)) {
            enter_store(memory, phys, record_size(r));
        } else {
            replays += load_is_replayed(memory, phys, record_size(r));
        }
    }
    return replays;
}

static uint64_t misses_of(const uint64_t *counts)
{
    return counts[MODEL_L2_LOAD_MISS] + counts[MODEL_L2_STORE_MISS];
}

static void run_model(CPUAlphaState *env, const ModelRecord *end)
{
    AlphaPMUMemory *memory = memory_of(env);
    ModelCPU *cpu = model_cpu(memory->model, 0);
    const uint64_t *counts = model_counts(cpu);
    uint64_t misses = misses_of(counts);
    uint64_t mispredicts = counts[MODEL_MISPREDICT];

    model_run(cpu, memory->records, end - memory->records);
    model_interrupted(cpu, env->pc);
    env->pmu.misses += misses_of(counts) - misses;
    env->pmu.mispredicts += counts[MODEL_MISPREDICT] - mispredicts;
    if (counts[MODEL_UNMAPPED]) {
        warn_report_once("pmu: a fault of the emulator: an access to a page "
                         "whose translation the model was not told");
    }
}

void alpha_pmu_memory_run(CPUAlphaState *env, bool caches, bool stores)
{
    AlphaPMUMemory *memory = memory_of(env);
    AlphaPMUState *p = &env->pmu;
    const ModelRecord *end = (const ModelRecord *)p->log;

    if (caches) {
        run_model(env, end);
    }
    if (stores) {
        p->replays += run_stores(memory, end);
    }
    p->log = (uintptr_t)memory->records;
}

static void empty_log(CPUAlphaState *env)
{
    env->pmu.log = (uintptr_t)memory_of(env)->records;
    memset(env->pmu.fetched, 0xff, sizeof(env->pmu.fetched));
}

static void forget(AlphaPMUMemory *memory)
{
    if (memory->model) {
        model_free(memory->model);
    }
    memory->model = NULL;
    memset(memory->stores, 0, sizeof(memory->stores));
    memset(memory->nr_stores, 0, sizeof(memory->nr_stores));
    memory->next_store = 0;
}

void alpha_pmu_memory_reset(CPUAlphaState *env)
{
    forget(memory_of(env));
    empty_log(env);
}

static void new_model(AlphaPMUMemory *memory)
{
    memory->model = model_new(model_preset("ev67"), 1);
}

void alpha_pmu_memory_start(CPUAlphaState *env)
{
    AlphaPMUMemory *memory = memory_of(env);

    if (!memory->model) {
        new_model(memory);
    }
    g_hash_table_remove_all(memory->pages);
    forget_used_page(memory);
    empty_log(env);
}

AlphaPMUMemory *alpha_pmu_memory_new(void)
{
    AlphaPMUMemory *memory = g_new0(AlphaPMUMemory, 1);

    memory->pages = g_hash_table_new(NULL, NULL);
    return memory;
}

void alpha_pmu_mapped(CPUAlphaState *env, uint64_t virt, uint64_t phys,
                      int mmu_idx)
{
    AlphaPMUMemory *memory = memory_of(env);

    if (!(env->pmu.tb_flags & TB_FLAG_PMU_MEMORY)) {
        return;
    }
    virt &= TARGET_PAGE_MASK;
    phys &= TARGET_PAGE_MASK;
    if (mmu_idx == MMU_PHYS_IDX) {
        virt ^= ALPHA_PMU_LOG_PHYSICAL;
    }
    g_hash_table_insert(memory->pages, (void *)(virt >> TARGET_PAGE_BITS),
                        (void *)(uintptr_t)(phys >> TARGET_PAGE_BITS));
    forget_used_page(memory);
    for (uint64_t at = 0; at < TARGET_PAGE_SIZE; at += MODEL_PAGE_SIZE) {
        ModelPage page = {
            .virt = virt + at,
            .phys = phys + at,
            .page_bits = MODEL_PAGE_BITS,
            .memory = !(phys & PHYS_IO_SPACE),
        };

        model_map(model_cpu(memory->model, 0), &page);
    }
}

static bool save_part(void *opaque, void *part, size_t bytes)
{
    qemu_put_buffer(opaque, part, bytes);
    return true;
}

static bool load_part(void *opaque, void *part, size_t bytes)
{
    return qemu_get_buffer(opaque, part, bytes) == bytes;
}

static int put_memory(QEMUFile *f, void *pv, size_t size,
                      const VMStateField *field, JSONWriter *desc)
{
    AlphaPMUMemory *memory = pv;

    qemu_put_be32(f, memory->next_store);
    for (unsigned i = 0; i < NR_STORES; i++) {
        qemu_put_be64(f, memory->stores[i].address);
        qemu_put_be32(f, memory->stores[i].size);
    }
    qemu_put_byte(f, !!memory->model);
    if (memory->model) {
        model_state(memory->model, save_part, f);
    }
    return 0;
}

static int get_memory(QEMUFile *f, void *pv, size_t size,
                      const VMStateField *field)
{
    AlphaPMUMemory *memory = pv;

    forget(memory);
    memory->next_store = qemu_get_be32(f);
    for (unsigned i = 0; i < NR_STORES; i++) {
        Store *s = &memory->stores[i];

        s->address = qemu_get_be64(f);
        s->size = qemu_get_be32(f);
        *group_of(memory, s->address) += !!s->size;
    }
    if (qemu_get_byte(f)) {
        new_model(memory);
        if (!model_state(memory->model, load_part, f)) {
            return -EINVAL;
        }
    }
    return 0;
}

const VMStateInfo vmstate_info_alpha_pmu_memory = {
    .name = "EV67's caches and store queue",
    .get = get_memory,
    .put = put_memory,
};
