// SPDX-License-Identifier: BSD-2-Clause
/*
 * precision.c - counts while something happens: system calls, page faults, exits to a hypervisor, interrupts. Real
 * CPUs count one event too many for some of these; so a count that is over by a small number for each of them
 * is inexact, and the finding says by how much. A count that is too small is broken: nothing real loses events.
 */
#include "measure.h"
#include "work.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define TIMES	      200
#define INTERRUPTS    4
#define TRIES	      40
#define LONG_PASSES   3000000
#define PERIOD	      4096
#define PMI_PASSES    20000
#define MOST_FOR_EACH 16 /* an excess that something explains */
#define WEAVER                                                                                           \
	"Weaver, Terpstra, Moore: Non-determinism and overcount on modern hardware performance counter " \
	"implementations, ISPASS 2013"

/* Judges GOT, a count of WHAT while THING happened EACH times; 0: an unknown number of times. */
static void explain(struct finding *finding, int64_t expected, int64_t got, int64_t each,
		    const char *what, const char *thing)
{
	int64_t error = got - expected;

	if (error == 0)
		return;
	if (error < 0)
		find_broken(finding,
			    "expected %" PRId64 " %s, got %" PRId64 ": %" PRId64
			    " are lost over %s",
			    expected, what, got, -error, thing);
	else if (each && error % each == 0 && error / each <= MOST_FOR_EACH)
		find_inexact(finding,
			     "%s over by %" PRId64 ", explained by %" PRId64 " for each %s", what,
			     error, error / each, thing);
	else if (!each || error <= MOST_FOR_EACH * each)
		find_inexact(finding, "%s over by %" PRId64 " of %" PRId64 " beside %ss", what,
			     error, expected, thing);
	else
		find_broken(finding, "expected %" PRId64 " %s beside %ss, got %" PRId64, expected,
			    what, thing, got);
}

static void during(struct finding *finding, const struct work *work, const char *thing)
{
	struct measurement m = { 0 };
	int64_t differences[USES_MAX];

	use_instructions(&m, first_counter(), work->run ? RING_USER : RING_KERNEL);
	if (measure_difference(&m, work, TIMES, differences))
		explain(finding, (int64_t)work->instructions * TIMES, differences[0], TIMES,
			"instructions", thing);
	else
		find_broken(finding, "%s", m.message);
}

static void system_calls(struct finding *finding, unsigned int argument)
{
	(void)argument;
	during(finding, &user_syscalls, "system call");
}

static void exits(struct finding *finding, unsigned int in_kernel)
{
	during(finding, in_kernel ? &kernel_exits : &user_exits, "CPUID (an exit to a hypervisor)");
}

static bool touch(struct finding *finding, struct measurement *m, uint64_t pages)
{
	size_t bytes = pages * SPIN_PAGE_BYTES;
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool done;

	if (memory == MAP_FAILED) {
		find_absent(finding, "no memory");
		return false;
	}
	done = measure_user(m, spin_touches, pages, memory);
	munmap(memory, bytes);
	if (!done)
		find_broken(finding, "%s", m->message);
	return done;
}

static void page_faults(struct finding *finding, unsigned int argument)
{
	struct measurement m = { 0 };
	uint64_t first;

	(void)argument;
	use_instructions(&m, first_counter(), RING_USER);
	if (!touch(finding, &m, 1))
		return;
	first = m.uses[0].count;
	if (touch(finding, &m, 1 + TIMES))
		explain(finding, 4 * TIMES, (int64_t)(m.uses[0].count - first), TIMES,
			"instructions", "page fault");
}

/* A timer of 1 ms interrupts the work; its signal is ignored, so that no more code runs in ring 3. */
static void timer_interrupts(struct finding *finding, unsigned int event)
{
	const struct itimerval tick = { { 0, 1000 }, { 0, 1000 } }, none = { { 0, 0 }, { 0, 0 } };
	struct measurement m = { 0 };
	int64_t differences[USES_MAX];
	uint64_t selection;
	bool done;

	if (!shape_event((enum event)event, &selection)) {
		find_absent(finding, "the event is not announced");
		return;
	}
	use_general(&m, first_counter(), selection, RING_USER);
	signal(SIGALRM, SIG_IGN);
	syscall(__NR_setitimer, ITIMER_REAL, &tick, NULL);
	done = measure_difference(&m, &user_loop, LONG_PASSES, differences);
	syscall(__NR_setitimer, ITIMER_REAL, &none, NULL);
	if (!done)
		find_broken(finding, "%s", m.message);
	else
		explain(finding, (event == EVENT_BRANCHES ? 1 : 2) * (int64_t)LONG_PASSES,
			differences[0], 0, shape_event_name((enum event)event), "timer interrupt");
}

