/*
 * The emulated PMUs: which faults one has.
 *
 * x-pmu-fault is read here, and checked against the PMU that it is for.
 * Faults that are a matter of the PMU's shape take effect here as well: the
 * configuration that the registers follow, and the one that CPUID announces.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "pmu-internal.h"

#define LATE_INSNS              100

/* CPUID_VERSION_HIGH and the two of the width. */
#define ANNOUNCED_VERSION       5
#define REAL_VERSION            2
#define FULL_WIDTH              48
#define LESS_WIDTH              40
#define LEAST_WIDTH             32

/* CPUID leaf 0xA; in EBX a bit says that an event is not available. */
#define EAX_VERSION             MAKE_64BIT_MASK(0, 8)
#define EAX_COUNTER             (1u << 8)
#define EAX_WIDTH               MAKE_64BIT_MASK(16, 8)
#define EAX_WIDTH_SHIFT         16
#define EBX_NO_BRANCHES         (1u << 5)
#define EDX_FIXED               MAKE_64BIT_MASK(0, 5)
#define EDX_WIDTH               MAKE_64BIT_MASK(5, 8)
#define EDX_WIDTH_SHIFT         5
#define EDX_ANY_DEPRECATED      (1u << 15)

/*
 * Pairs that say opposite things of one register or duty: a PMU cannot have
 * both.  A fault that merely hides another one is no conflict.
 */
static const X86PMUFault conflicts[][2] = {
    { PMU_FAULT_CPUID_VERSION_HIGH, PMU_FAULT_CPUID_VERSION_0 },
    { PMU_FAULT_CPUID_VERSION_HIGH, PMU_FAULT_STATUS_SET_IGNORED },
    { PMU_FAULT_CPUID_VERSION_HIGH, PMU_FAULT_FREEZE_NEVER_THAWED },
    { PMU_FAULT_CPUID_WIDTH_HIGH, PMU_FAULT_CPUID_WIDTH_LOW },
    { PMU_FAULT_CPUID_COUNTERS_HIGH, PMU_FAULT_CPUID_COUNTERS_LOW },
    { PMU_FAULT_CPUID_FIXED_ABSENT, PMU_FAULT_FIXED_WRITE_IGNORED },
    { PMU_FAULT_CPUID_FIXED_ABSENT, PMU_FAULT_FIXED_DEAD },
    { PMU_FAULT_EVENT_SILENT, PMU_FAULT_EVENT_HIDDEN },
    { PMU_FAULT_EVENT_SILENT, PMU_FAULT_NOT_TAKEN_LOST },
    { PMU_FAULT_FULL_WIDTH_GP, PMU_FAULT_FULL_WIDTH_TRUNCATED },
    { PMU_FAULT_CORE_ABSENT, PMU_FAULT_CORE_ALIASES },
    { PMU_FAULT_OS_USR_SWAPPED, PMU_FAULT_USR_IGNORED },
    { PMU_FAULT_OS_USR_SWAPPED, PMU_FAULT_OS_IGNORED },
    { PMU_FAULT_OS_USR_SWAPPED, PMU_FAULT_RINGS_IGNORED },
    { PMU_FAULT_USR_IGNORED, PMU_FAULT_RINGS_IGNORED },
    { PMU_FAULT_OS_IGNORED, PMU_FAULT_RINGS_IGNORED },
    { PMU_FAULT_EXTRA_PER_EXIT, PMU_FAULT_MISSING_PER_EXIT },
    { PMU_FAULT_HALT_LOSES, PMU_FAULT_HALT_COUNTS },
    { PMU_FAULT_HALT_COUNTS, PMU_FAULT_CYCLES_STOP },
    { PMU_FAULT_CYCLES_STOP, PMU_FAULT_CYCLES_ARE_INSNS },
    { PMU_FAULT_STATUS_NOT_SET, PMU_FAULT_STATUS_WRONG_COUNTER },
    { PMU_FAULT_STATUS_NOT_SET, PMU_FAULT_STATUS_COND_CHANGED },
    { PMU_FAULT_V2_ABSENT, PMU_FAULT_STATUS_SET_IGNORED },
    { PMU_FAULT_PMI_NEVER, PMU_FAULT_PMI_TWICE },
    { PMU_FAULT_PMI_NEVER, PMU_FAULT_PMI_ONLY_COUNTER_0 },
    { PMU_FAULT_PMI_NEVER, PMU_FAULT_PMI_AS_VECTOR },
    { PMU_FAULT_PMI_NEVER, PMU_FAULT_PMI_NEXT_CPU },
    { PMU_FAULT_PMI_NEVER, PMU_FAULT_PMI_WITHOUT_ENABLE },
    { PMU_FAULT_PMI_NEVER, PMU_FAULT_PMI_LATE },
    { PMU_FAULT_PMI_NEVER, PMU_FAULT_PMI_SPURIOUS },
    { PMU_FAULT_FREEZE_IGNORED, PMU_FAULT_FREEZE_NEVER_THAWED },
    { PMU_FAULT_FREEZE_IGNORED, PMU_FAULT_FREEZE_ALWAYS },
    { PMU_FAULT_LBR_ALWAYS, PMU_FAULT_LBR_DEBUGCTL_LOST },
    { PMU_FAULT_LBR_RING_IGNORED, PMU_FAULT_LBR_RING_OF_SOURCE },
    { PMU_FAULT_PEBS_THRESHOLD_IGNORED, PMU_FAULT_PEBS_PMI_NEVER },
    { PMU_FAULT_IBS_PMI_NEVER, PMU_FAULT_IBS_MASK_IGNORED },
    { PMU_FAULT_IBS_PMI_NEVER, PMU_FAULT_IBS_PMI_ON_DISABLE },
    { PMU_FAULT_RDPMC_ALLOWED, PMU_FAULT_RDPMC_REFUSED },
    { PMU_FAULT_RDPMC_UPPER_BITS, PMU_FAULT_RDPMC_32_BITS },
};

