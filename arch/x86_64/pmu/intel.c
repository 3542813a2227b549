// SPDX-License-Identifier: BSD-2-Clause
/*
 * The driver of Intel's architectural PMU, versions 1 to 5 (SDM vol. 3B, 20.2).
 *
 * Each CPU has general counters, which count any event, and from version 2 on fixed ones, which count one
 * event each. From version 2 on IA32_PERF_GLOBAL_CTRL has a bit for every counter: that register alone starts
 * and halts counting, so disabling the PMU is one write, and a halted event's control word may stay. Version
 * 1 has no such register: there the driver writes the enable bit of every counter in use.
 *
 * The PMI is an NMI and may come anywhere, also inside this driver in task context. Hence
 *
 *  - Task context changes counters only while the PMU is disabled (`disabled` > 0) or while the counter is
 *    not in `running`. A PMI can still come then, for an overflow from before the disabling took effect.
 *  - `running` is the set of counters that are to count; it changes atomically. The PMI takes bits out, never
 *    puts them in.
 *  - `disabled` is raised before the PMU is disabled and lowered before it is enabled: a PMI in between
 *    leaves it disabled only if the interrupted code expects that, or will itself write the right value.
 *  - Only task context writes a counter's control word.
 *
 * A counter holds minus the remainder of the period and so overflows when a sample is due; a counting event's
 * period is half the counter's range, so that no overflow is missed however late the PMI comes.
 */
#include <arch/pmu.h>
#include <kernel/base/assert.h>
#include <kernel/base/bits.h>
#include <kernel/base/cpu.h>
#include <kernel/base/log.h>
#include <kernel/perf/assign.h>
#include <kernel/perf/counter.h>
#include <kernel/perf/event.h>
#include <kernel/perf/overflow.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/throttle.h>
#include <kernel/perf/userpage.h>
#include <kernel/base/smp.h>
#include <kernel/time/time.h>
#include <machine/apic.h>
#include <machine/msr.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include <string.h>

#include "intel.h"

/* An overflow can come between the last look at the status and the unmasking, but not often in a row. */
#define PMI_ROUNDS_MAX 100

/* Counters may be set to overflow at the very next event. */
#define PERIOD_MIN     1

/* One CPU's state. Task context changes it on that CPU, interrupts off, PMU disabled. The PMI reads it, and
 * changes `running`, `disabled` and late_pmi_expected. */
struct intel_cpu {
	struct perf_event *events[COUNTERS_MAX];
	uint64_t occupied;	       /* with an event; bit n: counter index n */
	_Atomic uint64_t running;      /* counters that are to count */
	_Atomic unsigned int disabled; /* depth of pmu_disable */
	/* Event-select registers (in version 1 without EN) and the fixed ones', as last written. */
	uint64_t control[GENERAL_MAX], fixed_control;
	bool late_pmi_expected; /* the PMI's: it served two overflows, so another NMI may follow */
} CACHE_ALIGNED;

static PERCPU(struct intel_cpu, intel_cpus);
static struct intel_pmu intel;

static struct intel_cpu *this_intel_cpu(void)
{
	return &this_cpu(intel_cpus);
}

static uint64_t counter_bit(int index)
{
	return (uint64_t)1 << index;
}

static bool is_fixed(int index)
{
	return index >= FIXED_INDEX;
}

static unsigned int width_of(int index)
{
	return is_fixed(index) ? intel.fixed_width_bits : intel.general_width_bits;
}

/* --- registers --- */

static uint32_t rdpmc_index(int index)
{
	return is_fixed(index) ? RDPMC_FIXED | (uint32_t)(index - FIXED_INDEX) : (uint32_t)index;
}

static void write_counter(int index, uint64_t value)
{
	if (is_fixed(index))
		msr_write(MSR_IA32_FIXED_CTR0 + (uint32_t)(index - FIXED_INDEX), value);
	else if (intel.full_width_writes)
		msr_write(MSR_IA32_A_PMC0 + (uint32_t)index, value);
	else
		msr_write(MSR_IA32_PMC0 + (uint32_t)index, (uint32_t)value);
}

/* The longest period a counter can be set to. A legacy write can only express minus up to 2^31. */
static uint64_t period_max(int index)
{
	unsigned int bits = intel.full_width_writes ? width_of(index) - 1 : 31;

	return ((uint64_t)1 << bits) - 1;
}

static void write_general_control(struct intel_cpu *cpu, int index, uint64_t config)
{
	uint64_t control = intel.version >= 2 ? config | EVENTSEL_EN : config;

	if (cpu->control[index] == control)
		return;
	cpu->control[index] = control;
	msr_write(MSR_IA32_PERFEVTSEL0 + (uint32_t)index, control);
}

