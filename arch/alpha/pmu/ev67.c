// SPDX-License-Identifier: BSD-2-Clause
/*
 * The driver of the EV67's two counters: in aggregate mode (HRM 6.10.2), and the part that ProfileMe's PMU,
 * profileme.c, shares with it.
 *
 * They have 20 bits, of which fast code uses up thousands of ranges in a second, and share one interrupt, at
 * IPL 6, with the number of the counter that overflowed. Counts are exact all the same, by the arithmetic of
 * kernel/perf/counter.c: a counter holds minus the remainder of the period, and never more than half its
 * range, so that it overflows, and interrupts, when another half is still to go before anything is lost. The
 * interrupt does not itself count a wrap: it updates, as every read does, and the later of the two finds
 * nothing left to update.
 *
 * The interrupt may come late, because interrupts were off at its overflow, or not at all, because the
 * counter was given to another event meanwhile. An update never misses it. A sample that is due by then and
 * was not taken stays due: the event's counter is set to overflow as soon as it can.
 *
 * The interrupt may also come anywhere in this driver, if interrupts are off by an IPL lower than 6. Hence
 *
 *  - Task context changes counters only while the PMU is disabled (`disabled` > 0) or while the counter is
 *    not in `running`. An interrupt can still come then, for an earlier overflow; it ignores an event that is
 *    HW_STOPPED.
 *  - `running` is the set of counters that are to count; it changes atomically. The interrupt takes bits out,
 *    never puts them in, and leaves the counters as `running` and `disabled` say.
 *  - A write to a counter forgets an overflow that its last owner left behind (in PALcode).
 *
 * A counter whose event excludes the kernel is disabled whenever the kernel runs (ev67.h). Its value is in
 * memory then, and updates and settings use that. Only the kernel itself can change it: the entry from user
 * mode that finds its overflows serves them, and its interrupt has nothing to do.
 *
 * A ProfileMe event has both counters for itself. Counter 0 overflows when it has chosen an instruction, and
 * then describes that one until it is written again. So for updates it stands at its overflow from then on.
 *
 * User mode cannot read the counters: the mapped page has index 0, and the reader calls read().
 */
#include "ev67.h"

#include <kernel/base/assert.h>
#include <kernel/base/cpu.h>
#include <kernel/base/log.h>
#include <kernel/perf/counter.h>
#include <kernel/perf/event.h>
#include <kernel/perf/overflow.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/throttle.h>
#include <kernel/perf/userpage.h>
#include <kernel/time/time.h>
#include <machine/perfmon.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/perf_event.h>

#include "ev67_events.h"
#include "profileme.h"

/* Half the range: as much is left when the counter overflows. */
#define PERIOD_MAX ((uint64_t)1 << (EV67_WIDTH_BITS - 1))

/* How near to its overflow each counter may be set (HRM 6.10.2.1). */
static const uint64_t period_min[EV67_COUNTERS] = { 16, 4 };

/* One CPU's state. Task context changes it on that CPU, interrupts off, PMU disabled. The interrupt reads it,
 * and changes `running`, `disabled` and user_values. */
struct ev67_cpu {
	struct perf_event *events[EV67_COUNTERS];
	unsigned int select;	       /* SL0 and SL1, as last written */
	_Atomic unsigned int running;  /* counters that are to count */
	_Atomic unsigned int disabled; /* depth of pmu_disable */
	/* For events of user mode only: their counters; those started on the last exit path; their values. */
	unsigned int user, user_started;
	uint64_t user_values[EV67_COUNTERS];
} CACHE_ALIGNED;

static PERCPU(struct ev67_cpu, ev67_cpus);

static struct ev67_cpu *this_ev67_cpu(void)
{
	return &this_cpu(ev67_cpus);
}

static bool is_idle(const struct ev67_cpu *cpu)
{
	return !cpu->events[0] && !cpu->events[1];
}

/* --- registers --- */

static bool is_of_user_mode(const struct perf_event *event)
{
	return event->attr.exclude_kernel;
}

/* Returns the counters that EVENT has. */
static unsigned int counters_of(const struct perf_event *event)
{
	return ev67_is_profile(event->hw.config) ? EV67_ALL_COUNTERS :
						   1u << event->hw.counter.index;
}

/* Sets EVENT's counter; where it has both, sets the other one to 0. */
static void write_counter(const struct perf_event *event, uint64_t value)
{
	if (is_of_user_mode(event))
		this_ev67_cpu()->user_values[event->hw.counter.index] = value;
	else
		wrperfmon(PERFMON_WRITE,
			  value << PCTR_CTL_SHIFT(event->hw.counter.index) | counters_of(event));
}

