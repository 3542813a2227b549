/*
 * The host's MXCSR, while it belongs to a guest
 *
 * A target may let the host's SSE compute for its guest, with the guest's mode and
 * flags in MXCSR of the vCPU's thread (target/i386/tcg/host-sse-flags.h). Code
 * in that thread that may compute for itself, or call what computes, has a plain
 * MXCSR, and keeps the guest's: translation (GLib's hash tables compute their
 * sizes by a product of doubles), devices, interrupt delivery.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TCG_HOST_FLAGS_H
#define TCG_HOST_FLAGS_H

#ifdef __x86_64__

#define HOST_FLAGS_PLAIN 0x1f80     /* masks all, rounds to nearest */

/* The thread's MXCSR, while it is kept for the guest; 0: it is not. */
extern __thread uint32_t host_flags_kept;

static inline uint32_t host_flags_mxcsr(void)
{
    uint32_t mxcsr;

    asm volatile("stmxcsr %0" : "=m" (mxcsr) : : "memory");
    return mxcsr;
}

static inline void host_flags_set_mxcsr(uint32_t mxcsr)
{
    asm volatile("ldmxcsr %0" : : "m" (mxcsr) : "memory");
}

/*
 * Ends HOST_FLAGS_KEEP() of this thread, if there is one: MXCSR is the guest's
 * again. For the target of a long jump. Any thread.
 */
static inline void host_flags_put_back(void)
{
    if (host_flags_kept) {
        host_flags_set_mxcsr(host_flags_kept);
        host_flags_kept = 0;
    }
}

/*
 * Gives this thread a plain MXCSR and keeps its own. Returns false if an outer
 * function already did.
 */
static inline bool host_flags_keep(void)
{
    if (host_flags_kept) {
        return false;
    }
    host_flags_kept = host_flags_mxcsr();
    host_flags_set_mxcsr(HOST_FLAGS_PLAIN);
    return true;
}

/* The cleanup of HOST_FLAGS_KEEP(). */
static inline void host_flags_leave(const bool *outermost)
{
    if (*outermost) {
        host_flags_put_back();
    }
}

/*
 * From here to the end of the function the thread has a plain MXCSR. Functions
 * that use it may call each other. Any thread, also outside of a vCPU.
 */
#define HOST_FLAGS_KEEP()                                               \
    bool keeps_flags __attribute__((cleanup(host_flags_leave), unused)) = \
        host_flags_keep()

#else

static inline void host_flags_put_back(void)
{
}

#define HOST_FLAGS_KEEP()

#endif
#endif
