// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of perfctr about who has a set of counters: descriptors and mappings in other tasks and after close, threads,
 * programs that a task executes, rights. After each rule no task holds the counters.
 */
#include <fcntl.h>
#include <libperfctr.h>
#include <signal.h>
#include <spin.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "process.h"

#define PROGRAM "/perfctr-set-uid"
#define USER	1000

#ifdef __alpha__
/* SL1 0; counts the kernel, too. */
#define INSTRUCTIONS  0u
#define COUNTS_KERNEL true
#else
/* EN, USR, instructions; OS. */
#define INSTRUCTIONS  0x4100c0u
#define OF_KERNEL     0x20000u
#define INTERRUPT     0x100000u
#define COUNTS_KERNEL false
#endif

static struct vperfctr_control instructions(void)
{
	struct vperfctr_control control = { .cpu_control = { .tsc_on = 1, .nractrs = 1 } };

	control.cpu_control.evntsel[0] = INSTRUCTIONS;
	return control;
}

static const char *holder(void)
{
	static char name[64];
	int fd = open("/proc/sys/kernel/perf_pmu_holder", O_RDONLY);
	ssize_t size = read(fd, name, sizeof(name) - 1);

	close(fd);
	name[size > 0 ? size - 1 : 0] = '\0';
	return name;
}

/* The calling task's set, counting. */
static struct vperfctr begin(void)
{
	struct vperfctr_control control = instructions();
	struct vperfctr set;

	EXPECT_AT(vperfctr_open(&set) == 0, "%s", strerror(errno));
	EXPECT_AT(vperfctr_control(&set, &control) == 0, "%s", strerror(errno));
	return set;
}

static unsigned long long sum(const struct vperfctr *set)
{
	struct perfctr_sum_ctrs sums = { 0 };

	EXPECT_AT(vperfctr_read_sums(set, &sums) == 0, "%s", strerror(errno));
	return sums.pmc[0];
}

static int command_error(int fd, unsigned int command, void *argument)
{
	return ioctl(fd, command, argument) == 0 ? 0 : errno;
}

static int become_user(void)
{
	return syscall(__NR_setresgid, USER, USER, USER) ||
	       syscall(__NR_setresuid, USER, USER, USER);
}

/* --- control that is refused --- */

static void a_refused_control_changes_nothing(void)
{
	struct vperfctr set = begin();
	struct vperfctr_control bad = instructions(), now;
	unsigned long long before = sum(&set);

	bad.cpu_control.pmc_map[0] = 33;
	EXPECT_EQ(command_error(set.fd, VPERFCTR_CONTROL, &bad), EINVAL);
	/* Numbers that, unchecked, lead beyond the arrays. */
	bad = instructions();
	bad.cpu_control.nrictrs = 0x7fffffff;
	EXPECT_EQ(command_error(set.fd, VPERFCTR_CONTROL, &bad), EINVAL);
	bad.cpu_control.nractrs = UINT32_MAX;
	EXPECT_EQ(command_error(set.fd, VPERFCTR_CONTROL, &bad), EINVAL);
	bad = instructions();
	bad.si_signo = -1;
	EXPECT_EQ(command_error(set.fd, VPERFCTR_CONTROL, &bad), EINVAL);
	EXPECT_EQ(command_error(set.fd, VPERFCTR_CONTROL, NULL), EFAULT);
	EXPECT_EQ(command_error(set.fd, VPERFCTR_CONTROL, (void *)-4096l), EFAULT);
	EXPECT_EQ(command_error(set.fd, VPERFCTR_READ_CONTROL, &now), 0);
	EXPECT_EQ(now.cpu_control.nractrs, 1);
	EXPECT_EQ(now.cpu_control.pmc_map[0], 0);
	EXPECT_EQ(perfctr_cstatus_nrctrs(set.state->cstatus), 1);
	spin_loop(1000, NULL);
	EXPECT(sum(&set) >= before + 2000);
	vperfctr_close(&set);
}

/* --- the mapping --- */

