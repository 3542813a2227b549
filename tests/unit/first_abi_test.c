// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of kernel/perf/first_abi.c: each field of the attribute becomes the field of perf_event_attr that the
 * table says and no other; values that the text lacks are refused; records, word for word.
 */
#include "mapping.h"
#include <kernel/perf/first_abi.h>
#include <kernel/perf/record.h>
#include <kernel/perf/ring.h>
#include <kernel/perf/settings.h>
#include <uapi/linux/mman.h>

#define CODE 1
#define IP   0x401234

static struct mapping mapping;
static uint64_t record[64];

/* --- the attribute --- */

#define FIELD(field_)                                                           \
	static void set_##field_(struct perf_first_attr *first, uint64_t value) \
	{                                                                       \
		first->field_ = value;                                          \
	}                                                                       \
	static uint64_t get_##field_(const struct perf_first_attr *first)       \
	{                                                                       \
		return first->field_;                                           \
	}
#define LATER(field_)                                                      \
	static uint64_t later_##field_(const struct perf_event_attr *attr) \
	{                                                                  \
		return attr->field_;                                       \
	}
#define BOTH(field_) FIELD(field_) LATER(field_)

FIELD(config)
FIELD(irq_period)
FIELD(record_type)
BOTH(read_format)
BOTH(disabled)
BOTH(inherit)
BOTH(pinned)
BOTH(exclusive)
BOTH(exclude_user)
BOTH(exclude_kernel)
BOTH(exclude_hv)
BOTH(exclude_idle)
BOTH(mmap)
FIELD(munmap)
BOTH(comm)
FIELD(reserved_1)
FIELD(extra_config_len)
BOTH(wakeup_events)
FIELD(reserved_2)
FIELD(reserved_3)
LATER(type)
LATER(config)
LATER(sample_period)
LATER(sample_type)

#define SET(field_, value_)   .set = set_##field_, .get = get_##field_, .value = (value_)
#define GIVES(field_, value_) .later = later_##field_, .result = (value_)
#define FIRST_ABI	      PERF_SAMPLE_FIRST_ABI

static const struct row {
	void (*set)(struct perf_first_attr *first, uint64_t value);
	uint64_t (*get)(const struct perf_first_attr *first);
	uint64_t value;
	uint64_t (*later)(const struct perf_event_attr *attr); /* NULL: refused */
	uint64_t result;
} rows[] = {
	{ SET(config, 1ull << 63), GIVES(type, PERF_TYPE_RAW) },
	{ SET(config, 1ull << 63 | 0x4064), GIVES(config, 0x4064) },
	{ SET(config, UINT64_MAX), GIVES(config, INT64_MAX) },
	{ SET(config, 9), GIVES(config, PERF_COUNT_HW_REF_CPU_CYCLES) },
	{ SET(config, 9), GIVES(type, PERF_TYPE_HARDWARE) },
	{ SET(config, 10) },
	{ SET(config, 1ull << 56 | 8), GIVES(config, PERF_COUNT_SW_EMULATION_FAULTS) },
	{ SET(config, 1ull << 56), GIVES(type, PERF_TYPE_SOFTWARE) },
	{ SET(config, 1ull << 56 | 9) },
	{ SET(config, 2ull << 56 | ((1ull << 56) - 1)), GIVES(config, (1ull << 56) - 1) },
	{ SET(config, 2ull << 56), GIVES(type, PERF_TYPE_TRACEPOINT) },
	{ SET(config, 3ull << 56) },
	{ SET(config, 4ull << 56) },
	{ SET(config, 127ull << 56) },
	{ SET(irq_period, 1), GIVES(sample_period, 1) },
	{ SET(irq_period, UINT64_MAX), GIVES(sample_period, UINT64_MAX) }, /* attr.c refuses it */
	{ SET(record_type, 0), GIVES(sample_type, FIRST_ABI) },
	{ SET(record_type, 1), GIVES(sample_type, FIRST_ABI | PERF_SAMPLE_IP) },
	{ SET(record_type, 2), GIVES(sample_type, FIRST_ABI | PERF_SAMPLE_TID) },
	{ SET(record_type, 4), GIVES(sample_type, FIRST_ABI | PERF_SAMPLE_TIME) },
	{ SET(record_type, 8), GIVES(sample_type, FIRST_ABI | PERF_SAMPLE_ADDR) },
	{ SET(record_type, 16), GIVES(sample_type, FIRST_ABI | PERF_SAMPLE_FIRST_GROUP) },
	{ SET(record_type, 32), GIVES(sample_type, FIRST_ABI | PERF_SAMPLE_CALLCHAIN) },
	{ SET(record_type, 64) },
	{ SET(record_type, 1u << 31) },
	{ SET(read_format, 1), GIVES(read_format, PERF_FORMAT_TOTAL_TIME_ENABLED) },
	{ SET(read_format, 2), GIVES(read_format, PERF_FORMAT_TOTAL_TIME_RUNNING) },
	{ SET(read_format, 4) },
	{ SET(read_format, 8) },
	{ SET(read_format, 1u << 31) },
	{ SET(disabled, 1), GIVES(disabled, 1) },
	{ SET(inherit, 1), GIVES(inherit, 1) },
	{ SET(pinned, 1), GIVES(pinned, 1) },
	{ SET(exclusive, 1), GIVES(exclusive, 1) },
	{ SET(exclude_user, 1), GIVES(exclude_user, 1) },
	{ SET(exclude_kernel, 1), GIVES(exclude_kernel, 1) },
	{ SET(exclude_hv, 1), GIVES(exclude_hv, 1) },
	{ SET(exclude_idle, 1), GIVES(exclude_idle, 1) },
	{ SET(mmap, 1), GIVES(mmap, 1) },
	{ SET(munmap, 1), GIVES(sample_type, FIRST_ABI | PERF_SAMPLE_FIRST_MUNMAP) },
	{ SET(comm, 1), GIVES(comm, 1) },
	{ SET(reserved_1, 1) },
	{ SET(reserved_1, 1ull << 51) },
	{ SET(extra_config_len, 1) },
	{ SET(wakeup_events, UINT32_MAX), GIVES(wakeup_events, UINT32_MAX) },
	{ SET(reserved_2, 1) },
	{ SET(reserved_3, 1ull << 63) },
};

