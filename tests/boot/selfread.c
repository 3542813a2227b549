// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of reading one's own counter without the kernel: the mapped page with rdpmc and read() give the
 * same count, to the instruction, at every moment; and only a task that has mapped an event may execute
 * rdpmc.
 *
 * counts.c has the agreement of both in quiet, and beside tasks that count; times are in self.c. Here
 * the page changes while it is read: by timer interrupts, by moves to other CPUs, by rotation.
 */
#include "child.h"

#include <time.h>

#define ROUNDS	   1000
#define EVENTS_MAX 17

/* A mapped event of the calling task. */
struct mapped {
	int fd;
	const volatile struct perf_event_mmap_page *page;
};

static struct mapped map_event(const struct perf_event_attr *attr)
{
	struct mapped mapped = { .fd = must_open(attr, 0, -1, -1) };
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, mapped.fd, 0);

	EXPECT_AT(page != MAP_FAILED, "%s", strerror(errno));
	mapped.page = page;
	return mapped;
}

static void unmap_event(const struct mapped *mapped)
{
	munmap((void *)mapped->page, PAGE);
	close(mapped->fd);
}

static uint64_t read_value(int fd)
{
	uint64_t value = 0;

	EXPECT_EQ(read(fd, &value, sizeof(value)), sizeof(value));
	return value;
}

static struct mapped map_kind(const struct kind *kind, bool enabled)
{
	struct perf_event_attr attr = user_attr(kind);

	attr.disabled = !enabled;
	return map_event(&attr);
}

/* The event is on no counter: then OFFSET is all, unless it gets one before read() looks. */
static void compare_without_counter(const struct mapped *event)
{
	uint32_t sequence = event->page->lock;
	uint32_t index = event->page->index;
	uint64_t offset = (uint64_t)event->page->offset;
	uint64_t value = read_value(event->fd);

	if (index == 0 && event->page->lock == sequence)
		EXPECT_EQ(offset, value);
}

/*
 * Compares once; returns whether the count came from the counter. An event that rotates with others may
 * lose its counter, and miss instructions, between the two readings; then the page has changed. An event
 * that is only interrupted or moved misses nothing.
 */
static bool compare(const struct mapped *event, const struct kind *kind, bool rotates,
		    const char *where)
{
	uint32_t sequence = event->page->lock;
	unsigned int shift = 64 - event->page->pmc_width;
	uint64_t called = 0, raw = 0, offset = 0;

	if (read_both_ways((const void *)event->page, event->fd, &called, &raw, &offset) != 0) {
		compare_without_counter(event);
		return false;
	}
	uint64_t direct = offset + (uint64_t)((int64_t)(raw << shift) >> shift);
	if (!rotates || event->page->lock == sequence)
		EXPECT_EQ_AT(called - direct, derive(kind, BETWEEN_INSTRUCTIONS, BETWEEN_BRANCHES),
			     "%s, %s", kind->name, where);
	return true;
}

/* --- what the page says --- */

static void check_page(void)
{
	for (int k = 0; k < kind_count(); k++) {
		struct mapped event = map_kind(&kinds[k], false);

		EXPECT_EQ_AT(event.page->index, 0, "%s, disabled", kinds[k].name);
		EXPECT_EQ_AT(event.page->offset, 0, "%s, disabled", kinds[k].name);
		EXPECT_EQ_AT(event.page->cap_user_rdpmc, 1, "%s", kinds[k].name);
		EXPECT_EQ_AT(event.page->cap_bit0_is_deprecated, 1, "%s", kinds[k].name);
		run_enabled(event.fd, spin_find_work("loop"), 1000, NULL);
		EXPECT_EQ_AT(event.page->index, 0, "%s, disabled again", kinds[k].name);
		EXPECT_EQ_AT(event.page->offset,
			     derive_window(&kinds[k], spin_find_work("loop"), 1000), "%s",
			     kinds[k].name);
		control(event.fd, PERF_EVENT_IOC_ENABLE, 0);
		EXPECT(event.page->index != 0);
		EXPECT_EQ_AT(event.page->pmc_width, counter_width(event.page->index - 1), "%s",
			     kinds[k].name);
		unmap_event(&event);
	}
}

/* Each enabling, and each disabling, is another state of the page, which its lock shows. */
static void check_sequence(void)
{
	struct mapped event = map_kind(INSTRUCTIONS, false);
	uint32_t last = event.page->lock;

	for (int i = 0; i < 100; i++) {
		control(event.fd, i % 2 ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0);
		uint32_t now = event.page->lock;
		EXPECT_AT(now != last, "ioctl %d", i);
		EXPECT_EQ_AT(now & 1, 0, "ioctl %d", i);
		last = now;
	}
	unmap_event(&event);
}

/* --- while it changes --- */

/* Sleeps so briefly that its timer interrupts the task that runs here again and again. */
static void sleep_endlessly(void *unused)
{
	const struct timespec pause = { 0, 50000 };

	(void)unused;
	for (;;)
		nanosleep(&pause, NULL);
}

static void check_beside_timers(void)
{
	struct mapped event = map_kind(INSTRUCTIONS, true);

	run_on(0);
	pid_t sleeper = child_start(sleep_endlessly, NULL);
	for (int i = 0; i < 3 * ROUNDS; i++)
		EXPECT_AT(compare(&event, INSTRUCTIONS, false, "interrupted by timers"), "round %d",
			  i);
	child_end(sleeper);
	unmap_event(&event);
	pin(0, -1);
}

