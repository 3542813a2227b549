// SPDX-License-Identifier: BSD-2-Clause
/*
 * The errors of perf_event_open that are the attribute's, errno by errno.
 */
#include "errors.h"
#include "machine.h"

/* --- E2BIG --- */

WRONG("E2BIG: a size below the first version's", E2BIG, dummy(), a.size = PERF_ATTR_SIZE_VER0 - 1)
WRONG("E2BIG: a size above a page", E2BIG, dummy(), a.size = PAGE + 1)

RULE("E2BIG writes the size of the kernel's structure back")
{
	attr_t a = dummy();

	a.size = 1;
	refused(&a, E2BIG);
	EXPECT_EQ(a.size, 136);
}

RULE("E2BIG: a byte set that no kernel knows")
{
	union {
		attr_t attr;
		unsigned char bytes[256];
	} large = { .attr = dummy() };

	large.attr.size = sizeof(large);
	EXPECT_OK(open_one(&large.attr));
	large.bytes[255] = 1;
	refused(&large.attr, E2BIG);
	EXPECT_EQ(large.attr.size, 136);
}

RULE("size 0 means the first version's")
{
	attr_t a = dummy();

	a.size = 0;
	a.bp_len = ~0ULL; /* beyond it */
	a.branch_sample_type = ~0ULL;
	a.sample_regs_user = ~0ULL;
	EXPECT_OK(open_one(&a));
}

/* --- EFAULT --- */

RULE("EFAULT: no attribute")
{
	EXPECT_ERRNO(sys_open(NULL, 0, -1, -1, 0), EFAULT);
}

RULE("EFAULT: an attribute in the kernel")
{
	EXPECT_ERRNO(sys_open((void *)0xffffffff81000000, 0, -1, -1, 0), EFAULT);
	EXPECT_ERRNO(sys_open((void *)-8, 0, -1, -1, 0), EFAULT);
}

RULE("EFAULT: an attribute that ends where nothing is mapped")
{
	attr_t a = dummy();
	char *page =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(page + PAGE, PAGE);
	memcpy(page + PAGE - 72, &a, 72);
	EXPECT_ERRNO(sys_open(page + PAGE - 72, 0, -1, -1, 0), EFAULT);
}

/* --- EINVAL --- */

WRONG("EINVAL: an unknown sample_type", EINVAL, dummy(), a.sample_type = 1ULL << 25)
WRONG("EINVAL: an unknown read_format", EINVAL, dummy(), a.read_format = 1ULL << 5)
WRONG("EINVAL: a period with its sign bit set", EINVAL, instructions(),
      a.sample_period = 1ULL << 63)
WRONG("EINVAL: more bytes of user stack than a record can have", EINVAL,
      sampling(1000, PERF_SAMPLE_STACK_USER), a.sample_stack_user = 65536)
WRONG("EINVAL: bytes of user stack that are no words", EINVAL,
      sampling(1000, PERF_SAMPLE_STACK_USER), a.sample_stack_user = 12)
WRONG("EINVAL: no user registers", EINVAL, sampling(1000, PERF_SAMPLE_REGS_USER),
      a.sample_regs_user = 0)
WRONG("EINVAL: user registers that there are not", EINVAL, sampling(1000, PERF_SAMPLE_REGS_USER),
      a.sample_regs_user = 1ULL << 60)
WRONG("EINVAL: interrupted registers that there are not", EINVAL,
      sampling(1000, PERF_SAMPLE_REGS_INTR), a.sample_regs_intr = 1ULL << 60)
WRONG("EINVAL: both kinds of weight", EINVAL, sampling(1000, PERF_SAMPLE_WEIGHT | 1ULL << 24), )
WRONG("EINVAL: branches of no kind", EINVAL, sampling(1000, PERF_SAMPLE_BRANCH_STACK),
      a.branch_sample_type = PERF_SAMPLE_BRANCH_USER)
WRONG("EINVAL: remove_on_exec with enable_on_exec", EINVAL, dummy(),
      a.remove_on_exec = a.enable_on_exec = 1)
