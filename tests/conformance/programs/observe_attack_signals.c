// SPDX-License-Identifier: BSD-2-Clause
/*
 * Attacks with signals, groups and waits: every call that sends another task a signal, moves it to another
 * group or waits for it, by every attacker on every kind of victim (attackers.h, victims.h).
 */
#include <sched.h>
#include <sys/wait.h>
#include <time.h>

#include "attacks_on_victims.h"

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal NEW_CALL(424)
#endif

/* --- signals --- */

/* Returns whether SIGNAL is pending for the victim: every task may read its /proc/PID/status. */
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

/* Returns 0 or a negative errno for RESULT of a call that sent SIGNAL. Reports a signal that arrived although the
 * call failed as 99, and one that is missing although the call succeeded as 98. */
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

/* Makes the victim, or its group or thread, the owner of a pipe's end: SIGNAL reports input to the owner. No call
 * returns an error, so the result is whether the signal arrived. */
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

static long by_cpu_timer(unsigned int victim)
{
	clockid_t clock = (clockid_t)(~(unsigned int)victims[victim] << 3 | 2);
	int id;

	return done(syscall(SYS_timer_create, clock, NULL, &id));
}

static long read_cpu_time(unsigned int victim)
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

/* Joins a group of another session. */
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

static const struct attack attacks[] = {
	ATTACK(by_kill),	  ATTACK(by_kill_nothing),  ATTACK(by_kill_continue),
	ATTACK(by_kill_group),	  ATTACK(by_tkill),	    ATTACK(by_tgkill),
	ATTACK(by_queue),	  ATTACK(by_thread_queue),  ATTACK(by_forged_user),
	ATTACK(by_forged_kernel), ATTACK(by_forged_tkill),  ATTACK(by_pidfd),
	ATTACK(by_pidfd_forged),  ATTACK(by_pidfd_group),   ATTACK(by_directory),
	ATTACK(by_pipe),	  ATTACK(by_pipe_to_group), ATTACK(by_pipe_to_thread),
	ATTACK(by_timer),	  ATTACK(by_cpu_timer),	    ATTACK(read_cpu_time),
	ATTACK(by_setpgid),	  ATTACK(join_group),	    ATTACK(by_getpgid),
	ATTACK(by_getsid),	  ATTACK(by_wait4),	    ATTACK(by_waitid),
	ATTACK(by_waitid_pidfd),
};

int main(int argc, char **argv)
{
	victim_main(argc, argv);
	choose_attackers(argc, argv);
	victims_install();
	try_attacks(attacks, sizeof(attacks) / sizeof(attacks[0]), victim_names, VICTIMS,
		    victims_start, victims_end);
	return 0;
}
