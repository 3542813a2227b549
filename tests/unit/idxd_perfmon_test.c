// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of drivers/idxd/perfmon.c, through system calls, on simulated devices of every width from 8 to 64 bits: the
 * translation of attributes, exact sums over rounds of the counters, groups, refusals.
 */
#include "../../drivers/idxd/idxd.h"
#include "../../drivers/idxd/perfmon.h"

#include "events.h"

enum { WIDTH_LEAST = 8, WIDTH_MOST = 64, WIDTHS = WIDTH_MOST - WIDTH_LEAST + 1, COUNTERS = 3 };
enum { PERFMON = 0x1000, REGISTERS_SIZE = 0x2000 };
enum {
	PERFCAP = 0,
	PERFRST = 0x10,
	PERFFRZ = 0x20,
	OVFSTATUS = 0x30,
	CNTRCFG = 0x100,
	CNTRDATA = 0x200,
	FLTCFG = 0x300
};
#define PERFCAP_FREEZE_INTERRUPT (3ull << 54)

/* The hardware: a counter of each device counts whatever a test says, if it is enabled and not frozen. */
static struct hardware {
	struct idxd_device device;
	uint64_t capabilities, config[COUNTERS], value[COUNTERS];
	uint32_t filter[COUNTERS][8], overflowed, frozen;
	unsigned int freezes, reads;
	bool hold; /* no interrupts */
} hardware[WIDTHS], poor;

/* Called after each access of the driver; NULL: the hardware is idle. */
static void (*between)(struct hardware *h);

static struct hardware *hardware_of(const struct idxd_device *device)
{
	return (struct hardware *)((char *)device - offsetof(struct hardware, device));
}

static unsigned int width_of(const struct hardware *h)
{
	return (unsigned int)(h->capabilities >> 8 & 0xff);
}

static uint64_t mask_of(const struct hardware *h)
{
	return UINT64_MAX >> (64 - width_of(h));
}

/* NUMBER events at counter INDEX, one by one as far as rounds are concerned. */
static void count(struct hardware *h, unsigned int index, uint64_t number)
{
	if (!(h->config[index] & 1) || h->frozen >> index & 1)
		return;
	uint64_t before = h->value[index];

	h->value[index] = (before + number) & mask_of(h);
	if (number <= mask_of(h) - before)
		return;
	h->overflowed |= 1u << index;
	if (!h->hold && (h->config[index] & 2))
		idxd_perfmon_overflow(&h->device);
}

uint32_t idxd_read32(const struct idxd_device *device, uint32_t offset)
{
	struct hardware *h = hardware_of(device);
	uint32_t value = 0;

	offset -= PERFMON;
	if (offset == OVFSTATUS)
		value = h->overflowed;
	if (between)
		between(h);
	return value;
}

uint64_t idxd_read64(const struct idxd_device *device, uint32_t offset)
{
	struct hardware *h = hardware_of(device);
	uint64_t value = 0;

	offset -= PERFMON;
	if (offset == PERFCAP)
		value = h->capabilities;
	if (offset >= CNTRDATA && offset < CNTRDATA + COUNTERS * 8)
		/* Bits above the width are reserved, and may be anything. */
		value = h->value[(offset - CNTRDATA) / 8] | (h->reads++ % 2 ? ~mask_of(h) : 0);
	if (between)
		between(h);
	return value;
}

void idxd_write32(struct idxd_device *device, uint32_t offset, uint32_t value)
{
	struct hardware *h = hardware_of(device);

	offset -= PERFMON;
	if (offset == OVFSTATUS)
		h->overflowed &= ~value;
	if (offset == PERFFRZ) {
		h->freezes += value != 0;
		h->frozen = value;
	}
	if (offset >= FLTCFG && offset < FLTCFG + COUNTERS * 32)
		h->filter[(offset - FLTCFG) / 32][(offset - FLTCFG) % 32 / 4] = value;
	if (between)
		between(h);
}

