// SPDX-License-Identifier: BSD-2-Clause
/*
 * The result of perf_event_open for every single deviation from a valid request: one field or bit at a time,
 * so that no error hides another. Most rows start from an event that every kernel has (the dummy);
 * the tables say which numbers are tried.
 */
#include "observe.h"

static void try_attr(const union attr *attr, const char *name, long number)
{
	long fd = open_event(attr, 0, -1, -1, 0);

	show(outcome(fd), "%s %ld", name, number);
	if (fd >= 0)
		close((int)fd);
}

/* Sizes around each version's (64 + 8 n bytes), zero, and above what the kernel knows. */
static void sizes(void)
{
	static const uint32_t tried[] = { 0,	1,    8,    63,		64,	   65,	71,
					  72,	80,   88,   96,		100,	   104, 112,
					  120,	128,  129,  136,	137,	   144, 1024,
					  4095, 4096, 4097, 0x7fffffff, 0xffffffff };
	union attr attr;

	for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++) {
		attr_dummy(&attr);
		attr.fields.size = tried[i];
		try_attr(&attr, "size", tried[i]);
		show(outcome_value(attr.fields.size), "size left after size %u", tried[i]);
	}
	attr_dummy(&attr);
	attr.fields.size = 144;
	attr.bytes[143] = 1;
	try_attr(&attr, "size with a byte set that no kernel knows", 144);
	show(outcome_value(attr.fields.size), "size left after that");
	attr_dummy(&attr);
	attr.fields.size = 64;
	attr.words[8] = ~0ULL;
	try_attr(&attr, "size without the field that is bad", 64);
}

static void types(void)
{
	union attr attr;

	for (uint32_t type = 0; type < 12; type++) {
		attr_dummy(&attr);
		attr.fields.type = type;
		attr.fields.config = 0x00c0;
		try_attr(&attr, "config 0xc0 of type", type);
	}
	for (uint64_t config = 0; config < 14; config++) {
		attr_dummy(&attr);
		attr.fields.type = PERF_TYPE_HARDWARE;
		attr.fields.config = config;
		try_attr(&attr, "hardware event", (long)config);
		attr.fields.type = PERF_TYPE_SOFTWARE;
		try_attr(&attr, "software event", (long)config);
		attr.fields.type = PERF_TYPE_HW_CACHE;
		attr.fields.config = (config % 7) | (config / 7) << 8;
		try_attr(&attr, "cache event", (long)attr.fields.config);
	}
	attr_dummy(&attr);
	attr.fields.type = 0xffffffff;
	try_attr(&attr, "type of all ones", -1);
	attr_dummy(&attr);
	attr.fields.config = ~0ULL;
	try_attr(&attr, "software event of all ones", -1);
	attr.fields.type = PERF_TYPE_HARDWARE;
	try_attr(&attr, "hardware event of all ones", -1);
}

/* The configuration's bits of the raw type: which of them the PMU's driver takes. */
static void raw_bits(void)
{
	union attr attr;

	for (int bit = 0; bit < 64; bit++) {
		attr_dummy(&attr);
		attr.fields.type = PERF_TYPE_RAW;
		attr.fields.config = 0xc0 ^ 1ULL << bit;
		try_attr(&attr, "raw 0xc0 with the other value of bit", bit);
	}
}

/* One bit at a time in each word of the attribute that is a set of bits. */
static void bits(void)
{
	static const struct {
		const char *name;
		int word;
		int first_bit, bits;
		bool sampling;
	} fields[] = {
		{ "sample_type bit", 3, 0, 64, false },
		{ "sample_type bit when sampling", 3, 0, 64, true },
		{ "read_format bit", 4, 0, 64, false },
		{ "flag bit", WORD_FLAGS, 0, 64, false },
		{ "flag bit when sampling", WORD_FLAGS, 0, 64, true },
		{ "bp_type or wakeup bit", 6, 0, 64, false },
		{ "config1 bit", 7, 0, 64, false },
		{ "config2 bit", 8, 0, 64, false },
		{ "branch_sample_type bit", 9, 0, 64, false },
		{ "sample_regs_user bit", 10, 0, 64, false },
		{ "sample_stack_user or clockid bit", 11, 0, 64, false },
		{ "sample_regs_intr bit", 12, 0, 64, false },
		{ "aux_watermark, sample_max_stack or reserved bit", 13, 0, 64, false },
		{ "aux_sample_size or reserved bit", 14, 0, 64, false },
		{ "sig_data bit", 15, 0, 64, false },
		{ "config3 bit", WORD_CONFIG3, 0, 64, false },
	};
	union attr attr;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		for (int bit = fields[i].first_bit; bit < fields[i].bits; bit++) {
			attr_instructions(&attr);
			if (fields[i].sampling)
				attr.fields.sample_period = 1000000;
			attr.words[fields[i].word] ^= 1ULL << bit;
			try_attr(&attr, fields[i].name, bit);
		}
	}
}