static void every_row_of_the_table(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_first_attr first = { 0 };
		struct perf_event_attr attr;

		rows[i].set(&first, rows[i].value);
		EXPECT_EQ_AT(rows[i].get(&first), rows[i].value, "row %zu", i);
		int error = perf_first_translate(&first, &attr);
		EXPECT_EQ_AT(error, rows[i].later ? 0 : -EINVAL, "row %zu", i);
		if (rows[i].later)
			EXPECT_EQ_AT(rows[i].later(&attr), rows[i].result, "row %zu", i);
		if (!error)
			EXPECT_EQ_AT(perf_first_config(&attr), first.config, "row %zu", i);
	}
}

/* Sets one field and takes it out of the result again: nothing else has changed. */
static void a_field_changes_no_other(void)
{
	const struct perf_first_attr none = { 0 };
	struct perf_event_attr plain, attr;

	EXPECT_EQ(perf_first_translate(&none, &plain), 0);
	for (unsigned int bit = 0; bit < 11; bit++) {
		struct perf_first_attr first = { 0 };
		uint64_t word = 1ull << bit;
		unsigned int changed = 0;

		memcpy((char *)&first + 24, &word, sizeof(word));
		EXPECT_EQ_AT(perf_first_translate(&first, &attr), 0, "bit %u", bit);
		for (size_t i = 0; i < sizeof(attr) / 8; i++) {
			uint64_t before, after;

			memcpy(&before, (char *)&plain + 8 * i, 8);
			memcpy(&after, (char *)&attr + 8 * i, 8);
			changed += (unsigned int)__builtin_popcountll(before ^ after);
		}
		EXPECT_EQ_AT(changed, 1, "bit %u", bit);
	}
}

/* --- the call --- */

static void start(void)
{
	start_machine(1, 4, NULL, 0);
	sim_frame_set(IP, true);
}

static struct perf_first_attr raw_attr(void)
{
	return (struct perf_first_attr){ .config = PERF_FIRST_RAW | CODE };
}

static int open_first(struct perf_first_attr first, pid_t pid, int cpu, int group_fd)
{
	return (int)perf_event_open(&first, pid, cpu, group_fd, PERF_FLAG_FIRST_ABI);
}

