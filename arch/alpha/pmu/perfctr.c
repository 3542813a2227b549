/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfctr's low level on the EV67: two counters of 20 bits, which count in every mode and always interrupt.
 *
 * Each overflow of an a-mode counter interrupts, too: perfctr then finds no overflown i-mode counter and goes on, with
 * its sums updated. A start sets an a-mode counter to half its range. So no range of the counter is missed, however
 * late the interrupt is, up to the other half.
 *
 * One field, SL1, selects the events of both counters (HRM table 6-11); it is the control data of each counter, and
 * must be the same for both.
 */
#include <arch/perfctr.h>

#include <stddef.h>

#include <arch/task.h>
#include <machine/perfmon.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perfctr.h>

#include "ev67_registers.h"
#include "init.h"

#define SL1_MAX	      3u
/* The SL1 under which counter 1 counts nothing. */
#define SL1_COUNTER_0 1u

/* How near to its overflow each counter may be set (HRM 6.10.2.1), and how far. */
static const int nearest[EV67_COUNTERS] = { -16, -4 };
#define FARTHEST (-(1 << (EV67_WIDTH_BITS - 1)))

static void (*overflow)(unsigned long pc); /* constant while perfctr has the counters */
static bool is_there;			   /* constant after arch_perfctr_find */

bool arch_perfctr_find(struct perfctr_hardware *hardware)
{
	is_there = cpu_is_ev67() && wrperfmon(PERFMON_DISABLE, EV67_ALL_COUNTERS) == 1;
	*hardware = (struct perfctr_hardware){ .name = "EV67",
					       .counters = EV67_COUNTERS,
					       .width_bits = EV67_WIDTH_BITS };
	return is_there;
}

static bool is_valid(const struct perfctr_cpu_control *control, unsigned int i)
{
	unsigned int map = control->pmc_map[i], select = control->evntsel[i];

	if (map >= EV67_COUNTERS || select > SL1_MAX || select != control->evntsel[0] ||
	    control->evntsel_high[i] || (map == 1 && select == SL1_COUNTER_0))
		return false;
	return i < control->nractrs ||
	       (control->ireset[i] >= FARTHEST && control->ireset[i] <= nearest[map]);
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
	return control->nractrs + control->nrictrs > 0;
}

uint32_t arch_perfctr_read(uint32_t map)
{
	return (uint32_t)(wrperfmon(PERFMON_READ, 0) >> PCTR_CTL_SHIFT(map) & EV67_COUNTER_MASK);
}

uint32_t arch_perfctr_tsc(void)
{
	return cycles_read();
}

/* Returns wrperfmon's argument to set counter MAP to VALUE. */
static uint64_t value_argument(uint32_t map, int32_t value)
{
	return ((uint64_t)value & EV67_COUNTER_MASK) << PCTR_CTL_SHIFT(map) | 1ul << map;
}

int32_t arch_perfctr_write(uint32_t map, int32_t value)
{
	if (value > nearest[map])
		value = nearest[map];
	wrperfmon(PERFMON_WRITE, value_argument(map, value));
	return value;
}

void arch_perfctr_stop_all(void)
{
	wrperfmon(PERFMON_DISABLE, EV67_ALL_COUNTERS);
}

void arch_perfctr_start(const struct perfctr_cpu_control *control)
{
	unsigned int counters = 0;
	uint64_t values = 0;

	for (unsigned int i = 0; i < control->nractrs + control->nrictrs; i++) {
		counters |= 1u << control->pmc_map[i];
		if (i < control->nractrs)
			values |= value_argument(control->pmc_map[i], FARTHEST);
	}
	/* SL1 and the values are not to be changed while a counter counts. */
	arch_perfctr_stop_all();
	wrperfmon(PERFMON_SELECT, (uint64_t)control->evntsel[0] << PCTR_CTL_SL1_SHIFT);
	if (values)
		wrperfmon(PERFMON_WRITE, values);
	wrperfmon(PERFMON_ENABLE, counters);
}

void arch_perfctr_stop(const struct perfctr_cpu_control *control)
{
	(void)control;
	arch_perfctr_stop_all();
}

static bool serve(struct trap_frame *frame)
{
	overflow(arch_frame_ip(frame));
	return true;
}

void arch_perfctr_start_cpu(void)
{
	arch_perfctr_stop_all();
	wrperfmon(PERFMON_OPTIONS, 0);
	/* Also forgets overflows. */
	wrperfmon(PERFMON_WRITE, EV67_ALL_COUNTERS);
}

void arch_perfctr_take(void (*handler)(unsigned long pc))
{
	overflow = handler;
	ev67_lend_interrupt(serve);
}

void arch_perfctr_leave(void)
{
	ev67_take_interrupt_back(serve);
}
