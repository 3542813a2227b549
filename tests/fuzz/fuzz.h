/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fuzzer's parts.
 *
 *   main.c        seeds: workers start, are watched, come to an end; what must be true then
 *   state.c       what the kernel has: objects and memory, before and after
 *   tree.c        the files below /fuzz, and the limits of a worker
 *   canary.c      processes that no worker may touch, and that notice it
 *   administrator.c  what root does meanwhile
 *   privileged.c  what the setuid program and the unreadable one check about themselves
 *   leak.c        what must not come out of the kernel
 *   operations.c  how a worker chooses what it does next
 *   attr.c        makes attributes
 *   cpus.c        CPUs go off line and come on line
 *   dsa.c         the DSA and IAX, on a machine that has them
 *   devices.c     /dev/cpu/N/msr, cpuid and pmu
 *
 * and one file for each kind of operations (fuzz_..._operations below).
 *
 * A worker is an unprivileged process. Everything that it does follows from the seed, but for what the kernel
 * answers; with virtual time that is the same each time, too. It says so by a digest of all calls and their
 * results.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "random.h"

enum {
	WORKER_UID = 1000, /* of most workers */
	OTHER_UID = 1002,  /* of the rest */
	CANARY_UID = 1001,
	CANARIES = 2,
	PATHS = 3000,
	PAGE = 4096,
};

/* --- what all processes of a run share (tree.c) --- */

struct shared {
	_Atomic uint64_t operations; /* done so far */
	_Atomic uint64_t calls;	     /* at least so many; that they grow shows that nothing hangs */
	_Atomic uint64_t opened;     /* calls of perf_event_open that gave a descriptor */
	_Atomic uint64_t digest;     /* sum over all processes of what their calls gave */
	unsigned int points;	     /* of TAP that were printed */
	int paranoid; /* the least that kernel.perf_event_paranoid has during this seed */
	pid_t canaries[CANARIES]; /* 0: another user's, 1: a worker's own that is not dumpable */
	pid_t workers[16];
	unsigned int paths; /* so many of these, files of /proc, /sys and tracefs */
	char path[PATHS][80];
	_Atomic bool found; /* the first finding: */
	char finding[400];
};

extern struct shared *fuzz_shared;

/* Reports a finding; the first one counts, and ends the run with this seed. Any process. */
__attribute__((format(printf, 1, 2))) void fuzz_finding(const char *format, ...);

#define TREE		"/fuzz"
#define TREE_WORK	TREE "/work" /* workers may write here; gone after each seed */
#define TREE_SETUID	TREE "/setuid"
#define TREE_SETGID	TREE "/setgid"
#define TREE_UNREADABLE TREE "/unreadable"
#define TREE_CANARY	TREE "/canary"	 /* a file of the canary's user */
#define TREE_FINDINGS	TREE "/findings" /* the privileged programs write here */

/* Makes the tree and fuzz_shared, as root. The continuing program maps fuzz_shared again. */
void tree_make(void);
void tree_map_shared(void);
/* Before and after each seed. Whether the tree is as it was made. */
void tree_open_work(void);
bool tree_close_work(void);
bool tree_is_whole(void);
/* Makes the caller an unprivileged user with limits. */
void tree_become_user(uid_t uid);
/* The file PATH as a string of less than SIZE bytes, empty if there is none. Returns its length. */
size_t tree_read_text(const char *path, char *text, size_t size);
void tree_write_text(const char *path, const char *text);

/* --- the targets of attacks --- */

void canary_start(void);
/* Whether all canaries found everything as they left it. */
bool canary_check(void);
void canary_end(void);

/* Ends this process if it is one of the tree's privileged programs: they check themselves. */
void privileged_run(char **argv);
/* ARGV[1] of an execution that must not give privileges. */
#define PRIVILEGED_UNSAFE "unsafe"
/* The words that attackers try to change, and code that only the privileged programs run. */
extern uint64_t privileged_pattern[512];
bool privileged_is_code(uint64_t address);
uint64_t privileged_any_code(uint64_t number);

/* --- leak.c --- */

/* Reports what is in MEMORY of SIZE bytes, got from WHAT, and belongs to the kernel. */
void leak_check(const void *memory, size_t size, const char *what);
/* The same for what may have addresses of the kernel. */
void leak_check_unset(const void *memory, size_t size, const char *what);
/* The same as leak_check for text with addresses as digits. */
void leak_check_text(const char *text, size_t size, const char *what);
/* The same for the ring of an event, which may show kernel addresses to a task that may sample the kernel. */
void leak_check_ring(const void *memory, size_t size);
/* The frame that the kernel made for a signal handler with these arguments. */
void leak_check_frame(const siginfo_t *info, const void *context);

/* --- a worker --- */

