/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfctr's low-level API for high-level drivers (vperfctr.c), by perfctr's low-level-api.txt of 2004.
 *
 * The functions on a state run on the CPU whose counters they change, interrupts off.
 */
#ifndef KERNEL_PERFCTR_PERFCTR_H
#define KERNEL_PERFCTR_PERFCTR_H

#include <stdint.h>

#define __PERFCTR_KERNEL__
#include <uapi/linux/perfctr.h>

struct perfctr_hardware;

/* Detects the hardware: 0 or -ENODEV. Undone by exit. Task context, after the PMUs' start. */
int perfctr_cpu_init(void);
void perfctr_cpu_exit(void);

/* CPU type name, and the hardware. Set if perfctr_cpu_init succeeded; else NULL. */
extern const char *perfctr_cpu_name;
extern struct perfctr_hardware perfctr_cpu_hardware;

/* Reserves the hardware for the high-level driver SERVICE, a unique string. NULL, or the name of the holder. Release
 * it as often as reserved. Task context. */
const char *perfctr_cpu_reserve(const char *service);
void perfctr_cpu_release(const char *service);

/* Checks CONTROL as perfctr_cpu_update_control does: 0 or -EINVAL. Only control data that pass may be given to another
 * function. Any context. */
int perfctr_cpu_check_control(const struct perfctr_cpu_control *control, int is_global);

/* This CPU has come on line: its counters are as after reserve, if the hardware is reserved. Interrupts off. */
void perfctr_cpu_starts(void);

/* STATE has no running i-mode counters: checks control and makes cstatus, the maps and the low level's private data
 * of it. IS_GLOBAL: for counters of a CPU, not of a task. 0 or -EINVAL; then cstatus is 0. Task context. */
int perfctr_cpu_update_control(struct perfctr_cpu_state *state, int is_global);

/* Stops the i-mode counters, and all if some count the kernel; updates all sums and start values. */
void perfctr_cpu_suspend(struct perfctr_cpu_state *state);

/* Sets the i-mode counters to their start values, writes the control registers, and reads the start values of the
 * a-mode counters. */
void perfctr_cpu_resume(struct perfctr_cpu_state *state);

/* Suspends and resumes: the counters go on while their sums are updated. */
void perfctr_cpu_sample(struct perfctr_cpu_state *state);

/* Handles an overflow interrupt at PC. NMI context. */
typedef void (*perfctr_ihandler_t)(unsigned long pc);

/* Installs HANDLER; NULL: interrupts are ignored. After perfctr_cpu_reserve, before a state is resumed. */
void perfctr_cpu_set_ihandler(perfctr_ihandler_t handler);

/* STATE was suspended. Returns the set of counters that have overflowed (bit n: counter n) and gives them the start
 * values of ireset. */
unsigned int perfctr_cpu_identify_overflow(struct perfctr_cpu_state *state);

/* Lets the next perfctr_cpu_resume write the start values of the i-mode counters, whatever the hardware has. */
void perfctr_cpu_ireload(struct perfctr_cpu_state *state);

#endif
