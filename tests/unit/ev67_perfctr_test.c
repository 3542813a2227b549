// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of perfctr's low level on the EV67 (arch/alpha/pmu/perfctr.c): control data, calls of wrperfmon, values and
 * overflows of 20 bits, and the change of hands between it and perf_event's driver. Both halves of perfctr run on the
 * simulated counters, which end the test at what the reference manual forbids.
 */
#include <kernel/perfctr/perfctr.h>

#include <arch/perfctr.h>
#include <kernel/perf/event.h>
#include <kernel/perf/overflow.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/throttle.h>
#include <kernel/perf/userpage.h>
#include <machine/perfmon.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include "ev67.h"
#include "sim/sim.h"
#include "tap.h"

#define HALF (RANGE / 2)

/* The SL1 of instructions in counter 0 and cycles in counter 1 (HRM table 6-11). */
#define BOTH 0

/* --- the core --- */

static struct pmu *cpu_pmu;
static unsigned int samples;

int perf_pmu_register(struct pmu *pmu, int type)
{
	if (type >= 0)
		cpu_pmu = pmu;
	sim_start_pmu(pmu);
	return 0;
}

bool perf_event_overflow(struct perf_event *event, struct trap_frame *frame)
{
	(void)event;
	(void)frame;
	samples++;
	return false;
}

void perf_userpage_update(struct perf_event *event)
{
	(void)event;
}

void perf_interrupt_took(uint64_t start_ns)
{
	(void)start_ns;
}

/* --- the half above, as vperfctr.c uses it --- */

static struct perfctr_cpu_state *running;
static unsigned int interrupts, overflown;
static unsigned long last_pc;

/* As a set of virtual counters that goes on. */
static void handle(unsigned long pc)
{
	struct perfctr_cpu_state *state = running;
	unsigned int now;

	interrupts++;
	last_pc = pc;
	if (!state)
		return;
	running = NULL;
	perfctr_cpu_suspend(state);
	now = perfctr_cpu_identify_overflow(state);
	if (now)
		perfctr_cpu_ireload(state);
	overflown |= now;
	perfctr_cpu_resume(state);
	running = state;
}

static void resume(struct perfctr_cpu_state *state)
{
	perfctr_cpu_resume(state);
	running = state;
}

static void suspend(void)
{
	struct perfctr_cpu_state *state = running;

	running = NULL;
	perfctr_cpu_suspend(state);
}

static void start_machine(void)
{
	sim_start(2);
	sim_ev67_set(SIM_EV67);
	EXPECT(ev67_pmu_init());
	for (unsigned int cpu = 2; cpu-- > 0;) {
		sim_cpu_set(cpu);
		sim_ev67_hold(false);
		sim_frame_set(0x120001000, true);
	}
	running = NULL;
	samples = interrupts = overflown = 0;
}

static void start(void)
{
	start_machine();
	EXPECT_EQ(perfctr_cpu_init(), 0);
	EXPECT(!perfctr_cpu_reserve("test"));
	perfctr_cpu_set_ihandler(handle);
}

static void end(void)
{
	perfctr_cpu_release("test");
	perfctr_cpu_exit();
	EXPECT_EQ(sim_end(), 0);
}

/* A state of A_MODE and then I_MODE counters, on counters FIRST, FIRST + 1, that count instructions or cycles. */
static struct perfctr_cpu_state state_of(unsigned int first, unsigned int a_mode,
					 unsigned int i_mode, int period)
{
	struct perfctr_cpu_state state = { .control = { .nractrs = a_mode,
							.nrictrs = i_mode,
							.pmc_map = { first, first ^ 1 },
							.evntsel = { BOTH, BOTH },
							.ireset = { -period, -period } } };

	EXPECT_EQ(perfctr_cpu_update_control(&state, 0), 0);
	return state;
}

/* --- the hardware and control data --- */

static void hardware_is_described(void)
{
	static const enum sim_ev67 without[] = { SIM_EV67_NO_COUNTERS, SIM_EV6 };
	struct perfctr_hardware hardware;

	for (unsigned int i = 0; i < 2; i++) {
		sim_start(1);
		sim_ev67_set(without[i]);
		EXPECT_EQ_AT(arch_perfctr_find(&hardware), false, "machine %u", i);
		EXPECT_EQ_AT(sim_end(), 0, "machine %u", i);
	}
	start_machine();
	EXPECT(arch_perfctr_find(&hardware));
	EXPECT_STR(hardware.name, "EV67");
	EXPECT_EQ(hardware.counters, 2);
	EXPECT_EQ(hardware.width_bits, 20);
	EXPECT_EQ(hardware.user_reads, false);
	EXPECT_EQ(sim_end(), 0);
}

