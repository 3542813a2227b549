// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals as values (queued, waited for, read from a file), the timers that send them, timers as files,
 * clocks, children waited for by waitid, processes as files. The text of a call is the name of the
 * observation; times are shown as what they must be, never as what they were.
 */
#include "observe.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>

/* The compiler is not to know that these are wrong. */
static void *volatile nowhere = (void *)8;

static volatile int handled, handled_code, handled_value, handled_overrun;

static void handler(int signal, siginfo_t *info, void *context)
{
	(void)context;
	handled = signal;
	handled_code = info->si_code;
	handled_value = info->si_value.sival_int;
	/* The most: a quick timer goes off again before anybody looks. */
	if (info->si_code == SI_TIMER && info->si_overrun > handled_overrun)
		handled_overrun = info->si_overrun;
}

static void handle(int signal)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(signal, &action, NULL);
}

static sigset_t set_of(int signal)
{
	sigset_t set;

	sigemptyset(&set);
	if (signal)
		sigaddset(&set, signal);
	return set;
}

static long take(int signal, siginfo_t *info, long timeout_ns)
{
	sigset_t set = set_of(signal);
	struct timespec timeout = { timeout_ns / 1000000000, timeout_ns % 1000000000 };

	return syscall(SYS_rt_sigtimedwait, &set, info, &timeout, 8);
}

static long queue(pid_t pid, int signal, int code, int value)
{
	siginfo_t info = { .si_code = code };

	info.si_value.sival_int = value;
	return syscall(SYS_rt_sigqueueinfo, pid, signal, &info);
}

static void queueing(void)
{
	sigset_t blocked = set_of(SIGRTMIN), usr = set_of(SIGUSR1);
	struct timespec wrong = { 0, -1 };
	siginfo_t info;

	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	SEE(take(SIGUSR1, NULL, 0));
	SEE(syscall(SYS_rt_sigtimedwait, &usr, NULL, &wrong, 8));
	SEE(syscall(SYS_rt_sigtimedwait, &usr, NULL, NULL, 4));
	SEE(syscall(SYS_rt_sigtimedwait, nowhere, NULL, NULL, 8));
	SEE(queue(getpid(), SIGRTMIN, SI_QUEUE, 11));
	SEE(queue(getpid(), SIGRTMIN, SI_QUEUE, 12));
	SEE(queue(getpid(), SIGUSR1, SI_QUEUE, 13));
	SEE(queue(getpid(), SIGUSR1, SI_QUEUE, 14));
	SEE(queue(getpid(), 65, SI_QUEUE, 0));
	SEE(queue(getpid(), 0, SI_QUEUE, 0));
	SEE(queue(1 << 22, SIGUSR1, SI_QUEUE, 0));
	SEE(queue(1 << 22, SIGUSR1, SI_USER, 0));
	SEE(syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, nowhere));
	SEE(take(SIGRTMIN, &info, 0));
	SEE(info.si_value.sival_int);
	SEE(info.si_code + 10);
	SEE(take(SIGRTMIN, &info, 0) - 100);
	SEE(info.si_value.sival_int + 100);
	SEE(take(SIGRTMIN, &info, 1000));
	SEE(take(SIGUSR1, &info, 0));
	SEE(info.si_value.sival_int + 200);
	SEE(take(SIGUSR1, &info, 0) + 200);
	raise(SIGUSR1);
	SEE(take(SIGUSR1, nowhere, 0) + 300);
	SEE(kill(getpid(), SIGUSR1));
	SEE(take(SIGUSR1, &info, 0) + 400);
	SEE(info.si_code + 100);
	SEE(info.si_pid == getpid());
	SEE(syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), SIGUSR1, &info));
	SEE(syscall(SYS_rt_tgsigqueueinfo, 0, getpid(), SIGUSR1, &info));
	SEE(syscall(SYS_rt_tgsigqueueinfo, getpid(), 1 << 22, SIGUSR1, &info));
	SEE(take(SIGUSR1, &info, 0) + 500);
	handle(SIGUSR1);
	queue(getpid(), SIGUSR1, SI_QUEUE, 77);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	SEE(handled);
	SEE(handled_code + 10);
	SEE(handled_value);
}

