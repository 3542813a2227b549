/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's possessions, by its own account: see state.c. */
#ifndef TESTS_FUZZ_STATE_H
#define TESTS_FUZZ_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct state {
	char objects[4096]; /* as text: how many of each size are in use */
	uint64_t free_kb;   /* not in use by anything but objects */
	char memory[2048];  /* /proc/meminfo, which says what pages are used for */
};

void state_look(struct state *state);
/* Whether the kernel comes to have as much as BEFORE; NOW: what it has in the end. */
bool state_becomes(const struct state *before, struct state *now);
void state_show_difference(const struct state *before, const struct state *now);
/* Makes the kernel have what it keeps for later: kernel stacks, the program in memory, places for events
 * of this process, its parent and process 1. */
void state_warm_up(void);
void state_be_counted(void);

#endif
