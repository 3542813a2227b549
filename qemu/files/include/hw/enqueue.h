/*
 * Enqueue registers: targets of MOVDIR64B, ENQCMD and ENQCMDS.
 *
 * A device whose memory region has enqueue registers implements this interface
 * as the region's owner.  The CPU hands it all 64 bytes at once, so that no two
 * CPUs' descriptors mix.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_ENQUEUE_H
#define HW_ENQUEUE_H

#include "exec/memory.h"
#include "qom/object.h"

#define ENQUEUE_BYTES 64

#define TYPE_ENQUEUE_TARGET "enqueue-target"

typedef struct EnqueueTargetClass EnqueueTargetClass;
DECLARE_CLASS_CHECKERS(EnqueueTargetClass, ENQUEUE_TARGET, TYPE_ENQUEUE_TARGET)

struct EnqueueTargetClass {
    InterfaceClass parent;

    /*
     * Takes the descriptor that a CPU stores at @offset of @region, which
     * @owner owns.  @deferrable: ENQCMD or ENQCMDS, so the target may refuse;
     * MOVDIR64B is posted, and does not look at the result.  Returns true if
     * the target accepts.  Called with the BQL held.
     */
    bool (*enqueue)(Object *owner, MemoryRegion *region, hwaddr offset,
                    const uint8_t descriptor[ENQUEUE_BYTES], bool deferrable);
};

#endif