static void signal_files(void)
{
	sigset_t set = set_of(SIGUSR2);
	struct signalfd_siginfo records[2];
	int fd;

	SEE(syscall(SYS_signalfd4, -1, &set, 4, 0));
	SEE(syscall(SYS_signalfd4, -1, &set, 8, 1));
	SEE(syscall(SYS_signalfd4, 0, &set, 8, 0));
	SEE(syscall(SYS_signalfd4, 99, &set, 8, 0));
	SEE(syscall(SYS_signalfd4, -1, nowhere, 8, 0));
	SEE(fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
	sigprocmask(SIG_BLOCK, &set, NULL);
	SEE(read(fd, records, sizeof(records)));
	SEE(read(fd, records, 10));
	SEE(poll(&(struct pollfd){ fd, POLLIN, 0 }, 1, 0));
	queue(getpid(), SIGUSR2, SI_QUEUE, 5);
	SEE(poll(&(struct pollfd){ fd, POLLIN, 0 }, 1, 0) + 10);
	SEE(read(fd, records, sizeof(records)) + 1000);
	SEE(records[0].ssi_signo);
	SEE(records[0].ssi_code + 10);
	SEE(records[0].ssi_int);
	set = set_of(SIGUSR1);
	SEE(signalfd(fd, &set, 0));
	raise(SIGUSR2);
	SEE(read(fd, records, sizeof(records)) + 2000);
	SEE(take(SIGUSR2, NULL, 0));
	SEE(write(fd, records, 128));
	close(fd);
}

/* Nothing but a signal ends it. */
static void wait_for_handler(void)
{
	for (int i = 0; !handled && i < 2000; i++)
		usleep(1000);
}

static void timers(void)
{
	struct itimerval soon = { { 0, 0 }, { 0, 5000 } }, old,
			 wrong = { { 0, 0 }, { 0, 1000000 } };
	struct itimerval both = { { 0, 3000 }, { 100, 0 } };
	struct itimerspec once = { { 0, 0 }, { 0, 2000000 } },
			  quick = { { 0, 20000 }, { 0, 20000 } }, spec,
			  bad = { { 0, 0 }, { 0, 1000000000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	timer_t unused;
	int timer = -1, second = -1;

	(void)unused;
	handle(SIGALRM);
	SEE(setitimer(3, &soon, NULL));
	SEE(setitimer(ITIMER_REAL, &wrong, NULL));
	SEE(setitimer(ITIMER_REAL, nowhere, NULL));
	SEE(getitimer(3, &old));
	SEE(getitimer(ITIMER_REAL, nowhere));
	handled = 0;
	SEE(setitimer(ITIMER_REAL, &soon, &old));
	SEE(old.it_value.tv_usec);
	wait_for_handler();
	SEE(handled == SIGALRM);
	SEE(handled_code);
	getitimer(ITIMER_REAL, &old);
	SEE(old.it_value.tv_sec * 1000000 + old.it_value.tv_usec);
	SEE(setitimer(ITIMER_REAL, &both, NULL));
	SEE(alarm(0));
	getitimer(ITIMER_REAL, &old);
	SEE(old.it_interval.tv_usec);
	SEE(alarm(50));
	SEE(alarm(0) + 100);
	handled = 0;
	handle(SIGVTALRM);
	SEE(setitimer(ITIMER_VIRTUAL, &soon, NULL));
	for (volatile long i = 0; i < 2000000000 && !handled; i++)
		;
	SEE(handled == SIGVTALRM);
	SEE(syscall(SYS_timer_create, 77, NULL, &timer));
	SEE(syscall(SYS_timer_create, CLOCK_MONOTONIC_RAW, NULL, &timer));
	SEE(syscall(SYS_timer_create, CLOCK_MONOTONIC, nowhere, &timer));
	SEE(syscall(SYS_timer_create, CLOCK_MONOTONIC, &(struct sigevent){ .sigev_notify = 9 },
		    &timer));
	SEE(syscall(SYS_timer_create, CLOCK_MONOTONIC, &(struct sigevent){ .sigev_signo = 99 },
		    &timer));
	SEE(syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer));
	SEE(syscall(SYS_timer_create, CLOCK_REALTIME, NULL, &second));
	SEE(second - timer);
	SEE(syscall(SYS_timer_settime, timer, 0, &bad, NULL));
	SEE(syscall(SYS_timer_settime, timer, 0, NULL, NULL));
	SEE(syscall(SYS_timer_settime, 999, 0, &once, NULL));
	SEE(syscall(SYS_timer_gettime, timer, &spec));
	SEE(spec.it_value.tv_nsec);
	handled = 0;
	SEE(syscall(SYS_timer_settime, timer, 0, &once, &spec));
	wait_for_handler();
	SEE(handled == SIGUSR1);
	SEE(handled_code + 100);
	SEE(handled_overrun);
	SEE(handled_value == 0);
	SEE(syscall(SYS_timer_getoverrun, timer));
	SEE(syscall(SYS_timer_getoverrun, 999));
	handled = 0;
	SEE(syscall(SYS_timer_settime, timer, TIMER_ABSTIME, &once, NULL));
	wait_for_handler();
	SEE(handled == SIGUSR1 && handled_code == SI_TIMER);
	sigset_t usr = set_of(SIGUSR1);

	sigprocmask(SIG_BLOCK, &usr, NULL);
	syscall(SYS_timer_settime, timer, 0, &quick, NULL);
	usleep(5000);
	handled = 0;
	sigprocmask(SIG_UNBLOCK, &usr, NULL);
	/* It goes off until it is deleted, and what is printed meanwhile may be cut short. */
	SEE(syscall(SYS_timer_delete, timer));
	SEE(handled_overrun > 100);
	SEE(syscall(SYS_timer_delete, timer) + 10);
	SEE(syscall(SYS_timer_delete, second));
}

static void timer_files(void)
{
	struct itimerspec quick = { { 0, 20000 }, { 0, 20000 } }, once = { { 0, 0 }, { 0, 1000 } },
			  got;
	uint64_t ticks = 0;
	int fd;

	SEE(timerfd_create(CLOCK_PROCESS_CPUTIME_ID, 0));
	SEE(timerfd_create(CLOCK_MONOTONIC, 1));
	SEE(fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
	SEE(read(fd, &ticks, 8));
	SEE(read(fd, &ticks, 4));
	SEE(timerfd_settime(fd, 64, &once, NULL));
	SEE(timerfd_settime(0, 0, &once, NULL));
	SEE(timerfd_settime(fd, 0, &once, NULL));
	SEE(poll(&(struct pollfd){ fd, POLLIN, 0 }, 1, 1000) + 50);
	SEE(read(fd, &ticks, 8) + 10);
	SEE(ticks);
	timerfd_gettime(fd, &got);
	SEE(got.it_value.tv_nsec);
	SEE(timerfd_settime(fd, TFD_TIMER_ABSTIME, &once, &got));
	SEE(poll(&(struct pollfd){ fd, POLLIN, 0 }, 1, 1000) + 60);
	SEE(timerfd_settime(fd, 0, &quick, NULL));
	usleep(5000);
	SEE(read(fd, &ticks, 8) + 20);
	SEE(ticks > 100);
	SEE(lseek(fd, 0, SEEK_SET));
	close(fd);
}

static void clocks(void)
{
	struct timespec a, b, wrong = { 0, 1000000000 }, short_time = { 0, 1000 };
	clockid_t clock;

	SEE(clock_gettime(77, &a));
	SEE(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, nowhere));
	SEE(clock_gettime(CLOCK_TAI, &a));
	clock_gettime(CLOCK_MONOTONIC, &a);
	clock_gettime(CLOCK_MONOTONIC, &b);
	SEE(b.tv_sec > a.tv_sec || b.tv_nsec >= a.tv_nsec);
	SEE(clock_getres(CLOCK_MONOTONIC, &a));
	SEE(a.tv_nsec);
	SEE(clock_getres(CLOCK_MONOTONIC_COARSE, &a));
	SEE(clock_settime(CLOCK_MONOTONIC, &a));
	SEE(clock_settime(CLOCK_REALTIME, &wrong));
	SEE(clock_settime(CLOCK_PROCESS_CPUTIME_ID, &a));
	a = (struct timespec){ 1700000000, 0 };
	SEE(clock_settime(CLOCK_REALTIME, &a));
	clock_gettime(CLOCK_REALTIME, &b);
	SEE(b.tv_sec - a.tv_sec < 10);
	SEE(clock_nanosleep(CLOCK_MONOTONIC, 0, &short_time, NULL));
	SEE(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &short_time, NULL));
	SEE(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &short_time, NULL));
	SEE(clock_nanosleep(CLOCK_MONOTONIC_RAW, 0, &short_time, NULL));
	SEE(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, NULL));
	SEE(clock_nanosleep(77, 0, &short_time, NULL));
	SEE(clock_getcpuclockid(getpid(), &clock));
	SEE(clock_gettime(clock, &a) + 10);
	SEE(clock_getcpuclockid(1 << 22, &clock) == 3);
}