static void write_fixed_control(struct intel_cpu *cpu, int index, uint64_t config)
{
	int shift = FIXED_CTRL_SHIFT(index - FIXED_INDEX);
	uint64_t field = FIXED_CTRL_PMI;
	uint64_t control;

	if (config & EVENTSEL_OS)
		field |= FIXED_CTRL_OS;
	if (config & EVENTSEL_USR)
		field |= FIXED_CTRL_USR;
	if (config & EVENTSEL_ANY)
		field |= FIXED_CTRL_ANY;
	control = (cpu->fixed_control & ~(FIXED_CTRL_FIELD << shift)) | field << shift;
	if (cpu->fixed_control == control)
		return;
	cpu->fixed_control = control;
	msr_write(MSR_IA32_FIXED_CTR_CTRL, control);
}

static __attribute__((noinline)) void let_each_count(struct intel_cpu *cpu, uint64_t counters)
{
	for (uint64_t rest = cpu->occupied; rest; rest &= rest - 1) {
		int index = __builtin_ctzll(rest);
		uint64_t enable = counters & counter_bit(index) ? EVENTSEL_EN : 0;
		msr_write(MSR_IA32_PERFEVTSEL0 + (uint32_t)index, cpu->control[index] | enable);
	}
}

/* Lets COUNTERS count and no others. */
static inline void let_count(struct intel_cpu *cpu, uint64_t counters)
{
	if (intel.version >= 2)
		msr_write(MSR_IA32_PERF_GLOBAL_CTRL, counters);
	else
		let_each_count(cpu, counters);
}

/* Makes the hardware follow a change of `running`, unless the PMU is disabled. */
static void apply_running(struct intel_cpu *cpu)
{
	if (!atomic_load(&cpu->disabled))
		let_count(cpu, atomic_load(&cpu->running));
}

/* Returns the counters that overflowed since the last acknowledgement. In version 1 no register has them;
 * there, a counter that was set to a negative number has overflowed when it no longer is one. */
static uint64_t read_overflows(struct intel_cpu *cpu)
{
	uint64_t overflows = 0;

	if (intel.version >= 2)
		return msr_read(MSR_IA32_PERF_GLOBAL_STATUS) & intel.counters;
	for (uint64_t rest = cpu->occupied; rest; rest &= rest - 1) {
		int index = __builtin_ctzll(rest);
		struct perf_event *event = cpu->events[index];
		bool negative = pmc_read(rdpmc_index(index)) >> (intel.general_width_bits - 1) & 1;

		if (!negative && event && !(event->hw.flags & HW_STOPPED))
			overflows |= counter_bit(index);
	}
	return overflows;
}

static void acknowledge(uint64_t overflows)
{
	if (intel.version >= 2)
		msr_write(MSR_IA32_PERF_GLOBAL_OVF_CTRL, overflows);
}

/* --- struct pmu --- */

static int intel_event_init(struct perf_event *event)
{
	int error = intel_event_translate(&intel, event);

	if (error)
		return error;
	event->hw.counter.index = -1;
	event->hw.counter.last_index = -1;
	return counter_group_validate(event, intel.counters);
}

static void intel_disable(struct pmu *pmu)
{
	struct intel_cpu *cpu = this_intel_cpu();

	(void)pmu;
	if (atomic_fetch_add(&cpu->disabled, 1) == 0 && cpu->occupied)
		let_count(cpu, 0);
}

static void intel_enable(struct pmu *pmu)
{
	struct intel_cpu *cpu = this_intel_cpu();

	(void)pmu;
	ASSERT(atomic_load(&cpu->disabled) > 0);
	if (atomic_fetch_sub(&cpu->disabled, 1) == 1 && cpu->occupied)
		let_count(cpu, atomic_load(&cpu->running));
}

static uint64_t read_raw(struct perf_event *event)
{
	return pmc_read(event->hw.counter.read_index);
}

static void intel_read(struct perf_event *event)
{
	pmu_event_update(event, read_raw, event->hw.counter.width_bits);
}

/* Starts the next period of EVENT, updated and not counting. EXPIRED: as for pmu_event_set_period. */
static void begin_period(struct perf_event *event, bool *expired)
{
	int index = event->hw.counter.index;

	write_counter(index, pmu_event_set_period(event, event->hw.counter.width_bits,
						  period_max(index), PERIOD_MIN, expired));
}

