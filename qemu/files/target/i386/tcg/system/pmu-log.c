/*
 * The emulated PMUs: the log of what retires, and the model that is told of it.
 *
 * Where some counter counts items of the model of the processor behind the
 * counters (HF_PMU_MODEL_MASK; model/model.h), translated code writes words
 * into a log of the vCPU: one when a block starts, one for each further line of
 * code, one for each access.  The log is run through the model when the PMU
 * looks at its counters, and before anything that must come after it: a flush
 * of the guest's TLBs, another vCPU of the same thread.
 *
 * env->pmu.log.end is the end of the log.  In line, a block writes its words at
 * constant offsets from env->pmu.log_base and moves the end when it leaves, and
 * before it calls a helper.  A helper that accesses memory adds records, of two
 * words, at the end, and moves the base as far, so that log.end - log_base stays
 * what the block believes it to be.  An instruction that does not retire takes
 * its words back, those of its helpers too: they are log_added bytes.
 *
 * With env->pmu.filters all words are records, and blocks leave out the accesses
 * that change nothing (pmu-translate-filter.c.inc).  Those that retire are
 * counted in log_sums.  A helper's access changes the filter, too.
 *
 * An access is told if an instruction makes it by right of its ring.  What a
 * ring-3 instruction makes the CPU access as supervisor (descriptors, the
 * kernel's stack) is not, and neither is what the delivery of an interrupt or
 * exception accesses: what a program counts in its ring is its own.
 *
 * Invariants: log.end - log_base is a multiple of a word; the grant bounds the
 * instructions, and so the words in line, between two runs (pmu-count.c).
 *
 * The log belongs to its vCPU's thread.  The model is shared, and its functions
 * are called with the lock.  The state of neither migrates.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/thread.h"
#include "cpu.h"
#include "exec/cpu-common.h"
#include "exec/known-blocks.h"
#include "exec/translation-block.h"
#include "hw/boards.h"
#include "migration/blocker.h"
#include "pmu-internal.h"

/* Words of an instruction in line are at most about 160 (ENTER's). */
#define IN_LINE_WORDS           (PMU_LOG_INSNS * 160)
/* When a helper finds so many, the log is run. */
#define HELPER_WORDS            65536
#define LOG_WORDS               (IN_LINE_WORDS + HELPER_WORDS)
/* Cycles that an instruction stalls at most, but for rare ones. */
#define STALL_MOST              128
/* As enum ModelItem: no more fit into a set. */
QEMU_BUILD_BUG_ON(MODEL_ITEMS > 64);

struct X86PMULog {
    ModelCPU *model;
    uint64_t seen[MODEL_ITEMS]; /* the counts at the last look */
    uint64_t words[LOG_WORDS];
};

/* The machine's model, of the shape that its first CPU's properties have. */
static Model *machine_model;
static char *machine_text;
static unsigned nr_logs;
static QemuMutex lock;
/* The descriptions that words of logs point to, each in it once. */
static GHashTable *stretches;

static X86PMULog *log_of(CPUX86State *env)
{
    return env_archcpu(env)->pmu_config.log;
}

static const ModelStretch *stretch_of(uint64_t word)
{
    return (ModelStretch *)(uintptr_t)(word & MODEL_STRETCH_POINTER);
}

static uintptr_t log_start(X86PMULog *log)
{
    return (uintptr_t)log->words;
}

const char *pmu_log_preset(const X86CPU *cpu)
{
    return model_shape(machine_model)->name;
}

