/*
 * The model: its life, and its memory
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

void *model_allocate(size_t bytes)
{
    void *memory = calloc(1, bytes);

    if (!memory) {
        fprintf(stderr, "model: no memory for %zu bytes\n", bytes);
        abort();
    }
    return memory;
}

void model_release(void *memory)
{
    free(memory);
}

static unsigned log2_of(unsigned power)
{
    unsigned bits = 0;

    while (power >>= 1) {
        bits++;
    }
    return bits;
}

static void cpu_init(ModelCPU *cpu, Model *model)
{
    const ModelShape *shape = &model->shape;

    cpu->model = model;
    model_need(cpu, UINT64_MAX);
    model_cache_init(&cpu->l1i, &shape->l1i);
    model_cache_init(&cpu->l1d, &shape->l1d);
    model_cache_init(&cpu->l2, &shape->l2);
    cpu->line_bits = log2_of(shape->l1d.line_bytes);
    cpu->costs[LEVEL_L2] = shape->costs.l2_hit;
    cpu->costs[LEVEL_LLC] = shape->costs.llc_hit;
    cpu->costs[LEVEL_HITM] = shape->costs.hitm;
    cpu->costs[LEVEL_MEMORY] = shape->costs.memory;
    cpu->costs[LEVEL_OWNERSHIP] = shape->costs.llc_hit;
    cpu->fetched = cpu->fetched_line = NO_LINE;
    model_tlb_init(cpu, shape);
    model_predictor_init(&cpu->predictor, &shape->predictor);
}

Model *model_new(const ModelShape *shape, unsigned cpus)
{
    Model *model = model_allocate(sizeof(*model));

    model->shape = *shape;
    model_cache_init(&model->llc, &shape->llc);
    model_frames_init(&model->frames);
    model->nr_cpus = cpus;
    model->cpus = model_allocate(cpus * sizeof(*model->cpus));
    for (unsigned i = 0; i < cpus; i++) {
        cpu_init(&model->cpus[i], model);
    }
    return model;
}

void model_free(Model *model)
{
    for (unsigned i = 0; i < model->nr_cpus; i++) {
        ModelCPU *cpu = &model->cpus[i];

        model_cache_free(&cpu->l1i);
        model_cache_free(&cpu->l1d);
        model_cache_free(&cpu->l2);
        model_tlb_free(cpu);
        model_predictor_free(&cpu->predictor);
    }
    model_cache_free(&model->llc);
    model_frames_free(&model->frames);
    model_release(model->cpus);
    model_release(model);
}

ModelCPU *model_cpu(Model *model, unsigned index)
{
    return &model->cpus[index];
}

const ModelShape *model_shape(const Model *model)
{
    return &model->shape;
}

const uint64_t *model_counts(const ModelCPU *cpu)
{
    return cpu->counts;
}
