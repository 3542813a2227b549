// SPDX-License-Identifier: BSD-2-Clause
/*
 * Attacks on other tasks: on canaries, where nothing may succeed, and on a process that is just becoming a
 * privileged program, where nothing may succeed from then on.
 *
 * An attack on a canary is refused by the rules of ptrace(2) ("Ptrace access mode checking") and of
 * the call's own page; that it was not is a finding. The victims of a race check themselves (privileged.c).
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif

/* Where a victim may be hurt: data and code that it checks, and anything else. */
static uint64_t any_target(struct fuzzer *fuzzer)
{
	switch (pick(fuzzer, 4)) {
	case 0:
		return privileged_any_code(random_next(&fuzzer->random));
	case 1:
		return fuzz_edge(fuzzer);
	default:
		return (uintptr_t)&privileged_pattern[pick(fuzzer, 512)];
	}
}

/* --- attacks: each returns at least 0 if it succeeded --- */

static long write_memory(struct fuzzer *fuzzer, pid_t pid)
{
	uint64_t spoilt[2] = { 0xbad, 0xbad };
	struct iovec from = { spoilt, sizeof(spoilt) };
	struct iovec to = { (void *)any_target(fuzzer), sizeof(spoilt) };
	long result = syscall(SYS_process_vm_writev, pid, &from, 1L, &to, 1L, 0L);

	return result > 0 ? result : -1;
}

static long read_memory(struct fuzzer *fuzzer, pid_t pid)
{
	uint64_t got[2];
	struct iovec to = { got, sizeof(got) };
	struct iovec from = { (void *)any_target(fuzzer), sizeof(got) };
	long result = syscall(SYS_process_vm_readv, pid, &to, 1L, &from, 1L, 0L);

	return result > 0 ? result : -1;
}

static long trace(struct fuzzer *fuzzer, pid_t pid)
{
	static const int requests[] = { PTRACE_SEIZE, PTRACE_SEIZE, PTRACE_ATTACH };
	int status;
	long result = ptrace((enum __ptrace_request)PICK(fuzzer, requests), pid, 0, 0);

	if (result < 0)
		return -1;
	/* Only permitted calls: the victim goes on. */
	ptrace(PTRACE_INTERRUPT, pid, 0, 0);
	if (fuzz_shared->canaries[0] != pid && fuzz_shared->canaries[1] != pid) {
		struct timespec moment = { 0, 200000 };

		for (int i = 0; i < 10 && waitpid(pid, &status, WNOHANG | __WALL) == 0; i++)
			nanosleep(&moment, NULL);
		ptrace(PTRACE_POKEDATA, pid, any_target(fuzzer), 0xbadUL);
		ptrace(PTRACE_PEEKUSER, pid, (void *)0, NULL);
	}
	if (ptrace(PTRACE_DETACH, pid, 0, 0) < 0)
		ptrace(PTRACE_CONT, pid, 0, 0);
	return 0;
}

static long open_memory(struct fuzzer *fuzzer, pid_t pid)
{
	uint64_t spoilt[2] = { 0xbad, 0xbad };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -1;
	/* For some time: the victim may become another program. */
	for (unsigned int i = 0; i < 8; i++) {
		if (pwrite(fd, spoilt, sizeof(spoilt), (off_t)any_target(fuzzer)) < 0)
			errno = 0;
		sched_yield();
	}
	close(fd);
	return 0;
}

/* Files that only a tracer may open or read. */
static long read_files(struct fuzzer *fuzzer, pid_t pid)
{
	static const char *const names[] = { "maps",	    "smaps",   "environ", "auxv",
					     "personality", "syscall", "stack",	  "pagemap",
					     "map_files",   "fd",      "fdinfo" };
	const char *name = PICK(fuzzer, names);
	char path[64], text[256];
	long got;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	got = read(fd, text, sizeof(text));
	if (got < 0 && errno == EISDIR)
		got = syscall(SYS_getdents64, fd, text, sizeof(text));
	close(fd);
	return got > 0 ? got : -1;
}

static long follow_links(struct fuzzer *fuzzer, pid_t pid)
{
	static const char *const names[] = { "exe", "cwd", "root", "fd/0", "fd/3", "ns/mnt" };
	char path[64], text[256];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, PICK(fuzzer, names));
	if (pick(fuzzer, 2))
		return readlink(path, text, sizeof(text));
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd;
}

static long count_events(struct fuzzer *fuzzer, pid_t pid)
{
	union attr attr = { .fields = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.size = ATTR_WORDS * 8,
					.sample_period = 20000,
					.exclude_kernel = 1 } };

	if (pick(fuzzer, 2))
		attr.fields.config = PERF_COUNT_SW_PAGE_FAULTS, attr.fields.sample_period = 1;
	attr.fields.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER |
				  PERF_SAMPLE_STACK_USER;
	attr.fields.sample_regs_user = 0xff0fff;
	attr.fields.sample_stack_user = 512;
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -1;
	unsigned int slot = pick(fuzzer, SLOTS);

	if (mmap(fuzz_slot_address(slot), 9 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 fd, 0) != MAP_FAILED)
		fuzzer->mapped[slot] = 9 * PAGE;
	fuzz_remember(fuzzer, fd);
	return fd;
}

