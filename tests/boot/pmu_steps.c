// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of /dev/cpu/N/pmu: lists of steps count exactly, survive faults in ring 0 and in an NMI, and leave the counters
 * as they were. The last rules are hostile: storms of interrupts, processes that share a file, a CPU that goes off line.
 *
 * The registers are Intel's; on another CPU the rules about counters are skipped.
 */
#include <cpuid.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tally/pmu_steps.h>

#include <spin.h>

#include "exact.h"
#include "process.h"

#define MSR_PMC0	 0xc1
#define MSR_SELECT0	 0x186
#define MSR_FIXED_CTRL	 0x38d
#define MSR_STATUS	 0x38e
#define MSR_GLOBAL_CTRL	 0x38f
#define MSR_CLEAR	 0x390
#define MSR_ABSENT	 0x12345678
#define PMC_ABSENT	 0x12345
/* In a register with a bit for each counter. */
#define RESERVED	 (1ull << 50)
/* Instructions in ring 0 and 3; in ring 3; with the interrupt. */
#define IN_KERNEL	 0x4200c0
#define IN_USER		 0x4100c0
#define WITH_INTERRUPT	 0x100000
#define PROTECTION_FAULT (1 + 13)
#define PASSES		 1000

static bool is_intel(void)
{
	unsigned int eax, ebx, ecx, edx;

	__cpuid(0, eax, ebx, ecx, edx);
	if (ebx == signature_INTEL_ebx && eax >= 10)
		__cpuid(10, eax, ebx, ecx, edx);
	else
		eax = 0;
	if ((eax & 0xff) >= 2)
		return true;
	printf("# skipped: not Intel's PMU, version 2 or later\n");
	return false;
}

static int open_cpu(int cpu)
{
	char path[32];

	snprintf(path, sizeof(path), "/dev/cpu/%d/pmu", cpu);
	return open(path, O_RDWR | O_CLOEXEC);
}

static int begin(void)
{
	int fd = open_cpu(0);

	EXPECT_AT(fd >= 0, "%s", strerror(errno));
	return fd;
}

static int request(int fd, unsigned long command, struct pmu_step *steps, unsigned int count)
{
	struct pmu_steps list = { .steps = (uintptr_t)steps, .count = count };

	return ioctl(fd, command, &list) ? errno : 0;
}

#define RUN(fd_, steps_) request(fd_, PMU_IOC_RUN, steps_, sizeof(steps_) / sizeof((steps_)[0]))
#define HANDLE(fd_, steps_) \
	request(fd_, PMU_IOC_HANDLER, steps_, sizeof(steps_) / sizeof((steps_)[0]))
#define STEP(operation_, ...)                                     \
	{                                                         \
		.operation = PMU_STEP_##operation_, ##__VA_ARGS__ \
	}
#define RDMSR(index_)	      STEP(RDMSR, .index = (index_))
#define WRMSR(index_, value_) STEP(WRMSR, .index = (index_), .value = (value_))
#define WORK(index_, value_)  STEP(WORK, .index = (index_), .value = (value_))

/* Instructions of ring 0 from one step to the next but one, with the work between. */
static uint64_t counted(int fd, unsigned int kind, uint64_t passes)
{
	struct pmu_step steps[] = {
		WRMSR(MSR_GLOBAL_CTRL, 0), WRMSR(MSR_PMC0, 0), WRMSR(MSR_SELECT0, IN_KERNEL),
		WRMSR(MSR_GLOBAL_CTRL, 1), WORK(kind, passes), WRMSR(MSR_GLOBAL_CTRL, 0),
		RDMSR(MSR_PMC0),
	};

	EXPECT_EQ(RUN(fd, steps), 0);
	for (unsigned int i = 0; i < 7; i++)
		EXPECT_EQ_AT(steps[i].fault, 0, "step %u", i);
	if (kind == PMU_WORK_INTERRUPT)
		EXPECT_EQ(steps[4].value, passes);
	return steps[6].value;
}

