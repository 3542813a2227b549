/*
 * The tasks of the guest: the calls of each that have not returned, and what its functions have cost.
 *
 * A frame is a call that has not ended.  Its slot is the address of its return address on the guest's stack.  Whenever
 * another function goes on, or a call or return has happened, functions_enter compares the stack pointer with the slots:
 * the calls whose slots are free have ended.  So a return ends one call, and longjmp, an exception of C++ and a return that
 * matches no call end as many as they leave.
 *
 * A function that goes on without a call and is not the last frame's has been jumped to: a tail call.  It takes a frame with
 * the slot of the one before, and so both end together.  If it is already among the frames with this slot, the jump leads
 * back to it, and those above it end.
 *
 * A signal's handler is called by what it interrupts.  A mark below its frame has the interrupted stack pointer; the mark
 * and all above it end when the stack pointer is there again.  A handler may run on another stack, above or below.
 *
 * Invariants: a function's active count is the number of its frames, marks not among them; the slots of the frames above the
 * last mark do not ascend, unless the task changes stacks by itself.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"

/* Below the first frame of a task there is no return address. */
#define NO_SLOT         UINT64_MAX
/* Deeper calls are their callers' cost.  A frame takes 8 bytes of the guest's stack at least, and 48 of the host's memory. */
#define FRAMES_MAX      (1u << 24)
#define HASH_FIRST      64

typedef struct Cost {
    uint64_t key;               /* the function; of a call, the caller in the upper half; 0: none */
    uint64_t calls;
    uint64_t exclusive, inclusive;
    uint64_t since;             /* while active: the task's clock at its first call */
    uint32_t active;
} Cost;

/* Costs by key: open addressing, at most half full. */
typedef struct Costs {
    Cost *at;
    uint32_t size, nr;          /* size: a power of 2, or 0 */
} Costs;

typedef struct Frame {
    uint64_t slot;              /* of a mark: the interrupted stack pointer */
    uint64_t since;             /* the clock when it began */
    uint64_t return_pc;         /* of a mark: the interrupted call's, or 0 */
    uint32_t function;          /* FUNCTIONS_NONE: a mark */
    uint32_t caller;            /* FUNCTIONS_NONE: the task's first frame */
    uint32_t mark_below;        /* the index of the mark before, plus 1 */
    bool outermost;             /* no other call of the function was active */
    bool above;                 /* of a mark: the handler's stack is above the interrupted one */
    bool fresh;                 /* of a mark: the handler has not begun */
} Frame;

struct FunctionsTask {
    uint64_t name;
    uint64_t clock;
    uint64_t kept_return;       /* of a call, while the task does not run */
    uint32_t current;           /* the function that costs are of */
    uint32_t nr, room;
    uint32_t mark;              /* the index of the last mark, plus 1 */
    Frame *frames;
    Costs functions, calls;
    struct FunctionsTask *next;
};

#define TASKS_HASH      1024

typedef struct FunctionsTasks {
    FunctionsTask *at[TASKS_HASH];
    Costs functions, calls;     /* of tasks that have ended */
} FunctionsTasks;

static uint32_t hash(uint64_t key)
{
    return key * 0x9e3779b97f4a7c15ull >> 32;
}

static Cost *probe(const Costs *c, uint64_t key)
{
    uint32_t i = hash(key) & (c->size - 1);

    while (c->at[i].key && c->at[i].key != key) {
        i = (i + 1) & (c->size - 1);
    }
    return &c->at[i];
}

/* The cost of @key, made if there is none.  Valid until the next call. */
static Cost *cost(Costs *c, uint64_t key)
{
    Cost *found;

    if (2 * c->nr >= c->size) {
        Costs larger = { .size = c->size ? 2 * c->size : HASH_FIRST, .nr = c->nr };

        larger.at = calloc(larger.size, sizeof(Cost));
        if (!larger.at) {
            abort();
        }
        for (uint32_t i = 0; i < c->size; i++) {
            if (c->at[i].key) {
                *probe(&larger, c->at[i].key) = c->at[i];
            }
        }
        free(c->at);
        *c = larger;
    }
    found = probe(c, key);
    if (!found->key) {
        found->key = key;
        c->nr++;
    }
    return found;
}

static Cost *cost_of_call(FunctionsTask *t, const Frame *frame)
{
    return cost(&t->calls, (uint64_t)frame->caller << 32 | frame->function);
}

static FunctionsTasks *tasks_of(Functions *f)
{
    FunctionsTasks **tasks = functions_tasks(f);

    if (!*tasks) {
        *tasks = calloc(1, sizeof(**tasks));
        if (!*tasks) {
            abort();
        }
    }
    return *tasks;
}