void idxd_write64(struct idxd_device *device, uint32_t offset, uint64_t value)
{
	struct hardware *h = hardware_of(device);

	offset -= PERFMON;
	if (offset >= CNTRCFG && offset < CNTRCFG + COUNTERS * 8)
		h->config[(offset - CNTRCFG) / 8] = value;
}

static void add_device(struct hardware *h, const char *name, unsigned int width_bits,
		       uint32_t filters)
{
	h->device.perfmon_offset = PERFMON;
	h->device.registers_size = REGISTERS_SIZE;
	snprintf(h->device.name, sizeof(h->device.name), "%s", name);
	h->capabilities = COUNTERS | width_bits << 8 | 5 << 16 | (uint64_t)filters << 36 |
			  PERFCAP_FREEZE_INTERRUPT;
	/* As firmware may leave it. */
	h->overflowed = h->frozen = UINT32_MAX;
	EXPECT_EQ_AT(idxd_perfmon_init(&h->device), 0, "%s", name);
	EXPECT_AT(h->device.perfmon, "%s", name);
	EXPECT_EQ_AT(h->overflowed, 0, "%s", name);
	EXPECT_EQ_AT(h->frozen, 0, "%s", name);
}

/* The PMUs stay for the whole program, as the registry forgets none. */
static void start(unsigned int cpus)
{
	static bool added;
	char name[16];

	if (!added) {
		sim_start(1);
		perf_init();
		for (unsigned int i = 0; i < WIDTHS; i++) {
			snprintf(name, sizeof(name), "dsa%u", i);
			add_device(&hardware[i], name, WIDTH_LEAST + i, 0x1f);
		}
		add_device(&poor, "poor", 32, 0x2);
		sim_task_exit(task_current());
		/* It says that the PMUs are left. */
		sim_end();
		added = true;
	}
	start_machine(cpus, 4, NULL, 0);
}

/* Returns the PMU of H, or NULL. */
static struct pmu *pmu_of(const struct hardware *h)
{
	for (struct pmu *pmu = perf_pmu_next(0); pmu; pmu = perf_pmu_next(pmu->type + 1))
		if (!strcmp(pmu->name, h->device.name))
			return pmu;
	return NULL;
}

static uint32_t type_of(const struct hardware *h)
{
	const struct pmu *pmu = pmu_of(h);

	return pmu ? pmu->type : 0;
}

static struct perf_event_attr attr_of(const struct hardware *h, uint64_t config, uint64_t config1)
{
	return (struct perf_event_attr){ .type = type_of(h),
					 .size = sizeof(struct perf_event_attr),
					 .config = config,
					 .config1 = config1 };
}

/* --- the rules --- */

static void check_translation(void)
{
	struct idxd_counting counting;

	EXPECT_EQ(idxd_counting_of(0x21, 0, 0, &counting), 0);
	EXPECT_EQ(counting.config, 2ull << 32 | 1 << 8 | 3);
	for (unsigned int i = 0; i < IDXD_FILTERS; i++) {
		static const unsigned int shifts[] = { 0, 32, 40, 44, 52 };
		static const uint32_t all[] = { UINT32_MAX, 0xff, 0xf, 0xff, 0xff };

		EXPECT_EQ_AT(counting.filter[i], all[i], "filter %u not given", i);
		EXPECT_EQ_AT(idxd_counting_of(1, 1ull << shifts[i], 1u << i, &counting), 0,
			     "filter %u", i);
		EXPECT_EQ_AT(counting.filter[i], 1, "filter %u", i);
		EXPECT_EQ_AT(idxd_counting_of(1, (uint64_t)all[i] << shifts[i], 1u << i, &counting),
			     0, "filter %u", i);
		EXPECT_EQ_AT(counting.filter[i], all[i], "filter %u", i);
		EXPECT_EQ_AT(idxd_counting_of(1, 1ull << shifts[i], 0x1f & ~(1u << i), &counting),
			     -EINVAL, "filter %u that the device has not", i);
	}
	EXPECT_EQ(idxd_counting_of(0xffffffff, 0, 0, &counting), 0);
	EXPECT_EQ(counting.config, 0xfffffffull << 32 | 0xf << 8 | 3);
	/* As on Linux. */
	EXPECT_EQ(idxd_counting_of(0xffffffff00000013, 0xf000000000000000, 0, &counting), 0);
	EXPECT_EQ(counting.config, 1ull << 32 | 3 << 8 | 3);
}

