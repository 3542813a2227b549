/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfctr's low level on x86: Intel's and AMD's counters (counters.h), whose registers are found by the driver of
 * struct pmu.
 *
 * A control register is written only when it changes. Where a global control register exists, it alone starts and
 * stops counting.
 *
 * The overflow interrupt is an NMI and may come in the middle of each function here. It calls perfctr, which leaves a
 * state alone that is being changed; so only the code that changes a state calls these functions.
 *
 * Without a global status, a counter has overflowed if it was set to a negative number and has wrapped. It stays so
 * until it is set again: `served` has those whose overflow an NMI has served. An NMI may be under way when its counter
 * is stopped: then it is owed (owed_nmi.h). With a global status, the status outlives the stop.
 */
#include <arch/perfctr.h>

#include <stddef.h>

#include <arch/task.h>
#include <kernel/base/bits.h>
#include <kernel/base/cpu.h>
#include <kernel/time/time.h>
#include <machine/apic.h>
#include <machine/msr.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perfctr.h>

#include "amd_registers.h"
#include "counters.h"
#include "event_select.h"
#include "owed_nmi.h"

/* Bits of an event select that a program may set. */
#define SELECT_PERMITTED (EVENTSEL_RAW | EVENTSEL_USR | EVENTSEL_OS | EVENTSEL_INT | EVENTSEL_EN)
#define FIXED_PERMITTED	 (EVENTSEL_USR | EVENTSEL_OS | EVENTSEL_INT | EVENTSEL_EN)

/* One CPU's registers as last written; bit n: counter index n. */
struct perfctr_x86 {
	uint64_t select[GENERAL_MAX], fixed_control;
	uint64_t counting;
	/* Without a global status. */
	_Atomic uint64_t interrupting; /* i-mode counters: negative, or overflowed */
	_Atomic uint64_t served;       /* those whose overflow was served; the NMI adds to it */
	struct owed_nmi owed;	       /* the NMI changes it */
} CACHE_ALIGNED;

static PERCPU(struct perfctr_x86, cpus);
static const struct counter_registers *registers; /* constant after arch_perfctr_find */
static void (*overflow)(unsigned long pc);	  /* constant while perfctr has the counters */

static uint64_t counter_bit(uint32_t map)
{
	return (uint64_t)1 << (map & RDPMC_FIXED ? FIXED_INDEX + (map & ~RDPMC_FIXED) : map);
}

static unsigned int width_of(uint32_t map)
{
	return map & RDPMC_FIXED ? registers->fixed_width_bits : registers->general_width_bits;
}

/* --- control data --- */

bool arch_perfctr_find(struct perfctr_hardware *hardware)
{
	registers = counters_registers();
	if (!registers)
		return false;
	hardware->name = registers->select == MSR_LEGACY_PERFEVTSEL0 ||
					 registers->select == MSR_CORE_PERFEVTSEL0 ?
				 "AMD" :
				 "Intel";
	hardware->counters = bits_count(registers->counters);
	hardware->width_bits = registers->general_width_bits;
	hardware->user_reads = true;
	return true;
}

static bool exists(uint32_t map)
{
	uint32_t number = map & ~RDPMC_FIXED;
	uint32_t most = map & RDPMC_FIXED ? FIXED_MAX : GENERAL_MAX;

	return number < most && (registers->counters & counter_bit(map));
}

static uint64_t select_of(const struct perfctr_cpu_control *control, unsigned int i)
{
	return control->evntsel[i] | (uint64_t)control->evntsel_high[i] << 32;
}

static uint64_t permitted_bits(uint32_t map)
{
	if (map & RDPMC_FIXED)
		return FIXED_PERMITTED;
	return registers->select == MSR_LEGACY_PERFEVTSEL0 ||
			       registers->select == MSR_CORE_PERFEVTSEL0 ?
		       SELECT_PERMITTED | EVENTSEL_EVENT_HIGH :
		       SELECT_PERMITTED;
}

