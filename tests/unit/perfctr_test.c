// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of perfctr's low-level API (kernel/perfctr/perfctr.c), on counters of 20, 32, 40 and 48 bits that the test
 * simulates: it is the low level of an ISA.
 */
#include <kernel/perfctr/perfctr.h>

#include <arch/perfctr.h>
#include <kernel/pmu/reserve.h>
#include <uapi/linux/errno.h>

#include "sim/sim.h"
#include "tap.h"

#define COUNTERS 4

static struct {
	unsigned int width_bits;
	uint64_t value[COUNTERS];
	unsigned int counting; /* bit n: counter n */
	bool is_there;
	uint32_t tsc;
	unsigned int starts, writes, stops, takes, leaves;
	void (*overflow)(unsigned long pc);
} hardware;

bool arch_perfctr_find(struct perfctr_hardware *description)
{
	*description = (struct perfctr_hardware){ "test", COUNTERS, hardware.width_bits, false };
	return hardware.is_there;
}

void arch_perfctr_start_cpu(void)
{
}

void arch_perfctr_take(void (*overflow)(unsigned long pc))
{
	hardware.takes++;
	hardware.overflow = overflow;
}

void arch_perfctr_leave(void)
{
	hardware.leaves++;
}

int arch_perfctr_check(const struct perfctr_cpu_control *control)
{
	for (unsigned int i = 0; i < control->nractrs + control->nrictrs; i++)
		if (control->pmc_map[i] >= COUNTERS)
			return -EINVAL;
	return 0;
}

/* Counters with such an event count the kernel. */
#define KERNEL_EVENT 1

bool arch_perfctr_counts_kernel(const struct perfctr_cpu_control *control)
{
	for (unsigned int i = 0; i < control->nractrs + control->nrictrs; i++)
		if (control->evntsel[i] == KERNEL_EVENT)
			return true;
	return false;
}

static uint64_t mask(void)
{
	return ((uint64_t)1 << hardware.width_bits) - 1;
}

uint32_t arch_perfctr_read(uint32_t map)
{
	return (uint32_t)hardware.value[map];
}

uint32_t arch_perfctr_tsc(void)
{
	return hardware.tsc;
}

int32_t arch_perfctr_write(uint32_t map, int32_t value)
{
	hardware.writes++;
	hardware.value[map] = (uint64_t)(int64_t)value & mask();
	return value;
}

void arch_perfctr_start(const struct perfctr_cpu_control *control)
{
	hardware.starts++;
	hardware.counting = 0;
	for (unsigned int i = 0; i < control->nractrs + control->nrictrs; i++)
		hardware.counting |= 1u << control->pmc_map[i];
}

void arch_perfctr_stop(const struct perfctr_cpu_control *control)
{
	hardware.stops++;
	for (unsigned int i = control->nractrs; i < control->nractrs + control->nrictrs; i++)
		hardware.counting &= ~(1u << control->pmc_map[i]);
}

void arch_perfctr_stop_all(void)
{
	hardware.counting = 0;
}

/* EVENTS happen, and as many ticks of the clock. */
static void happen(uint64_t events)
{
	for (unsigned int i = 0; i < COUNTERS; i++)
		if (hardware.counting >> i & 1)
			hardware.value[i] = (hardware.value[i] + events) & mask();
	hardware.tsc += (uint32_t)events;
}

static const unsigned int widths[] = { 20, 32, 40, 48 };
#define WIDTHS (sizeof(widths) / sizeof(widths[0]))

static void start(unsigned int width_bits)
{
	sim_start(2);
	memset(&hardware, 0, sizeof(hardware));
	hardware.width_bits = width_bits;
	hardware.is_there = true;
	hardware.tsc = 0xfffffff0;
	for (unsigned int i = 0; i < COUNTERS; i++)
		hardware.value[i] = mask() - i;
	EXPECT_EQ(perfctr_cpu_init(), 0);
	EXPECT(!perfctr_cpu_reserve("test"));
}

