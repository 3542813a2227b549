// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of perfctr (kernel/perfctr) on a real kernel: the errors of its control, exact counts of user mode by call
 * and by RDPMC, overflow signals, the hand-over of the counters between perf_event and perfctr.
 *
 * The EV67's counters count the kernel, too: there a count is at least the work's.
 */
#include <errno.h>
#include <fcntl.h>
#include <libperfctr.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <spin.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/tap.h"

#ifdef __alpha__
/* SL1 0: instructions in counter 0, cycles in counter 1. */
#define INSTRUCTIONS 0u
#define OTHER	     0u
#define INTERRUPT    0u
#define COUNTS_KERNEL
#else
/* Instructions of user mode, on both vendors' CPUs: EN, USR. */
#define INSTRUCTIONS 0x4100c0u
#define OTHER	     0x4100c0u
#define INTERRUPT    0x100000u
#endif

static struct vperfctr_control count_instructions(void)
{
	struct vperfctr_control control = { .cpu_control = { .tsc_on = 1, .nractrs = 1 } };

	control.cpu_control.evntsel[0] = INSTRUCTIONS;
	return control;
}

static struct vperfctr_control sample_instructions(int period)
{
	struct vperfctr_control control = { .si_signo = SIGUSR1,
					    .cpu_control = { .tsc_on = 1, .nrictrs = 1 } };

	control.cpu_control.evntsel[0] = INSTRUCTIONS | INTERRUPT;
	control.cpu_control.ireset[0] = -period;
	return control;
}

static unsigned long long sum_of(const struct vperfctr *set)
{
	struct perfctr_sum_ctrs sums = { 0 };

	EXPECT_EQ(vperfctr_read_sums(set, &sums), 0);
	return sums.pmc[0];
}

/* The count of N rounds of WORK and of what is around it, which is always the same. */
static unsigned long long count_work(struct vperfctr *set, spin_function *work, uint64_t n)
{
	struct vperfctr_control control = count_instructions();

	EXPECT_EQ(vperfctr_control(set, &control), 0);
	work(n, NULL);
	EXPECT_EQ(vperfctr_stop(set), 0);
	return sum_of(set);
}

static void counts_are_exact(void)
{
	struct vperfctr set;

	EXPECT_AT(vperfctr_open(&set) == 0, "%s", strerror(errno));
	for (uint64_t n = 2; n <= 20000000; n *= 10) {
		unsigned long long one = count_work(&set, spin_loop, 1);
		unsigned long long many = count_work(&set, spin_loop, n);

#ifdef COUNTS_KERNEL
		EXPECT(one > 0 && many >= 2 * n);
#else
		EXPECT_EQ_AT(many - one, 2 * (n - 1), "n %" PRIu64, n);
#endif
	}
	vperfctr_close(&set);
}

#ifndef COUNTS_KERNEL
/* A task that passes so often through the loop, beginning and end. */
static void run_child(uint64_t passes, void *memory)
{
	pid_t child = fork();

	(void)memory;
	if (child == 0) {
		spin_loop(passes, NULL);
		_exit(0);
	}
	EXPECT_EQ(waitpid(child, NULL, 0), child);
}

static __attribute__((noinline)) bool try_direct(const struct vperfctr *set, spin_function *work,
						 uint64_t n, unsigned long long *difference)
{
	unsigned long long before = 0, after = 0;
	bool is_settled = vperfctr_try_read_pmc(set, 0, &before);

	work(n, NULL);
	is_settled &= vperfctr_try_read_pmc(set, 0, &after);
	*difference = after - before;
	return is_settled;
}

/* Returns the count of N rounds of WORK, between two readings during which the state did not change. */
static unsigned long long direct_difference(struct vperfctr *set, spin_function *work, uint64_t n)
{
	unsigned long long difference;

	while (!try_direct(set, work, n, &difference))
		;
	return difference;
}

static void direct_reads_are_exact(void)
{
	struct vperfctr_control control = count_instructions();
	struct vperfctr set;

	EXPECT_EQ(vperfctr_open(&set), 0);
	EXPECT_EQ(vperfctr_control(&set, &control), 0);
	EXPECT(vperfctr_reads_are_direct(&set));
	unsigned long long one = direct_difference(&set, spin_loop, 1);
	unsigned long long tsc = vperfctr_read_tsc(&set);
	for (uint64_t n = 2; n <= 2000; n *= 10) {
		EXPECT_EQ_AT(direct_difference(&set, spin_loop, n), one + 2 * (n - 1), "n %" PRIu64,
			     n);
		unsigned long long now = vperfctr_read_tsc(&set);

		EXPECT(now > tsc);
		tsc = now;
	}
	/* The work of other tasks in between is theirs. */
	unsigned long long idle_child = direct_difference(&set, run_child, 1);
	EXPECT_EQ(direct_difference(&set, run_child, 30000000), idle_child);
	vperfctr_close(&set);
}

