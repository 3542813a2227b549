/*
 * The model: running stretches
 *
 * A stretch's loads, stores and line of code are the same whenever it runs:
 * its description has them, and the log has its accesses' addresses only. Most
 * accesses are to a page that was used lately and hit the L1D. They change the
 * order of use only. No word but an address can be a hit, so the loop
 * needs no test for the words that are none.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "internal.h"

/* Lines of this size have loops of their own. */
#define USUAL_LINE_BITS 6

/*
 * Sums of 21 bits share a word, so that a stretch adds all of its counts by two
 * additions. sums[0]: loads, the instructions that make them, and stores that
 * modify; sums[1]: stores, and the instructions that make them.
 */
#define SUM_BITS 21
#define SUM(sums, i) ((sums) >> (SUM_BITS * (i)) & ((1u << SUM_BITS) - 1))

/* Where the loop is. */
typedef struct Cursor {
    const uint64_t *word, *end;
    const uint16_t *access, *access_end;
} Cursor;

static uint64_t word_tag(uint64_t word)
{
    return word >> MODEL_TAG_SHIFT;
}

/* Whether it is the first access of its instruction. */
static bool starts_insn(uint16_t access)
{
    return access & MODEL_ACCESS_INSN;
}

void model_stretch_sum(ModelStretch *stretch)
{
    stretch->sums[0] = stretch->sums[1] = 0;
    for (unsigned i = 0; i < stretch->nr_accesses; i++) {
        uint16_t access = stretch->accesses[i];
        bool first = access & MODEL_ACCESS_FIRST;

        if (access & MODEL_ACCESS_STORE) {
            stretch->sums[1] += 1 + ((uint64_t)first << SUM_BITS);
            stretch->sums[0] += (uint64_t)!!(access & MODEL_ACCESS_MODIFY)
                                << 2 * SUM_BITS;
        } else {
            stretch->sums[0] += 1 + ((uint64_t)first << SUM_BITS);
        }
    }
}

/* Counts the accesses from ACCESS to the end of the stretch TIMES times. */
static void count_rest(ModelCPU *cpu, const uint16_t *access,
                       const uint16_t *end, int times)
{
    for (; access < end; access++) {
        bool first = *access & MODEL_ACCESS_FIRST;

        if (*access & MODEL_ACCESS_STORE) {
            cpu->counts[MODEL_STORES] += times;
            cpu->counts[MODEL_STORE_INSNS] += first ? times : 0;
            cpu->counts[MODEL_WRITES] += *access & MODEL_ACCESS_MODIFY ? 0
                                                                       : times;
        } else {
            cpu->counts[MODEL_LOADS] += times;
            cpu->counts[MODEL_LOAD_INSNS] += first ? times : 0;
        }
    }
}

static void count_sums(ModelCPU *cpu, uint64_t loads, uint64_t stores)
{
    cpu->counts[MODEL_LOADS] += SUM(loads, 0);
    cpu->counts[MODEL_LOAD_INSNS] += SUM(loads, 1);
    cpu->counts[MODEL_STORES] += SUM(stores, 0);
    cpu->counts[MODEL_STORE_INSNS] += SUM(stores, 1);
    cpu->counts[MODEL_WRITES] += SUM(stores, 0) - SUM(loads, 2);
}

/*
 * Whether LINE is in CPU's L1D so that the access needs nothing else; it is the
 * most recently used line then. The first entry of its set is another one.
 */
static NEVER_INLINE bool use_l1d(ModelCPU *cpu, uint64_t line, uint16_t access)
{
    uint64_t *entry = model_cache_use(&cpu->l1d, line);

    if (!entry) {
        return false;
    }
    if ((access & MODEL_ACCESS_STORE) &&
        !cpu->model->shape.virtually_addressed) {
        if (entry_state(*entry) == LINE_SHARED) {
            return false;
        }
        *entry = entry_of(line, LINE_MODIFIED);
    }
    return true;
}

/* The sets of the L1D, for the loop. */
typedef struct Sets {
    const uint64_t *entries;
    uint64_t mask;
    unsigned shift;
} Sets;

/* Whether an access hits the L1D and needs nothing else. Then it is done. */
static ALWAYS_INLINE bool hit(ModelCPU *cpu, const Sets l1d,
                              const unsigned bits, uint64_t virt,
                              uint16_t access, const bool virtual)
{
    uint64_t last = virt + (access & MODEL_ACCESS_SIZE);
    uint64_t line = virt >> bits, loose = STATE_MASK, base, found;

    if ((virt ^ last) >> bits) {
        return false;
    }
    if (!virtual) {
        if (!tlb_translate_recent(&cpu->data, virt, &base)) {
            return false;
        }
        line = (base | (virt & MODEL_PAGE_MASK)) >> bits;
        /* A store needs the line modified, a load in any state. */
        loose = access >> MODEL_ACCESS_LOOSE_SHIFT;
    }
    found = l1d.entries[(line & l1d.mask) << l1d.shift];
    return (found | loose) == entry_of(line, STATE_MASK) ||
           use_l1d(cpu, line, access);
}

/*
 * An access that is no such hit, or a word that is no address; and
 * the rest of its instruction, whose loads count by the worst of them. Ends
 * before the next instruction's first access, before the next stretch, or with
 * the log.
 */