static void control_data_are_checked(void)
{
	static const struct {
		unsigned int a_mode, i_mode;
		unsigned int map[2], select[2], select_high[2];
		int ireset[2], error;
	} cases[] = {
		{ 2, 0, { 0, 1 }, { 0, 0 }, { 0 }, { 0 }, 0 },
		{ 1, 0, { 0 }, { 1 }, { 0 }, { 0 }, 0 },
		{ 1, 0, { 1 }, { 3 }, { 0 }, { 0 }, 0 },
		{ 2, 0, { 1, 0 }, { 2, 2 }, { 0 }, { 7, 7 }, 0 }, /* ireset is an i-mode counter's */
		{ 0, 2, { 0, 1 }, { 0, 0 }, { 0 }, { -16, -4 }, 0 },
		{ 0, 2, { 1, 0 }, { 3, 3 }, { 0 }, { -4, -16 }, 0 },
		{ 0, 2, { 0, 1 }, { 0, 0 }, { 0 }, { -(int)HALF, -(int)HALF }, 0 },
		{ 1, 1, { 0, 1 }, { 0, 0 }, { 0 }, { 0, -1000 }, 0 },
		/* Counters that are not there. */
		{ 1, 0, { 2 }, { 0 }, { 0 }, { 0 }, -EINVAL },
		{ 1, 0, { UINT32_MAX }, { 0 }, { 0 }, { 0 }, -EINVAL },
		/* SL1: two bits, the same for both; under 1, counter 1 has no event. */
		{ 1, 0, { 0 }, { 4 }, { 0 }, { 0 }, -EINVAL },
		{ 1, 0, { 0 }, { 0 }, { 1 }, { 0 }, -EINVAL },
		{ 2, 0, { 0, 1 }, { 0, 2 }, { 0 }, { 0 }, -EINVAL },
		{ 1, 0, { 1 }, { 1 }, { 0 }, { 0 }, -EINVAL },
		{ 2, 0, { 0, 1 }, { 1, 1 }, { 0 }, { 0 }, -EINVAL },
		/* Start values: too near to the overflow, or too far. */
		{ 0, 1, { 0 }, { 0 }, { 0 }, { -15 }, -EINVAL },
		{ 0, 1, { 1 }, { 0 }, { 0 }, { -3 }, -EINVAL },
		{ 0, 1, { 0 }, { 0 }, { 0 }, { 0 }, -EINVAL },
		{ 0, 1, { 0 }, { 0 }, { 0 }, { 1000 }, -EINVAL },
		{ 0, 1, { 0 }, { 0 }, { 0 }, { -(int)HALF - 1 }, -EINVAL },
		{ 0, 1, { 1 }, { 0 }, { 0 }, { INT32_MIN }, -EINVAL },
		{ 1, 1, { 0, 1 }, { 0, 0 }, { 0 }, { -1000, 0 }, -EINVAL },
	};

	start();
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perfctr_cpu_control control = { .nractrs = cases[i].a_mode,
						       .nrictrs = cases[i].i_mode };

		for (unsigned int n = 0; n < 2; n++) {
			control.pmc_map[n] = cases[i].map[n];
			control.evntsel[n] = cases[i].select[n];
			control.evntsel_high[n] = cases[i].select_high[n];
			control.ireset[n] = cases[i].ireset[n];
		}
		EXPECT_EQ_AT(arch_perfctr_check(&control), cases[i].error, "case %u", i);
		/* These counters count in every mode. */
		EXPECT_EQ_AT(arch_perfctr_counts_kernel(&control), true, "case %u", i);
	}
	const struct perfctr_cpu_control none = { .tsc_on = 1 };
	EXPECT_EQ(arch_perfctr_check(&none), 0);
	EXPECT_EQ(arch_perfctr_counts_kernel(&none), false);
	end();
}

/* --- calls --- */

static uint64_t calls_seen;

static void expect_calls(const struct sim_ev67_call *expected, unsigned int count, const char *step)
{
	uint64_t calls = sim_ev67_calls() - calls_seen;

	EXPECT_EQ_AT(calls, count, "%s: number of calls", step);
	for (unsigned int i = 0; i < count && i < calls; i++) {
		struct sim_ev67_call call = sim_ev67_call_at(calls_seen + i);

		EXPECT_EQ_AT(call.function, expected[i].function, "%s: function of call %u", step,
			     i);
		EXPECT_EQ_AT(call.argument, expected[i].argument, "%s: argument of call %u", step,
			     i);
	}
	calls_seen = sim_ev67_calls();
}