/* Returns the value of COUNTER in CONTROL, PCTR_CTL as it was read. */
static uint64_t value_in(uint64_t control, unsigned int counter)
{
	return control >> PCTR_CTL_SHIFT(counter) & EV67_COUNTER_MASK;
}

static uint64_t read_raw(struct perf_event *event)
{
	uint64_t value;

	if (is_of_user_mode(event))
		return this_ev67_cpu()->user_values[event->hw.counter.index];
	value = value_in(wrperfmon(PERFMON_READ, 0), (unsigned int)event->hw.counter.index);
	/* It is set in the upper half of its range, and a window is shorter than the lower half. */
	if (ev67_is_profile(event->hw.config) && value < PERIOD_MAX)
		return 0;
	return value;
}

static void disable_counters(unsigned int counters)
{
	wrperfmon(PERFMON_DISABLE, counters);
}

/* Starts the counters in `running`, unless the PMU is disabled. */
static void resume(struct ev67_cpu *cpu)
{
	unsigned int counters = atomic_load(&cpu->running) & ~cpu->user, stale;

	if (!counters || atomic_load(&cpu->disabled))
		return;
	wrperfmon(PERFMON_ENABLE, counters);
	/* An interrupt came before that and stopped one. */
	stale = counters & ~atomic_load(&cpu->running);
	if (stale)
		disable_counters(stale);
}

static void select_events(struct ev67_cpu *cpu, unsigned int select)
{
	if (cpu->select == select)
		return;
	cpu->select = select;
	wrperfmon(PERFMON_SELECT, select);
}

/* --- struct pmu --- */

static int ev67_event_init(struct perf_event *event)
{
	int error = ev67_event_translate(event);

	if (error)
		return error;
	event->hw.counter.index = -1;
	return 0;
}

static void disable_pmu(struct pmu *pmu)
{
	struct ev67_cpu *cpu = this_ev67_cpu();

	(void)pmu;
	if (atomic_fetch_add(&cpu->disabled, 1) == 0 && !is_idle(cpu))
		disable_counters(EV67_ALL_COUNTERS);
}

static void enable_pmu(struct pmu *pmu)
{
	struct ev67_cpu *cpu = this_ev67_cpu();

	(void)pmu;
	ASSERT(atomic_load(&cpu->disabled) > 0);
	if (atomic_fetch_sub(&cpu->disabled, 1) == 1)
		resume(cpu);
}

static void update(struct perf_event *event)
{
	pmu_event_update(event, read_raw, EV67_WIDTH_BITS);
}

/* Starts the next period of EVENT, updated and not counting. EXPIRED: as for pmu_event_set_period. */
static void begin_period(struct perf_event *event, bool *expired)
{
	/* The counts of the exit path make it more than the least in any case. */
	uint64_t least = is_of_user_mode(event) ? 1 : period_min[event->hw.counter.index];

	write_counter(event,
		      pmu_event_set_period(event, EV67_WIDTH_BITS, PERIOD_MAX, least, expired));
}

/* Lets EVENT, whose counter is set, count when the PMU is next enabled. */
static void let_run(struct ev67_cpu *cpu, struct perf_event *event)
{
	event->hw.flags = 0;
	atomic_fetch_or(&cpu->running, counters_of(event));
	resume(cpu);
}

static void start(struct perf_event *event, int flags)
{
	if (!(event->hw.flags & HW_STOPPED))
		return;
	if (flags & PMU_RELOAD) {
		begin_period(event, NULL);
		perf_userpage_update(event);
	}
	let_run(this_ev67_cpu(), event);
}

static void stop(struct perf_event *event, int flags)
{
	struct ev67_cpu *cpu = this_ev67_cpu();

	if (!(event->hw.flags & HW_STOPPED)) {
		atomic_fetch_and(&cpu->running, ~counters_of(event));
		if (!atomic_load(&cpu->disabled))
			disable_counters(counters_of(event));
		event->hw.flags |= HW_STOPPED;
	}
	if ((flags & PMU_UPDATE) && !(event->hw.flags & HW_UPTODATE)) {
		update(event);
		event->hw.flags |= HW_UPTODATE;
	}
}

static void set_user(struct ev67_cpu *cpu, unsigned int counters)
{
	if (cpu->user == counters)
		return;
	cpu->user = counters;
	perfmon_use_in_user_mode(counters);
}

