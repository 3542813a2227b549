// SPDX-License-Identifier: BSD-2-Clause
/*
 * The error of a request that has several faults, or parts that exclude each other. The requests are made of
 * random parts, the same on every run, against groups, tasks, CPUs and outputs of all kinds. To look for a
 * difference, run `observe_faults NUMBER`: it shows the parts of the request of that number.
 */
#include "observe.h"

#include <signal.h>
#include <sys/wait.h>

enum { REQUESTS = 6000, LEADERS = 8, NO_TASK = 999999, NO_CPU = 99 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PICK(array)  ((array)[below(COUNT(array))])

static uint64_t state;

/* Marsaglia's xorshift. */
static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t below(uint64_t limit)
{
	return next() % limit;
}

static bool one_in(uint64_t count)
{
	return below(count) == 0;
}

static uint64_t one_bit(uint64_t bits)
{
	return 1ull << below(bits);
}

/* Events that others are to be members of, or to write to: of each kind one. */
static int leaders[LEADERS];
static pid_t child;

static void open_leaders(void)
{
	union attr attr;

	attr_dummy(&attr);
	leaders[0] = must_open(&attr, -1);
	leaders[1] = (int)open_event(&attr, -1, 0, -1, 0);
	leaders[2] = must_open(&attr, leaders[0]);
	attr.fields.inherit = 1;
	leaders[3] = must_open(&attr, -1);
	attr_dummy(&attr);
	attr.fields.use_clockid = 1;
	attr.fields.clockid = 1;
	leaders[4] = must_open(&attr, -1);
	attr_dummy(&attr);
	attr.fields.pinned = 1;
	attr.fields.exclusive = 1;
	leaders[5] = must_open(&attr, -1);
	attr_instructions(&attr);
	leaders[6] = must_open(&attr, -1);
	leaders[7] = must_open(&attr, leaders[0]);
	for (int i = 0; i < LEADERS; i++)
		mmap(NULL, 3 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, leaders[i], 0);
}

struct request {
	union attr attr;
	pid_t pid;
	int cpu, group;
	unsigned long flags;
};

/* Tracepoints have no number here, since numbers differ. Some types after the fixed ones belong to no PMU. */
static void choose_event(struct perf_event_attr *attr)
{
	static const uint64_t hardware[] = { 0, 1, 4, 9, 10, 1000, 1ull << 32, 4ull << 32 | 1 };
	static const uint64_t lengths[] = { 1, 2, 4, 8, 16 };

	attr->type = one_in(12) ? 20 + (uint32_t)below(6) : (uint32_t)below(6);
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		attr->config = one_in(3) ? PICK(hardware) : below(3);
		break;
	case PERF_TYPE_SOFTWARE:
		attr->config = below(13);
		break;
	case PERF_TYPE_HW_CACHE:
		attr->config = below(8) | below(4) << 8 | below(3) << 16;
		break;
	case PERF_TYPE_RAW:
		attr->config = 0xc0;
		break;
	case PERF_TYPE_BREAKPOINT:
		attr->bp_type = 1 + (uint32_t)below(8);
		attr->bp_addr = one_in(12) ? 0xffffffff81000000 :
					     (uintptr_t)leaders + (one_in(4) ? below(8) : 0);
		attr->bp_len = attr->bp_type == 4 && one_in(2) ? 8 : PICK(lengths);
		break;
	default:
		break;
	}
}

static void choose_sampling(struct perf_event_attr *attr)
{
	static const uint64_t periods[] = { 0,	     2,		 1000,	     100000, 100001,
					    1 << 20, 1ull << 62, 1ull << 63, ~0ull };
	static const uint32_t stacks[] = { 0, 7, 8, 12, 4096, 65520, 65528, 65535, 65536, ~0u };
	static const uint16_t depths[] = { 0, 1, 30, 127, 128, 129, 65535 };

	attr->freq = one_in(3);
	if (one_in(2))
		attr->sample_period = PICK(periods);
	/* Not of branch stacks: one is refused otherwise where there is none. */
	for (uint64_t bits = one_in(2) ? below(4) : 0; bits > 0; bits--)
		attr->sample_type |= one_bit(26);
	if (one_in(60))
		attr->sample_type |= one_bit(64);
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	if ((attr->sample_type & PERF_SAMPLE_REGS_USER) || one_in(10))
		attr->sample_regs_user = one_in(4) ? next() : one_in(3) ? one_bit(40) : 0xff00ff;
	if ((attr->sample_type & PERF_SAMPLE_REGS_INTR) || one_in(10))
		attr->sample_regs_intr = one_in(4) ? next() : one_in(3) ? one_bit(64) : 0xff00ff;
	if ((attr->sample_type & PERF_SAMPLE_STACK_USER) || one_in(10))
		attr->sample_stack_user = PICK(stacks);
	if (one_in(6))
		attr->sample_max_stack = PICK(depths);
	if (one_in(4))
		attr->branch_sample_type = one_in(3) ? next() & 0x1fffff : one_bit(20);
}

