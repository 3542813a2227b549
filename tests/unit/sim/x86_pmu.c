// SPDX-License-Identifier: BSD-2-Clause
/*
 * A register file as Intel's SDM describes the architectural PMU (vol. 3B, 20.2), or as AMD's APM describes its
 * core performance counters (vol. 2, 13.2), for testing the drivers on any model that CPUID could describe. A write that would raise #GP, or an access to a
 * register that does not exist, ends the test: the driver must know better.
 *
 * Not the emulated PMU of qemu/, which counts what a guest really executes; here the test says what
 * happens.
 */
#include <arch/topology.h>
#include <kernel/base/assert.h>
#include <kernel/time/time.h>

#include <machine/apic.h>
#include <machine/msr.h>

#include <string.h>

#include "internal.h"

#define GENERAL_COUNTERS_MAX  16
#define FIXED_COUNTERS_MAX    16

#define MSR_PMC0	      0x0c1
#define MSR_A_PMC0	      0x4c1
#define MSR_PERFEVTSEL0	      0x186
#define MSR_FIXED_CTR0	      0x309
#define MSR_FIXED_CTR_CTRL    0x38d
#define MSR_GLOBAL_STATUS     0x38e
#define MSR_GLOBAL_CTRL	      0x38f
#define MSR_GLOBAL_OVF_CTRL   0x390
#define MSR_PERF_CAPABILITIES 0x345

#define MSR_SMI_COUNT	      0x034
#define MSR_PPERF	      0x64e

#define MSR_LEGACY_SELECT0    0xc0010000
#define MSR_LEGACY_COUNTER0   0xc0010004
#define MSR_CORE_SELECT0      0xc0010200 /* and a counter after each */
#define MSR_AMD_STATUS	      0xc0000300
#define MSR_AMD_CONTROL	      0xc0000301
#define MSR_AMD_STATUS_CLEAR  0xc0000302

#define MSR_IRPERF	      0xc00000e9
#define MSR_HWCR	      0xc0010015
#define HWCR_IRPERF	      0x40000000u

#define LEGACY_COUNTERS	      4
#define AMD_WIDTH_BITS	      48
#define AMD_SELECT_BITS	      0x30fffd7ffffull
#define AMD_HOST_GUEST	      0x30000000000ull /* EFER.SVME is clear: the counter stands still */

#define EVENT_USR	      0x00010000u
#define EVENT_OS	      0x00020000u
#define EVENT_INT	      0x00100000u
#define EVENT_ANY	      0x00200000u
#define EVENT_EN	      0x00400000u

struct registers {
	uint64_t general[GENERAL_COUNTERS_MAX], fixed[FIXED_COUNTERS_MAX];
	uint64_t select[GENERAL_COUNTERS_MAX], fixed_control;
	uint64_t global_control, status;
	uint64_t hwcr, irperf;	       /* AMD's, from Zen on */
	uint64_t extra[4], smi, pperf; /* Skylake's */
	bool masked, hold;
	unsigned int pending;
	bool moving; /* counting, or a WRMSR: nothing happens in the middle of it */
	uint64_t writes, counted;
	struct sim_x86_write kept[SIM_WRITES_KEPT];
};

static struct registers registers[CPUS_MAX];
static struct sim_x86_model model;

static struct registers *this_registers(void)
{
	return &registers[cpu_id()];
}

static bool is_amd(void)
{
	return model.vendor >= SIM_AMD_LEGACY && model.vendor <= SIM_AMD_REFUSES;
}

static bool has_global_registers(void)
{
	return model.vendor == SIM_AMD_V2 || (model.vendor == SIM_INTEL && model.version >= 2);
}

static uint64_t low_bits(unsigned int count)
{
	return count == 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
}

static uint64_t fixed_counters(void)
{
	uint64_t counters = low_bits(model.fixed_count);

	if (model.version < 2)
		return 0;
	return model.version >= 5 ? counters | model.fixed_bitmap : counters;
}

