/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The perf core's calls for the rest of the kernel. While no event exists, each costs no more than one
 * predictable test.
 */
#ifndef KERNEL_PERF_H
#define KERNEL_PERF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/hooks.h>
#include <kernel/sched/task.h>

struct trap_frame;
struct vm_area;

/* Number of software events of all kinds that exist. */
extern _Atomic unsigned int perf_software_events;

/* Starts the perf core: registers the software PMUs and calls arch_pmu_init. Once, after the CPUs run and
 * before the first user task. */
void perf_init(void);

void perf_task_sched_out(struct task *prev, struct task *next);
void perf_task_sched_in(struct task *task);

enum perf_fork {
	PERF_FORK_THREAD = 1,	      /* child and parent are of one process */
	PERF_FORK_CLEARS_HANDLERS = 2 /* CLONE_CLEAR_SIGHAND */
};

/* Gives CHILD the events that it inherits from PARENT, the current task, which forks. CHILD does not run yet
 * and cannot be found (so it has no context). HOW: enum perf_fork. 0 or -ENOMEM (perf_task_free cleans up).
 * Task context. */
int perf_task_fork(struct task *parent, struct task *child, unsigned int how);
/* Schedules out and detaches the events of the current task, which exits. Task context, before its memory is
 * freed. */
void perf_task_exit(struct task *task);
/* Enables and removes events of the current task, which executes another program. Task context. */
void perf_task_exec(struct task *task);
/* Ends the events on the current task as its exit does, and disowns those that it opened. Its program is
 * about to become one that the tasks which opened these events may not observe. Task context. */
void perf_task_end_events(struct task *task);
/* Frees what TASK has here; its last reference is dropped. */
void perf_task_free(struct task *task);

/* Counts NUMBER more of software event ID (PERF_COUNT_SW_*), caused at FRAME (NULL: here) with data address
 * ADDRESS. Interrupts may be on or off; not NMI. */
void perf_software_count(unsigned int id, uint64_t number, struct trap_frame *frame,
			 uint64_t address);

static inline void perf_software_event(unsigned int id, uint64_t number, struct trap_frame *frame,
				       uint64_t address)
{
	if (atomic_load_explicit(&perf_software_events, memory_order_relaxed))
		perf_software_count(id, number, frame, address);
}

/* The kinds of side-band records, see kernel/perf/sideband.c, and how many events ask for each. */
enum perf_sideband {
	PERF_SIDEBAND_TASK,	/* FORK, EXIT */
	PERF_SIDEBAND_COMM,	/* COMM */
	PERF_SIDEBAND_SWITCH,	/* SWITCH, SWITCH_CPU_WIDE */
	PERF_SIDEBAND_MAPPING,	/* MMAP, MMAP2 */
	PERF_SIDEBAND_BUILD_ID, /* the build id in MMAP2 */
	PERF_SIDEBAND_KINDS
};

extern _Atomic unsigned int perf_sideband_watchers[PERF_SIDEBAND_KINDS];

void perf_task_started_slow(struct task *child);
void perf_task_renamed_slow(struct task *task, bool exec);

/* Records that the running task has forked CHILD, which has its numbers and its events and does not run yet.
 * Task context. */
static inline void perf_task_started(struct task *child)
{
	if (atomic_load_explicit(&perf_sideband_watchers[PERF_SIDEBAND_TASK], memory_order_relaxed))
		perf_task_started_slow(child);
}

/* Records a new name of TASK, by EXEC (then TASK is the running task, after perf_task_exec) or by request.
 * Task context. */
static inline void perf_task_renamed(struct task *task, bool exec)
{
	if (atomic_load_explicit(&perf_sideband_watchers[PERF_SIDEBAND_COMM], memory_order_relaxed))
		perf_task_renamed_slow(task, exec);
}

/* Bytes of a build id that a record has room for. */
#define PERF_BUILD_ID_SIZE_MAX 20

/* A mapping of the running task, with the data of its records. On the caller's stack. */
struct perf_mapping {
	uint64_t start, length; /* bytes */
	uint64_t offset;	/* into the file, or what anonymous memory has instead */
	unsigned int prot;	/* PROT_* */
	bool shared, locked;
	const char *name;		     /* a path, "[vdso]", "//anon" … */
	uint32_t device_major, device_minor; /* of the file; 0: none */
	uint64_t inode_number;		     /* 0: no file */
	uint8_t build_id[PERF_BUILD_ID_SIZE_MAX];
	unsigned int build_id_size; /* bytes; 0: it has none, or no event asks for it */
};

/* Whether any event requests MMAP records. Any context. */
static inline bool perf_needs_mappings(void)
{
	return atomic_load_explicit(&perf_sideband_watchers[PERF_SIDEBAND_MAPPING],
				    memory_order_relaxed);
}

/* Whether any event requests MMAP records with build ids. Any context. */
static inline bool perf_needs_build_ids(void)
{
	return atomic_load_explicit(&perf_sideband_watchers[PERF_SIDEBAND_BUILD_ID],
				    memory_order_relaxed);
}

/* The current task has mapped or changed AREA: kernel/perf/mapped_area.c. Task context. */
void perf_area_mapped(const struct vm_area *area);
/* Writes the MMAP records of MAPPING: kernel/perf/mmap_record.c. Task context. */
void perf_task_mapped(const struct perf_mapping *mapping);

/* The system call. Task context; errors negative. */
long perf_event_open(const void *user_attr, pid_t pid, int cpu, int group_fd, unsigned long flags);
/* prctl(PR_TASK_PERF_EVENTS_ENABLE / DISABLE) for the current task. */
long perf_task_events_set(bool enable);

#endif