static void *map_error(int fd, size_t bytes, int protection, int flags, off_t offset, int *error)
{
	void *address = mmap(NULL, bytes, protection, flags, fd, offset);

	*error = address == MAP_FAILED ? errno : 0;
	return address;
}

static void the_mapping_is_one_page_to_read(void)
{
	struct vperfctr set = begin();
	void *state = (void *)(uintptr_t)set.state;
	int error;

	map_error(set.fd, 2 * PAGE, PROT_READ, MAP_SHARED, 0, &error);
	EXPECT_EQ(error, EINVAL);
	map_error(set.fd, PAGE, PROT_READ, MAP_SHARED, PAGE, &error);
	EXPECT_EQ(error, EINVAL);
	map_error(set.fd, PAGE, PROT_READ, MAP_PRIVATE, 0, &error);
	EXPECT_EQ(error, EINVAL);
	map_error(set.fd, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, 0, &error);
	EXPECT_EQ(error, EPERM);
	EXPECT_EQ(mprotect(state, PAGE, PROT_READ | PROT_WRITE), -1);
	EXPECT_EQ(errno, EACCES);
	EXPECT(mremap(state, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	/* Mapped twice, read twice. */
	const volatile struct perfctr_cpu_state *second =
		map_error(set.fd, PAGE, PROT_READ, MAP_SHARED, 0, &error);
	EXPECT_EQ(error, 0);
	EXPECT_EQ(second->cstatus, set.state->cstatus);
	munmap((void *)(uintptr_t)second, PAGE);
	/* Not by a debugger's way, either. */
	int fd = open("/proc/self/mem", O_RDWR);
	unsigned int word = 0;

	EXPECT_EQ(pwrite(fd, &word, sizeof(word), (off_t)(uintptr_t)state), -1);
	close(fd);
	EXPECT(set.state->cstatus != 0);
	vperfctr_close(&set);
	EXPECT_STR(holder(), "none");
}

static void a_mapping_keeps_the_set(void)
{
	struct vperfctr set = begin();

	close(set.fd);
	EXPECT_STR(holder(), "perfctr");
#ifndef __alpha__
	unsigned long long before = vperfctr_read_pmc(&set, 0);

	spin_loop(1000, NULL);
	EXPECT(vperfctr_read_pmc(&set, 0) >= before + 2000);
#endif
	munmap((void *)(uintptr_t)set.state, PAGE);
	EXPECT_STR(holder(), "none");
}

static void a_child_has_neither_set_nor_mapping(void)
{
	struct vperfctr set = begin();
	unsigned long long before = sum(&set);
	pid_t child = fork();

	if (child == 0) {
		struct perfctr_sum_ctrs sums;

		if (command_error(set.fd, VPERFCTR_READ_SUM, &sums) != EPERM)
			_exit(1);
		/* ENOMEM: there is no mapping. */
		if (mprotect((void *)(uintptr_t)set.state, PAGE, PROT_READ) == 0 || errno != ENOMEM)
			_exit(2);
		set = begin();
		_exit(tap_failed ? 3 : 0);
	}
	EXPECT_EQ(status_of(child), 0);
	EXPECT(sum(&set) > before);
	vperfctr_close(&set);
}

/* --- a descriptor in other hands --- */

/* A copy of the descriptor FD of the process PID. */
static int take_descriptor(pid_t pid, int fd)
{
	int process = (int)syscall(__NR_pidfd_open, pid, 0);
	int copy = (int)syscall(__NR_pidfd_getfd, process, fd, 0);

	EXPECT_AT(copy >= 0, "%s", strerror(errno));
	close(process);
	return copy;
}

static void another_process_reads_and_ends_it(void)
{
	struct vperfctr_control control = instructions();
	struct perfctr_sum_ctrs sums = { 0 };
	int error;

	shared[0] = shared[1] = 0;
	pid_t child = fork();

	if (child == 0) {
		struct vperfctr set = begin();

		spin_loop(1000, NULL);
		shared[0] = set.fd;
		wait_for(&shared[1], 1);
		_exit(tap_failed ? 1 : 0);
	}
	while (!shared[0])
		sched_yield();
	int fd = take_descriptor(child, shared[0]);
	const volatile struct perfctr_cpu_state *state =
		map_error(fd, PAGE, PROT_READ, MAP_SHARED, 0, &error);

	EXPECT_EQ(error, 0);
	EXPECT_EQ(perfctr_cstatus_nrctrs(state->cstatus), 1);
	EXPECT_EQ(command_error(fd, VPERFCTR_READ_SUM, &sums), EPERM);
	EXPECT_EQ(command_error(fd, VPERFCTR_CONTROL, &control), EPERM);
	EXPECT_EQ(command_error(fd, VPERFCTR_STOP, NULL), EPERM);
	EXPECT_EQ(command_error(fd, VPERFCTR_IRESUME, NULL), EPERM);
	EXPECT_EQ(command_error(fd, VPERFCTR_READ_CONTROL, &control), EPERM);
	shared[1] = 1;
	EXPECT_EQ(status_of(child), 0);
	/* The counters are free, and the sums remain. */
	EXPECT_STR(holder(), "none");
	EXPECT_EQ(command_error(fd, VPERFCTR_READ_SUM, &sums), 0);
	EXPECT(sums.pmc[0] >= 2000);
	EXPECT_EQ(state->pmc[0].sum, sums.pmc[0]);
	EXPECT_EQ(command_error(fd, VPERFCTR_CONTROL, &control), ESRCH);
	EXPECT_EQ(command_error(fd, VPERFCTR_READ_CONTROL, &control), ESRCH);
	munmap((void *)(uintptr_t)state, PAGE);
	close(fd);

	/* The other way round: the process with the last descriptor ends the set of a running task. */
	shared[0] = shared[1] = 0;
	child = fork();
	if (child == 0) {
		struct vperfctr set = begin();

		shared[0] = set.fd;
		wait_for(&shared[1], 1);
		vperfctr_close(&set);
		shared[0] = 0;
		while (shared[1] == 1)
			spin_loop(1000, NULL);
		/* There is room for another set. */
		set = begin();
		vperfctr_close(&set);
		_exit(tap_failed ? 1 : 0);
	}
	while (!shared[0])
		sched_yield();
	fd = take_descriptor(child, shared[0]);
	shared[1] = 1;
	wait_for(&shared[0], 0);
	EXPECT_STR(holder(), "perfctr");
	close(fd);
	EXPECT_STR(holder(), "none");
	shared[1] = 2;
	EXPECT_EQ(status_of(child), 0);
}

/* --- threads --- */

static char stack[1 << 16] __attribute__((aligned(16)));
static struct vperfctr of_leader;

/* Without a library's thread: only calls. Ends with a result in shared[0], and its set's descriptor in shared[1]. */
static int run_thread(void *unused)
{
	struct vperfctr_control control = instructions();
	struct perfctr_sum_ctrs sums;
	int result = 1, set = -1;

	(void)unused;
	if (ioctl(of_leader.fd, VPERFCTR_READ_SUM, &sums) == -1) {
		int device = open("/dev/perfctr", O_RDWR);

		set = ioctl(device, VPERFCTR_CREAT, 0);
		close(device);
		if (set >= 0 && ioctl(set, VPERFCTR_CONTROL, &control) == 0 &&
		    ioctl(set, VPERFCTR_CREAT, 0) == -1)
			result = 2;
	}
	shared[1] = set;
	shared[0] = result;
	syscall(SYS_exit, 0);
	return 0;
}

static void each_thread_has_its_own_set(void)
{
	of_leader = begin();
	shared[0] = 0;
	EXPECT(clone(run_thread, stack + sizeof(stack),
		     CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, NULL) > 0);
	wait_for(&shared[0], 2);
	unsigned long long before = sum(&of_leader);

	spin_loop(1000, NULL);
	EXPECT(sum(&of_leader) >= before + 2000);
	/* The thread's descriptor is still open in the process; its set ended with it. */
	vperfctr_close(&of_leader);
	while (strcmp(holder(), "none") != 0)
		sched_yield();
	struct perfctr_sum_ctrs sums;

	EXPECT_EQ(command_error(shared[1], VPERFCTR_READ_SUM, &sums), 0);
	close(shared[1]);
}

/* --- other programs --- */

/* The new program: FD is the descriptor of the set. 20: the set goes on. 21: it has ended. */
static int look(int fd)
{
	struct perfctr_sum_ctrs before, after;
	struct vperfctr_control control;

	if (ioctl(fd, VPERFCTR_READ_SUM, &before) != 0)
		return 1;
	spin_loop(1000, NULL);
	if (ioctl(fd, VPERFCTR_READ_SUM, &after) != 0)
		return 2;
	if (ioctl(fd, VPERFCTR_READ_CONTROL, &control) == 0)
		return after.pmc[0] >= before.pmc[0] + 2000 ? 20 : 3;
	return errno == ESRCH && after.pmc[0] == before.pmc[0] ? 21 : 4;
}

static int execute(const char *program, bool is_user, bool keeps)
{
	pid_t child = fork();

	if (child == 0) {
		struct vperfctr_control control = instructions();
		struct vperfctr set;
		char number[16];

		if (is_user && become_user() != 0)
			_exit(30);
		if (vperfctr_open(&set) != 0)
			_exit(31);
		/* A user must not count the kernel. */
		if (vperfctr_control(&set, &control) != 0 && !(COUNTS_KERNEL && is_user))
			_exit(32);
		if (keeps)
			fcntl(set.fd, F_SETFD, 0);
		snprintf(number, sizeof(number), "%d", set.fd);
		execv(program, (char *const[]){ (char *)program, "--look", number, NULL });
		_exit(33);
	}
	int status = status_of(child);

	EXPECT(WIFEXITED(status));
	EXPECT_STR(holder(), "none");
	return WEXITSTATUS(status);
}

static void copy_self(void)
{
	int from = open(OWN_FILE, O_RDONLY), to = open(PROGRAM, O_WRONLY | O_CREAT, 0755);
	static char bytes[1 << 16];
	ssize_t size;

	while ((size = read(from, bytes, sizeof(bytes))) > 0)
		EXPECT_EQ(write(to, bytes, (size_t)size), size);
	close(from);
	close(to);
}

static void a_set_and_execve(void)
{
	EXPECT_EQ(execute(OWN_FILE, false, true), 20);
	/* The descriptor closes at execve unless the task wants to keep it. */
	EXPECT_EQ(execute(OWN_FILE, false, false), 1);
	copy_self();
	EXPECT_EQ(chmod(PROGRAM, 04755), 0);
	EXPECT_EQ(execute(PROGRAM, true, true), 21);
	unlink(PROGRAM);
}

/* --- rights --- */

static int control_as_user(unsigned int select)
{
	pid_t child = fork();

	if (child == 0) {
		struct vperfctr_control control = instructions();
		struct vperfctr set;

		control.cpu_control.evntsel[0] = select;
		if (become_user() != 0 || vperfctr_open(&set) != 0)
			_exit(255);
		_exit(command_error(set.fd, VPERFCTR_CONTROL, &control));
	}
	return status_of(child) >> 8;
}

static void users_count_only_user_mode(void)
{
#ifdef __alpha__
	EXPECT_EQ(control_as_user(INSTRUCTIONS), EACCES);
#else
	EXPECT_EQ(control_as_user(INSTRUCTIONS), 0);
	EXPECT_EQ(control_as_user(INSTRUCTIONS | OF_KERNEL), EACCES);
	/* First the control data, then the right to them. */
	EXPECT_EQ(control_as_user(INSTRUCTIONS | OF_KERNEL | INTERRUPT), EINVAL);
#endif
}

#ifndef __alpha__
static inline uint32_t read_counter_0(void)
{
	uint32_t low;

	__asm__ volatile("rdpmc" : "=a"(low) : "c"(0) : "edx", "memory");
	return low;
}

/* Shares CPU 0 with a task that counts the kernel with counter 0. Returns 0 if no call here moves that counter. */
static int look_at_the_kernel(void)
{
	struct vperfctr_control control = { .cpu_control = { .tsc_on = 1 } };
	struct vperfctr set;

	if (become_user() != 0 || vperfctr_open(&set) != 0 || vperfctr_control(&set, &control) != 0)
		return 1;
	for (unsigned int settled = 0; settled < 100;) {
		sched_yield();
		unsigned int tsc_start = set.state->tsc_start;
		uint32_t before = read_counter_0();

		syscall(SYS_getppid);
		uint32_t after = read_counter_0();

		if (set.state->tsc_start != tsc_start)
			continue;
		if (after != before)
			return 2;
		settled++;
	}
	return 0;
}

static void the_kernels_counters_stop_with_their_task(void)
{
	struct vperfctr set = begin();
	struct vperfctr_control control = instructions();
	cpu_set_t all, first;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	control.cpu_control.evntsel[0] |= OF_KERNEL;
	EXPECT_EQ(vperfctr_control(&set, &control), 0);
	pid_t child = fork();

	if (child == 0)
		_exit(look_at_the_kernel());
	int status = 0;

	while (waitpid(child, &status, WNOHANG) == 0)
		sched_yield();
	EXPECT_EQ(status, 0);
	sched_setaffinity(0, sizeof(all), &all);
	vperfctr_close(&set);
}

/* --- the set of overflown counters --- */

static volatile sig_atomic_t masks;

static void note_mask(int number, siginfo_t *info, void *context)
{
	int mask;

	(void)number;
	(void)context;
	/* si_pmc_ovf_mask: the first word after the three of every signal, aligned. */
	memcpy(&mask, (char *)info + 16, sizeof(mask));
	masks |= mask;
}

/* Counter 0 only counts, counter 1 overflows long before counter 2: with an a-mode counter first, bit 1 is due. */
static void the_mask_names_the_counter(void)
{
	struct sigaction action = { .sa_sigaction = note_mask, .sa_flags = SA_SIGINFO };
	struct vperfctr_control control = instructions();
	struct perfctr_cpu_control *cpu = &control.cpu_control;
	struct vperfctr set;

	sigaction(SIGUSR1, &action, NULL);
	EXPECT_EQ(vperfctr_open(&set), 0);
	if (set.info.nrctrs < 3) {
		vperfctr_close(&set);
		return;
	}
	control.si_signo = SIGUSR1;
	for (unsigned int early = 1; early <= 2; early++) {
		cpu->nrictrs = 2;
		for (unsigned int i = 1; i <= 2; i++) {
			cpu->pmc_map[i] = i;
			cpu->evntsel[i] = INSTRUCTIONS | INTERRUPT;
			cpu->ireset[i] = i == early ? -10000 : -100000000;
		}
		masks = 0;
		if (command_error(set.fd, VPERFCTR_CONTROL, &control) != 0)
			break; /* counters 0 … 2 are not all general ones */
		spin_loop(100000, NULL);
		EXPECT_EQ_AT(masks, 1 << early, "counter %u", early);
	}
	vperfctr_close(&set);
}
#endif

static const struct tap_rule rules[] = {
	{ "refused control data change nothing", a_refused_control_changes_nothing },
	{ "the mapping is one page, and no task writes to it", the_mapping_is_one_page_to_read },
	{ "a set lives as long as its last mapping", a_mapping_keeps_the_set },
	{ "a child has neither the set nor its mapping", a_child_has_neither_set_nor_mapping },
	{ "another process reads a set and can end it, and has no command",
	  another_process_reads_and_ends_it },
	{ "each thread has a set of its own", each_thread_has_its_own_set },
	{ "a set goes on after execve, but not in a set-uid program", a_set_and_execve },
	{ "a user counts user mode only", users_count_only_user_mode },
#ifndef __alpha__
	{ "counters of the kernel stop when their task leaves the CPU",
	  the_kernels_counters_stop_with_their_task },
	{ "the signal's mask names the counter that overflowed", the_mask_names_the_counter },
#endif
};

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "--look") == 0)
		return look(atoi(argv[2]));
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
