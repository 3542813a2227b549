/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of steps (<uapi/tally/pmu_steps.h>): their check, and their execution on this CPU.
 */
#ifndef ARCH_X86_64_DEVICES_STEPS_H
#define ARCH_X86_64_DEVICES_STEPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/time/time.h>
#include <uapi/tally/pmu_steps.h>

struct trap_frame;

/* An MSR that a step writes. */
struct steps_written {
	uint32_t number;
	bool readable;	/* else it has no value to get back */
	uint64_t value; /* before the first write */
};

/* The state of a CPU that carries out lists. Only code on that CPU changes it, and steps_take_nmis, which owns `taken`. */
struct steps_cpu {
	/* The NMI's view of the handler: `handler_count` is 0 while it changes. */
	struct pmu_step handler[PMU_HANDLER_STEPS_MAX];
	_Atomic uint32_t handler_count;
	_Atomic uint32_t step;		  /* of the list that runs, or PMU_NO_STEP */
	_Atomic uint32_t nmis;		  /* since the list began */
	_Atomic uint32_t recorded, taken; /* NMIs: never more apart than PMU_NMIS_MAX */
	_Atomic uint32_t lost;
	struct timer wake; /* ends a PMU_STEP_HALT */
	uint32_t written_count;
	struct steps_written written[PMU_WRITTEN_MAX];
	struct pmu_nmi records[PMU_NMIS_MAX];
	uint8_t string[PMU_STRING_MAX];
};

/* Check the COUNT steps of a list or, with IS_HANDLER, of a handler: 0 or -EINVAL. Any context. */
int steps_check(const struct pmu_step *steps, uint32_t count, bool is_handler);
/* Returns whether the list, checked, has a step that only the task on its own CPU can carry out. Any context. */
bool steps_need_task(const struct pmu_step *steps, uint32_t count);

/* Makes CPU, zeroed, this CPU's. Interrupts off; so are the next three, on the same CPU. */
void steps_begin(struct steps_cpu *cpu);
/* Carries out the list, checked, and writes its results into it. 0 or -ENOSPC: too many MSRs would be written. */
int steps_run(struct steps_cpu *cpu, struct pmu_step *steps, uint32_t count);
/* Sets the handler, checked. 0 or -ENOSPC. */
int steps_set_handler(struct steps_cpu *cpu, const struct pmu_step *steps, uint32_t count);
/* Puts the registers back, waits for an NMI under way, and leaves CPU to the caller. */
void steps_end(struct steps_cpu *cpu);

/* Copies up to COUNT records to user memory at USER_RECORDS and takes them; returns their number or -EFAULT. One caller
 * at a time for each CPU. Task context. */
long steps_take_nmis(struct steps_cpu *cpu, struct pmu_nmi *user_records, uint32_t count);

/* Handles an NMI: records it and carries out the handler; false: this CPU carries out no lists. NMI context. */
bool steps_handle_nmi(struct trap_frame *frame);

#endif