static void the_flag_stands_alone(void)
{
	struct perf_first_attr first = raw_attr();

	start();
	EXPECT_EQ(perf_event_open(&first, 0, -1, -1, PERF_FLAG_FIRST_ABI | PERF_FLAG_FD_CLOEXEC),
		  -EINVAL);
	EXPECT_EQ(perf_event_open(&first, 0, -1, -1, PERF_FLAG_FIRST_ABI >> 1), -EINVAL);
	for (size_t byte = 0; byte < sizeof(first); byte++) {
		sim_user_fault_set((char *)&first + byte, 1);
		EXPECT_EQ_AT(perf_event_open(&first, 0, -1, -1, PERF_FLAG_FIRST_ABI), -EFAULT,
			     "byte %zu", byte);
	}
	sim_user_fault_set(&first, 0);
	first.config = 2ull << 56 | 0xffffff; /* no such tracepoint */
	EXPECT_EQ(perf_event_open(&first, 0, -1, -1, PERF_FLAG_FIRST_ABI), -EINVAL);
	first = raw_attr();
	first.irq_period = 1ull << 63;
	EXPECT_EQ(perf_event_open(&first, 0, -1, -1, PERF_FLAG_FIRST_ABI), -EINVAL);
	end_machine();
}

static void groups_are_of_one_abi(void)
{
	start();
	int first = open_first(raw_attr(), 0, -1, -1),
	    later = open_event(hardware_attr(CODE), 0, -1, -1);

	EXPECT(first >= 0 && later >= 0);
	EXPECT_EQ(open_first(raw_attr(), 0, -1, later), -EBADF);
	EXPECT_EQ(open_event(hardware_attr(CODE), 0, -1, first), -EBADF);
	int member = open_first(raw_attr(), 0, -1, first);
	EXPECT(member >= 0);
	sim_pmu_count(CODE, 5);
	EXPECT_EQ(count_of(first), 5);
	EXPECT_EQ(count_of(member), 5);
	EXPECT_EQ(control_event(first, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP), 0);
	sim_pmu_count(CODE, 5);
	EXPECT_EQ(count_of(member), 5);
	EXPECT_EQ(control_event(first, PERF_EVENT_IOC_RESET, 0), -ENOTTY);
	EXPECT_EQ(control_event(first, PERF_EVENT_IOC_REFRESH, 1), -EINVAL);
	end_machine();
}

/* --- records --- */

static uint64_t header(uint32_t type, uint16_t misc, uint16_t size)
{
	return type | (uint64_t)misc << 32 | (uint64_t)size << 48;
}

