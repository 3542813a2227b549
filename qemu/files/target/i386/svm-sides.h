/*
 * The two sides of SVM, the host and its guest: the TLB keeps the translations
 * of the side that does not run.
 *
 * A CPU with SVM tags translations with the guest's ASID, so that neither VMRUN
 * nor #VMEXIT flushes them.  Here the guest's have MMU indexes of their own,
 * MMU_GUEST_SIDE above the host's, and are those of one ASID: a VMRUN with
 * another one flushes them.  So does a VMRUN whose state is not the one that
 * the last #VMEXIT left, although a hypervisor that changes it has to ask for a
 * flush itself (AMD64 Architecture Programmer's Manual, volume 2, 15.16), and a
 * #VMEXIT whose state is not the one that VMRUN left flushes the host's.
 * Physical addresses, MMU_PHYS_IDX, are the same on both sides.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef I386_SVM_SIDES_H
#define I386_SVM_SIDES_H

/* What the translations of a side depend on. */
typedef struct SVMSide {
    uint64_t cr0, cr3, cr4, efer;
    uint64_t nested_cr3;        /* with nested paging */
    uint32_t nested_pg_mode;
    bool nested;                /* there is nested paging */
    uint32_t asid;              /* of a guest, not 0; 0: nothing is known */
} SVMSide;

/* Not migrated: a CPU that has arrived has no translations. */
typedef struct SVMSides {
    SVMSide host, guest;        /* as they were left */
    bool entered;               /* VMRUN has got as far as svm_enter_guest */
    bool loading;               /* control registers change, and the side */
} SVMSides;

/*
 * VMRUN calls svm_leave_host before it loads anything; then svm_enter_guest,
 * when env has HF_GUEST_MASK and the nested paging, with the control registers
 * that it loads next; then svm_entered.  #VMEXIT calls svm_leave_guest, then
 * svm_enter_host without HF_GUEST_MASK, then svm_entered.
 */
void svm_leave_host(CPUArchState *env);
void svm_enter_guest(CPUArchState *env, SVMSide guest);
void svm_leave_guest(CPUArchState *env);
void svm_enter_host(CPUArchState *env, SVMSide host);
void svm_entered(CPUArchState *env);

/* svm_flush_guest: flush the guest's translations. */
void svm_flush_guest(CPUArchState *env);

#endif
