/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who may do what to another task: every call that takes a process, a thread, a group or a pidfd, by every
 * attacker on every kind of victim (attackers.h, victims.h). The files of /proc/PID are
 * observe_attack_proc's.
 */
#include "tracepoint.h"
#include "victims.h"

#include <sched.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open NEW_CALL(434)
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd NEW_CALL(438)
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal NEW_CALL(424)
#endif

/* --- signals --- */

/* Whether SIGNAL waits for the victim's process, as its status says to all: what was sent did arrive. */
static bool is_pending(unsigned int victim, int signal)
{
	char path[64], text[4096];

	snprintf(path, sizeof(path), "/proc/%d/status", victims[victim]);
	int fd = open(path, O_RDONLY);
	ssize_t size = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[size > 0 ? size : 0] = '\0';
	const char *shared = strstr(text, "ShdPnd:"), *own = strstr(text, "SigPnd:");
	uint64_t bit = 1ull << (signal - 1);

	return shared && own &&
	       ((strtoull(shared + 7, NULL, 16) | strtoull(own + 7, NULL, 16)) & bit);
}

/* RESULT of a call that sent SIGNAL: 1 and 0 for a signal that came though the call failed, and the reverse, would
 * be told apart. */
static long sent(long result, unsigned int victim, int signal)
{
	int error = errno;
	bool came = is_pending(victim, signal);

	if (result < 0)
		return came ? 99 : -error;
	return came ? 0 : 98;
}

static long by_kill(unsigned int victim)
{
	return sent(kill(victims[victim], 34), victim, 34);
}

static long by_kill_nothing(unsigned int victim)
{
	return done(kill(victims[victim], 0));
}

static long by_kill_continue(unsigned int victim)
{
	return done(kill(victims[victim], SIGCONT));
}

static long by_kill_group(unsigned int victim)
{
	return sent(kill(-victims[victim], 35), victim, 35);
}

static long by_tkill(unsigned int victim)
{
	return sent(syscall(SYS_tkill, victims[victim], 36), victim, 36);
}

static long by_tgkill(unsigned int victim)
{
	return sent(syscall(SYS_tgkill, victims[victim], victims[victim], 37), victim, 37);
}

static long queue(unsigned int victim, int signal, int code, bool thread)
{
	siginfo_t info = { .si_signo = signal, .si_code = code };

	return sent(thread ? syscall(SYS_rt_tgsigqueueinfo, victims[victim], victims[victim],
				     signal, &info) :
			     syscall(SYS_rt_sigqueueinfo, victims[victim], signal, &info),
		    victim, signal);
}

static long by_queue(unsigned int victim)
{
	return queue(victim, 38, SI_QUEUE, false);
}

static long by_thread_queue(unsigned int victim)
{
	return queue(victim, 39, SI_QUEUE, true);
}

static long by_forged_user(unsigned int victim)
{
	return queue(victim, 40, SI_USER, false);
}

static long by_forged_kernel(unsigned int victim)
{
	return queue(victim, 40, SI_KERNEL, false);
}

static long by_forged_tkill(unsigned int victim)
{
	return queue(victim, 40, SI_TKILL, true);
}

static int open_pidfd(unsigned int victim)
{
	return (int)syscall(SYS_pidfd_open, victims[victim], 0);
}

static long by_pidfd(unsigned int victim)
{
	return sent(syscall(SYS_pidfd_send_signal, open_pidfd(victim), 41, NULL, 0), victim, 41);
}

static long by_pidfd_forged(unsigned int victim)
{
	siginfo_t info = { .si_signo = 42, .si_code = SI_USER };

	return sent(syscall(SYS_pidfd_send_signal, open_pidfd(victim), 42, &info, 0), victim, 42);
}

static long by_pidfd_group(unsigned int victim)
{
	return sent(syscall(SYS_pidfd_send_signal, open_pidfd(victim), 43, NULL, 4), victim, 43);
}