static void check_counted(void)
{
	EXPECT_EQ(idxd_counted(0, 0, 1, 8), 256);
	EXPECT_EQ(idxd_counted(200, 10, 1, 8), 66);
	EXPECT_EQ(idxd_counted(200, 10, 2, 8), 322);
	EXPECT_EQ(idxd_counted(10, 200, 0, 8), 190);
	EXPECT_EQ(idxd_counted(UINT64_MAX, 1, 1, 64), 2);
	EXPECT_EQ(idxd_counted(1ull << 62, 5, 1, 63), (1ull << 62) + 5);
}

static void check_rounds(void)
{
	for (unsigned int i = 0; i < WIDTHS; i++) {
		struct hardware *h = &hardware[i];
		uint64_t expected = 0;

		start(1);
		int fd = open_event(attr_of(h, 0x11, 0), -1, 0, -1);
		EXPECT_AT(fd >= 0, "width %u", width_of(h));
		/* Steps of up to one whole round: 256 of 8 bits leave the counter where it stood. */
		for (unsigned int j = 0; j < 60; j++) {
			uint64_t step = width_of(h) == 64 ?
						j * 1000000007ull :
						mask_of(h) / 20 * (j % 21) + (j % 21 == 20);

			count(h, 0, step);
			expected += step;
			if (j % 7 == 0)
				EXPECT_EQ_AT(count_of(fd), expected, "width %u, step %u",
					     width_of(h), j);
		}
		EXPECT_EQ_AT(count_of(fd), expected, "width %u", width_of(h));
		end_machine();
	}
}

/* A round that ends exactly where the last update was. */
static void check_whole_round(void)
{
	struct hardware *h = &hardware[0];

	start(1);
	h->value[0] = 0;
	int fd = open_event(attr_of(h, 0x11, 0), -1, 0, -1);
	count(h, 0, 256);
	EXPECT_EQ(count_of(fd), 256);
	end_machine();
}

/* Interrupts are late: a read has the round already, and only once. */
static void check_late_interrupt(void)
{
	struct hardware *h = &hardware[0];
	uint64_t expected = 0;

	start(1);
	int fd = open_event(attr_of(h, 0x11, 0), -1, 0, -1);
	for (unsigned int i = 0; i < 50; i++) {
		h->hold = true;
		count(h, 0, 200 + i);
		expected += 200 + i;
		EXPECT_EQ_AT(count_of(fd), expected, "round %u", i);
		h->hold = false;
		idxd_perfmon_overflow(&h->device);
		EXPECT_EQ_AT(count_of(fd), expected, "round %u, after the interrupt", i);
	}
	end_machine();
}

/* Rounds of several counters are known to the hardware at once; each event has its own. */
static void check_rounds_of_all(void)
{
	struct hardware *h = &hardware[0];
	int fds[COUNTERS];

	start(1);
	for (unsigned int i = 0; i < COUNTERS; i++)
		fds[i] = open_event(attr_of(h, 0x11, 0), -1, 0, -1);
	for (unsigned int round = 1; round < 50; round++) {
		h->hold = round % 2;
		for (unsigned int i = 0; i < COUNTERS; i++)
			count(h, i, 250 + i);
		h->hold = false;
		/* The last one first: what it has must not cost the others theirs. */
		for (unsigned int i = COUNTERS; i-- > 0;)
			if (round % 4 != 2)
				EXPECT_EQ_AT(count_of(fds[i]), round * (250 + i),
					     "counter %u, round %u", i, round);
	}
	end_machine();
}

static uint64_t counted_between;

