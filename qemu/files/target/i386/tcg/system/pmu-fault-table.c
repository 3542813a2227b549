/*
 * The emulated PMUs: the table of their faults.
 *
 * Each row is modelled on a fault that occurred, or breaks one rule of the
 * manuals.  Its source has one of these forms, several joined by "; ":
 *
 *   NAME 0123456789ab "SUBJECT"    the commit that mends the fault, or works
 *                                  around it; KVM and Linux are both Linux's
 *                                  tree
 *   erratum ID, DOCUMENT           a processor's erratum
 *   OWNER/REPOSITORY#NUMBER        an issue or a pull request on GitHub
 *   mail MESSAGE-ID                a message to kvm@ or linux-kernel@vger
 *   rule: TEXT                     no occurrence; the manual's rule
 *
 * "Modelled" means: the same register or duty is wrong.  How far, how often
 * and on which counter is ours, so that a judge can name it.
 * tests/tools/fault-sources.t checks the forms and counts the occurrences.
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
        "rule: SDM vol. 2, CPUID leaf 0AH, EAX[7:0]",
    },
    [PMU_FAULT_CPUID_VERSION_0] = {
        "cpuid-version-0", 2, 0,
        "CPUID announces version 0, and all else as ever; PDCM is 1",
        "QEMU e68ec2980901 \"i386/cpu: Move adjustment of CPUID_EXT_PDCM "
        "before feature_dependencies[] check\"",
    },
    [PMU_FAULT_CPUID_WIDTH_HIGH] = {
        "cpuid-width-high", 1, 0,
        "CPUID announces 48 bits; counters have 40",
        "rule: SDM vol. 2, CPUID leaf 0AH, EAX[23:16]",
    },
    [PMU_FAULT_CPUID_WIDTH_LOW] = {
        "cpuid-width-low", 1, 0,
        "CPUID announces 32 bits; counters have 48",
        "rule: SDM vol. 2, CPUID leaf 0AH, EAX[23:16]",
    },
    [PMU_FAULT_CPUID_COUNTERS_HIGH] = {
        "cpuid-counters-high", 1, 3,
        "CPUID announces two general counters more than there are",
        "KVM 4f1fa2a1bbeb \"KVM: x86/pmu: Limit the maximum number of "
        "supported Intel GP counters\"",
    },
    [PMU_FAULT_CPUID_COUNTERS_LOW] = {
        "cpuid-counters-low", 1, 3,
        "CPUID announces one general counter less than there are",
        "rule: SDM vol. 2, CPUID leaf 0AH, EAX[15:8]; APM vol. 3, CPUID "
        "8000_0022",
    },
    [PMU_FAULT_CPUID_FIXED_ABSENT] = {
        "cpuid-fixed-absent", 2, 0,
        "fixed counters are announced; their registers raise #GP",
        "KVM e1fba49cc1e9 \"kvm: vmx: Limit guest PMCs to those supported on "
        "the host\"",
    },
    [PMU_FAULT_CPUID_CPUS_DIFFER] = {
        "cpuid-cpus-differ", 1, 3,
        "CPUs of odd number have one general counter less",
        "KVM 4d7404e5ee00 \"KVM: x86/pmu: Disable vPMU support on hybrid "
        "CPUs (host PMUs)\"",
    },
    [PMU_FAULT_EVENT_SILENT] = {
        "event-silent", 1, 1,
        "the event of branches is announced and never counts",
        "rr-debugger/rr#2327; rr-debugger/rr#3682",
    },
    [PMU_FAULT_EVENT_HIDDEN] = {
        "event-hidden", 1, 0,
        "the event of branches is announced as not available, and counts",
        "erratum AAJ80, Core i7-900 specification update 320836",
    },
    [PMU_FAULT_PERFCAP_GP] = {
        "perfcap-gp", 2, 0,
        "PDCM is 1; IA32_PERF_CAPABILITIES raises #GP",
        "mail 20200616161427.375651-1-vkuznets@redhat.com",
    },
    [PMU_FAULT_FULL_WIDTH_GP] = {
        "full-width-gp", 2, 0,
        "FW_WRITE is 1; writing IA32_A_PMCx raises #GP",
        "rule: SDM vol. 3, IA32_PERF_CAPABILITIES.FW_WRITE",
    },
    [PMU_FAULT_FULL_WIDTH_TRUNCATED] = {
        "full-width-truncated", 2, 0,
        "writing IA32_A_PMCx keeps 32 bits",
        "rr-debugger/rr#1818",
    },
    [PMU_FAULT_CORE_ABSENT] = {
        "core-absent", 0, 2,
        "PerfCtrExtCore is 1; MSRs C001_0200 on raise #GP",
        "KVM d338d8789e64 \"KVM: x86/pmu: Advertise PERFCTR_CORE iff the min "
        "nr of counters is met\"",
    },
    [PMU_FAULT_V2_ABSENT] = {
        "v2-absent", 0, 3,
        "PerfMonV2 is announced; MSRs C000_0300 to 0303 raise #GP",
        "KVM 68e61f6fd656 \"KVM: SVM: Emulate PERF_CNTR_GLOBAL_STATUS_SET "
        "for PerfMonV2\"",
    },
    [PMU_FAULT_CORE_ALIASES] = {
        "core-aliases", 0, 2,
        "counters 4 and 5 are counters 0 and 1",
        "rule: APM vol. 2, core performance counters",
    },
    [PMU_FAULT_LEGACY_DEAD] = {
        "legacy-dead", 0, 2,
        "MSRs C001_0000 to 0007 read 0 and ignore writes",
        "microsoft/openvmm#3890",
    },
    /* Registers. */
    [PMU_FAULT_EVTSEL_READS_BACK] = {
        "evtsel-reads-back", 1, 1,
        "an event select reads with INT = 0",
        "Linux d0e1a507bdc7 \"perf/x86/intel: Disable check_msr for real HW\"",
    },
    [PMU_FAULT_RESERVED_ACCEPTED] = {
        "reserved-accepted", 1, 0,
        "reserved bits are ignored instead of raising #GP",
        "KVM 971079464001 \"KVM: x86/pmu: fix masking logic for "
        "MSR_CORE_PERF_GLOBAL_CTRL\"",
    },
    [PMU_FAULT_RESERVED_REFUSED] = {
        "reserved-refused", 0, 1,
        "a reserved bit in an event select raises #GP",
        "KVM 9b026073db2f \"KVM: x86/svm: Clear reserved bits written to "
        "PerfEvtSeln MSRs\"",
    },
    [PMU_FAULT_ABSENT_ACCEPTED] = {
        "absent-accepted", 1, 2,
        "registers of absent counters read 0 and ignore writes",
        "KVM 1973cadd4cca \"KVM: x86/vPMU: Forbid writing to MSR_F15H_PERF "
        "MSRs when guest doesn't have X86_FEATURE_PERFCTR_CORE\"",
    },
    [PMU_FAULT_RESET_GLOBAL_CTRL] = {
        "reset-global-ctrl", 2, 3,
        "the global control is 0 after reset",
        "KVM de120e1d692d \"KVM: x86/pmu: Set enable bits for GP counters in "
        "PERF_GLOBAL_CTRL at \"RESET\"\"",
    },
    [PMU_FAULT_RESET_SELECT] = {
        "reset-select", 1, 1,
        "event select 0 counts instructions after reset",
        "QEMU 4c7f05232cd1 \"target/i386/kvm: reset AMD PMU registers during "
        "VM reset\"",
    },
    [PMU_FAULT_RESET_COUNTER] = {
        "reset-counter", 1, 1,
        "general counter 1 has 0x12345678 after reset",
        "mail 20190717025118.16783-1-like.xu@linux.intel.com",
    },
    [PMU_FAULT_INIT_CLEARS] = {
        "init-clears", 1, 1,
        "INIT puts all PMU registers to their reset values",
        "KVM d28bc9dd25ce \"KVM: x86: INIT and reset sequences are "
        "different\"",
    },
    [PMU_FAULT_WRITE_NOT_EXTENDED] = {
        "write-not-extended", 1, 0,
        "writing IA32_PMCx clears the bits above 31",
        "erratum O8, Xeon MP specification update",
    },
    [PMU_FAULT_WRITE_RUNNING_ADDS] = {
        "write-running-adds", 1, 1,
        "a write to a general counter that counts adds to it",
        "KVM 4400cf546b4b \"KVM: x86: Fix perfctr WRMSR for running "
        "counters\"",
    },
    [PMU_FAULT_WRITE_LOW_BITS_LOST] = {
        "write-low-bits-lost", 1, 1,
        "a write to a general counter clears bits 5 to 0",
        "erratum BDM55, 5th generation Core specification update; Linux "
        "c46e665f0377 \"perf/x86: Add INST_RETIRED.ALL workarounds\"",
    },
    [PMU_FAULT_FIXED_WRITE_IGNORED] = {
        "fixed-write-ignored", 2, 0,
        "a write to a fixed counter has no effect",
        "rule: SDM vol. 3, IA32_FIXED_CTRx",
    },
    [PMU_FAULT_SELECT_WRITE_CLEARS] = {
        "select-write-clears", 1, 1,
        "a write to an event select sets its counter to 0",
        "erratum O9, Xeon MP specification update",
    },
    [PMU_FAULT_COUNTER_DEAD] = {
        "counter-dead", 1, 1,
        "general counter 2, or the last one, never moves",
        "Linux 400816f60c54 \"perf/x86/intel: Implement support for TSX "
        "Force Abort\"; iopsystems/rezolus#1053",
    },
    [PMU_FAULT_FIXED_DEAD] = {
        "fixed-dead", 2, 0,
        "fixed counter 1 never moves",
        "KVM 5eb7fcbdea63 \"KVM: x86/pmu: Always treat Fixed counters as "
        "available when supported\"",
    },
    [PMU_FAULT_OTHER_CPUS_DEAD] = {
        "other-cpus-dead", 1, 1,
        "only the first CPU counts",
        "rule: SDM vol. 3, APM vol. 2: each logical processor has its "
        "counters",
    },
    /* Counting. */
    [PMU_FAULT_OS_USR_SWAPPED] = {
        "os-usr-swapped", 1, 1,
        "OS counts rings 1 to 3, USR counts ring 0",
        "rule: SDM vol. 3, APM vol. 2, event select bits 16 and 17",
    },
    [PMU_FAULT_USR_IGNORED] = {
        "usr-ignored", 1, 1,
        "nothing counts in rings 1 to 3",
        "rule: SDM vol. 3, APM vol. 2, event select bit 16",
    },
    [PMU_FAULT_OS_IGNORED] = {
        "os-ignored", 1, 1,
        "nothing counts in ring 0",
        "Linux 1018faa6cf23 \"perf/x86/kvm: Fix Host-Only/Guest-Only "
        "counting with SVM disabled\"",
    },
    [PMU_FAULT_RINGS_IGNORED] = {
        "rings-ignored", 1, 1,
        "a counter with OS or USR counts in all rings",
        "rr-debugger/rr#2706",
    },
    [PMU_FAULT_ENABLE_IGNORED] = {
        "enable-ignored", 1, 1,
        "general counters count without EN",
        "KVM dfdeda67ea2d \"KVM: x86/pmu: Prevent the PMU from counting "
        "disallowed events\"",
    },
    [PMU_FAULT_GLOBAL_CTRL_IGNORED] = {
        "global-ctrl-ignored", 2, 3,
        "counters count though the global control does not enable them",
        "KVM 71f7347025bf \"KVM: nVMX: Load GUEST_IA32_PERF_GLOBAL_CTRL MSR "
        "on VM-Entry\"",
    },
    [PMU_FAULT_EDGE_IGNORED] = {
        "edge-ignored", 1, 1,
        "EDGE has no effect",
        "rule: SDM vol. 3, APM vol. 2, event select bit 18",
    },
    [PMU_FAULT_INV_IGNORED] = {
        "inv-ignored", 1, 1,
        "INV has no effect",
        "rule: SDM vol. 3, APM vol. 2, event select bit 23",
    },
    [PMU_FAULT_CMASK_IGNORED] = {
        "cmask-ignored", 1, 1,
        "CMASK has no effect, and so neither has INV",
        "rule: SDM vol. 3, APM vol. 2, event select bits 31 to 24",
    },
    [PMU_FAULT_NOT_TAKEN_LOST] = {
        "not-taken-lost", 1, 1,
        "conditional branches that are not taken are no branches",
        "KVM 018d70ffcfec \"KVM: x86: Update vPMCs when retiring branch "
        "instructions\"",
    },
    [PMU_FAULT_REP_BY_PASS] = {
        "rep-by-pass", 1, 1,
        "each pass of a REP string instruction is one instruction more",
        "DynamoRIO/dynamorio#2011",
    },
    [PMU_FAULT_EXTRA_PER_INTERRUPT] = {
        "extra-per-interrupt", 1, 1,
        "one instruction too many for each interrupt, in the interrupted ring",
        "erratum SRF7, Xeon 6700 with E-cores specification update (IRET)",
    },
    [PMU_FAULT_EXTRA_PER_PAGE_FAULT] = {
        "extra-per-page-fault", 1, 1,
        "one instruction too many for each page fault, in the faulting ring",
        "erratum SRF7, Xeon 6700 with E-cores specification update (IRET)",
    },
    [PMU_FAULT_EXTRA_PER_SYSCALL] = {
        "extra-per-syscall", 1, 1,
        "one instruction too many for each SYSCALL or SYSENTER, in the "
        "calling ring",
        "rr-debugger/rr#2034",
    },
    [PMU_FAULT_EXTRA_PER_EXIT] = {
        "extra-per-exit", 1, 1,
        "CPUID, IN and OUT count twice",
        "erratum SRF7, Xeon 6700 with E-cores specification update (VM "
        "exit); kvm-unit-tests 1b09357a2737 \"x86/pmu: Handle instruction "
        "overcount issue in overflow test\"",
    },
    [PMU_FAULT_MISSING_PER_EXIT] = {
        "missing-per-exit", 1, 1,
        "CPUID, IN and OUT do not count",
        "KVM 9cd803d496e7 \"KVM: x86: Update vPMCs when retiring "
        "instructions\"",
    },
    [PMU_FAULT_INTERRUPT_LOSES] = {
        "interrupt-loses", 1, 1,
        "an interrupt that is no NMI takes 5 off each counter that counts",
        "rr-debugger/rr#1952",
    },
    [PMU_FAULT_HALT_LOSES] = {
        "halt-loses", 1, 1,
        "HLT clears each counter that counts",
        "erratum AF24, Xeon LV and ULV specification update",
    },
    [PMU_FAULT_HALT_COUNTS] = {
        "halt-counts", 1, 1,
        "HLT adds 1,000 to each counter of cycles",
        "rule: SDM vol. 3, APM vol. 2: cycles are those that are not halted",
    },
    [PMU_FAULT_CYCLES_STOP] = {
        "cycles-stop", 1, 1,
        "core cycles never count",
        "rr-debugger/rr#3510",
    },
    [PMU_FAULT_CYCLES_ARE_INSNS] = {
        "cycles-are-insns", 1, 1,
        "core cycles count instructions",
        "riscv-software-src/riscv-isa-sim#702",
    },
    [PMU_FAULT_REF_CYCLES_DOUBLE] = {
        "ref-cycles-double", 1, 0,
        "reference cycles count double",
        "erratum W145, Celeron specification update",
    },
    [PMU_FAULT_EVENT_TRUNCATED] = {
        "event-truncated", 0, 1,
        "bits 11 to 8 of the event are ignored",
        "KVM b8bfee85f130 \"KVM: x86/pmu: Don't truncate the PerfEvtSeln MSR "
        "when creating a perf event\"",
    },
    [PMU_FAULT_WRAP_MISSING] = {
        "wrap-missing", 1, 1,
        "counters go on past their width, without overflow",
        "KVM b29a2acd36dd \"KVM: x86/pmu: Truncate counter value to allowed "
        "width on write\"",
    },
    /* Status, interrupt, freeze. */
    [PMU_FAULT_STATUS_NOT_SET] = {
        "status-not-set", 2, 3,
        "an overflow sets no status bit",
        "erratum AG69, Xeon 5100 specification update",
    },
    [PMU_FAULT_STATUS_NOT_CLEARED] = {
        "status-not-cleared", 2, 3,
        "status bits cannot be cleared",
        "mail 238c0da5-c542-55b1-aaed-d4345516b84b@zhaoxin.com",
    },
    [PMU_FAULT_STATUS_AT_RESET] = {
        "status-at-reset", 2, 3,
        "status bit 0 is set after reset",
        "Linux 23d2626b841c \"perf/x86/amd/core: Fix overflow reset on "
        "hotplug\"",
    },
    [PMU_FAULT_STATUS_WRONG_COUNTER] = {
        "status-wrong-counter", 2, 3,
        "an overflow of general counter i sets bit i ^ 1",
        "rule: SDM vol. 3, IA32_PERF_GLOBAL_STATUS; APM vol. 2, "
        "PerfCntrGlobalStatus",
    },
    [PMU_FAULT_STATUS_FIXED_MISSING] = {
        "status-fixed-missing", 2, 0,
        "an overflow of a fixed counter sets no status bit",
        "rule: SDM vol. 3, IA32_PERF_GLOBAL_STATUS",
    },
    [PMU_FAULT_STATUS_SET_IGNORED] = {
        "status-set-ignored", 4, 3,
        "GLOBAL_STATUS_SET has no effect",
        "KVM 68e61f6fd656 \"KVM: SVM: Emulate PERF_CNTR_GLOBAL_STATUS_SET "
        "for PerfMonV2\"",
    },
    [PMU_FAULT_STATUS_COND_CHANGED] = {
        "status-cond-changed", 2, 0,
        "each overflow sets bit 63 too",
        "mail 238c0da5-c542-55b1-aaed-d4345516b84b@zhaoxin.com",
    },
    [PMU_FAULT_PMI_NEVER] = {
        "pmi-never", 1, 1,
        "no PMI is ever delivered",
        "oxidecomputer/propolis#894; KVM 75189d1de1b3 \"KVM: x86/pmu: Update "
        "AMD PMC sample period to fix guest NMI-watchdog\"",
    },
    [PMU_FAULT_PMI_TWICE] = {
        "pmi-twice", 1, 1,
        "a second PMI follows each, masked or not",
        "KVM 73554b29bd70 \"KVM: x86/pmu: Synthesize at most one PMI per "
        "VM-exit\"",
    },
    [PMU_FAULT_PMI_ONLY_COUNTER_0] = {
        "pmi-only-counter-0", 1, 1,
        "only general counter 0 asks for a PMI",
        "rule: SDM vol. 3, APM vol. 2, event select bit 20",
    },
    [PMU_FAULT_PMI_NOT_FIXED] = {
        "pmi-not-fixed", 2, 0,
        "fixed counters ask for no PMI",
        "rule: SDM vol. 3, IA32_FIXED_CTR_CTRL",
    },
    [PMU_FAULT_PMI_AS_VECTOR] = {
        "pmi-as-vector", 1, 1,
        "an LVT entry of NMIs delivers its vector, or nothing if that is "
        "below 16",
        "rule: SDM vol. 3, Local Vector Table: delivery mode",
    },
    [PMU_FAULT_PMI_NEXT_CPU] = {
        "pmi-next-cpu", 1, 1,
        "the PMI goes to the next CPU",
        "rule: SDM vol. 3: the local APIC of the CPU that counts",
    },
    [PMU_FAULT_PMI_WITHOUT_ENABLE] = {
        "pmi-without-enable", 1, 1,
        "counters ask for a PMI without INT or PMI",
        "rule: SDM vol. 3, APM vol. 2, event select bit 20",
    },
    [PMU_FAULT_PMI_LATE] = {
        "pmi-late", 1, 1,
        "a PMI is 100 instructions late",
        "Linux 6d3edaae16c6 \"x86/perf/amd: Resolve NMI latency issues for "
        "active PMCs\"",
    },
    [PMU_FAULT_PMI_SPURIOUS] = {
        "pmi-spurious", 1, 1,
        "clearing EN of a counter with INT raises a PMI",
        "Linux 914123fa3904 \"x86/perf/amd: Resolve race condition when "
        "disabling PMC\"",
    },
    [PMU_FAULT_PMI_LOST_SHORT] = {
        "pmi-lost-short", 1, 1,
        "no PMI for a counter written less than 100 before its overflow",
        "erratum BDM11, 5th generation Core specification update; Linux "
        "c46e665f0377 \"perf/x86: Add INST_RETIRED.ALL workarounds\"",
    },
    [PMU_FAULT_LVT_NOT_MASKED] = {
        "lvt-not-masked", 1, 0,
        "delivery does not mask the LVT entry",
        "KVM a16eb25b09c0 \"KVM: x86: Mask LVTPC when handling a PMI\"",
    },
    [PMU_FAULT_LVT_MASKED] = {
        "lvt-masked", 0, 1,
        "delivery masks the LVT entry",
        "KVM 49ff3b4aec51 \"KVM: x86/pmu: Do not mask LVTPC when handling a "
        "PMI on AMD platforms\"",
    },
    [PMU_FAULT_LVT_MASK_IGNORED] = {
        "lvt-mask-ignored", 1, 1,
        "a masked LVT entry delivers",
        "rule: SDM vol. 3, Local Vector Table: mask",
    },
    [PMU_FAULT_FREEZE_IGNORED] = {
        "freeze-ignored", 2, 3,
        "DEBUGCTL's freeze on PMI has no effect",
        "Linux 598c2fafc06f \"perf/x86/amd/lbr: Use freeze based on "
        "availability\"",
    },
    [PMU_FAULT_FREEZE_NEVER_THAWED] = {
        "freeze-never-thawed", 4, 3,
        "the status bit of the freeze cannot be cleared",
        "rule: SDM vol. 3, CTR_FRZ; APM vol. 2, PmcFreeze",
    },
    [PMU_FAULT_FREEZE_ALWAYS] = {
        "freeze-always", 2, 3,
        "each PMI freezes",
        "Linux 3daa96d67274 \"perf/intel: Remove Perfmon-v4 counter_freezing "
        "support\"",
    },
    /* RDPMC. */
    [PMU_FAULT_RDPMC_ALLOWED] = {
        "rdpmc-allowed", 1, 1,
        "RDPMC works in rings 1 to 3 without CR4.PCE",
        "projectacrn/acrn-hypervisor#4184",
    },
    [PMU_FAULT_RDPMC_REFUSED] = {
        "rdpmc-refused", 1, 1,
        "RDPMC raises #GP in rings 1 to 3 with CR4.PCE too",
        "machyve/xhyve#69",
    },
    [PMU_FAULT_RDPMC_ABSENT_0] = {
        "rdpmc-absent-0", 1, 1,
        "RDPMC of an absent counter returns 0",
        "KVM ecb490770ad4 \"KVM: x86/pmu: Don't ignore bits 31:30 for RDPMC "
        "index on AMD\"",
    },
    [PMU_FAULT_RDPMC_FIXED_GP] = {
        "rdpmc-fixed-gp", 2, 0,
        "RDPMC of fixed counters raises #GP",
        "performancecopilot/pcp#107",
    },
    [PMU_FAULT_RDPMC_UPPER_BITS] = {
        "rdpmc-upper-bits", 1, 1,
        "RDPMC's bits above the width are 1",
        "KVM 0e6f467ee28e \"KVM: x86/pmu: mask the result of rdpmc according "
        "to the width of the counters\"",
    },
    [PMU_FAULT_RDPMC_32_BITS] = {
        "rdpmc-32-bits", 1, 1,
        "RDPMC returns 32 bits",
        "KVM 5728a4a0ea79 \"KVM: x86/pmu: Disallow \"fast\" RDPMC for "
        "architectural Intel PMUs\"",
    },
    /* Last branch records. */
    [PMU_FAULT_LBR_ABSENT] = {
        "lbr-absent", 2, 0,
        "the format of records is announced; their MSRs raise #GP",
        "Linux 338b522ca43c \"perf/x86/intel: Protect LBR and extra_regs "
        "against KVM lying\"",
        true,
    },
    [PMU_FAULT_LBR_DEBUGCTL_LOST] = {
        "lbr-debugctl-lost", 2, 0,
        "DEBUGCTL.LBR is not kept, and nothing is recorded",
        "kernelwernel/VMAware#554",
        true,
    },
    [PMU_FAULT_LBR_WRITE_CUT] = {
        "lbr-write-cut", 2, 0,
        "writing the source of an entry keeps 32 bits",
        "rule: SDM vol. 3, IA32_PERF_CAPABILITIES: format 5 has 64 bits",
        true,
    },
    [PMU_FAULT_LBR_ALWAYS] = {
        "lbr-always", 2, 0,
        "branches are recorded without DEBUGCTL.LBR",
        "rule: SDM vol. 3, IA32_DEBUGCTL: LBR",
        true,
    },
    [PMU_FAULT_LBR_TOP_STUCK] = {
        "lbr-top-stuck", 2, 0,
        "the top of the stack does not move",
        "rule: SDM vol. 3, LBR Stack: TOS points to the most recent entry",
        true,
    },
    [PMU_FAULT_LBR_SHALLOW] = {
        "lbr-shallow", 2, 0,
        "the stack has 16 entries",
        "rule: SDM vol. 3, LBR Stack: Skylake has 32 entries",
        true,
    },
    [PMU_FAULT_LBR_SWAPPED] = {
        "lbr-swapped", 2, 0,
        "source and target are swapped",
        "rule: SDM vol. 3, LBR Stack: FROM_IP and TO_IP",
        true,
    },
    [PMU_FAULT_LBR_NOT_TAKEN] = {
        "lbr-not-taken", 2, 0,
        "branches that are not taken are recorded",
        "rule: SDM vol. 3, Last Branch Recording: taken branches",
        true,
    },
    [PMU_FAULT_LBR_RING_IGNORED] = {
        "lbr-ring-ignored", 2, 0,
        "the rings of MSR_LBR_SELECT have no effect",
        "Linux 3e702ff6d1ea \"perf/x86: Add LBR software filter support for "
        "Intel CPUs\"",
        true,
    },
    [PMU_FAULT_LBR_RING_OF_SOURCE] = {
        "lbr-ring-of-source", 2, 0,
        "the ring of the source selects, so that addresses of the kernel "
        "are recorded where only user mode is chosen",
        "rule: SDM vol. 3, MSR_LBR_SELECT: CPL_EQ_0 leaves branches out "
        "that end in ring 0",
        true,
    },
    [PMU_FAULT_LBR_KIND_IGNORED] = {
        "lbr-kind-ignored", 2, 0,
        "the kinds of branch in MSR_LBR_SELECT have no effect",
        "Linux 3e702ff6d1ea \"perf/x86: Add LBR software filter support for "
        "Intel CPUs\"",
        true,
    },
    [PMU_FAULT_LBR_CYCLES_ZERO] = {
        "lbr-cycles-zero", 2, 0,
        "the cycles of entries are 0",
        "rule: SDM vol. 3, MSR_LBR_INFO_x: cycle count",
        true,
    },
    [PMU_FAULT_LBR_FREEZE_IGNORED] = {
        "lbr-freeze-ignored", 2, 0,
        "a PMI does not freeze the records",
        "erratum AM94, Celeron processor 400 series specification update "
        "(the freeze comes too soon)",
        true,
    },
    /* Precise sampling. */
    [PMU_FAULT_PEBS_ABSENT] = {
        "pebs-absent", 2, 0,
        "the format of records is announced; the MSRs raise #GP",
        "rule: SDM vol. 3, IA32_PERF_CAPABILITIES: PEBS_REC_FMT",
        .of_pebs = true,
    },
    [PMU_FAULT_PEBS_IP_LATE] = {
        "pebs-ip-late", 2, 0,
        "a record names the instruction after the one that overflowed",
        "rule: SDM vol. 3, PEBS record: EventingIP",
        .of_pebs = true,
    },
    [PMU_FAULT_PEBS_NO_REGISTERS] = {
        "pebs-no-registers", 2, 0,
        "the general registers of a record are 0",
        "rule: SDM vol. 3, IA32_PERF_CAPABILITIES: PEBS_ARCH_REG",
        .of_pebs = true,
    },
    [PMU_FAULT_PEBS_NOT_RELOADED] = {
        "pebs-not-reloaded", 2, 0,
        "a record does not set its counter to the reset value",
        "rule: SDM vol. 3, DS save area: counter reset values",
        .of_pebs = true,
    },
    [PMU_FAULT_PEBS_INDEX_STUCK] = {
        "pebs-index-stuck", 2, 0,
        "a record does not move the index, and the next one overwrites it",
        "rule: SDM vol. 3, DS save area: PEBS index",
        .of_pebs = true,
    },
    [PMU_FAULT_PEBS_PAST_END] = {
        "pebs-past-end", 2, 0,
        "records are written past the absolute maximum",
        "rule: SDM vol. 3, DS save area: PEBS absolute maximum",
        .of_pebs = true,
    },
    [PMU_FAULT_PEBS_THRESHOLD_IGNORED] = {
        "pebs-threshold-ignored", 2, 0,
        "each record has a PMI",
        "rule: SDM vol. 3, DS save area: PEBS interrupt threshold",
        .of_pebs = true,
    },
    [PMU_FAULT_PEBS_PMI_NEVER] = {
        "pebs-pmi-never", 2, 0,
        "the threshold sets the status, and no PMI comes",
        "erratum AR64, Celeron processor 500 series specification update "
        "(the PMI comes one record late)",
        .of_pebs = true,
    },
    [PMU_FAULT_PEBS_STATUS_SET] = {
        "pebs-status-set", 2, 0,
        "a counter that makes records sets its status bit and has a PMI, "
        "too",
        "rule: SDM vol. 3, PEBS: the overflow of a PEBS counter sets no "
        "status bit",
        .of_pebs = true,
    },
    /* Instruction-based sampling. */
    [PMU_FAULT_IBS_ABSENT] = {
        "ibs-absent", 0, 1,
        "CPUID announces it; its MSRs raise #GP",
        "rule: APM vol. 3, CPUID Fn8000_0001_ECX: IBS",
        .of_ibs = true,
    },
    [PMU_FAULT_IBS_LVT_INVALID] = {
        "ibs-lvt-invalid", 0, 1,
        "IbsCtl names no entry of the APIC",
        "Linux a68c439b1966 \"apic, x86: Check if EILVT APIC registers are "
        "available (AMD only)\"",
        .of_ibs = true,
    },
    [PMU_FAULT_IBS_FETCH_COUNT_KEPT] = {
        "ibs-fetch-count-kept", 0, 1,
        "writing the count of fetches has an effect only where the write "
        "enables, too",
        "Linux 221bfce5ebbd \"arch/x86/amd/ibs: Fix re-arming IBS Fetch\"",
        .of_ibs = true,
    },
    [PMU_FAULT_IBS_FETCH_ADDRESS_ZERO] = {
        "ibs-fetch-address-zero", 0, 1,
        "the address of a fetch is 0",
        "Linux 26db2e0c51fe \"perf/x86/amd/ibs: Work around erratum #1197\"",
        .of_ibs = true,
    },
    [PMU_FAULT_IBS_ALWAYS_CYCLES] = {
        "ibs-always-cycles", 0, 1,
        "cycles are counted where ops are chosen",
        "rule: APM vol. 2, IBS Execution Control Register: IbsOpCntCtl",
        .of_ibs = true,
    },
    [PMU_FAULT_IBS_GOES_ON] = {
        "ibs-goes-on", 0, 1,
        "a valid sample does not stop the counter of ops",
        "rule: APM vol. 2, IBS Execution Control Register: IbsOpVal",
        .of_ibs = true,
    },
    [PMU_FAULT_IBS_RIP_LATE] = {
        "ibs-rip-late", 0, 1,
        "a sample names the instruction after the one that it describes",
        "rule: APM vol. 2, IBS Op Logical Address Register",
        .of_ibs = true,
    },
    [PMU_FAULT_IBS_TARGET_WRONG] = {
        "ibs-target-wrong", 0, 1,
        "the target of a branch is the branch",
        "erratum 717, AMD Family 15h Models 00h-0Fh revision guide",
        .of_ibs = true,
    },
    [PMU_FAULT_IBS_STORE_IS_LOAD] = {
        "ibs-store-is-load", 0, 1,
        "a store is shown as a load",
        "rule: APM vol. 2, IBS Op Data 3 Register: IbsStOp",
        .of_ibs = true,
    },
    [PMU_FAULT_IBS_PMI_NEVER] = {
        "ibs-pmi-never", 0, 1,
        "samples have no interrupt",
        "rule: APM vol. 2, IBS Interrupt",
        .of_ibs = true,
    },
    [PMU_FAULT_IBS_MASK_IGNORED] = {
        "ibs-mask-ignored", 0, 1,
        "the interrupt comes though its entry is masked",
        "rule: APM vol. 2, Extended Local Vector Table: Mask",
        .of_ibs = true,
    },
    [PMU_FAULT_IBS_PMI_ON_DISABLE] = {
        "ibs-pmi-on-disable", 0, 1,
        "disabling the counter of ops with its maximum kept raises an "
        "interrupt that belongs to no sample",
        "Linux e431e79b6060 \"perf/x86/amd/ibs: Handle erratum #420 only on "
        "the affected CPU family (10h)\"; jlgreathouse/AMD_IBS_Toolkit#2",
        .of_ibs = true,
    },
};
