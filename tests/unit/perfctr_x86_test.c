// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of perfctr's low level on x86 (arch/x86_64/pmu/perfctr.c): control data, register writes, values at each width,
 * and the change of hands between it and perf_event's driver. Also: both halves of perfctr on these registers.
 */
#include "perfctr_x86.h"

/* --- the hardware and control data --- */

/* The first rule: the driver of struct pmu forgets no registers. */
static void hardware_is_described(void)
{
	static const struct {
		unsigned int model;
		const char *name;
		unsigned int counters, width_bits;
	} cases[] = {
		{ 0, "Intel", 2, 40 },	{ 1, "Intel", 2, 32 }, { 3, "Intel", 7, 48 },
		{ 6, "Intel", 11, 64 }, { 7, "AMD", 4, 48 },   { 8, "AMD", 6, 48 },
		{ 10, "AMD", 15, 48 },
	};
	const struct sim_x86_model none = { .vendor = SIM_OTHER };
	struct perfctr_hardware hardware;

	start(&none);
	EXPECT(!arch_perfctr_find(&hardware));
	end();
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		start(&counting_models[cases[i].model]);
		EXPECT_AT(arch_perfctr_find(&hardware), "case %u", i);
		EXPECT_STR(hardware.name, cases[i].name);
		EXPECT_EQ_AT(hardware.counters, cases[i].counters, "case %u", i);
		EXPECT_EQ_AT(hardware.width_bits, cases[i].width_bits, "case %u", i);
		EXPECT_EQ_AT(hardware.user_reads, true, "case %u", i);
		end();
	}
}

static void control_data_are_checked(void)
{
	enum { INTEL = 3, AMD = 8 };
	static const struct {
		unsigned int model;
		bool is_imode;
		uint32_t map;
		uint64_t select;
		int ireset, error;
	} cases[] = {
		{ INTEL, false, 0, A_MODE | INSTRUCTIONS, 0, 0 },
		{ INTEL, false, 3, A_MODE | EVENTSEL_RAW, 0, 0 },
		{ INTEL, false, 0, EVENTSEL_EN | EVENTSEL_OS, 0, 0 },
		{ INTEL, false, FIXED(0), A_MODE | EVENTSEL_OS, 0, 0 },
		{ INTEL, false, FIXED(2), A_MODE, 1, 0 }, /* ireset is an i-mode counter's */
		{ INTEL, true, 0, I_MODE | INSTRUCTIONS, -1, 0 },
		{ INTEL, true, 0, I_MODE | INSTRUCTIONS, INT32_MIN, 0 },
		{ INTEL, true, FIXED(1), I_MODE, -100, 0 },
		{ AMD, false, 5, A_MODE | EVENTSEL_EVENT_HIGH, 0, 0 },
		/* Counters that are not there. */
		{ INTEL, false, 4, A_MODE, 0, -EINVAL },
		{ INTEL, false, 31, A_MODE, 0, -EINVAL },
		{ INTEL, false, 32, A_MODE, 0, -EINVAL }, /* fixed counter 0's index, not its map */
		{ INTEL, false, UINT32_MAX, A_MODE, 0, -EINVAL },
		{ INTEL, false, 1u << 31, A_MODE, 0, -EINVAL },
		{ INTEL, false, FIXED(3), A_MODE, 0, -EINVAL },
		{ INTEL, false, FIXED(16), A_MODE, 0, -EINVAL },
		{ INTEL, false, FIXED(32), A_MODE, 0, -EINVAL },
		{ AMD, false, 6, A_MODE, 0, -EINVAL },
		{ AMD, false, FIXED(0), A_MODE, 0, -EINVAL },
		/* Bits that a program may not set. */
		{ INTEL, false, 0, A_MODE | 1ull << 19, 0, -EINVAL },
		{ INTEL, false, 0, A_MODE | EVENTSEL_ANY, 0, -EINVAL },
		{ INTEL, false, 0, A_MODE | 1ull << 32, 0, -EINVAL },
		{ INTEL, false, 0, A_MODE | 1ull << 63, 0, -EINVAL },
		{ AMD, false, 0, A_MODE | 1ull << 36, 0, -EINVAL },
		{ AMD, false, 0, A_MODE | 1ull << 40, 0, -EINVAL }, /* guests only */
		{ INTEL, false, FIXED(0), A_MODE | INSTRUCTIONS, 0, -EINVAL },
		{ INTEL, false, FIXED(0), A_MODE | EVENTSEL_EDGE, 0, -EINVAL },
		/* Bits that it must set. */
		{ INTEL, false, 0, EVENTSEL_USR | INSTRUCTIONS, 0, -EINVAL },
		{ INTEL, false, 0, EVENTSEL_EN | INSTRUCTIONS, 0, -EINVAL },
		/* The interrupt is the i-mode counters'. */
		{ INTEL, false, 0, I_MODE | INSTRUCTIONS, 0, -EINVAL },
		{ INTEL, true, 0, A_MODE | INSTRUCTIONS, -100, -EINVAL },
		{ INTEL, true, 0, I_MODE | INSTRUCTIONS, 0, -EINVAL },
		{ INTEL, true, 0, I_MODE | INSTRUCTIONS, 100, -EINVAL },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		start_perfctr(&counting_models[cases[i].model]);
		/* Alone, and after a counter that is right. */
		for (unsigned int place = 0; place < 2; place++) {
			struct perfctr_cpu_control control = {
				.nractrs = place + !cases[i].is_imode,
				.nrictrs = cases[i].is_imode,
				.pmc_map = { 2 },
				.evntsel = { A_MODE | INSTRUCTIONS },
			};

			control.pmc_map[place] = cases[i].map;
			control.evntsel[place] = (uint32_t)cases[i].select;
			control.evntsel_high[place] = (uint32_t)(cases[i].select >> 32);
			control.ireset[place] = cases[i].ireset;
			EXPECT_EQ_AT(arch_perfctr_check(&control), cases[i].error,
				     "case %u, place %u", i, place);
		}
		end_perfctr();
	}
}