static bool has(const X86CPU *cpu, X86PMUFault f)
{
    return x86_pmu_fault(&cpu->pmu_config, f);
}

/* Which PMUs of a vendor can have a fault, from @least on; 0: none. */
static const char *of_intel(unsigned least)
{
    static const char *const texts[] = {
        "-", "all", "from version 2 on", "from version 3 on",
        "from version 4 on", "from version 5 on",
    };

    return texts[least];
}

static const char *of_amd(unsigned least)
{
    static const char *const texts[] = { "-", "all", "from core on", "v2" };

    return texts[least];
}

static G_NORETURN void print_help(void)
{
    printf("Faults of the emulated PMUs, joined by +. Intel, AMD: which of "
           "their PMUs can have it.\n");
    for (int i = 0; i < X86_PMU_NR_FAULTS; i++) {
        const PMUFaultRow *row = &pmu_fault_table[i];

        printf("%s (Intel: %s%s; AMD: %s%s)\n    %s.\n    [%s]\n", row->name,
               of_intel(row->intel), row->of_lbr ? ", x-lbr=on" :
               row->of_pebs ? ", x-pebs=on" : "",
               of_amd(row->amd), row->of_ibs ? ", x-ibs=on" : "", row->effect,
               row->source);
    }
    exit(0);
}

static int find_fault(const char *name)
{
    for (int i = 0; i < X86_PMU_NR_FAULTS; i++) {
        if (!strcmp(name, pmu_fault_table[i].name)) {
            return i;
        }
    }
    return -1;
}

/* Can this PMU have the fault?  If not, says why. */
static bool check_applies(const X86CPU *cpu, const PMUFaultRow *row,
                          Error **errp)
{
    const X86PMUConfig *cfg = &cpu->pmu_config;
    bool amd = cfg->model == &pmu_model_amd;
    unsigned least = amd ? row->amd : row->intel;

    if (!least) {
        error_setg(errp, "x-pmu-fault=%s is a fault of %s's PMU, but the CPU "
                   "model is %s's", row->name, amd ? "Intel" : "AMD",
                   amd ? "AMD" : "Intel");
        return false;
    }
    if (row->of_lbr && !cfg->lbr) {
        error_setg(errp, "x-pmu-fault=%s needs x-lbr=on", row->name);
        return false;
    }
    if (row->of_pebs && !cfg->pebs) {
        error_setg(errp, "x-pmu-fault=%s needs x-pebs=on", row->name);
        return false;
    }
    if (row->of_ibs && !cfg->ibs) {
        error_setg(errp, "x-pmu-fault=%s needs x-ibs=on", row->name);
        return false;
    }
    if (cfg->version < least) {
        error_setg(errp, amd ? "x-pmu-fault=%s needs a PMU of AMD %s"
                             : "x-pmu-fault=%s needs a PMU of Intel %s",
                   row->name, amd ? of_amd(least) : of_intel(least));
        return false;
    }
    return true;
}

/* Can the PMU have all of its faults at once?  If not, says which two. */
static bool check_conflicts(const X86CPU *cpu, Error **errp)
{
    for (int i = 0; i < ARRAY_SIZE(conflicts); i++) {
        if (has(cpu, conflicts[i][0]) && has(cpu, conflicts[i][1])) {
            error_setg(errp, "x-pmu-fault=%s and %s contradict each other; "
                       "leave one out",
                       pmu_fault_table[conflicts[i][0]].name,
                       pmu_fault_table[conflicts[i][1]].name);
            return false;
        }
    }
    return true;
}