static FunctionsTask **place_of(Functions *f, uint64_t name)
{
    FunctionsTask **at = &tasks_of(f)->at[hash(name) % TASKS_HASH];

    while (*at && (*at)->name != name) {
        at = &(*at)->next;
    }
    return at;
}

FunctionsTask *functions_task(Functions *f, uint64_t name)
{
    FunctionsTask **at = place_of(f, name);

    if (!*at) {
        *at = calloc(1, sizeof(**at));
        if (!*at) {
            abort();
        }
        (*at)->name = name;
    }
    return *at;
}

FunctionsTask *functions_find_task(Functions *f, uint64_t name)
{
    return *place_of(f, name);
}

/* The function of the last frame, marks left out; FUNCTIONS_NONE: there is none. */
static uint32_t caller_of_next(const FunctionsTask *t)
{
    for (uint32_t i = t->nr; i-- > 0; ) {
        if (t->frames[i].function != FUNCTIONS_NONE) {
            return t->frames[i].function;
        }
    }
    return FUNCTIONS_NONE;
}

static Frame *push(FunctionsTask *t, const Frame *frame)
{
    if (t->nr == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->frames = realloc(t->frames, t->room * sizeof(Frame));
        if (!t->frames) {
            abort();
        }
    }
    t->frames[t->nr] = *frame;
    return &t->frames[t->nr++];
}

static void begin(FunctionsTask *t, uint32_t id, uint64_t slot, bool counts)
{
    Frame frame = {
        .slot = slot, .since = t->clock, .function = id, .caller = caller_of_next(t),
    };
    Cost *of = cost(&t->functions, id);

    if (t->nr == FRAMES_MAX) {
        return;
    }
    frame.outermost = of->active++ == 0;
    if (frame.outermost) {
        of->since = t->clock;
    }
    if (counts) {
        of->calls++;
        if (frame.caller != FUNCTIONS_NONE) {
            cost_of_call(t, &frame)->calls++;
        }
    }
    push(t, &frame);
}

/* The last frame ends. */
static void end(FunctionsTask *t)
{
    Frame frame = t->frames[--t->nr];

    if (frame.function == FUNCTIONS_NONE) {
        t->mark = frame.mark_below;
        return;
    }
    Cost *of = cost(&t->functions, frame.function);

    if (--of->active == 0) {
        of->inclusive += t->clock - of->since;
    }
    if (frame.outermost && frame.caller != FUNCTIONS_NONE) {
        cost_of_call(t, &frame)->inclusive += t->clock - frame.since;
    }
}

void functions_unwind(FunctionsTask *t)
{
    while (t->nr) {
        end(t);
    }
    t->current = FUNCTIONS_NONE;
}

void functions_charge(FunctionsTask *t, uint64_t amount)
{
    if (amount) {
        cost(&t->functions, t->current ? t->current : FUNCTIONS_UNKNOWN)->exclusive += amount;
        t->clock += amount;
    }
}

/*
 * Ends the innermost handler if what it interrupted goes on.  Returns the
 * address to which the interrupted call returns, if a call was interrupted
 * before its function began.
 */
static uint64_t leave_handlers(FunctionsTask *t, uint64_t sp)
{
    uint64_t return_pc = 0;

    while (t->mark) {
        Frame *mark = &t->frames[t->mark - 1];
        uint32_t index = t->mark - 1;

        if (mark->fresh) {
            mark->fresh = false;
            mark->above = sp > mark->slot;
            break;
        }
        if (sp != mark->slot && (mark->above || sp < mark->slot)) {
            break;
        }
        return_pc = sp == mark->slot ? mark->return_pc : 0;
        while (t->nr > index) {
            end(t);
        }
    }
    return return_pc;
}

/* Function @id goes on by a jump, or because calls have ended. */
static void go_on(FunctionsTask *t, uint32_t id, uint64_t sp, bool counted)
{
    Frame *last = t->nr ? &t->frames[t->nr - 1] : NULL;

    if (!last) {
        begin(t, id, NO_SLOT, false);
        return;
    }
    if (last->function == FUNCTIONS_NONE) {
        begin(t, id, sp, counted);
        return;
    }
    for (uint32_t i = t->nr; i-- > 0 && t->frames[i].slot == last->slot; ) {
        if (t->frames[i].function == id) {
            while (t->nr > i + 1) {
                end(t);
            }
            return;
        }
    }
    begin(t, id, last->slot, counted);
}

