/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps of the start. A part registers its step beside the function, and kernel/main.c runs the steps. It names only the
 * parts that start before the first step, or that change from one level to the next: the console, and the trees of
 * files. The linker collects the steps (section start_steps of linker.ld).
 *
 * Steps of one level run in no particular order. All run in task context on the boot CPU, when the other CPUs
 * run.
 */
#ifndef KERNEL_START_H
#define KERNEL_START_H

enum start_level {
	START_CORE,    /* memory, tasks and CPUs are there */
	START_PMUS,    /* the perf core takes PMUs */
	START_FILES,   /* there is an empty tree: kinds of files that have no names there */
	START_DEVICES, /* before /dev is made of the devices: device_add */
	START_DEV,     /* /dev is mounted */
	START_TREES,   /* /proc and /sys are mounted */
	START_LATE,    /* all else is done; the first user task comes next */
	START_LEVELS
};

struct start_step {
	enum start_level level;
	void (*run)(void);
};

/* Registers FUNCTION, void FUNCTION(void), as a step of LEVEL. */
#define START(level, function)                                          \
	static const struct start_step start_##function __attribute__(( \
		used, aligned(sizeof(void *)), section("start_steps"))) = { level, function }

#endif
