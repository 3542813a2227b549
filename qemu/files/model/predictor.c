/*
 * The model: branch prediction
 *
 * Conditional branches: a table of two-bit counters by the branch's identity,
 * and three tables of tagged counters by the identity and the latest outcomes,
 * each with a longer history than the one before. The longest history that has
 * an entry for the branch provides the prediction; what the next shorter one
 * says is the alternative. The scheme is TAGE's (A. Seznec and P. Michaud, "A
 * case for (partially) TAgged GEometric history length branch prediction",
 * JILP 2006), without its folded histories, its ages and its random choice.
 *
 * Indirect jumps and calls: a table of tagged targets by identity and history,
 * and the branch target buffer (BTB), which has each branch's last target.
 * Returns: a stack. Direct branches: the BTB says only that there is a branch.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "internal.h"

#define BASE_START      1       /* weakly not taken */
#define BASE_TAKEN      2
#define BASE_MOST       3
#define COUNTER_TAKEN   4
#define COUNTER_MOST    7
#define USEFUL_MOST     3

/* Odd numbers with bits of both values at all places. */
#define MIX_IDENTITY 0x9e3779b97f4a7c15ull
#define MIX_HISTORY  0xc2b2ae3d27d4eb4full
#define MIX_LAST     0xd6e8feb86659fd93ull

/* The history that picks targets is that of this table. */
#define TARGET_HISTORY 1

#define TARGET_HISTORY_BITS 2

void model_predictor_init(Predictor *predictor, const ModelPredictor *shape)
{
    size_t entries = (size_t)1 << shape->table_bits;

    predictor->table_bits = shape->table_bits;
    if (!shape->table_bits) {
        return;
    }
    for (unsigned i = 0; i < TAGGED_TABLES; i++) {
        /* A ninth, a third, the whole. */
        static const unsigned divisors[TAGGED_TABLES] = { 9, 3, 1 };
        unsigned bits = shape->history_bits / divisors[i];

        predictor->history_masks[i] = bits ? UINT64_MAX >> (64 - bits) : 0;
        predictor->tagged[i] = model_allocate(entries * sizeof(TaggedEntry));
    }
    predictor->base = model_allocate(entries);
    for (size_t i = 0; i < entries; i++) {
        predictor->base[i] = BASE_START;
    }
    predictor->targets = model_allocate(entries * sizeof(TargetEntry));
    predictor->btb_ways = shape->btb_ways;
    predictor->btb_set_mask = shape->btb_entries / shape->btb_ways - 1;
    predictor->btb = model_allocate(shape->btb_entries * sizeof(BTBEntry));
    predictor->return_entries = shape->return_entries;
    predictor->returns = model_allocate(shape->return_entries *
                                        sizeof(uint64_t));
}

void model_predictor_free(Predictor *predictor)
{
    for (unsigned i = 0; i < TAGGED_TABLES; i++) {
        model_release(predictor->tagged[i]);
    }
    model_release(predictor->base);
    model_release(predictor->targets);
    model_release(predictor->btb);
    model_release(predictor->returns);
}

/* A number whose upper bits pick the branch's place in a table. */
static uint64_t spread(uint64_t identity)
{
    return identity * MIX_IDENTITY;
}

/* The upper bits are an index, bits 16 to 31 a tag. */
static uint64_t mix(const Predictor *predictor, uint64_t identity,
                    unsigned table)
{
    uint64_t history = predictor->history & predictor->history_masks[table];
    uint64_t mixed = spread(identity) ^ history * MIX_HISTORY;

    mixed ^= mixed >> 29;
    return mixed * MIX_LAST;
}

static size_t index_of(const Predictor *predictor, uint64_t mixed)
{
    return mixed >> (64 - predictor->table_bits);
}

static uint16_t tag_of(uint64_t mixed)
{
    uint16_t tag = mixed >> 16;

    return tag ? tag : 1;
}