static bool choose_shape(X86CPU *cpu, ModelShape *shape, Error **errp)
{
    const X86PMUConfig *cfg = &cpu->pmu_config;
    const char *name = cfg->preset_name ? cfg->preset_name : "cachegrind";
    const ModelShape *preset = model_preset(name);
    char vendor[CPUID_VENDOR_SZ + 1];
    char error[256];

    if (!preset) {
        g_autoptr(GString) names = g_string_new(NULL);

        for (unsigned i = 0; model_preset_name(i); i++) {
            g_string_append_printf(names, "%s%s", i ? ", " : "",
                                   model_preset_name(i));
        }
        error_setg(errp, "x-pmu-model=%s is not one of %s", name, names->str);
        return false;
    }
    x86_cpu_vendor_words2str(vendor, cpu->env.cpuid_vendor1,
                             cpu->env.cpuid_vendor2, cpu->env.cpuid_vendor3);
    if (*preset->vendor && !g_str_equal(preset->vendor, vendor)) {
        error_setg(errp, "x-pmu-model=%s is a processor of %s, but the CPU "
                   "model's vendor is %s", name, preset->vendor, vendor);
        return false;
    }
    *shape = *preset;
    if (cfg->caches &&
        !model_shape_parse(shape, cfg->caches, error, sizeof(error))) {
        error_setg(errp, "x-pmu-caches=%s: %s", cfg->caches, error);
        return false;
    }
    return true;
}

static size_t stretch_bytes(const ModelStretch *stretch)
{
    return sizeof(*stretch) + stretch->nr_accesses * sizeof(uint16_t);
}

static guint hash_stretch(gconstpointer key)
{
    const ModelStretch *stretch = key;

    return stretch->pc * 0x9e3779b97f4a7c15ull >> 32;
}

static gboolean same_stretch(gconstpointer a, gconstpointer b)
{
    return stretch_bytes(a) == stretch_bytes(b) &&
           !memcmp(a, b, stretch_bytes(a));
}

uint64_t x86_pmu_log_word(const ModelStretch *stretch, const uint16_t *accesses)
{
    ModelStretch *found, *made = g_malloc0(stretch_bytes(stretch));

    made->pc = stretch->pc;
    made->size = stretch->size;
    made->starts_block = stretch->starts_block;
    made->branch = stretch->branch;
    made->end = stretch->end;
    made->nr_accesses = stretch->nr_accesses;
    memcpy(made->accesses, accesses, made->nr_accesses * sizeof(uint16_t));
    model_stretch_sum(made);
    QEMU_LOCK_GUARD(&lock);
    found = g_hash_table_lookup(stretches, made);
    if (found) {
        g_free(made);
    } else {
        found = made;
        g_hash_table_add(stretches, found);
    }
    return (uintptr_t)found | MODEL_TAG_STRETCH << MODEL_TAG_SHIFT;
}

static bool make_model(X86CPU *cpu, Error **errp)
{
    const X86PMUConfig *cfg = &cpu->pmu_config;
    g_autofree char *text = g_strdup_printf("%s+%s", cfg->preset_name ?: "",
                                            cfg->caches ?: "");
    static Error *blocker;
    ModelShape shape;

    if (machine_model) {
        if (g_str_equal(text, machine_text)) {
            return true;
        }
        error_setg(errp, "all CPUs must have the same x-pmu-model and "
                   "x-pmu-caches");
        return false;
    }
    if (!choose_shape(cpu, &shape, errp)) {
        return false;
    }
    error_setg(&blocker, "the state of x-pmu-model does not migrate");
    if (migrate_add_blocker(&blocker, errp) < 0) {
        return false;
    }
    qemu_mutex_init(&lock);
    stretches = g_hash_table_new(hash_stretch, same_stretch);
    machine_model = model_new(&shape, current_machine->smp.max_cpus);
    machine_text = g_steal_pointer(&text);
    return true;
}

bool pmu_log_realize(X86CPU *cpu, Error **errp)
{
    X86PMUConfig *cfg = &cpu->pmu_config;

    if (!cfg->preset_name && !cfg->caches) {
        return true;
    }
    if (!make_model(cpu, errp)) {
        return false;
    }
    if (nr_logs == current_machine->smp.max_cpus) {
        error_setg(errp, "a CPU with x-pmu-model cannot be plugged again");
        return false;
    }
    cfg->log = g_new0(X86PMULog, 1);
    cfg->log->model = model_cpu(machine_model, nr_logs++);
    cfg->line_bytes = model_shape(machine_model)->l1i.line_bytes;
    cfg->filter_where = TCG_FILTER_WHERE(ctz32(cfg->line_bytes),
                                         model_filter_mask(machine_model));
    QEMU_BUILD_BUG_ON(TCG_FILTERED_LINES != MODEL_FILTER_LINES);
    pmu_log_reset(&cpu->env);
    /* Blocks must know their addresses. */
    CPU(cpu)->tcg_cflags &= ~CF_PCREL;
    return true;
}

