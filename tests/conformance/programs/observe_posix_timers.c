/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers that timer_create makes: what they send, when, and how often. */
#include "timing.h"

static long create(clockid_t clock, struct sigevent *event, int *timer)
{
	return syscall(SYS_timer_create, clock, event, timer);
}

#define SETTIME(timer, flags, new, old) syscall(SYS_timer_settime, timer, flags, new, old)
#define GETTIME(timer, left)		syscall(SYS_timer_gettime, timer, left)
#define OVERRUN(timer)			syscall(SYS_timer_getoverrun, timer)
#define DELETE(timer)			syscall(SYS_timer_delete, timer)

static void see_creation(void)
{
	static const clockid_t clocks[] = { 0, 1,  2,  3,  4,  5,  6,  7,  8,
					    9, 10, 11, 12, -1, -2, -3, -6, 99 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	int timer;

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		long result = create(clocks[i], NULL, &timer);

		show(outcome(result), "timer_create of clock %d", clocks[i]);
		if (result == 0)
			DELETE(timer);
	}
	SEE(create(CLOCK_MONOTONIC, bad, &timer));
	SEE(create(CLOCK_MONOTONIC, &event, bad));
	event.sigev_notify = 99;
	show(outcome(create(CLOCK_MONOTONIC, &event, &timer)), "timer_create with notify 99");
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = 0;
	show(outcome(create(CLOCK_MONOTONIC, &event, &timer)), "timer_create with signal 0");
	event.sigev_signo = 65;
	show(outcome(create(CLOCK_MONOTONIC, &event, &timer)), "timer_create with signal 65");
	event.sigev_signo = SIGKILL;
	show(outcome(create(CLOCK_MONOTONIC, &event, &timer)), "timer_create with SIGKILL");
	event.sigev_signo = 0;
	event.sigev_notify = SIGEV_NONE;
	show(outcome(create(CLOCK_MONOTONIC, &event, &timer)), "timer_create with SIGEV_NONE");
	event.sigev_signo = SIGUSR1;
	event.sigev_notify = SIGEV_THREAD_ID;
	event._sigev_un._tid = 1000000;
	show(outcome(create(CLOCK_MONOTONIC, &event, &timer)), "timer_create for no thread");
	event._sigev_un._tid = getppid();
	show(outcome(create(CLOCK_MONOTONIC, &event, &timer)), "timer_create for another's thread");
	event.sigev_notify = SIGEV_SIGNAL | SIGEV_THREAD_ID;
	event._sigev_un._tid = gettid();
	show(outcome(create(CLOCK_MONOTONIC, &event, &timer)), "timer_create for this thread");
	event.sigev_notify = SIGEV_THREAD;
	show(outcome(create(CLOCK_MONOTONIC, &event, &timer)), "timer_create with SIGEV_THREAD");
	event.sigev_notify = SIGEV_NONE | SIGEV_THREAD_ID;
	show(outcome(create(CLOCK_MONOTONIC, &event, &timer)),
	     "timer_create with NONE and a thread");
}

static void see_settings(void)
{
	struct itimerspec ten = spec(10000 * MS, 3 * MS), none = spec(0, 0), old,
			  wrong = spec(1, 0);
	struct itimerspec soon = spec(1, 0);
	int timer, none_timer;
	struct sigevent event = { .sigev_notify = SIGEV_NONE };

	SEE(SETTIME(12345, 0, &ten, NULL));
	SEE(GETTIME(12345, &old));
	SEE(OVERRUN(12345));
	SEE(DELETE(12345));
	SEE(SETTIME(-1, 0, &ten, NULL));
	create(CLOCK_MONOTONIC, NULL, &timer);
	SEE(SETTIME(timer, 0, NULL, NULL));
	SEE(SETTIME(timer, 0, bad, NULL));
	SEE(SETTIME(timer, 0, &none, bad));
	wrong.it_value.tv_nsec = 1000000000;
	show(outcome(SETTIME(timer, 0, &wrong, NULL)), "timer_settime with too many ns");
	wrong = spec(1, 0);
	wrong.it_interval.tv_nsec = -1;
	show(outcome(SETTIME(timer, 0, &wrong, NULL)), "timer_settime with a negative interval");
	wrong = spec(1, 0);
	wrong.it_value.tv_sec = -1;
	show(outcome(SETTIME(timer, 0, &wrong, NULL)), "timer_settime with negative seconds");
	SEE(SETTIME(timer, 0x80, &none, NULL));
	SEE(GETTIME(timer, bad));
	SEE(GETTIME(timer, &old));
	show(within(&old.it_value, 1), "a new timer's value");
	SEE(SETTIME(timer, 0, &ten, &old));
	show(within(&old.it_value, 1), "its old value when set");
	SEE(GETTIME(timer, &old));
	show(within(&old.it_value, 10), "its value now");
	show(number(old.it_interval.tv_nsec), "its interval now");
	SEE(SETTIME(timer, 0, &none, &old));
	show(within(&old.it_value, 10), "old value when disarmed");
	show(number(old.it_interval.tv_nsec), "old interval when disarmed");
	SEE(GETTIME(timer, &old));
	show(within(&old.it_value, 10), "value when disarmed");
	show(number(old.it_interval.tv_nsec), "interval when disarmed");
	none.it_interval.tv_nsec = 5;
	SETTIME(timer, 0, &none, NULL);
	GETTIME(timer, &old);
	show(number(old.it_interval.tv_nsec), "interval of a disarmed timer set with one");
	SEE(OVERRUN(timer));
	SEE(DELETE(timer));
	SEE(DELETE(timer));
	create(CLOCK_MONOTONIC, &event, &none_timer);
	SETTIME(none_timer, 0, &soon, NULL);
	sleep_ms(2);
	GETTIME(none_timer, &old);
	show(within(&old.it_value, 1), "SIGEV_NONE: value after its end");
	show(outcome_value(OVERRUN(none_timer)), "SIGEV_NONE: overrun");
	soon.it_interval.tv_sec = 5;
	SETTIME(none_timer, 0, &soon, NULL);
	sleep_ms(2);
	GETTIME(none_timer, &old);
	show(within(&old.it_value, 5), "SIGEV_NONE: value in the second interval");
	DELETE(none_timer);
}

