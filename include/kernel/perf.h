/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the rest of the kernel tells the perf core. Nothing here costs more than one predictable
 * test while no event exists.
 */
#ifndef KERNEL_PERF_H
#define KERNEL_PERF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/hooks.h>
#include <kernel/task.h>

struct trap_frame;
struct vm_area;

/* Number of software events of all kinds that exist. */
extern _Atomic unsigned int perf_software_events;

/* Once, after the CPUs run and before the first user task: registers the software PMUs and
 * calls arch_pmu_init. */
void perf_init(void);

void perf_task_sched_out(struct task *prev, struct task *next);
void perf_task_sched_in(struct task *task);

/* See <kernel/sched.h> for when these are called. */
static inline void perf_sched_out(struct task *prev, struct task *next)
{
	if (atomic_load_explicit(&prev->perf, memory_order_relaxed) ||
	    atomic_load_explicit(&hook_cpu_watched[cpu_id()], memory_order_relaxed))
		perf_task_sched_out(prev, next);
}

static inline void perf_sched_in(struct task *task)
{
	if (atomic_load_explicit(&task->perf, memory_order_relaxed) ||
	    atomic_load_explicit(&hook_cpu_watched[cpu_id()], memory_order_relaxed))
		perf_task_sched_in(task);
}

enum perf_fork {
	PERF_FORK_THREAD = 1,	      /* child and parent are of one process */
	PERF_FORK_CLEARS_HANDLERS = 2 /* CLONE_CLEAR_SIGHAND */
};

/* CHILD is made by PARENT, the current task, does not run yet and cannot be found (so it has no context); HOW:
 * enum perf_fork. It gets the events it inherits. 0 or -ENOMEM (perf_task_free cleans up). Task context. */
int perf_task_fork(struct task *parent, struct task *child, unsigned int how);
/* The current task ends: its events are taken off and detached. Task context, before its memory
 * goes. */
void perf_task_exit(struct task *task);
/* The current task got a new program image. Task context. */
void perf_task_exec(struct task *task);
/* The current task's program is about to become one that those who opened events on the task may not look into: the
 * events end as they do with the task, and what it opened is nobody's. Task context. */
void perf_task_end_events(struct task *task);
/* The last reference of TASK is dropped. */
void perf_task_free(struct task *task);

/* NUMBER more of software event ID (PERF_COUNT_SW_*), caused at FRAME (NULL: here) with data
 * address ADDRESS. Interrupts may be on or off; not NMI. */
void perf_software_count(unsigned int id, uint64_t number, struct trap_frame *frame,
			 uint64_t address);

static inline void perf_software_event(unsigned int id, uint64_t number, struct trap_frame *frame,
				       uint64_t address)
{
	if (atomic_load_explicit(&perf_software_events, memory_order_relaxed))
		perf_software_count(id, number, frame, address);
}

/* Side-band records, see kernel/perf/sideband.c: how many events want each kind. */
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

/* CHILD, made by the running task, has its numbers and its events, and does not run yet. Task
 * context. */
static inline void perf_task_started(struct task *child)
{
	if (atomic_load_explicit(&perf_sideband_watchers[PERF_SIDEBAND_TASK], memory_order_relaxed))
		perf_task_started_slow(child);
}

/* TASK has a new name, by EXEC (then it is the running task, after perf_task_exec) or by wish. Task
 * context. */
static inline void perf_task_renamed(struct task *task, bool exec)
{
	if (atomic_load_explicit(&perf_sideband_watchers[PERF_SIDEBAND_COMM], memory_order_relaxed))
		perf_task_renamed_slow(task, exec);
}

/* Bytes of a build id that a record has room for. */
#define PERF_BUILD_ID_SIZE_MAX 20

/* What the running task has mapped, as a record tells it. */
struct perf_mapping {
	uint64_t start, length; /* bytes */
	uint64_t offset;	/* into the file, or what anonymous memory has instead */
	unsigned int prot;	/* PROT_* */
	bool shared, locked;
	const char *name;		     /* a path, "[vdso]", "//anon" … */
	uint32_t device_major, device_minor; /* of the file; 0: none */
	uint64_t inode_number;		     /* 0: no file */
	uint8_t build_id[PERF_BUILD_ID_SIZE_MAX];
	unsigned int build_id_size; /* bytes; 0: it has none, or nobody asks */
};

/* Whether anybody wants records of mappings, respectively with build ids, so that it is worth making a
 * struct perf_mapping. Any context. */
static inline bool perf_wants_mappings(void)
{
	return atomic_load_explicit(&perf_sideband_watchers[PERF_SIDEBAND_MAPPING],
				    memory_order_relaxed);
}

static inline bool perf_wants_build_ids(void)
{
	return atomic_load_explicit(&perf_sideband_watchers[PERF_SIDEBAND_BUILD_ID],
				    memory_order_relaxed);
}

/* The current task has mapped or changed AREA: kernel/perf/mapped_area.c. Task context. */
void perf_area_mapped(const struct vm_area *area);
/* The same, as a record tells it: kernel/perf/mmap_record.c. Task context. */
void perf_task_mapped(const struct perf_mapping *mapping);

/* The system call. Task context; errors negative. */
long perf_event_open(const void *user_attr, pid_t pid, int cpu, int group_fd, unsigned long flags);
/* prctl(PR_TASK_PERF_EVENTS_ENABLE / DISABLE) for the current task. */
long perf_task_events_set(bool enable);

#endif