static void leave_counter(struct ev67_cpu *cpu, struct perf_event *event)
{
	stop(event, PMU_UPDATE);
	cpu->events[event->hw.counter.index] = NULL;
	set_user(cpu, cpu->user & ~(1u << event->hw.counter.index));
	event->hw.counter.index = -1;
}

/* EVENT is HW_STOPPED. */
static void take_counter(struct ev67_cpu *cpu, struct perf_event *event, int counter)
{
	event->hw.counter.index = counter;
	cpu->events[counter] = event;
	if (is_of_user_mode(event))
		set_user(cpu, cpu->user | 1u << counter);
}

/* Moves EVENT to COUNTER: the neighbour's event needs an SL1 that puts EVENT there. */
static void move(struct ev67_cpu *cpu, struct perf_event *event, int counter)
{
	bool was_running = !(event->hw.flags & HW_STOPPED);

	leave_counter(cpu, event);
	take_counter(cpu, event, counter);
	begin_period(event, NULL);
	perf_userpage_update(event);
	if (was_running)
		let_run(cpu, event);
}

static int add(struct perf_event *event, int flags)
{
	struct ev67_cpu *cpu = this_ev67_cpu();
	struct perf_event *neighbour = cpu->events[0] ? cpu->events[0] : cpu->events[1];
	uint64_t events[EV67_COUNTERS] = { event->hw.config };
	struct ev67_placement placement;

	ASSERT(atomic_load(&cpu->disabled) > 0);
	if (cpu->events[0] && cpu->events[1])
		return -EAGAIN;
	if (neighbour)
		events[1] = neighbour->hw.config;
	if (!ev67_place(events, neighbour ? 2 : 1, &placement))
		return -EAGAIN;

	if (neighbour && neighbour->hw.counter.index != placement.counter[1])
		move(cpu, neighbour, placement.counter[1]);
	select_events(cpu, placement.select);
	event->hw.flags = HW_STOPPED | HW_UPTODATE;
	take_counter(cpu, event, placement.counter[0]);
	/* The core updates the user page after the event's state has changed, here and in del. */
	if (flags & PMU_START) {
		begin_period(event, NULL);
		let_run(cpu, event);
	}
	return 0;
}

static void del(struct perf_event *event, int flags)
{
	struct ev67_cpu *cpu = this_ev67_cpu();

	(void)flags;
	ASSERT(atomic_load(&cpu->disabled) > 0);
	leave_counter(cpu, event);
}

static void start_cpu(void)
{
	set_user(this_ev67_cpu(), 0);
	*this_ev67_cpu() = (struct ev67_cpu){ 0 };
	disable_counters(EV67_ALL_COUNTERS);
	wrperfmon(PERFMON_SELECT, 0);
	wrperfmon(PERFMON_OPTIONS, 0);
	/* Also forgets overflows that the console, or another service, left behind. */
	wrperfmon(PERFMON_WRITE, EV67_ALL_COUNTERS);
}

int ev67_pmu_register(struct pmu *pmu, int type)
{
	pmu->start_cpu = start_cpu;
	pmu->pmu_disable = disable_pmu;
	pmu->pmu_enable = enable_pmu;
	pmu->add = add;
	pmu->del = del;
	pmu->start = start;
	pmu->stop = stop;
	pmu->read = update;
	return perf_pmu_register(pmu, type);
}

static struct pmu ev67_pmu = {
	.name = "cpu",
	.formats = ev67_formats,
	.events = ev67_event_names,
	.event_init = ev67_event_init,
};

/* --- the interrupt --- */

/* Reads the registers before the counters are written. */
static struct ev67_profile read_profile(void)
{
	return (struct ev67_profile){ .pmpc = wrperfmon(PERFMON_PMPC, 0),
				      .i_stat = wrperfmon(PERFMON_I_STAT, 0),
				      .pctr_ctl = wrperfmon(PERFMON_READ, 0) };
}

/* Serves the overflow of COUNTER, maybe a late one: its event may have left it or stopped since. */
static void serve_overflow(struct ev67_cpu *cpu, unsigned int counter, struct trap_frame *frame)
{
	struct perf_event *event = cpu->events[counter];
	struct ev67_profile profile = { 0 };
	bool expired, is_profile, is_enough;

	if (!event || (event->hw.flags & HW_STOPPED))
		return;
	is_profile = ev67_is_profile(event->hw.config);
	if (is_profile)
		profile = read_profile();
	update(event);
	begin_period(event, &expired);
	perf_userpage_update(event);
	if (!expired)
		return;
	is_enough = is_profile ? profileme_overflow(event, &profile, frame) :
				 perf_event_overflow(event, frame);
	if (is_enough)
		stop(event, 0);
}