static uint64_t all_counters(void)
{
	return low_bits(model.general_count) | fixed_counters() << 32;
}

void sim_x86_set(const struct sim_x86_model *new)
{
	model = *new;
	if (is_amd()) {
		model.general_width_bits = AMD_WIDTH_BITS;
		if (model.vendor == SIM_AMD_LEGACY)
			model.general_count = LEGACY_COUNTERS;
		else if (model.vendor != SIM_AMD_V2)
			model.general_count = 6;
		if (!model.family)
			model.family = 0x19, model.model = 1;
	}
	memset(registers, 0, sizeof(registers));
	for (unsigned int cpu = 0; cpu < CPUS_MAX; cpu++) {
		registers[cpu].masked = true;
		/* Version 1 has no such register and counts as if all its bits were set; so do the
		 * general ones after reset. */
		registers[cpu].global_control = low_bits(model.general_count);
		/* Firmware left a counter running. */
		if (is_amd())
			registers[cpu].select[0] = 0x5300c0;
	}
}

uint64_t sim_x86_counted(void)
{
	return this_registers()->counted;
}

uint64_t sim_x86_writes(void)
{
	return this_registers()->writes;
}

struct sim_x86_write sim_x86_write_at(uint64_t number)
{
	const struct registers *file = this_registers();

	ASSERT(number < file->writes && number + SIM_WRITES_KEPT >= file->writes);
	return file->kept[number % SIM_WRITES_KEPT];
}

bool sim_x86_pmi_masked(void)
{
	return this_registers()->masked;
}

void apic_pmi_unmask(void)
{
	this_registers()->masked = false;
}

/* --- CPUID --- */

struct cpu_topology arch_cpu_topology(unsigned int cpu)
{
	return (struct cpu_topology){ .core = cpu / (model.threads ? model.threads : 1) };
}

uint64_t tsc_read(void)
{
	return clock_ns();
}

uint32_t cpuid_max(uint32_t base)
{
	if (!base)
		return 0xd;
	if (base == 0x40000000)
		return model.emulator.greatest;
	return base == 0x80000000 && is_amd() ?
		       (model.vendor == SIM_AMD_V2 ? 0x80000022 : 0x80000008) :
		       0;
}

struct cpuid cpuid_read(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid answer = { 0 };
	unsigned int event_bits = model.event_bits ? model.event_bits : 8;

	ASSERT(subleaf == 0);
	switch (leaf) {
	case 0:
		answer = (struct cpuid){ 0xd, 0x756e6547, 0x6c65746e, 0x49656e69 };
		if (is_amd())
			answer = (struct cpuid){ 0xd, 0x68747541, 0x444d4163, 0x69746e65 };
		else if (model.vendor == SIM_OTHER)
			answer.ebx++;
		break;
	case 1:
		answer.ecx = model.full_width_writes ? 1u << 15 : 0;
		answer.ecx |= model.emulator.greatest ? 1u << 31 : 0;
		answer.eax = model.family > 0xf ? 0xf << 8 | (model.family - 0xf) << 20 :
						  model.family << 8;
		answer.eax |= (model.model & 0xf) << 4 | (model.model & 0xf0) << 12;
		break;
	case 0x40000001:
		ASSERT(model.emulator.greatest >= leaf);
		answer.eax = model.emulator.eax;
		answer.ebx = model.emulator.ebx;
		break;
	case 0x80000001:
		ASSERT(is_amd());
		if (model.vendor != SIM_AMD_LEGACY && model.vendor != SIM_AMD_REFUSES)
			answer.ecx = 1u << 23;
		break;
	case 0x80000008:
		answer.ebx = model.family >= 0x17 ? 1u << 1 : 0;
		break;
	case 0x80000022:
		ASSERT(model.vendor == SIM_AMD_V2);
		answer.eax = 1;
		answer.ebx = model.general_count;
		break;
	case 0xa:
		answer.eax = model.version | model.general_count << 8 |
			     model.general_width_bits << 16 | event_bits << 24;
		answer.ebx = model.events_missing;
		answer.ecx = model.version >= 5 ? model.fixed_bitmap : 0;
		if (model.version >= 2)
			answer.edx = model.fixed_count | model.fixed_width_bits << 5 |
				     (uint32_t)model.any_thread_deprecated << 15;
		break;
	case 6: /* no APERF, MPERF */
		break;
	default:
		panic("unexpected CPUID leaf 0x%x", leaf);
	}
	return answer;
}