static long take_descriptor(struct fuzzer *fuzzer, pid_t pid)
{
	int task = (int)syscall(SYS_pidfd_open, pid, 0);
	long fd = syscall(SYS_pidfd_getfd, task, pick(fuzzer, 12), 0);

	if (fd >= 0)
		close((int)fd);
	if (task >= 0)
		close(task);
	return fd;
}

static long get_robust_list_of(struct fuzzer *fuzzer, pid_t pid)
{
	(void)fuzzer;
	return syscall(SYS_get_robust_list, pid, fuzz_good_memory(), fuzz_good_memory() + 8);
}

static long compare_kernel_objects(struct fuzzer *fuzzer, pid_t pid)
{
	return syscall(SYS_kcmp, getpid(), pid, pick(fuzzer, 7), 0, 0);
}

/* --- attacks by user id: a worker may treat its own processes so --- */

static long send_signal(struct fuzzer *fuzzer, pid_t pid)
{
	siginfo_t info = { .si_signo = SIGUSR1, .si_code = SI_QUEUE };

	switch (pick(fuzzer, 4)) {
	case 0:
		return syscall(SYS_tgkill, pid, pid, SIGUSR1);
	case 1:
		return syscall(SYS_tkill, pid, SIGTERM);
	case 2:
		return syscall(SYS_rt_sigqueueinfo, pid, SIGUSR1, &info);
	default:
		return kill(pid, SIGKILL);
	}
}

static long set_limit(struct fuzzer *fuzzer, pid_t pid)
{
	struct rlimit limit = { 1, 1 };

	return prlimit(pid, (enum __rlimit_resource)pick(fuzzer, 16),
		       pick(fuzzer, 2) ? &limit : NULL, &limit);
}

static long set_scheduling(struct fuzzer *fuzzer, pid_t pid)
{
	struct sched_param none = { 0 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(pick(fuzzer, 4), &set);
	switch (pick(fuzzer, 4)) {
	case 0:
		return sched_setaffinity(pid, sizeof(set), &set);
	case 1:
		return sched_setscheduler(pid, SCHED_BATCH, &none);
	case 2:
		return syscall(SYS_ioprio_set, 1, pid, 2 << 13);
	default:
		return setpriority(PRIO_PROCESS, (id_t)pid, 19);
	}
}

static long write_files(struct fuzzer *fuzzer, pid_t pid)
{
	static const char *const names[] = { "oom_score_adj",	"comm",
					     "clear_refs",	"timerslack_ns",
					     "coredump_filter", "autogroup",
					     "sched",		"oom_adj" };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, PICK(fuzzer, names));
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	long result = write(fd, "1", 1);

	close(fd);
	return result > 0 ? result : -1;
}

static const struct {
	const char *name;
	long (*function)(struct fuzzer *fuzzer, pid_t pid);
	bool by_user; /* refused because the user is another one, and only then */
} attacks[] = {
	{ "process_vm_writev", write_memory, false },
	{ "process_vm_readv", read_memory, false },
	{ "ptrace", trace, false },
	{ "/proc/PID/mem", open_memory, false },
	{ "files of /proc/PID", read_files, false },
	{ "links of /proc/PID", follow_links, false },
	{ "perf_event_open", count_events, false },
	{ "pidfd_getfd", take_descriptor, false },
	{ "get_robust_list", get_robust_list_of, false },
	{ "kcmp", compare_kernel_objects, false },
	{ "a signal", send_signal, true },
	{ "prlimit", set_limit, true },
	{ "scheduling", set_scheduling, true },
	{ "writing to /proc/PID", write_files, false },
};

static long attack_canary(struct fuzzer *fuzzer)
{
	unsigned int which = pick(fuzzer, COUNT(attacks)), canary = pick(fuzzer, CANARIES);
	pid_t pid = fuzz_shared->canaries[canary];

	if (!pid || (attacks[which].by_user && canary == 1))
		return 0;
	long result = attacks[which].function(fuzzer, pid);

	/* Nothing refuses what the administrator allows: watching all of a CPU. */
	if (result >= 0)
		fuzz_finding("%s: attacking canary %u succeeded, with %ld", attacks[which].name,
			     canary, result);
	return result;
}

