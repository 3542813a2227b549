// SPDX-License-Identifier: BSD-2-Clause
/*
 * The counters of an x86 CPU as a struct pmu: Intel's architectural PMU, versions 1 to 5 (SDM vol. 3B, 20.2),
 * and AMD's three generations (APM vol. 2, 13.2). `registers` says where the registers are.
 *
 * Each CPU has general counters, which count any event, and with Intel's from version 2 on fixed ones, which
 * count one event each. Intel's from version 2 on and AMD's PerfMonV2 have a global control register with a bit
 * for every counter: that register alone starts and stops counting, so disabling the PMU is one write, and a
 * stopped event's control word may stay. The others have no such register: there the driver writes the enable
 * bit of every counter in use.
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
 *
 * An NMI can come for an overflow that was served before: by the NMI of another counter, or by task context that
 * took the event off while its NMI was under way. `owed` counts such overflows (owed_nmi.h).
 */
#include "counters.h"

#include <string.h>

#include <arch/pmu.h>
#include <kernel/base/assert.h>
#include <kernel/base/cpu.h>
#include <kernel/perf/assign.h>
#include <kernel/perf/counter.h>
#include <kernel/perf/event.h>
#include <kernel/perf/overflow.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/throttle.h>
#include <kernel/perf/userpage.h>
#include <kernel/time/time.h>
#include <machine/apic.h>
#include <machine/msr.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include "counters_probe.h"
#include "event_select.h"
#include "extra_registers.h"
#include "owed_nmi.h"

/* Counters may be set to overflow at the very next event. */
#define PERIOD_MIN 1

/* One CPU's state. Task context changes it on that CPU, interrupts off, PMU disabled. The PMI reads it, and
 * changes `running`, `disabled` and `owed`. */
struct cpu_counters {
	struct perf_event *events[COUNTERS_MAX];
	uint64_t occupied;	       /* with an event; bit n: counter index n */
	_Atomic uint64_t running;      /* counters that are to count */
	_Atomic unsigned int disabled; /* depth of pmu_disable */
	/* Event-select registers (without a global control register: without EN) and the fixed ones', as last
	 * written. */
	uint64_t control[GENERAL_MAX], fixed_control;
	struct extra_uses extra;
	struct owed_nmi owed;
} CACHE_ALIGNED;

static PERCPU(struct cpu_counters, cpus);
static struct counter_registers registers;
static int (*translate)(struct perf_event *event);

static struct cpu_counters *this_cpu_counters(void)
{
	return &this_cpu(cpus);
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
	return is_fixed(index) ? registers.fixed_width_bits : registers.general_width_bits;
}

/* --- registers --- */

static uint32_t rdpmc_index(int index)
{
	return is_fixed(index) ? RDPMC_FIXED | (uint32_t)(index - FIXED_INDEX) : (uint32_t)index;
}

static void write_counter(int index, uint64_t value)
{
	if (is_fixed(index))
		msr_write(registers.fixed + (uint32_t)(index - FIXED_INDEX), value);
	else
		msr_write(registers.general + ((uint32_t)index << registers.general_shift),
			  registers.writes_sign_extended ? (uint32_t)value : value);
}

static void write_select(int index, uint64_t value)
{
	msr_write(registers.select + ((uint32_t)index << registers.general_shift), value);
}

/* The longest period a counter can be set to. A sign-extended write can only express minus up to 2^31. */
static uint64_t period_max(int index)
{
	unsigned int bits = registers.writes_sign_extended ? 31 : width_of(index) - 1;

	return ((uint64_t)1 << bits) - 1;
}

static void write_general_control(struct cpu_counters *cpu, int index, uint64_t config)
{
	uint64_t control = registers.global_control ? config | EVENTSEL_EN : config;

	if (cpu->control[index] == control)
		return;
	cpu->control[index] = control;
	write_select(index, control);
}

static void write_fixed_control(struct cpu_counters *cpu, int index, uint64_t config)
{
	int shift = FIXED_CTRL_SHIFT(index - FIXED_INDEX);
	uint64_t control = (cpu->fixed_control & ~(FIXED_CTRL_FIELD << shift)) |
			   fixed_ctrl_field(config) << shift;

	if (cpu->fixed_control == control)
		return;
	cpu->fixed_control = control;
	msr_write(registers.fixed_control, control);
}