/* Fields that mean something only together with a sample_type. */
static void sample_fields(void)
{
	static const struct {
		const char *name;
		uint64_t sample_type;
		int word;
		uint64_t value;
	} rows[] = {
		{ "branch stack of nothing", PERF_SAMPLE_BRANCH_STACK, 9, 0 },
		{ "branch stack of user branches", PERF_SAMPLE_BRANCH_STACK, 9,
		  PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY },
		{ "branch stack of an unknown kind", PERF_SAMPLE_BRANCH_STACK, 9, 1ULL << 40 },
		{ "user registers, none", PERF_SAMPLE_REGS_USER, 10, 0 },
		{ "user registers, ip", PERF_SAMPLE_REGS_USER, 10, 1 << 8 },
		{ "user registers, one that is not there", PERF_SAMPLE_REGS_USER, 10, 1ULL << 63 },
		{ "interrupted registers, ip", PERF_SAMPLE_REGS_INTR, 12, 1 << 8 },
		{ "user stack of no bytes", PERF_SAMPLE_STACK_USER, 11, 0 },
		{ "user stack of 8 bytes", PERF_SAMPLE_STACK_USER, 11, 8 },
		{ "user stack of 12 bytes", PERF_SAMPLE_STACK_USER, 11, 12 },
		{ "user stack of 65528 bytes", PERF_SAMPLE_STACK_USER, 11, 65528 },
		{ "user stack of 65536 bytes", PERF_SAMPLE_STACK_USER, 11, 65536 },
		{ "call chain of 10", PERF_SAMPLE_CALLCHAIN, 13, 10ULL << 32 },
		{ "call chain of 127", PERF_SAMPLE_CALLCHAIN, 13, 127ULL << 32 },
		{ "call chain of 128", PERF_SAMPLE_CALLCHAIN, 13, 128ULL << 32 },
		{ "auxiliary sample", PERF_SAMPLE_AUX, 14, 64 },
		{ "weight and weight structure", PERF_SAMPLE_WEIGHT | 1ULL << 24, 0, 0 },
	};
	union attr attr;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		attr_instructions(&attr);
		attr.fields.sample_period = 1000000;
		attr.fields.sample_type = rows[i].sample_type;
		if (rows[i].word)
			attr.words[rows[i].word] = rows[i].value;
		try_attr(&attr, rows[i].name, 0);
	}
}

static void periods(void)
{
	static const uint64_t tried[] = { 0,	      1,	  2,	      1000, 1ULL << 31,
					  1ULL << 47, 1ULL << 62, 1ULL << 63, ~0ULL };
	static const uint64_t frequencies[] = { 0, 1, 1000, 1ULL << 32, 1ULL << 63, ~0ULL };
	union attr attr;

	for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++) {
		attr_instructions(&attr);
		attr.fields.sample_period = tried[i];
		try_attr(&attr, "sample_period", (long)tried[i]);
	}
	for (size_t i = 0; i < sizeof(frequencies) / sizeof(frequencies[0]); i++) {
		attr_instructions(&attr);
		attr.fields.freq = 1;
		attr.fields.sample_freq = frequencies[i];
		try_attr(&attr, "sample_freq", (long)frequencies[i]);
	}
	for (int precise = 0; precise < 4; precise++) {
		attr_instructions(&attr);
		attr.fields.precise_ip = precise;
		attr.fields.sample_period = 1000000;
		try_attr(&attr, "precise_ip", precise);
	}
}

static void targets(void)
{
	static const struct {
		int pid, cpu;
	} rows[] = {
		{ 0, -1 },	{ 0, 0 },	    { -1, 0 },		{ -1, -1 },
		{ 0, -2 },	{ 0, 99 },	    { 0, 0x7fffffff },	{ -1, 99 },
		{ -2, -1 },	{ -2, 0 },	    { 1, -1 },		{ 1, 0 },
		{ 999999, -1 }, { 0x7fffffff, -1 }, { -0x7fffffff, 0 },
	};
	union attr attr;

	attr_dummy(&attr);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		long fd = open_event(&attr, rows[i].pid, rows[i].cpu, -1, 0);

		show(outcome(fd), "pid %d on cpu %d", rows[i].pid, rows[i].cpu);
		if (fd >= 0)
			close((int)fd);
	}
}

static void open_flags(void)
{
	union attr attr;

	attr_dummy(&attr);
	for (int bit = 0; bit < 64; bit++) {
		long fd = open_event(&attr, 0, -1, -1, 1UL << bit);

		show(outcome(fd), "flags bit %d", bit);
		if (fd >= 0)
			close((int)fd);
	}
}