static void kernel_counting_is_seen(void)
{
	struct perfctr_cpu_control control = {
		.nractrs = 1, .nrictrs = 1, .pmc_map = { 0, 1 }, .evntsel = { A_MODE, I_MODE }
	};

	EXPECT(!arch_perfctr_counts_kernel(&control));
	for (unsigned int i = 0; i < 2; i++) {
		control.evntsel[i] |= EVENTSEL_OS;
		EXPECT_AT(arch_perfctr_counts_kernel(&control), "counter %u", i);
		control.evntsel[i] &= ~(uint32_t)EVENTSEL_OS;
	}
	/* After the last counter. */
	control.evntsel[2] = EVENTSEL_OS;
	EXPECT(!arch_perfctr_counts_kernel(&control));
}

/* --- register writes --- */

static uint64_t writes_seen;

/* The writes since the last call are those of the list. */
static void expect_writes(const struct sim_x86_write *expected, unsigned int count,
			  unsigned int model, const char *step)
{
	uint64_t writes = sim_x86_writes() - writes_seen;

	EXPECT_EQ_AT(writes, count, "model %u, %s: number of writes", model, step);
	for (unsigned int i = 0; i < count && i < writes; i++) {
		struct sim_x86_write write = sim_x86_write_at(writes_seen + i);

		EXPECT_EQ_AT(write.number, expected[i].number, "model %u, %s: MSR of write %u",
			     model, step, i);
		EXPECT_EQ_AT(write.value, expected[i].value, "model %u, %s: value of write %u",
			     model, step, i);
	}
	writes_seen = sim_x86_writes();
}

#define EXPECT_WRITES(model, step, ...)                                              \
	do {                                                                         \
		const struct sim_x86_write list_[] = { __VA_ARGS__ };                \
		expect_writes(list_, sizeof(list_) / sizeof(list_[0]), model, step); \
	} while (0)

/* Where the registers are: event select n is at select + n * step; global: the control of all counters, 0: none. */
static const struct {
	unsigned int model;
	uint32_t select, step, global;
} families[] = {
	{ 0, 0x186, 1, 0 },		  /* Intel, version 1 */
	{ 2, 0x186, 1, 0x38f },		  /* 2 */
	{ 6, 0x186, 1, 0x38f },		  /* 5 */
	{ 7, 0xc0010000, 1, 0 },	  /* AMD, legacy */
	{ 8, 0xc0010200, 2, 0 },	  /* core extensions */
	{ 9, 0xc0010200, 2, 0xc0000301 }, /* version 2 */
};
#define FAMILIES (sizeof(families) / sizeof(families[0]))

