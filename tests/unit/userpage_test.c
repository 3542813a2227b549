// SPDX-License-Identifier: BSD-2-Clause
/* Rules of kernel/perf/userpage.c: what a program computes from the mapped page is the count, at
 * any moment and at every width. */
#include "mapping.h"
#include <kernel/perf/tick.h>
#include <kernel/perf/userpage.h>

#define CODE 1

static int fd;
static struct mapping mapping;

static void start_event(unsigned int width_bits, uint64_t period)
{
	const struct sim_pmu_model model = { .counters = 2, .width_bits = width_bits };
	struct perf_event_attr attr = hardware_attr(CODE);

	sim_start(1);
	perf_init();
	sim_pmu_register(&model);
	attr.sample_period = period;
	fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ_AT(map_event(&mapping, fd, 1), 0, "width %u", width_bits);
}

static void end_event(void)
{
	unmap_event(&mapping);
	end_machine();
}

static void check_layout(void)
{
	/* Linux 6.12, include/uapi/linux/perf_event.h. */
	EXPECT_EQ(offsetof(struct perf_event_mmap_page, lock), 8);
	EXPECT_EQ(offsetof(struct perf_event_mmap_page, index), 12);
	EXPECT_EQ(offsetof(struct perf_event_mmap_page, offset), 16);
	EXPECT_EQ(offsetof(struct perf_event_mmap_page, time_enabled), 24);
	EXPECT_EQ(offsetof(struct perf_event_mmap_page, capabilities), 40);
	EXPECT_EQ(offsetof(struct perf_event_mmap_page, pmc_width), 48);
	EXPECT_EQ(offsetof(struct perf_event_mmap_page, time_zero), 64);
	EXPECT_EQ(offsetof(struct perf_event_mmap_page, size), 72);
	EXPECT_EQ(offsetof(struct perf_event_mmap_page, data_head), 1024);
	EXPECT_EQ(offsetof(struct perf_event_mmap_page, data_size), 1048);

	start_event(48, 0);
	EXPECT_EQ(mapping.page->version, 0);
	EXPECT_EQ(mapping.page->compat_version, 0);
	EXPECT_EQ(mapping.page->cap_bit0, 0);
	EXPECT_EQ(mapping.page->cap_bit0_is_deprecated, 1);
	EXPECT_EQ(mapping.page->size, offsetof(struct perf_event_mmap_page, __reserved));
	EXPECT_EQ(mapping.page->data_offset, PAGE_SIZE);
	EXPECT_EQ(mapping.page->data_size, PAGE_SIZE);
	EXPECT_EQ(mapping.page->data_head, 0);
	end_event();
}

static void check_every_width(void)
{
	/* Fractions and multiples of the counter's range, and odd numbers. */
	for (unsigned int width_bits = 20; width_bits <= 64; width_bits++) {
		const uint64_t half = 1ull << (width_bits - 1);
		const uint64_t steps[] = { 1,	     half - 2,	   1, 1, half, 12345, half + 1,
					   half - 1, 2 * half - 1, 3 };
		uint64_t expected = 0;

		start_event(width_bits, 0);
		EXPECT_EQ_AT(mapping.page->pmc_width, width_bits, "width %u", width_bits);
		EXPECT_EQ_AT(mapping.page->cap_user_rdpmc, 1, "width %u", width_bits);
		EXPECT_AT(mapping.page->index != 0, "width %u", width_bits);
		for (unsigned int i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			sim_pmu_count(CODE, steps[i]);
			expected += steps[i];
			EXPECT_EQ_AT(self_monitor(mapping.page), expected, "width %u, step %u",
				     width_bits, i);
			if (i % 3 == 0)
				EXPECT_EQ_AT(count_of(fd), expected, "width %u, step %u",
					     width_bits, i);
			EXPECT_EQ_AT(self_monitor(mapping.page), expected, "width %u, step %u",
				     width_bits, i);
		}
		end_event();
	}
}

static void check_sampling(void)
{
	for (unsigned int width_bits = 20; width_bits <= 64; width_bits += 11) {
		start_event(width_bits, 700);
		for (uint64_t n = 1; n <= 3000; n++) {
			sim_pmu_count(CODE, 1);
			EXPECT_EQ_AT(self_monitor(mapping.page), n, "width %u, event %" PRIu64,
				     width_bits, n);
		}
		end_event();
	}
}