/* --- registers --- */

static bool is_in(uint32_t number, uint32_t first, unsigned int count, unsigned int *index)
{
	*index = number - first;
	return number >= first && *index < count;
}

/* No write may set a bit that the SDM reserves. */
static void check_reserved(uint32_t number, uint64_t value, uint64_t allowed)
{
	if (value & ~allowed)
		panic("#GP: MSR 0x%x, reserved bits 0x%llx", number,
		      (unsigned long long)(value & ~allowed));
}

static uint64_t fixed_control_bits(void)
{
	uint64_t bits = 0;

	for (unsigned int n = 0; n < FIXED_COUNTERS_MAX; n++)
		if (fixed_counters() >> n & 1)
			bits |= (model.version >= 3 && !model.any_thread_deprecated ? 0xfull :
										      0xbull)
				<< 4 * n;
	return bits;
}

static uint64_t *find_amd_register(uint32_t number)
{
	struct registers *file = this_registers();
	unsigned int n;

	if (number == MSR_HWCR)
		return &file->hwcr;
	if (number == MSR_IRPERF && model.family >= 0x17)
		return &file->irperf;
	if (model.vendor == SIM_AMD_REFUSES)
		return NULL;
	if (is_in(number, MSR_LEGACY_SELECT0, LEGACY_COUNTERS, &n))
		return &file->select[n];
	if (is_in(number, MSR_LEGACY_COUNTER0, LEGACY_COUNTERS, &n))
		return &file->general[n];
	if (model.vendor != SIM_AMD_LEGACY &&
	    is_in(number, MSR_CORE_SELECT0, 2 * model.general_count, &n))
		return n % 2 ? &file->general[n / 2] : &file->select[n / 2];
	if (model.vendor == SIM_AMD_V2 && number == MSR_AMD_CONTROL)
		return &file->global_control;
	if (model.vendor == SIM_AMD_V2 && number == MSR_AMD_STATUS)
		return &file->status;
	return NULL;
}

/* Returns whether NUMBER is an extra register, and its INDEX. */
static bool is_extra(uint32_t number, unsigned int *index)
{
	static const uint32_t numbers[] = { SIM_EXTRA_REGISTERS };

	for (*index = 0; *index < sizeof(numbers) / sizeof(numbers[0]); ++*index)
		if (numbers[*index] == number)
			return !is_amd();
	return false;
}

static bool holds_extra(uint32_t number)
{
	unsigned int index;

	return is_extra(number, &index) && (model.extra_registers >> index & 1);
}

/* Returns whether an access to NUMBER raises #GP. */
static bool refuses(uint32_t number)
{
	unsigned int index;

	if (model.vendor == SIM_AMD_REFUSES || (model.faults && number == model.faults))
		return true;
	return is_extra(number, &index) && !holds_extra(number) && !model.extra_ignored;
}