#define EXPECT_CALLS(step, ...)                                              \
	do {                                                                 \
		const struct sim_ev67_call list_[] = { __VA_ARGS__ };        \
		expect_calls(list_, sizeof(list_) / sizeof(list_[0]), step); \
	} while (0)

/* A-mode counters are set to half their range, so that an interrupt may be as late as the other half. */
static void starts_call_palcode(void)
{
	const struct perfctr_cpu_control
		a_mode = { .nractrs = 2, .pmc_map = { 1, 0 }, .evntsel = { 2, 2 } },
		i_mode = { .nrictrs = 1, .pmc_map = { 1 }, .evntsel = { 3 }, .ireset = { -1000 } },
		mixed = { .nractrs = 1, .nrictrs = 1, .pmc_map = { 0, 1 }, .ireset = { 0, -1000 } };

	start();
	calls_seen = sim_ev67_calls();
	arch_perfctr_start(&a_mode);
	EXPECT_CALLS("a-mode", { PERFMON_DISABLE, 3 }, { PERFMON_SELECT, 2 << 2 },
		     { PERFMON_WRITE, (uint64_t)HALF << 28 | (uint64_t)HALF << 6 | 3 },
		     { PERFMON_ENABLE, 3 });
	EXPECT_EQ(arch_perfctr_read(0), HALF);
	EXPECT_EQ(arch_perfctr_read(1), HALF);
	calls_seen = sim_ev67_calls();
	arch_perfctr_stop(&a_mode);
	EXPECT_CALLS("stop", { PERFMON_DISABLE, 3 });
	EXPECT_EQ(arch_perfctr_write(1, -1000), -1000);
	EXPECT_CALLS("value", { PERFMON_WRITE, (uint64_t)(RANGE - 1000) << 6 | 2 });
	arch_perfctr_start(&i_mode);
	EXPECT_CALLS("i-mode", { PERFMON_DISABLE, 3 }, { PERFMON_SELECT, 3 << 2 },
		     { PERFMON_ENABLE, 2 });
	/* From one running set to another. */
	arch_perfctr_start(&mixed);
	EXPECT_CALLS("mixed", { PERFMON_DISABLE, 3 }, { PERFMON_SELECT, 0 },
		     { PERFMON_WRITE, (uint64_t)HALF << 28 | 1 }, { PERFMON_ENABLE, 3 });
	EXPECT_EQ(arch_perfctr_read(1), RANGE - 1000);
	calls_seen = sim_ev67_calls();
	arch_perfctr_stop_all();
	EXPECT_CALLS("stop of all", { PERFMON_DISABLE, 3 });
	end();
}

/* --- values and overflows --- */

/* However late each interrupt is, up to half the range. */
static void a_mode_sums_are_exact(void)
{
	static const unsigned int latenesses[] = { 0, 1, 7, 5, 1000, 0, HALF - 1, 1, HALF - 1 };

	for (unsigned int first = 0; first < 2; first++) {
		start();
		struct perfctr_cpu_state state = state_of(first, 2, 0, 0);
		unsigned long long expected = 0;

		resume(&state);
		for (unsigned int i = 0; i < 9 * sizeof(latenesses) / sizeof(latenesses[0]); i++) {
			unsigned int late = latenesses[i % 9];

			unsigned int before = interrupts;

			/* An interrupt starts the counters at half their range. */
			sim_ev67_count(INSTRUCTION | CYCLE, HALF - 1);
			EXPECT_EQ_AT(interrupts, before, "step %u", i);
			sim_ev67_hold(true);
			sim_ev67_count(INSTRUCTION | CYCLE, 1 + late);
			sim_ev67_hold(false);
			expected += HALF + late;
			EXPECT_EQ_AT(state.pmc[0].sum, expected, "step %u", i);
			EXPECT_EQ_AT(state.pmc[1].sum, expected, "step %u", i);
			EXPECT_EQ_AT(last_pc, 0x120001000, "step %u", i);
		}
		/* Samples in between change nothing. */
		for (unsigned int i = 0; i < 20; i++) {
			sim_ev67_count(INSTRUCTION | CYCLE, HALF / 3);
			perfctr_cpu_sample(&state);
			expected += HALF / 3;
			EXPECT_EQ_AT(state.pmc[first].sum, expected, "sample %u", i);
		}
		suspend();
		sim_ev67_count(INSTRUCTION | CYCLE, 1000);
		EXPECT_EQ(state.pmc[0].sum, expected);
		end();
	}
}