static void forget_lines(uint64_t lines[TCG_FILTERED_LINES])
{
    for (unsigned i = 0; i < TCG_FILTERED_LINES; i++) {
        lines[i] = MODEL_FILTER_NONE;
    }
}

/* Whether what follows is logged through filters, which know no line yet. */
static void choose_form(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;
    bool filtered = p->filters;

    p->filters = tcg_has_filter &&
                 model_filter_suits(machine_model, p->items);
    if (p->filters != filtered) {
        /* The flags of the blocks say nothing of the form. */
        known_blocks_forget(env_cpu(env));
    }
    forget_lines(p->log.data);
    forget_lines(p->log.code);
}

void pmu_log_reset(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;

    p->log.end = p->log_base = p->log_insn = log_start(log_of(env));
    choose_form(env);
    QEMU_LOCK_GUARD(&lock);
    model_flush(log_of(env)->model, true);
}

static uint32_t sum_of(const X86PMUState *p, unsigned sum)
{
    return p->log_sums[sum / 2] >> sum % 2 * 32;
}

/* With the lock. */
static void run(CPUX86State *env)
{
    X86PMULog *log = log_of(env);
    X86PMUState *p = &env->pmu;
    uintptr_t length = p->log.end - log_start(log);

    if (p->filters) {
        ModelSums sums = {
            .loads = sum_of(p, X86_PMU_LOADS),
            .stores = sum_of(p, X86_PMU_STORES),
            .modifies = sum_of(p, X86_PMU_MODIFIES),
            .more_loads = sum_of(p, X86_PMU_MORE_LOADS),
            .more_stores = sum_of(p, X86_PMU_MORE_STORES),
        };

        model_run_filtered(log->model, log->words, length / sizeof(uint64_t),
                           &sums);
        memset(p->log_sums, 0, sizeof(p->log_sums));
        p->log_insn = log_start(log);
    } else {
        model_run_stretches(log->model, log->words, length / sizeof(uint64_t));
    }
    p->log.end -= length;
    p->log_base -= length;
}

bool pmu_log_has_pages(CPUX86State *env)
{
    return !model_shape(machine_model)->virtually_addressed;
}

void pmu_log_run(CPUX86State *env)
{
    QEMU_LOCK_GUARD(&lock);
    run(env);
}

void pmu_log_settle(CPUX86State *env)
{
    QEMU_LOCK_GUARD(&lock);
    run(env);
    model_interrupted(log_of(env)->model, env->segs[R_CS].base + env->eip);
    if (model_counts(log_of(env)->model)[MODEL_UNMAPPED]) {
        warn_report_once("x-pmu-model: a fault of the emulator: an access to a "
                         "page whose translation the model was not told");
    }
}

void pmu_log_need(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;

    QEMU_LOCK_GUARD(&lock);
    run(env);
    model_need(log_of(env)->model, p->items);
    choose_form(env);
}

void pmu_log_new_items(CPUX86State *env, uint64_t grown[MODEL_ITEMS])
{
    X86PMULog *log = log_of(env);
    const uint64_t *counts = model_counts(log->model);

    for (uint64_t left = env->pmu.items; left; left &= left - 1) {
        unsigned i = ctz64(left);

        if (grown) {
            grown[i] = counts[i] - log->seen[i];
        }
        log->seen[i] = counts[i];
    }
}

unsigned pmu_log_items_most(uint64_t items)
{
    unsigned most = 0;

    for (uint64_t left = items; left; left &= left - 1) {
        unsigned each = model_item_most(ctz64(left));

        most += each ? each : STALL_MOST;
    }
    return most;
}