static void only_changes_are_written(void)
{
	const struct perfctr_cpu_control
		one = { .nractrs = 1, .pmc_map = { 0 }, .evntsel = { A_MODE | INSTRUCTIONS } },
		other = { .nractrs = 1, .pmc_map = { 0 }, .evntsel = { A_MODE | BRANCHES } },
		two = { .nractrs = 1,
			.nrictrs = 1,
			.pmc_map = { 0, 1 },
			.evntsel = { A_MODE | INSTRUCTIONS, I_MODE | BRANCHES },
			.ireset = { 0, -100 } };
	const uint32_t none = 0;

	for (unsigned int f = 0; f < FAMILIES; f++) {
		unsigned int model = families[f].model;
		uint32_t global = families[f].global, first = families[f].select,
			 second = first + families[f].step;

		start_perfctr(&counting_models[model]);
		writes_seen = sim_x86_writes();
		arch_perfctr_start(&one);
		if (global)
			EXPECT_WRITES(model, "first start", { first, A_MODE | INSTRUCTIONS },
				      { global, 1 });
		else
			EXPECT_WRITES(model, "first start", { first, A_MODE | INSTRUCTIONS });
		arch_perfctr_start(&one);
		expect_writes(NULL, 0, model, "the same again");
		arch_perfctr_start(&other);
		EXPECT_WRITES(model, "another event", { first, A_MODE | BRANCHES });
		arch_perfctr_start(&one);
		EXPECT_WRITES(model, "the first event", { first, A_MODE | INSTRUCTIONS });
		arch_perfctr_write(1, -100);
		writes_seen = sim_x86_writes();
		arch_perfctr_start(&two);
		if (global)
			EXPECT_WRITES(model, "one more counter", { second, I_MODE | BRANCHES },
				      { global, 3 });
		else
			EXPECT_WRITES(model, "one more counter", { second, I_MODE | BRANCHES });
		arch_perfctr_stop(&two);
		if (global)
			EXPECT_WRITES(model, "stop of the i-mode counter", { global, 1 });
		else
			EXPECT_WRITES(model, "stop of the i-mode counter",
				      { second, (I_MODE | BRANCHES) & ~EVENTSEL_EN });
		arch_perfctr_stop(&two);
		expect_writes(NULL, 0, model, "stop again");
		arch_perfctr_start(&two);
		if (global)
			EXPECT_WRITES(model, "start after a stop", { global, 3 });
		else
			EXPECT_WRITES(model, "start after a stop", { second, I_MODE | BRANCHES });
		arch_perfctr_stop_all();
		if (global)
			EXPECT_WRITES(model, "stop of all", { global, none });
		else
			EXPECT_WRITES(model, "stop of all",
				      { first, (A_MODE | INSTRUCTIONS) & ~EVENTSEL_EN },
				      { second, (I_MODE | BRANCHES) & ~EVENTSEL_EN });
		arch_perfctr_stop_all();
		expect_writes(NULL, 0, model, "stop of all again");
		end_perfctr();
	}
}

static void fixed_control_is_one_register(void)
{
	const struct perfctr_cpu_control fixed = { .nractrs = 2,
						   .nrictrs = 1,
						   .pmc_map = { FIXED(0), 1, FIXED(2) },
						   .evntsel = { A_MODE | EVENTSEL_OS,
								A_MODE | BRANCHES, I_MODE },
						   .ireset = { 0, 0, -1 } },
					 general = { .nractrs = 1,
						     .pmc_map = { 1 },
						     .evntsel = { A_MODE | BRANCHES } };

	start_perfctr(&usual);
	writes_seen = sim_x86_writes();
	arch_perfctr_start(&fixed);
	EXPECT_WRITES(5, "start", { MSR_IA32_PERFEVTSEL0 + 1, A_MODE | BRANCHES },
		      { MSR_IA32_FIXED_CTR_CTRL, 0xa03 },
		      { MSR_IA32_PERF_GLOBAL_CTRL, 5ull << 32 | 2 });
	arch_perfctr_stop(&fixed);
	EXPECT_WRITES(5, "stop", { MSR_IA32_PERF_GLOBAL_CTRL, 1ull << 32 | 2 });
	arch_perfctr_start(&general);
	EXPECT_WRITES(5, "general only", { MSR_IA32_PERF_GLOBAL_CTRL, 2 });
	arch_perfctr_start(&fixed);
	EXPECT_WRITES(5, "start again", { MSR_IA32_PERF_GLOBAL_CTRL, 5ull << 32 | 2 });
	end_perfctr();
}