static void count_between(struct hardware *h)
{
	h->hold = true;
	count(h, 0, 17);
	h->hold = false;
	counted_between += 17;
}

/* The counter runs while the driver looks at it. */
static void check_running(void)
{
	struct hardware *h = &hardware[0];

	start(1);
	int fd = open_event(attr_of(h, 0x11, 0), -1, 0, -1);
	counted_between = 0;
	for (unsigned int i = 0; i < 1000; i++) {
		between = count_between;
		count_of(fd);
		between = NULL;
		EXPECT_EQ_AT(count_of(fd), counted_between, "read %u", i);
	}
	end_machine();
}

static unsigned int accesses, access_that_counts;
static uint64_t counted_at_access;

static void count_at_access(struct hardware *h)
{
	if (accesses++ != access_that_counts)
		return;
	h->hold = true;
	count(h, 0, counted_at_access);
	h->hold = false;
}

/* A counter goes round, its interrupt is late, and a read begins: the next round may come after any of its accesses, but the
 * first, where two rounds have one bit. */
static void check_second_round(void)
{
	struct hardware *h = &hardware[0];
	uint64_t expected = 0;

	start(1);
	int fd = open_event(attr_of(h, 0x11, 0), -1, 0, -1);
	for (access_that_counts = 1; access_that_counts < 8; access_that_counts++)
		for (uint64_t first = 10; first < 256; first += 35)
			for (counted_at_access = 20; counted_at_access < 256;
			     counted_at_access += 47) {
				h->hold = true;
				count(h, 0, first);
				h->hold = false;
				accesses = 0;
				between = count_at_access;
				count_of(fd);
				between = NULL;
				expected += first;
				if (accesses > access_that_counts)
					expected += counted_at_access;
				EXPECT_EQ_AT(count_of(fd), expected, "%lu, and %lu after access %u",
					     first, counted_at_access, access_that_counts);
			}
	end_machine();
}

static void check_filters(void)
{
	struct hardware *h = &hardware[24];

	start(1);
	int fd = open_event(attr_of(h, 0x83, 0x0011000700000001 | 1ull << 32), -1, 0, -1);
	EXPECT_EQ(h->config[0], 8ull << 32 | 3 << 8 | 3);
	EXPECT_EQ(h->filter[0][IDXD_FILTER_QUEUE], 1);
	EXPECT_EQ(h->filter[0][IDXD_FILTER_TC], 7);
	EXPECT_EQ(h->filter[0][IDXD_FILTER_PAGE], 0xf);
	EXPECT_EQ(h->filter[0][IDXD_FILTER_SIZE], 0x10);
	EXPECT_EQ(h->filter[0][IDXD_FILTER_ENGINE], 1);
	sim_fd_close(fd);
	EXPECT_EQ(h->config[0], 0);
	/* Not the last event's. */
	open_event(attr_of(h, 0x83, 0), -1, 0, -1);
	EXPECT_EQ(h->filter[0][IDXD_FILTER_QUEUE], UINT32_MAX);
	EXPECT_EQ(h->filter[0][IDXD_FILTER_ENGINE], 0xff);
	EXPECT_EQ(open_event(attr_of(&poor, 0x83, 1), -1, 0, -1), -EINVAL);
	EXPECT(open_event(attr_of(&poor, 0x83, 1ull << 32), -1, 0, -1) >= 0);
	end_machine();
}

static void check_filters_of_each_counter(void)
{
	struct hardware *h = &hardware[24];

	start(1);
	for (unsigned int i = 0; i < COUNTERS; i++)
		EXPECT_AT(open_event(attr_of(h, 0x83, i + 1), -1, 0, -1) >= 0, "counter %u", i);
	for (unsigned int i = 0; i < COUNTERS; i++) {
		EXPECT_EQ_AT(h->filter[i][IDXD_FILTER_QUEUE], i + 1, "counter %u", i);
		EXPECT_EQ_AT(h->filter[i][IDXD_FILTER_TC], 0xff, "counter %u", i);
		EXPECT_EQ_AT(h->config[i], 8ull << 32 | 3 << 8 | 3, "counter %u", i);
	}
	end_machine();
}