enum {
	DESCRIPTORS = 24, /* that one process remembers */
	SLOTS = 8,	  /* places for mappings */
	CHILDREN = 3,
};

struct fuzzer {
	struct random random;
	int fds[DESCRIPTORS];	  /* -1: none */
	size_t mapped[SLOTS];	  /* bytes; 0: nothing */
	pid_t children[CHILDREN]; /* 0: none */
	pid_t parent;		  /* that fuzzes too; 0: none */
	unsigned int depth;
	bool is_thread, has_thread;
	uint64_t digest;
};

/* Each returns what its last call did. */
struct operation {
	const char *name;
	long (*function)(struct fuzzer *fuzzer);
	unsigned int weight; /* how often it is done */
};

/* Tables of them, with an empty one at the end. */
extern const struct operation fuzz_event_operations[], fuzz_process_operations[],
	fuzz_attack_operations[], fuzz_call_operations[], fuzz_program_operations[],
	fuzz_signal_operations[], fuzz_file_operations[], fuzz_time_operations[],
	fuzz_futex_operations[], fuzz_socket_operations[], fuzz_perfctr_operations[],
	fuzz_cpu_operations[], fuzz_dsa_operations[], fuzz_device_operations[];

/* Does OPERATIONS operations, DEPTH processes below the seed's first ones (0 …), and leaves no child.
 */
void fuzz_run(struct random random, unsigned int operations, unsigned int depth);
void fuzz_operate(struct fuzzer *fuzzer, unsigned int operations);
void fuzz_finish(struct fuzzer *fuzzer);
/* Root's work meanwhile: OPERATIONS changes of settings and credentials. */
void fuzz_administrate(struct random random, unsigned int operations);
void fuzz_reset_settings(void);

/* --- cpus.c: root's part --- */

/* Takes CPUs off line and on line, some of them with events. */
void fuzz_change_cpus(struct random *random);
/* All CPUs are on line. */
void fuzz_reset_cpus(void);

/* --- dsa.c: root's part; nothing happens on a machine without accelerators --- */

/* Before and after each seed: each accelerator has queues of the kernel and of programs; none is enabled. */
void fuzz_dsa_begin(void);
void fuzz_dsa_end(void);
/* Changes queues, runs dmatest, or lets a process use queues with privileges. */
void fuzz_dsa_administrate(struct random *random);

/* --- devices.c: root's part --- */

/* Lets a process use the CPUs' devices for a while. */
void fuzz_cpu_devices_administrate(struct random *random);

/* A number that RANDOM gives, below LIMIT: short for what every operation does. */
static inline unsigned int pick(struct fuzzer *fuzzer, unsigned int limit)
{
	return random_below(&fuzzer->random, limit);
}

#define COUNT(array)	    (sizeof(array) / sizeof((array)[0]))
#define PICK(fuzzer, array) ((array)[pick(fuzzer, COUNT(array))])

static inline void count_calls(unsigned int calls)
{
	atomic_fetch_add_explicit(&fuzz_shared->calls, calls, memory_order_relaxed);
}

/* A descriptor, or none, or any number. */
int fuzz_any_fd(struct fuzzer *fuzzer);
void fuzz_remember(struct fuzzer *fuzzer, int fd);
void *fuzz_slot_address(unsigned int slot);
#define SLOT_SIZE (1UL << 20)
/* Memory to read from or write to: good, bad, or a ring. */
void *fuzz_any_pointer(struct fuzzer *fuzzer);
/* The good one, of a page. */
uint64_t *fuzz_good_memory(void);
/* An address near one at which something ends. */
uint64_t fuzz_edge(struct fuzzer *fuzzer);
/* Catches faults of this process, and makes its waits short: for one that operates without fuzz_run. */
void fuzz_prepare(void);
/* Makes all waits of the calling thread short. */
void fuzz_interrupt_waits(void);
/* Calls FUNCTION(ARGUMENT) and comes back even if it faults. */
void fuzz_try(void (*function)(void *argument), void *argument);
/* A child for something that ends it; 0 in the child, which has no children of its own and must not return. */
pid_t fuzz_fork(struct fuzzer *fuzzer);
/* Waits some time for PID, then kills it. Returns its status. */
int fuzz_reap(pid_t pid, unsigned int ms);

/* Data and code that breakpoints watch. */
extern volatile uint32_t fuzz_watched;
void fuzz_work(unsigned int rounds);

/* perf_event_attr of Linux 6.12 has 17 words (PERF_ATTR_SIZE_VER8); the build host's may have fewer. */
#define ATTR_WORDS 17
#define FLAGS_WORD 5

union attr {
	struct perf_event_attr fields;
	uint64_t words[ATTR_WORDS + 1];
};

void fuzz_make_attr(struct random *random, union attr *attr);

/* Goes on in a new program: what execve of this program calls. */
#define FUZZ_CONTINUE "--continue"

#endif