/* Change what the registers follow; CPUID is changed when it is asked. */
static bool change_shape(X86CPU *cpu, Error **errp)
{
    X86PMUConfig *cfg = &cpu->pmu_config;

    if (cfg->nr_gp < 2 && (has(cpu, PMU_FAULT_CPUID_COUNTERS_LOW) ||
                           has(cpu, PMU_FAULT_CPUID_CPUS_DIFFER))) {
        error_setg(errp, "x-pmu-fault=%s needs 2 or more general counters",
                   cfg->fault_names);
        return false;
    }
    if (has(cpu, PMU_FAULT_CPUID_VERSION_HIGH)) {
        cfg->version = REAL_VERSION;
    }
    if (has(cpu, PMU_FAULT_CPUID_WIDTH_HIGH)) {
        cfg->width_bits = LESS_WIDTH;
    }
    if (has(cpu, PMU_FAULT_CPUID_WIDTH_LOW)) {
        cfg->width_bits = FULL_WIDTH;
    }
    if (has(cpu, PMU_FAULT_CPUID_CPUS_DIFFER) && (CPU(cpu)->cpu_index & 1)) {
        cfg->nr_gp--;
    }
    if (has(cpu, PMU_FAULT_PMI_LATE)) {
        cfg->skid_insns = LATE_INSNS;
    }
    return true;
}

bool pmu_fault_realize(X86CPU *cpu, Error **errp)
{
    X86PMUConfig *cfg = &cpu->pmu_config;
    const char *text = cfg->fault_names;
    /* g_strsplit makes no name at all of an empty text. */
    g_auto(GStrv) names = g_strsplit(*text ? text : "+", "+", -1);

    if (!strcmp(text, "help")) {
        print_help();
    }
    if (!cfg->model) {
        error_setg(errp, "x-pmu-fault needs pmu=on");
        return false;
    }
    for (int i = 0; names[i]; i++) {
        int fault = find_fault(names[i]);

        if (fault < 0) {
            error_setg(errp, "x-pmu-fault knows no fault '%s'; "
                       "-cpu max,x-pmu-fault=help lists them", names[i]);
            return false;
        }
        if (!check_applies(cpu, &pmu_fault_table[fault], errp)) {
            return false;
        }
        cfg->faults[fault / 64] |= 1ull << (fault % 64);
        cfg->faulty = true;
    }
    return check_conflicts(cpu, errp) && change_shape(cpu, errp);
}

static void change_leaf_pmu(const X86CPU *cpu, uint32_t *eax, uint32_t *ebx,
                            uint32_t *ecx, uint32_t *edx)
{
    unsigned width = has(cpu, PMU_FAULT_CPUID_WIDTH_HIGH) ? FULL_WIDTH :
                     has(cpu, PMU_FAULT_CPUID_WIDTH_LOW) ? LEAST_WIDTH : 0;

    if (width) {
        *eax = (*eax & ~EAX_WIDTH) | width << EAX_WIDTH_SHIFT;
        if (*edx & EDX_FIXED) {
            *edx = (*edx & ~EDX_WIDTH) | width << EDX_WIDTH_SHIFT;
        }
    }
    if (has(cpu, PMU_FAULT_CPUID_VERSION_HIGH)) {
        *eax = (*eax & ~EAX_VERSION) | ANNOUNCED_VERSION;
        *ecx = MAKE_64BIT_MASK(0, *edx & EDX_FIXED);
        *edx |= EDX_ANY_DEPRECATED;
    }
    if (has(cpu, PMU_FAULT_CPUID_VERSION_0)) {
        *eax &= ~EAX_VERSION;
    }
    if (has(cpu, PMU_FAULT_CPUID_COUNTERS_HIGH)) {
        *eax += 2 * EAX_COUNTER;
    }
    if (has(cpu, PMU_FAULT_CPUID_COUNTERS_LOW)) {
        *eax -= EAX_COUNTER;
    }
    if (has(cpu, PMU_FAULT_EVENT_HIDDEN)) {
        *ebx |= EBX_NO_BRANCHES;
    }
}

void pmu_fault_cpuid(X86CPU *cpu, uint32_t leaf, uint32_t *eax, uint32_t *ebx,
                     uint32_t *ecx, uint32_t *edx)
{
    bool amd = cpu->pmu_config.model == &pmu_model_amd;

    if (leaf == LEAF_PMU && !amd) {
        change_leaf_pmu(cpu, eax, ebx, ecx, edx);
    } else if (leaf == LEAF_PERFMON && amd) {
        *ebx += has(cpu, PMU_FAULT_CPUID_COUNTERS_HIGH) ? 2 : 0;
        *ebx -= has(cpu, PMU_FAULT_CPUID_COUNTERS_LOW) ? 1 : 0;
    }
}