/* A started counter counts its own event in its own ring; a stopped one does not. */
static void started_counters_count(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perfctr_cpu_control control = { .nractrs = 1,
						       .pmc_map = { 0 },
						       .evntsel = { A_MODE | INSTRUCTIONS } };

		start_perfctr(&counting_models[m]);
		arch_perfctr_start(&control);
		sim_x86_count(INSTRUCTIONS, 70);
		sim_x86_count(BRANCHES, 500);
		sim_frame_set(0xffffffff80001000, false);
		sim_x86_count(INSTRUCTIONS, 1000);
		EXPECT_EQ_AT(arch_perfctr_read(0), 70, "model %u", m);
		control.evntsel[0] ^= EVENTSEL_USR | EVENTSEL_OS;
		arch_perfctr_start(&control);
		sim_x86_count(INSTRUCTIONS, 5);
		EXPECT_EQ_AT(arch_perfctr_read(0), 75, "model %u", m);
		/* An a-mode counter goes on. */
		arch_perfctr_stop(&control);
		sim_x86_count(INSTRUCTIONS, 5);
		EXPECT_EQ_AT(arch_perfctr_read(0), 80, "model %u", m);
		arch_perfctr_stop_all();
		sim_x86_count(INSTRUCTIONS, 5);
		EXPECT_EQ_AT(arch_perfctr_read(0), 80, "model %u", m);
		end_perfctr();
	}
}

/* --- values --- */