static void i_mode_overflows_on_time(void)
{
	static const int periods[] = { 16, 17, 1000, HALF - 1, HALF };

	for (unsigned int counter = 0; counter < 2; counter++)
		for (unsigned int p = 0; p < sizeof(periods) / sizeof(periods[0]); p++) {
			int period = periods[p];

			start();
			struct perfctr_cpu_state state = state_of(counter, 0, 1, period);
			resume(&state);
			for (unsigned int n = 1; n <= 10; n++) {
				sim_ev67_count(INSTRUCTION | CYCLE, (uint64_t)period - 1);
				EXPECT_EQ_AT(overflown, 0, "counter %u, period %d", counter,
					     period);
				sim_ev67_count(INSTRUCTION | CYCLE, 1);
				EXPECT_EQ_AT(overflown, 1, "counter %u, period %d", counter,
					     period);
				EXPECT_EQ_AT(interrupts, n, "counter %u, period %d", counter,
					     period);
				EXPECT_EQ_AT(state.pmc[0].sum, (uint64_t)n * (unsigned int)period,
					     "counter %u, period %d", counter, period);
				overflown = 0;
			}
			suspend();
			end();
		}
}

/* A suspension comes so near to the overflow, or after it, that the counter cannot be set to what is left: the overflow
 * comes as soon as it can, and no count is lost. */
static void near_overflows_are_set_as_near_as_can_be(void)
{
	static const int nearest[] = { 16, 4 };

	for (unsigned int counter = 0; counter < 2; counter++)
		for (int left = 20; left >= -20; left--) {
			start();
			struct perfctr_cpu_state state = state_of(counter, 0, 1, 1000),
						 other = state_of(counter, 0, 1, 1000);
			unsigned int done = (unsigned int)(1000 - left), last;

			resume(&state);
			sim_ev67_hold(true);
			sim_ev67_count(INSTRUCTION | CYCLE, done);
			suspend();
			resume(&other);
			sim_ev67_hold(false);
			suspend();
			overflown = 0;
			resume(&state);
			last = (unsigned int)(left < nearest[counter] ? nearest[counter] : left);
			sim_ev67_count(INSTRUCTION | CYCLE, last - 1);
			EXPECT_EQ_AT(overflown, 0, "counter %u, left %d", counter, left);
			sim_ev67_count(INSTRUCTION | CYCLE, 1);
			EXPECT_EQ_AT(overflown, 1, "counter %u, left %d", counter, left);
			EXPECT_EQ_AT(state.pmc[0].sum, done + last, "counter %u, left %d", counter,
				     left);
			suspend();
			end();
		}
}

/* Both at one event: one interrupt each, of which the first finds both. */
static void two_overflows_are_served(void)
{
	start();
	struct perfctr_cpu_state state = state_of(0, 0, 2, 1000);

	resume(&state);
	sim_ev67_count(INSTRUCTION | CYCLE, 1000);
	EXPECT_EQ(overflown, 3);
	EXPECT_EQ(sim_ev67_pending(), 0);
	EXPECT_EQ(state.pmc[0].sum, 1000);
	EXPECT_EQ(state.pmc[1].sum, 1000);
	overflown = 0;
	sim_ev67_count(INSTRUCTION | CYCLE, 999);
	EXPECT_EQ(overflown, 0);
	sim_ev67_count(INSTRUCTION | CYCLE, 1);
	EXPECT_EQ(overflown, 3);
	suspend();
	end();
}

/* The interrupt of a suspended state's overflow comes while another state runs. */
static void late_interrupts_overflow_nothing(void)
{
	start();
	struct perfctr_cpu_state first = state_of(0, 0, 1, 1000), second = state_of(1, 1, 0, 0);

	resume(&first);
	sim_ev67_hold(true);
	sim_ev67_count(INSTRUCTION | CYCLE, 1003);
	suspend();
	resume(&second);
	sim_ev67_count(CYCLE, 10);
	sim_ev67_hold(false);
	EXPECT_EQ(interrupts, 1);
	EXPECT_EQ(overflown, 0);
	sim_ev67_count(CYCLE, 10);
	suspend();
	EXPECT_EQ(second.pmc[0].sum, 20);
	resume(&first);
	sim_ev67_count(INSTRUCTION, 16);
	EXPECT_EQ(overflown, 1);
	EXPECT_EQ(first.pmc[0].sum, 1019);
	suspend();
	end();
}

/* --- change of hands --- */