static __attribute__((noinline)) void let_each_count(struct cpu_counters *cpu, uint64_t counters)
{
	for (uint64_t rest = cpu->occupied; rest; rest &= rest - 1) {
		int index = __builtin_ctzll(rest);
		uint64_t enable = counters & counter_bit(index) ? EVENTSEL_EN : 0;

		write_select(index, cpu->control[index] | enable);
	}
}

/* Lets COUNTERS count and no others. */
static inline void let_count(struct cpu_counters *cpu, uint64_t counters)
{
	if (registers.global_control)
		msr_write(registers.global_control, counters);
	else
		let_each_count(cpu, counters);
}

/* Makes the hardware follow a change of `running`, unless the PMU is disabled. */
static void apply_running(struct cpu_counters *cpu)
{
	if (!atomic_load(&cpu->disabled))
		let_count(cpu, atomic_load(&cpu->running));
}

/* Returns whether the counter INDEX, which was set to a negative number, no longer has one. */
static bool has_wrapped(int index)
{
	return !(pmc_read(rdpmc_index(index)) >> (registers.general_width_bits - 1) & 1);
}

/* Returns the counters that overflowed since the last acknowledgement: those of the global status, or, where
 * there is none, those that have wrapped. */
static uint64_t read_overflows(struct cpu_counters *cpu)
{
	uint64_t overflows = 0;

	if (registers.global_status)
		return msr_read(registers.global_status) & registers.counters;
	for (uint64_t rest = cpu->occupied; rest; rest &= rest - 1) {
		int index = __builtin_ctzll(rest);
		struct perf_event *event = cpu->events[index];

		if (event && !(event->hw.flags & HW_STOPPED) && has_wrapped(index))
			overflows |= counter_bit(index);
	}
	return overflows;
}

static void acknowledge(uint64_t overflows)
{
	if (registers.global_clear)
		msr_write(registers.global_clear, overflows);
}

/* --- struct pmu --- */

static int counters_event_init(struct perf_event *event)
{
	int error;

	event->hw.counter.extra = event->hw.counter.extra_taken = EXTRA_NONE;
	error = translate(event);
	if (error)
		return error;
	event->hw.counter.index = -1;
	event->hw.counter.last_index = -1;
	error = extra_registers_validate(event);
	return error ? error : counter_group_validate(event, registers.counters);
}

static void counters_disable(struct pmu *pmu)
{
	struct cpu_counters *cpu = this_cpu_counters();

	(void)pmu;
	if (atomic_fetch_add(&cpu->disabled, 1) == 0 && cpu->occupied)
		let_count(cpu, 0);
}

static void counters_enable(struct pmu *pmu)
{
	struct cpu_counters *cpu = this_cpu_counters();

	(void)pmu;
	ASSERT(atomic_load(&cpu->disabled) > 0);
	if (atomic_fetch_sub(&cpu->disabled, 1) == 1 && cpu->occupied)
		let_count(cpu, atomic_load(&cpu->running));
}

static uint64_t read_raw(struct perf_event *event)
{
	return pmc_read(event->hw.counter.read_index);
}

static void counters_read(struct perf_event *event)
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
static void let_run(struct cpu_counters *cpu, struct perf_event *event)
{
	int index = event->hw.counter.index;

	event->hw.flags = 0;
	if (is_fixed(index))
		write_fixed_control(cpu, index, event->hw.config);
	else
		write_general_control(cpu, index, extra_register_config(event));
	/* Events of guests only, and there are no guests here: the event is on its counter and never counts,
	 * as in Linux. */
	if (event->attr.exclude_host)
		return;
	atomic_fetch_or(&cpu->running, counter_bit(index));
	apply_running(cpu);
}

static void counters_start(struct perf_event *event, int flags)
{
	if (!(event->hw.flags & HW_STOPPED))
		return;
	if (flags & PMU_RELOAD) {
		begin_period(event, NULL);
		perf_userpage_update_counter(event);
	}
	let_run(this_cpu_counters(), event);
}

