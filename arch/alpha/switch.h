/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of switch.S for the C files of arch/alpha/; each is described there. */
#ifndef SWITCH_H
#define SWITCH_H

#include <kernel/mm/page.h>
#include <machine/task.h>

struct task;

struct task *switch_contexts(paddr_t next_context, struct task *prev,
			     const struct floating_state *next_fpu,
			     struct floating_state *prev_fpu);
void switch_adopt(paddr_t context, struct context_block *same);

void fpu_save(struct floating_state *state);
void fpu_load(const struct floating_state *state);

#endif
