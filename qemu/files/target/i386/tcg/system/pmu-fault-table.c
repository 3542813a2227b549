/*
 * The emulated PMUs: the table of their faults.
 *
 * Each row is modelled on a fault that occurred in a hypervisor, an emulator
 * or a processor, or breaks one rule of the manuals.  Sources: "KVM" and
 * "Linux" with twelve digits or a title name the commit of Linux that mends
 * the fault or says how it works; BDM and AAJ are Intel's errata; rr and
 * propolis are projects on GitHub (rr-debugger/rr, oxidecomputer/propolis).
 * "Weaver" is V. Weaver, D. Terpstra, S. Moore: Non-Determinism and Overcount
 * on Modern Hardware Performance Counter Implementations, ISPASS 2013.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "pmu-internal.h"

const PMUFaultRow pmu_fault_table[X86_PMU_NR_FAULTS] = {
    /* Identification. */
    [PMU_FAULT_CPUID_VERSION_HIGH] = {
        "cpuid-version-high", 2, 0,
        "CPUID announces version 5; the registers are those of version 2",
        "a leaf 0xA that is passed through; KVM 98defd2e1780",
    },
    [PMU_FAULT_CPUID_VERSION_0] = {
        "cpuid-version-0", 2, 0,
        "CPUID announces version 0, and all else as ever; PDCM is 1",
        "SDM vol. 2, CPUID leaf 0AH: version 0 is no PMU",
    },
    [PMU_FAULT_CPUID_WIDTH_HIGH] = {
        "cpuid-width-high", 2, 0,
        "CPUID announces 48 bits; counters have 40",
        "KVM b29a2acd36dd",
    },
    [PMU_FAULT_CPUID_WIDTH_LOW] = {
        "cpuid-width-low", 2, 0,
        "CPUID announces 32 bits; counters have 48",
        "SDM vol. 2, CPUID leaf 0AH, EAX[23:16]",
    },
    [PMU_FAULT_CPUID_COUNTERS_HIGH] = {
        "cpuid-counters-high", 2, 3,
        "CPUID announces two general counters more than there are",
        "KVM 4f1fa2a1bbeb",
    },
    [PMU_FAULT_CPUID_COUNTERS_LOW] = {
        "cpuid-counters-low", 2, 3,
        "CPUID announces one general counter less than there are",
        "SDM vol. 2, CPUID leaf 0AH, EAX[15:8]",
    },
    [PMU_FAULT_CPUID_FIXED_ABSENT] = {
        "cpuid-fixed-absent", 2, 0,
        "fixed counters are announced; their registers raise #GP",
        "SDM vol. 2, CPUID leaf 0AH, EDX[4:0]",
    },
    [PMU_FAULT_CPUID_CPUS_DIFFER] = {
        "cpuid-cpus-differ", 2, 3,
        "CPUs of odd number have one general counter less",
        "hybrid CPUs: KVM 4d7404e5ee00",
    },
    [PMU_FAULT_EVENT_SILENT] = {
        "event-silent", 2, 1,
        "the event of branches is announced and never counts",
        "VMware: rr issues 2327, 3682",
    },
    [PMU_FAULT_EVENT_HIDDEN] = {
        "event-hidden", 2, 0,
        "the event of branches is announced as not available, and counts",
        "Nehalem's AAJ80, in Linux's intel_nehalem_quirk",
    },
    [PMU_FAULT_PERFCAP_GP] = {
        "perfcap-gp", 2, 0,
        "PDCM is 1; IA32_PERF_CAPABILITIES raises #GP",
        "SDM vol. 2, CPUID leaf 01H, PDCM",
    },
    [PMU_FAULT_FULL_WIDTH_GP] = {
        "full-width-gp", 2, 0,
        "FW_WRITE is 1; writing IA32_A_PMCx raises #GP",
        "KVM 27461da31089",
    },
    [PMU_FAULT_FULL_WIDTH_TRUNCATED] = {
        "full-width-truncated", 2, 0,
        "writing IA32_A_PMCx keeps 32 bits",
        "KVM 27461da31089",
    },
    [PMU_FAULT_CORE_ABSENT] = {
        "core-absent", 0, 2,
        "PerfCtrExtCore is 1; MSRs C001_0200 on raise #GP",
        "KVM d338d8789e64",
    },
    [PMU_FAULT_V2_ABSENT] = {
        "v2-absent", 0, 3,
        "PerfMonV2 is announced; MSRs C000_0300 to 0303 raise #GP",
        "APM vol. 3, CPUID 8000_0022",
    },
    [PMU_FAULT_CORE_ALIASES] = {
        "core-aliases", 0, 2,
        "counters 4 and 5 are counters 0 and 1",
        "KVM d338d8789e64: fewer counters than announced",
    },
    [PMU_FAULT_LEGACY_DEAD] = {
        "legacy-dead", 0, 2,
        "MSRs C001_0000 to 0007 read 0 and ignore writes",
        "APM vol. 2: they are the first of C001_0200 on; KVM 6912ac326d3a",
    },
    /* Registers. */
    [PMU_FAULT_EVTSEL_READS_BACK] = {
        "evtsel-reads-back", 2, 1,
        "an event select reads with INT = 0",
        "what Linux's check_hw_exists looks for",
    },
    [PMU_FAULT_RESERVED_ACCEPTED] = {
        "reserved-accepted", 2, 0,
        "reserved bits are ignored instead of raising #GP",
        "KVM 971079464001",
    },
    [PMU_FAULT_RESERVED_REFUSED] = {
        "reserved-refused", 0, 1,
        "a reserved bit in an event select raises #GP",
        "KVM \"Clear reserved bits written to PerfEvtSeln MSRs\"",
    },
    [PMU_FAULT_ABSENT_ACCEPTED] = {
        "absent-accepted", 2, 2,
        "registers of absent counters read 0 and ignore writes",
        "KVM's ignore_msrs; what Linux's check_hw_exists looks for",
    },
    [PMU_FAULT_RESET_GLOBAL_CTRL] = {
        "reset-global-ctrl", 2, 3,
        "the global control is 0 after reset",
        "KVM de120e1d692d",
    },
    [PMU_FAULT_RESET_SELECT] = {
        "reset-select", 2, 1,
        "event select 0 counts instructions after reset",
        "firmware: Linux \"the BIOS has corrupted hw-PMU resources\"",
    },
    [PMU_FAULT_RESET_COUNTER] = {
        "reset-counter", 2, 1,
        "general counter 1 has 0x12345678 after reset",
        "kexec: Linux 23d2626b841c",
    },
    [PMU_FAULT_INIT_CLEARS] = {
        "init-clears", 2, 1,
        "INIT puts all PMU registers to their reset values",
        "SDM vol. 3, processor states following INIT",
    },
    [PMU_FAULT_WRITE_NOT_EXTENDED] = {
        "write-not-extended", 2, 0,
        "writing IA32_PMCx clears the bits above 31",
        "SDM vol. 3: bit 31 is extended; KVM b29a2acd36dd",
    },
    [PMU_FAULT_WRITE_RUNNING_ADDS] = {
        "write-running-adds", 2, 1,
        "a write to a general counter that counts adds to it",
        "KVM \"Fix perfctr WRMSR for running counters\"",
    },
    [PMU_FAULT_WRITE_LOW_BITS_LOST] = {
        "write-low-bits-lost", 2, 1,
        "a write to a general counter clears bits 5 to 0",
        "Broadwell's BDM55",
    },
    [PMU_FAULT_FIXED_WRITE_IGNORED] = {
        "fixed-write-ignored", 2, 0,
        "a write to a fixed counter has no effect",
        "KVM \"do not mask the value that is written to fixed PMUs\"",
    },
    [PMU_FAULT_SELECT_WRITE_CLEARS] = {
        "select-write-clears", 2, 1,
        "a write to an event select sets its counter to 0",
        "SDM and APM: a counter keeps its value while it is off",
    },
    [PMU_FAULT_COUNTER_DEAD] = {
        "counter-dead", 2, 1,
        "general counter 2, or the last one, never moves",
        "a counter that the host keeps: rr issue 1972",
    },
    [PMU_FAULT_FIXED_DEAD] = {
        "fixed-dead", 2, 0,
        "fixed counter 1 never moves",
        "KVM a21864486f7e, of another fixed counter",
    },
    [PMU_FAULT_OTHER_CPUS_DEAD] = {
        "other-cpus-dead", 2, 1,
        "only the first CPU counts",
        "a vCPU whose counters are not restored: counts lost at migration",
    },
    /* Counting. */
    [PMU_FAULT_OS_USR_SWAPPED] = {
        "os-usr-swapped", 2, 1,
        "OS counts rings 1 to 3, USR counts ring 0",
        "SDM, APM: event select bits 16 and 17",
    },
    [PMU_FAULT_USR_IGNORED] = {
        "usr-ignored", 2, 1,
        "nothing counts in rings 1 to 3",
        "SDM, APM: event select bit 16",
    },
    [PMU_FAULT_OS_IGNORED] = {
        "os-ignored", 2, 1,
        "nothing counts in ring 0",
        "SDM, APM: event select bit 17",
    },
    [PMU_FAULT_RINGS_IGNORED] = {
        "rings-ignored", 2, 1,
        "a counter with OS or USR counts in all rings",
        "suspected in rr issue 2706",
    },
    [PMU_FAULT_ENABLE_IGNORED] = {
        "enable-ignored", 2, 1,
        "general counters count without EN",
        "SDM, APM: event select bit 22",
    },
    [PMU_FAULT_GLOBAL_CTRL_IGNORED] = {
        "global-ctrl-ignored", 2, 3,
        "counters count though the global control does not enable them",
        "KVM 98defd2e1780",
    },
    [PMU_FAULT_EDGE_IGNORED] = {
        "edge-ignored", 2, 1,
        "EDGE has no effect",
        "SDM, APM: event select bit 18",
    },
    [PMU_FAULT_INV_IGNORED] = {
        "inv-ignored", 2, 1,
        "INV has no effect",
        "SDM, APM: event select bit 23",
    },
    [PMU_FAULT_CMASK_IGNORED] = {
        "cmask-ignored", 2, 1,
        "CMASK has no effect, and so neither has INV",
        "SDM, APM: event select bits 31 to 24",
    },
    [PMU_FAULT_NOT_TAKEN_LOST] = {
        "not-taken-lost", 2, 1,
        "conditional branches that are not taken are no branches",
        "SDM vol. 3, branch instructions retired",
    },
    [PMU_FAULT_REP_BY_PASS] = {
        "rep-by-pass", 2, 1,
        "each pass of a REP string instruction is one instruction more",
        "Weaver, Terpstra, Moore: ISPASS 2013",
    },
    [PMU_FAULT_EXTRA_PER_INTERRUPT] = {
        "extra-per-interrupt", 2, 1,
        "one instruction too many for each interrupt, in the interrupted ring",
        "Weaver et al.; rr's check_for_xen_pmi_bug",
    },
    [PMU_FAULT_EXTRA_PER_PAGE_FAULT] = {
        "extra-per-page-fault", 2, 1,
        "one instruction too many for each page fault, in the faulting ring",
        "Weaver et al.",
    },
    [PMU_FAULT_EXTRA_PER_SYSCALL] = {
        "extra-per-syscall", 2, 1,
        "one instruction too many for each SYSCALL or SYSENTER, in the "
        "calling ring",
        "Weaver et al.",
    },
    [PMU_FAULT_EXTRA_PER_EXIT] = {
        "extra-per-exit", 2, 1,
        "CPUID, IN and OUT count twice",
        "a host that emulates an instruction that the CPU has counted",
    },
    [PMU_FAULT_MISSING_PER_EXIT] = {
        "missing-per-exit", 2, 1,
        "CPUID, IN and OUT do not count",
        "KVM 9cd803d496e7",
    },
    [PMU_FAULT_INTERRUPT_LOSES] = {
        "interrupt-loses", 2, 1,
        "an interrupt that is no NMI takes 5 off each counter that counts",
        "counts lost at exits: rr issue 1952",
    },
    [PMU_FAULT_HALT_LOSES] = {
        "halt-loses", 2, 1,
        "HLT clears each counter that counts",
        "a vCPU that is scheduled out without its counters",
    },
    [PMU_FAULT_HALT_COUNTS] = {
        "halt-counts", 2, 1,
        "HLT adds 1,000 to each counter of cycles",
        "SDM, APM: cycles are those that are not halted",
    },
    [PMU_FAULT_CYCLES_STOP] = {
        "cycles-stop", 2, 1,
        "core cycles never count",
        "a host whose event of cycles is taken: rr issue 1972",
    },
    [PMU_FAULT_CYCLES_ARE_INSNS] = {
        "cycles-are-insns", 2, 1,
        "core cycles count instructions",
        "an emulator that knows no cycles",
    },
    [PMU_FAULT_REF_CYCLES_DOUBLE] = {
        "ref-cycles-double", 2, 0,
        "reference cycles count double",
        "KVM a21864486f7e",
    },
    [PMU_FAULT_EVENT_TRUNCATED] = {
        "event-truncated", 0, 1,
        "bits 11 to 8 of the event are ignored",
        "KVM b8bfee85f130",
    },
    [PMU_FAULT_WRAP_MISSING] = {
        "wrap-missing", 2, 1,
        "counters go on past their width, without overflow",
        "KVM b29a2acd36dd",
    },
    /* Status, interrupt, freeze. */
    [PMU_FAULT_STATUS_NOT_SET] = {
        "status-not-set", 2, 3,
        "an overflow sets no status bit",
        "SDM vol. 3, IA32_PERF_GLOBAL_STATUS; APM vol. 2",
    },
    [PMU_FAULT_STATUS_NOT_CLEARED] = {
        "status-not-cleared", 2, 3,
        "status bits cannot be cleared",
        "SDM vol. 3, IA32_PERF_GLOBAL_OVF_CTRL; APM vol. 2",
    },
    [PMU_FAULT_STATUS_AT_RESET] = {
        "status-at-reset", 2, 3,
        "status bit 0 is set after reset",
        "Linux 23d2626b841c",
    },
    [PMU_FAULT_STATUS_WRONG_COUNTER] = {
        "status-wrong-counter", 2, 3,
        "an overflow of general counter i sets bit i ^ 1",
        "SDM vol. 3, IA32_PERF_GLOBAL_STATUS; APM vol. 2",
    },
    [PMU_FAULT_STATUS_FIXED_MISSING] = {
        "status-fixed-missing", 2, 0,
        "an overflow of a fixed counter sets no status bit",
        "SDM vol. 3, IA32_PERF_GLOBAL_STATUS",
    },
    [PMU_FAULT_STATUS_SET_IGNORED] = {
        "status-set-ignored", 4, 3,
        "GLOBAL_STATUS_SET has no effect",
        "SDM vol. 3, IA32_PERF_GLOBAL_STATUS_SET; APM vol. 2",
    },
    [PMU_FAULT_STATUS_COND_CHANGED] = {
        "status-cond-changed", 2, 0,
        "each overflow sets bit 63 too",
        "Linux b292d7a10487",
    },
    [PMU_FAULT_PMI_NEVER] = {
        "pmi-never", 2, 1,
        "no PMI is ever delivered",
        "propolis issue 894; KVM 75189d1de1b3",
    },
    [PMU_FAULT_PMI_TWICE] = {
        "pmi-twice", 2, 1,
        "a second PMI follows each, masked or not",
        "KVM \"Synthesize at most one PMI per VM-exit\"",
    },
    [PMU_FAULT_PMI_ONLY_COUNTER_0] = {
        "pmi-only-counter-0", 2, 1,
        "only general counter 0 asks for a PMI",
        "SDM, APM: event select bit 20",
    },
    [PMU_FAULT_PMI_NOT_FIXED] = {
        "pmi-not-fixed", 2, 0,
        "fixed counters ask for no PMI",
        "SDM vol. 3, IA32_FIXED_CTR_CTRL",
    },
    [PMU_FAULT_PMI_AS_VECTOR] = {
        "pmi-as-vector", 2, 1,
        "an LVT entry of NMIs delivers its vector, or nothing if that is "
        "below 16",
        "SDM vol. 3, Local Vector Table: delivery mode",
    },
    [PMU_FAULT_PMI_NEXT_CPU] = {
        "pmi-next-cpu", 2, 1,
        "the PMI goes to the next CPU",
        "SDM vol. 3: the local APIC of the CPU that counts",
    },
    [PMU_FAULT_PMI_WITHOUT_ENABLE] = {
        "pmi-without-enable", 2, 1,
        "counters ask for a PMI without INT or PMI",
        "SDM, APM: event select bit 20",
    },
    [PMU_FAULT_PMI_LATE] = {
        "pmi-late", 2, 1,
        "a PMI is 100 instructions late",
        "Linux 6d3edaae16c6",
    },
    [PMU_FAULT_PMI_SPURIOUS] = {
        "pmi-spurious", 2, 1,
        "clearing EN of a counter with INT raises a PMI",
        "Linux 914123fa3904",
    },
    [PMU_FAULT_PMI_LOST_SHORT] = {
        "pmi-lost-short", 2, 1,
        "no PMI for a counter written less than 100 before its overflow",
        "Broadwell's BDM11",
    },
    [PMU_FAULT_LVT_NOT_MASKED] = {
        "lvt-not-masked", 2, 0,
        "delivery does not mask the LVT entry",
        "KVM a16eb25b09c0",
    },
    [PMU_FAULT_LVT_MASKED] = {
        "lvt-masked", 0, 1,
        "delivery masks the LVT entry",
        "KVM 49ff3b4aec51",
    },
    [PMU_FAULT_LVT_MASK_IGNORED] = {
        "lvt-mask-ignored", 2, 1,
        "a masked LVT entry delivers",
        "SDM vol. 3, Local Vector Table: mask",
    },
    [PMU_FAULT_FREEZE_IGNORED] = {
        "freeze-ignored", 2, 3,
        "DEBUGCTL's freeze on PMI has no effect",
        "SDM vol. 3, IA32_DEBUGCTL; APM vol. 2",
    },
    [PMU_FAULT_FREEZE_NEVER_THAWED] = {
        "freeze-never-thawed", 4, 3,
        "the status bit of the freeze cannot be cleared",
        "SDM vol. 3, CTR_FRZ; APM vol. 2, PmcFreeze",
    },
    [PMU_FAULT_FREEZE_ALWAYS] = {
        "freeze-always", 2, 3,
        "each PMI freezes",
        "SDM vol. 3, IA32_DEBUGCTL; APM vol. 2",
    },
    /* RDPMC. */
    [PMU_FAULT_RDPMC_ALLOWED] = {
        "rdpmc-allowed", 2, 1,
        "RDPMC works in rings 1 to 3 without CR4.PCE",
        "SDM vol. 2, APM vol. 3, RDPMC",
    },
    [PMU_FAULT_RDPMC_REFUSED] = {
        "rdpmc-refused", 2, 1,
        "RDPMC raises #GP in rings 1 to 3 with CR4.PCE too",
        "SDM vol. 2, APM vol. 3, RDPMC",
    },
    [PMU_FAULT_RDPMC_ABSENT_0] = {
        "rdpmc-absent-0", 2, 1,
        "RDPMC of an absent counter returns 0",
        "KVM 67f4d4288c35",
    },
    [PMU_FAULT_RDPMC_FIXED_GP] = {
        "rdpmc-fixed-gp", 2, 0,
        "RDPMC of fixed counters raises #GP",
        "KVM 67f4d4288c35",
    },
    [PMU_FAULT_RDPMC_UPPER_BITS] = {
        "rdpmc-upper-bits", 2, 1,
        "RDPMC's bits above the width are 1",
        "KVM \"mask the result of rdpmc according to the width of the "
        "counters\"",
    },
    [PMU_FAULT_RDPMC_32_BITS] = {
        "rdpmc-32-bits", 2, 1,
        "RDPMC returns 32 bits",
        "KVM 5728a4a0ea79",
    },
};