static long by_directory(unsigned int victim)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", victims[victim]);
	return sent(syscall(SYS_pidfd_send_signal, open(path, O_RDONLY | O_DIRECTORY), 44, NULL, 0),
		    victim, 44);
}

/* The owner of a pipe's end is told of input by SIGNAL: whether it came, since no call says. */
static long own_pipe(unsigned int victim, int signal, int type, int id)
{
	struct f_owner_ex owner = { type, id };
	int ends[2];

	if (pipe(ends) < 0 || fcntl(ends[0], F_SETSIG, signal) < 0 ||
	    fcntl(ends[0], F_SETOWN_EX, &owner) < 0 || fcntl(ends[0], F_SETFL, O_ASYNC) < 0)
		return -errno;
	if (write(ends[1], "", 1) != 1)
		return -errno;
	return is_pending(victim, signal) ? 0 : -EPERM;
}

static long by_pipe(unsigned int victim)
{
	return own_pipe(victim, 45, F_OWNER_PID, victims[victim]);
}

static long by_pipe_to_group(unsigned int victim)
{
	return own_pipe(victim, 46, F_OWNER_PGRP, victims[victim]);
}

static long by_pipe_to_thread(unsigned int victim)
{
	return own_pipe(victim, 47, F_OWNER_TID, victims[victim]);
}

static long by_timer(unsigned int victim)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	int id;

	event._sigev_un._tid = victims[victim];
	return done(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id));
}

static long by_processor_timer(unsigned int victim)
{
	clockid_t clock = (clockid_t)(~(unsigned int)victims[victim] << 3 | 2);
	int id;

	return done(syscall(SYS_timer_create, clock, NULL, &id));
}

static long read_processor_time(unsigned int victim)
{
	clockid_t clock = (clockid_t)(~(unsigned int)victims[victim] << 3 | 2);
	struct timespec time;

	return done(clock_gettime(clock, &time));
}

/* --- groups, sessions, children --- */

static long by_setpgid(unsigned int victim)
{
	return done(setpgid(victims[victim], victims[victim]));
}

/* Joining the group of another session. */
static long join_group(unsigned int victim)
{
	return done(setpgid(0, victims[victim]));
}

static long by_getpgid(unsigned int victim)
{
	return done(getpgid(victims[victim]));
}

static long by_getsid(unsigned int victim)
{
	return done(getsid(victims[victim]));
}

static long by_wait4(unsigned int victim)
{
	return done(wait4(victims[victim], NULL, WNOHANG | __WALL, NULL));
}

static long by_waitid(unsigned int victim)
{
	siginfo_t info;

	return done(waitid(P_PID, (id_t)victims[victim], &info, WEXITED | WNOHANG));
}

static long by_waitid_pidfd(unsigned int victim)
{
	siginfo_t info;

	return done(waitid((idtype_t)3, (id_t)open_pidfd(victim), &info, WEXITED | WNOHANG));
}

/* --- scheduling --- */

static long by_getpriority(unsigned int victim)
{
	errno = 0;
	getpriority(PRIO_PROCESS, (id_t)victims[victim]);
	return -errno;
}

static long raise_nice(unsigned int victim)
{
	return done(setpriority(PRIO_PROCESS, (id_t)victims[victim], 5));
}

static long lower_nice(unsigned int victim)
{
	return done(setpriority(PRIO_PROCESS, (id_t)victims[victim], 4));
}

static long lowest_nice(unsigned int victim)
{
	return done(setpriority(PRIO_PROCESS, (id_t)victims[victim], -5));
}

static long nice_of_group(unsigned int victim)
{
	return done(setpriority(PRIO_PGRP, (id_t)victims[victim], 6));
}

/* All of the user that the victim really is. */
static long nice_of_user(unsigned int victim)
{
	static const id_t users[VICTIMS] = { USER, USER, USER,	     USER, OTHER_USER,
					     USER, USER, OTHER_USER, 0 };

	/* The number 0 means the caller's user. */
	return users[victim] ? done(setpriority(PRIO_USER, users[victim], 7)) : 0;
}

