/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfctr's low-level API: the half that does not depend on the CPU.
 *
 * A counter's total is `sum` and what the hardware has counted since `start`: an a-mode counter is never set here. A
 * reading has 32 bits, or the counter's width if that is less, and differences are modulo that; so a state is
 * sampled before a counter has counted so much. `start` of a narrow counter is its value with the sign extended.
 *
 * An i-mode counter holds a negative number, of which `start` has the low 32 bits, and overflows at 0. The counters
 * of a suspended state may keep their values on that CPU (suspended_cpu): the next resume there need not write
 * them, if no other state has run meanwhile (values_id).
 *
 * A suspension can come between an overflow and its interrupt: it finds the counter at 0 or above. Then the next resume
 * starts the counter at -1, or as near to 0 as it can be set: the overflow comes with the next event, or those few, and
 * no count is lost.
 *
 * Locks: none. A state belongs to its high-level driver, and `cached` to the CPU, interrupts off.
 */
#include <kernel/perfctr/perfctr.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <arch/perfctr.h>
#include <kernel/base/assert.h>
#include <kernel/base/cpu.h>
#include <kernel/base/smp.h>
#include <kernel/pmu/reserve.h>
#include <uapi/linux/errno.h>

/* Ids of states; 0: none. */
struct perfctr_cached {
	unsigned int control_id; /* whose counters count */
	unsigned int values_id;	 /* whose values the counters have */
} CACHE_ALIGNED;

static PERCPU(struct perfctr_cached, cached);

const char *perfctr_cpu_name;
struct perfctr_hardware perfctr_cpu_hardware;

static _Atomic unsigned int last_id;
static perfctr_ihandler_t _Atomic ihandler;
static const char *_Atomic
	holder; /* the high-level driver; changes under the reservation's mutex or by its holder */

/* --- the hardware --- */

int perfctr_cpu_init(void)
{
	if (!arch_perfctr_find(&perfctr_cpu_hardware))
		return -ENODEV;
	if (perfctr_cpu_hardware.counters > PERFCTR_COUNTERS_MAX)
		perfctr_cpu_hardware.counters = PERFCTR_COUNTERS_MAX;
	perfctr_cpu_name = perfctr_cpu_hardware.name;
	return 0;
}

void perfctr_cpu_exit(void)
{
	perfctr_cpu_name = NULL;
}

static void handle_overflow(unsigned long pc)
{
	perfctr_ihandler_t handler = atomic_load(&ihandler);

	if (handler)
		handler(pc);
}

static void start_here(void *unused)
{
	(void)unused;
	arch_perfctr_start_cpu();
}

static struct pmu_service service = { .name = "perfctr" };

const char *perfctr_cpu_reserve(const char *name)
{
	const char *other = pmu_reserve(&service), *none = NULL;

	if (other)
		return other;
	if (atomic_compare_exchange_strong(&holder, &none, name)) {
		memset(cached, 0, sizeof(cached));
		arch_perfctr_take(handle_overflow);
		smp_call_all(start_here, NULL);
		return NULL;
	}
	pmu_release(&service);
	return none;
}

void perfctr_cpu_release(const char *name)
{
	ASSERT(strcmp(atomic_load(&holder), name) == 0);
	smp_call_all(start_here, NULL);
	arch_perfctr_leave();
	atomic_store(&ihandler, NULL);
	atomic_store(&holder, NULL);
	pmu_release(&service);
}

/* A CPU that comes on line knows nothing of what its counters held. */
void perfctr_cpu_starts(void)
{
	this_cpu(cached) = (struct perfctr_cached){ 0 };
	if (atomic_load(&holder))
		arch_perfctr_start_cpu();
}

void perfctr_cpu_set_ihandler(perfctr_ihandler_t handler)
{
	atomic_store(&ihandler, handler);
}

/* --- control --- */

/* Whether the maps of the first COUNT counters differ. */
static bool maps_are_unique(const struct perfctr_cpu_control *control, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		for (unsigned int j = 0; j < i; j++)
			if (control->pmc_map[i] == control->pmc_map[j])
				return false;
	return true;
}

int perfctr_cpu_check_control(const struct perfctr_cpu_control *control, int is_global)
{
	unsigned int most = perfctr_cpu_hardware.counters;

	if (control->nractrs > most || control->nrictrs > most - control->nractrs)
		return -EINVAL;
	/* A signal needs a task. */
	if (is_global && control->nrictrs)
		return -EINVAL;
	if (!maps_are_unique(control, control->nractrs + control->nrictrs))
		return -EINVAL;
	return arch_perfctr_check(control);
}

int perfctr_cpu_update_control(struct perfctr_cpu_state *state, int is_global)
{
	const struct perfctr_cpu_control *control = &state->control;
	unsigned int count;
	int error;

	state->cstatus = 0;
	state->id = 0;
	error = perfctr_cpu_check_control(control, is_global);
	if (error)
		return error;
	count = control->nractrs + control->nrictrs;
	for (unsigned int i = 0; i < count; i++) {
		state->pmc[i].map = control->pmc_map[i];
		if (i >= control->nractrs)
			state->pmc[i].start = (unsigned int)control->ireset[i];
	}
	do {
		state->id = atomic_fetch_add(&last_id, 1) + 1;
	} while (!state->id);
	state->suspended_cpu = -1;
	state->counts_kernel = arch_perfctr_counts_kernel(control);
	state->cstatus = perfctr_mk_cstatus(control->tsc_on, control->nractrs, control->nrictrs);
	return 0;
}

