// SPDX-License-Identifier: BSD-2-Clause
/*
 * The EV67's two counters of wrperfmon, for tests of their drivers. Here the test says what happens,
 * and what ProfileMe reports of an instruction; the emulator in qemu/ counts what a guest really executes.
 * A test ends when the driver does something that the hardware reference manual forbids.
 *
 * A PALcall is one instruction: nothing is counted and no interrupt taken in its middle.
 */
#include <kernel/base/assert.h>
#include <kernel/time/time.h>

#include <machine/perfmon.h>

#include <string.h>

#include "../../../arch/alpha/pmu/ev67.h"
#include "../../../arch/alpha/pmu/ev67_registers.h"
#include "../../../arch/alpha/pmu/init.h"
#include "../../../arch/alpha/pmu/profileme.h"
#include "internal.h"

#define BIT(n) (1u << (n))

/* Where a CPU is, as far as counters of user mode are concerned. */
enum place {
	IN_KERNEL,
	IN_USER,
	IN_ENTRY /* in the entry: they are not disabled yet, or have been by an interrupt */
};

struct counters {
	uint64_t value[EV67_COUNTERS];
	unsigned int enabled, pending, user; /* sets of counters */
	unsigned int select;
	bool selected_processes; /* those with PME; there are none */
	bool hold, in_handler, busy;
	bool still;			   /* ProfileMe: after the window */
	struct ev67_profile next, profile; /* what the next one tells, and the registers */
	uint64_t calls, counted[EV67_EVENTS];
	struct sim_ev67_call kept[SIM_WRITES_KEPT];
	enum place place;
	struct user_path way; /* the part of the entry that has been executed */
};

static struct counters all_counters[CPUS_MAX];
static bool absent, other_model;
static bool (*borrower)(
	struct trap_frame *frame); /* has the interrupt; NULL: the driver of struct pmu */

/* The rows of SL1 (HRM table 6-11), and the greatest value that may be written (HRM
 * 6.10.2.1). */
static const enum ev67_event inputs[][EV67_COUNTERS] = {
	{ EV67_INSTRUCTIONS, EV67_CYCLES },
	{ EV67_CYCLES, EV67_NOTHING },
	{ EV67_INSTRUCTIONS, EV67_BCACHE_MISSES },
	{ EV67_CYCLES, EV67_REPLAY_TRAPS },
};
static const uint64_t value_max[] = { (1 << 20) - 16, (1 << 20) - 4 };

static struct counters *these(void)
{
	return &all_counters[cpu_id()];
}

void sim_ev67_set(enum sim_ev67 what)
{
	memset(all_counters, 0, sizeof(all_counters));
	borrower = NULL;
	absent = what == SIM_EV67_NO_COUNTERS;
	other_model = what == SIM_EV6;
	/* As a console may leave them. */
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++)
		all_counters[cpu] = (struct counters){ .value = { 0xffff0, 0xffffc },
						       .enabled = EV67_ALL_COUNTERS,
						       .pending = EV67_ALL_COUNTERS,
						       .select = 1 << PCTR_CTL_SL1_SHIFT,
						       .selected_processes = true,
						       .hold = true };
}

uint64_t sim_ev67_counted(unsigned int event)
{
	return these()->counted[event];
}

uint64_t sim_ev67_calls(void)
{
	return these()->calls;
}

struct sim_ev67_call sim_ev67_call_at(uint64_t number)
{
	const struct counters *here = these();

	ASSERT(number < here->calls && number + SIM_WRITES_KEPT >= here->calls);
	return here->kept[number % SIM_WRITES_KEPT];
}

void sim_ev67_profile_set(uint64_t pmpc, uint64_t i_stat, uint64_t pctr_ctl)
{
	these()->next = (struct ev67_profile){ pmpc, i_stat, pctr_ctl };
}

unsigned int sim_ev67_pending(void)
{
	return these()->pending;
}

/* --- the interrupt --- */

void ev67_lend_interrupt(bool (*handler)(struct trap_frame *frame))
{
	ASSERT(!borrower);
	borrower = handler;
}

void ev67_take_interrupt_back(bool (*handler)(struct trap_frame *frame))
{
	ASSERT(borrower == handler);
	borrower = NULL;
}

static void leave_user_mode(void);
static void interrupt_entry(void);