/* The least of some counts: an interrupt of another source may come together with those of the work. */
static uint64_t least(int fd, unsigned int kind, uint64_t passes)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int i = 0; i < 20; i++) {
		uint64_t count = counted(fd, kind, passes);

		least = count < least ? count : least;
	}
	return least;
}

static void work_has_the_instructions_of_the_header(void)
{
	static const struct {
		unsigned int kind, each;
	} works[] = { { PMU_WORK_LOOP, 2 },
		      { PMU_WORK_CPUID, 5 },
		      { PMU_WORK_NOT_TAKEN, 3 },
		      { PMU_WORK_INTERRUPT, PMU_INTERRUPT_INSTRUCTIONS },
		      { PMU_WORK_STRING, 0 } };

	if (!is_intel())
		return;
	run_on(0);
	int fd = begin();

	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		uint64_t frame = counted(fd, works[i].kind, 0);

		EXPECT_AT(frame > 0 && frame < 256, "kind %u: %" PRIu64, works[i].kind, frame);
		EXPECT_EQ_AT(least(fd, works[i].kind, 1) - frame, works[i].each, "kind %u",
			     works[i].kind);
		EXPECT_EQ_AT(least(fd, works[i].kind, 10) - frame, 10 * works[i].each, "kind %u",
			     works[i].kind);
		if (works[i].kind != PMU_WORK_INTERRUPT)
			EXPECT_EQ_AT(counted(fd, works[i].kind, PASSES) - frame,
				     PASSES * works[i].each, "kind %u", works[i].kind);
	}
	close(fd);
}

static void a_fault_is_recorded_and_the_next_step_follows(void)
{
	struct pmu_step steps[] = { WRMSR(MSR_GLOBAL_CTRL, RESERVED),
				    STEP(RDPMC, .index = PMC_ABSENT), STEP(TSC), STEP(TSC) };

	if (!is_intel())
		return;
	int fd = begin();

	EXPECT_EQ(RUN(fd, steps), 0);
	for (unsigned int i = 0; i < 2; i++) {
		EXPECT_EQ_AT(steps[i].fault, PROTECTION_FAULT, "step %u", i);
		EXPECT_EQ_AT(steps[i].value, 0, "step %u", i);
	}
	EXPECT_EQ(steps[2].fault, 0);
	EXPECT_EQ(steps[3].fault, 0);
	EXPECT(steps[2].value && steps[3].value > steps[2].value);
	close(fd);
}

/* Lets counter 0 overflow in ring 0, PERIOD instructions before the end of its work. */
static void overflow(int fd, uint64_t period)
{
	struct pmu_step steps[] = {
		WRMSR(MSR_GLOBAL_CTRL, 0),
		WRMSR(MSR_CLEAR, 1),
		WRMSR(MSR_PMC0, -period & 0xffffffff),
		WRMSR(MSR_SELECT0, IN_KERNEL | WITH_INTERRUPT),
		STEP(SET_LVT),
		WRMSR(MSR_GLOBAL_CTRL, 1),
		WORK(PMU_WORK_LOOP, 2 * period),
		WRMSR(MSR_GLOBAL_CTRL, 0),
		STEP(WAIT, .index = 1, .value = 100000000),
		STEP(LVT),
	};

	EXPECT_EQ(RUN(fd, steps), 0);
	EXPECT_EQ(steps[8].value, 1);
	EXPECT_EQ(steps[6].nmis, 1);
	EXPECT_EQ(steps[5].nmis, 0);
	EXPECT_EQ_AT(steps[9].value & 0x107ff, 0x10400, "the entry is masked at delivery");
}

static unsigned int take(int fd, struct pmu_nmi *records, unsigned int room, unsigned int *lost)
{
	struct pmu_nmis nmis = { .nmis = (uintptr_t)records, .count = room };

	EXPECT_EQ(ioctl(fd, PMU_IOC_NMIS, &nmis), 0);
	*lost = nmis.lost;
	return nmis.count;
}