/* The branch's entry in the BTB, first in its set; *found: it was there. */
static BTBEntry *use_btb(Predictor *predictor, uint64_t identity, bool *found)
{
    uint64_t number = spread(identity) >> 32 & predictor->btb_set_mask;
    BTBEntry *set = predictor->btb + number * predictor->btb_ways;
    unsigned way = 1;
    BTBEntry entry;

    if (set[0].identity == identity) {
        *found = true;
        return set;
    }
    while (way < predictor->btb_ways && set[way].identity != identity) {
        way++;
    }
    *found = way < predictor->btb_ways;
    entry = *found ? set[way] : (BTBEntry) { .identity = identity };
    for (way -= !*found; way > 0; way--) {
        set[way] = set[way - 1];
    }
    set[0] = entry;
    return set;
}

static void count_towards(uint8_t *counter, bool up, unsigned most)
{
    if (up) {
        *counter += *counter < most;
    } else {
        *counter -= *counter > 0;
    }
}

static bool says_taken(const TaggedEntry *entry)
{
    return entry->counter >= COUNTER_TAKEN;
}

/* Neither proven useful nor sure. */
static bool is_new(const TaggedEntry *entry)
{
    return !entry->useful && (entry->counter == COUNTER_TAKEN ||
                              entry->counter == COUNTER_TAKEN - 1);
}

/*
 * Gives the branch an entry with a longer history than that of table PROVIDER,
 * -1 for the base: the first that is not useful. If all are, they become less so.
 */
static void allocate(TaggedEntry *const *entries, const uint64_t *mixed,
                     int provider, bool taken)
{
    for (int i = provider + 1; i < TAGGED_TABLES; i++) {
        if (!entries[i]->useful) {
            *entries[i] = (TaggedEntry) {
                .tag = tag_of(mixed[i]),
                .counter = taken ? COUNTER_TAKEN : COUNTER_TAKEN - 1,
            };
            return;
        }
    }
    for (int i = provider + 1; i < TAGGED_TABLES; i++) {
        entries[i]->useful--;
    }
}

/* Learns that the branch is TAKEN or not; returns what it predicted. */
static bool direction(Predictor *predictor, uint64_t identity, bool taken)
{
    uint8_t *base = &predictor->base[index_of(predictor, spread(identity))];
    uint64_t mixed[TAGGED_TABLES];
    TaggedEntry *entries[TAGGED_TABLES];
    bool provided = *base >= BASE_TAKEN, alternative = provided, predicted;
    int provider = -1;

#pragma GCC unroll 3
    for (int i = 0; i < TAGGED_TABLES; i++) {
        mixed[i] = mix(predictor, identity, i);
        entries[i] = &predictor->tagged[i][index_of(predictor, mixed[i])];
        if (entries[i]->tag == tag_of(mixed[i])) {
            alternative = provided;
            provided = says_taken(entries[i]);
            provider = i;
        }
    }
    if (provider < 0) {
        predicted = provided;
        count_towards(base, taken, BASE_MOST);
    } else {
        TaggedEntry *entry = entries[provider];

        predicted = is_new(entry) ? alternative : provided;
        if (provided != alternative) {
            count_towards(&entry->useful, provided == taken, USEFUL_MOST);
        }
        count_towards(&entry->counter, taken, COUNTER_MOST);
    }
    if (provided != taken && predicted != taken) {
        allocate(entries, mixed, provider, taken);
    }
    predictor->history = predictor->history << 1 | taken;
    return predicted;
}

/* Learns that the branch goes to TARGET; returns whether that was predicted. */
static bool indirect(Predictor *predictor, uint64_t identity, uint64_t target)
{
    uint64_t mixed = mix(predictor, identity, TARGET_HISTORY);
    TargetEntry *entry = &predictor->targets[index_of(predictor, mixed)];
    bool in_btb, in_table = entry->tag == tag_of(mixed), right;
    BTBEntry *last = use_btb(predictor, identity, &in_btb);

    right = in_table ? entry->target == target
                     : in_btb && last->target == target;
    if (in_table) {
        entry->target = target;
    } else if (in_btb && !right) {
        *entry = (TargetEntry) { .target = target, .tag = tag_of(mixed) };
    }
    last->target = target;
    predictor->history = predictor->history << TARGET_HISTORY_BITS |
                         spread(target) >> (64 - TARGET_HISTORY_BITS);
    return right;
}

