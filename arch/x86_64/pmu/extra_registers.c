// SPDX-License-Identifier: BSD-2-Clause
/*
 * Extra registers: who has which.
 *
 * An event that wants a value that a register already holds shares the register; otherwise it takes a free one, first
 * its own, then the twin. Registers are symmetric, so the first fit finds a place whenever there is one. A register keeps its
 * value from the first event that takes it to the last that gives it back.
 */
#include "extra_registers.h"

#include <kernel/base/assert.h>
#include <kernel/perf/event.h>
#include <machine/msr.h>
#include <uapi/linux/errno.h>

#include "event_select.h"

#define EVENT_AND_UMASK (EVENTSEL_EVENT | EVENTSEL_UMASK)

/* Bits that every extra register has: the trial turns them over. Linux's choice. */
#define TRIAL_BITS	0x11

/* Constant after start. */
static const struct extra_register *registers;
static unsigned int register_count;
static bool works[EXTRA_REGISTERS_MAX];

/* Returns whether the register NUMBER holds what is written. Leaves its value. */
static bool holds(uint32_t number)
{
	uint64_t before, after;

	if (!msr_read_try(number, &before) || !msr_write_try(number, before ^ TRIAL_BITS))
		return false;
	if (!msr_read_try(number, &after) || !msr_write_try(number, before))
		return false;
	return after == (before ^ TRIAL_BITS);
}

void extra_registers_start(const struct extra_register *table, unsigned int count)
{
	ASSERT(count <= EXTRA_REGISTERS_MAX);
	registers = table;
	register_count = count;
	for (unsigned int i = 0; i < count; i++)
		works[i] = holds(table[i].msr);
}

int extra_register_require(struct perf_event *event, uint64_t event_bits, uint64_t value)
{
	for (unsigned int i = 0; i < register_count; i++) {
		if (registers[i].event != (event_bits & EVENT_AND_UMASK))
			continue;
		if (value & ~registers[i].valid)
			return -EINVAL;
		if (!works[i])
			return -ENXIO;
		event->hw.counter.extra = (int8_t)i;
		event->hw.counter.extra_value = value;
		break;
	}
	return 0;
}

/* Returns the register that EVENT can take in USES, or EXTRA_NONE. */
static int8_t find(const struct extra_uses *uses, const struct perf_event *event)
{
	uint8_t own = (uint8_t)event->hw.counter.extra, twin = registers[own].twin;
	const uint8_t choices[] = { own, twin };

	for (unsigned int i = 0; i < 2; i++) {
		const struct extra_use *use = &uses->of[choices[i]];

		if (works[choices[i]] &&
		    (!use->events || use->value == event->hw.counter.extra_value))
			return (int8_t)choices[i];
	}
	return EXTRA_NONE;
}

/* Uses a register in USES for EVENT, if it wants one; writes nothing. Returns the register, EXTRA_NONE: it wants none,
 * or -EINVAL: none is free. */
static int use(struct extra_uses *uses, const struct perf_event *event)
{
	int8_t found;

	if (event->hw.counter.extra == EXTRA_NONE)
		return EXTRA_NONE;
	found = find(uses, event);
	if (found == EXTRA_NONE)
		return -EINVAL;
	uses->of[found].value = event->hw.counter.extra_value;
	uses->of[found].events++;
	return found;
}

int extra_registers_validate(struct perf_event *event)
{
	struct extra_uses trial = { 0 };
	struct perf_event *leader = event->leader, *sibling;

	if (event->hw.counter.extra == EXTRA_NONE || leader == event)
		return 0;
	if (leader->pmu == event->pmu && use(&trial, leader) == -EINVAL)
		return -EINVAL;
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link) {
		if (sibling != event && sibling->pmu == event->pmu && sibling->state > EVENT_OFF &&
		    use(&trial, sibling) == -EINVAL)
			return -EINVAL;
	}
	return use(&trial, event) == -EINVAL ? -EINVAL : 0;
}

bool extra_register_take(struct extra_uses *uses, struct perf_event *event)
{
	int taken;

	ASSERT(event->hw.counter.extra_taken == EXTRA_NONE);
	taken = use(uses, event);
	if (taken == -EINVAL)
		return false;
	if (taken == EXTRA_NONE)
		return true;
	if (uses->of[taken].events == 1)
		msr_write(registers[taken].msr, uses->of[taken].value);
	event->hw.counter.extra_taken = (int8_t)taken;
	return true;
}

void extra_register_release(struct extra_uses *uses, struct perf_event *event)
{
	int8_t taken = event->hw.counter.extra_taken;

	if (taken == EXTRA_NONE)
		return;
	ASSERT(uses->of[taken].events > 0);
	uses->of[taken].events--;
	event->hw.counter.extra_taken = EXTRA_NONE;
}

uint64_t extra_register_config(const struct perf_event *event)
{
	int8_t taken = event->hw.counter.extra_taken;

	if (taken == EXTRA_NONE)
		return event->hw.config;
	return (event->hw.config & ~EVENT_AND_UMASK) | registers[taken].event;
}
