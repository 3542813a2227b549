/*
 * The emulated PMUs: which function what retires belongs to.
 *
 * With x-pmu-functions=FILE the emulator knows the functions of the machine's files (functions/), and adds up what each
 * costs: the instructions that a counter of instructions counts, in the ring that they retire in.  A counter of each ring
 * must count them, or that ring has no costs.  So the sum of the exclusive costs is the sum of what such counters have
 * counted, by all tasks and to the last instruction.
 *
 * Every block belongs to one function, which is known when it is translated; a block ends where another function may begin.
 * When it starts it compares its function with the present one of its ring, env->pmu.function_user or _kernel; only if that
 * is another, helper_pmu_function is called and charges what has retired since its last call to the function that was present
 * before.  A near call and a near return of user mode set function_user to none, so that the next block calls, too.
 *
 * The guest's kernel tells by a register, MSR_REPORT, what the emulator cannot see: which task runs, what is mapped in its
 * process, when a program, a task and a signal's handler begin and end.  The register has the address of six words:
 *
 *     0 task: its name, and its process' number; 0, 0 where the CPU runs none
 *     1 fork: the child's name and process, the parent's process, and the parent's name if the child continues its calls
 *     2 exec: the running task, which begins a program, and its process
 *     3 end: the name of a task that ends
 *     4 map: a process; start, length, offset in the file, address of the path
 *     5 signal: the stack pointer of the interrupted code
 *
 * A task's name is any number but 0 that no other task has.  Only code of CPL 0 can write the register.
 *
 * Where the table asks for it, the instructions of a file are counted one by one, in user mode and while a counter of
 * instructions counts: so their sum is the sum of the exclusive costs of the file's functions, too.
 *
 * In the kernel's ring no calls are followed, and all tasks have one account.
 *
 * Locks: functions_lock is around the table, the spaces and the set of tasks.  A task belongs to the CPU that runs it; with a
 * thread for each CPU its changes are under the lock too, because the end of the emulator looks at all of them.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qemu/notify.h"
#include "qemu/thread.h"
#include "cpu.h"
#include "exec/cpu-common.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "functions/functions.h"
#include "migration/blocker.h"
#include "system/system.h"
#include "tcg/helper-tcg.h"
#include "pmu-internal.h"

#define REPORT_WORDS      6
/* Longer paths are cut off. */
#define PATH_BYTES      4096
/* The name of the account of the kernel's ring, which is no address of the guest's. */
#define KERNEL_TASK     UINT64_MAX
/* The file of the table whose offsets are the kernel's addresses. */
#define KERNEL_FILE     "[kernel]"

enum { REPORT_TASK, REPORT_FORK, REPORT_EXEC, REPORT_END, REPORT_MAP, REPORT_SIGNAL };

struct X86PMUFunctions {
    FunctionsTask *task;        /* the running one; NULL: none */
    uint64_t task_name, space;
    uint64_t charged[2];        /* of retired(), by ring: user is 1 */
    uint64_t *cells;            /* NULL: no instructions are counted one by one */
};

static Functions *functions;
static FunctionsTask *kernel_task;
static char *functions_path;
static QemuMutex functions_lock;

/* What has retired in a ring while a counter of instructions counted there. */
static uint64_t retired(const CPUX86State *env, bool user)
{
    const X86PMUState *p = &env->pmu;
    uint64_t insns = p->function_insns[user];

    if (p->counts_insns && user == !!(p->mode & X86_PMU_MODES_USR)) {
        insns += p->granted_insns - p->passes -
                 (p->allowance >> X86_PMU_INSN_SHIFT);
    }
    return insns;
}

/* Charges what has retired in a ring since the last call. */
static void charge(CPUX86State *env, bool user)
{
    X86PMUFunctions *own = env_archcpu(env)->pmu_config.functions;
    FunctionsTask *task = user ? own->task : kernel_task;
    uint64_t now = retired(env, user);

    functions_charge(task ? task : kernel_task, now - own->charged[user]);
    own->charged[user] = now;
}

static void charge_both(CPUX86State *env)
{
    charge(env, false);
    charge(env, true);
}

