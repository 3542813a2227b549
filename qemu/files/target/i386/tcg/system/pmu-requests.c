/*
 * The emulated PMUs: the client requests of Valgrind's headers.
 *
 * A program that is annotated for Callgrind makes its requests by four rotations of RDI that together change nothing,
 * and "xchg %rbx, %rbx".  RAX has the address of six words, the request and its arguments; RDX has the answer of a
 * machine that knows no requests, and takes ours.  With x-pmu-requests=on, such a sequence in user mode is known when it
 * is translated, and the last instruction calls helper_pmu_request.  It retires, and is counted by the state that it found.
 *
 * Requests have an effect after one of Tally's own, which the counting program makes before it becomes the program: so
 * nothing of the kernel's start is in it.  From then on no counter counts until the program asks for it, by
 * CALLGRIND_START_INSTRUMENTATION, by CALLGRIND_TOGGLE_COLLECT, or by both: counters count while both switches
 * are on, where a switch that was never touched is no obstacle.  RUNNING_ON_VALGRIND is 1.  Requests to write or to clear
 * Callgrind's counts are reported once and do nothing.  All other requests are as without Valgrind.
 *
 * The switches are the machine's.  Other CPUs follow at the end of their present block.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qemu/thread.h"
#include "cpu.h"
#include "exec/cpu-common.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "tcg/helper-tcg.h"
#include "pmu-internal.h"

/* The names and numbers of valgrind.h and callgrind.h; a tool's own begin with its letters. */
#define TOOL_BASE(a, b)         ((uint64_t)(a) << 24 | (uint64_t)(b) << 16)
enum {
    RUNNING_ON_VALGRIND = 0x1001,
    DUMP_STATS = TOOL_BASE('C', 'T'),
    ZERO_STATS,
    TOGGLE_COLLECT,
    DUMP_STATS_AT,
    START_INSTRUMENTATION,
    STOP_INSTRUMENTATION,
};
/* The counting program's. */
#define WAIT_FOR_REQUESTS       TOOL_BASE('T', 'L')

/* rol $3, %rdi; rol $13, %rdi; rol $61, %rdi; rol $51, %rdi; xchg %rbx, %rbx */
static const uint8_t sequence[] = {
    0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d, 0x48, 0xc1, 0xc7, 0x3d,
    0x48, 0xc1, 0xc7, 0x33, 0x48, 0x87, 0xdb,
};

typedef struct Switch {
    bool touched, on;
} Switch;

static struct {
    bool waits;                 /* requests have an effect */
    Switch instrumentation, collection;
} state;
static QemuMutex state_lock;

void pmu_requests_realize(void)
{
    static bool made;

    if (!made) {
        made = true;
        qemu_mutex_init(&state_lock);
    }
}

bool x86_pmu_ends_request(CPUX86State *env, uint64_t end)
{
    uint8_t code[sizeof(sequence)];

    return cpu_memory_rw_debug(env_cpu(env), end - sizeof(code), code,
                               sizeof(code), false) == 0 &&
           memcmp(code, sequence, sizeof(code)) == 0;
}

static bool hinders(const Switch *one)
{
    return one->touched && !one->on;
}

/* With the lock. */
static bool must_pause(void)
{
    return state.waits &&
           (hinders(&state.instrumentation) || hinders(&state.collection) ||
            (!state.instrumentation.touched && !state.collection.touched));
}

static void pause_counting(CPUX86State *env, bool paused)
{
    if (env->pmu.paused != paused) {
        x86_pmu_resync(env);
        env->pmu.paused = paused;
        pmu_reconfigure(env);
    }
}

static void pause_cpu(CPUState *cs, run_on_cpu_data paused)
{
    pause_counting(cpu_env(cs), paused.host_int);
}

static void turn(Switch *one, bool on)
{
    *one = (Switch) { .touched = true, .on = on };
}

/* Returns the answer; @answer is that of a machine without requests. */
static uint64_t serve(uint64_t request, uint64_t answer)
{
    if (request == WAIT_FOR_REQUESTS) {
        memset(&state, 0, sizeof(state));
        state.waits = true;
        return 0;
    }
    if (!state.waits) {
        return answer;
    }
    switch (request) {
    case RUNNING_ON_VALGRIND:
        return 1;
    case START_INSTRUMENTATION:
    case STOP_INSTRUMENTATION:
        turn(&state.instrumentation, request == START_INSTRUMENTATION);
        return 0;
    case TOGGLE_COLLECT:
        turn(&state.collection, !state.collection.on);
        return 0;
    case DUMP_STATS:
    case DUMP_STATS_AT:
    case ZERO_STATS:
        warn_report_once("the program asks Callgrind to write or to clear its counts: they stay those of all that it selects");
        return 0;
    default:
        return answer;
    }
}

void helper_pmu_request(CPUX86State *env)
{
    CPUState *cs = env_cpu(env), *other;
    uint64_t request;
    bool paused;

    if (cpu_memory_rw_debug(cs, env->regs[R_EAX], &request, sizeof(request),
                            false)) {
        return;
    }
    WITH_QEMU_LOCK_GUARD(&state_lock) {
        env->regs[R_EDX] = serve(le64_to_cpu(request), env->regs[R_EDX]);
        paused = must_pause();
    }
    pause_counting(env, paused);
    CPU_FOREACH(other) {
        if (other != cs && cpu_env(other)->pmu.paused != paused) {
            async_run_on_cpu(other, pause_cpu, RUN_ON_CPU_HOST_INT(paused));
        }
    }
}