/* A program learns from /sys which filters it may give. */
static void check_formats(void)
{
	static const char *const all[] = { "event_category", "event",	  "filter_wq", "filter_tc",
					   "filter_pgsz",    "filter_sz", "filter_eng" };
	static const char *const few[] = { "event_category", "event", "filter_tc" };

	start(1);
	const struct pmu_attribute *format = pmu_of(&hardware[0])->formats;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		EXPECT_STR(format[i].name ? format[i].name : "none", all[i]);
	EXPECT(!format[sizeof(all) / sizeof(all[0])].name);
	format = pmu_of(&poor)->formats;
	for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); i++)
		EXPECT_STR(format[i].name ? format[i].name : "none", few[i]);
	EXPECT(!format[sizeof(few) / sizeof(few[0])].name);
	end_machine();
}

/* Monitors that Linux does not use either. */
static void check_unusable(void)
{
	const uint64_t good = COUNTERS | 32 << 8 | 5 << 16 | PERFCAP_FREEZE_INTERRUPT;
	static const struct {
		const char *what;
		uint64_t cleared, set;
		uint32_t offset, size;
	} rows[] = {
		{ "no counters", 0x3f, 0, PERFMON, REGISTERS_SIZE },
		{ "33 counters", 0x3f, 33, PERFMON, REGISTERS_SIZE },
		{ "counters of no bits", 0xff00, 0, PERFMON, REGISTERS_SIZE },
		{ "counters of 65 bits", 0xff00, 65 << 8, PERFMON, REGISTERS_SIZE },
		{ "no categories", 0xf0000, 0, PERFMON, REGISTERS_SIZE },
		{ "counters that differ", 0, 1ull << 52, PERFMON, REGISTERS_SIZE },
		{ "no freeze", 1ull << 54, 0, PERFMON, REGISTERS_SIZE },
		{ "no interrupt", 1ull << 55, 0, PERFMON, REGISTERS_SIZE },
		{ "no monitor", 0, 0, 0, REGISTERS_SIZE },
		{ "registers that end inside of it", 0, 0, PERFMON, PERFMON + 0x6fc },
		{ "few registers", 0, 0, PERFMON, 0x600 },
	};
	static struct hardware h;

	start(1);
	snprintf(h.device.name, sizeof(h.device.name), "unusable");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		h.capabilities = (good & ~rows[i].cleared) | rows[i].set;
		h.device.perfmon_offset = rows[i].offset;
		h.device.registers_size = rows[i].size;
		EXPECT_EQ_AT(idxd_perfmon_init(&h.device), 0, "%s", rows[i].what);
		EXPECT_AT(!h.device.perfmon, "%s", rows[i].what);
		EXPECT_AT(!pmu_of(&h), "%s", rows[i].what);
	}
	/* The device's other interrupts may come all the same. */
	idxd_perfmon_overflow(&h.device);
	h.capabilities = good;
	h.device.perfmon_offset = PERFMON;
	h.device.registers_size = REGISTERS_SIZE;
	sim_allocation_fail(1);
	EXPECT_EQ(idxd_perfmon_init(&h.device), -ENOMEM);
	EXPECT(!h.device.perfmon && !pmu_of(&h));
	end_machine();
}