/* Two tasks share a CPU, each with a set: each counts its own work, whatever the number of switches. */
static void switches_lose_nothing(void)
{
	cpu_set_t mask;
	pid_t child;
	int result = 1;

	CPU_ZERO(&mask);
	CPU_SET(0, &mask);
	sched_setaffinity(0, sizeof(mask), &mask);
	child = fork();

	struct vperfctr set;

	EXPECT_EQ(vperfctr_open(&set), 0);
	unsigned long long one = count_work(&set, spin_yields, 1);
	unsigned long long many = count_work(&set, spin_yields, 5000);
	unsigned long long again = count_work(&set, spin_yields, 10000);
	const struct spin_work *work = spin_find_work("yields");
	bool is_exact = many - one == 4999ull * work->instructions.each &&
			again - many == 5000ull * work->instructions.each;
	vperfctr_close(&set);
	if (child == 0)
		_exit(is_exact ? 0 : 1);
	EXPECT(is_exact);
	EXPECT_EQ(waitpid(child, &result, 0), child);
	EXPECT_EQ(result, 0);
}
#endif

static volatile sig_atomic_t signals, last_mask, last_code;
static struct vperfctr *signalled;

static void on_overflow(int number, siginfo_t *info, void *context)
{
	int mask;

	(void)number;
	(void)context;
	/* si_pmc_ovf_mask: the first word after the three of every signal, aligned. */
	memcpy(&mask, (char *)info + 16, sizeof(mask));
	signals++;
	last_mask = mask;
	last_code = info->si_code;
	if (signals < 10)
		vperfctr_iresume(signalled);
}

static void overflows_send_signals(void)
{
	struct sigaction action = { .sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO };
	struct vperfctr_control control = sample_instructions(100000);
	struct vperfctr set;

	signals = 0;
	signalled = &set;
	sigaction(SIGUSR1, &action, NULL);
	EXPECT_EQ(vperfctr_open(&set), 0);
	EXPECT_EQ(vperfctr_control(&set, &control), 0);
	spin_loop(10000000, NULL);
	/* The tenth overflow has stopped the counter. */
	EXPECT_EQ(signals, 10);
	EXPECT_EQ(last_mask, 1);
	EXPECT_EQ(last_code, SI_PMC_OVF);
	unsigned long long sum = sum_of(&set);
	EXPECT(sum >= 1000000);
	spin_loop(1000, NULL);
	EXPECT_EQ(sum_of(&set), sum);
	EXPECT_EQ(vperfctr_iresume(&set), 0);
	EXPECT_EQ(vperfctr_iresume(&set), -1);
	EXPECT_EQ(errno, EPERM);
	vperfctr_close(&set);
}

static int control_error(struct vperfctr *set, const struct vperfctr_control *control)
{
	return vperfctr_control(set, control) ? errno : 0;
}