static uint64_t *find_intel_register(uint32_t number)
{
	struct registers *file = this_registers();
	unsigned int n;

	if (is_extra(number, &n) && !refuses(number))
		return &file->extra[n];
	if (model.family == 6 && number == MSR_SMI_COUNT)
		return &file->smi;
	if (model.family == 6 && number == MSR_PPERF)
		return &file->pperf;

	if (is_in(number, MSR_PMC0, model.general_count, &n))
		return &file->general[n];
	if (model.full_width_writes && is_in(number, MSR_A_PMC0, model.general_count, &n))
		return &file->general[n];
	if (is_in(number, MSR_PERFEVTSEL0, model.general_count, &n))
		return &file->select[n];
	if (is_in(number, MSR_FIXED_CTR0, FIXED_COUNTERS_MAX, &n) && (fixed_counters() >> n & 1))
		return &file->fixed[n];
	if (model.version >= 2) {
		switch (number) {
		case MSR_FIXED_CTR_CTRL:
			return &file->fixed_control;
		case MSR_GLOBAL_CTRL:
			return &file->global_control;
		case MSR_GLOBAL_STATUS:
			return &file->status;
		}
	}
	return NULL;
}

static uint64_t *find_register(uint32_t number)
{
	uint64_t *found = is_amd() ? find_amd_register(number) : find_intel_register(number);

	if (!found || (model.faults && number == model.faults))
		panic("#GP: no MSR 0x%x", number);
	return found;
}

uint64_t msr_read(uint32_t number)
{
	if (number == MSR_PERF_CAPABILITIES && model.full_width_writes)
		return 1u << 13;
	return *find_register(number);
}

static void write_amd(uint32_t number, uint64_t value)
{
	uint64_t *found;

	if (number == MSR_AMD_STATUS_CLEAR && model.vendor == SIM_AMD_V2) {
		check_reserved(number, value, all_counters());
		this_registers()->status &= ~value;
		return;
	}
	ASSERT(number != MSR_AMD_STATUS);
	found = find_register(number);
	if (model.vendor == SIM_AMD_IGNORES)
		return;
	if (found >= this_registers()->select &&
	    found < this_registers()->select + GENERAL_COUNTERS_MAX)
		check_reserved(number, value, AMD_SELECT_BITS);
	else if (number == MSR_AMD_CONTROL)
		check_reserved(number, value, all_counters());
	else
		check_reserved(number, value, low_bits(AMD_WIDTH_BITS));
	*found = value;
}

static void write_intel(uint32_t number, uint64_t value)
{
	unsigned int n;

	if (number == MSR_GLOBAL_OVF_CTRL && model.version >= 2) {
		check_reserved(number, value, all_counters() | 3ull << 62);
		this_registers()->status &= ~value;
		return;
	}
	ASSERT(number != MSR_GLOBAL_STATUS);
	if (is_in(number, MSR_PERFEVTSEL0, model.general_count, &n))
		check_reserved(number, value,
			       model.version >= 3 && !model.any_thread_deprecated ? 0xffffffff :
										    0xffdfffff);
	else if (number == MSR_FIXED_CTR_CTRL)
		check_reserved(number, value, fixed_control_bits());
	else if (number == MSR_GLOBAL_CTRL)
		check_reserved(number, value, all_counters());
	else if (is_in(number, MSR_A_PMC0, model.general_count, &n))
		check_reserved(number, value, low_bits(model.general_width_bits));
	else if (is_in(number, MSR_FIXED_CTR0, FIXED_COUNTERS_MAX, &n))
		check_reserved(number, value, low_bits(model.fixed_width_bits));
	else if (is_in(number, MSR_PMC0, model.general_count, &n))
		value = (uint64_t)(int32_t)value & low_bits(model.general_width_bits);
	if (!is_extra(number, &n) || holds_extra(number))
		*find_register(number) = value;
}

void msr_write(uint32_t number, uint64_t value)
{
	struct registers *file = this_registers();

	file->kept[file->writes++ % SIM_WRITES_KEPT] = (struct sim_x86_write){ number, value };
	file->moving = true;
	if (is_amd())
		write_amd(number, value);
	else
		write_intel(number, value);
	file->moving = false;
}

bool msr_read_try(uint32_t number, uint64_t *value)
{
	if (refuses(number))
		return false;
	*value = msr_read(number);
	return true;
}

bool msr_write_try(uint32_t number, uint64_t value)
{
	if (refuses(number))
		return false;
	msr_write(number, value);
	return true;
}

