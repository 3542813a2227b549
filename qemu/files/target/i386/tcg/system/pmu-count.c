/*
 * The emulated PMUs: counting, overflow and the PMI.
 *
 * Translated code does not touch counters.  Where some counter counts (the
 * translation flag HF_PMU_MASK), each block charges itself, when it starts, to
 * env->pmu.allowance: its instructions to the upper part, which runs down, and
 * its branch, if it ends in one, to the lower part, which runs up.  A block
 * that is left early gives back what did not run (x86_pmu_unwind).  Where some
 * counter tells branches apart by kind (HF_PMU_KINDS_MASK), the block charges
 * the kind to env->pmu.kinds as well, and env->pmu.taken counts the conditional
 * branches that are taken.  Where some counter counts items of the model of the
 * processor behind the counters (HF_PMU_MODEL_MASK), blocks log what retires
 * (pmu-log.c), and the log is run through the model before counters are settled.
 *
 * Settling turns these numbers into counter values.  Granting then sets the
 * allowance to a number of instructions in which no counter can overflow
 * before the last.  So an overflow is always found at the instruction boundary
 * where it happened: the allowance is 0 there, and the next block cannot start.
 *
 * Invariants: allowance is negative only inside helper_pmu_tb_start, and after
 * the extra charge of a fault, until the next block starts; a settled counter
 * that is not free-running is less than 2^width; env->hflags has HF_PMU_MASK if
 * and only if some counter moves in the present mode, a PMI is skidding, the last
 * branch records record, or a precise record or a sample is pending; HF_PMU_KINDS_MASK and HF_PMU_MODEL_MASK only with it.
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
#include "exec/translation-block.h"
#include "accel/tcg/internal-common.h"
#include "hw/i386/apic.h"
#include "tcg/helper-tcg.h"
#include "system/cpu-timers.h"
#include "pmu-internal.h"

/* The branch part of an allowance must not run over. */
#define MAX_GRANT_INSNS         (X86_PMU_INSN - 1)
/* Nor must the log (pmu-log.c). */
#define MAX_GRANT_LOGGED_INSNS  PMU_LOG_INSNS

uint64_t *pmu_counter_value(CPUX86State *env, const X86PMUCounter *c)
{
    if (c->sampler) {
        return c->status_bit == PMU_IBS_OP ? &env->pmu.ibs.op_count
                                           : &env->pmu.ibs.fetch_count;
    }
    return c->status_bit < PMU_FIXED_SHIFT
           ? &env->msr_gp_counters[c->status_bit]
           : &env->msr_fixed_counters[c->status_bit - PMU_FIXED_SHIFT];
}

/* Does @c move in the mode that the allowance is for? */
static bool moves(const X86PMUState *p, const X86PMUCounter *c)
{
    return (c->modes & p->mode) && !p->paused &&
           (c->per_insn || c->per_branch_most || c->items);
}

/* How far @c is from its overflow; at least 1.  Free-running ones have none. */
static uint64_t distance(CPUX86State *env, const X86PMUCounter *c)
{
    if (c->is_free_running) {
        return INT64_MAX;
    }
    return pmu_counter_mask(env_archcpu(env)) + 1 - *pmu_counter_value(env, c);
}

/*
 * The instructions after which @c, a precise counter, has not overflowed,
 * whatever they are.  0: the next one may overflow it.
 */
static uint64_t insns_before(CPUX86State *env, const X86PMUCounter *c)
{
    return (distance(env, c) - 1) /
           (c->per_insn + c->per_branch_most + c->items_most);
}

/* Does a record or a sample wait for the next boundary? */
static bool is_pending(const X86PMUState *p)
{
    return p->pebs.pending || p->ibs.pending;
}