static void check_refusals(void)
{
	struct hardware *h = &hardware[24];
	struct perf_event_attr attr;

	start(2);
	attr = attr_of(h, 0x11, 0);
	EXPECT_EQ(open_event(attr, 0, 0, -1), -EINVAL);
	EXPECT_EQ(open_event(attr, 0, -1, -1), -EINVAL);
	attr.sample_period = 1000;
	EXPECT_EQ(open_event(attr, -1, 0, -1), -EINVAL);
	attr = attr_of(h, 0x11, 0);
	attr.freq = 1;
	attr.sample_freq = 100;
	EXPECT_EQ(open_event(attr, -1, 0, -1), -EINVAL);
	attr = attr_of(h, 0x11, 0);
	attr.exclude_user = 1;
	EXPECT_EQ(open_event(attr, -1, 0, -1), -EINVAL);
	/* A group has one PMU's events, and no more than it has counters. */
	int leader = open_event(attr_of(h, 0x11, 0), -1, 1, -1);
	EXPECT(leader >= 0);
	EXPECT_EQ(open_event(attr_of(&hardware[0], 0x11, 0), -1, 1, leader), -EINVAL);
	for (unsigned int i = 1; i < COUNTERS; i++)
		EXPECT_AT(open_event(attr_of(h, 0x11, 0), -1, 1, leader) >= 0, "member %u", i);
	EXPECT_EQ(open_event(attr_of(h, 0x11, 0), -1, 1, leader), -EINVAL);
	/* Software events need none, and a disabled member does not count, as on Linux. */
	leader = open_event(attr_of(h, 0x11, 0), -1, 1, -1);
	EXPECT(open_event(software_attr(PERF_COUNT_SW_DUMMY), -1, 0, leader) >= 0);
	attr = attr_of(h, 0x11, 0);
	attr.disabled = 1;
	EXPECT(open_event(attr, -1, 1, leader) >= 0);
	for (unsigned int i = 1; i < COUNTERS; i++)
		EXPECT_AT(open_event(attr_of(h, 0x11, 0), -1, 1, leader) >= 0, "member %u", i);
	EXPECT_EQ(open_event(attr_of(h, 0x11, 0), -1, 1, leader), -EINVAL);
	end_machine();
}

/* A member that counted alone would be ahead. */
static void count_group_between(struct hardware *h)
{
	count_between(h);
	count(h, 1, 1);
	count(h, 2, 1);
}

/* All members of a group begin at one moment, and others run on. */
static void check_group_start(void)
{
	struct hardware *h = &hardware[24];
	struct perf_event_attr attr;

	start(2);
	int other = open_event(attr_of(h, 0x11, 0), -1, 0, -1);
	attr = attr_of(h, 0x21, 0);
	attr.disabled = 1;
	int leader = open_event(attr, -1, 1, -1);
	int sibling = open_event(attr_of(h, 0x41, 0), -1, 1, leader);
	between = count_group_between;
	counted_between = 0;
	/* Counter 0 counts at each access, and counters 1 and 2 do, once they are not frozen any more. */
	sim_cpu_set(1);
	EXPECT_EQ(control_event(leader, PERF_EVENT_IOC_ENABLE, 0), 0);
	between = NULL;
	EXPECT_EQ(h->frozen, 0);
	EXPECT_EQ(count_of(other), counted_between);
	uint64_t begun = count_of(leader);
	EXPECT_EQ(count_of(sibling), begun);
	count(h, 1, 5);
	count(h, 2, 5);
	EXPECT_EQ(count_of(leader), begun + 5);
	EXPECT_EQ(count_of(sibling), begun + 5);
	sim_cpu_set(0);
	end_machine();
}

static struct perf_event *read_by_nmi;
static unsigned int nmi_reads;

static void read_event_in_nmi(void *unused)
{
	nmi_reads++;
	read_by_nmi->pmu->read(read_by_nmi);
}

static void nmi_between(struct hardware *h)
{
	if (nmi_reads < 20)
		sim_nmi(read_event_in_nmi, NULL);
}

/* An NMI may come while the lock is held. */
static void check_nmi(void)
{
	struct hardware *h = &hardware[0];
	uint64_t expected = 0;

	start(1);
	int fd = open_event(attr_of(h, 0x11, 0), -1, 0, -1);
	read_by_nmi = event_of(fd);
	for (unsigned int i = 0; i < 10; i++) {
		count(h, 0, 250);
		expected += 250;
		nmi_reads = 0;
		between = nmi_between;
		count_of(fd);
		between = NULL;
		EXPECT_AT(nmi_reads > 0, "read %u", i);
		EXPECT_EQ_AT(count_of(fd), expected, "read %u", i);
	}
	/* One that finds the lock free reads. */
	count(h, 0, 5);
	sim_nmi(read_event_in_nmi, NULL);
	EXPECT_EQ(atomic_load(&event_of(fd)->count), expected + 5);
	end_machine();
}