static uint64_t low_bits(unsigned int count)
{
	return count == 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

/* Returns the write that sets counter MAP of MODEL to VALUE. */
static struct sim_x86_write write_of(const struct sim_x86_model *model, uint32_t map, int32_t value)
{
	uint64_t wide = (uint64_t)(int64_t)value;

	switch (model->vendor) {
	case SIM_AMD_LEGACY:
		return (struct sim_x86_write){ 0xc0010004 + map, wide & low_bits(48) };
	case SIM_AMD_CORE:
	case SIM_AMD_V2:
		return (struct sim_x86_write){ 0xc0010201 + 2 * map, wide & low_bits(48) };
	default:
		break;
	}
	if (map & FIXED(0))
		return (struct sim_x86_write){ 0x309 + (map & ~FIXED(0)),
					       wide & low_bits(model->fixed_width_bits) };
	if (model->full_width_writes)
		return (struct sim_x86_write){ 0x4c1 + map,
					       wide & low_bits(model->general_width_bits) };
	return (struct sim_x86_write){ 0xc1 + map, (uint32_t)value };
}

static void check_value(unsigned int m, uint32_t map, int32_t value)
{
	const struct sim_x86_model *model = &counting_models[m];
	struct sim_x86_write write = write_of(model, map, value);
	struct perfctr_cpu_control control = sample_by(map, 0);

	start_perfctr(model);
	writes_seen = sim_x86_writes();
	control.ireset[0] = value;
	EXPECT_EQ_AT(arch_perfctr_check(&control), 0, "model %u, map 0x%x", m, map);
	arch_perfctr_write(map, value);
	expect_writes(&write, 1, m, "value");
	EXPECT_EQ_AT(arch_perfctr_read(map), (uint32_t)value, "model %u, map 0x%x", m, map);
	arch_perfctr_start(&control);
	running = &control;
	sim_x86_count(INSTRUCTIONS, -(int64_t)value - 1);
	EXPECT_EQ_AT(overflows, 0, "model %u, map 0x%x, value %d", m, map, value);
	EXPECT_EQ_AT(arch_perfctr_read(map), UINT32_MAX, "model %u, map 0x%x", m, map);
	sim_x86_count(INSTRUCTIONS, 1);
	EXPECT_EQ_AT(overflows, 1, "model %u, map 0x%x, value %d", m, map, value);
	EXPECT_EQ_AT(arch_perfctr_read(map), 0, "model %u, map 0x%x", m, map);
	EXPECT_EQ_AT(pmc_read(map), 0, "model %u, map 0x%x", m, map);
	end_perfctr();
}

static void values_overflow_on_time(void)
{
	static const int32_t values[] = { -1, -2, -1000, -0x7fffffff, INT32_MIN };

	for (unsigned int m = 0; m < MODELS; m++)
		for (unsigned int i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			check_value(m, 0, values[i]);
			if (has_two(m))
				check_value(m, 1, values[i]);
			/* Fixed counter 0 counts instructions. */
			if (counting_models[m].fixed_width_bits)
				check_value(m, FIXED(0), values[i]);
		}
}

/* --- change of hands --- */

/* All control registers of CPU are 0, there is no overflow, and a PMI can come. */
static void expect_clean(unsigned int m, unsigned int cpu, const char *moment)
{
	const struct sim_x86_model *model = &counting_models[m];
	struct counter_registers registers;
	unsigned int general;
	uint64_t before;

	sim_cpu_set(cpu);
	if (model->vendor == SIM_INTEL) {
		general = model->general_count;
		registers = (struct counter_registers){ .select = 0x186 };
		if (model->version >= 2) {
			EXPECT_EQ_AT(msr_read(0x38d), 0, "model %u, %s: fixed control", m, moment);
			EXPECT_EQ_AT(msr_read(0x38e), 0, "model %u, %s: status", m, moment);
			EXPECT_EQ_AT(msr_read(0x38f), 0, "model %u, %s: control", m, moment);
		}
	} else {
		struct amd_pmu pmu;

		EXPECT(amd_pmu_probe(&pmu));
		general = pmu.counter_count;
		registers = amd_registers(&pmu);
		if (registers.global_status) {
			EXPECT_EQ_AT(msr_read(registers.global_status), 0, "model %u, %s: status",
				     m, moment);
			EXPECT_EQ_AT(msr_read(registers.global_control), 0, "model %u, %s: control",
				     m, moment);
		}
	}
	for (unsigned int n = 0; n < general; n++)
		EXPECT_EQ_AT(msr_read(registers.select + (n << registers.general_shift)), 0,
			     "model %u, %s: select %u", m, moment, n);
	EXPECT_EQ_AT(sim_x86_pmi_masked(), false, "model %u, %s", m, moment);
	before = sim_x86_counted();
	sim_x86_count(INSTRUCTIONS, 1000);
	sim_x86_count(BRANCHES, 1000);
	EXPECT_EQ_AT(sim_x86_counted(), before, "model %u, %s", m, moment);
}

/* perf_event's event counts EVENTS more and samples each 100. */
static void sample_by_perf_event(struct perf_event *event, uint64_t events, unsigned int m)
{
	uint64_t before = atomic_load(&event->count);

	EXPECT_EQ_AT(add(event), 0, "model %u", m);
	sim_x86_count(INSTRUCTIONS, events);
	del(event);
	EXPECT_EQ_AT(atomic_load(&event->count), before + events, "model %u", m);
	EXPECT_EQ_AT(samples, atomic_load(&event->count) / 100, "model %u", m);
}

static void hands_change_without_loss(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perf_event events[2];

		start(&counting_models[m]);
		for (unsigned int cpu = 0; cpu < 2; cpu++) {
			sim_cpu_set(cpu);
			sim_frame_set(0x401000, true);
			init_event(&events[cpu], PERF_TYPE_RAW, INSTRUCTIONS, 100);
		}
		sim_cpu_set(0);
		overflows = 0;
		for (unsigned int round = 0; round < 3; round++) {
			struct perfctr_hardware hardware;
			struct perfctr_cpu_control control = sample_by(0, 100);

			sim_cpu_set(0);
			sample_by_perf_event(&events[0], 250, m);

			EXPECT(arch_perfctr_find(&hardware));
			take_counters(overflow);
			expect_clean(m, 1, "taken");
			expect_clean(m, 0, "taken");
			go(&control);
			sim_x86_count(INSTRUCTIONS, 100);
			EXPECT_EQ_AT(overflows, 2 * round + 1, "model %u", m);
			EXPECT_EQ_AT(samples, atomic_load(&events[0].count) / 100, "model %u", m);
			/* It is left with a counter that runs and has overflowed, without an interrupt. */
			go(&control);
			running = NULL;
			sim_x86_count(INSTRUCTIONS, 107);
			EXPECT_EQ_AT(overflows, 2 * round + 2, "model %u", m);
			arch_perfctr_stop(&control);
			control.nractrs = 1;
			control.nrictrs = 0;
			control.evntsel[0] = A_MODE | INSTRUCTIONS;
			arch_perfctr_write(0, -5);
			arch_perfctr_start(&control);
			sim_x86_count(INSTRUCTIONS, 7);
			EXPECT_EQ_AT(arch_perfctr_read(0), 2, "model %u", m);
			leave_counters();
			expect_clean(m, 1, "left");
			expect_clean(m, 0, "left");

			sim_start_pmu(cpu_pmu);
			sample_by_perf_event(&events[0], 250, m);
			EXPECT_EQ_AT(overflows, 2 * round + 2, "model %u", m);
			EXPECT_EQ_AT(sim_nmi_dispatch(), false, "model %u", m);
		}
		EXPECT_EQ_AT(samples, 15, "model %u", m);
		end();
	}
}