/* Tasks that may be anything, attacked in any way that does not kill. */
static void attack_task(struct fuzzer *fuzzer, pid_t pid, unsigned int times)
{
	while (times-- > 0) {
		unsigned int which = pick(fuzzer, COUNT(attacks));

		if (attacks[which].function == send_signal)
			continue;
		attacks[which].function(fuzzer, pid);
		count_calls(2);
	}
}

static long attack_other(struct fuzzer *fuzzer)
{
	pid_t pid = fuzz_shared->workers[pick(fuzzer, COUNT(fuzz_shared->workers))];

	/* It leaves itself and its own parents alone: a stopped one would not go on. */
	if (!pid || pid == getpid() || fuzzer->depth > 0)
		return 0;
	for (unsigned int i = 0; i < 8; i++) {
		unsigned int which = pick(fuzzer, COUNT(attacks));

		if (attacks[which].function == read_memory ||
		    attacks[which].function == read_files ||
		    attacks[which].function == follow_links ||
		    attacks[which].function == count_events ||
		    attacks[which].function == take_descriptor)
			attacks[which].function(fuzzer, pid);
	}
	return 0;
}

/* --- a process that becomes a privileged program --- */

static int sleep_and_share(void *parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	while (getppid() == *(pid_t *)parent)
		pause();
	_exit(0);
}

/* Makes an execution unsafe, so that it gains nothing. */
static bool make_unsafe(struct fuzzer *fuzzer)
{
	static char stack[16384] __attribute__((aligned(16)));
	pid_t self = getpid();

	switch (pick(fuzzer, 6)) {
	case 0:
		return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
	case 1:
		return clone(sleep_and_share, stack + sizeof(stack), CLONE_FS | SIGCHLD, &self) > 0;
	default:
		return false;
	}
}

_Noreturn static void become_privileged(struct fuzzer *fuzzer)
{
	static const char *const programs[] = { TREE_SETUID, TREE_SETUID, TREE_SETGID,
						TREE_UNREADABLE };
	struct rlimit stack = { 64UL << 20, RLIM_INFINITY };
	int descriptors = pick(fuzzer, 3) == 0 ? (int)pick(fuzzer, 800) : (int)pick(fuzzer, 20);
	const char *program = PICK(fuzzer, programs);

	for (int i = 0; i < descriptors; i++)
		if (fcntl(0, F_DUPFD_CLOEXEC, 30) < 0)
			break;
	if (pick(fuzzer, 3) == 0)
		personality(ADDR_NO_RANDOMIZE | (pick(fuzzer, 2) ? READ_IMPLIES_EXEC : 0));
	if (pick(fuzzer, 3) == 0)
		setrlimit(RLIMIT_STACK, &stack);
	if (pick(fuzzer, 3) == 0)
		prctl(PR_SET_PDEATHSIG, SIGUSR1, 0, 0, 0);
	bool unsafe = make_unsafe(fuzzer);

	execl(program, program, unsafe ? PRIVILEGED_UNSAFE : "", NULL);
	_exit(0);
}

static pid_t fork_attacker(struct fuzzer *fuzzer, pid_t victim)
{
	pid_t child = fuzz_fork(fuzzer);

	if (child == 0) {
		attack_task(fuzzer, victim, 60);
		_exit(0);
	}
	return child;
}

static void look_at_rings(void *argument)
{
	struct fuzzer *fuzzer = argument;

	for (unsigned int slot = 0; slot < SLOTS; slot++)
		if (fuzzer->mapped[slot])
			leak_check_ring(fuzz_slot_address(slot), fuzzer->mapped[slot]);
}

static long race_exec(struct fuzzer *fuzzer)
{
	pid_t attackers[3];
	unsigned int count = pick(fuzzer, 3);
	int go[2];
	char byte = 0;

	if (fuzzer->depth > 1 || fuzzer->is_thread || pipe2(go, O_CLOEXEC) < 0)
		return 0;
	pid_t victim = fuzz_fork(fuzzer);

	if (victim == 0) {
		if (read(go[0], &byte, 1) == 1)
			become_privileged(fuzzer);
		_exit(0);
	}
	for (unsigned int i = 0; victim > 0 && i < count; i++)
		attackers[i] = fork_attacker(fuzzer, victim);
	if (victim > 0 && pick(fuzzer, 2))
		count_events(fuzzer, victim);
	long result = write(go[1], &byte, 1);

	close(go[0]);
	close(go[1]);
	if (victim < 0)
		return -1;
	attack_task(fuzzer, victim, 40);
	result = fuzz_reap(victim, 300);
	for (unsigned int i = 0; i < count; i++)
		if (attackers[i] > 0)
			fuzz_reap(attackers[i], 100);
	fuzz_try(look_at_rings, fuzzer);
	return result;
}

const struct operation fuzz_attack_operations[] = {
	{ "attack_canary", attack_canary, 30 },
	{ "attack_other", attack_other, 4 },
	{ "race_exec", race_exec, 1 },
	{ 0 },
};