static void check_after_moves(void)
{
	struct mapped events[KINDS_MAX];
	int cpus = cpu_count();

	for (int k = 0; k < kind_count(); k++)
		events[k] = map_kind(&kinds[k], true);
	for (int i = 0; i < 40; i++) {
		run_on(i % cpus);
		for (int k = 0; k < kind_count(); k++)
			EXPECT_AT(compare(&events[k], &kinds[k], false, "moved"), "CPU %d",
				  i % cpus);
	}
	for (int k = 0; k < kind_count(); k++)
		unmap_event(&events[k]);
	pin(0, -1);
}

/* Moved by another task, at any moment. */
static void check_while_moved(void)
{
	struct mapped event = map_kind(INSTRUCTIONS, true);
	pid_t self = getpid();
	int cpus = cpu_count();

	fflush(stdout);
	pid_t mover = fork();
	if (mover == 0) {
		for (int i = 0;; i++) {
			cpu_set_t set;

			CPU_ZERO(&set);
			CPU_SET(i % cpus, &set);
			sched_setaffinity(self, sizeof(set), &set);
			sched_yield();
		}
	}
	for (int i = 0; i < ROUNDS; i++)
		EXPECT_AT(compare(&event, INSTRUCTIONS, false, "moved by another"), "round %d", i);
	child_end(mover);
	unmap_event(&event);
	pin(0, -1);
}

/* More events than counters: now from the counter, now from the page alone. */
static void check_rotation(void)
{
	int count = general_counters() + 1;
	struct mapped events[EVENTS_MAX];
	uint64_t direct[EVENTS_MAX] = { 0 }, by_page[EVENTS_MAX] = { 0 };
	bool both = false;

	for (int i = 0; i < count; i++)
		events[i] = map_kind(GENERAL, true);
	for (int round = 0; round < 200 * ROUNDS && !both; round++) {
		both = true;
		for (int i = 0; i < count; i++) {
			*(compare(&events[i], GENERAL, true, "rotated") ? &direct[i] :
									  &by_page[i]) += 1;
			both &= direct[i] && by_page[i];
		}
	}
	EXPECT_AT(both, "every one of %d events has been found with a counter and without", count);
	for (int i = 0; i < count; i++)
		unmap_event(&events[i]);
}

/* --- who may --- */

static uint64_t rdpmc(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}

static void rdpmc_without_event(void *unused)
{
	(void)unused;
	rdpmc(0);
}

static void rdpmc_with_unmapped_event(void *unused)
{
	(void)unused;
	struct mapped event = map_kind(INSTRUCTIONS, true);

	munmap((void *)event.page, PAGE);
	rdpmc(0);
}

static void rdpmc_with_software_event(void *unused)
{
	struct perf_event_attr attr = software_attr(PERF_COUNT_SW_DUMMY);

	(void)unused;
	struct mapped event = map_event(&attr);
	if (event.page->cap_user_rdpmc)
		_exit(2);
	rdpmc(0);
}

/* There are fewer counters than this on any machine. */
#define COUNTER_MISSING 40

static void rdpmc_of_missing_counter(void *unused)
{
	(void)unused;
	struct mapped event = map_kind(INSTRUCTIONS, true);

	if (!event.page->index)
		_exit(2);
	rdpmc(COUNTER_MISSING);
}

static void rdpmc_with_event(void *unused)
{
	(void)unused;
	map_kind(INSTRUCTIONS, true);
	rdpmc(0);
}

static volatile int thread_done;

static int thread_body(void *unused)
{
	(void)unused;
	rdpmc(0);
	thread_done = 1;
	return 0;
}

#define STACK (4 * PAGE)

/* The permission is the address space's, and reaches threads that run elsewhere and have no event. */
static void rdpmc_in_thread(void *unused)
{
	char *stack = share(STACK);

	(void)unused;
	map_kind(INSTRUCTIONS, true);
	if (clone(thread_body, stack + STACK,
		  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
		  NULL) < 0)
		_exit(2);
	while (!thread_done)
		sched_yield();
}

static void check_permission(void)
{
	static const struct {
		const char *name;
		void (*body)(void *);
		int status; /* as from wait4 */
	} tries[] = {
		{ "no event", rdpmc_without_event, SIGSEGV },
		{ "an event that is not mapped any more", rdpmc_with_unmapped_event, SIGSEGV },
		{ "a mapped event of no hardware", rdpmc_with_software_event, SIGSEGV },
		{ "a counter that is not there", rdpmc_of_missing_counter, SIGSEGV },
		{ "a mapped event", rdpmc_with_event, 0 },
		{ "a mapped event of another thread", rdpmc_in_thread, 0 },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++)
		EXPECT_EQ_AT(child_wait(child_start(tries[i].body, NULL)) & ~0x80, tries[i].status,
			     "%s", tries[i].name);
}

static const struct tap_rule rules[] = {
	{ "rdpmc works in a program that maps an event of the PMU; any other gets SIGSEGV",
	  check_permission },
	{ "the page has index, width and offset, and no index while disabled", check_page },
	{ "the page's lock is even outside of changes, and another after each", check_sequence },
	{ "rdpmc and read() agree under timer interrupts", check_beside_timers },
	{ "they agree on every CPU that the task moves to", check_after_moves },
	{ "they agree while another task moves the reader about", check_while_moved },
	{ "they agree on and off the counter, while events rotate", check_rotation },
};

TAP_MAIN(rules)
