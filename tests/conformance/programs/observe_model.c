// SPDX-License-Identifier: BSD-2-Clause
/*
 * Counts of caches, TLBs and branch prediction in user mode, of small works: every kernel gives the same
 * numbers. The last of some runs of each work is shown, so that no page is touched there for the first time. The program runs on
 * a stack of its own, so that no address depends on where the kernel put the other one.
 */
#include "observe.h"

#include <cpuid.h>
#include <sys/personality.h>

#define ALIGNED __attribute__((aligned(4096)))

enum { LINE = 64, ARRAY_BYTES = 1 << 20, PASSES = 20000, EVENTS = 4, RUNS = 3 };

static unsigned char array[ARRAY_BYTES] ALIGNED;
static unsigned char stack[8 * PAGE_BYTES] ALIGNED;
static volatile uint64_t result;

/* --- the works --- */

/* Each line once: as many loads as lines, all in order. */
static void lines_in_order(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < ARRAY_BYTES; i += LINE)
		sum += *(volatile uint64_t *)&array[i];
	result = sum;
}

/* One line of each page, over and over: misses of TLBs, and of one set of the cache. */
static void one_line_of_each_page(void)
{
	uint64_t sum = 0;

	for (int pass = 0; pass < 20; pass++)
		for (size_t i = 0; i < ARRAY_BYTES; i += PAGE_BYTES)
			sum += *(volatile uint64_t *)&array[i];
	result = sum;
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state;
}

/* Stores and loads anywhere, some across lines and pages. */
static void random_accesses(void)
{
	uint32_t state = 1;

	for (int i = 0; i < PASSES; i++) {
		uint32_t at = next_random(&state) >> 12;

		if (at > ARRAY_BYTES - 8)
			continue;
		if (at & 16)
			*(volatile uint64_t *)&array[at] = at;
		else
			result += *(volatile uint64_t *)&array[at];
	}
}

/* Branches that nothing predicts, and branches that a pattern does. */
static void branches(void)
{
	uint32_t state = 7;
	volatile uint32_t odd = 0, third = 0;

	for (uint32_t i = 0; i < PASSES; i++) {
		if (next_random(&state) >> 31)
			odd++;
		if (i % 3 == 0)
			third++;
	}
	result = odd + third;
}

static __attribute__((noinline)) uint64_t descend(unsigned int depth)
{
	uint64_t below = depth ? descend(depth - 1) : 0;

	__asm__ volatile("" : "+r"(below));
	return below + 1;
}

static uint64_t add_one(uint64_t x)
{
	return x + 1;
}

static uint64_t twice(uint64_t x)
{
	return 2 * x;
}

static uint64_t squared(uint64_t x)
{
	return x * x;
}

/* Indirect calls, and returns from deeper than any return stack. */
static void calls(void)
{
	static uint64_t (*const volatile functions[])(uint64_t) = { add_one, twice, squared };
	uint32_t state = 3;
	uint64_t x = 1;

	for (int i = 0; i < PASSES / 4; i++)
		x = functions[next_random(&state) % 3](x);
	for (int i = 0; i < 20; i++)
		x += descend(40);
	result = x;
}

static const struct {
	const char *name;
	void (*run)(void);
} works[] = {
	{ "each line", lines_in_order },
	{ "a line of each page", one_line_of_each_page },
	{ "random accesses", random_accesses },
	{ "branches", branches },
	{ "calls", calls },
};

/* --- counting --- */

struct named_event {
	const char *name;
	uint32_t type;
	uint64_t config;
};

#define GENERIC(name)                                           \
	{                                                       \
#name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##name \
	}
#define CACHE(cache, operation, result)                                                         \
	{                                                                                       \
#cache " " #operation " " #result, PERF_TYPE_HW_CACHE,                          \
			PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 | \
				PERF_COUNT_HW_CACHE_RESULT_##result << 16                       \
	}
#define RAW(name, code)                   \
	{                                 \
		name, PERF_TYPE_RAW, code \
	}

/* EVENTS at a time; no more than two of them are off-core responses on a Skylake (LL, NODE), so that all fit. */
static const struct named_event common[] = {
	GENERIC(CPU_CYCLES),	   GENERIC(INSTRUCTIONS),     GENERIC(BRANCH_INSTRUCTIONS),
	GENERIC(BRANCH_MISSES),	   GENERIC(CACHE_REFERENCES), GENERIC(CACHE_MISSES),
	CACHE(L1D, READ, ACCESS),  CACHE(L1D, READ, MISS),    CACHE(L1D, WRITE, ACCESS),
	CACHE(L1I, READ, ACCESS),  CACHE(LL, READ, ACCESS),   CACHE(LL, READ, MISS),
	CACHE(L1I, READ, MISS),	   CACHE(DTLB, READ, ACCESS), CACHE(LL, WRITE, ACCESS),
	CACHE(LL, WRITE, MISS),	   CACHE(DTLB, READ, MISS),   CACHE(DTLB, WRITE, MISS),
	CACHE(ITLB, READ, ACCESS), CACHE(ITLB, READ, MISS),   CACHE(BPU, READ, MISS),
	CACHE(NODE, READ, ACCESS), CACHE(NODE, READ, MISS),
};

