/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine.h - the only way to the PMU of the machine: lists of steps that are carried out on one CPU.
 *
 * Tally's /dev/cpu/N/pmu carries out a whole list in the kernel, without a pause. Where there is only Linux's
 * /dev/cpu/N/msr, a list may read and write registers, one system call each; other steps cannot be done, and
 * the rules that need them are skipped.
 *
 * One thread, bound to the CPU in use.
 */
#ifndef REPORT_MACHINE_H
#define REPORT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tally/pmu_steps.h>

enum access { ACCESS_NONE, ACCESS_MSR, ACCESS_STEPS };

struct machine {
	enum access access;
	char reason[160];  /* why access is not ACCESS_STEPS */
	unsigned int cpus; /* that are on line */
	bool untouched;	   /* no driver of the kernel has used the counters since the start */
};

extern struct machine machine;

/* A list that is being made, or has been carried out. Steps past PMU_STEPS_MAX end the program. */
struct list {
	struct pmu_step steps[PMU_STEPS_MAX];
	unsigned int count;
};

/* Finds out the access and the CPUs, and takes CPU 0 into use. ONLY_MSR: as on a kernel without /dev/cpu/N/pmu. */
void machine_open(bool only_msr);

/* Gives the device back: the kernel clears the counters. Any number of times. */
void machine_close(void);

/* Takes CPU N into use: lists run there, and so does this thread. False if it cannot be had. */
bool machine_use_cpu(unsigned int n);

/* Binds this thread to CPU N; lists still run on the CPU in use. False if the kernel refuses. */
bool machine_move_to_cpu(unsigned int n);

void list_clear(struct list *list);

/* Append a step; return its number, with which list_value() finds the result. */
unsigned int list_add(struct list *list, uint32_t operation, uint32_t index, uint64_t value);
unsigned int list_read(struct list *list, uint32_t msr);
unsigned int list_write(struct list *list, uint32_t msr, uint64_t value);

/* Carries out the list. False: the kernel refused it; a step that faults is none of that. */
bool machine_run(struct list *list);

/* The result of step STEP. */
static inline uint64_t list_value(const struct list *list, unsigned int step)
{
	return list->steps[step].value;
}

/* True if a step of the list has faulted. */
bool list_has_fault(const struct list *list);

/* One register of the CPU in use. False: the access faults. */
bool machine_read_msr(uint32_t msr, uint64_t *value);
bool machine_write_msr(uint32_t msr, uint64_t value);

/* One RDPMC in ring 0. False: it faults. ACCESS_STEPS only. */
bool machine_rdpmc(uint32_t index, uint64_t *value);

/* The steps that each NMI carries out from now on; NULL: none. False: the kernel refused them. */
bool machine_set_handler(struct list *list);

/* Takes the oldest records of NMIs, at most ROOM; returns their number. *MORE counts all, those without a record too. */
size_t machine_take_nmis(struct pmu_nmi *nmis, size_t room, uint64_t *more);

#endif /* REPORT_MACHINE_H */
