// SPDX-License-Identifier: BSD-2-Clause
/*
 * A simulated PMU and its driver: the perf core's tests run on it, and it is the shortest complete
 * driver there is to read.
 *
 * The hardware: up to 8 counters of 20 to 64 bits, each counting one event code in chosen rings,
 * each with an overflow flag, all with one interrupt; a disable bit. The counters move only when a
 * test says so (sim_pmu_count), and an overflow interrupts at the very event that caused it, unless
 * interrupts are held back.
 *
 * The driver keeps the contract of <kernel/perf/pmu.h> with the arithmetic of kernel/perf/counter.c
 * and the placement of kernel/perf/assign.c.
 */
#include <kernel/base/assert.h>
#include <kernel/perf/assign.h>
#include <kernel/perf/counter.h>
#include <kernel/perf/event.h>
#include <kernel/perf/overflow.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/userpage.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include <arch/pmu.h>
#include <arch/task.h>

#include <string.h>

#include "internal.h"

struct counter {
	uint64_t value;
	uint8_t code;
	bool running, user, kernel;
	bool overflowed;
};

struct bank {
	struct counter counters[SIM_COUNTERS_MAX];
	struct perf_event *events[SIM_COUNTERS_MAX];
	unsigned int disabled; /* depth of pmu_disable */
	bool hold, pending, in_handler;
	uint64_t interrupts, overflows, counted;
};

static struct bank banks[CPUS_MAX];
static struct sim_pmu_model model;
static struct pmu sim_pmu;
static bool registered; /* with the core, which forgets no PMU */

static struct bank *this_bank(void)
{
	return &banks[cpu_id()];
}

static uint64_t all_counters(void)
{
	return ((uint64_t)1 << model.counters) - 1;
}

static uint64_t counter_mask(void)
{
	return model.width_bits == 64 ? UINT64_MAX : ((uint64_t)1 << model.width_bits) - 1;
}

/* --- the hardware --- */

static void raise_interrupt(void)
{
	struct bank *bank = this_bank();

	bank->pending = true;
	if (bank->hold || bank->in_handler || model.no_interrupt)
		return;
	bank->pending = false;
	bank->interrupts++;
	ASSERT(sim_nmi_dispatch());
}

static bool counts(const struct counter *counter, uint8_t code)
{
	bool user = sim_frame()->user;

	return counter->running && counter->code == code &&
	       (user ? counter->user : counter->kernel);
}

void sim_pmu_count(uint8_t code, uint64_t number)
{
	struct bank *bank = this_bank();

	while (number && !bank->disabled) {
		uint64_t step = number;
		bool overflow = false;

		for (unsigned int i = 0; i < model.counters; i++) {
			/* Events until it wraps, minus one, so that 2^64 fits. */
			uint64_t distance = counter_mask() - bank->counters[i].value;
			if (counts(&bank->counters[i], code) && step - 1 > distance)
				step = distance + 1;
		}
		for (unsigned int i = 0; i < model.counters; i++) {
			struct counter *counter = &bank->counters[i];
			if (!counts(counter, code))
				continue;
			bank->counted += step;
			counter->value = (counter->value + step) & counter_mask();
			/* It wrapped if and only if less than STEP is left. */
			if (counter->value < step) {
				counter->overflowed = true;
				bank->overflows++;
				overflow = true;
			}
		}
		number -= step;
		if (overflow)
			raise_interrupt();
	}
}

uint64_t sim_pmu_read_counter(unsigned int index)
{
	ASSERT(index < model.counters);
	return this_bank()->counters[index].value;
}

void sim_pmu_interrupts_hold(bool hold)
{
	struct bank *bank = this_bank();

	bank->hold = hold;
	if (!hold && bank->pending)
		raise_interrupt();
}

uint64_t sim_pmu_interrupts(void)
{
	return this_bank()->interrupts;
}

uint64_t sim_pmu_counted(void)
{
	return this_bank()->counted;
}

uint64_t sim_pmu_overflows(void)
{
	return this_bank()->overflows;
}

/* --- the driver --- */

static uint64_t constraint_of(uint8_t code)
{
	for (unsigned int i = 0; i < model.constraint_count; i++)
		if (model.constraints[i].code == code)
			return model.constraints[i].counters & all_counters();
	return all_counters();
}

static int sim_event_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_RAW)
		return -ENOENT;
	if (attr->type == PERF_TYPE_HARDWARE && attr->config >= PERF_COUNT_HW_MAX)
		return -EINVAL;
	event->hw.config = attr->config & 0xff;
	event->hw.counter.constraint = constraint_of((uint8_t)event->hw.config);
	event->hw.counter.index = -1;
	event->hw.counter.last_index = -1;
	return counter_group_validate(event, all_counters());
}

static void sim_disable(struct pmu *pmu)
{
	(void)pmu;
	this_bank()->disabled++;
}

static void sim_enable(struct pmu *pmu)
{
	(void)pmu;
	ASSERT(this_bank()->disabled > 0);
	this_bank()->disabled--;
}

static struct counter *counter_of(struct perf_event *event)
{
	ASSERT(event->hw.counter.index >= 0 &&
	       this_bank()->events[event->hw.counter.index] == event);
	return &this_bank()->counters[event->hw.counter.index];
}

