// SPDX-License-Identifier: BSD-2-Clause
/*
 * Contexts with several CPUs at once, under ThreadSanitizer: each CPU runs tasks, which
 * move between CPUs, make others, replace their programs and end, and meanwhile opens, closes,
 * switches on and off and reads events of tasks that may run anywhere.
 *
 * The right result: an event that is enabled all the time has counted everything that its task, its task's
 * children and their children did, wherever that was; a CPU's event everything that happened
 * there; two members of a group the same; and a reader never sees a count that goes back.
 */
#include "mapping.h"

#define CPUS	 4
#define FAMILIES 3
#define STEPS	 20000
#define CHILDREN 50 /* that each CPU makes */
#define TASKS	 (CPUS * (1 + CHILDREN))
#define CODE	 1

/* A family: a task and all that come from it. */
static struct family {
	int total;	    /* pinned, inherited, on all the time */
	int leader, member; /* a group of the first task alone, switched on and off by everybody */
	pid_t tid;
	_Atomic uint64_t expected;
} families[FAMILIES];

/* Whether tasks have only what lets their contexts change places when they are switched (clone_context.c). */
static bool swapping;
static _Atomic unsigned int swaps;

static int cpu_events[CPUS];
static uint64_t cpu_expected[CPUS];

/* Tasks that run nowhere. */
static struct task *_Atomic idle[TASKS];
static _Atomic(struct family *) family_of[256]; /* by tid; NULL: none */

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static struct task *take_idle(uint32_t random)
{
	for (unsigned int i = 0; i < TASKS; i++) {
		struct task *task = atomic_exchange(&idle[(random + i) % TASKS], NULL);

		if (task)
			return task;
	}
	return NULL;
}

static void give_idle(struct task *task)
{
	for (unsigned int i = 0;; i++) {
		struct task *free_place = NULL;

		if (atomic_compare_exchange_strong(&idle[i % TASKS], &free_place, task))
			return;
	}
}

/* --- what a CPU does --- */

struct worker {
	unsigned int number, children;
	uint32_t random;
	uint64_t read[FAMILIES]; /* the last total that it read of each */
};

static uint32_t draw(struct worker *self, uint32_t limit)
{
	return next_random(&self->random) % limit;
}

static struct family *draw_family(struct worker *self)
{
	return &families[draw(self, FAMILIES)];
}

static void work(struct worker *self)
{
	struct family *family = atomic_load(&family_of[task_current()->tid]);
	uint64_t number = 1 + draw(self, 1000);

	sim_pmu_count(CODE, number);
	cpu_expected[self->number] += number;
	if (family)
		atomic_fetch_add(&family->expected, number);
}

static void switch_task(struct worker *self)
{
	struct task *prev = task_current(), *next = take_idle(next_random(&self->random));

	if (!next)
		return;
	struct perf_task *gone = atomic_load(&prev->perf);
	sim_switch(next);
	if (gone && atomic_load(&next->perf) == gone)
		atomic_fetch_add(&swaps, 1);
	give_idle(prev);
}

static void fork_task(struct worker *self)
{
	struct task *self_task = task_current(), *child;

	if (self->children == CHILDREN)
		return;
	self->children++;
	child = sim_task_make();
	ASSERT(perf_task_fork(self_task, child, draw(self, 2) ? PERF_FORK_THREAD : 0) == 0);
	atomic_store(&family_of[child->tid], atomic_load(&family_of[self_task->tid]));
	sim_task_enter(child);
	give_idle(child);
}

static bool is_first_of_family(const struct task *task)
{
	for (unsigned int i = 0; i < FAMILIES; i++)
		if (families[i].tid == task->tid)
			return true;
	return false;
}

static void end_task_here(struct worker *self)
{
	struct task *task = task_current();
	struct task *next = is_first_of_family(task) ? NULL : take_idle(next_random(&self->random));

	if (!next)
		return;
	sim_task_exit(task);
	sim_switch(next);
}

static void exec(struct worker *self)
{
	perf_task_exec(task_current());
}

static uint64_t read_value(int fd)
{
	uint64_t value = 0;

	ASSERT(read_event(fd, &value, sizeof(value)) == sizeof(value));
	return value;
}

static void read_total(struct worker *self)
{
	unsigned int number = draw(self, FAMILIES);
	uint64_t value = read_value(families[number].total);

	EXPECT_AT(value >= self->read[number], "%" PRIu64 " after %" PRIu64, value,
		  self->read[number]);
	self->read[number] = value;
}

static void switch_group(struct worker *self)
{
	ASSERT(control_event(draw_family(self)->leader,
			     draw(self, 2) ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			     PERF_IOC_FLAG_GROUP) == 0);
}

static void reset_group(struct worker *self)
{
	ASSERT(control_event(draw_family(self)->leader, PERF_EVENT_IOC_RESET,
			     PERF_IOC_FLAG_GROUP) == 0);
}

/* Does what prctl does, to the open events that this task opened. The first task's events are those that are
 * enabled all the time. */
static void switch_own(struct worker *self)
{
	if (task_current()->tid != 1)
		perf_task_events_set(draw(self, 2));
}

/* Does something to the open event FD, or to its group. Reads of an inherited group that was JOINED while it was
 * in use may be refused: children that were made before have another group. */