static void an_overflow_is_an_nmi_and_a_record(void)
{
	struct pmu_step handler[] = { RDMSR(MSR_STATUS), STEP(RDPMC, .index = PMC_ABSENT),
				      WRMSR(MSR_CLEAR, 1), WRMSR(MSR_GLOBAL_CTRL, RESERVED),
				      RDMSR(MSR_STATUS) };
	struct pmu_nmi records[4];
	unsigned int lost;

	if (!is_intel())
		return;
	run_on(0);
	int fd = begin();

	EXPECT_EQ(HANDLE(fd, handler), 0);
	/* Faults in the handler: an IRET would let the next NMI in too early. */
	for (unsigned int i = 0; i < PASSES; i++) {
		overflow(fd, 100);
		EXPECT_EQ(take(fd, records, 4, &lost), 1);
		EXPECT_EQ(lost, 0);
		EXPECT_EQ(records[0].step, 6);
		EXPECT_EQ(records[0].user, 0);
		EXPECT(records[0].ip >> 63 && records[0].tsc);
		EXPECT_EQ(records[0].values[0], 1);
		EXPECT_EQ(records[0].values[1], ~0ull);
		EXPECT_EQ(records[0].values[2], 1);
		EXPECT_EQ(records[0].values[3], ~0ull);
		EXPECT_EQ(records[0].values[4], 0);
		EXPECT_EQ(records[0].values[5], 0);
	}
	close(fd);
}

static void an_overflow_in_ring_3_is_a_record_of_ring_3(void)
{
	struct pmu_step steps[] = { WRMSR(MSR_PMC0, -100ull & 0xffffffff),
				    WRMSR(MSR_SELECT0, IN_USER | WITH_INTERRUPT), STEP(SET_LVT),
				    WRMSR(MSR_GLOBAL_CTRL, 1) };
	struct pmu_step stop[] = { WRMSR(MSR_GLOBAL_CTRL, 0) };
	struct pmu_nmi record;
	unsigned int lost;

	if (!is_intel())
		return;
	run_on(0);
	int fd = begin();

	EXPECT_EQ(RUN(fd, steps), 0);
	spin_loop(100000, NULL);
	EXPECT_EQ(RUN(fd, stop), 0);
	EXPECT_EQ(take(fd, &record, 1, &lost), 1);
	EXPECT_EQ(record.user, 1);
	EXPECT_EQ(record.step, PMU_NO_STEP);
	EXPECT(!(record.ip >> 47));
	close(fd);
}

static void a_storm_of_interrupts_ends(void)
{
	/* Each interrupt makes the counter overflow in its own handler: the next one comes at once. */
	struct pmu_step handler[] = { WRMSR(MSR_CLEAR, 1), STEP(SET_LVT),
				      WRMSR(MSR_PMC0, 0xffffffff) };
	struct pmu_step steps[] = { WRMSR(MSR_GLOBAL_CTRL, 0),
				    WRMSR(MSR_PMC0, 0xffffffff),
				    WRMSR(MSR_SELECT0, IN_KERNEL | WITH_INTERRUPT),
				    STEP(SET_LVT),
				    WRMSR(MSR_GLOBAL_CTRL, 1),
				    WORK(PMU_WORK_LOOP, 100000),
				    STEP(LVT) };
	static struct pmu_nmi records[PMU_NMIS_MAX];
	unsigned int lost;

	if (!is_intel())
		return;
	run_on(0);
	int fd = begin();

	EXPECT_EQ(HANDLE(fd, handler), 0);
	EXPECT_EQ(RUN(fd, steps), 0);
	EXPECT_EQ(take(fd, records, PMU_NMIS_MAX, &lost), PMU_NMIS_MAX);
	EXPECT_EQ(lost, 1);
	EXPECT_EQ(steps[6].nmis, PMU_NMIS_MAX + 1);
	EXPECT_EQ(steps[6].value & PMU_LVT_MASKED, PMU_LVT_MASKED);
	EXPECT_EQ(take(fd, records, PMU_NMIS_MAX, &lost), 0);
	EXPECT_EQ(lost, 0);
	close(fd);
}

