/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated machine's registers: as much of an interrupted context as the perf core asks
 * for. */
#ifndef MACHINE_TASK_H
#define MACHINE_TASK_H

#include <stdbool.h>
#include <stdint.h>

#define KERNEL_STACK_SIZE 16384

struct trap_frame {
	uint64_t ip, sp, fp;
	bool user;
};

struct arch_task {
	struct trap_frame user_frame; /* what its last entry from user mode saved */
};

#endif