void functions_enter(FunctionsTask *t, uint32_t id, uint64_t pc, uint64_t sp,
                     uint64_t return_pc, bool counted)
{
    uint64_t interrupted = leave_handlers(t, sp);
    bool by_call;

    if (interrupted) {
        return_pc = interrupted;
    }
    /* A call of the next instruction reads the program counter. */
    by_call = return_pc && return_pc != pc;
    while (t->nr > t->mark &&
           (t->frames[t->nr - 1].slot < sp ||
            (by_call && t->frames[t->nr - 1].slot == sp))) {
        end(t);
    }
    if (by_call) {
        begin(t, id, sp, counted);
    } else {
        go_on(t, id, sp, counted);
    }
    t->current = id;
}

void functions_signal(FunctionsTask *t, uint64_t sp, uint64_t return_pc)
{
    const Frame mark = {
        .slot = sp, .return_pc = return_pc, .mark_below = t->mark, .fresh = true,
    };

    if (t->nr < FRAMES_MAX) {
        push(t, &mark);
        t->mark = t->nr;
    }
}

void functions_keep_return(FunctionsTask *t, uint64_t return_pc)
{
    t->kept_return = return_pc;
}

uint64_t functions_kept_return(const FunctionsTask *t)
{
    return t->kept_return;
}

void functions_flat(FunctionsTask *t, uint32_t id)
{
    t->current = id;
}

void functions_fork(Functions *f, uint64_t child_name, uint64_t parent_name)
{
    FunctionsTask *parent, *child;

    functions_end(f, child_name);
    child = functions_task(f, child_name);
    parent = functions_task(f, parent_name);
    for (uint32_t i = 0; i < parent->nr; i++) {
        Frame frame = parent->frames[i];

        frame.since = 0;
        if (frame.function != FUNCTIONS_NONE) {
            cost(&child->functions, frame.function)->active++;
        }
        push(child, &frame);
    }
    child->mark = parent->mark;
    child->current = parent->current;
}

static void add_all(Costs *to, const Costs *from)
{
    for (uint32_t i = 0; i < from->size; i++) {
        const Cost *one = &from->at[i];

        if (one->key) {
            Cost *sum = cost(to, one->key);

            sum->calls += one->calls;
            sum->exclusive += one->exclusive;
            sum->inclusive += one->inclusive;
        }
    }
}

static void end_task(FunctionsTasks *tasks, FunctionsTask **at)
{
    FunctionsTask *t = *at;

    functions_unwind(t);
    add_all(&tasks->functions, &t->functions);
    add_all(&tasks->calls, &t->calls);
    *at = t->next;
    free(t->functions.at);
    free(t->calls.at);
    free(t->frames);
    free(t);
}

void functions_end(Functions *f, uint64_t name)
{
    FunctionsTask **at = place_of(f, name);

    if (*at) {
        end_task(tasks_of(f), at);
    }
}

static int by_key(const void *a, const void *b)
{
    const Cost *one = a, *other = b;

    return one->key < other->key ? -1 : one->key > other->key;
}

/* The costs that are not 0, in the order of their keys; the table is none after that. */
static uint32_t sort(Costs *c)
{
    uint32_t nr = 0;

    for (uint32_t i = 0; i < c->size; i++) {
        if (c->at[i].calls || c->at[i].exclusive || c->at[i].inclusive) {
            c->at[nr++] = c->at[i];
        }
    }
    if (nr) {
        qsort(c->at, nr, sizeof(Cost), by_key);
    }
    return nr;
}

static void end_all(FunctionsTasks *tasks)
{
    for (uint32_t i = 0; i < TASKS_HASH; i++) {
        while (tasks->at[i]) {
            end_task(tasks, &tasks->at[i]);
        }
    }
}

void functions_free_tasks(Functions *f)
{
    FunctionsTasks *tasks = tasks_of(f);

    end_all(tasks);
    free(tasks->functions.at);
    free(tasks->calls.at);
    free(tasks);
}

bool functions_write(Functions *f, FILE *to)
{
    FunctionsTasks *tasks = tasks_of(f);
    uint32_t nr;

    end_all(tasks);
    functions_write_names(f, to);
    nr = sort(&tasks->functions);
    for (uint32_t i = 0; i < nr; i++) {
        const Cost *one = &tasks->functions.at[i];

        fprintf(to, "function %u %llu %llu %llu\n", (uint32_t)one->key,
                (unsigned long long)one->exclusive, (unsigned long long)one->inclusive,
                (unsigned long long)one->calls);
    }
    nr = sort(&tasks->calls);
    for (uint32_t i = 0; i < nr; i++) {
        const Cost *one = &tasks->calls.at[i];

        fprintf(to, "call %u %u %llu %llu\n", (uint32_t)(one->key >> 32), (uint32_t)one->key,
                (unsigned long long)one->calls, (unsigned long long)one->inclusive);
    }
    functions_write_instructions(f, to);
    fputs("end\n", to);
    return fflush(to) == 0 && !ferror(to);
}
