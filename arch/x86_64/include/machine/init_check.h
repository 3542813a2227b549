/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * INIT's effect on a CPU's counters: for programs that judge its PMU. With the word init-check on the command line the
 * further CPUs start twice. Each leaves a mark in its general counter 0 the first time, and looks for it the second time.
 *
 * Source: SDM vol. 3A, table 10-1 "IA-32 and Intel 64 Processor States Following Power-up, Reset, or INIT"; APM vol. 2,
 * 14.1.3 "Processor Initialization State".
 */
#ifndef MACHINE_INIT_CHECK_H
#define MACHINE_INIT_CHECK_H

#include <stdbool.h>

enum init_effect {
	INIT_NOT_TRIED, /* no word, the boot CPU, or a counter that keeps no mark */
	INIT_LEAVES_COUNTER,
	INIT_CHANGES_COUNTER,
};

/* Returns whether the command line asks for the check. Boot CPU, start. */
bool init_check_requested(void);

/* The next start of the CPUs is the one that leaves the mark, or (SECOND) the one that looks for it. Boot CPU, start. */
void init_check_begin(bool second);

/* Leaves the mark, or looks for it and gives the counter its value back; nothing without init_check_begin. On CPU, each time that
 * it starts, interrupts off. A CPU may have another number the second time. */
void init_check_here(unsigned int cpu);

/* Returns what INIT did on CPU. Any context. */
enum init_effect init_check_effect(unsigned int cpu);

#endif