/* Marks EVENT, which no longer counts, as stopped. No status outlives an overflow whose NMI is under way where
 * there is no global status: then the NMI is owed. In this order, an NMI at any place between either serves the
 * overflow or takes what is owed. */
static void mark_stopped(struct cpu_counters *cpu, struct perf_event *event)
{
	if (registers.global_status || !has_wrapped(event->hw.counter.index)) {
		event->hw.flags |= HW_STOPPED;
		return;
	}
	owed_nmi_add(&cpu->owed, 1);
	event->hw.flags |= HW_STOPPED;
	atomic_signal_fence(memory_order_seq_cst);
	owed_nmi_withdraw(&cpu->owed, has_wrapped(event->hw.counter.index) ? 0 : 1);
}

static void counters_stop(struct perf_event *event, int flags)
{
	struct cpu_counters *cpu = this_cpu_counters();

	if (!(event->hw.flags & HW_STOPPED)) {
		atomic_fetch_and(&cpu->running, ~counter_bit(event->hw.counter.index));
		apply_running(cpu);
		mark_stopped(cpu, event);
	}
	if ((flags & PMU_UPDATE) && !(event->hw.flags & HW_UPTODATE)) {
		counters_read(event);
		event->hw.flags |= HW_UPTODATE;
	}
}

static void leave_counter(struct cpu_counters *cpu, struct perf_event *event)
{
	counters_stop(event, PMU_UPDATE);
	cpu->events[event->hw.counter.index] = NULL;
	cpu->occupied &= ~counter_bit(event->hw.counter.index);
	event->hw.counter.last_index = event->hw.counter.index;
	event->hw.counter.index = -1;
}

static void take_counter(struct cpu_counters *cpu, struct perf_event *event, int index)
{
	cpu->events[index] = event;
	cpu->occupied |= counter_bit(index);
	event->hw.counter.index = index;
	event->hw.counter.width_bits = width_of(index);
	event->hw.counter.read_index = rdpmc_index(index);
}