static void a_halt_ends_with_its_time_or_an_nmi(void)
{
	struct pmu_step steps[] = { STEP(TSC), STEP(HALT, .value = 2000000), STEP(TSC),
				    STEP(WAIT, .index = 1, .value = 1000000), STEP(TSC) };

	run_on(0);
	int fd = begin();

	EXPECT_EQ(RUN(fd, steps), 0);
	EXPECT(steps[2].value > steps[0].value);
	EXPECT_EQ(steps[3].value, 0);
	EXPECT(steps[4].value > steps[2].value);
	close(fd);
}

static void the_registers_get_their_values_back(void)
{
	struct pmu_step steps[] = { WRMSR(MSR_SELECT0, IN_KERNEL), WRMSR(MSR_FIXED_CTRL, 0x333),
				    WRMSR(MSR_GLOBAL_CTRL, 1), WRMSR(MSR_PMC0, 1234) };
	struct pmu_step before[] = { RDMSR(MSR_SELECT0), RDMSR(MSR_FIXED_CTRL),
				     RDMSR(MSR_GLOBAL_CTRL), RDMSR(MSR_PMC0), STEP(LVT) };
	struct pmu_step after[] = { RDMSR(MSR_SELECT0), RDMSR(MSR_FIXED_CTRL),
				    RDMSR(MSR_GLOBAL_CTRL), RDMSR(MSR_PMC0), STEP(LVT) };

	if (!is_intel())
		return;
	int fd = begin();

	EXPECT_EQ(RUN(fd, before), 0);
	EXPECT_EQ(RUN(fd, steps), 0);
	close(fd);
	fd = begin();
	EXPECT_EQ(RUN(fd, after), 0);
	for (unsigned int i = 0; i < 5; i++)
		EXPECT_EQ_AT(after[i].value, before[i].value, "step %u", i);
	close(fd);
}

static void perf_event_and_lists_exclude_each_other(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_HW_INSTRUCTIONS };

	if (!is_intel() || access("/sys/bus/event_source/devices/cpu", F_OK))
		return;
	int fd = begin(), event = (int)syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);

	EXPECT_EQ(event, -1);
	EXPECT_EQ(errno, EBUSY);
	close(fd);
	event = (int)syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
	EXPECT(event >= 0);
	EXPECT_EQ(open_cpu(0), -1);
	EXPECT_EQ(errno, EBUSY);
	close(event);
}

static void one_file_for_each_cpu(void)
{
	int fd = begin();

	EXPECT_EQ(open_cpu(0), -1);
	EXPECT_EQ(errno, EBUSY);
	if (cpu_count() > 1) {
		int other = open_cpu(1);

		EXPECT_AT(other >= 0, "%s", strerror(errno));
		close(other);
	}
	close(fd);
	close(begin());
}

static void a_list_runs_on_the_cpu_of_the_file(void)
{
	struct pmu_step steps[] = { RDMSR(0xc0000103) };
	struct pmu_step halt[] = { STEP(HALT, .value = 1000) };

	if (cpu_count() < 2) {
		printf("# skipped: no other CPU\n");
		return;
	}
	run_on(0);
	int fd = open_cpu(1);

	EXPECT_AT(fd >= 0, "%s", strerror(errno));
	EXPECT_EQ(RUN(fd, steps), 0);
	EXPECT_EQ_AT(steps[0].value & 0xfff, 1, "TSC_AUX has the CPU's number");
	EXPECT_EQ(RUN(fd, halt), EXDEV);
	run_on(1);
	EXPECT_EQ(RUN(fd, halt), 0);
	close(fd);
}