static uint64_t pair(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static const struct perf_first_page *page(void)
{
	return (const struct perf_first_page *)mapping.page;
}

/* Takes one record and compares it with the COUNT words of EXPECTED. */
static void expect_record(const uint64_t *expected, unsigned int count, const char *what)
{
	size_t size = count * sizeof(uint64_t), ring = mapping.data_pages * PAGE_SIZE;

	EXPECT_AT(page()->data_head >= mapping.read + size, "%s", what);
	for (unsigned int i = 0; i < count; i++, mapping.read += sizeof(uint64_t)) {
		uint64_t at = mapping.read % ring;

		memcpy(&record[i], mapping.data[at / PAGE_SIZE] + at % PAGE_SIZE, sizeof(uint64_t));
		EXPECT_EQ_AT(record[i], expected[i], "%s, word %u", what, i);
	}
}
#define EXPECT_RECORD(what, ...)                                              \
	do {                                                                  \
		const uint64_t words[] = { __VA_ARGS__ };                     \
		expect_record(words, sizeof(words) / sizeof(words[0]), what); \
	} while (0)

static void an_overflow_has_its_fields(void)
{
	struct perf_first_attr first = raw_attr();

	start();
	first.irq_period = 100;
	first.record_type = PERF_FIRST_RECORD_ALL & ~PERF_FIRST_RECORD_CALLCHAIN;
	int fd = open_first(first, 0, -1, -1);
	int member = open_first(raw_attr(), 0, -1, fd);
	EXPECT(member >= 0);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_clock_advance(77);
	sim_pmu_count(CODE, 100);
	EXPECT_RECORD("all fields",
		      header(first.record_type, PERF_FIRST_MISC_OVERFLOW | PERF_RECORD_MISC_USER,
			     80),
		      IP, pair(1, 1), clock_ns(), 0, 2, first.config, 100, first.config, 100);
	sim_frame_set(0xffffffff80001000, false);
	sim_pmu_count(CODE, 100);
	EXPECT_RECORD("in the kernel",
		      header(first.record_type, PERF_FIRST_MISC_OVERFLOW | PERF_RECORD_MISC_KERNEL,
			     80),
		      0xffffffff80001000, pair(1, 1), clock_ns(), 0, 2, first.config, 200,
		      first.config, 200);
	EXPECT_EQ(page()->data_head, mapping.read);
	unmap_event(&mapping);
	end_machine();
}

/* The head counts the addresses of each part; marks are left out. */
static void a_call_chain_has_its_parts(void)
{
	/* Each frame has the caller's frame, and where it returns to. */
	static uintptr_t stack[4];
	struct perf_first_attr first = raw_attr();

	start();
	stack[0] = (uintptr_t)&stack[2];
	stack[1] = 0x11;
	stack[2] = 0;
	stack[3] = 0x22;
	task_current()->arch.user_frame = *sim_frame();
	first.irq_period = 100;
	first.record_type = PERF_FIRST_RECORD_CALLCHAIN;
	int fd = open_first(first, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_frame_set(0xffffffff80001000, false);
	sim_stack_set(stack, sizeof(stack), (uintptr_t)stack, (uintptr_t)stack);
	sim_pmu_count(CODE, 100);
	EXPECT_RECORD("kernel and user",
		      header(PERF_FIRST_RECORD_CALLCHAIN,
			     PERF_FIRST_MISC_OVERFLOW | PERF_RECORD_MISC_KERNEL, 48),
		      4 | 3ull << 32 | 1ull << 48, 0xffffffff80001000, 0x11, 0x22, IP);
	sim_frame_set(IP, true);
	sim_stack_set(stack, sizeof(stack), (uintptr_t)stack, (uintptr_t)stack);
	sim_pmu_count(CODE, 100);
	EXPECT_RECORD("user",
		      header(PERF_FIRST_RECORD_CALLCHAIN,
			     PERF_FIRST_MISC_OVERFLOW | PERF_RECORD_MISC_USER, 40),
		      3 | 3ull << 48, IP, 0x11, 0x22);
	EXPECT_EQ(page()->data_head, mapping.read);
	unmap_event(&mapping);
	end_machine();
}

/* Even where perf_event_open's page names another area. */
static void a_mapping_begins_with_the_page(void)
{
	start();
	int fd = open_first(raw_attr(), 0, -1, -1);
	struct file *file = sim_fd_file(fd);
	struct vm_area area = { .start = 0x20000000,
				.end = 0x20000000 + PAGE_SIZE,
				.offset = 2 * PAGE_SIZE,
				.prot = VM_READ | VM_WRITE,
				.shared = true,
				.file = file,
				.space = task_current()->space };

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	struct perf_event_mmap_page *named = (struct perf_event_mmap_page *)mapping.page;
	named->aux_offset = area.offset;
	named->aux_size = PAGE_SIZE;
	EXPECT_EQ(file->ops->mmap(file, &area), -EINVAL);
	unmap_event(&mapping);
	end_machine();
}

static void the_ring_wraps(void)
{
	struct perf_first_attr first = raw_attr();

	start();
	first.irq_period = 1;
	first.record_type = PERF_FIRST_RECORD_IP;
	int fd = open_first(first, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	EXPECT_EQ(page()->version, 0);
	EXPECT_EQ(page()->compat_version, 0);
	/* Twice around, a few in each tick. */
	for (unsigned int i = 0; i < PAGE_SIZE / 16 * 2; i++) {
		sim_pmu_count(CODE, 1);
		sim_clock_advance(100000);
	}
	EXPECT_EQ(page()->data_head, 2 * PAGE_SIZE);
	for (unsigned int i = 0; i < PAGE_SIZE / 16; i++)
		EXPECT_RECORD("overwritten",
			      header(1, PERF_FIRST_MISC_OVERFLOW | PERF_RECORD_MISC_USER, 16), IP);
	EXPECT_EQ(atomic_load(&event_of(fd)->lost), 0);
	unmap_event(&mapping);
	end_machine();
}

static void data_head_is_modulo_2_to_32(void)
{
	struct perf_first_attr first = raw_attr();

	start();
	first.irq_period = 1;
	int fd = open_first(first, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	/* As after 4 GiB of records but one. */
	struct perf_ring *ring = atomic_load(&event_of(fd)->ring);

	atomic_store(&ring->head, (1ull << 32) - 8);
	sim_pmu_count(CODE, 1);
	EXPECT_EQ(page()->data_head, 0);
	sim_pmu_count(CODE, 1);
	EXPECT_EQ(page()->data_head, 8);
	unmap_event(&mapping);
	end_machine();
}

static void the_page_gives_the_count(void)
{
	start();
	int fd = open_first(raw_attr(), 0, -1, -1);

	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	sim_pmu_count(CODE, 1234);
	uint32_t lock = page()->lock;
	EXPECT(page()->index > 0);
	EXPECT_EQ((uint64_t)page()->offset +
			  (uint64_t)perf_sign_extend(sim_pmu_read_counter(page()->index - 1), 48),
		  1234);
	control_event(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT(page()->lock != lock);
	EXPECT_EQ(page()->index, 0);
	EXPECT_EQ(page()->offset, 1234);
	EXPECT_EQ(page()->data_head, 0);
	unmap_event(&mapping);
	end_machine();
}

static void side_band_records(void)
{
	struct perf_first_attr first = raw_attr();
	struct perf_mapping code = { .start = 0x10000,
				     .length = 0x3000,
				     .offset = 0x5000,
				     .prot = PROT_EXEC,
				     .name = "/bin/a" };
	uint64_t name = 0;

	memcpy(&name, code.name, 7);
	start();
	first.mmap = first.munmap = first.comm = 1;
	int fd = open_first(first, 0, -1, -1);
	EXPECT_EQ(map_event(&mapping, fd, 1), 0);
	perf_task_mapped(&code);
	EXPECT_RECORD("MMAP", header(1, PERF_RECORD_MISC_USER, 48), pair(1, 1), 0x10000, 0x3000,
		      0x5000, name);
	perf_first_unmapped(&code);
	EXPECT_RECORD("MUNMAP", header(2, PERF_RECORD_MISC_USER, 48), pair(1, 1), 0x10000, 0x3000,
		      0x5000, name);
	code.prot = PROT_READ;
	perf_task_mapped(&code);
	perf_first_unmapped(&code);
	perf_record_throttle(event_of(fd), true, clock_ns());
	EXPECT_EQ(page()->data_head, mapping.read);
	uint32_t before = page()->data_head;
	perf_task_renamed(task_current(), true);
	uint32_t size = page()->data_head - before;
	uint64_t word;
	memcpy(&word, mapping.data[0] + before, sizeof(word));
	EXPECT_EQ_AT(word, header(3, 0, (uint16_t)size), "%s", "COMM of exec has no misc");
	unmap_event(&mapping);
	end_machine();
}

static void prctl_concerns_events_on_the_caller(void)
{
	start();
	int first = open_first(raw_attr(), 0, -1, -1);
	int later = open_event(hardware_attr(CODE), 0, -1, -1);

	perf_events_disown(task_current());
	perf_task_events_set(false);
	sim_pmu_count(CODE, 7);
	EXPECT_EQ(count_of(first), 0);
	EXPECT_EQ(count_of(later), 7);
	perf_task_events_set(true);
	sim_pmu_count(CODE, 7);
	EXPECT_EQ(count_of(first), 7);
	end_machine();
}

static const struct tap_rule rules[] = {
	{ "each value becomes what the table says, or is refused", every_row_of_the_table },
	{ "a bit of the attribute changes one bit", a_field_changes_no_other },
	{ "the flag stands alone; bad pointers fault", the_flag_stands_alone },
	{ "a group has events of one ABI", groups_are_of_one_abi },
	{ "an overflow's record has its fields in order", an_overflow_has_its_fields },
	{ "a call chain has its parts, and no marks", a_call_chain_has_its_parts },
	{ "a mapping begins with the page", a_mapping_begins_with_the_page },
	{ "the ring wraps and loses no record of its own", the_ring_wraps },
	{ "data_head is modulo 2^32", data_head_is_modulo_2_to_32 },
	{ "the page gives the count", the_page_gives_the_count },
	{ "MMAP, MUNMAP and COMM; no other records", side_band_records },
	{ "prctl concerns the events on the caller", prctl_concerns_events_on_the_caller },
};

TAP_MAIN(rules)