static void control_is_checked(void)
{
	struct vperfctr_control good = count_instructions(), bad;
	struct vperfctr set;

	EXPECT_EQ(vperfctr_open(&set), 0);
	EXPECT_EQ(control_error(&set, &good), 0);

	bad = good;
	bad.cpu_control.nractrs = set.info.nrctrs + 1;
	EXPECT_EQ(control_error(&set, &bad), EINVAL);
	bad.cpu_control.nractrs = bad.cpu_control.nrictrs = 0x80000001;
	EXPECT_EQ(control_error(&set, &bad), EINVAL);

	if (set.info.nrctrs > 1) {
		bad = good;
		bad.cpu_control.nractrs = 2;
		bad.cpu_control.evntsel[1] = OTHER;
		EXPECT_EQ(control_error(&set, &bad), EINVAL); /* two of counter 0 */
	}
	bad = good;
	bad.cpu_control.pmc_map[0] = 33;
	EXPECT_EQ(control_error(&set, &bad), EINVAL);
	bad.cpu_control.pmc_map[0] = 1u << 30 | 17;
	EXPECT_EQ(control_error(&set, &bad), EINVAL);
	bad.cpu_control.pmc_map[0] = UINT32_MAX;
	EXPECT_EQ(control_error(&set, &bad), EINVAL);

	bad = good;
	bad.cpu_control.evntsel[0] = UINT32_MAX;
	EXPECT_EQ(control_error(&set, &bad), EINVAL);
	bad = good;
	bad.cpu_control.evntsel_high[0] = 0x100;
	EXPECT_EQ(control_error(&set, &bad), EINVAL);

	bad = sample_instructions(0);
	EXPECT_EQ(control_error(&set, &bad), EINVAL);
	bad = sample_instructions(-1);
	EXPECT_EQ(control_error(&set, &bad), EINVAL);
	bad = good;
	bad.si_signo = 65;
	EXPECT_EQ(control_error(&set, &bad), EINVAL);

	EXPECT_EQ(ioctl(set.fd, VPERFCTR_CONTROL, 16), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(ioctl(set.fd, VPERFCTR_READ_SUM, -4096l), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(ioctl(set.fd, 0x1234, 0), -1);
	EXPECT_EQ(errno, ENOTTY);
	EXPECT(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, set.fd, 0) == MAP_FAILED);
	EXPECT_EQ(errno, EPERM);

	EXPECT_EQ(control_error(&set, &good), 0);
	spin_loop(1000, NULL);
	EXPECT(sum_of(&set) >= 2000);
	vperfctr_close(&set);
}

static int open_perf_event(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_HW_INSTRUCTIONS,
					.exclude_kernel = 1 };

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static bool holder_is(const char *name)
{
	char text[64] = "";
	int fd = open("/proc/sys/kernel/perf_pmu_holder", O_RDONLY);
	ssize_t size = read(fd, text, sizeof(text) - 1);

	close(fd);
	return size > 0 && strncmp(text, name, strlen(name)) == 0;
}

static unsigned long long perf_count(int fd, uint64_t n)
{
	uint64_t before = 0, after = 0;

	EXPECT_EQ(read(fd, &before, sizeof(before)), sizeof(before));
	spin_loop(n, NULL);
	EXPECT_EQ(read(fd, &after, sizeof(after)), sizeof(after));
	return after - before;
}

static void counters_change_hands(void)
{
	unsigned long long first = 0;

	for (unsigned int round = 0; round < 20; round++) {
		struct vperfctr set;
		int fd = open_perf_event();

		EXPECT_AT(fd >= 0, "%s", strerror(errno));
		EXPECT(holder_is("perf_event"));
		EXPECT_EQ(vperfctr_open(&set), -1);
		EXPECT_EQ(errno, EBUSY);
		unsigned long long count = perf_count(fd, 1000) - perf_count(fd, 1);
		if (!round)
			first = count;
#ifndef COUNTS_KERNEL
		EXPECT_EQ(count, 2 * 999);
#endif
		EXPECT_EQ_AT(count, first, "round %u", round);
		close(fd);

		EXPECT(holder_is("none"));
		EXPECT_EQ(vperfctr_open(&set), 0);
		EXPECT(holder_is("perfctr"));
		EXPECT_EQ(open_perf_event(), -1);
		EXPECT_EQ(errno, EBUSY);
		EXPECT(count_work(&set, spin_loop, 1000) >= 2000);
		vperfctr_close(&set);
	}
	EXPECT(holder_is("none"));
}

static void a_set_ends_with_its_task(void)
{
	pid_t child = fork();

	if (child == 0) {
		struct vperfctr_control control = sample_instructions(1000);
		struct vperfctr set;

		signal(SIGUSR1, SIG_IGN);
		if (vperfctr_open(&set) || vperfctr_control(&set, &control))
			_exit(1);
		/* One set for each task. */
		struct vperfctr second;

		if (vperfctr_open(&second) == 0 || errno != EEXIST)
			_exit(2);
		spin_loop(100000, NULL);
		_exit(0);
	}
	int status = -1;

	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	EXPECT(holder_is("none"));
}

static void only_its_task_commands_a_set(void)
{
	struct vperfctr_control control = count_instructions();
	struct vperfctr set;
	int status = -1;

	EXPECT_EQ(vperfctr_open(&set), 0);
	pid_t child = fork();

	if (child == 0) {
		bool refused = vperfctr_control(&set, &control) && errno == EPERM &&
			       vperfctr_stop(&set) && errno == EPERM;

		_exit(refused ? 0 : 1);
	}
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	vperfctr_close(&set);
}

/* --- many sets at once --- */

#define HAMMERS	      6
#define HAMMER_ROUNDS 300

static uint64_t random_state;

static unsigned int random_below(unsigned int limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(random_state >> 33) % limit;
}

/* Control data that are often right: i-mode counters of short periods, and now and then any numbers. */
static struct vperfctr_control any_control(const struct vperfctr *set)
{
	struct vperfctr_control control = { .si_signo = random_below(4) ? SIGUSR1 : 0,
					    .preserve = random_below(2) ? 0 : UINT32_MAX };
	struct perfctr_cpu_control *cpu = &control.cpu_control;
	unsigned int count = random_below(4) + 1;

	cpu->tsc_on = random_below(2);
	cpu->nractrs = random_below(count + 1);
	cpu->nrictrs = count - cpu->nractrs;
	for (unsigned int i = 0; i < count; i++) {
		cpu->pmc_map[i] = i < set->info.nrctrs ? i : random_below(64);
		cpu->evntsel[i] = INSTRUCTIONS | (i < cpu->nractrs ? 0 : INTERRUPT);
		cpu->ireset[i] =
			-(int)(random_below(2) ? 16 + random_below(100) : random_below(100000));
	}
	if (random_below(8) == 0)
		((unsigned int *)cpu)[random_below(sizeof(*cpu) / sizeof(unsigned int))] =
			random_below(2) ? UINT32_MAX : random_below(1000);
	return control;
}

static volatile sig_atomic_t resumes_left;

/* A limited number of times: a period may be shorter than this handler. */
static void resume_often(int number)
{
	(void)number;
	if (resumes_left > 0 && resumes_left--)
		vperfctr_iresume(signalled);
}

/* One task of many: random commands, then an end with or without a close. Returns its exit status. */
static int hammer(unsigned int number)
{
	struct vperfctr set;

	random_state = number;
	signalled = &set;
	signal(SIGUSR1, resume_often);
	if (vperfctr_open(&set))
		return 1;
	for (unsigned int round = 0; round < HAMMER_ROUNDS; round++) {
		struct vperfctr_control control = any_control(&set);
		struct perfctr_sum_ctrs before, after;

		resumes_left = 10;
		vperfctr_control(&set, &control);
		if (vperfctr_read_sums(&set, &before))
			return 2;
		spin_loop(random_below(2000) + 1, NULL);
		if (random_below(2))
			sched_yield();
		if (vperfctr_read_sums(&set, &after))
			return 3;
		for (unsigned int i = 0; i < PERFCTR_COUNTERS_MAX; i++)
			if (after.pmc[i] < before.pmc[i])
				return 4;
		if (random_below(16) == 0)
			vperfctr_stop(&set);
		if (random_below(32) == 0) {
			vperfctr_close(&set);
			if (vperfctr_open(&set))
				return 5;
		}
	}
	return 0;
}

static void many_sets_keep_their_sums(void)
{
	pid_t tasks[HAMMERS];

	for (unsigned int i = 0; i < HAMMERS; i++) {
		tasks[i] = fork();
		if (tasks[i] == 0)
			_exit(hammer(i));
	}
	for (unsigned int i = 0; i < HAMMERS; i++) {
		int status = -1;

		EXPECT_EQ(waitpid(tasks[i], &status, 0), tasks[i]);
		EXPECT_EQ_AT(status, 0, "task %u", i);
	}
	EXPECT(holder_is("none"));
}

static const struct tap_rule rules[] = {
	{ "a-mode counts are exact", counts_are_exact },
#ifndef COUNTS_KERNEL
	{ "reads by RDPMC are exact", direct_reads_are_exact },
	{ "switches between two sets lose nothing", switches_lose_nothing },
#endif
	{ "an overflow stops the counters and sends SI_PMC_OVF with the set of counters",
	  overflows_send_signals },
	{ "bad control data are refused, and nothing is lost", control_is_checked },
	{ "perf_event and perfctr hand the counters over", counters_change_hands },
	{ "a set ends with its task", a_set_ends_with_its_task },
	{ "only its task commands a set", only_its_task_commands_a_set },
	{ "many sets with random control data keep their sums", many_sets_keep_their_sums },
};

TAP_MAIN(rules)