static bool is_valid(const struct perfctr_cpu_control *control, unsigned int i)
{
	uint64_t select = select_of(control, i);
	bool is_imode = i >= control->nractrs;

	if (!exists(control->pmc_map[i]) || (select & ~permitted_bits(control->pmc_map[i])))
		return false;
	if (!(select & EVENTSEL_EN) || !(select & (EVENTSEL_USR | EVENTSEL_OS)))
		return false;
	return !!(select & EVENTSEL_INT) == is_imode && (!is_imode || control->ireset[i] < 0);
}

int arch_perfctr_check(const struct perfctr_cpu_control *control)
{
	for (unsigned int i = 0; i < control->nractrs + control->nrictrs; i++)
		if (!is_valid(control, i))
			return -EINVAL;
	return 0;
}

bool arch_perfctr_counts_kernel(const struct perfctr_cpu_control *control)
{
	for (unsigned int i = 0; i < control->nractrs + control->nrictrs; i++)
		if (control->evntsel[i] & EVENTSEL_OS)
			return true;
	return false;
}

/* --- registers --- */

inline uint32_t arch_perfctr_read(uint32_t map)
{
	return (uint32_t)pmc_read(map);
}

inline uint32_t arch_perfctr_tsc(void)
{
	return (uint32_t)tsc_read();
}

int32_t arch_perfctr_write(uint32_t map, int32_t value)
{
	uint64_t wide = (uint64_t)(int64_t)value & UINT64_MAX >> (64 - width_of(map));

	if (map & RDPMC_FIXED)
		msr_write(registers->fixed + (map & ~RDPMC_FIXED), wide);
	else
		msr_write(registers->general + (map << registers->general_shift),
			  registers->writes_sign_extended ? (uint32_t)value : wide);
	return value;
}

static void write_select(struct perfctr_x86 *cpu, uint32_t index, uint64_t select)
{
	if (cpu->select[index] == select)
		return;
	cpu->select[index] = select;
	msr_write(registers->select + (index << registers->general_shift), select);
}

/* Lets COUNTERS count and no others; the selects of those that start are written. */
static void let_count(struct perfctr_x86 *cpu, uint64_t counters)
{
	uint64_t stopped = cpu->counting & ~counters;

	if (cpu->counting == counters)
		return;
	cpu->counting = counters;
	if (registers->global_control) {
		msr_write(registers->global_control, counters);
		return;
	}
	for (stopped &= ((uint64_t)1 << FIXED_INDEX) - 1; stopped; stopped &= stopped - 1) {
		uint32_t index = (uint32_t)__builtin_ctzll(stopped);

		write_select(cpu, index, cpu->select[index] & ~EVENTSEL_EN);
	}
}

/* Makes the i-mode counters of CONTROL known to the NMI. Before the first of them counts: its NMI may come at once. */
static void expect_overflows(struct perfctr_x86 *cpu, const struct perfctr_cpu_control *control)
{
	uint64_t interrupting = 0;

	for (unsigned int i = control->nractrs; i < control->nractrs + control->nrictrs; i++)
		interrupting |= counter_bit(control->pmc_map[i]);
	atomic_store(&cpu->served, 0);
	atomic_store(&cpu->interrupting, interrupting);
	atomic_signal_fence(memory_order_seq_cst);
}

void arch_perfctr_start(const struct perfctr_cpu_control *control)
{
	struct perfctr_x86 *cpu = &this_cpu(cpus);
	uint64_t fixed = 0, counters = 0;

	if (!registers->global_status)
		expect_overflows(cpu, control);
	for (unsigned int i = 0; i < control->nractrs + control->nrictrs; i++) {
		uint32_t map = control->pmc_map[i];

		counters |= counter_bit(map);
		if (map & RDPMC_FIXED)
			fixed |= fixed_ctrl_field(select_of(control, i))
				 << FIXED_CTRL_SHIFT(map & ~RDPMC_FIXED);
		else
			write_select(cpu, map, select_of(control, i));
	}
	if (fixed && cpu->fixed_control != fixed) {
		cpu->fixed_control = fixed;
		msr_write(registers->fixed_control, fixed);
	}
	let_count(cpu, counters);
}