static void serve(unsigned int counter)
{
	if (borrower)
		ASSERT(borrower(sim_frame()));
	else
		ev67_pmu_interrupt(counter, sim_frame());
}

static void enter(void *counter)
{
	enum place place = these()->place;

	if (place == IN_USER)
		leave_user_mode();
	else if (place == IN_ENTRY)
		interrupt_entry();
	serve(*(unsigned int *)counter);
	if (place == IN_USER)
		sim_ev67_user_begin();
}

/* As PALcode: counter 0 first, the other one again as soon as the first has been served. */
static void take_interrupts(void)
{
	struct counters *here = these();

	while (here->pending && !here->hold && !here->in_handler && !here->busy) {
		unsigned int counter = here->pending & BIT(0) ? 0 : 1;

		here->pending &= ~BIT(counter);
		here->in_handler = true;
		sim_nmi(enter, &counter);
		here->in_handler = false;
	}
}

void sim_ev67_hold(bool hold)
{
	these()->hold = hold;
	take_interrupts();
}

/* --- wrperfmon --- */

static void write_counters(uint64_t argument)
{
	struct counters *here = these();

	for (unsigned int n = 0; n < EV67_COUNTERS; n++) {
		uint64_t value = argument >> PCTR_CTL_SHIFT(n) & EV67_COUNTER_MASK;

		if (!(argument >> n & 1))
			continue;
		ASSERT(value <= value_max[n]);
		ASSERT(!(here->enabled & BIT(n)));
		here->value[n] = value;
		here->pending &= ~BIT(n);
		here->still = false;
	}
}

static uint64_t read_counters(void)
{
	struct counters *here = these();
	uint64_t control = here->value[0] << PCTR_CTL_SHIFT(0) |
			   here->value[1] << PCTR_CTL_SHIFT(1) | here->select |
			   (here->profile.pctr_ctl & 3);

	/* Bit 47 is extended. */
	return (uint64_t)((int64_t)(control << 16) >> 16);
}

static uint64_t call(uint64_t function, uint64_t argument)
{
	struct counters *here = these();

	switch (function) {
	case PERFMON_DISABLE:
		here->enabled &= ~(unsigned int)argument;
		return 1;
	case PERFMON_ENABLE:
		ASSERT((argument & ~EV67_ALL_COUNTERS) == 0);
		here->enabled |= (unsigned int)argument;
		return 1;
	case PERFMON_SELECT:
		ASSERT((argument & ~(3ull << PCTR_CTL_SL1_SHIFT | PCTR_CTL_SL0)) == 0);
		ASSERT(!here->enabled);
		here->select = (unsigned int)argument;
		here->still = false;
		return 1;
	case PERFMON_OPTIONS:
		here->selected_processes = argument & 1;
		return 1;
	case PERFMON_READ:
		return read_counters();
	case PERFMON_WRITE:
		write_counters(argument);
		return 1;
	case PERFMON_ENABLE_WRITE:
		write_counters(argument);
		here->enabled |= (unsigned int)argument & EV67_ALL_COUNTERS;
		return 1;
	case PERFMON_I_STAT:
		return here->profile.i_stat;
	case PERFMON_PMPC:
		return here->profile.pmpc;
	default:
		panic("wrperfmon(%llu)", (unsigned long long)function);
	}
}

uint64_t wrperfmon(uint64_t function, uint64_t argument)
{
	struct counters *here = these();
	uint64_t result;

	if (absent)
		return 0;
	here->kept[here->calls++ % SIM_WRITES_KEPT] = (struct sim_ev67_call){ function, argument };
	here->busy = true;
	result = call(function, argument);
	here->busy = false;
	take_interrupts();
	return result;
}

void perfmon_use_in_user_mode(unsigned int counters)
{
	these()->user = counters;
}

uint32_t cycles_read(void)
{
	return (uint32_t)clock_ns();
}

bool cpu_is_ev67(void)
{
	return !other_model;
}

/* --- counting --- */

/* The event that counter N counts now; in ProfileMe mode: outside the window. */
static enum ev67_event input_of(const struct counters *here, unsigned int n)
{
	if (here->select & PCTR_CTL_SL0)
		return n == 0 && !here->still ? EV67_INSTRUCTIONS : EV67_NOTHING;
	return inputs[here->select >> PCTR_CTL_SL1_SHIFT][n];
}