static long by_getscheduler(unsigned int victim)
{
	return done(sched_getscheduler(victims[victim]));
}

static long by_getparam(unsigned int victim)
{
	struct sched_param parameters;

	return done(sched_getparam(victims[victim], &parameters));
}

static long by_getattr(unsigned int victim)
{
	uint32_t attr[16];

	return done(syscall(SYS_sched_getattr, victims[victim], attr, 48, 0));
}

static long set_policy(unsigned int victim, int policy, int priority)
{
	struct sched_param parameters = { .sched_priority = priority };

	return done(sched_setscheduler(victims[victim], policy, &parameters));
}

static long to_batch(unsigned int victim)
{
	return set_policy(victim, SCHED_BATCH, 0);
}

static long to_other(unsigned int victim)
{
	return set_policy(victim, SCHED_OTHER, 0);
}

static long to_idle(unsigned int victim)
{
	return set_policy(victim, SCHED_IDLE, 0);
}

static long from_idle(unsigned int victim)
{
	return set_policy(victim, SCHED_OTHER, 0);
}

static long to_realtime(unsigned int victim)
{
	return set_policy(victim, SCHED_FIFO, 1);
}

static long by_setparam(unsigned int victim)
{
	int policy = sched_getscheduler(victims[victim]);
	struct sched_param parameters = { .sched_priority = policy == SCHED_FIFO };

	return done(sched_setparam(victims[victim], &parameters));
}

static long by_setattr(unsigned int victim)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr = { .size = 48, .policy = SCHED_OTHER, .nice = 19 };

	return done(syscall(SYS_sched_setattr, victims[victim], &attr, 0));
}

static long by_interval(unsigned int victim)
{
	struct timespec interval;

	return done(sched_rr_get_interval(victims[victim], &interval));
}

static long by_getaffinity(unsigned int victim)
{
	cpu_set_t set;

	return done(sched_getaffinity(victims[victim], sizeof(set), &set));
}

static long by_setaffinity(unsigned int victim)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	return done(sched_setaffinity(victims[victim], sizeof(set), &set));
}

enum { IO_REALTIME = 1 << 13, IO_BEST_EFFORT = 2 << 13, IO_IDLE = 3 << 13 };

static long io_get(unsigned int victim)
{
	return done(syscall(SYS_ioprio_get, 1, victims[victim]));
}

static long io_best_effort(unsigned int victim)
{
	return done(syscall(SYS_ioprio_set, 1, victims[victim], IO_BEST_EFFORT | 3));
}

static long io_idle(unsigned int victim)
{
	return done(syscall(SYS_ioprio_set, 1, victims[victim], IO_IDLE));
}

static long io_realtime(unsigned int victim)
{
	return done(syscall(SYS_ioprio_set, 1, victims[victim], IO_REALTIME | 3));
}

static long io_of_group(unsigned int victim)
{
	return done(syscall(SYS_ioprio_set, 2, victims[victim], IO_BEST_EFFORT | 4));
}

/* --- limits --- */

static long limit_get(unsigned int victim)
{
	struct rlimit limit;

	return done(prlimit(victims[victim], RLIMIT_CORE, NULL, &limit));
}

static long limit_set(unsigned int victim)
{
	struct rlimit limit = { 16, 32 };

	return done(prlimit(victims[victim], RLIMIT_NOFILE, &limit, NULL));
}

static long limit_raise(unsigned int victim)
{
	struct rlimit limit = { 16, 64 };

	return done(prlimit(victims[victim], RLIMIT_NOFILE, &limit, NULL));
}

/* --- looking in --- */

static long by_robust_list(unsigned int victim)
{
	void *head;
	size_t size;

	return done(syscall(SYS_get_robust_list, victims[victim], &head, &size));
}

static long by_pidfd_open(unsigned int victim)
{
	return done(open_pidfd(victim));
}

