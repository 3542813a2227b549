/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Self-monitoring by perfctr: a task's virtual counters, read without a system call where the CPU has an instruction
 * for it. See perfctr(4).
 */
#ifndef LIBPERFCTR_H
#define LIBPERFCTR_H

#include <stdbool.h>

#include <linux/perfctr.h>

/* A task's set of counters. One thread's. */
struct vperfctr {
	int fd;
	const volatile struct perfctr_cpu_state *state; /* mapped */
	struct perfctr_info info;
};

/* Makes the set of the calling task. 0, or -1 with errno: ENOENT (no perfctr), EBUSY (perf_event holds the counters),
 * EEXIST (the task has a set), EACCES, ENOMEM. */
int vperfctr_open(struct vperfctr *set);
void vperfctr_close(struct vperfctr *set);

/* Starts what CONTROL says; its sums begin at 0, but for those of its preserve. 0, or -1 with errno. */
int vperfctr_control(struct vperfctr *set, const struct vperfctr_control *control);
int vperfctr_stop(struct vperfctr *set);
/* Goes on after an overflow has stopped the counters. */
int vperfctr_iresume(struct vperfctr *set);

/* Read all sums, by system call. */
int vperfctr_read_sums(const struct vperfctr *set, struct perfctr_sum_ctrs *sums);

/* Returns whether vperfctr_read_pmc and vperfctr_read_tsc need no system call: the TSC is on, and RDPMC is allowed. */
bool vperfctr_reads_are_direct(const struct vperfctr *set);

/* Reads the sum of counter I once, without a system call. Returns false if the state changed meanwhile, at a switch or a
 * tick: *SUM is wrong then. A caller that counts its own instructions so knows that it executed no others. */
bool vperfctr_try_read_pmc(const struct vperfctr *set, unsigned int i, unsigned long long *sum);

/* Return the sum of counter I, and of the TSC; they read until the state does not change. */
unsigned long long vperfctr_read_pmc(const struct vperfctr *set, unsigned int i);
unsigned long long vperfctr_read_tsc(const struct vperfctr *set);

#endif