static uint64_t read_raw(struct perf_event *event)
{
	return counter_of(event)->value;
}

static void sim_read(struct perf_event *event)
{
	pmu_event_update(event, read_raw, model.width_bits);
}

static bool set_period(struct perf_event *event)
{
	bool expired;

	counter_of(event)->value =
		pmu_event_set_period(event, model.width_bits, counter_mask() >> 1, 1, &expired);
	perf_userpage_update(event);
	return expired;
}

static void sim_start_event(struct perf_event *event, int flags)
{
	struct counter *counter = counter_of(event);

	if (!(event->hw.flags & HW_STOPPED))
		return;
	if (flags & PMU_RELOAD)
		set_period(event);
	event->hw.flags = 0;
	counter->code = (uint8_t)event->hw.config;
	counter->user = !event->attr.exclude_user;
	counter->kernel = !event->attr.exclude_kernel;
	counter->overflowed = false;
	counter->running = true;
}

static void sim_stop_event(struct perf_event *event, int flags)
{
	counter_of(event)->running = false;
	event->hw.flags |= HW_STOPPED;
	if ((flags & PMU_UPDATE) && !(event->hw.flags & HW_UPTODATE)) {
		sim_read(event);
		event->hw.flags |= HW_UPTODATE;
	}
}

static void move(struct bank *bank, const struct counter_move *move)
{
	struct perf_event *event = bank->events[move->from];
	bool running = !(event->hw.flags & HW_STOPPED);

	sim_stop_event(event, PMU_UPDATE);
	bank->events[move->from] = NULL;
	bank->events[move->to] = event;
	event->hw.counter.index = move->to;
	if (running)
		sim_start_event(event, PMU_RELOAD);
}

static int sim_add(struct perf_event *event, int flags)
{
	struct bank *bank = this_bank();
	struct counter_moves moves;
	uint64_t occupant[COUNTERS_MAX] = { 0 };
	uint64_t free = 0;

	ASSERT(bank->disabled);
	for (unsigned int i = 0; i < model.counters; i++) {
		if (bank->events[i])
			occupant[i] = bank->events[i]->hw.counter.constraint;
		else
			free |= (uint64_t)1 << i;
	}
	int slot = counter_assign(free, event->hw.counter.constraint, 0, occupant, &moves);
	if (slot < 0)
		return slot;
	for (unsigned int i = 0; i < moves.count; i++)
		move(bank, &moves.move[i]);
	bank->events[slot] = event;
	event->hw.counter.index = slot;
	event->hw.flags = HW_STOPPED | HW_UPTODATE;
	if (flags & PMU_START)
		sim_start_event(event, PMU_RELOAD);
	return 0;
}

static void sim_del(struct perf_event *event, int flags)
{
	(void)flags;
	ASSERT(this_bank()->disabled);
	sim_stop_event(event, PMU_UPDATE);
	this_bank()->events[event->hw.counter.index] = NULL;
	event->hw.counter.last_index = event->hw.counter.index;
	event->hw.counter.index = -1;
	perf_userpage_update(event);
}

static uint32_t sim_user_index(struct perf_event *event)
{
	return event->hw.counter.index >= 0 ? (uint32_t)event->hw.counter.index + 1 : 0;
}

static unsigned int sim_user_width(struct perf_event *event)
{
	(void)event;
	return model.width_bits;
}

static bool handle_interrupt(struct trap_frame *frame)
{
	struct bank *bank = this_bank();
	bool ours = false;

	bank->in_handler = true;
	sim_disable(&sim_pmu);
	for (unsigned int i = 0; i < model.counters; i++) {
		struct perf_event *event = bank->events[i];

		if (!bank->counters[i].overflowed)
			continue;
		bank->counters[i].overflowed = false;
		ours = true;
		if (!event || (event->hw.flags & HW_STOPPED))
			continue;
		sim_read(event);
		if (set_period(event) && perf_event_overflow(event, frame))
			sim_stop_event(event, 0);
	}
	sim_enable(&sim_pmu);
	bank->in_handler = false;
	return ours;
}

static struct pmu sim_pmu = {
	.name = "cpu",
	.type = PERF_TYPE_RAW,
	.event_init = sim_event_init,
	.pmu_disable = sim_disable,
	.pmu_enable = sim_enable,
	.add = sim_add,
	.del = sim_del,
	.start = sim_start_event,
	.stop = sim_stop_event,
	.read = sim_read,
	.user_index = sim_user_index,
	.user_width = sim_user_width,
};

void sim_pmu_register(const struct sim_pmu_model *new)
{
	ASSERT(new->counters >= 1 && new->counters <= SIM_COUNTERS_MAX);
	ASSERT(new->width_bits >= 20 && new->width_bits <= 64);
	model = *new;
	memset(banks, 0, sizeof(banks));
	sim_pmu.capabilities = model.no_interrupt ? PMU_NO_INTERRUPT : 0;
	if (!registered)
		ASSERT(perf_pmu_register(&sim_pmu, PERF_TYPE_RAW) == 0);
	registered = true;
	arch_nmi_register(handle_interrupt);
}