/* May the next instruction overflow a precise counter? */
static bool next_may_be_recorded(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;

    for (int i = 0; i < p->nr_counters; i++) {
        const X86PMUCounter *c = &p->counters[i];

        if (moves(p, c) && c->precise && insns_before(env, c) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * The instructions that may retire before the PMU must look, not knowing
 * which of them are branches: as many as if all were.
 */
static uint64_t safe_insns(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;
    uint64_t insns = p->by_items ? MAX_GRANT_LOGGED_INSNS : MAX_GRANT_INSNS;

    for (int i = 0; i < p->nr_counters; i++) {
        const X86PMUCounter *c = &p->counters[i];

        if (moves(p, c) && c->precise) {
            insns = MIN(insns, insns_before(env, c));
        } else if (moves(p, c)) {
            insns = MIN(insns, DIV_ROUND_UP(distance(env, c),
                                            c->per_insn + c->per_branch_most +
                                            c->items_most));
        }
    }
    if (is_pending(p)) {
        return 0;
    }
    return p->skidding ? MIN(insns, p->skid_left_insns) : insns;
}

/*
 * The same, knowing that none of them but the last is a branch: the last one
 * is that which overflows.
 */
static uint64_t straight_insns(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;
    uint64_t insns = p->by_items ? MAX_GRANT_LOGGED_INSNS : MAX_GRANT_INSNS;

    for (int i = 0; i < p->nr_counters; i++) {
        const X86PMUCounter *c = &p->counters[i];

        if (moves(p, c) && c->precise) {
            insns = MIN(insns, MAX(1, insns_before(env, c)));
        } else if (moves(p, c) && (c->per_insn || c->items)) {
            insns = MIN(insns, DIV_ROUND_UP(distance(env, c),
                                            c->per_insn + c->items_most));
        }
    }
    return p->skidding ? MIN(insns, p->skid_left_insns) : insns;
}

static void grant_insns(X86PMUState *p, uint64_t insns)
{
    p->granted_insns = insns;
    p->allowance = insns << X86_PMU_INSN_SHIFT;
}

static unsigned present_mode(const CPUX86State *env)
{
    unsigned side = env->hflags & HF_GUEST_MASK ? X86_PMU_SIDE_GUEST :
                    env->hflags & HF_SVME_MASK ? X86_PMU_SIDE_HOST :
                    X86_PMU_SIDE_NO_SVM;
    unsigned ring = env->hflags & HF_CPL_MASK ? X86_PMU_MODE_USR
                                              : X86_PMU_MODE_OS;

    return ring << (X86_PMU_SIDE_SHIFT * side);
}

/* The next block is one with CF_FILTERS, or one without. */
static void set_filters(CPUState *cs, bool filters)
{
    cs->tcg_cflags = (cs->tcg_cflags & ~CF_FILTERS) |
                     (filters ? CF_FILTERS : 0);
    if (cs->cflags_next_tb != -1) {
        cs->cflags_next_tb = (cs->cflags_next_tb & ~CF_FILTERS) |
                             (filters ? CF_FILTERS : 0);
    }
}

/* Does @c count instructions and nothing else, because the guest asked? */
static bool counts_insns(const X86PMUCounter *c)
{
    return !c->is_free_running && !c->sampler && c->per_insn == 1 &&
           !c->per_branch_most && !c->items && !c->by_pass;
}

/* Start counting for the present mode, with a new allowance. */
static void grant(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;

    bool was_logged = env->hflags & HF_PMU_MODEL_MASK;
    bool lbr_recorded = p->lbr_records;

    p->lbr_records = pmu_lbr_records(env);
    if (p->lbr_records && !lbr_recorded) {
        p->lbr.cycles = 0;
    }
    p->counting = p->skidding || p->lbr_records || is_pending(p);
    p->by_kind = false;
    p->by_items = false;
    p->counts_insns = false;
    p->delivering = false;
    p->ibs.insn.open = false;
    p->passes = 0;
    p->mode = present_mode(env);
    p->active = p->counting || p->nr_counters;
    for (int i = 0; i < p->nr_counters; i++) {
        if (moves(p, &p->counters[i])) {
            p->counting = true;
            p->by_kind |= p->counters[i].by_kind;
            p->by_items |= p->counters[i].items || p->counters[i].by_pass;
            p->counts_insns |= counts_insns(&p->counters[i]);
        }
    }
    if (was_logged && !p->by_items) {
        pmu_log_settle(env);
    }
    env->hflags &= ~(HF_PMU_MASK | HF_PMU_KINDS_MASK | HF_PMU_MODEL_MASK |
                     HF_LBR_MASK);
    env->hflags |= (p->counting ? HF_PMU_MASK : 0) |
                   (p->lbr_records ? HF_LBR_MASK : 0) |
                   (p->by_kind ? HF_PMU_KINDS_MASK : 0) |
                   (p->by_items ? HF_PMU_MODEL_MASK : 0);
    set_filters(env_cpu(env), p->by_items && p->filters);
    p->kinds = 0;
    p->taken = 0;
    grant_insns(p, safe_insns(env));
}

/* How many branches of each kind have retired since the last grant. */
static void count_kinds(const X86PMUState *p, uint64_t branches,
                        uint64_t of[X86_PMU_NR_BRANCHES])
{
    uint64_t conditional = extract64(p->kinds, 0, X86_PMU_INSN_SHIFT);

    of[X86_PMU_WAS_TAKEN] = p->taken;
    of[X86_PMU_WAS_NOT_TAKEN] = conditional - p->taken;
    of[X86_PMU_WAS_NEAR_RETURN] = extract64(p->kinds, X86_PMU_INSN_SHIFT,
                                            X86_PMU_INSN_SHIFT);
    of[X86_PMU_WAS_FAR] = extract64(p->kinds, 2 * X86_PMU_INSN_SHIFT,
                                    X86_PMU_INSN_SHIFT);
    of[X86_PMU_WAS_PLAIN] = branches - conditional -
                            of[X86_PMU_WAS_NEAR_RETURN] - of[X86_PMU_WAS_FAR];
}

/* By how much these branches move @c. */
static uint64_t move_of_kinds(const X86PMUCounter *c,
                              const uint64_t of[X86_PMU_NR_BRANCHES])
{
    uint64_t move = 0;

    for (int k = 0; k < X86_PMU_NR_BRANCHES; k++) {
        move += c->per_branch[k] * of[k];
    }
    return move;
}

/* The same, of deliveries: they happen in the mode that they lead to. */
static uint64_t move_of_deliveries(const X86PMUState *p, const X86PMUCounter *c)
{
    uint64_t move = 0;

    for (int k = 0; k < X86_PMU_NR_DELIVERIES; k++) {
        move += c->per_delivery[k] * p->deliveries[k];
    }
    return move;
}

/* The same, of items. */
static uint64_t move_of_items(const X86PMUCounter *c,
                              const uint64_t grown[MODEL_ITEMS])
{
    uint64_t move = 0;

    for (uint64_t left = c->items; left; left &= left - 1) {
        move += grown[ctz64(left)];
    }
    return move * c->items_times;
}

/*
 * Move the counters by what has happened since the last grant.  Returns the
 * status bits of those that overflowed and sets *@interrupts if one of them
 * asks for a PMI.
 */
static uint64_t settle(CPUX86State *env, bool *interrupts)
{
    X86PMUState *p = &env->pmu;
    uint64_t mask = pmu_counter_mask(env_archcpu(env));
    uint64_t insns = p->granted_insns - p->passes -
                     (p->allowance >> X86_PMU_INSN_SHIFT);
    uint64_t branches = p->allowance & (X86_PMU_INSN - 1);
    uint64_t of[X86_PMU_NR_BRANCHES];
    uint64_t grown[MODEL_ITEMS];
    uint64_t overflowed = 0;

    if (p->counts_insns) {
        p->function_insns[!!(p->mode & X86_PMU_MODES_USR)] += insns;
    }
    if (p->by_kind) {
        count_kinds(p, branches, of);
    }
    if (p->by_items) {
        pmu_log_settle(env);
        pmu_log_new_items(env, grown);
    }
    for (int i = 0; i < p->nr_counters; i++) {
        const X86PMUCounter *c = &p->counters[i];
        uint64_t *value = pmu_counter_value(env, c);

        if (p->paused ||
            (!moves(p, c) && !(p->counts_deliveries && (c->modes & p->mode)))) {
            continue;
        }
        *value += c->per_insn * (insns + (c->by_pass ? p->passes : 0)) +
                  (c->by_kind ? move_of_kinds(c, of)
                              : c->per_branch_most * branches);
        if (p->counts_deliveries) {
            *value += move_of_deliveries(p, c);
        }
        if (p->by_items) {
            *value += move_of_items(c, grown);
        }
        if (*value > mask && !c->is_free_running) {
            *value &= mask;
            if (c->sampler) {
                p->ibs.pending |= c->status_bit == PMU_IBS_OP ? X86_IBS_OP
                                                              : X86_IBS_FETCH;
                continue;
            }
            if (c->precise) {
                p->pebs.pending |= 1ull << c->status_bit;
            }
            if (!c->precise || x86_pmu_fault(&env_archcpu(env)->pmu_config,
                                             PMU_FAULT_PEBS_STATUS_SET)) {
                overflowed |= 1ull << c->status_bit;
                *interrupts |= c->interrupts;
            }
        }
    }
    if (p->counts_deliveries) {
        memset(p->deliveries, 0, sizeof(p->deliveries));
    }
    if (p->lbr_records) {
        p->lbr.cycles += insns + branches;
    }
    if (p->skidding) {
        /* A fault may have charged more than ran. */
        p->skid_left_insns -= MIN(insns, p->skid_left_insns);
    }
    return overflowed;
}

void pmu_raise_pmi(CPUX86State *env)
{
    X86CPU *cpu = env_archcpu(env);
    X86CPU *to = cpu;
    const X86PMUModel *model = cpu->pmu_config.model;
    bool freezes = env->pmu.debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI;
    unsigned how = model->delivery_masks_lvt ? APIC_PMI_MASKS_ENTRY : 0;

    env->pmu.skidding = false;
    if (unlikely(cpu->pmu_config.faulty)) {
        to = pmu_fault_pmi(env, &freezes, &how);
    }
    if (freezes) {
        model->freeze(env);
    }
    if (cpu->pmu_config.lbr) {
        pmu_lbr_pmi(env);
    }
    if (to && to->apic_state) {
        BQL_LOCK_GUARD();
        apic_deliver_pmi(to->apic_state, how);
    }
}

static X86PMUCounter *add_counter(CPUX86State *env, unsigned status_bit,
                                  uint64_t evtsel, unsigned modes,
                                  bool interrupts)
{
    X86CPU *cpu = env_archcpu(env);
    X86PMUState *p = &env->pmu;
    X86PMUCounter *c = &p->counters[p->nr_counters++];

    pmu_event_digest(cpu, evtsel, c);
    c->is_free_running = false;
    c->sampler = false;
    c->status_bit = status_bit;
    c->modes = modes;
    c->precise = cpu->pmu_config.pebs && pmu_pebs_counts(env, status_bit);
    c->interrupts = interrupts;
    for (int k = 0; k < X86_PMU_NR_DELIVERIES; k++) {
        p->counts_deliveries |= c->per_delivery[k];
    }
    p->items |= c->items;
    p->by_mode |= modes != X86_PMU_MODES_ALL;
    if (modes) {
        pmu_event_tell_unmodelled(cpu, evtsel);
    }
    return c;
}

void pmu_add_counter(CPUX86State *env, unsigned status_bit, uint64_t evtsel,
                     unsigned modes, bool interrupts)
{
    X86CPU *cpu = env_archcpu(env);

    if (likely(!cpu->pmu_config.faulty)) {
        add_counter(env, status_bit, evtsel, modes, interrupts);
    } else if (pmu_fault_counter(env, status_bit, &evtsel, &modes,
                                 &interrupts)) {
        pmu_fault_digest(cpu, evtsel, add_counter(env, status_bit, evtsel,
                                                  modes, interrupts));
    }
}

void pmu_add_free_running(CPUX86State *env, unsigned i, uint64_t evtsel)
{
    X86PMUCounter *c = add_counter(env, PMU_FIXED_SHIFT + i, evtsel,
                                   X86_PMU_MODES_ALL, false);

    c->is_free_running = true;
    /* It counts always, and the model must not run always. */
    c->items = 0;
}

void pmu_add_sampler(CPUX86State *env, unsigned which, uint64_t evtsel)
{
    X86PMUCounter *c = add_counter(env, which, evtsel, X86_PMU_MODES_ALL, false);

    c->sampler = true;
    c->precise = true;
}

/* Digest the control registers into the list of counters that count. */
static void list_counters(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;
    uint64_t items = p->items;

    p->nr_counters = 0;
    p->counts_deliveries = false;
    /* Costs by function are of one ring, too. */
    p->by_mode = env_archcpu(env)->pmu_config.functions;
    p->items = 0;
    env_archcpu(env)->pmu_config.model->list_counters(env);
    if (p->items) {
        if (p->items != items) {
            pmu_log_need(env);
        }
        pmu_log_new_items(env, NULL);
        if (!items && pmu_log_has_pages(env)) {
            /* The model is told of translations only while items count. */
            tlb_flush(env_cpu(env));
        }
    }
}

void pmu_reconfigure(CPUX86State *env)
{
    list_counters(env);
    grant(env);
}

/* Settle, and begin a skid, of 0 instructions too, if that requests a PMI. */
static void settle_and_skid(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;
    X86CPU *cpu = env_archcpu(env);
    bool interrupts = false;
    uint64_t overflowed;

    if (!p->counting && !p->counts_deliveries) {
        return;
    }
    overflowed = settle(env, &interrupts);
    if (unlikely(cpu->pmu_config.faulty)) {
        overflowed = pmu_fault_status(cpu, overflowed);
    }
    env->msr_global_status |= overflowed;
    if (interrupts && !p->skidding) {
        p->skidding = true;
        p->skid_left_insns = cpu->pmu_config.skid_insns;
    }
}

void x86_pmu_pre_save(CPUX86State *env)
{
    if (env->pmu.active) {
        settle_and_skid(env);
        grant(env);
    }
}

bool x86_pmu_resync(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;
    bool pmi = false;

    if (!p->active) {
        return false;
    }
    settle_and_skid(env);
    if (p->skidding && p->skid_left_insns == 0) {
        pmu_raise_pmi(env);
        list_counters(env);
        pmi = true;
    }
    grant(env);
    return pmi;
}

/* Take the charge of a block, or of its end, back. */
static void uncharge(X86PMUState *p, int insns, unsigned kind)
{
    p->allowance += insns * X86_PMU_INSN - (kind != X86_PMU_NO_BRANCH);
    p->kinds -= x86_pmu_kind_unit(kind);
}

void pmu_resync_before_insn(CPUX86State *env)
{
    bool charged = env->hflags & HF_PMU_MASK;

    if (charged) {
        uncharge(&env->pmu, 1, X86_PMU_NO_BRANCH);
        x86_pmu_resync(env);
        env->pmu.allowance -= X86_PMU_INSN;
    }
}

void pmu_reconfigure_before_insn(CPUX86State *env)
{
    bool charged = env->hflags & HF_PMU_MASK;

    pmu_reconfigure(env);
    if (charged) {
        env->pmu.allowance -= X86_PMU_INSN;
    }
}

/*
 * Make the record and the samples that are pending, at an instruction boundary.
 * Returns true if that asked for an interrupt.
 */
static bool flush(CPUX86State *env)
{
    bool asked = false;

    if (env->pmu.pebs.pending) {
        asked |= pmu_pebs_flush(env);
    }
    if (env->pmu.ibs.pending) {
        asked |= pmu_ibs_flush(env);
    }
    return asked;
}

int x86_pmu_before_interrupt(CPUX86State *env, int request)
{
    bool pmi = x86_pmu_resync(env);

    if (unlikely(is_pending(&env->pmu))) {
        pmi |= flush(env);
    }
    return pmi ? env_cpu(env)->interrupt_request : request;
}

void x86_pmu_before_fetch_fault(CPUX86State *env)
{
    bool pmi = x86_pmu_resync(env);

    if (unlikely(is_pending(&env->pmu))) {
        pmi |= flush(env);
    }
    if (pmi) {
        cpu_loop_exit_noexc(env_cpu(env));
    }
}

void x86_pmu_exception(CPUX86State *env, bool is_int)
{
    bool intercepted = is_int && (env->hflags & HF_GUEST_MASK) &&
                       cpu_svm_has_intercept(env, SVM_EXIT_SWINT);
    bool undelivered = !is_int && env->exception_is_int &&
                       env_cpu(env)->exception_index >= 0;

    if ((env->hflags & HF_PMU_MASK) && (intercepted || undelivered)) {
        x86_pmu_unwind(env, 1, env->pmu.by_kind ? X86_PMU_FAR_BRANCH
                                                : X86_PMU_PLAIN_BRANCH);
        if (env->pmu.cells) {
            pmu_functions_take_back(env);
        }
    }
}

void x86_pmu_halt(CPUX86State *env)
{
    x86_pmu_resync(env);
    if (unlikely(is_pending(&env->pmu))) {
        flush(env);
    }
    if (unlikely(env_archcpu(env)->pmu_config.faulty)) {
        pmu_fault_halt(env);
    }
    if (env->pmu.skidding) {
        pmu_raise_pmi(env);
        pmu_reconfigure(env);
    }
}

void x86_pmu_delivered(CPUX86State *env, bool is_int, bool is_hw)
{
    X86PMUState *p = &env->pmu;

    if (p->lbr_records) {
        pmu_lbr_delivered(env);
    }
    if (is_int) {
        return;
    }
    p->delivering = false;
    if (p->counts_deliveries) {
        x86_pmu_resync(env);
        p->deliveries[is_hw ? X86_PMU_INTERRUPT : X86_PMU_EXCEPTION]++;
        x86_pmu_resync(env);
    }
}

static void charge(X86PMUState *p, int insns, unsigned kind)
{
    p->allowance -= insns * X86_PMU_INSN - (kind != X86_PMU_NO_BRANCH);
    p->kinds += x86_pmu_kind_unit(kind);
}

/*
 * The instruction of a block with CF_SAMPLE has not retired: the block's grant
 * is void, so that the next block looks.
 */
static void abandon_sample(X86PMUState *p)
{
    int64_t left = p->allowance >> X86_PMU_INSN_SHIFT;

    if (left > 0) {
        p->granted_insns -= left;
        p->allowance -= left * X86_PMU_INSN;
    }
    p->ibs.insn.open = false;
}

void x86_pmu_unwind(CPUX86State *env, int insns, unsigned kind)
{
    uncharge(&env->pmu, insns, kind);
    if (unlikely(env->pmu.ibs.insn.open)) {
        abandon_sample(&env->pmu);
    }
}

/*
 * A block has charged itself with more instructions than the allowance had.
 * Returns true if it may run all the same, now that the PMU has looked; if
 * not, the charge is given back and the main loop gets control before the
 * block: to take an interrupt, or to run only the block's beginning.  @samples:
 * X86_PMU_SAMPLES and the kind of branch, or 0.
 */
uint32_t helper_pmu_tb_start(CPUX86State *env, uint32_t insns, uint32_t kind,
                             uint32_t samples)
{
    CPUState *cs = env_cpu(env);
    X86PMUState *p = &env->pmu;
    uint64_t straight;
    bool recorded;

    uncharge(p, insns, kind);
    if (!x86_pmu_resync(env) && !is_pending(p)) {
        straight = straight_insns(env);
        recorded = next_may_be_recorded(env);
        if (insns <= straight && (samples || !recorded)) {
            /* Nothing overflows before the block's last instruction. */
            p->pebs.eventing = env->eip;
            grant_insns(p, MAX(p->granted_insns, insns));
            charge(p, insns, kind);
            if (samples) {
                pmu_ibs_open(env, samples & ~X86_PMU_SAMPLES);
            }
            return true;
        }
        cs->cflags_next_tb = (curr_cflags(cs) & ~CF_COUNT_MASK) | straight |
                             (recorded ? CF_SAMPLE : 0);
    }

    /* Leave as an interrupt request does, before anything of the block ran. */
    if (icount_enabled()) {
        cs->neg.icount_decr.u16.low += insns;
    }
    if (is_pending(p)) {
        flush(env);
    }
    qatomic_set(&cs->neg.icount_decr.u16.high, -1);
    return false;
}