static long by_pidfd_getfd(unsigned int victim)
{
	return done(syscall(SYS_pidfd_getfd, open_pidfd(victim), 1, 0));
}

static long by_capget(unsigned int victim)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, victims[victim] };
	struct __user_cap_data_struct data[2];

	return done(syscall(SYS_capget, &header, data));
}

static long by_capset(unsigned int victim)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, victims[victim] };
	struct __user_cap_data_struct data[2] = { { 0 } };

	return done(syscall(SYS_capset, &header, data));
}

static long by_vm_read(unsigned int victim)
{
	long word;
	struct iovec here = { &word, sizeof(word) }, there = { (void *)&victim_word, sizeof(word) };

	return done(process_vm_readv(victims[victim], &here, 1, &there, 1, 0));
}

static long by_vm_write(unsigned int victim)
{
	long word = 2;
	struct iovec here = { &word, sizeof(word) }, there = { (void *)&victim_word, sizeof(word) };

	return done(process_vm_writev(victims[victim], &here, 1, &there, 1, 0));
}

/* Even an empty transfer is judged. */
static long by_vm_nothing(unsigned int victim)
{
	return done(process_vm_readv(victims[victim], NULL, 0, NULL, 0, 0));
}

static long by_attach(unsigned int victim)
{
	if (ptrace(PTRACE_ATTACH, victims[victim], 0, 0) < 0)
		return -errno;
	waitpid(victims[victim], NULL, __WALL);
	return done(ptrace(PTRACE_DETACH, victims[victim], 0, 0));
}

static long by_seize(unsigned int victim)
{
	if (ptrace(PTRACE_SEIZE, victims[victim], 0, 0) < 0)
		return -errno;
	if (ptrace(PTRACE_INTERRUPT, victims[victim], 0, 0) < 0)
		return -errno;
	waitpid(victims[victim], NULL, __WALL);
	return done(ptrace(PTRACE_DETACH, victims[victim], 0, 0));
}

/* Requests that need a tracee, of somebody who has none: how many were not refused as that. */
static long by_requests(unsigned int victim)
{
	static const int requests[] = { 1,	2,	3,	4,	5,	6,
					7,	8,	9,	12,	13,	14,
					15,	17,	0x4200, 0x4201, 0x4202, 0x4203,
					0x4204, 0x4205, 0x4207, 0x4208, 0x4209, 0x420a,
					0x420b, 0x420c, 0x420d, 0x420e, 0x420f };
	unsigned long room[64] = { sizeof(room) };
	long taken = 0;

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		if (syscall(SYS_ptrace, requests[i], victims[victim], room, room) >= 0 ||
		    errno != ESRCH)
			taken++;
	return taken;
}

/* --- events --- */

/* The number of the tracepoint sched_switch, which only root finds. */
static uint64_t switches;

static long open_attr(union attr *attr, unsigned int victim)
{
	return done(open_event(attr, victims[victim], -1, -1, 0));
}

static long event_of_user(unsigned int victim)
{
	union attr attr;

	attr_instructions(&attr);
	return open_attr(&attr, victim);
}

static long event_of_all(unsigned int victim)
{
	union attr attr;

	attr_instructions(&attr);
	attr.fields.exclude_kernel = 0;
	return open_attr(&attr, victim);
}

static long event_inherited(unsigned int victim)
{
	union attr attr;

	attr_instructions(&attr);
	attr.fields.inherit = 1;
	return open_attr(&attr, victim);
}

static long event_of_switches(unsigned int victim)
{
	union attr attr;

	attr_dummy(&attr);
	attr.fields.exclude_kernel = 1;
	attr.fields.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	return open_attr(&attr, victim);
}

static long event_of_memory(unsigned int victim)
{
	union attr attr;

	attr_dummy(&attr);
	attr.fields.exclude_kernel = 1;
	attr.fields.sample_period = 1;
	attr.fields.sample_type = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_IP;
	attr.fields.sample_stack_user = 4096;
	return open_attr(&attr, victim);
}