static void check_not_counting(void)
{
	start_event(40, 0);
	sim_pmu_count(CODE, 1000);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	EXPECT_EQ(mapping.page->index, 0);
	EXPECT_EQ(self_monitor(mapping.page), 1000);
	sim_pmu_count(CODE, 1000);
	EXPECT_EQ(self_monitor(mapping.page), 1000);

	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	sim_pmu_count(CODE, 5);
	EXPECT_EQ(self_monitor(mapping.page), 1005);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_RESET, 0), 0);
	EXPECT_EQ(self_monitor(mapping.page), 0);
	sim_pmu_count(CODE, 77);
	EXPECT_EQ(self_monitor(mapping.page), 77);
	EXPECT_EQ(count_of(fd), 77);
	end_event();
}

static void check_switched_out(void)
{
	start_event(40, 0);
	struct task *self = task_current(), *other = sim_task_create();
	sim_pmu_count(CODE, 1000);
	sim_switch(other);
	EXPECT_EQ(mapping.page->index, 0);
	sim_pmu_count(CODE, 1000);
	sim_switch(self);
	EXPECT(mapping.page->index != 0);
	sim_pmu_count(CODE, 3);
	EXPECT_EQ(self_monitor(mapping.page), 1003);
	end_event();
}

static void check_mapped_while_counting(void)
{
	const struct sim_pmu_model model = { .counters = 1, .width_bits = 32 };

	sim_start(1);
	perf_init();
	sim_pmu_register(&model);
	fd = open_event(hardware_attr(CODE), 0, -1, -1);
	sim_pmu_count(CODE, 0x80000123);
	EXPECT_EQ(count_of(fd), 0x80000123);
	sim_pmu_count(CODE, 0x7fffffff);
	EXPECT_EQ(map_event(&mapping, fd, 0), 0);
	EXPECT_EQ(self_monitor(mapping.page), 0x80000123ull + 0x7fffffff);
	end_event();
}

static void check_scribbled(void)
{
	start_event(40, 0);
	for (unsigned int byte = 0; byte < 256; byte++) {
		memset(mapping.page, (int)byte, PAGE_SIZE);
		EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
		EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
		uint32_t before = mapping.page->lock;
		sim_pmu_count(CODE, 10);
		/* The sequence goes on from the kernel's own number, and what the page says of the
		 * counter is right again. */
		EXPECT_EQ_AT(self_monitor(mapping.page), 10 * (byte + 1), "byte %u", byte);
		EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
		EXPECT_AT(mapping.page->lock != before, "byte %u", byte);
		EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	}
	end_event();
}

static void check_times(void)
{
	/* 2.5 GHz: 0.4 ns a cycle. */
	const struct clock_conversion conversion = { .mult = 1717986918,
						     .shift = 32,
						     .offset_ns = 250000000 };

	start_event(48, 0);
	EXPECT_EQ(mapping.page->cap_user_time, 0);
	EXPECT_EQ(mapping.page->cap_user_time_zero, 0);
	EXPECT_EQ(mapping.page->cap_user_time_short, 0);

	/* The page still describes it as at the time of the mapping. */
	unmap_event(&mapping);
	sim_clock_conversion_set(&conversion);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_clock_advance(1000);
	control_event(fd, PERF_EVENT_IOC_DISABLE, 0);
	sim_clock_advance(50);
	control_event(fd, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_EQ(mapping.page->cap_user_time, 1);
	EXPECT_EQ(mapping.page->cap_user_time_zero, 1);
	EXPECT_EQ(mapping.page->time_mult, conversion.mult);
	EXPECT_EQ(mapping.page->time_shift, conversion.shift);
	EXPECT_EQ(mapping.page->time_zero, conversion.offset_ns);
	EXPECT_EQ(mapping.page->time_enabled, 1000);
	EXPECT_EQ(mapping.page->time_running, 1000);

	/* The user's formula: what was enabled then, plus what has passed since, from the cycle
	 * counter alone. */
	sim_clock_advance(400);
	uint64_t cycles = ((clock_ns() - conversion.offset_ns) << 32) / conversion.mult + 1;
	uint64_t passed_ns = mapping.page->time_offset +
			     (uint64_t)((unsigned __int128)cycles * mapping.page->time_mult >>
					mapping.page->time_shift);
	EXPECT_EQ(mapping.page->time_enabled + passed_ns, 1400);
	end_event();
}

static void check_clockid(void)
{
	const struct clock_conversion conversion = { .mult = 1, .shift = 0, .offset_ns = 5 };
	const struct sim_pmu_model model = { .counters = 1, .width_bits = 32 };
	struct perf_event_attr attr = hardware_attr(CODE);

	sim_start(1);
	perf_init();
	sim_pmu_register(&model);
	sim_clock_conversion_set(&conversion);
	attr.use_clockid = 1;
	attr.clockid = 1; /* CLOCK_MONOTONIC */
	fd = open_event(attr, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 0), 0);
	EXPECT_EQ(mapping.page->cap_user_time, 1);
	EXPECT_EQ(mapping.page->cap_user_time_zero, 0);
	end_event();
}

