// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of sharing counters: more events than counters rotate, groups whole or not at all, and pinned
 * ones not at all.
 *
 * The events are opened on a gated child while it is stopped, enabled. So all begin at the same moment
 * of the child's time, and every counter is in use while it executes: each count that one event misses,
 * another counts, and sums are exact though the end of each rotation is not known.
 */
#include "child.h"

/* Far more than the rotations, of 4 ms each, that the rules need. */
#define LEGS_MAX   2000

#define EVENTS_MAX 24

/* A child in the middle of its legs, and the events on it. */
struct set {
	pid_t pid;
	uint64_t legs; /* done so far */
	int count;
	int fds[EVENTS_MAX];
	struct reading readings[EVENTS_MAX];
};

static struct set set_begin(void)
{
	return (struct set){ .pid = child_gate(leg_run, LEGS_MAX + 1) };
}

/* One more event on the child; LEADER: its group's descriptor, or -1. Returns its own. */
static int set_add(struct set *set, const struct perf_event_attr *attr, int leader)
{
	struct perf_event_attr enabled = *attr;

	enabled.disabled = 0;
	return set->fds[set->count++] = must_open(&enabled, set->pid, -1, leader);
}

static void set_step(struct set *set)
{
	child_step(set->pid);
	set->legs++;
}

static void set_read(struct set *set)
{
	child_settle(set->fds[0]);
	for (int i = 0; i < set->count; i++)
		set->readings[i] = read_event(set->fds[i]);
}

/* Runs until every event from FIRST on has counted and has waited. */
static void set_run(struct set *set, int first)
{
	bool rotated;

	do {
		set_step(set);
		set_read(set);
		rotated = true;
		for (int i = first; i < set->count; i++)
			rotated &= set->readings[i].running_ns > 0 &&
				   set->readings[i].running_ns < set->readings[i].enabled_ns;
	} while (!rotated && set->legs < LEGS_MAX && !tap_failed);
	EXPECT_AT(rotated, "within %d legs each event has gained and lost its counter", LEGS_MAX);
}

static void set_end(struct set *set)
{
	for (int i = 0; i < set->count; i++)
		if (set->fds[i] >= 0)
			close(set->fds[i]);
	child_end(set->pid);
}

/* The sum over the events from FIRST on, in steps of STEP. */
static struct reading set_sum(const struct set *set, int first, int step)
{
	struct reading sum = { 0 };

	for (int i = first; i < set->count; i += step) {
		sum.value += set->readings[i].value;
		sum.enabled_ns += set->readings[i].enabled_ns;
		sum.running_ns += set->readings[i].running_ns;
	}
	return sum;
}

static void expect_same_enabled_time(const struct set *set)
{
	for (int i = 1; i < set->count; i++)
		EXPECT_EQ_AT(set->readings[i].enabled_ns, set->readings[0].enabled_ns, "event %d",
			     i);
}

/* --- flexible events --- */

static void check_rotation_of(const struct perf_event_attr *attr)
{
	uint64_t counters = (uint64_t)general_counters();
	struct set set = set_begin();

	for (uint64_t i = 0; i < counters + 2; i++)
		set_add(&set, attr, -1);
	set_run(&set, 0);

	struct reading sum = set_sum(&set, 0, 1);
	expect_same_enabled_time(&set);
	EXPECT_EQ_AT(sum.value, counters * derive_legs(GENERAL, set.legs), "%" PRIu64 " counters",
		     counters);
	EXPECT_EQ_AT(sum.running_ns, counters * set.readings[0].enabled_ns, "%" PRIu64 " counters",
		     counters);
	set_end(&set);
}

static void check_rotation(void)
{
	struct perf_event_attr attr = timed_attr(GENERAL);

	check_rotation_of(&attr);
}

static void check_rotation_of_raw(void)
{
	struct perf_event_attr attr = timed_attr(GENERAL);

	attr.type = PERF_TYPE_RAW;
	attr.config = general_raw();
	check_rotation_of(&attr);
}