static void lists_that_are_refused(void)
{
	struct pmu_step none = STEP(OPERATIONS), pad = STEP(TSC, .pad = 1),
			index = STEP(TSC, .index = 1);
	struct pmu_step kind = WORK(PMU_WORK_KINDS, 0),
			much = WORK(PMU_WORK_LOOP, PMU_WORK_MAX + 1);
	struct pmu_step work = WORK(PMU_WORK_LOOP, 1),
			wait = STEP(WAIT, .value = PMU_WAIT_MAX_NS + 1);
	struct pmu_step *bad[] = { &none, &pad, &index, &kind, &much, &wait };
	struct pmu_step many[PMU_WRITTEN_MAX + 1];
	int fd = begin();

	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ_AT(request(fd, PMU_IOC_RUN, bad[i], 1), EINVAL, "list %u", i);
	EXPECT_EQ(request(fd, PMU_IOC_RUN, &work, 0), EINVAL);
	EXPECT_EQ(request(fd, PMU_IOC_RUN, &work, PMU_STEPS_MAX + 1), EINVAL);
	EXPECT_EQ(request(fd, PMU_IOC_RUN, (void *)8, 1), EFAULT);
	EXPECT_EQ(request(fd, PMU_IOC_HANDLER, &work, 1), EINVAL);
	EXPECT_EQ(request(fd, PMU_IOC_HANDLER, NULL, 0), 0);
	EXPECT_EQ(ioctl(fd, PMU_IOC_RUN, (void *)8), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(ioctl(fd, 1234), -1);
	EXPECT_EQ(errno, ENOTTY);
	for (unsigned int i = 0; i < PMU_WRITTEN_MAX + 1; i++)
		many[i] = (struct pmu_step)WRMSR(MSR_ABSENT + i, 0);
	EXPECT_EQ(RUN(fd, many), ENOSPC);
	EXPECT_EQ_AT(request(fd, PMU_IOC_RUN, many + 1, PMU_WRITTEN_MAX), 0,
		     "a refused list takes no room");
	close(fd);
}

static void try_without_the_right(void)
{
	if (syscall(__NR_setresuid, 1000, 1000, 1000))
		_exit(1);
	_exit(open_cpu(0) == -1 && errno == EACCES ? 0 : 2);
}

static void a_user_has_no_right(void)
{
	EXPECT_EQ(status_of(start(try_without_the_right)), 0);
}

/* --- hostile --- */

static int shared_fd;

static void run_lists(void)
{
	for (unsigned int i = 0; i < PASSES; i++) {
		struct pmu_step steps[] = { WRMSR(MSR_PMC0, 0xffffff00),
					    WRMSR(MSR_SELECT0, IN_KERNEL | WITH_INTERRUPT),
					    STEP(SET_LVT), WRMSR(MSR_GLOBAL_CTRL, 1),
					    WORK(PMU_WORK_LOOP, 1000) };

		if (RUN(shared_fd, steps))
			_exit(1);
	}
}

static void processes_that_share_a_file_and_its_close(void)
{
	struct pmu_step handler[] = { WRMSR(MSR_CLEAR, 1), STEP(RDPMC, .index = PMC_ABSENT) };
	pid_t children[3];

	if (!is_intel())
		return;
	shared_fd = begin();
	EXPECT_EQ(HANDLE(shared_fd, handler), 0);
	for (unsigned int i = 0; i < 3; i++)
		children[i] = start(run_lists);
	close(shared_fd);
	for (unsigned int i = 0; i < 3; i++)
		EXPECT_EQ(status_of(children[i]), 0);
	close(begin());
}

static void set_online(int cpu, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	int fd = open(path, O_WRONLY);

	EXPECT_EQ(write(fd, text, 1), 1);
	close(fd);
}

static void a_cpu_that_goes_off_line_ends_its_file(void)
{
	struct pmu_step steps[] = { RDMSR(0x10) };
	struct pmu_nmi record;
	struct pmu_nmis nmis = { .nmis = (uintptr_t)&record, .count = 1 };

	if (cpu_count() < 2) {
		printf("# skipped: no other CPU\n");
		return;
	}
	run_on(0);
	for (unsigned int i = 0; i < 20; i++) {
		int fd = open_cpu(1), other;

		EXPECT_AT(fd >= 0, "%s", strerror(errno));
		EXPECT_EQ(RUN(fd, steps), 0);
		set_online(1, "0");
		EXPECT_EQ(RUN(fd, steps), ENXIO);
		EXPECT_EQ(ioctl(fd, PMU_IOC_NMIS, &nmis), -1);
		EXPECT_EQ(errno, ENXIO);
		EXPECT_EQ(open_cpu(1), -1);
		EXPECT_EQ(errno, ENOENT);
		set_online(1, "1");
		EXPECT_EQ(RUN(fd, steps), ENXIO);
		other = open_cpu(1);
		EXPECT_AT(other >= 0, "%s", strerror(errno));
		EXPECT_EQ(RUN(other, steps), 0);
		close(fd);
		EXPECT_EQ(RUN(other, steps), 0);
		close(other);
	}
}

#define READS	      (1u << 20)
#define MSR_APIC_BASE 0x1b /* never 0 */

static uint64_t *values;

static void read_long(void)
{
	int fd = open("/dev/cpu/0/msr", O_RDONLY);

	run_on(0);
	_exit(pread(fd, values, READS * sizeof(*values), MSR_APIC_BASE) < 0);
}

/* The kernel is not preempted: a request that never lets go would be whole before its caller's parent runs. */
static void a_long_read_can_be_killed(void)
{
	values = mmap(NULL, READS * sizeof(*values), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	EXPECT(values != MAP_FAILED);
	run_on(0);
	pid_t child = start(read_long);

	while (!*(volatile uint64_t *)values)
		sched_yield();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	EXPECT_EQ(values[READS - 1], 0);
	munmap(values, READS * sizeof(*values));
}

static void set_online_from_another_root(void)
{
	int off = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);

	_exit(syscall(__NR_chroot, "/sys") || write(off, "0", 1) != 1);
}

static void the_nodes_go_whatever_root_the_caller_has(void)
{
	if (cpu_count() < 2) {
		printf("# skipped: no other CPU\n");
		return;
	}
	run_on(0);
	EXPECT_EQ(status_of(start(set_online_from_another_root)), 0);
	EXPECT_EQ(open_cpu(1), -1);
	EXPECT_EQ(errno, ENOENT);
	set_online(1, "1");
	close(open_cpu(1));
}

static const struct tap_rule rules[] = {
	{ "known work has the instructions that the header names",
	  work_has_the_instructions_of_the_header },
	{ "a fault is recorded, and the next step follows",
	  a_fault_is_recorded_and_the_next_step_follows },
	{ "an overflow in ring 0 is an NMI, a record, and a run of the handler, whose steps may fault",
	  an_overflow_is_an_nmi_and_a_record },
	{ "an overflow in ring 3 is a record of ring 3",
	  an_overflow_in_ring_3_is_a_record_of_ring_3 },
	{ "a storm of interrupts ends when the records are full", a_storm_of_interrupts_ends },
	{ "HALT and WAIT end with their time", a_halt_ends_with_its_time_or_an_nmi },
	{ "the registers get their values back", the_registers_get_their_values_back },
	{ "perf_event and lists of steps exclude each other",
	  perf_event_and_lists_exclude_each_other },
	{ "a CPU has one open file", one_file_for_each_cpu },
	{ "a list runs on the file's CPU, wherever its caller is; HALT only there",
	  a_list_runs_on_the_cpu_of_the_file },
	{ "lists with unknown operations, fields out of range or too much work are refused",
	  lists_that_are_refused },
	{ "a user has no right to open the file", a_user_has_no_right },
	{ "processes share a file, and the last one closes it while its counter counts",
	  processes_that_share_a_file_and_its_close },
	{ "a CPU that goes off line ends its file", a_cpu_that_goes_off_line_ends_its_file },
	{ "a long read of a register can be killed", a_long_read_can_be_killed },
	{ "the nodes of a CPU off line go, whatever root directory the caller has",
	  the_nodes_go_whatever_root_the_caller_has },
};

int main(void)
{
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