static bool counts(const struct counters *here, unsigned int n, unsigned int events)
{
	enum ev67_event input = input_of(here, n);

	return (here->enabled & BIT(n)) && !here->selected_processes && input != EV67_NOTHING &&
	       (events & BIT(input));
}

/* Counter 0 has chosen an instruction, and that has retired. */
static void profile(struct counters *here)
{
	here->still = true;
	here->profile = here->next;
	here->value[0] = here->next.pctr_ctl >> PCTR_CTL_SHIFT(0) & EV67_COUNTER_MASK;
	if (here->enabled & BIT(1))
		here->value[1] += here->next.pctr_ctl >> PCTR_CTL_SHIFT(1) & EV67_COUNTER_MASK;
}

void sim_ev67_count(unsigned int events, uint64_t number)
{
	struct counters *here = these();

	while (number && !here->busy) {
		uint64_t step = number;

		here->busy = true;
		for (unsigned int n = 0; n < EV67_COUNTERS; n++) {
			uint64_t distance = EV67_COUNTER_MASK + 1 - here->value[n];
			if (counts(here, n, events) && step > distance)
				step = distance;
		}
		for (unsigned int n = 0; n < EV67_COUNTERS; n++) {
			if (!counts(here, n, events))
				continue;
			here->counted[input_of(here, n)] += step;
			here->value[n] += step;
			if (here->value[n] <= EV67_COUNTER_MASK)
				continue;
			here->value[n] = 0;
			here->pending |= BIT(n);
			if (here->select & PCTR_CTL_SL0)
				profile(here);
		}
		number -= step;
		here->busy = false;
		take_interrupts();
	}
}

/* --- user mode --- */

/* The lengths of the paths, which user_mode.c derives from code; here any lengths, and an interrupt's as it comes from
 * user mode or in an entry. */
#define ENTRY_IP 0xfffffc0000300000
static const struct user_path way_in = { 90, 11 }, way_out = { 46, 3 };

static void go(struct user_path way)
{
	struct counters *here = these();

	for (uint64_t i = 0; i < way.instructions; i++) {
		here->way.instructions++;
		sim_ev67_count(1u << EV67_INSTRUCTIONS | 1u << EV67_CYCLES, 1);
		if (i < way.branches) {
			here->way.branches++;
			sim_ev67_count(1u << EV67_CYCLES, 1);
		}
	}
}

/* As entry.S and user_mode_left; the counters may have been disabled by an interrupt. */
static void look(void)
{
	struct counters *here = these();

	if (!(here->enabled & here->user))
		return;
	wrperfmon(PERFMON_DISABLE, here->user);
	ev67_user_disabled(here->way);
}

static void interrupt_entry(void)
{
	go(way_in);
	look();
}

static void serve_overflows(void *unused)
{
	(void)unused;
	ev67_user_overflows(sim_frame());
}

/* The end of the entry from user mode. */
static void end_entry(void)
{
	struct counters *here = these();

	look();
	if (here->user && arch_in_nmi())
		serve_overflows(NULL);
	else if (here->user)
		sim_nmi(serve_overflows, NULL);
	here->place = IN_KERNEL;
}

static void leave_user_mode(void)
{
	struct counters *here = these();

	here->place = IN_ENTRY;
	here->way = (struct user_path){ 0, 0 };
	go(way_in);
	end_entry();
}

void sim_ev67_user_begin(void)
{
	struct counters *here = these();

	if (here->user) {
		struct user_start start = ev67_user_start(way_out);

		if (start.counters) {
			wrperfmon(PERFMON_ENABLE_WRITE, start.argument);
			go(way_out);
		}
	}
	here->place = IN_USER;
}

void sim_ev67_user_end(void)
{
	leave_user_mode();
}

void sim_ev67_user_call(void)
{
	struct counters *here = these();
	struct trap_frame user = *sim_frame();

	sim_ev67_hold(true);
	sim_ev67_count(1u << EV67_INSTRUCTIONS | 1u << EV67_CYCLES, 1);
	here->place = IN_ENTRY;
	here->way = (struct user_path){ 0, 0 };
	sim_frame_set(ENTRY_IP, false);
	sim_ev67_hold(false);
	go(way_in);
	*sim_frame() = user;
	end_entry();
}