/* A stop keeps what was counted since the last update. */
static void check_stop(void)
{
	struct hardware *h = &hardware[24];

	start(1);
	int fd = open_event(attr_of(h, 0x11, 0), -1, 0, -1);
	struct perf_event *event = event_of(fd);

	count(h, 0, 7);
	unsigned long irqs = arch_irq_save();
	event->pmu->stop(event, PMU_UPDATE);
	count(h, 0, 1000);
	EXPECT_EQ(atomic_load(&event->count), 7);
	event->pmu->start(event, 0);
	arch_irq_restore(irqs);
	count(h, 0, 5);
	EXPECT_EQ(count_of(fd), 12);
	EXPECT_EQ(control_event(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	count(h, 0, 1000);
	EXPECT_EQ(count_of(fd), 12);
	end_machine();
}

/* A context switch without events of the device leaves the device alone. */
static void check_idle(void)
{
	struct hardware *h = &hardware[24];

	start(1);
	open_event(attr_of(h, 0x11, 0), -1, 0, -1);
	unsigned int freezes = h->freezes;
	struct task *task = sim_task_create();
	struct task *self = task_current();
	for (unsigned int i = 0; i < 10; i++) {
		sim_switch(task);
		sim_switch(self);
	}
	EXPECT_EQ(h->freezes, freezes);
	end_task(task);
	end_machine();
}

/* Groups that do not fit rotate: together they have all of the time. */
static void check_rotation(void)
{
	struct hardware *h = &hardware[24];
	struct timed_count times[COUNTERS + 1];
	uint64_t running_ns = 0;
	int fds[COUNTERS + 1];

	start(1);
	for (unsigned int i = 0; i <= COUNTERS; i++) {
		struct perf_event_attr attr = attr_of(h, 0x11, 0);

		attr.read_format = TIMES;
		fds[i] = open_event(attr, -1, 0, -1);
	}
	sim_clock_advance(40 * PERF_ROTATION_NS);
	for (unsigned int i = 0; i <= COUNTERS; i++) {
		times[i] = timed_count_of(fds[i]);
		running_ns += times[i].running_ns;
		EXPECT_AT(times[i].running_ns > 0, "event %u", i);
	}
	EXPECT_EQ(running_ns, COUNTERS * times[0].enabled_ns);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "an attribute becomes a counter's configuration; a filter that the device lacks is EINVAL",
	  check_translation },
	{ "what a counter counted follows from its positions and rounds", check_counted },
	{ "sums over rounds are exact at every width from 8 to 64 bits", check_rounds },
	{ "a whole round that ends where it began counts", check_whole_round },
	{ "a late interrupt neither loses nor doubles a round", check_late_interrupt },
	{ "rounds of several counters at once are each counter's own", check_rounds_of_all },
	{ "a counter may go round while it is read", check_running },
	{ "a second round counts once, at whichever access of a read it comes",
	  check_second_round },
	{ "an NMI that finds the lock taken leaves the count", check_nmi },
	{ "a counter has its event's filters, and none of the event before", check_filters },
	{ "each counter has its own filters", check_filters_of_each_counter },
	{ "the formats name the filters that a device has", check_formats },
	{ "a monitor that cannot count exactly, or lies outside of the registers, is no PMU",
	  check_unusable },
	{ "task events, sampling, exclusion, mixed and large groups are EINVAL", check_refusals },
	{ "a group begins at one moment, and other counters run on", check_group_start },
	{ "a stopped counter keeps what it has counted", check_stop },
	{ "a context switch does not touch the device", check_idle },
	{ "events that do not fit rotate, and their times add up to all of it", check_rotation },
};

TAP_MAIN(rules)
