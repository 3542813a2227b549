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
/* Whether the kernel comes to have as much as BEFORE; NOW: its resources in the end. */
bool state_becomes(const struct state *before, struct state *now);
void state_show_difference(const struct state *before, const struct state *now);
/* Makes the kernel allocate what it keeps for later: kernel stacks, the program in memory, places for
 * events of this process, its parent and process 1. */
void state_warm_up(void);
void state_be_counted(void);
/* Gives the calling process every page of its memory, as a process needs that lives as long as the measurement: a
 * page that it shared with its parent, or had not used, would be taken from the free ones at the first write. */
void state_own_memory(void);

#endif