static const struct named_event skylake[] = {
	RAW("br_inst_retired.conditional", 0x1c4),
	RAW("br_inst_retired.near_call", 0x2c4),
	RAW("br_inst_retired.near_return", 0x8c4),
	RAW("br_inst_retired.not_taken", 0x10c4),
	RAW("br_inst_retired.near_taken", 0x20c4),
	RAW("br_inst_retired.far_branch", 0x40c4),
	RAW("br_misp_retired.conditional", 0x1c5),
	RAW("br_misp_retired.near_taken", 0x20c5),
	RAW("mem_load_retired.l1_hit", 0x1d1),
	RAW("mem_load_retired.l1_miss", 0x8d1),
	RAW("mem_load_retired.l2_hit", 0x2d1),
	RAW("mem_load_retired.l3_hit", 0x4d1),
	RAW("mem_load_retired.l3_miss", 0x20d1),
	RAW("l2_rqsts.references", 0xff24),
	RAW("l2_rqsts.miss", 0x3f24),
	RAW("dtlb_load_misses.stlb_hit", 0x2008),
	RAW("dtlb_load_misses.walk_pending", 0x1008),
	RAW("uops_issued.any", 0x10e),
	RAW("uops_retired.retire_slots", 0x2c2),
	RAW("uops_retired.stall_cycles", 0x18002c2),
	RAW("idq_uops_not_delivered.core", 0x19c),
	RAW("idq_uops_not_delivered.cycles_fe_was_ok", 0x180019c),
	RAW("int_misc.recovery_cycles", 0x10d),
	RAW("int_misc.recovery_cycles, cmask 1", 0x100010d),
	RAW("baclears.any", 0x1e6),
};

static const struct named_event zen[] = {
	RAW("ex_ret_ind_brch_instr", 0xcc),
	RAW("ex_ret_brn_tkn_misp", 0xc5),
	RAW("ex_ret_near_ret_mispred", 0xc9),
	RAW("ex_ret_brn_ind_misp", 0xca),
	RAW("ex_ret_ops", 0xc1),
	RAW("l2_request_g1.rd_blk_l", 0x8060),
	RAW("l2_request_g1.rd_blk_x", 0x4060),
	RAW("l2_cache_req_stat.ic_dc_hit_in_l2", 0xf664),
	RAW("ls_l1_d_tlb_miss.all", 0xff45),
	RAW("de_dis_uop_queue_empty_di0", 0xa9),
};

static int open_group(const struct named_event *events, unsigned int count, int *fds)
{
	static union attr attr;
	int leader = -1;

	for (unsigned int i = 0; i < count; i++) {
		memset(&attr, 0, sizeof(attr));
		attr.fields.size = PERF_ATTR_SIZE_VER5;
		attr.fields.type = events[i].type;
		attr.fields.config = events[i].config;
		attr.fields.exclude_kernel = 1;
		attr.fields.exclude_hv = 1;
		attr.fields.disabled = 1;
		fds[i] = (int)open_event(&attr, 0, -1, -1, 0);
		if (fds[i] >= 0 && leader < 0)
			leader = fds[i];
	}
	return leader;
}

/* Counts with FDS what WORK does between two calls of the kernel. */
static void run_counted(void (*work)(void), const int *fds, unsigned int count)
{
	/* The counters are on already when the last one is enabled: each counts only its own calls and the work. */
	for (unsigned int i = 0; i < count; i++)
		if (fds[i] >= 0) {
			ioctl(fds[i], PERF_EVENT_IOC_RESET, 0);
			ioctl(fds[i], PERF_EVENT_IOC_ENABLE, 0);
		}
	work();
	for (unsigned int i = 0; i < count; i++)
		if (fds[i] >= 0)
			ioctl(fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

static void observe(const struct named_event *events, unsigned int count)
{
	int fds[EVENTS] = { -1, -1, -1, -1 };

	for (unsigned int w = 0; w < sizeof(works) / sizeof(works[0]); w++) {
		open_group(events, count, fds);
		for (int run = 0; run < RUNS; run++)
			run_counted(works[w].run, fds, count);
		for (unsigned int i = 0; i < count; i++) {
			uint64_t value = 0;

			if (fds[i] < 0) {
				show("none", "%s: %s", works[w].name, events[i].name);
				continue;
			}
			if (read(fds[i], &value, sizeof(value)) != sizeof(value))
				exit(1);
			show(outcome_value((long)value), "%s: %s", works[w].name, events[i].name);
			close(fds[i]);
		}
	}
}

static void observe_all(const struct named_event *events, size_t count)
{
	for (size_t i = 0; i < count; i += EVENTS)
		observe(events + i, count - i < EVENTS ? (unsigned int)(count - i) : EVENTS);
}

static void observe_both(void)
{
	unsigned int eax, ebx, ecx, edx;

	observe_all(common, sizeof(common) / sizeof(common[0]));
	__cpuid(0, eax, ebx, ecx, edx);
	if (ebx == 0x68747541)
		observe_all(zen, sizeof(zen) / sizeof(zen[0]));
	else
		observe_all(skylake, sizeof(skylake) / sizeof(skylake[0]));
}

/* Runs the program anew with fixed addresses: a page of the C library would fall into another set of the TLBs each time. */
static void fix_addresses(char **argv)
{
	int now = personality(0xffffffff);

	if (now & ADDR_NO_RANDOMIZE)
		return;
	if (personality(now | ADDR_NO_RANDOMIZE) >= 0)
		execv(argv[0], argv);
	perror(argv[0]);
	exit(1);
}

int main(int argc, char **argv)
{
	(void)argc;
	fix_addresses(argv);
	memset(array, 1, sizeof(array));
	memset(stack, 1, sizeof(stack));
	__asm__ volatile("movq %%rsp, %%rbx\n\tmovq %0, %%rsp\n\tcallq *%1\n\tmovq %%rbx, %%rsp"
			 :
			 : "r"(stack + sizeof(stack) - LINE), "r"(observe_both)
			 : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
			   "memory", "cc");
	return 0;
}