void helper_pmu_function(CPUX86State *env, uint32_t id, uint64_t pc)
{
    X86PMUFunctions *own = env_archcpu(env)->pmu_config.functions;
    X86PMUState *p = &env->pmu;

    QEMU_LOCK_GUARD(&functions_lock);
    if ((env->hflags & HF_CPL_MASK) != 3) {
        charge(env, false);
        functions_flat(kernel_task, id);
        p->function_kernel = id;
        return;
    }
    charge(env, true);
    if (!own->task && own->task_name) {
        own->task = functions_task(functions, own->task_name);
    }
    if (own->task) {
        functions_enter(own->task, id, pc, env->regs[R_ESP], p->function_return,
                        p->counts_insns);
    }
    p->function_return = 0;
    p->function_user = id;
}

uint32_t x86_pmu_function_at(CPUX86State *env, uint64_t pc, uint64_t *end)
{
    bool user = (env->hflags & HF_CPL_MASK) == 3;
    uint64_t space = user ? env_archcpu(env)->pmu_config.functions->space
                          : FUNCTIONS_KERNEL;

    QEMU_LOCK_GUARD(&functions_lock);
    return functions_at(functions, space, pc, end);
}

bool x86_pmu_place_at(CPUX86State *env, uint64_t pc, uint32_t *file,
                      uint64_t *offset)
{
    QEMU_LOCK_GUARD(&functions_lock);
    return env->pmu.cells &&
           functions_place(functions, env_archcpu(env)->pmu_config.functions->space,
                           pc, file, offset);
}

uint32_t x86_pmu_cells(CPUX86State *env, uint32_t file, uint64_t offset,
                       const uint16_t *begins, uint32_t nr)
{
    QEMU_LOCK_GUARD(&functions_lock);
    return functions_cells(functions, file, offset, begins, nr);
}

void pmu_functions_take_back(CPUX86State *env)
{
    static const uint16_t begin;
    uint32_t file;
    uint64_t offset;

    if ((env->hflags & HF_CPL_MASK) == 3 &&
        x86_pmu_place_at(env, env->eip, &file, &offset)) {
        env->pmu.cells[x86_pmu_cells(env, file, offset, &begin, 1)] -=
            env->pmu.counts_insns;
    }
}

/* Reads a path of the guest, up to its end or to a page that is not there. */
static void read_path(CPUX86State *env, uint64_t address, char path[PATH_BYTES])
{
    size_t length = 0;

    while (length < PATH_BYTES - 1 &&
           cpu_memory_rw_debug(env_cpu(env), address + length, &path[length], 1, false) == 0 &&
           path[length]) {
        length++;
    }
    path[length] = '\0';
}

/* The next block of user mode tells its function. */
static void forget_present(CPUX86State *env)
{
    env->pmu.function_user = FUNCTIONS_NONE;
    env->pmu.function_return = 0;
}

static void set_task(CPUX86State *env, uint64_t name, uint64_t space)
{
    X86PMUFunctions *own = env_archcpu(env)->pmu_config.functions;

    if (own->task) {
        functions_keep_return(own->task, env->pmu.function_return);
    }
    own->task_name = name;
    own->space = space;
    own->task = name ? functions_find_task(functions, name) : NULL;
    forget_present(env);
    if (own->task) {
        env->pmu.function_return = functions_kept_return(own->task);
    }
}

/* The task does not exist any more, on no CPU. */
static void end_task(uint64_t name)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        X86PMUFunctions *own = X86_CPU(cs)->pmu_config.functions;

        if (own->task_name == name) {
            own->task = NULL;
            own->task_name = 0;
        }
    }
    functions_end(functions, name);
}