/* As many events as counters: none waits. */
static void check_no_rotation(void)
{
	struct perf_event_attr attr = timed_attr(GENERAL);
	struct set set = set_begin();

	for (int i = 0; i < general_counters(); i++)
		set_add(&set, &attr, -1);
	while (set.legs < 20)
		set_step(&set);
	set_read(&set);
	expect_same_enabled_time(&set);
	for (int i = 0; i < set.count; i++) {
		EXPECT_EQ_AT(set.readings[i].value, derive_legs(GENERAL, set.legs), "event %d", i);
		EXPECT_EQ_AT(set.readings[i].running_ns, set.readings[i].enabled_ns, "event %d", i);
	}
	set_end(&set);
}

/* One event that has the PMU to itself, and one that does not need to: they rotate, however many
 * counters there are. */
static void check_exclusive(void)
{
	struct perf_event_attr attr = timed_attr(GENERAL);
	struct set set = set_begin();

	attr.exclusive = 1;
	set_add(&set, &attr, -1);
	attr.exclusive = 0;
	set_add(&set, &attr, -1);
	set_run(&set, 0);

	struct reading sum = set_sum(&set, 0, 1);
	EXPECT_EQ(sum.value, derive_legs(GENERAL, set.legs));
	EXPECT_EQ(sum.running_ns, set.readings[0].enabled_ns);
	set_end(&set);
}

/* --- groups --- */

/* Members of a group that needs every general counter, and the fixed one of instructions if there is one. */
static int open_full_group(struct set *set)
{
	struct perf_event_attr attr = timed_attr(INSTRUCTIONS);
	int leader = set_add(set, &attr, -1);

	attr = timed_attr(GENERAL);
	for (int i = 0; i < beside_instructions(); i++)
		set_add(set, &attr, leader);
	return 1 + beside_instructions();
}

static void check_groups(void)
{
	struct set set = set_begin();
	int size = open_full_group(&set);

	open_full_group(&set);
	set_run(&set, 0);
	expect_same_enabled_time(&set);
	for (int i = 0; i < set.count; i++) {
		const struct reading *leader = &set.readings[i / size * size];

		EXPECT_EQ_AT(set.readings[i].running_ns, leader->running_ns, "member %d", i);
		if (i % size > 1)
			EXPECT_EQ_AT(set.readings[i].value, set.readings[i - 1].value, "member %d",
				     i);
	}
	/* Leaders count instructions; each of the others counts branches. */
	EXPECT_EQ(set_sum(&set, 0, size).value, derive_legs(INSTRUCTIONS, set.legs));
	EXPECT_EQ(set_sum(&set, 0, size).running_ns, set.readings[0].enabled_ns);
	EXPECT_EQ(set_sum(&set, 1, size).value, derive_legs(GENERAL, set.legs));
	set_end(&set);
}

/* Opens members of a group one by one: FIT of them fit, the next does not. */
static void check_group_size(const struct kind *kind, int fit)
{
	struct perf_event_attr attr = timed_attr(kind), dummy = software_attr(PERF_COUNT_SW_DUMMY);
	int fds[EVENTS_MAX] = { 0 };

	for (int i = 0; i < fit; i++) {
		/* Disabled members need no counter yet. */
		attr.disabled = i == 0;
		fds[i] = must_open(&attr, 0, -1, i ? fds[0] : -1);
	}
	attr.disabled = 0;
	errno = 0;
	EXPECT_EQ_AT(open_event(&attr, 0, -1, fds[0]), -1, "%s, member %d", kind->name, fit);
	EXPECT_EQ_AT(errno, EINVAL, "%s, member %d", kind->name, fit);
	/* Software events need no counter, and the group is still what it was. */
	int software = must_open(&dummy, 0, -1, fds[0]);
	run_enabled(fds[0], spin_find_work("loop"), 10, NULL);
	EXPECT_EQ(read_event(fds[0]).value, derive_window(kind, spin_find_work("loop"), 10));
	close(software);
	for (int i = 0; i < fit; i++)
		close(fds[i]);
}

static void check_group_sizes(void)
{
	check_group_size(GENERAL, general_counters());
	check_group_size(INSTRUCTIONS, instruction_counters());
	check_group_size(&kinds[kind_count() - 1], last_kind_counters());
}

/* --- pinned events --- */