/* --- arithmetic --- */

/* Returns READING, of which the counter's width counts, with the sign extended. */
static uint32_t extend(uint32_t reading)
{
	unsigned int width_bits = perfctr_cpu_hardware.width_bits;
	unsigned int unused = width_bits < 32 ? 32 - width_bits : 0;

	return (uint32_t)((int32_t)(reading << unused) >> unused);
}

/* Returns how far a counter has come from START to NOW, both extended. */
static uint32_t difference(uint32_t now, uint32_t start)
{
	unsigned int width_bits = perfctr_cpu_hardware.width_bits;

	return (now - start) & (width_bits < 32 ? (1u << width_bits) - 1 : UINT32_MAX);
}

static inline void update_tsc(struct perfctr_cpu_state *state)
{
	uint32_t now = arch_perfctr_tsc();

	state->tsc_sum += (uint32_t)(now - state->tsc_start);
	state->tsc_start = now;
}

static inline void update_counter(struct perfctr_cpu_state *state, unsigned int i)
{
	uint32_t now = extend(arch_perfctr_read(state->pmc[i].map));

	state->pmc[i].sum += difference(now, state->pmc[i].start);
	state->pmc[i].start = now;
}

/* Updates the sums of all counters of STATE, and the start values of the a-mode counters and of those i-mode
 * counters that are stopped. */
static inline void update(struct perfctr_cpu_state *state)
{
	unsigned int count = perfctr_cstatus_nrctrs(state->cstatus);

	if (perfctr_cstatus_has_tsc(state->cstatus))
		update_tsc(state);
	for (unsigned int i = 0; i < count; i++)
		update_counter(state, i);
}

/* --- running --- */

void perfctr_cpu_suspend(struct perfctr_cpu_state *state)
{
	bool is_narrow = perfctr_cpu_hardware.width_bits < 32;

	/* A narrow a-mode counter interrupts too, and a state that does not run needs no interrupt. Another task that
	 * may execute RDPMC must not count the kernel's part of its own work with a counter that goes on. */
	if (perfctr_cstatus_has_ictrs(state->cstatus) || is_narrow || state->counts_kernel) {
		if (state->counts_kernel)
			arch_perfctr_stop_all();
		else
			arch_perfctr_stop(&state->control);
		state->suspended_cpu = (int)cpu_id();
		this_cpu(cached).control_id = 0;
	}
	update(state);
}

static void load_start_values(struct perfctr_cpu_state *state, bool are_loaded)
{
	unsigned int count = perfctr_cstatus_nrctrs(state->cstatus);

	for (unsigned int i = perfctr_cstatus_nractrs(state->cstatus); i < count; i++) {
		bool is_overflown = (int)state->pmc[i].start >= 0;

		if (is_overflown)
			state->pmc[i].start = (unsigned int)-1;
		if (is_overflown || !are_loaded)
			state->pmc[i].start = (unsigned int)arch_perfctr_write(
				state->pmc[i].map, (int)state->pmc[i].start);
	}
}

/* Gives the counters to STATE, which has some. */
static void resume_counters(struct perfctr_cpu_state *state)
{
	struct perfctr_cached *cpu = &this_cpu(cached);
	unsigned int a_mode = perfctr_cstatus_nractrs(state->cstatus);

	if (perfctr_cstatus_has_ictrs(state->cstatus)) {
		bool are_loaded = state->suspended_cpu == (int)cpu_id() &&
				  cpu->values_id == state->id;

		/* The counters that another state left counting must not change the start values. */
		if (!are_loaded)
			arch_perfctr_stop_all();
		load_start_values(state, are_loaded);
		cpu->control_id = 0;
	}
	if (cpu->control_id != state->id)
		arch_perfctr_start(&state->control);
	cpu->control_id = cpu->values_id = state->id;
	for (unsigned int i = 0; i < a_mode; i++)
		state->pmc[i].start = extend(arch_perfctr_read(state->pmc[i].map));
}

void perfctr_cpu_resume(struct perfctr_cpu_state *state)
{
	if (perfctr_cstatus_nrctrs(state->cstatus))
		resume_counters(state);
	if (perfctr_cstatus_has_tsc(state->cstatus))
		state->tsc_start = arch_perfctr_tsc();
}

void perfctr_cpu_sample(struct perfctr_cpu_state *state)
{
	update(state);
}

/* --- overflows --- */

unsigned int perfctr_cpu_identify_overflow(struct perfctr_cpu_state *state)
{
	unsigned int count = perfctr_cstatus_nrctrs(state->cstatus), overflown = 0;

	for (unsigned int i = perfctr_cstatus_nractrs(state->cstatus); i < count; i++) {
		if ((int)state->pmc[i].start < 0)
			continue;
		state->pmc[i].start = (unsigned int)state->control.ireset[i];
		overflown |= 1u << i;
	}
	return overflown;
}

void perfctr_cpu_ireload(struct perfctr_cpu_state *state)
{
	state->suspended_cpu = -1;
}