static void use_once(struct worker *self, int fd, bool joined)
{
	static const unsigned int commands[] = { PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE,
						 PERF_EVENT_IOC_RESET };
	uint64_t values[8];
	struct file *file = sim_fd_file(fd);

	switch_task(self);
	work(self);
	control_event(fd, commands[draw(self, 3)], draw(self, 2) ? PERF_IOC_FLAG_GROUP : 0);
	long size = read_event(fd, values, sizeof(values));
	ASSERT(size >= 0 || (joined && size == -ECHILD));
	file->ops->poll(file, NULL);
}

/* Opens a group of some task that may be ending, uses it, perhaps with records, and closes it. */
static void use_group(struct worker *self)
{
	struct perf_event_attr attr = swapping ? software_attr(PERF_COUNT_SW_DUMMY) :
						 hardware_attr(CODE);
	struct mapping mapping;
	pid_t tid = (pid_t)(1 + draw(self, TASKS));

	/* A context that was opened an event in, or lost one, is like no other. */
	if (swapping && draw(self, 100))
		return;
	attr.inherit = draw(self, 2);
	attr.disabled = draw(self, 2);
	attr.remove_on_exec = draw(self, 2);
	attr.read_format = draw(self, 2) ? PERF_FORMAT_GROUP | TIMES : TIMES;
	attr.sample_period = draw(self, 2) ? 700 : 0;
	attr.sigtrap = attr.remove_on_exec;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr.wakeup_events = 1;
	attr.task = attr.sample_id_all = 1;
	int fd = open_event(attr, tid, -1, -1);
	if (fd < 0) {
		EXPECT_EQ(fd, -ESRCH);
		return;
	}
	bool mapped = draw(self, 2) && map_event(&mapping, fd, 1) == 0;
	use_once(self, fd, false);
	int member = open_event(attr, tid, -1, fd); /* -ESRCH: has ended by now; -EINVAL: removed */
	bool joined = member >= 0 && attr.inherit && attr.read_format & PERF_FORMAT_GROUP;
	for (uint32_t i = draw(self, 4); i > 0; i--)
		use_once(self, member >= 0 && draw(self, 2) ? member : fd, joined);
	if (mapped)
		unmap_event(&mapping);
	ASSERT(sim_fd_close(fd) == 0);
	if (member >= 0) {
		use_once(self, member, false); /* alone, and so are its children */
		ASSERT(sim_fd_close(member) == 0);
	}
}

static void be_cpu(unsigned int cpu)
{
	/* How often in the sum of all. */
	static const struct {
		unsigned int share;
		void (*act)(struct worker *self);
	} acts[] = {
		{ 8, work },	   { 6, switch_task }, { 1, fork_task },    { 1, end_task_here },
		{ 1, exec },	   { 2, read_total },  { 2, switch_group }, { 1, reset_group },
		{ 1, switch_own }, { 2, use_group },
	};
	struct worker self = { .number = cpu, .random = cpu + 1 };

	for (unsigned int step = 0; step < STEPS; step++) {
		uint32_t place = draw(&self, 25);
		unsigned int i = 0;

		while (place >= acts[i].share)
			place -= acts[i++].share;
		acts[i].act(&self);
		work(&self);
	}
}

/* --- the rule --- */

static void open_events(void)
{
	struct perf_event_attr total = hardware_attr(CODE), group = hardware_attr(CODE);

	total.pinned = 1;
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		cpu_events[cpu] = open_event(total, -1, (int)cpu, -1);

	total.inherit = 1;
	total.pinned = !swapping;
	group.disabled = 1;
	for (unsigned int i = 0; i < FAMILIES; i++) {
		struct task *task = sim_task_create();
		struct family *family = &families[i];

		family->tid = task->tid;
		atomic_store(&family_of[task->tid], family);
		family->total = open_event(total, task->tid, -1, -1);
		family->leader = open_event(group, task->tid, -1, -1);
		family->member = open_event(group, task->tid, -1, family->leader);
		give_idle(task);
	}
}

static void forget_the_last_machine(void)
{
	memset(families, 0, sizeof(families));
	memset(cpu_expected, 0, sizeof(cpu_expected));
	for (size_t i = 0; i < sizeof(family_of) / sizeof(family_of[0]); i++)
		atomic_store(&family_of[i], NULL);
}

static void hammer(void)
{
	struct task *task;
	uint64_t all = 0;

	/* Two for what is on all the time, and two that the others share. */
	forget_the_last_machine();
	start_machine(CPUS, 4, NULL, 0);
	open_events();

	sim_cpus_run(be_cpu);

	for (unsigned int i = 0; i < FAMILIES; i++) {
		all += atomic_load(&families[i].expected);
		EXPECT_EQ(count_of(families[i].total), atomic_load(&families[i].expected));
		EXPECT_EQ(count_of(families[i].leader), count_of(families[i].member));
	}
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		EXPECT_EQ(count_of(cpu_events[cpu]), cpu_expected[cpu]);
	printf("# %" PRIu64 " counted by families\n", all);

	while ((task = take_idle(0)))
		end_task(task);
	for (unsigned int i = 0; i < FAMILIES; i++)
		EXPECT_EQ(count_of(families[i].total), atomic_load(&families[i].expected));
	end_machine();
}

static void check(void)
{
	swapping = false;
	hammer();
}

static void check_swaps(void)
{
	swapping = true;
	atomic_store(&swaps, 0);
	hammer();
	EXPECT(atomic_load(&swaps) > 0);
	printf("# %u switches swapped contexts\n", atomic_load(&swaps));
}

static const struct tap_rule rules[] = {
	{ "events of tasks that move, fork, exec and end while others use them count everything, once",
	  check },
	{ "events of tasks whose clone contexts are swapped count everything, once", check_swaps },
};

TAP_MAIN(rules)