/* The least of a few counts of ring 0 with N interrupts in its work; false: FINDING says why. */
static bool least_kernel_count(struct finding *finding, uint64_t n, int64_t *least)
{
	static const struct work interrupts = { "interrupts in ring 0", PMU_WORK_INTERRUPT, NULL,
						PMU_INTERRUPT_INSTRUCTIONS, 0 };

	for (unsigned int i = 0; i < TRIES; i++) {
		struct measurement m = { 0 };

		use_instructions(&m, first_counter(), RING_KERNEL);
		if (!measure(&m, &interrupts, n)) {
			find_broken(finding, "%s", m.message);
			return false;
		}
		if (i == 0 || (int64_t)m.uses[0].count < *least)
			*least = (int64_t)m.uses[0].count;
	}
	return true;
}

/*
 * The handler of an interrupt in ring 0 is the kernel's, and its instructions are known. Those of a timer's interrupt in
 * between come on top, so the least of a few counts is the one without; and the work is short, because on a slow
 * machine each long one meets the timer.
 */
static void kernel_interrupts(struct finding *finding, unsigned int argument)
{
	int64_t without, with;

	(void)argument;
	if (least_kernel_count(finding, 1, &without) &&
	    least_kernel_count(finding, 1 + INTERRUPTS, &with))
		explain(finding, PMU_INTERRUPT_INSTRUCTIONS * INTERRUPTS, with - without,
			INTERRUPTS, "instructions", "interrupt");
}

static struct list handler;

/*
 * The first counter overflows every PERIOD instructions of ring 3, the second counts the same event undisturbed.
 * The handler reads the second, and starts the next period. False: it failed.
 */
static bool sample(struct finding *finding, struct measurement *m, uint64_t passes)
{
	const unsigned int first = first_counter();
	const uint64_t start = shape_mask(shape.width) + 1 - PERIOD;
	const uint64_t bit = UINT64_C(1) << first;
	int second = next_counter(first);
	struct use *use;
	bool done;

	if (second < 0) {
		find_absent(finding, "one counter that counts");
		return false;
	}
	*m = (struct measurement){ .deliver = true };
	use = use_instructions(m, first, RING_USER);
	use->interrupt = true;
	use->start = start;
	use_instructions(m, (unsigned int)second, RING_USER);
	list_clear(&handler);
	list_read(&handler, shape_counter_msr((unsigned int)second));
	list_write(&handler, shape_counter_msr(first), start);
	if (shape.has_global) {
		list_write(&handler, shape.global_clear, bit | shape.frozen);
		list_write(&handler, shape.global_ctrl, bit | UINT64_C(1) << second);
	}
	list_add(&handler, PMU_STEP_SET_LVT, 0, 0);
	machine_set_handler(&handler);
	done = measure_user(m, spin_loop, passes, NULL);
	machine_set_handler(NULL);
	if (!done)
		find_broken(finding, "%s", m->message);
	return done;
}

/* Passes whose interrupts all have records. */
static void performance_interrupts(struct finding *finding, unsigned int argument)
{
	struct measurement m;
	uint64_t few, few_nmis;

	(void)argument;
	if (!sample(finding, &m, 1))
		return;
	few = m.uses[1].count;
	few_nmis = m.nmis;
	if (!sample(finding, &m, 1 + PMI_PASSES))
		return;
	if (m.nmis == few_nmis) {
		find_broken(finding, "expected interrupts of a period of %d, got none", PERIOD);
		return;
	}
	explain(finding, 2 * PMI_PASSES, (int64_t)(m.uses[1].count - few),
		(int64_t)(m.nmis - few_nmis), "instructions", "interrupt of a counter");
}

/* The second counter was started at 0 with the first, so at the interrupt it is the number of the instruction. */
static void comes_at_once(struct finding *finding, unsigned int argument)
{
	struct measurement m;
	uint64_t at;

	(void)argument;
	if (!sample(finding, &m, PMI_PASSES) || m.nmis == 0)
		return;
	at = handler_value(0);
	if (at < PERIOD)
		find_broken(finding,
			    "expected the interrupt after %d instructions, got it after %" PRIu64,
			    PERIOD, at);
	else if (at > PERIOD)
		find_inexact(finding,
			     "the interrupt comes %" PRIu64 " instructions after the overflow",
			     at - PERIOD);
}