static void push_return(Predictor *predictor, uint64_t address)
{
    predictor->return_top = (predictor->return_top + 1) %
                            predictor->return_entries;
    predictor->returns[predictor->return_top] = address;
    predictor->return_depth += predictor->return_depth <
                               predictor->return_entries;
}

static bool pop_return(Predictor *predictor, uint64_t target)
{
    bool right = predictor->return_depth &&
                 predictor->returns[predictor->return_top] == target;

    if (predictor->return_depth) {
        predictor->return_depth--;
        predictor->return_top = (predictor->return_top +
                                 predictor->return_entries - 1) %
                                predictor->return_entries;
    }
    return right;
}

static void count_mispredict(ModelCPU *cpu, enum ModelItem kind, bool taken)
{
    cpu->counts[kind]++;
    cpu->counts[MODEL_MISPREDICT]++;
    cpu->counts[MODEL_MISPREDICT_NEAR_TAKEN] += taken;
    cpu->counts[MODEL_STALL_BRANCH] += cpu->model->shape.costs.mispredict;
}

/* A direct branch is taken, as predicted if PREDICTED. */
static void take_direct(ModelCPU *cpu, uint64_t identity, bool predicted)
{
    bool found;

    use_btb(&cpu->predictor, identity, &found);
    if (!found && predicted) {
        cpu->counts[MODEL_BTB_MISS]++;
        cpu->counts[MODEL_STALL_BRANCH] += cpu->model->shape.costs.btb_miss;
    }
}

static void count_branch(ModelCPU *cpu, enum ModelBranch branch, bool taken)
{
    uint64_t *counts = cpu->counts;

    switch (branch) {
    case MODEL_CONDITIONAL:
        counts[taken ? MODEL_BRANCH_CONDITIONAL_TAKEN
                     : MODEL_BRANCH_CONDITIONAL_NOT_TAKEN]++;
        counts[MODEL_BRANCH_NEAR_TAKEN] += taken;
        return;
    case MODEL_INDIRECT_CALL:
        counts[MODEL_BRANCH_INDIRECT]++;
        /* fall through */
    case MODEL_CALL:
        counts[MODEL_BRANCH_NEAR_CALL]++;
        break;
    case MODEL_INDIRECT_JUMP:
        counts[MODEL_BRANCH_INDIRECT]++;
        break;
    case MODEL_RETURN:
        counts[MODEL_BRANCH_NEAR_RETURN]++;
        break;
    case MODEL_JUMP:
        break;
    default:
        return;
    }
    counts[MODEL_BRANCH_NEAR_TAKEN]++;
}

void model_predictor_resolve(ModelCPU *cpu, uint64_t target)
{
    Predictor *predictor = &cpu->predictor;
    enum ModelBranch branch = cpu->branch;
    uint64_t identity = cpu->branch_end;
    bool taken = target != identity, predicted;

    cpu->branch = MODEL_NO_BRANCH;
    count_branch(cpu, branch, taken);
    if (!predictor->table_bits) {
        return;
    }
    switch (branch) {
    case MODEL_CONDITIONAL:
        predicted = direction(predictor, identity, taken) == taken;
        if (!predicted) {
            count_mispredict(cpu, MODEL_MISPREDICT_CONDITIONAL, taken);
        }
        if (taken) {
            take_direct(cpu, identity, predicted);
        }
        break;
    case MODEL_CALL:
        push_return(predictor, identity);
        /* fall through */
    case MODEL_JUMP:
        take_direct(cpu, identity, true);
        break;
    case MODEL_INDIRECT_CALL:
    case MODEL_INDIRECT_JUMP:
        if (!indirect(predictor, identity, target)) {
            count_mispredict(cpu, MODEL_MISPREDICT_INDIRECT, true);
        }
        if (branch == MODEL_INDIRECT_CALL) {
            push_return(predictor, identity);
        }
        break;
    case MODEL_RETURN:
        if (!pop_return(predictor, target)) {
            count_mispredict(cpu, MODEL_MISPREDICT_RETURN, true);
        }
        break;
    default:
        break;
    }
}