void pmu_log_delivering(CPUX86State *env)
{
    env->pmu.delivering = true;
    if (env->hflags & HF_PMU_MODEL_MASK) {
        pmu_log_settle(env);
    }
}

/* The branch that ends the log's last block has not retired. */
static void forget_branch(CPUX86State *env)
{
    uint64_t *start = log_of(env)->words;

    for (uint64_t *w = (uint64_t *)env->pmu.log.end - 1; w >= start; w--) {
        if (*w >> MODEL_TAG_SHIFT == MODEL_TAG_STRETCH &&
            stretch_of(*w)->starts_block) {
            *w |= MODEL_STRETCH_NO_BRANCH;
            return;
        }
    }
}

void x86_pmu_unwind_log(CPUX86State *env, unsigned words)
{
    X86PMUState *p = &env->pmu;

    p->log_base -= p->log_added;
    p->log_added = 0;
    p->log_in_line = 0;
    p->log.end = MAX(p->log_base + words * sizeof(uint64_t),
                 log_start(log_of(env)));
    if (words) {
        forget_branch(env);
    }
}

/* The data filter's entry of the line that the byte at @address is in. */
static uint64_t *entry_of(CPUX86State *env, uint64_t address, uint64_t *line)
{
    unsigned where = env_archcpu(env)->pmu_config.filter_where;

    *line = address >> (where & 0xff);
    return &env->pmu.log.data[*line & (uint8_t)(where >> 8)];
}

/* An access of a helper, at most a line long, that is told. */
static void tell_filter(CPUX86State *env, uint64_t address, unsigned size)
{
    uint64_t line;

    *entry_of(env, address, &line) = line;
    *entry_of(env, address + size - 1, &line) = line;
}

void x86_pmu_unwind_filtered(CPUX86State *env, uint64_t untold)
{
    X86PMUState *p = &env->pmu;
    uint64_t *word = (uint64_t *)p->log.end, line;

    if (p->log_in_line & X86_PMU_LOG_CALLED) {
        /* What the filters know of the instruction's accesses is wrong. */
        while ((uintptr_t)word > p->log_insn) {
            unsigned size = word[-2] >> X86_PMU_LOG_SIZE & 0xff;

            word -= 2;
            if ((uint8_t)word[0] == MODEL_FETCH) {
                forget_lines(p->log.code);
                continue;
            }
            *entry_of(env, word[1], &line) = MODEL_FILTER_NONE;
            *entry_of(env, word[1] + size - 1, &line) = MODEL_FILTER_NONE;
        }
        p->log.end = p->log_base = p->log_insn;
    } else {
        for (unsigned i = 0; i <= X86_PMU_MORE_STORES; i++) {
            uint64_t sum = untold >> i * X86_PMU_LOG_SUM_BITS &
                           (X86_PMU_LOG_UNIT(1) - 1);

            p->log_sums[i / 2] += sum << i % 2 * 32;
        }
    }
    p->log_added = 0;
    p->log_in_line = 0;
}

static void add(CPUX86State *env, uint64_t address, uint64_t info)
{
    X86PMUState *p = &env->pmu;
    uint64_t *word;

    if (p->filters) {
        tell_filter(env, address, info >> X86_PMU_LOG_SIZE & 0xff);
    }

    if (p->log.end - log_start(log_of(env)) >= HELPER_WORDS * sizeof(*word)) {
        pmu_log_run(env);
        p->log_added = 0;
    }
    word = (uint64_t *)p->log.end;
    word[0] = info | MODEL_TAG_RECORD << MODEL_TAG_SHIFT;
    word[1] = address;
    p->log.end += 2 * sizeof(*word);
    p->log_base += 2 * sizeof(*word);
    p->log_added += 2 * sizeof(*word);
}

static unsigned in_line_of(enum ModelRecordType type)
{
    return type == MODEL_LOAD ? X86_PMU_LOG_LOADED : X86_PMU_LOG_STORED;
}