/* PALcode reports counter 0 first. If that one is user mode's, and its entry path makes it overflow each
 * time, no interrupt ever reports COUNTER, the other: serves it, or forgets its overflow where no event
 * counts by it. */
static void serve_unreported(struct ev67_cpu *cpu, unsigned int counter, struct trap_frame *frame)
{
	const struct perf_event *event = cpu->events[counter];
	uint64_t value = value_in(wrperfmon(PERFMON_READ, 0), counter);

	if ((cpu->user >> counter & 1) || value >= PERIOD_MAX)
		return;
	if (event && !(event->hw.flags & HW_STOPPED))
		serve_overflow(cpu, counter, frame);
	else
		wrperfmon(PERFMON_WRITE, value << PCTR_CTL_SHIFT(counter) | 1u << counter);
}

void ev67_pmu_interrupt(uint64_t counter, struct trap_frame *frame)
{
	struct ev67_cpu *cpu = this_ev67_cpu();
	uint64_t start_ns;

	/* First of all, so that as little as possible of this is counted. */
	disable_counters(EV67_ALL_COUNTERS);
	atomic_fetch_add(&cpu->disabled, 1);
	start_ns = clock_ns();
	if (counter < EV67_COUNTERS) {
		unsigned int reported = (unsigned int)counter;

		if (cpu->user >> reported & 1)
			serve_unreported(cpu, reported ^ 1, frame);
		else
			serve_overflow(cpu, reported, frame);
	}
	perf_interrupt_took(start_ns);
	atomic_fetch_sub(&cpu->disabled, 1);
	resume(cpu);
}

/* --- user mode --- */

/* Returns the count of COUNTER for PATH: instructions or cycles. */
static uint64_t path_length(const struct ev67_cpu *cpu, unsigned int counter, struct user_path path)
{
	bool cycles = cpu->events[counter]->hw.config == EV67_CYCLES;

	return path.instructions + (cycles ? path.branches : 0);
}

struct user_start ev67_user_start(struct user_path out)
{
	struct ev67_cpu *cpu = this_ev67_cpu();
	struct user_start start = { 0, atomic_load(&cpu->running) & cpu->user };

	ASSERT(!atomic_load(&cpu->disabled));
	cpu->user_started = start.counters;
	for (unsigned int n = 0; n < EV67_COUNTERS; n++)
		if (start.counters >> n & 1)
			start.argument |= 1ull << n |
					  (cpu->user_values[n] - path_length(cpu, n, out))
						  << PCTR_CTL_SHIFT(n);
	return start;
}

void ev67_user_disabled(struct user_path in)
{
	struct ev67_cpu *cpu = this_ev67_cpu();
	uint64_t control = wrperfmon(PERFMON_READ, 0);

	for (unsigned int n = 0; n < EV67_COUNTERS; n++) {
		uint64_t value = value_in(control, n);

		if (!(cpu->user_started >> n & 1))
			continue;
		cpu->user_values[n] = (value - path_length(cpu, n, in)) & EV67_COUNTER_MASK;
		/* Whether user mode or the path made it overflow, no interrupt is needed any more. */
		if (value < PERIOD_MAX)
			wrperfmon(PERFMON_WRITE, 1u << n);
	}
}

void ev67_user_overflows(struct trap_frame *frame)
{
	struct ev67_cpu *cpu = this_ev67_cpu();
	uint64_t start_ns = clock_ns();
	bool any = false;

	for (unsigned int n = 0; n < EV67_COUNTERS; n++) {
		if (!(cpu->user >> n & 1) || cpu->user_values[n] >= PERIOD_MAX)
			continue;
		serve_overflow(cpu, n, frame);
		any = true;
	}
	if (any)
		perf_interrupt_took(start_ns);
}

/* --- start --- */

bool ev67_pmu_init(void)
{
	/* PALcode without counters, an emulator's for example, does nothing and reports that. */
	if (!cpu_is_ev67() || wrperfmon(PERFMON_DISABLE, EV67_ALL_COUNTERS) != 1)
		return false;
	if (ev67_pmu_register(&ev67_pmu, PERF_TYPE_RAW) < 0)
		return false;
	profileme_pmu_init();
	log_info("PMU: EV67, %u counters of %u bits", EV67_COUNTERS, EV67_WIDTH_BITS);
	return true;
}