static void end(void)
{
	perfctr_cpu_release("test");
	perfctr_cpu_exit();
	EXPECT_EQ(sim_end(), 0);
}

/* A state with A_MODE and then I_MODE counters, on counters 0, 1 …; I-mode periods of 1000. */
static struct perfctr_cpu_state state_of(unsigned int a_mode, unsigned int i_mode)
{
	struct perfctr_cpu_state state = {
		.control = { .tsc_on = 1, .nractrs = a_mode, .nrictrs = i_mode }
	};

	for (unsigned int i = 0; i < a_mode + i_mode && i < PERFCTR_COUNTERS_MAX; i++) {
		state.control.pmc_map[i] = i;
		state.control.ireset[i] = -1000;
	}
	return state;
}

static void cstatus_has_its_parts(void)
{
	for (unsigned int tsc = 0; tsc < 2; tsc++)
		for (unsigned int a = 0; a <= 20; a++)
			for (unsigned int i = 0; i + a <= 20; i++) {
				unsigned int status = perfctr_mk_cstatus(tsc, a, i);

				EXPECT_EQ(!!perfctr_cstatus_enabled(status), tsc || a || i);
				EXPECT_EQ(!!perfctr_cstatus_has_tsc(status), tsc);
				EXPECT_EQ(perfctr_cstatus_nrctrs(status), a + i);
				EXPECT_EQ(perfctr_cstatus_nractrs(status), a);
				EXPECT_EQ(!!perfctr_cstatus_has_ictrs(status), i != 0);
			}
}

static void a_mode_sums_are_exact(void)
{
	for (unsigned int w = 0; w < WIDTHS; w++) {
		unsigned int bits = widths[w] < 32 ? widths[w] : 32;
		uint64_t steps[] = { 0,
				     1,
				     15,
				     16,
				     17,
				     1000,
				     ((uint64_t)1 << bits) - 1,
				     (uint64_t)1 << (bits - 1),
				     3 };
		uint64_t expected = 0;

		start(widths[w]);
		struct perfctr_cpu_state state = state_of(2, 0);
		EXPECT_EQ(perfctr_cpu_update_control(&state, 0), 0);
		for (unsigned int i = 0; i < 3 * sizeof(steps) / sizeof(steps[0]); i++) {
			uint64_t step = steps[i % (sizeof(steps) / sizeof(steps[0]))];

			perfctr_cpu_resume(&state);
			happen(step);
			perfctr_cpu_sample(&state);
			happen(step);
			perfctr_cpu_suspend(&state);
			expected += 2 * step;
			EXPECT_EQ_AT(state.pmc[0].sum, expected, "width %u, step %u", widths[w], i);
			EXPECT_EQ_AT(state.pmc[1].sum, expected, "width %u, step %u", widths[w], i);
			EXPECT_EQ_AT(state.tsc_sum, expected, "width %u, step %u", widths[w], i);
			happen(77); /* not this state's */
		}
		end();
	}
}

static void i_mode_overflows_on_time(void)
{
	for (unsigned int w = 0; w < WIDTHS; w++) {
		start(widths[w]);
		struct perfctr_cpu_state state = state_of(1, 2);
		EXPECT_EQ(perfctr_cpu_update_control(&state, 0), 0);
		state.control.ireset[2] = -2500;
		EXPECT_EQ(perfctr_cpu_update_control(&state, 0), 0);
		for (unsigned int n = 1; n <= 20; n++) {
			perfctr_cpu_resume(&state);
			happen(400);
			perfctr_cpu_suspend(&state);
			EXPECT_EQ(perfctr_cpu_identify_overflow(&state) & 2, 0);
			happen(12345);
			perfctr_cpu_resume(&state);
			happen(600);
			perfctr_cpu_suspend(&state);
			EXPECT_EQ_AT(perfctr_cpu_identify_overflow(&state) & 2, 2,
				     "width %u, round %u", widths[w], n);
			perfctr_cpu_ireload(&state);
			for (unsigned int i = 0; i < 3; i++)
				EXPECT_EQ_AT(state.pmc[i].sum, 1000ull * n,
					     "width %u, round %u, counter %u", widths[w], n, i);
		}
		end();
	}
}

