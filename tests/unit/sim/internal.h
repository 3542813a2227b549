/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of the simulated machine, not by tests. */
#ifndef TESTS_UNIT_SIM_INTERNAL_H
#define TESTS_UNIT_SIM_INTERNAL_H

#include "sim.h"

struct sim_cpu {
	struct task *current;
	struct trap_frame frame; /* what it executes */
	bool irqs_disabled;
	unsigned int nmi_depth;
	bool nmi_latched;		/* one came while another was served */
	struct deferred_work *deferred; /* first queued last */
};

extern struct sim_cpu sim_cpus[CPUS_MAX];

static inline struct sim_cpu *sim_this_cpu(void)
{
	return &sim_cpus[cpu_id()];
}

/* Whether every CPU is a host thread just now: sim_cpus_run. */
extern bool sim_parallel;

/* The machine's own tables, see parallel.c. Not twice; a leaf. */
void sim_lock(void);
void sim_unlock(void);
/* Waits a moment for another CPU, taking interrupts. Interrupts enabled. */
void sim_wait(void);
/* The given CPU, another one, calls FUNCTION(ARG) as an interrupt; waits for it. */
void sim_letter_send(unsigned int cpu, void (*function)(void *arg), void *arg);
/* Calls what was sent to this CPU; whether anything was. Interrupts off. */
bool sim_letters_open(void);

/* Takes the interrupts that wait for this CPU, if it has them enabled and is in no NMI. */
void sim_interrupts_take(void);
/* Fires the timers of this CPU that are due. Interrupts off. */
void sim_timers_fire(void);

/* Each part's share of sim_start and sim_end. The latter return how many things were left. */
void sim_time_start(void);
unsigned int sim_time_end(void);
void sim_memory_start(void);
unsigned int sim_memory_end(void);
void sim_tasks_start(unsigned int cpus);
unsigned int sim_tasks_end(void);
void sim_files_start(void);
unsigned int sim_files_end(void);

#endif