/* The same as below. A load in line may have been left out: MODEL_OPENS. */
static uint64_t first_filtered(CPUX86State *env, enum ModelRecordType type)
{
    X86PMUState *p = &env->pmu;

    for (uint64_t *w = (uint64_t *)p->log_insn; w < (uint64_t *)p->log.end;
         w += 2) {
        if ((uint8_t)*w == type) {
            return 0;
        }
    }
    return p->log_in_line & in_line_of(type) ? MODEL_OPENS : MODEL_FIRST;
}

/* MODEL_FIRST, if the present instruction has no access of @type yet. */
static uint64_t first(CPUX86State *env, enum ModelRecordType type)
{
    X86PMUState *p = &env->pmu;
    uint64_t *end = (uint64_t *)p->log.end;

    if (p->filters) {
        return first_filtered(env, type);
    }
    if (p->log_in_line & in_line_of(type)) {
        return 0;
    }
    for (uint64_t *w = end - p->log_added / sizeof(*w); w < end; w += 2) {
        if ((uint8_t)*w == type) {
            return 0;
        }
    }
    return MODEL_FIRST;
}

/* Is an access by MMU index @mmu_idx one of the present instruction's own? */
static bool is_own(CPUX86State *env, int mmu_idx)
{
    return !env->pmu.delivering && mmu_idx != MMU_PHYS_IDX &&
           mmu_idx != MMU_NESTED_IDX &&
           ((env->hflags & HF_CPL_MASK) != 3 || is_mmu_index_user(mmu_idx));
}

void x86_pmu_accessed(CPUX86State *env, uint64_t addr, unsigned size,
                      int mmu_idx, bool is_load, bool is_store)
{
    unsigned line = env_archcpu(env)->pmu_config.line_bytes;

    if (unlikely(env->pmu.ibs.insn.open) && is_own(env, mmu_idx)) {
        pmu_ibs_accessed(env, addr, size, mmu_idx, is_load, is_store);
    }
    if (!(env->hflags & HF_PMU_MODEL_MASK) || !is_own(env, mmu_idx)) {
        return;
    }
    /* An area larger than a line is told in lines. */
    while (size) {
        unsigned part = size <= line ? size : MIN(size, line - addr % line);

        if (is_load) {
            add(env, addr, MODEL_LOAD | part << X86_PMU_LOG_SIZE |
                first(env, MODEL_LOAD));
        }
        if (is_store) {
            add(env, addr, MODEL_STORE | part << X86_PMU_LOG_SIZE |
                (is_load ? MODEL_MODIFY : 0) | first(env, MODEL_STORE));
        }
        addr += part;
        size -= part;
    }
}

void x86_pmu_mapped(CPUX86State *env, uint64_t virt, uint64_t phys,
                    uint64_t page_size, int mmu_idx, const X86PMUWalk *walk)
{
    ModelPage page = {
        .virt = virt,
        .phys = phys,
        .page_bits = ctz64(page_size),
        .global = walk->global,
        .nr_steps = walk->nr_steps,
    };

    if (!env->pmu.items || !pmu_log_has_pages(env) ||
        mmu_idx == MMU_PHYS_IDX || mmu_idx == MMU_NESTED_IDX) {
        return;
    }
    page.memory = !cpu_physical_memory_is_io(phys);
    memcpy(page.steps, walk->steps, walk->nr_steps * sizeof(walk->steps[0]));
    QEMU_LOCK_GUARD(&lock);
    model_map(log_of(env)->model, &page);
}

void x86_pmu_flushed(CPUX86State *env, bool global_too)
{
    if (log_of(env) && !env->pmu.filters) {
        QEMU_LOCK_GUARD(&lock);
        run(env);
        model_flush(log_of(env)->model, global_too);
    }
}

void x86_pmu_flushed_page(CPUX86State *env, uint64_t virt)
{
    if (log_of(env) && !env->pmu.filters) {
        QEMU_LOCK_GUARD(&lock);
        run(env);
        model_flush_page(log_of(env)->model, virt);
    }
}

void x86_pmu_exec_exit(CPUX86State *env)
{
    if (unlikely(env->hflags & HF_PMU_MODEL_MASK)) {
        pmu_log_run(env);
    }
}