static void init_event(struct perf_event *event, uint64_t period)
{
	memset(event, 0, sizeof(*event));
	TAILQ_INIT(&event->siblings);
	event->leader = event;
	event->pmu = cpu_pmu;
	event->state = EVENT_INACTIVE;
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = EV67_INSTRUCTIONS;
	event->attr.sample_period = period;
	event->sampling.period = period;
	event->sampling.next_at = period;
	EXPECT_EQ(cpu_pmu->event_init(event), 0);
}

/* The event of perf_event counts EVENTS more and samples each 100. */
static void sample_by_perf_event(struct perf_event *event, uint64_t events)
{
	uint64_t before = atomic_load(&event->count);

	cpu_pmu->pmu_disable(cpu_pmu);
	EXPECT_EQ(cpu_pmu->add(event, PMU_START), 0);
	cpu_pmu->pmu_enable(cpu_pmu);
	sim_ev67_count(INSTRUCTION, events);
	cpu_pmu->pmu_disable(cpu_pmu);
	cpu_pmu->del(event, 0);
	cpu_pmu->pmu_enable(cpu_pmu);
	EXPECT_EQ(atomic_load(&event->count), before + events);
	EXPECT_EQ(samples, atomic_load(&event->count) / 100);
}

/* Nothing counts on either CPU, and no overflow is pending. */
static void expect_clean(const char *moment)
{
	for (unsigned int cpu = 2; cpu-- > 0;) {
		sim_cpu_set(cpu);
		EXPECT_EQ_AT(sim_ev67_pending(), 0, "CPU %u, %s", cpu, moment);
		uint64_t before = sim_ev67_counted(EV67_INSTRUCTIONS);
		sim_ev67_count(INSTRUCTION | CYCLE, 1000);
		EXPECT_EQ_AT(sim_ev67_counted(EV67_INSTRUCTIONS), before, "CPU %u, %s", cpu,
			     moment);
	}
}

static void hands_change_without_loss(void)
{
	struct perf_event event;

	start_machine();
	init_event(&event, 100);
	EXPECT_EQ(perfctr_cpu_init(), 0);
	for (unsigned int round = 0; round < 3; round++) {
		unsigned int before;

		sample_by_perf_event(&event, 250);
		before = samples;
		/* A counter runs, and its overflow is pending. */
		sim_ev67_hold(true);
		wrperfmon(PERFMON_WRITE, (uint64_t)(RANGE - 4) << PCTR_CTL_SHIFT(1) | 2);
		wrperfmon(PERFMON_ENABLE, 2);
		sim_ev67_count(CYCLE, 4);
		EXPECT_EQ(sim_ev67_pending(), 2);
		EXPECT(!perfctr_cpu_reserve("test"));
		EXPECT_EQ(sim_ev67_pending(), 0);
		sim_ev67_hold(false);
		expect_clean("taken");
		perfctr_cpu_set_ihandler(handle);

		struct perfctr_cpu_state state = state_of(0, 1, 1, 1000);
		resume(&state);
		sim_ev67_count(INSTRUCTION | CYCLE, 1000);
		EXPECT_EQ(overflown, 2);
		EXPECT_EQ(samples, before);
		/* It is left with counters that run, and a pending overflow. */
		sim_ev67_hold(true);
		sim_ev67_count(CYCLE, 1000);
		running = NULL;
		perfctr_cpu_release("test");
		sim_ev67_hold(false);
		EXPECT_EQ(interrupts, round + 1);
		expect_clean("left");
		overflown = 0;

		sim_start_pmu(cpu_pmu);
		sample_by_perf_event(&event, 250);
	}
	EXPECT_EQ(samples, 15);
	perfctr_cpu_exit();
	EXPECT_EQ(sim_end(), 0);
}

static const struct tap_rule rules[] = {
	{ "the hardware is an EV67 whose PALcode has counters", hardware_is_described },
	{ "control data are checked: counters, SL1, start values", control_data_are_checked },
	{ "a start disables, selects, sets the a-mode counters and enables", starts_call_palcode },
	{ "a-mode sums are exact, however late an interrupt is", a_mode_sums_are_exact },
	{ "i-mode counters overflow on time", i_mode_overflows_on_time },
	{ "an overflow nearer than the counter can be set comes as soon as it can",
	  near_overflows_are_set_as_near_as_can_be },
	{ "two overflows at one event are both served", two_overflows_are_served },
	{ "a late interrupt is not the next state's overflow", late_interrupts_overflow_nothing },
	{ "from perf_event to perfctr and back, the counters are clean, and nothing is lost",
	  hands_change_without_loss },
};

TAP_MAIN(rules)