static void choose_rest(union attr *attr)
{
	static const uint32_t sizes[] = { 0,   63,  64,	 65,  72,  80,	96,   100,
					  104, 112, 120, 128, 136, 144, 4096, 4097 };

	if (one_in(2))
		attr->fields.read_format = below(32);
	if (one_in(40))
		attr->fields.read_format |= one_bit(64);
	for (uint64_t flags = below(5); flags > 0; flags--)
		attr->words[WORD_FLAGS] ^= one_bit(38);
	if (one_in(40))
		attr->words[WORD_FLAGS] ^= one_bit(64);
	if (one_in(6))
		attr->words[WORD_FLAGS] |= 3ull << 36; /* remove_on_exec, sigtrap */
	if (one_in(6)) {
		attr->fields.use_clockid = !one_in(4);
		attr->fields.clockid = (int)below(14) - 1;
	}
	if (one_in(30))
		attr->fields.aux_watermark = (uint32_t)next();
	if (one_in(30))
		attr->words[14] = below(4096); /* aux_sample_size */
	if (one_in(20))
		attr->words[15] = next(); /* sig_data */
	if (one_in(30))
		attr->words[WORD_CONFIG3] = below(2);
	if (one_in(12))
		attr->fields.size = PICK(sizes);
	if (one_in(40))
		attr->words[ATTR_BYTES / 8] = 1;
	attr->fields.disabled = 1;
}

static void choose_target(struct request *request)
{
	static const pid_t pids[] = { -1, NO_TASK, 0, 0 };
	static const int cpus[] = { 0, -2, NO_CPU }, others[] = { 999, -2, STDOUT_FILENO };

	request->pid = one_in(2) ? PICK(pids) : one_in(5) ? child : 0;
	request->cpu = request->pid == -1 && !one_in(3) ? 0 : one_in(5) ? PICK(cpus) : -1;
	request->group = one_in(3) ? one_in(10) ? PICK(others) : leaders[below(LEADERS)] : -1;
	if (one_in(5))
		request->flags = one_bit(one_in(10) ? 6 : 4) | (one_in(3) ? one_bit(4) : 0);
	if ((request->flags & PERF_FLAG_PID_CGROUP) && request->pid == 0)
		request->pid = child; /* no descriptor */
}

static struct request make_request(unsigned int number)
{
	struct request request = { .attr.fields.size = ATTR_BYTES };

	state = (number + 1) * 0x9e3779b97f4a7c15ull;
	next();
	choose_event(&request.attr.fields);
	choose_sampling(&request.attr.fields);
	choose_rest(&request.attr);
	choose_target(&request);
	return request;
}

static void print_request(const struct request *request)
{
	for (int word = 0; word < ATTR_BYTES / 8; word++)
		printf("word %d: %#llx\n", word, (unsigned long long)request->attr.words[word]);
	printf("pid: %d\ncpu: %d\ngroup: %d\nflags: %#lx\n", request->pid, request->cpu,
	       request->group, request->flags);
}

int main(int argc, char **argv)
{
	child = fork();
	if (child == 0)
		for (;;)
			pause();
	open_leaders();
	for (unsigned int number = 0; number < REQUESTS; number++) {
		struct request request = make_request(number);

		if (argc > 1 && number != (unsigned int)atoi(argv[1]))
			continue;
		if (argc > 1)
			print_request(&request);
		long fd = open_event(&request.attr, request.pid, request.cpu, request.group,
				     request.flags);

		show(outcome(fd), "request %u", number);
		if (fd >= 0)
			close((int)fd);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}
