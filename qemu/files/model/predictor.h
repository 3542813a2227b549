/*
 * The model: branch prediction
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef MODEL_PREDICTOR_H
#define MODEL_PREDICTOR_H

#include "model.h"

#define TAGGED_TABLES 3

typedef struct TaggedEntry {
    uint16_t tag;               /* 0: empty */
    uint8_t counter;            /* 0 to 7; from 4 on: taken */
    uint8_t useful;             /* 0 to 3 */
} TaggedEntry;

typedef struct TargetEntry {
    uint64_t target;
    uint16_t tag;               /* 0: empty */
} TargetEntry;

typedef struct BTBEntry {
    uint64_t identity;          /* 0: empty */
    uint64_t target;
} BTBEntry;

typedef struct Predictor {
    uint64_t history;           /* bit 0: the latest */
    unsigned table_bits;        /* 0: there is no prediction */
    uint64_t history_masks[TAGGED_TABLES];
    uint8_t *base;              /* 0 to 3; from 2 on: taken */
    TaggedEntry *tagged[TAGGED_TABLES];
    TargetEntry *targets;
    BTBEntry *btb;              /* sets, from the most recently used */
    uint64_t btb_set_mask;
    unsigned btb_ways;
    uint64_t *returns;          /* a ring */
    unsigned return_entries, return_top, return_depth;
} Predictor;

void model_predictor_init(Predictor *predictor, const ModelPredictor *shape);
void model_predictor_free(Predictor *predictor);

/* The outcome of the branch that waits: it goes to TARGET. Counts. */
void model_predictor_resolve(ModelCPU *cpu, uint64_t target);

#endif