static void a_hidden_overflow_comes_with_the_next_event(void)
{
	for (unsigned int w = 0; w < WIDTHS; w++) {
		start(widths[w]);
		struct perfctr_cpu_state state = state_of(0, 1);
		EXPECT_EQ(perfctr_cpu_update_control(&state, 0), 0);
		perfctr_cpu_resume(&state);
		happen(1003);
		perfctr_cpu_suspend(&state);
		perfctr_cpu_resume(&state);
		EXPECT_EQ_AT(hardware.value[0], mask(), "width %u", widths[w]);
		happen(1);
		perfctr_cpu_suspend(&state);
		EXPECT_EQ(perfctr_cpu_identify_overflow(&state), 1);
		EXPECT_EQ_AT(state.pmc[0].sum, 1004, "width %u", widths[w]);
		end();
	}
}

/* Start values and control registers are written when another state has run, or on ireload. */
static void known_values_are_not_written(void)
{
	start(48);
	struct perfctr_cpu_state first = state_of(0, 1), second = state_of(0, 1),
				 counting = state_of(2, 0);
	EXPECT_EQ(perfctr_cpu_update_control(&first, 0), 0);
	EXPECT_EQ(perfctr_cpu_update_control(&second, 0), 0);
	EXPECT_EQ(perfctr_cpu_update_control(&counting, 0), 0);
	perfctr_cpu_resume(&first);
	happen(10);
	perfctr_cpu_suspend(&first);
	EXPECT_EQ(hardware.writes, 1);
	perfctr_cpu_resume(&first);
	happen(10);
	perfctr_cpu_suspend(&first);
	EXPECT_EQ(hardware.writes, 1);
	perfctr_cpu_ireload(&first);
	perfctr_cpu_resume(&first);
	perfctr_cpu_suspend(&first);
	EXPECT_EQ(hardware.writes, 2);
	perfctr_cpu_resume(&second);
	happen(300);
	perfctr_cpu_suspend(&second);
	perfctr_cpu_resume(&first);
	EXPECT_EQ(hardware.writes, 4);
	EXPECT_EQ(hardware.value[0], (uint64_t)-980 & mask());
	perfctr_cpu_suspend(&first);
	EXPECT_EQ(first.pmc[0].sum, 20);

	unsigned int starts = hardware.starts;
	for (unsigned int i = 0; i < 5; i++) {
		perfctr_cpu_resume(&counting);
		happen(1);
		perfctr_cpu_suspend(&counting);
	}
	EXPECT_EQ(hardware.starts, starts + 1);
	EXPECT_EQ(counting.pmc[1].sum, 5);
	end();
}

/* A-mode counters may go on when their task leaves the CPU, but not with events of the kernel. */
static void counters_of_the_kernel_stop(void)
{
	for (unsigned int kernel = 0; kernel < 2; kernel++) {
		start(48);
		struct perfctr_cpu_state state = state_of(2, 0);
		state.control.evntsel[1] = kernel ? KERNEL_EVENT : 0;
		EXPECT_EQ(perfctr_cpu_update_control(&state, 0), 0);
		for (unsigned int n = 1; n <= 3; n++) {
			perfctr_cpu_resume(&state);
			EXPECT_EQ(hardware.counting, 3);
			happen(10);
			perfctr_cpu_suspend(&state);
			EXPECT_EQ_AT(hardware.counting, kernel ? 0 : 3, "kernel %u", kernel);
			happen(100);
			EXPECT_EQ_AT(state.pmc[1].sum, 10 * n, "kernel %u", kernel);
		}
		end();
	}
}

