/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Extra registers: registers beside the counters that qualify an event, and that the counters of a CPU share.
 *
 * Intel's off-core response events count by a register for the kind of request and of response (SDM vol. 3B,
 * "Off-core Response Performance Monitoring"). There are two events that differ only in their register. So two
 * values can be counted at the same time, each by any number of counters; an event that wants a third has to
 * wait.
 */
#ifndef ARCH_X86_64_PMU_EXTRA_REGISTERS_H
#define ARCH_X86_64_PMU_EXTRA_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event;

#define EXTRA_REGISTERS_MAX 4

/* A row of a CPU model's table. */
struct extra_register {
	uint32_t msr;
	uint16_t event; /* event select and unit mask of the event that the register qualifies */
	uint8_t twin; /* the row that serves as well, with its own event; the row itself: none does */
	uint64_t valid; /* bits that a value may have */
};

/* The use of each register. Begins zeroed. */
struct extra_uses {
	struct extra_use {
		uint64_t value;
		unsigned int events; /* that use it now; 0: the register is free */
	} of[EXTRA_REGISTERS_MAX];
};

/* Makes the COUNT (0 … EXTRA_REGISTERS_MAX) rows of TABLE the registers of this machine, and tries each: a hypervisor may
 * lack it. TABLE stays. Once, task context, before events come. */
void extra_registers_start(const struct extra_register *table, unsigned int count);

/* Notes that EVENT, of EVENT_BITS, wants VALUE in its extra register. No effect if the event has none. 0;
 * -EINVAL: VALUE has a bit that it may not have; -ENXIO: the register is not there. Task context. */
int extra_register_require(struct perf_event *event, uint64_t event_bits, uint64_t value);

/* Returns 0 if EVENT and the members of its group could use extra registers at the same time, else -EINVAL. The
 * same conditions as for counter_group_validate. */
int extra_registers_validate(struct perf_event *event);

/* Takes a register in USES, this CPU's, for EVENT, which is about to get a counter, and writes it. False: none
 * is free. PMU disabled. */
bool extra_register_take(struct extra_uses *uses, struct perf_event *event);

/* Gives the register of EVENT, which has left its counter or has got none, back. PMU disabled. */
void extra_register_release(struct extra_uses *uses, struct perf_event *event);

/* Returns EVENT's hw.config with the event of the register that it has taken. Any context. */
uint64_t extra_register_config(const struct perf_event *event);

#endif