static void obey(CPUX86State *env, const uint64_t words[REPORT_WORDS])
{
    X86PMUFunctions *own = env_archcpu(env)->pmu_config.functions;
    char path[PATH_BYTES];

    switch (words[0]) {
    case REPORT_TASK:
        set_task(env, words[1], words[2]);
        break;
    case REPORT_FORK:
        functions_copy_space(functions, words[2], words[3]);
        if (words[4] && words[1] && words[1] != words[4]) {
            functions_fork(functions, words[1], words[4]);
        }
        break;
    case REPORT_EXEC:
        set_task(env, words[1], words[2]);
        functions_clear_space(functions, own->space);
        if (own->task) {
            functions_unwind(own->task);
        }
        forget_present(env);
        break;
    case REPORT_END:
        end_task(words[1]);
        break;
    case REPORT_MAP:
        read_path(env, words[5], path);
        functions_map(functions, words[1], words[2], words[3], words[4], path);
        break;
    case REPORT_SIGNAL:
        if (own->task) {
            functions_signal(own->task, words[1], env->pmu.function_return);
        }
        forget_present(env);
        break;
    }
}

bool pmu_functions_reported(CPUX86State *env, uint64_t address)
{
    uint64_t words[REPORT_WORDS];

    if (cpu_memory_rw_debug(env_cpu(env), address, words, sizeof(words), false)) {
        return false;
    }
    for (unsigned i = 0; i < REPORT_WORDS; i++) {
        words[i] = le64_to_cpu(words[i]);
    }
    QEMU_LOCK_GUARD(&functions_lock);
    charge_both(env);
    obey(env, words);
    return true;
}

void pmu_functions_reset(CPUX86State *env)
{
    X86PMUFunctions *own = env_archcpu(env)->pmu_config.functions;

    *own = (X86PMUFunctions) { .cells = own->cells };
    env->pmu.cells = own->cells;
}

/* The emulator ends: no CPU runs any more, or none that is to be counted. */
static void write_counts(Notifier *notifier, void *data)
{
    g_autofree char *path = g_strconcat(functions_path, ".counts", NULL);
    FILE *to = fopen(path, "w");
    CPUState *cs;
    bool written;

    QEMU_LOCK_GUARD(&functions_lock);
    CPU_FOREACH(cs) {
        charge_both(cpu_env(cs));
        X86_CPU(cs)->pmu_config.functions->task = NULL;
        X86_CPU(cs)->pmu_config.functions->task_name = 0;
        if (X86_CPU(cs)->pmu_config.functions->cells) {
            functions_add_cells(functions,
                                X86_CPU(cs)->pmu_config.functions->cells);
        }
    }
    written = to && functions_write(functions, to);
    if (to && fclose(to)) {
        written = false;
    }
    if (!written) {
        error_report("x-pmu-functions: %s: %s", path, strerror(errno));
    }
}

/* Memory that is there where it is used. */
static uint64_t *make_cells(Error **errp)
{
    void *cells = mmap(NULL, FUNCTIONS_CELLS * sizeof(uint64_t),
                       PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (cells == MAP_FAILED) {
        error_setg_errno(errp, errno, "x-pmu-functions: no memory");
        return NULL;
    }
    return cells;
}

bool pmu_functions_realize(X86CPU *cpu, Error **errp)
{
    X86PMUConfig *cfg = &cpu->pmu_config;
    static Notifier at_end = { .notify = write_counts };
    static Error *blocker;
    char error[256];

    if (!cfg->functions_path) {
        return true;
    }
    if (!functions) {
        functions = functions_load(cfg->functions_path, error, sizeof(error));
        if (!functions) {
            error_setg(errp, "x-pmu-functions=%s: %s", cfg->functions_path, error);
            return false;
        }
        error_setg(&blocker, "the counts of x-pmu-functions do not migrate");
        if (migrate_add_blocker(&blocker, errp) < 0) {
            return false;
        }
        functions_map(functions, FUNCTIONS_KERNEL, 0, UINT64_MAX, 0, KERNEL_FILE);
        functions_path = g_strdup(cfg->functions_path);
        kernel_task = functions_task(functions, KERNEL_TASK);
        qemu_mutex_init(&functions_lock);
        qemu_add_exit_notifier(&at_end);
    }
    cfg->functions = g_new0(X86PMUFunctions, 1);
    if (functions_count_instructions(functions)) {
        cfg->functions->cells = make_cells(errp);
        if (!cfg->functions->cells) {
            return false;
        }
    }
    /* Blocks must know their addresses. */
    CPU(cpu)->tcg_cflags &= ~CF_PCREL;
    return true;
}