static void check_shared_ring(void)
{
	start_event(48, 0);
	int second = open_event(hardware_attr(CODE), 0, -1, -1);
	sim_pmu_count(CODE, 100);
	EXPECT_EQ(control_event(second, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)fd), 0);
	control_event(second, PERF_EVENT_IOC_DISABLE, 0);
	control_event(second, PERF_EVENT_IOC_ENABLE, 0);
	sim_pmu_count(CODE, 23);
	EXPECT_EQ(self_monitor(mapping.page), 123);
	end_event();
}

static void check_software_event(void)
{
	sim_start(1);
	perf_init();
	fd = open_event(software_attr(PERF_COUNT_SW_TASK_CLOCK), 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 0), 0);
	EXPECT_EQ(mapping.page->index, 0);
	EXPECT_EQ(mapping.page->cap_user_rdpmc, 0);
	end_event();
}

/* --- PMIs everywhere --- */

#define PERIOD 1000

static uint64_t happened;

static void to_just_before_the_sample(void)
{
	uint64_t left = PERIOD - happened % PERIOD - 1;

	/* A new tick, so that nothing is throttled. */
	sim_clock_advance(PERF_TICK_NS);
	sim_pmu_count(CODE, left);
	happened += left;
}

static void update_page(void *unused)
{
	unsigned long irqs = arch_irq_save();

	(void)unused;
	perf_userpage_update(event_of(fd));
	arch_irq_restore(irqs);
}

static void read_file(void *unused)
{
	uint64_t value;

	(void)unused;
	read_event(fd, &value, sizeof(value));
}

/* The counter moves as long as it is enabled. */
static void overflow(void *unused)
{
	uint64_t before = sim_pmu_counted();

	(void)unused;
	sim_pmu_count(CODE, 1);
	sim_pmu_count(CODE, 4);
	happened += sim_pmu_counted() - before;
}

static void page_is_right(unsigned int place)
{
	EXPECT_EQ_AT(self_monitor(mapping.page), happened, "place %u", place);
	EXPECT_EQ_AT(count_of(fd), happened, "place %u", place);
	EXPECT_EQ_AT(self_monitor(mapping.page), happened, "place %u", place);
}

static void check_race(void (*function)(void *unused))
{
	const struct sim_interruption test = { .before = to_just_before_the_sample,
					       .function = function,
					       .interrupt = overflow,
					       .after = page_is_right };

	start_event(20, PERIOD);
	happened = 0;
	EXPECT(sim_interrupt_everywhere(&test) > 100);
	end_event();
}

static void check_race_update(void)
{
	check_race(update_page);
}

static void check_race_read(void)
{
	check_race(read_file);
}

static const struct tap_rule rules[] = {
	{ "the page has Linux's layout and its constant fields", check_layout },
	{ "self-monitoring is exact at every width from 20 to 64 bits, across every overflow",
	  check_every_width },
	{ "self-monitoring is exact after every single event of a sampling counter",
	  check_sampling },
	{ "while the event does not count, the offset alone is the count", check_not_counting },
	{ "a task that is switched out leaves its page without an index", check_switched_out },
	{ "a page mapped while the counter runs, after a read, is right at once",
	  check_mapped_while_counting },
	{ "whatever the user writes over the page, the next update makes the count right",
	  check_scribbled },
	{ "times follow from the page and the cycle counter; without a conversion the page says so",
	  check_times },
	{ "with a clock of its own choice an event has no time_zero", check_clockid },
	{ "a ring shared by two events has the page of the one that mapped it", check_shared_ring },
	{ "a software event offers no counter", check_software_event },
	{ "an overflow at any instruction of an update leaves a page that is right",
	  check_race_update },
	{ "an overflow at any instruction of a read leaves a page that is right", check_race_read },
};

TAP_MAIN(rules)