static void groups(void)
{
	union attr attr, sibling;
	int leader, member, other_cpu;
	long fd;

	attr_dummy(&attr);
	leader = must_open(&attr, -1);
	member = must_open(&attr, leader);
	show("ok", "a sibling of a leader");
	show(outcome(open_event(&attr, 0, -1, member, 0)), "a sibling of a sibling");
	show(outcome(open_event(&attr, 0, -1, -2, 0)), "group_fd -2");
	show(outcome(open_event(&attr, 0, -1, 999, 0)), "group_fd that is not open");
	show(outcome(open_event(&attr, 0, -1, STDOUT_FILENO, 0)), "group_fd that is no event");
	show(outcome(open_event(&attr, 0, 0, leader, 0)),
	     "a sibling on one cpu of a leader on all");
	show(outcome(open_event(&attr, -1, 0, leader, 0)),
	     "a sibling of a cpu with a leader of a task");
	other_cpu = (int)open_event(&attr, -1, 0, -1, 0);
	show(outcome(other_cpu), "a leader of a cpu");
	fd = open_event(&attr, 0, -1, other_cpu, 0);
	show(outcome(fd), "a sibling of a task with a leader of a cpu");

	attr_dummy(&sibling);
	sibling.fields.exclusive = 1;
	show(outcome(open_event(&sibling, 0, -1, leader, 0)), "an exclusive sibling");
	attr_dummy(&sibling);
	sibling.fields.pinned = 1;
	show(outcome(open_event(&sibling, 0, -1, leader, 0)), "a pinned sibling");
	attr_dummy(&sibling);
	sibling.fields.inherit = 1;
	show(outcome(open_event(&sibling, 0, -1, leader, 0)), "a sibling that is inherited");
	attr_dummy(&sibling);
	sibling.fields.inherit = 1;
	sibling.fields.read_format = PERF_FORMAT_GROUP;
	show(outcome(open_event(&sibling, 0, -1, -1, 0)), "inherited with PERF_FORMAT_GROUP");
	attr_instructions(&sibling);
	show(outcome(open_event(&sibling, 0, -1, leader, 0)),
	     "a hardware sibling of a software leader");
	show(outcome(open_event(&attr, 0, -1, leader, PERF_FLAG_FD_OUTPUT)), "PERF_FLAG_FD_OUTPUT");
	show(outcome(open_event(&attr, 0, -1, leader, PERF_FLAG_FD_NO_GROUP)),
	     "PERF_FLAG_FD_NO_GROUP");
	show(outcome(open_event(&attr, 0, -1, -1, PERF_FLAG_FD_OUTPUT)),
	     "PERF_FLAG_FD_OUTPUT to none");
	show(outcome(open_event(&attr, STDOUT_FILENO, 0, -1, PERF_FLAG_PID_CGROUP)),
	     "a cgroup that is none");
	show(outcome(open_event(&attr, 0, -1, -1, PERF_FLAG_PID_CGROUP)), "a cgroup on all cpus");
}

static void pointers(void)
{
	unsigned char *page = page_before_a_hole();
	union attr attr;
	static const struct {
		const char *name;
		uint64_t address;
	} rows[] = {
		{ "attr at 0", 0 },
		{ "attr at 8", 8 },
		{ "attr at the end of user space", 0x7ffffffff000 },
		{ "attr at a non-canonical address", 0x800000000000 },
		{ "attr in the kernel", 0xffffffff81000000 },
		{ "attr at the highest address", 0xfffffffffffffff8 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		show(outcome(open_event((void *)rows[i].address, 0, -1, -1, 0)), "%s",
		     rows[i].name);

	attr_dummy(&attr);
	for (int inside = 0; inside <= ATTR_BYTES; inside += 4) {
		long fd;

		memcpy(page + PAGE_BYTES - inside, &attr, inside);
		fd = open_event(page + PAGE_BYTES - inside, 0, -1, -1, 0);
		show(outcome(fd), "attr with %d bytes before a hole", inside);
		if (fd >= 0)
			close((int)fd);
	}
	/* A size that is too large is written back: to memory that cannot be written, too. */
	attr.fields.size = 4097;
	memcpy(page, &attr, sizeof(attr.fields));
	mprotect(page, PAGE_BYTES, PROT_READ);
	show(outcome(open_event(page, 0, -1, -1, 0)), "too large a size in read-only memory");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, PAGE_BYTES);
	sizes();
	types();
	raw_bits();
	bits();
	sample_fields();
	periods();
	targets();
	open_flags();
	groups();
	pointers();
	return 0;
}