static NEVER_INLINE void run_insn(ModelCPU *cpu, Cursor *at)
{
    for (bool begun = false; at->word < at->end; begun = true) {
        uint64_t word = *at->word;
        uint16_t access;

        if (word_tag(word) == MODEL_TAG_RECORD) {
            model_run_record(cpu, at->word[1], word);
            at->word += 2;
            continue;
        }
        if (word_tag(word) == MODEL_TAG_STRETCH || at->access == at->access_end) {
            return;
        }
        access = *at->access;
        if (starts_insn(access)) {
            if (cpu->load_worst) {
                model_close_loads(cpu);
            }
            if (begun) {
                return;
            }
            cpu->load_open = true;
        }
        model_access_data(cpu,
                          access & MODEL_ACCESS_STORE ? ACCESS_STORE
                                                      : ACCESS_LOAD,
                          word, word + (access & MODEL_ACCESS_SIZE));
        at->word++;
        at->access++;
    }
}

/* The fetch that a stretch begins with, if it is from another line. */
static ALWAYS_INLINE void fetch(ModelCPU *cpu, const ModelStretch *stretch,
                                unsigned bits, const bool virtual)
{
    uint64_t pc = stretch->pc, last = pc + stretch->size - 1, base;
    uint64_t line = pc >> bits;

    if ((pc ^ last) >> bits) {
        model_fetch(cpu, pc, last);
        return;
    }
    if (line == cpu->fetched) {
        return;
    }
    if (!virtual) {
        if (!tlb_translate_recent(&cpu->code, pc, &base)) {
            model_fetch(cpu, pc, last);
            return;
        }
        line = (base | (pc & MODEL_PAGE_MASK)) >> bits;
    }
    if (entry_line(*cache_set(&cpu->l1i, line)) != line) {
        model_fetch(cpu, pc, last);
        return;
    }
    cpu->counts[MODEL_FETCHES]++;
    cpu->fetched = pc >> bits;
    cpu->fetched_line = line;
}

static void begin_block(ModelCPU *cpu, const ModelStretch *stretch,
                        bool branches)
{
    if (cpu->branch) {
        model_predictor_resolve(cpu, stretch->pc);
    }
    cpu->branch = branches ? stretch->branch : MODEL_NO_BRANCH;
    cpu->branch_end = stretch->end;
}

static ALWAYS_INLINE void run(ModelCPU *cpu, const uint64_t *word,
                              const uint64_t *end, const unsigned bits,
                              const bool virtual)
{
    const bool branches = cpu->needs_branches;
    const Sets l1d = {
        cpu->l1d.entries, cpu->l1d.set_mask, cpu->l1d.set_shift
    };
    const ModelStretch *stretch = cpu->stretch;
    const uint16_t *access = NULL, *access_end;
    uint64_t loads = 0, stores = 0;
    Cursor at;

    if (stretch) {
        access = cpu->next_access;
        access_end = stretch->accesses + stretch->nr_accesses;
        count_rest(cpu, access, access_end, 1);
        cpu->load_open = access < access_end && starts_insn(*access);
    }
    while (stretch || word < end) {
        const uint64_t *stop;

        if (!stretch) {
            uint64_t head = *word;

            if (word_tag(head) == MODEL_TAG_RECORD) {
                model_run_record(cpu, word[1], head);
                word += 2;
                continue;
            }
            stretch = (const ModelStretch *)(uintptr_t)
                      (head & MODEL_STRETCH_POINTER);
            word++;
            access = stretch->accesses;
            loads += stretch->sums[0];
            stores += stretch->sums[1];
            if (branches && stretch->starts_block) {
                begin_block(cpu, stretch, !(head & MODEL_STRETCH_NO_BRANCH));
            }
            if (cpu->load_worst) {
                model_close_loads(cpu);
            }
            cpu->load_open = true;
            fetch(cpu, stretch, bits, virtual);
        }
        access_end = stretch->accesses + stretch->nr_accesses;
        stop = end - word > access_end - access ? word + (access_end - access)
                                                : end;
        while (word < stop) {
            if (hit(cpu, l1d, bits, *word, *access, virtual)) {
                word++;
                access++;
                continue;
            }
            at = (Cursor) { word, end, access, access_end };
            run_insn(cpu, &at);
            word = at.word;
            access = at.access;
            if (word == end || word_tag(*word) == MODEL_TAG_STRETCH) {
                break;
            }
            stop = end - word > access_end - access
                   ? word + (access_end - access) : end;
        }
        if (access < access_end) {
            /* It was left here, or the log ends here. */
            count_rest(cpu, access, access_end, -1);
            if (word == end) {
                break;
            }
        }
        stretch = NULL;
    }
    cpu->stretch = stretch;
    cpu->next_access = access;
    count_sums(cpu, loads, stores);
}

void model_run_stretches(ModelCPU *cpu, const uint64_t *words, size_t nr_words)
{
    const uint64_t *end = words + nr_words;
    bool virtual = cpu->model->shape.virtually_addressed;

    if (cpu->line_bits != USUAL_LINE_BITS) {
        run(cpu, words, end, cpu->line_bits, virtual);
    } else if (virtual) {
        run(cpu, words, end, USUAL_LINE_BITS, true);
    } else {
        run(cpu, words, end, USUAL_LINE_BITS, false);
    }
    model_end_run(cpu);
}
