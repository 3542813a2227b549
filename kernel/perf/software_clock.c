/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clocks among the software events: cpu-clock and task-clock, in nanoseconds.
 *
 * Both count while they are active, which is while their CPU or their task runs; they differ in name only, as
 * on Linux. For the arithmetic of counter.c each is a counter 64 bits wide that counts nanoseconds by itself.
 * It cannot be written, so "writing" it means to remember its value. An operation of the scheduler happens at
 * one moment (perf_cpu_clock_ns), so a clock's count is exactly its time_running.
 *
 * A clock cannot interrupt; a timer samples, at intervals of at least MIN_PERIOD_NS. The CPU time of these
 * samples is limited with that of all interrupts (throttle.c).
 */
#include <kernel/perf/software_clock.h>

#include <arch/task.h>
#include <kernel/perf/context.h>
#include <kernel/perf/counter.h>
#include <kernel/perf/cpu.h>
#include <kernel/perf/event.h>
#include <kernel/perf/overflow.h>
#include <kernel/perf/pmu.h>
#include <kernel/perf/throttle.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>

/* The shortest time between two samples (Linux: perf_swevent_start_hrtimer). */
#define MIN_PERIOD_NS	 10000

#define CLOCK_WIDTH_BITS 64

static uint64_t read_clock(struct perf_event *event)
{
	return perf_cpu_clock_ns(&this_cpu(perf_cpus));
}

static void clock_read(struct perf_event *event)
{
	if (!(event->hw.flags & HW_STOPPED))
		pmu_event_update(event, read_clock, CLOCK_WIDTH_BITS);
}

/* --- sampling --- */

static void arm(struct perf_event *event)
{
	uint64_t due_ns = read_clock(event) + event->sampling.next_at - atomic_load(&event->count);
	/* From the present time, not from the moment of this operation: a sample may take longer than the
	 * shortest period, and the CPU must get other work done between two. */
	uint64_t earliest_ns = clock_ns() + MIN_PERIOD_NS;

	if ((int64_t)(due_ns - earliest_ns) < 0)
		due_ns = earliest_ns;
	timer_arm(&event->hw.timer, due_ns);
}

static bool is_excluded(const struct perf_event *event, const struct trap_frame *frame)
{
	if (event->attr.exclude_idle && !task_current()->space)
		return true;
	return arch_frame_is_user(frame) ? event->attr.exclude_user : event->attr.exclude_kernel;
}

/* Runs on the event's CPU, interrupts off. The event is active: clock_del cancels the timer. */
static void sample_timer_fire(struct timer *timer)
{
	struct perf_event *event = __containerof(timer, struct perf_event, hw.timer);
	struct trap_frame *frame = arch_interrupt_frame();
	struct perf_sampling *sampling = &event->sampling;
	uint64_t start_ns = clock_ns();
	bool stop = false;

	clock_read(event);
	sampling->last_period = sampling->period;
	uint64_t count = atomic_load(&event->count);
	sampling->next_at += sampling->period;
	if ((int64_t)(sampling->next_at - count) <= 0)
		sampling->next_at = count + sampling->period;

	if (frame && !is_excluded(event, frame))
		stop = perf_event_overflow(event, frame);
	if (stop)
		event->pmu->stop(event, PMU_UPDATE);
	else
		arm(event);
	perf_interrupt_took(start_ns);
}

static void init_sampling(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	timer_init(&event->hw.timer, sample_timer_fire);
	if (!attr->freq)
		return;
	/* A frequency is a period where the events are nanoseconds. */
	attr->freq = 0;
	attr->sample_period = NSEC_PER_SEC / attr->sample_freq;
	event->sampling.period = attr->sample_period;
	event->sampling.last_period = attr->sample_period;
	event->sampling.next_at = attr->sample_period;
}

/* --- the driver, the same for both --- */

static int clock_event_init(struct perf_event *event, uint64_t config)
{
	struct perf_event_attr *attr = &event->attr;

	if ((attr->type != PERF_TYPE_SOFTWARE && attr->type != event->pmu->type) ||
	    attr->config != config)
		return -ENOENT;
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	if (perf_event_is_sampling(event))
		init_sampling(event);
	/* The clock's own type can open it, too, and MODIFY_ATTRIBUTES compares types. */
	attr->type = event->pmu->type;
	return 0;
}

static int cpu_clock_event_init(struct perf_event *event)
{
	return clock_event_init(event, PERF_COUNT_SW_CPU_CLOCK);
}

static int task_clock_event_init(struct perf_event *event)
{
	return clock_event_init(event, PERF_COUNT_SW_TASK_CLOCK);
}

static void clock_start(struct perf_event *event, int flags)
{
	struct hw_event *hw = &event->hw;

	if (hw->flags & HW_STOPPED) {
		hw->offset = atomic_load(&event->count) - read_clock(event);
		hw->flags = 0;
	}
	if (perf_event_is_sampling(event))
		arm(event);
}

static void clock_stop(struct perf_event *event, int flags)
{
	if (perf_event_is_sampling(event))
		timer_cancel(&event->hw.timer);
	clock_read(event);
	event->hw.flags = HW_STOPPED | HW_UPTODATE;
}

static int clock_add(struct perf_event *event, int flags)
{
	event->hw.flags = HW_STOPPED | HW_UPTODATE;
	if (flags & PMU_START)
		clock_start(event, PMU_RELOAD);
	return 0;
}

static void clock_del(struct perf_event *event, int flags)
{
	clock_stop(event, PMU_UPDATE);
}

static struct pmu cpu_clock_pmu = {
	.name = "cpu_clock",
	.capabilities = PMU_SOFTWARE | PMU_HIDDEN | PMU_NO_NMI,
	.event_init = cpu_clock_event_init,
	.add = clock_add,
	.del = clock_del,
	.start = clock_start,
	.stop = clock_stop,
	.read = clock_read,
};

static struct pmu task_clock_pmu = {
	.name = "task_clock",
	.capabilities = PMU_SOFTWARE | PMU_HIDDEN | PMU_NO_NMI,
	.event_init = task_clock_event_init,
	.add = clock_add,
	.del = clock_del,
	.start = clock_start,
	.stop = clock_stop,
	.read = clock_read,
};

void perf_software_clock_init(void)
{
	perf_pmu_register(&cpu_clock_pmu, -1);
	perf_pmu_register(&task_clock_pmu, -1);
}