/* Lets EVENT, whose counter is set, count when the PMU is next enabled. */
static void let_run(struct intel_cpu *cpu, struct perf_event *event)
{
	int index = event->hw.counter.index;

	event->hw.flags = 0;
	if (is_fixed(index))
		write_fixed_control(cpu, index, event->hw.config);
	else
		write_general_control(cpu, index, event->hw.config);
	/* Events of guests only, and there are no guests here: the event is on its counter and never counts,
	 * as in Linux. */
	if (event->attr.exclude_host)
		return;
	atomic_fetch_or(&cpu->running, counter_bit(index));
	apply_running(cpu);
}

static void intel_start(struct perf_event *event, int flags)
{
	if (!(event->hw.flags & HW_STOPPED))
		return;
	if (flags & PMU_RELOAD) {
		begin_period(event, NULL);
		perf_userpage_update_counter(event);
	}
	let_run(this_intel_cpu(), event);
}

static void intel_stop(struct perf_event *event, int flags)
{
	struct intel_cpu *cpu = this_intel_cpu();

	if (!(event->hw.flags & HW_STOPPED)) {
		atomic_fetch_and(&cpu->running, ~counter_bit(event->hw.counter.index));
		apply_running(cpu);
		event->hw.flags |= HW_STOPPED;
	}
	if ((flags & PMU_UPDATE) && !(event->hw.flags & HW_UPTODATE)) {
		intel_read(event);
		event->hw.flags |= HW_UPTODATE;
	}
}

static void leave_counter(struct intel_cpu *cpu, struct perf_event *event)
{
	intel_stop(event, PMU_UPDATE);
	cpu->events[event->hw.counter.index] = NULL;
	cpu->occupied &= ~counter_bit(event->hw.counter.index);
	event->hw.counter.last_index = event->hw.counter.index;
	event->hw.counter.index = -1;
}

static void take_counter(struct intel_cpu *cpu, struct perf_event *event, int index)
{
	cpu->events[index] = event;
	cpu->occupied |= counter_bit(index);
	event->hw.counter.index = index;
	event->hw.counter.width_bits = width_of(index);
	event->hw.counter.read_index = rdpmc_index(index);
}

/* Moves EVENT, whose counter another event needs, to the counter INDEX. */
static void move(struct intel_cpu *cpu, struct perf_event *event, int index)
{
	bool was_running = !(event->hw.flags & HW_STOPPED);

	leave_counter(cpu, event);
	take_counter(cpu, event, index);
	begin_period(event, NULL);
	perf_userpage_update_counter(event);
	if (was_running)
		let_run(cpu, event);
}

/* Returns a counter for EVENT, which can use no free one: moves other events until one is free. */
static __attribute__((noinline)) int make_room(struct intel_cpu *cpu,
					       const struct perf_event *event, uint64_t free)
{
	struct counter_moves moves;
	uint64_t occupant[COUNTERS_MAX];

	for (uint64_t rest = cpu->occupied; rest; rest &= rest - 1)
		occupant[__builtin_ctzll(rest)] =
			cpu->events[__builtin_ctzll(rest)]->hw.counter.constraint;
	int index = counter_assign(free, event->hw.counter.constraint, 0, occupant, &moves);
	if (index < 0)
		return index;
	for (unsigned int i = 0; i < moves.count; i++)
		move(cpu, cpu->events[moves.move[i].from], moves.move[i].to);
	return index;
}

static int intel_add(struct perf_event *event, int flags)
{
	struct intel_cpu *cpu = this_intel_cpu();
	uint64_t free = intel.counters & ~cpu->occupied;
	uint64_t preferred = free >> FIXED_INDEX << FIXED_INDEX;

	ASSERT(atomic_load(&cpu->disabled) > 0);
	/* The control word is still in the previous counter. */
	if (event->hw.counter.last_index >= 0 && (free & counter_bit(event->hw.counter.last_index)))
		preferred = counter_bit(event->hw.counter.last_index);
	int index = counter_assign_free(free, event->hw.counter.constraint, preferred);
	if (index < 0)
		index = make_room(cpu, event, free);
	if (index < 0)
		return index;
	take_counter(cpu, event, index);
	event->hw.flags = HW_STOPPED | HW_UPTODATE;
	/* The core updates the user page after the event's state has changed, here and in del. */
	if (flags & PMU_START) {
		begin_period(event, NULL);
		let_run(cpu, event);
	}
	return 0;
}

static void intel_del(struct perf_event *event, int flags)
{
	struct intel_cpu *cpu = this_intel_cpu();

	(void)flags;
	ASSERT(atomic_load(&cpu->disabled) > 0);
	leave_counter(cpu, event);
}

static uint32_t intel_user_index(struct perf_event *event)
{
	return event->hw.counter.index < 0 ? 0 : event->hw.counter.read_index + 1;
}