uint64_t pmc_read(uint32_t index)
{
	if (index & 1u << 30)
		return msr_read(MSR_FIXED_CTR0 + (index & ~(1u << 30)));
	ASSERT(index < model.general_count);
	return this_registers()->general[index];
}

bool pmc_read_try(uint32_t index, uint64_t *value)
{
	if (model.faults == SIM_X86_RDPMC)
		return false;
	*value = pmc_read(index);
	return true;
}

/* --- counting --- */

/* One counter as counting sees it. */
struct view {
	uint64_t *value;
	unsigned int width_bits, slot;
	bool counts, interrupts;
};

static struct view view_general(unsigned int n, uint16_t event)
{
	struct registers *file = this_registers();
	uint64_t select = file->select[n];
	bool ring = select & (sim_frame()->user ? EVENT_USR : EVENT_OS);

	return (struct view){
		.value = &file->general[n],
		.width_bits = model.general_width_bits,
		.slot = n,
		.counts = (select & 0xffff) == event && !(select & AMD_HOST_GUEST) &&
			  (select & EVENT_EN) && ring && (file->global_control >> n & 1),
		.interrupts = select & EVENT_INT,
	};
}

static struct view view_fixed(unsigned int n, uint16_t event)
{
	static const uint16_t events[] = { 0x00c0, 0x003c, 0x0300 };
	struct registers *file = this_registers();
	uint64_t field = file->fixed_control >> 4 * n & 0xf;

	return (struct view){
		.value = &file->fixed[n],
		.width_bits = model.fixed_width_bits,
		.slot = 32 + n,
		.counts = n < 3 && events[n] == event && (field & (sim_frame()->user ? 2 : 1)) &&
			  (file->global_control >> (32 + n) & 1),
		.interrupts = field & 8,
	};
}

static unsigned int view_all(struct view *views, uint16_t event)
{
	unsigned int count = 0;

	for (unsigned int n = 0; n < model.general_count; n++)
		views[count++] = view_general(n, event);
	for (unsigned int n = 0; n < FIXED_COUNTERS_MAX; n++)
		if (fixed_counters() >> n & 1)
			views[count++] = view_fixed(n, event);
	return count;
}

/* Intel's APIC masks its entry when it delivers; masked, the interrupt is gone. AMD's does not. */
static void raise_pmi(void)
{
	struct registers *file = this_registers();

	if (file->masked)
		return;
	if (file->hold) {
		if (file->pending < (is_amd() ? 2 : 1))
			file->pending++;
		return;
	}
	file->masked = !is_amd();
	ASSERT(sim_nmi_dispatch());
}

void sim_x86_hold(bool hold)
{
	struct registers *file = this_registers();

	file->hold = hold;
	for (; !hold && file->pending; file->pending--)
		raise_pmi();
}

void sim_x86_count(uint16_t event, uint64_t number)
{
	struct registers *file = this_registers();
	struct view views[GENERAL_COUNTERS_MAX + FIXED_COUNTERS_MAX];

	if (file->moving)
		return;
	if (event == 0xc0 && (file->hwcr & HWCR_IRPERF))
		file->irperf += number;
	while (number) {
		file->moving = true;
		unsigned int count = view_all(views, event);
		uint64_t step = number;
		bool interrupt = false;

		for (unsigned int i = 0; i < count; i++) {
			uint64_t distance = low_bits(views[i].width_bits) - *views[i].value;
			if (views[i].counts && step - 1 > distance)
				step = distance + 1;
		}
		for (unsigned int i = 0; i < count; i++) {
			if (!views[i].counts)
				continue;
			file->counted += step;
			*views[i].value = (*views[i].value + step) & low_bits(views[i].width_bits);
			if (*views[i].value >= step)
				continue;
			if (has_global_registers())
				file->status |= (uint64_t)1 << views[i].slot;
			interrupt |= views[i].interrupts;
		}
		number -= step;
		file->moving = false;
		if (interrupt)
			raise_pmi();
	}
}