static void control_is_checked(void)
{
	start(48);
	struct perfctr_cpu_state state = state_of(2, 2);
	EXPECT_EQ(perfctr_cpu_update_control(&state, 0), 0);
	EXPECT_EQ(state.cstatus, perfctr_mk_cstatus(1, 2, 2));
	EXPECT_EQ(perfctr_cpu_check_control(&state.control, 0), 0);
	EXPECT_EQ(perfctr_cpu_check_control(&state.control, 1), -EINVAL);
	EXPECT_EQ(state.cstatus, perfctr_mk_cstatus(1, 2, 2));
	EXPECT_EQ(perfctr_cpu_update_control(&state, 1), -EINVAL); /* i-mode needs a task */
	EXPECT_EQ(state.cstatus, 0);
	state = state_of(4, 0);
	EXPECT_EQ(perfctr_cpu_update_control(&state, 1), 0);
	state = state_of(4, 1);
	EXPECT_EQ(perfctr_cpu_update_control(&state, 0), -EINVAL);
	state = state_of(5, 0);
	EXPECT_EQ(perfctr_cpu_update_control(&state, 0), -EINVAL);
	state.control.nractrs = 2;
	state.control.nrictrs = UINT32_MAX;
	EXPECT_EQ(perfctr_cpu_update_control(&state, 0), -EINVAL);
	state = state_of(1, 2);
	state.control.pmc_map[2] = 0;
	EXPECT_EQ(perfctr_cpu_update_control(&state, 0), -EINVAL);
	state.control.pmc_map[2] = COUNTERS;
	EXPECT_EQ(perfctr_cpu_update_control(&state, 0), -EINVAL);
	state = state_of(0, 0);
	EXPECT_EQ(perfctr_cpu_update_control(&state, 0), 0);
	EXPECT_EQ(state.cstatus, perfctr_mk_cstatus(1, 0, 0));
	end();
}

static unsigned long handled_pc;

static void handle(unsigned long pc)
{
	handled_pc = pc;
}

static void hardware_is_reserved(void)
{
	static struct pmu_service other = { .name = "other" };
	static const char driver[] = "driver", second[] = "second";

	start(48);
	EXPECT(strcmp(pmu_reserve(&other), "perfctr") == 0);
	end();
	EXPECT(!pmu_reserve(&other));
	EXPECT(strcmp(perfctr_cpu_reserve(driver), "other") == 0);
	pmu_release(&other);

	hardware.takes = 0;
	EXPECT(!perfctr_cpu_reserve(driver));
	EXPECT(strcmp(perfctr_cpu_reserve(second), driver) == 0);
	EXPECT_EQ(hardware.takes, 1);
	hardware.overflow(1);
	EXPECT_EQ(handled_pc, 0);
	perfctr_cpu_set_ihandler(handle);
	hardware.overflow(2);
	EXPECT_EQ(handled_pc, 2);
	hardware.leaves = 0;
	perfctr_cpu_release(driver);
	EXPECT_EQ(hardware.leaves, 1);
	EXPECT(!pmu_holder());
	EXPECT(!perfctr_cpu_reserve(second));
	hardware.overflow(3);
	EXPECT_EQ(handled_pc, 2);
	perfctr_cpu_release(second);

	hardware.is_there = false;
	EXPECT_EQ(perfctr_cpu_init(), -ENODEV);
}

static const struct tap_rule rules[] = {
	{ "cstatus has its parts", cstatus_has_its_parts },
	{ "a-mode sums are exact at each width", a_mode_sums_are_exact },
	{ "i-mode counters overflow on time at each width", i_mode_overflows_on_time },
	{ "an overflow that a suspension hid comes with the next event",
	  a_hidden_overflow_comes_with_the_next_event },
	{ "values that the hardware still has are not written", known_values_are_not_written },
	{ "counters of the kernel stop when their task leaves the CPU",
	  counters_of_the_kernel_stop },
	{ "control data are checked", control_is_checked },
	{ "one driver reserves the hardware", hardware_is_reserved },
};

TAP_MAIN(rules)