static unsigned int intel_user_width(struct perf_event *event)
{
	/* Another PMU's event has no counter here. */
	bool is_on_counter = event->pmu->user_width == intel_user_width &&
			     event->hw.counter.index >= 0;

	return is_on_counter ? event->hw.counter.width_bits : intel.general_width_bits;
}

static struct pmu intel_pmu = {
	.name = "cpu",
	.event_init = intel_event_init,
	.pmu_disable = intel_disable,
	.pmu_enable = intel_enable,
	.add = intel_add,
	.del = intel_del,
	.start = intel_start,
	.stop = intel_stop,
	.read = intel_read,
	.user_index = intel_user_index,
	.user_width = intel_user_width,
};

/* --- the PMI --- */

/* Serves the overflow of the counter INDEX. Its event may have left it or stopped since: then only the
 * acknowledgement was needed. */
static void serve_overflow(struct intel_cpu *cpu, int index, struct trap_frame *frame)
{
	struct perf_event *event = cpu->events[index];
	bool expired;

	if (!event || (event->hw.flags & HW_STOPPED))
		return;
	intel_read(event);
	begin_period(event, &expired);
	perf_userpage_update_counter(event);
	if (expired && perf_event_overflow(event, frame))
		intel_stop(event, 0);
}

/* Serves every counter that has overflowed, PMU disabled; returns how many. */
static unsigned int serve_overflows(struct intel_cpu *cpu, uint64_t overflows,
				    struct trap_frame *frame)
{
	unsigned int served = 0;

	for (unsigned int round = 0; overflows && round < PMI_ROUNDS_MAX; round++) {
		acknowledge(overflows);
		for (; overflows; overflows &= overflows - 1) {
			serve_overflow(cpu, __builtin_ctzll(overflows), frame);
			served++;
		}
		overflows = read_overflows(cpu);
	}
	return served;
}

/*
 * Handles any NMI; returns whether it was this PMU's: a counter has overflowed, or the previous NMI served
 * several counters. Each of them raises an interrupt, and the CPU remembers one while it serves another.
 */
static bool intel_pmi(struct trap_frame *frame)
{
	struct intel_cpu *cpu = this_intel_cpu();
	uint64_t start_ns = clock_ns();
	uint64_t overflows = read_overflows(cpu);
	bool ours;

	if (!overflows) {
		ours = cpu->late_pmi_expected;
		cpu->late_pmi_expected = false;
		if (ours)
			apic_pmi_unmask();
		return ours;
	}
	/* Serving must not be counted, and it writes counters: `disabled` tells intel_stop that the PMU is
	 * halted already. */
	atomic_fetch_add(&cpu->disabled, 1);
	let_count(cpu, 0);
	cpu->late_pmi_expected = serve_overflows(cpu, overflows, frame) > 1;
	/* The APIC has masked its entry when it delivered the interrupt. Unmasked while the PMU is disabled,
	 * no overflow is missed. */
	apic_pmi_unmask();
	atomic_fetch_sub(&cpu->disabled, 1);
	perf_interrupt_took(start_ns);
	apply_running(cpu);
	return true;
}

/* --- start --- */

static void start_cpu(void *unused)
{
	(void)unused;
	memset(this_intel_cpu(), 0, sizeof(struct intel_cpu));
	/* Firmware may have left counters running. */
	for (unsigned int i = 0; i < intel.general_count; i++)
		msr_write(MSR_IA32_PERFEVTSEL0 + i, 0);
	if (intel.version >= 2) {
		msr_write(MSR_IA32_PERF_GLOBAL_CTRL, 0);
		if (intel.fixed_width_bits)
			msr_write(MSR_IA32_FIXED_CTR_CTRL, 0);
		acknowledge(intel.counters);
	}
	apic_pmi_unmask();
}

bool intel_pmu_init(void)
{
	char events[160];

	if (!intel_pmu_probe(&intel))
		return false;
	arch_nmi_register(intel_pmi);
	smp_call_mask(cpus_all(), start_cpu, NULL);
	intel_pmu.formats = intel_formats(&intel);
	intel_pmu.events = intel_events(&intel);
	intel_pmu.caps = intel_caps(&intel);
	if (perf_pmu_register(&intel_pmu, PERF_TYPE_RAW) < 0)
		return false;
	intel_events_describe(&intel, events, sizeof(events));
	log_info(
		"PMU: Intel, version %u; %u general counters of %u bits, %u fixed of %u bits; %s writes",
		intel.version, intel.general_count, intel.general_width_bits,
		bits_count(intel.counters >> FIXED_INDEX), intel.fixed_width_bits,
		intel.full_width_writes ? "full-width" : "32-bit");
	log_info("PMU: events: %s", events);
	return true;
}