/* A signal into the victim at an overflow (sigtrap, bit 37; remove_on_exec, bit 36). */
static long event_with_signal(unsigned int victim)
{
	union attr attr;

	attr_instructions(&attr);
	attr.fields.sample_period = 1000000;
	attr.words[WORD_FLAGS] |= 3ull << 36;
	return open_attr(&attr, victim);
}

static long event_of_tracepoint(unsigned int victim)
{
	union attr attr;

	attr_dummy(&attr);
	attr.fields.type = PERF_TYPE_TRACEPOINT;
	attr.fields.config = switches;
	attr.fields.exclude_kernel = 1;
	return open_attr(&attr, victim);
}

#define ATTACK(f)                    \
	{                            \
		.name = #f, .act = f \
	}

static const struct attack attacks[] = {
	ATTACK(by_kill),
	ATTACK(by_kill_nothing),
	ATTACK(by_kill_continue),
	ATTACK(by_kill_group),
	ATTACK(by_tkill),
	ATTACK(by_tgkill),
	ATTACK(by_queue),
	ATTACK(by_thread_queue),
	ATTACK(by_forged_user),
	ATTACK(by_forged_kernel),
	ATTACK(by_forged_tkill),
	ATTACK(by_pidfd),
	ATTACK(by_pidfd_forged),
	ATTACK(by_pidfd_group),
	ATTACK(by_directory),
	ATTACK(by_pipe),
	ATTACK(by_pipe_to_group),
	ATTACK(by_pipe_to_thread),
	ATTACK(by_timer),
	ATTACK(by_processor_timer),
	ATTACK(read_processor_time),
	ATTACK(by_setpgid),
	ATTACK(join_group),
	ATTACK(by_getpgid),
	ATTACK(by_getsid),
	ATTACK(by_wait4),
	ATTACK(by_waitid),
	ATTACK(by_waitid_pidfd),
	ATTACK(by_getpriority),
	ATTACK(raise_nice),
	ATTACK(lower_nice),
	ATTACK(lowest_nice),
	ATTACK(nice_of_group),
	ATTACK(nice_of_user),
	ATTACK(by_getscheduler),
	ATTACK(by_getparam),
	ATTACK(by_getattr),
	ATTACK(to_batch),
	ATTACK(to_other),
	ATTACK(to_idle),
	ATTACK(from_idle),
	ATTACK(to_realtime),
	ATTACK(by_setparam),
	ATTACK(by_setattr),
	ATTACK(by_interval),
	ATTACK(by_getaffinity),
	ATTACK(by_setaffinity),
	ATTACK(io_get),
	ATTACK(io_best_effort),
	ATTACK(io_idle),
	ATTACK(io_realtime),
	ATTACK(io_of_group),
	ATTACK(limit_get),
	ATTACK(limit_set),
	ATTACK(limit_raise),
	ATTACK(by_robust_list),
	ATTACK(by_pidfd_open),
	ATTACK(by_pidfd_getfd),
	ATTACK(by_capget),
	ATTACK(by_capset),
	ATTACK(by_vm_read),
	ATTACK(by_vm_write),
	ATTACK(by_vm_nothing),
	ATTACK(by_attach),
	ATTACK(by_seize),
	ATTACK(by_requests),
	ATTACK(event_of_user),
	ATTACK(event_of_all),
	ATTACK(event_inherited),
	ATTACK(event_of_switches),
	ATTACK(event_of_memory),
	ATTACK(event_with_signal),
	ATTACK(event_of_tracepoint),
};

int main(int argc, char **argv)
{
	victim_main(argc, argv);
	victims_install();
	need_tracefs();
	switches = id_of("sched/sched_switch");
	if (write_file("/proc/sys/kernel/perf_event_paranoid", "2") < 0)
		return 1;
	try_attacks(attacks, sizeof(attacks) / sizeof(attacks[0]), victim_names, VICTIMS,
		    victims_start, victims_end);
	return 0;
}