/* A child that raises SIGNAL, if there is one, and exits with STATUS. */
static pid_t child(int status, int signal)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (signal)
		raise(signal);
	if (signal == SIGSTOP)
		pause();
	_exit(status);
}

static siginfo_t info;

static const char *info_text(void)
{
	static char text[64];

	snprintf(text, sizeof(text), "signal %d code %d status %d", info.si_signo, info.si_code,
		 info.si_status);
	return text;
}

static void waiting(void)
{
	struct rusage usage;
	int fd, pid;

	signal(SIGCHLD, SIG_DFL);
	SEE(waitid(P_ALL, 0, &info, WEXITED));
	pid = child(3, 0);
	SEE(waitid(P_ALL, 0, &info, 0));
	SEE(waitid(P_ALL, 0, &info, WEXITED | 64));
	SEE(waitid(P_PID, 0, &info, WEXITED));
	SEE(waitid(9, 0, &info, WEXITED));
	SEE(waitid(P_PID, 1 << 22, &info, WEXITED));
	SEE(waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	show(info_text(), "a child that has exited, left as it is");
	SEE(syscall(SYS_waitid, P_PID, pid, &info, WEXITED, &usage));
	show(info_text(), "a child that has exited");
	SEE(waitid(P_PID, pid, &info, WEXITED));
	pid = child(0, SIGTERM);
	SEE(waitid(P_PGID, 0, &info, WEXITED));
	show(info_text(), "a child that was killed");
	pid = child(4, SIGSTOP);
	SEE(waitid(P_PID, pid, &info, WSTOPPED));
	show(info_text(), "a child that was stopped");
	info.si_signo = 5;
	SEE(waitid(P_PID, pid, &info, WEXITED | WNOHANG));
	SEE(info.si_signo);
	SEE(info.si_pid);
	kill(pid, SIGCONT);
	SEE(waitid(P_PID, pid, &info, WCONTINUED));
	show(info_text(), "a child that was continued");
	kill(pid, SIGKILL);
	SEE(waitid(P_PID, pid, nowhere, WEXITED));
	pid = child(0, SIGSTOP);
	SEE(syscall(SYS_pidfd_open, pid, 1));
	SEE(syscall(SYS_pidfd_open, 0, 0));
	SEE(syscall(SYS_pidfd_open, 1 << 22, 0));
	SEE(fd = syscall(SYS_pidfd_open, pid, 0));
	SEE(fcntl(fd, F_GETFD));
	SEE(poll(&(struct pollfd){ fd, POLLIN, 0 }, 1, 0) + 100);
	SEE(read(fd, &usage, 1));
	SEE(syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0));
	SEE(syscall(SYS_pidfd_send_signal, fd, 99, NULL, 0));
	SEE(syscall(SYS_pidfd_send_signal, 0, SIGTERM, NULL, 0));
	SEE(syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 64));
	SEE(syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0));
	SEE(poll(&(struct pollfd){ fd, POLLIN, 0 }, 1, 1000) + 110);
	SEE(waitid(P_PIDFD, fd, &info, WEXITED));
	show(info_text(), "a child that was killed through its file");
	SEE(syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) + 10);
	SEE(waitid(P_PIDFD, fd, &info, WEXITED) + 10);
	SEE(waitid(P_PIDFD, 0, &info, WEXITED) + 20);
	close(fd);
	fd = -1;
	SEE(syscall(SYS_clone, CLONE_PIDFD | CLONE_PARENT_SETTID | SIGCHLD, 0, &fd, 0, 0));
	pid = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0, &fd, 0, 0);
	if (!pid)
		_exit(9);
	SEE(fd);
	SEE(fcntl(fd, F_GETFD) + 10);
	SEE(waitid(P_PIDFD, fd, &info, WEXITED) + 30);
	show(info_text(), "a child with a file from its beginning");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	queueing();
	signal_files();
	timers();
	timer_files();
	clocks();
	waiting();
	return 0;
}