static void every_period(struct finding *finding, unsigned int argument)
{
	struct measurement m;
	uint64_t expected;

	(void)argument;
	if (!sample(finding, &m, PMI_PASSES))
		return;
	expected = m.uses[1].count / PERIOD;
	if (m.nmis == expected)
		return;
	/* A skid that delays each interrupt makes fewer of them. */
	if (m.nmis < expected && m.nmis * 2 > expected)
		find_inexact(finding, "%" PRIu64 " interrupts for %" PRIu64 " periods", m.nmis,
			     expected);
	else
		find_broken(finding,
			    "expected %" PRIu64 " interrupts for %" PRIu64
			    " instructions, got %" PRIu64,
			    expected, m.uses[1].count, m.nmis);
}

/* Each of a few runs, while no timer is set but the kernel's own. */
static void long_run(struct finding *finding, unsigned int argument)
{
	const int64_t expected = 2 * (LONG_PASSES / 10);
	int64_t differences[USES_MAX];

	(void)argument;
	for (unsigned int i = 0; i < 5; i++) {
		struct measurement m = { 0 };

		use_instructions(&m, first_counter(), RING_USER);
		if (measure_difference(&m, &user_loop, LONG_PASSES / 10, differences))
			explain(finding, expected, differences[0], 0, "instructions",
				"other event");
		else
			find_broken(finding, "%s", m.message);
	}
}

#define USER "counting.user_instructions"
#define PMI \
	"interrupt.general_counters_deliver interrupt.comes_once contents.running_counter_takes_value"

static const struct rule rules[] = {
	{ "system_calls_add_nothing", 0, USER, system_calls, 0, WEAVER,
	  "counts of programs grow with the system calls that they make" },
	{ "exits_add_nothing", 0, USER, exits, false, WEAVER,
	  "counts depend on what the hypervisor intercepts" },
	{ "kernel_exits_add_nothing", NEED_STEPS,
	  "counting.kernel_instructions precision.exits_add_nothing", exits, true, WEAVER,
	  "counts of the kernel depend on what the hypervisor intercepts" },
	{ "page_faults_add_nothing", 0, USER, page_faults, 0, WEAVER,
	  "counts of programs grow with the memory that they touch" },
	{ "timer_interrupts_add_nothing", 0, USER, timer_interrupts, EVENT_INSTRUCTIONS, WEAVER,
	  "counts of programs grow with the time that they take" },
	{ "long_run_repeats", 0, USER " ~precision.timer_interrupts_add_nothing", long_run, 0,
	  WEAVER, "counts of one program differ from run to run" },
	{ "timer_interrupts_add_no_branches", 0, USER " counting.user_branches", timer_interrupts,
	  EVENT_BRANCHES, WEAVER, "rr replays to the wrong place" },
	{ "kernel_interrupts_add_nothing", NEED_STEPS, "counting.kernel_instructions",
	  kernel_interrupts, 0, WEAVER, "counts of the kernel grow with its interrupts" },
	{ "performance_interrupts_add_nothing", NEED_STEPS | NEED_TWO_COUNTERS,
	  USER " " PMI " precision.timer_interrupts_add_nothing", performance_interrupts, 0, WEAVER,
	  "sampling a program changes its counts" },
	{ "interrupt_comes_at_once", NEED_STEPS | NEED_TWO_COUNTERS,
	  USER " " PMI " ~precision.performance_interrupts_add_nothing", comes_at_once, 0,
	  "Intel SDM vol. 3B, 20.2; AMD APM vol. 2, 13.2.3",
	  "profiles blame an instruction after the one that was sampled" },
	{ "every_period_has_its_interrupt", NEED_STEPS | NEED_TWO_COUNTERS, USER " " PMI,
	  every_period, 0, "Intel SDM vol. 3B, 20.2; AMD APM vol. 2, 13.2.3",
	  "profiles have fewer samples than the work has periods" },
};

const struct group precision_group = { "precision", NEED_PMU | NEED_ACCESS,
				       "counting.some_counter_counts", rules,
				       sizeof(rules) / sizeof(rules[0]) };