/* Moves EVENT, whose counter another event needs, to the counter INDEX. */
static void move(struct cpu_counters *cpu, struct perf_event *event, int index)
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
static __attribute__((noinline)) int make_room(struct cpu_counters *cpu,
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

static int counters_add(struct perf_event *event, int flags)
{
	struct cpu_counters *cpu = this_cpu_counters();
	uint64_t free = registers.counters & ~cpu->occupied;
	uint64_t preferred = free >> FIXED_INDEX << FIXED_INDEX;

	ASSERT(atomic_load(&cpu->disabled) > 0);
	/* The control word is still in the previous counter. */
	if (event->hw.counter.last_index >= 0 && (free & counter_bit(event->hw.counter.last_index)))
		preferred = counter_bit(event->hw.counter.last_index);
	if (event->hw.counter.extra != EXTRA_NONE && !extra_register_take(&cpu->extra, event))
		return -EAGAIN;
	int index = counter_assign_free(free, event->hw.counter.constraint, preferred);
	if (index < 0)
		index = make_room(cpu, event, free);
	if (index < 0) {
		extra_register_release(&cpu->extra, event);
		return index;
	}
	/* Before the PMI sees EVENT: its counter may still have the overflow of an event that is gone. */
	event->hw.flags = HW_STOPPED | HW_UPTODATE;
	atomic_signal_fence(memory_order_seq_cst);
	take_counter(cpu, event, index);
	/* The core updates the user page after the event's state has changed, here and in del. */
	if (flags & PMU_START) {
		begin_period(event, NULL);
		let_run(cpu, event);
	}
	return 0;
}

static void counters_del(struct perf_event *event, int flags)
{
	struct cpu_counters *cpu = this_cpu_counters();

	(void)flags;
	ASSERT(atomic_load(&cpu->disabled) > 0);
	leave_counter(cpu, event);
	extra_register_release(&cpu->extra, event);
}

static uint32_t counters_user_index(struct perf_event *event)
{
	return event->hw.counter.index < 0 ? 0 : event->hw.counter.read_index + 1;
}

static unsigned int counters_user_width(struct perf_event *event)
{
	/* Another PMU's event has no counter here. */
	bool is_on_counter = event->pmu->user_width == counters_user_width &&
			     event->hw.counter.index >= 0;

	return is_on_counter ? event->hw.counter.width_bits : registers.general_width_bits;
}

static struct pmu counters_pmu = {
	.name = "cpu",
	.event_init = counters_event_init,
	.pmu_disable = counters_disable,
	.pmu_enable = counters_enable,
	.add = counters_add,
	.del = counters_del,
	.start = counters_start,
	.stop = counters_stop,
	.read = counters_read,
	.user_index = counters_user_index,
	.user_width = counters_user_width,
};

/* --- the PMI --- */

/* Serves the overflow of the counter INDEX. Its event may have left it or stopped since: then only the
 * acknowledgement was needed. */
static void serve_overflow(struct cpu_counters *cpu, int index, struct trap_frame *frame)
{
	struct perf_event *event = cpu->events[index];
	bool expired;

	if (!event || (event->hw.flags & HW_STOPPED))
		return;
	counters_read(event);
	begin_period(event, &expired);
	perf_userpage_update_counter(event);
	if (expired && perf_event_overflow(event, frame))
		counters_stop(event, 0);
}

/* Serves every counter that has overflowed, PMU disabled; returns how many. */
static unsigned int serve_overflows(struct cpu_counters *cpu, uint64_t overflows,
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

/* Handles any NMI; returns whether it was this PMU's: a counter has overflowed, or had before. */
static bool handle_nmi(struct trap_frame *frame)
{
	struct cpu_counters *cpu = this_cpu_counters();
	uint64_t start_ns = clock_ns();
	uint64_t overflows = read_overflows(cpu);

	if (!overflows) {
		if (!owed_nmi_take(&cpu->owed, 0, start_ns))
			return false;
		apic_pmi_unmask();
		return true;
	}
	/* Serving must not be counted, and it writes counters: `disabled` tells counters_stop that the PMU is
	 * disabled already. */
	atomic_fetch_add(&cpu->disabled, 1);
	let_count(cpu, 0);
	owed_nmi_take(&cpu->owed, serve_overflows(cpu, overflows, frame), start_ns);
	/* Intel's APIC has masked its entry when it delivered the interrupt, and so has AMD's under KVM before
	 * Linux 6.9. Unmasked while the PMU is disabled, no overflow is missed. */
	apic_pmi_unmask();
	atomic_fetch_sub(&cpu->disabled, 1);
	perf_interrupt_took(start_ns);
	apply_running(cpu);
	return true;
}

/* --- start --- */

void counters_clear(void)
{
	if (registers.global_control)
		msr_write(registers.global_control, 0);
	for (int index = 0; index < GENERAL_MAX; index++)
		if (registers.counters & counter_bit(index))
			write_select(index, 0);
	if (registers.fixed_width_bits)
		msr_write(registers.fixed_control, 0);
	acknowledge(registers.counters);
	apic_pmi_unmask();
}

static void start_cpu(void)
{
	memset(this_cpu_counters(), 0, sizeof(struct cpu_counters));
	/* Firmware may have left counters running. */
	counters_clear();
}

const struct counter_registers *counters_registers(void)
{
	return counters_pmu.start_cpu ? &registers : NULL;
}

void counters_restart_cpu(void)
{
	if (counters_registers())
		start_cpu();
}

void counters_lend_interrupt(bool (*handler)(struct trap_frame *frame))
{
	arch_nmi_replace(handle_nmi, handler);
}

void counters_take_interrupt_back(bool (*handler)(struct trap_frame *frame))
{
	arch_nmi_replace(handler, handle_nmi);
}

bool counters_pmu_start(const struct counter_pmu *pmu)
{
	if (!counters_are_there(&pmu->registers))
		return false;
	registers = pmu->registers;
	counters_pmu.start_cpu = start_cpu;
	translate = pmu->translate;
	counters_pmu.formats = pmu->formats;
	counters_pmu.events = pmu->events;
	counters_pmu.caps = pmu->caps;
	arch_nmi_register(handle_nmi);
	return perf_pmu_register(&counters_pmu, PERF_TYPE_RAW) >= 0;
}