WRONG("EINVAL: sigtrap without remove_on_exec", EINVAL, dummy(), a.sigtrap = 1)
WRONG("EINVAL: inherit_thread without inherit", EINVAL, dummy(), a.inherit_thread = 1)
WRONG("EINVAL: samples with counts of an inherited event that do not say whose", EINVAL,
      sampling(1000, PERF_SAMPLE_READ), a.inherit = 1)
WRONG("EINVAL: an unknown clock", EINVAL, dummy(), (a.use_clockid = 1, a.clockid = 99))
WRONG("EINVAL: a clock of processor time", EINVAL, dummy(),
      (a.use_clockid = 1, a.clockid = CLOCK_THREAD_CPUTIME_ID))
WRONG("EINVAL: the real time as the clock of hardware samples", EINVAL,
      sampling(1000, PERF_SAMPLE_TIME), (a.use_clockid = 1, a.clockid = CLOCK_REALTIME))
WRONG("EINVAL: a hardware event that is in no table", EINVAL, instructions(),
      a.config = PERF_COUNT_HW_MAX)
WRONG("EINVAL: a cache that is in no table", EINVAL, instructions(),
      (a.type = PERF_TYPE_HW_CACHE, a.config = 7))
WRONG("EINVAL: a cache operation that is in no table", EINVAL, instructions(),
      (a.type = PERF_TYPE_HW_CACHE, a.config = 3 << 8))
WRONG("EINVAL: a cache result that is in no table", EINVAL, instructions(),
      (a.type = PERF_TYPE_HW_CACHE, a.config = 2 << 16))
RULE("EINVAL: a reserved flag of the attribute")
{
	attr_t a = dummy();

	((uint64_t *)&a)[5] |= 1ULL << 63;
	refused(&a, EINVAL);
}

RULE("EINVAL: a frequency above the highest")
{
	attr_t a = instructions();

	a.freq = 1;
	a.sample_freq = file_number("/proc/sys/kernel/perf_event_max_sample_rate");
	EXPECT_OK(open_one(&a));
	a.sample_freq++;
	refused(&a, EINVAL);
}

/* --- ENOENT --- */

WRONG("ENOENT: a type that no PMU has", ENOENT, dummy(), a.type = 0x7fffffff)
WRONG("ENOENT: a software event that is in no table", ENOENT, dummy(), a.config = PERF_COUNT_SW_MAX)
WRONG("ENOENT: a cache event that this PMU does not have", ENOENT, instructions(),
      (a.type = PERF_TYPE_HW_CACHE, a.config = PERF_COUNT_HW_CACHE_NODE))

/* --- EOPNOTSUPP, EOVERFLOW --- */

WRONG("EOPNOTSUPP: branch stacks, which this PMU does not have", EOPNOTSUPP,
      sampling(1000, PERF_SAMPLE_BRANCH_STACK),
      a.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY)
WRONG("EOPNOTSUPP: branch stacks of a software event", EOPNOTSUPP,
      software(PERF_COUNT_SW_CPU_CLOCK),
      (a.sample_period = 1000, a.sample_type = PERF_SAMPLE_BRANCH_STACK,
       a.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY))
WRONG("EOPNOTSUPP: samples without skid, which this PMU cannot take", EOPNOTSUPP,
      sampling(1000, PERF_SAMPLE_IP), a.precise_ip = 1)
WRONG("samples into an AUX area, which this PMU does not have, are refused", aux_output_error(),
      sampling(1000, PERF_SAMPLE_IP), a.aux_output = 1)
WRONG("EOVERFLOW: a call chain longer than perf_event_max_stack", EOVERFLOW,
      sampling(1000, PERF_SAMPLE_CALLCHAIN), a.sample_max_stack = 128)

RULE("a call chain as long as perf_event_max_stack is taken")
{
	attr_t a = sampling(1000, PERF_SAMPLE_CALLCHAIN);

	a.sample_max_stack = 127;
	EXPECT_OK(open_one(&a));
}