static void see_expiry(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	struct itimerspec soon = spec(1000000, 0), none = spec(0, 0), old,
			  often = spec(1 * MS, 1 * MS);
	struct timespec now;
	sigset_t set;
	siginfo_t info;
	int timer, other;

	handle(SIGALRM);
	create(CLOCK_MONOTONIC, NULL, &timer);
	SETTIME(timer, 0, &soon, NULL);
	while (!caught)
		;
	show(number(caught_info.si_signo), "default event: si_signo");
	show(number(caught_info.si_code), "default event: si_code");
	show(caught_info.si_timerid == timer ? "the timer's" : "other",
	     "default event: si_timerid");
	show(caught_info.si_value.sival_int == timer ? "the timer's" : "other",
	     "default event: si_value");
	show(number(caught_info.si_overrun), "default event: si_overrun");
	show(number(caught_info.si_errno), "default event: si_errno");
	GETTIME(timer, &old);
	show(within(&old.it_value, 1), "default event: value after one shot");
	DELETE(timer);

	event.sigev_value.sival_ptr = (void *)0x123456789abcl;
	handle(SIGRTMIN);
	create(CLOCK_REALTIME, &event, &timer);
	clock_gettime(CLOCK_REALTIME, &now);
	soon.it_value = now;
	SETTIME(timer, TIMER_ABSTIME, &soon, NULL);
	while (!caught)
		;
	show(caught_info.si_value.sival_ptr == event.sigev_value.sival_ptr ? "mine" : "other",
	     "absolute time that has passed: si_value");
	show(number(caught_info.si_overrun), "absolute time that has passed: si_overrun");
	show(outcome_value(OVERRUN(timer)), "absolute time that has passed: overrun");

	/* Overrun: with the signal blocked over many intervals. */
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	SETTIME(timer, 0, &often, NULL);
	sleep_ms(30);
	show(outcome_value(OVERRUN(timer)), "overrun before the signal is taken");
	sigpending(&set);
	show(sigismember(&set, SIGRTMIN) ? "yes" : "no", "blocked timer's signal is pending");
	caught = 0;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	/* The pending signal, and perhaps the first of the new series. */
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	show(caught >= 1 ? "yes" : "no", "unblocked timer's signal comes");
	while (caught < 3)
		;
	SETTIME(timer, 0, &none, NULL);

	/* The same counted: absolute, with an interval so long that nothing else comes. */
	sigprocmask(SIG_BLOCK, &set, NULL);
	clock_gettime(CLOCK_REALTIME, &now);
	often = spec(0, 0);
	often.it_value = now;
	often.it_value.tv_sec -= 1050;
	often.it_interval.tv_sec = 100;
	caught = 0;
	SETTIME(timer, TIMER_ABSTIME, &often, NULL);
	sleep_ms(2);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	show(number(caught), "ten intervals ago: signals");
	show(number(caught_info.si_overrun), "ten intervals ago: si_overrun");
	show(outcome_value(OVERRUN(timer)), "ten intervals ago: overrun");
	GETTIME(timer, &old);
	show(within(&old.it_value, 51), "ten intervals ago: value");
	SETTIME(timer, 0, &none, NULL);

	/* Set again while its signal is pending. */
	sigprocmask(SIG_BLOCK, &set, NULL);
	soon = spec(1, 0);
	SETTIME(timer, 0, &soon, NULL);
	sleep_ms(2);
	SETTIME(timer, 0, &soon, NULL);
	sleep_ms(2);
	caught = 0;
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	show(number(caught), "two expiries while blocked: signals");
	sigprocmask(SIG_BLOCK, &set, NULL);
	SETTIME(timer, 0, &soon, NULL);
	sleep_ms(2);
	SETTIME(timer, 0, &none, NULL);
	caught = 0;
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	show(number(caught), "disarmed with its signal pending: signals");
	sigprocmask(SIG_BLOCK, &set, NULL);
	SETTIME(timer, 0, &soon, NULL);
	sleep_ms(2);
	DELETE(timer);
	caught = 0;
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	show(number(caught), "deleted with its signal pending: signals");

	/* Two timers, one standard signal. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	handle(SIGUSR1);
	event.sigev_signo = SIGUSR1;
	create(CLOCK_MONOTONIC, &event, &timer);
	create(CLOCK_MONOTONIC, &event, &other);
	sigprocmask(SIG_BLOCK, &set, NULL);
	SETTIME(timer, 0, &soon, NULL);
	SETTIME(other, 0, &soon, NULL);
	sleep_ms(3);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	show(number(caught), "two timers with one standard signal: signals");
	DELETE(timer);
	DELETE(other);

	/* For a thread. */
	event.sigev_notify = SIGEV_THREAD_ID;
	event._sigev_un._tid = gettid();
	create(CLOCK_BOOTTIME, &event, &timer);
	sigprocmask(SIG_BLOCK, &set, NULL);
	SETTIME(timer, 0, &soon, NULL);
	show(outcome_value(sigwaitinfo(&set, &info)), "for a thread: sigwaitinfo");
	show(number(info.si_code), "for a thread: si_code");
	DELETE(timer);
	sigprocmask(SIG_UNBLOCK, &set, NULL);

	/* An ignored signal, then not ignored any more. */
	event.sigev_notify = SIGEV_SIGNAL;
	signal(SIGUSR1, SIG_IGN);
	often = spec(1 * MS, 1 * MS);
	create(CLOCK_MONOTONIC, &event, &timer);
	SETTIME(timer, 0, &often, NULL);
	sleep_ms(10);
	handle(SIGUSR1);
	while (!caught)
		;
	show("yes", "a signal that was ignored comes");
	DELETE(timer);

	/* A child has none of its parent's timers. */
	create(CLOCK_MONOTONIC, &event, &timer);
	fflush(stdout);
	if (fork() == 0) {
		show(outcome(GETTIME(timer, &old)), "a parent's timer in its child");
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	DELETE(timer);
}

/* Burns time until the signal comes: ticks raise it, perhaps much later than requested. */
static void *burn(void *arg)
{
	for (int ms = 10; ms <= 1000 && !caught; ms += 10)
		burn_ms(ms);
	return arg;
}

static void see_cpu_timers(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
	struct itimerspec few = spec(20 * MS, 0), old, ten = spec(10000 * MS, 0), past = spec(1, 0);
	static const clockid_t clocks[] = { CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID };
	pthread_t thread;
	int timer;

	handle(SIGUSR2);
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "thread's time" : "process's time";

		show(outcome(create(clocks[i], &event, &timer)), "%s: timer_create", name);
		show(outcome(SETTIME(timer, 0, &ten, NULL)), "%s: set", name);
		sleep_ms(2);
		GETTIME(timer, &old);
		show(within(&old.it_value, 10), "%s: left", name);
		caught = 0;
		SETTIME(timer, 0, &few, NULL);
		while (!caught)
			;
		show(number(caught_info.si_code), "%s: si_code", name);
		show(number(caught_info.si_overrun), "%s: si_overrun", name);
		GETTIME(timer, &old);
		show(within(&old.it_value, 10), "%s: left after one shot", name);
		caught = 0;
		SETTIME(timer, TIMER_ABSTIME, &past, NULL);
		while (!caught)
			;
		show(number(caught_info.si_overrun), "%s: passed: si_overrun", name);
		caught = 0;
		few.it_value.tv_nsec = 10 * MS;
		SETTIME(timer, 0, &few, NULL);
		if (i == 0) {
			pthread_create(&thread, NULL, burn, NULL);
			pthread_join(thread, NULL);
			show(caught ? "yes" : "no", "process's time: another thread's counts");
		}
		DELETE(timer);
	}
}

int main(void)
{
	see_creation();
	see_settings();
	see_expiry();
	see_cpu_timers();
	return 0;
}