/* Returns the i-mode counters that are no longer negative and whose overflow was not served. Without a global status:
 * only general counters exist. */
static uint64_t find_unserved(const struct perfctr_x86 *cpu)
{
	uint64_t unserved = 0;

	for (uint64_t rest = atomic_load(&cpu->interrupting) & ~atomic_load(&cpu->served); rest;
	     rest &= rest - 1) {
		uint32_t index = (uint32_t)__builtin_ctzll(rest);

		if (!(pmc_read(index) >> (registers->general_width_bits - 1) & 1))
			unserved |= (uint64_t)1 << index;
	}
	return unserved;
}

/* Forgets the i-mode counters, which are stopped. In this order, an NMI at any place either serves an overflow or takes
 * what is owed. */
static void forget_interrupting(struct perfctr_x86 *cpu)
{
	uint64_t late = find_unserved(cpu);

	if (late)
		owed_nmi_add(&cpu->owed, bits_count(late));
	atomic_store(&cpu->interrupting, 0);
	atomic_signal_fence(memory_order_seq_cst);
	if (late)
		owed_nmi_withdraw(&cpu->owed, bits_count(late & atomic_load(&cpu->served)));
}

static void stop(struct perfctr_x86 *cpu, uint64_t counters)
{
	let_count(cpu, cpu->counting & ~counters);
	if (!registers->global_status)
		forget_interrupting(cpu);
}

void arch_perfctr_stop(const struct perfctr_cpu_control *control)
{
	uint64_t counters = 0;

	for (unsigned int i = control->nractrs; i < control->nractrs + control->nrictrs; i++)
		counters |= counter_bit(control->pmc_map[i]);
	stop(&this_cpu(cpus), counters);
}

void arch_perfctr_stop_all(void)
{
	stop(&this_cpu(cpus), UINT64_MAX);
}

/* --- the interrupt --- */

/* Returns the overflows since the last acknowledgement. */
static uint64_t read_overflows(const struct perfctr_x86 *cpu)
{
	return registers->global_status ? msr_read(registers->global_status) & registers->counters :
					  find_unserved(cpu);
}

static void acknowledge(struct perfctr_x86 *cpu, uint64_t overflows)
{
	if (registers->global_status)
		msr_write(registers->global_clear, overflows);
	else
		atomic_fetch_or(&cpu->served, overflows);
}

static bool handle_nmi(struct trap_frame *frame)
{
	struct perfctr_x86 *cpu = &this_cpu(cpus);
	uint64_t now_ns = clock_ns();
	uint64_t overflows = read_overflows(cpu);
	unsigned int served = 0;

	for (unsigned int round = 0; overflows && round < PMI_ROUNDS_MAX; round++) {
		acknowledge(cpu, overflows);
		served += bits_count(overflows);
		overflow(arch_frame_ip(frame));
		/* Counters may count again. Before the last look, so that no overflow goes without an NMI. */
		apic_pmi_unmask();
		overflows = read_overflows(cpu);
	}
	if (!owed_nmi_take(&cpu->owed, served, now_ns))
		return false;
	if (!served)
		apic_pmi_unmask();
	return true;
}

/* --- change of hands --- */

void arch_perfctr_start_cpu(void)
{
	this_cpu(cpus) = (struct perfctr_x86){ 0 };
	counters_clear();
}

void arch_perfctr_take(void (*handler)(unsigned long pc))
{
	overflow = handler;
	counters_lend_interrupt(handle_nmi);
}

void arch_perfctr_leave(void)
{
	counters_take_interrupt_back(handle_nmi);
}