/* --- both halves --- */

static void start_states(unsigned int m)
{
	start(&counting_models[m]);
	EXPECT_EQ(perfctr_cpu_init(), 0);
	EXPECT(!perfctr_cpu_reserve("test"));
}

static void end_states(void)
{
	perfctr_cpu_release("test");
	perfctr_cpu_exit();
	end();
}

/* A state whose a-mode counter a suspension left running, and one that needs this counter in i-mode. The first write of
 * the latter's resumption stops the counter. */
static void states_share_a_counter(void)
{
	for (unsigned int m = 0; m < MODELS; m++) {
		struct perfctr_cpu_state mixed = { .control = sample_two(100, 100) },
					 second = { .control = sample_by(0, 100) };

		if (!has_two(m))
			continue;
		start_states(m);
		mixed.control.nractrs = mixed.control.nrictrs = 1;
		mixed.control.evntsel[0] = A_MODE | INSTRUCTIONS;
		EXPECT_EQ_AT(perfctr_cpu_update_control(&mixed, 0), 0, "model %u", m);
		EXPECT_EQ_AT(perfctr_cpu_update_control(&second, 0), 0, "model %u", m);
		perfctr_cpu_resume(&mixed);
		sim_x86_count(INSTRUCTIONS, 30);
		perfctr_cpu_suspend(&mixed);
		writes_seen = sim_x86_writes();
		perfctr_cpu_resume(&second);
		EXPECT_AT(sim_x86_write_at(writes_seen).number !=
				  write_of(&counting_models[m], 0, -100).number,
			  "model %u", m);
		perfctr_cpu_suspend(&second);
		end_states();
	}
}

static const struct tap_rule rules[] = {
	{ "the hardware is what the driver of struct pmu has found", hardware_is_described },
	{ "control data are checked: counters, bits of the event select, start values",
	  control_data_are_checked },
	{ "a counter of the kernel is seen among the counters of the set",
	  kernel_counting_is_seen },
	{ "a register is written only when it changes", only_changes_are_written },
	{ "the control of all fixed counters is one register", fixed_control_is_one_register },
	{ "started counters count, and stopped ones do not", started_counters_count },
	{ "a start value has the counter's width, and overflows after as many events",
	  values_overflow_on_time },
	{ "from perf_event to perfctr and back, registers are clean, and nothing is lost",
	  hands_change_without_loss },
	{ "a counter that a suspension left running is stopped before it is set",
	  states_share_a_counter },
};

TAP_MAIN(rules)
