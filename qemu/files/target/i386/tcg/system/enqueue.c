/*
 * MOVDIR64B, ENQCMD and ENQCMDS.
 *
 * 64 bytes are read, and then reach their destination at once.  A device that
 * implements TYPE_ENQUEUE_TARGET takes them as one descriptor.  To any other
 * destination MOVDIR64B stores them in parts, and ENQCMD reports "retry", as a
 * CPU does for what is no enqueue register.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/rcu.h"
#include "cpu.h"
#include "exec/cpu_ldst.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "hw/enqueue.h"
#include "tcg/helper-tcg.h"
#include "tcg/host-flags.h"

#define PASID_RESERVED 0x7ff00000u      /* bits 30:20 */

/* Looks where the store to @address goes; it faults as the store would. */
static MemoryRegion *find_target(CPUX86State *env, target_ulong address,
                                 hwaddr *offset, uintptr_t ra)
{
    CPUState *cs = env_cpu(env);
    hwaddr length = ENQUEUE_BYTES;
    CPUTLBEntryFull *full;
    void *host;
    int flags = probe_access_full(env, address, ENQUEUE_BYTES, MMU_DATA_STORE,
                                  cpu_mmu_index(cs, false), false, &host, &full,
                                  ra);
    hwaddr physical = full->phys_addr | (address & ~TARGET_PAGE_MASK);

    if (!(flags & TLB_MMIO)) {
        return NULL;
    }
    return address_space_translate(
        cpu_get_address_space(cs, cpu_asidx_from_attrs(cs, full->attrs)),
        physical, offset, &length, true, full->attrs);
}

/* Returns 1 or 0, as the target accepts or not; -1: @address is no target. */
static int submit(CPUX86State *env, target_ulong address,
                  const uint8_t data[ENQUEUE_BYTES], bool deferrable,
                  uintptr_t ra)
{
    RCU_READ_LOCK_GUARD();
    HOST_FLAGS_KEEP();
    hwaddr offset;
    MemoryRegion *region = find_target(env, address, &offset, ra);
    Object *owner = region ? memory_region_owner(region) : NULL;
    bool accepted;

    if (!owner || !object_dynamic_cast(owner, TYPE_ENQUEUE_TARGET)) {
        return -1;
    }
    bql_lock();
    accepted = ENQUEUE_TARGET_CLASS(object_get_class(owner))->enqueue(
        owner, region, offset, data, deferrable);
    bql_unlock();
    return accepted;
}

static void load(CPUX86State *env, uint8_t data[ENQUEUE_BYTES],
                 target_ulong address, uintptr_t ra)
{
    for (unsigned i = 0; i < ENQUEUE_BYTES; i += 8) {
        stq_le_p(data + i, cpu_ldq_data_ra(env, address + i, ra));
    }
}

void helper_movdir64b(CPUX86State *env, target_ulong to, target_ulong from)
{
    uintptr_t ra = GETPC();
    uint8_t data[ENQUEUE_BYTES];

    if (to % ENQUEUE_BYTES) {
        raise_exception_ra(env, EXCP0D_GPF, ra);
    }
    load(env, data, from, ra);
    if (submit(env, to, data, false, ra) >= 0) {
        return;
    }
    for (unsigned i = 0; i < ENQUEUE_BYTES; i += 8) {
        cpu_stq_data_ra(env, to + i, ldq_le_p(data + i), ra);
    }
}

/*
 * ENQCMD gives the descriptor the PASID of IA32_PASID, and user privilege;
 * ENQCMDS takes both from memory.
 */
void helper_enqcmd(CPUX86State *env, target_ulong to, target_ulong from,
                   uint32_t supervisor)
{
    uintptr_t ra = GETPC();
    uint8_t data[ENQUEUE_BYTES];

    if (to % ENQUEUE_BYTES ||
        (!supervisor && !(env->msr_ia32_pasid & IA32_PASID_VALID))) {
        raise_exception_ra(env, EXCP0D_GPF, ra);
    }
    load(env, data, from, ra);
    if (!supervisor) {
        stl_le_p(data, env->msr_ia32_pasid & IA32_PASID_PASID);
    } else if (ldl_le_p(data) & PASID_RESERVED) {
        raise_exception_ra(env, EXCP0D_GPF, ra);
    }
    env->cc_src = submit(env, to, data, true, ra) == 1 ? 0 : CC_Z;
    env->cc_op = CC_OP_EFLAGS;
}