static void check_pinned(void)
{
	uint64_t counters = (uint64_t)general_counters();
	struct perf_event_attr attr = timed_attr(GENERAL);
	struct set set = set_begin();

	attr.pinned = 1;
	set_add(&set, &attr, -1);
	attr.pinned = 0;
	for (uint64_t i = 0; i < counters + 1; i++)
		set_add(&set, &attr, -1);
	if (counters > 1) {
		set_run(&set, 1);
	} else {
		/* Nothing is left for the others, ever. */
		while (set.legs < 20)
			set_step(&set);
		set_read(&set);
	}
	expect_same_enabled_time(&set);
	EXPECT_EQ(set.readings[0].value, derive_legs(GENERAL, set.legs));
	EXPECT_EQ(set.readings[0].running_ns, set.readings[0].enabled_ns);

	struct reading sum = set_sum(&set, 1, 1);
	EXPECT_EQ(sum.value, (counters - 1) * derive_legs(GENERAL, set.legs));
	EXPECT_EQ(sum.running_ns, (counters - 1) * set.readings[0].enabled_ns);
	set_end(&set);
}

/* FD is in the error state: a read is the end of the file. */
static void expect_error_state(int fd)
{
	uint64_t words[3];

	EXPECT_EQ(read(fd, words, sizeof(words)), 0);
	EXPECT_EQ_AT(read(fd, words, 1), 0, "%s", "also where the buffer is too short");
}

static void check_pinned_too_many(void)
{
	struct perf_event_attr attr = timed_attr(GENERAL);
	struct set set = set_begin();
	int counters = general_counters();

	attr.pinned = 1;
	for (int i = 0; i < counters; i++)
		set_add(&set, &attr, -1);
	int last = set_add(&set, &attr, -1);
	set.count--;
	set_step(&set);
	set_read(&set);
	expect_error_state(last);
	for (int i = 0; i < counters; i++)
		EXPECT_EQ_AT(set.readings[i].value, derive_legs(GENERAL, 1), "event %d", i);

	/* Enabled again, it tries again; it succeeds when a counter has become free. */
	control(last, PERF_EVENT_IOC_ENABLE, 0);
	set_step(&set);
	expect_error_state(last);
	close(set.fds[0]);
	set.fds[0] = last;
	control(last, PERF_EVENT_IOC_ENABLE, 0);
	set_step(&set);
	set_read(&set);
	EXPECT_EQ(set.readings[0].value, derive_legs(GENERAL, 3) - derive_legs(GENERAL, 2));
	set_end(&set);
}

/* A CPU's pinned events come before a task's. */
static void check_pinned_ranks(void)
{
	struct perf_event_attr attr = timed_attr(GENERAL);
	struct set set = set_begin();
	int counters = general_counters(), fds[EVENTS_MAX];

	pin(set.pid, 0);
	attr.pinned = 1;
	int mine = set_add(&set, &attr, -1);
	set_step(&set);
	EXPECT_EQ(read_event(mine).value, derive_legs(GENERAL, 1));
	attr.disabled = 0;
	for (int i = 0; i < counters; i++)
		fds[i] = must_open(&attr, -1, 0, -1);
	set_step(&set);
	expect_error_state(mine);
	for (int i = 0; i < counters; i++) {
		EXPECT_AT(read_event(fds[i]).value > 0, "event %d", i);
		close(fds[i]);
	}
	set_end(&set);
}

static const struct tap_rule rules[] = {
	{ "events that have counters enough never wait", check_no_rotation },
	{ "two events more than counters rotate, and nothing is missed", check_rotation },
	{ "two raw events more than counters rotate", check_rotation_of_raw },
	{ "an exclusive event shares the PMU with no other", check_exclusive },
	{ "a group counts whole or not at all", check_groups },
	{ "a group that no PMU of this size could count is refused", check_group_sizes },
	{ "a pinned event keeps its counter while others rotate", check_pinned },
	{ "a pinned event that finds no counter reads as end of file, until it is enabled again",
	  check_pinned_too_many },
	{ "a pinned event of the CPU comes before one of a task", check_pinned_ranks },
};

TAP_MAIN(rules)
