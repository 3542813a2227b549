// SPDX-License-Identifier: BSD-2-Clause
/*
 * Clocks: reading, setting and adjusting them, and sleeping.
 */
#include <sys/timex.h>

#include "clocks.h"

static void see_reading(void)
{
	struct timespec time, again;
	struct timeval now;
	struct timezone zone = { 5, 5 };
#ifdef SYS_time
	time_t seconds;
#endif

	EACH(i)
	{
		show(outcome(syscall(SYS_clock_gettime, numbers[i], &time)), "clock_gettime of %d",
		     numbers[i]);
		time.tv_sec = time.tv_nsec = -1;
		show(outcome(syscall(SYS_clock_getres, numbers[i], &time)), "clock_getres of %d",
		     numbers[i]);
		show(number(time.tv_nsec), "resolution of %d", numbers[i]);
	}
	SEE(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, bad));
	SEE(syscall(SYS_clock_getres, CLOCK_MONOTONIC, NULL));
	SEE(syscall(SYS_clock_getres, CLOCK_MONOTONIC, bad));
	SEE(syscall(SYS_clock_gettime, (getppid() * 0 + 1000000) * -8 - 6, &time));
	SEE(syscall(SYS_gettimeofday, bad, NULL));
	SEE(syscall(SYS_gettimeofday, NULL, bad));
	SEE(syscall(SYS_gettimeofday, NULL, NULL));
	SEE(syscall(SYS_gettimeofday, &now, &zone));
	show(number(zone.tz_minuteswest), "minutes west");
	show(number(zone.tz_dsttime), "summer time");
#ifdef SYS_time /* x86_64 has it, Alpha not */
	SEE(syscall(SYS_time, bad));
	show(syscall(SYS_time, &seconds) == seconds ? "equal" : "different", "time's two results");
#endif
	syscall(SYS_clock_gettime, CLOCK_REALTIME, &time);
	syscall(SYS_clock_gettime, CLOCK_TAI, &again);
	show(again.tv_sec - time.tv_sec <= 1 ? "equal" : "different",
	     "CLOCK_TAI and CLOCK_REALTIME");
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &again);
	show(ns_between(&time, &again) >= 0 ? "yes" : "no", "CLOCK_MONOTONIC does not go back");
}

static void see_sleeping(void)
{
	struct timespec half = { 0, 500000 }, left, before, after, negative = { -1, 0 };
	struct timespec many = { 0, 1000000000 }, past = { 0, 0 }, ms = { 0, 20000000 };
	/* Again and again: the first may come before the sleep that it is to interrupt. */
	struct itimerval soon = { { 0, 2000 }, { 0, 2000 } }, never = { { 0, 0 }, { 0, 0 } };

	EACH(i)
	{
		if (numbers[i] == -2 || numbers[i] == -6 || numbers[i] == -7 || numbers[i] == -5 ||
		    numbers[i] == -3 || numbers[i] == -9 || numbers[i] == 2)
			continue;
		show(outcome(syscall(SYS_clock_nanosleep, numbers[i], 0, &half, NULL)),
		     "clock_nanosleep on %d", numbers[i]);
	}
	SEE(syscall(SYS_nanosleep, &half, NULL));
	SEE(syscall(SYS_nanosleep, &half, bad));
	SEE(syscall(SYS_nanosleep, NULL, NULL));
	SEE(syscall(SYS_nanosleep, bad, NULL));
	SEE(syscall(SYS_nanosleep, &negative, NULL));
	SEE(syscall(SYS_nanosleep, &many, NULL));
	SEE(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, bad, NULL));
	SEE(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &many, NULL));
	SEE(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL));
	SEE(syscall(SYS_clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, &past, bad));
	SEE(syscall(SYS_clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME | 0x100, &past, NULL));
	SEE(syscall(SYS_clock_nanosleep, CLOCK_THREAD_CPUTIME_ID, 0, &half, NULL));
	clock_gettime(CLOCK_MONOTONIC, &before);
	nanosleep(&half, NULL);
	clock_gettime(CLOCK_MONOTONIC, &after);
	show(ns_between(&before, &after) >= 500000 ? "yes" : "no", "nanosleep is not too short");
	after = before;
	after.tv_sec++;
	handle(SIGALRM);
	setitimer(ITIMER_REAL, &soon, NULL);
	left = past;
	many = (struct timespec){ 100, 0 };
	show(outcome(syscall(SYS_nanosleep, &many, &left)), "interrupted nanosleep");
	show(within(&left, 100), "what was left of it");
	setitimer(ITIMER_REAL, &soon, NULL);
	show(outcome(syscall(SYS_nanosleep, &many, bad)), "interrupted nanosleep without room");
	setitimer(ITIMER_REAL, &soon, NULL);
	show(outcome(syscall(SYS_nanosleep, &many, NULL)),
	     "interrupted nanosleep without a remainder");
	setitimer(ITIMER_REAL, &soon, NULL);
	left = past;
	after.tv_sec += 100;
	show(outcome(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &after, &left)),
	     "interrupted absolute sleep");
	show(within(&left, 100), "what it says is left");
	/* A signal whose handler lets calls go on does not, but one without a handler does. */
	signal(SIGALRM, SIG_IGN);
	setitimer(ITIMER_REAL, &soon, NULL);
	clock_gettime(CLOCK_MONOTONIC, &before);
	show(outcome(syscall(SYS_nanosleep, &ms, NULL)), "nanosleep over an ignored signal");
	clock_gettime(CLOCK_MONOTONIC, &after);
	show(ns_between(&before, &after) >= 20000000 ? "yes" : "no", "it is not too short");
	setitimer(ITIMER_REAL, &never, NULL);
	/* Stopped and continued: the rest is slept. */
	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		clock_gettime(CLOCK_MONOTONIC, &before);
		int result = (int)syscall(SYS_nanosleep, &ms, NULL);

		clock_gettime(CLOCK_MONOTONIC, &after);
		_exit(result || ns_between(&before, &after) < 20000000);
	}
	sleep_ms(3);
	kill(child, SIGSTOP);
	sleep_ms(3);
	kill(child, SIGCONT);
	int status;

	waitpid(child, &status, 0);
	show(number(status), "nanosleep over stop and continue");
}

static void see_setting(void)
{
	struct timespec now, again, wrong = { 5, 1000000000 }, negative = { -1, 0 },
				    early = { 0, 1 };
	struct timeval tv, wrong_tv = { 5, 1000000 }, negative_tv = { -1, 0 };
	struct timezone wrong_zone = { 16 * 60, 0 };
	struct itimerspec far = spec(0, 0);
	struct pollfd poller = { .events = POLLIN };
	uint64_t count;

	clock_gettime(CLOCK_REALTIME, &now);
	EACH(i)
	{
		if (numbers[i] == 0)
			continue;
		show(outcome(syscall(SYS_clock_settime, numbers[i], &now)), "clock_settime of %d",
		     numbers[i]);
	}
	SEE(syscall(SYS_clock_settime, CLOCK_REALTIME, bad));
	SEE(syscall(SYS_clock_settime, CLOCK_REALTIME, NULL));
	SEE(syscall(SYS_clock_settime, CLOCK_REALTIME, &wrong));
	SEE(syscall(SYS_clock_settime, CLOCK_REALTIME, &negative));
	SEE(syscall(SYS_clock_settime, CLOCK_REALTIME, &early));
	SEE(syscall(SYS_settimeofday, bad, NULL));
	SEE(syscall(SYS_settimeofday, NULL, bad));
	SEE(syscall(SYS_settimeofday, NULL, NULL));
	SEE(syscall(SYS_settimeofday, &wrong_tv, NULL));
	SEE(syscall(SYS_settimeofday, &negative_tv, NULL));
	SEE(syscall(SYS_settimeofday, NULL, &wrong_zone));

	/* A timer for a moment of the clock; then the clock is set to a later time. */
	int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
	int cancelled = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
	int relative = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);

	far.it_value = now;
	far.it_value.tv_sec += 5000;
	timerfd_settime(fd, TFD_TIMER_ABSTIME, &far, NULL);
	timerfd_settime(cancelled, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &far, NULL);
	far.it_value = (struct timespec){ 5000, 0 };
	timerfd_settime(relative, 0, &far, NULL);
	show(outcome(read(fd, &count, 8)), "a timer before the clock is set");
	now.tv_sec += 6000;
	SEE(clock_settime(CLOCK_REALTIME, &now));
	clock_gettime(CLOCK_REALTIME, &again);
	show(again.tv_sec - now.tv_sec <= 1 ? "yes" : "no", "the clock is set");
	syscall(SYS_clock_gettime, CLOCK_REALTIME, &again);
	show(again.tv_sec - now.tv_sec <= 1 ? "yes" : "no", "the system call says so, too");
	poller.fd = fd;
	show(number(poll(&poller, 1, 1000)), "a timer that the clock was set past");
	show(outcome_value(read(fd, &count, 8)), "its read");
	poller.fd = cancelled;
	show(number(poll(&poller, 1, 1000)), "one that is cancelled");
	show(outcome_value(read(cancelled, &count, 8)), "its first read");
	show(outcome_value(read(cancelled, &count, 8)), "its second read");
	show(outcome_value(read(relative, &count, 8)), "one set for a time from now");
	tv = (struct timeval){ now.tv_sec + 100, 0 };
	SEE(settimeofday(&tv, NULL));
	gettimeofday(&tv, NULL);
	show(tv.tv_sec - now.tv_sec >= 100 && tv.tv_sec - now.tv_sec <= 102 ? "yes" : "no",
	     "the time of day is set");
	show(number(poll(&poller, 1, 0)), "the one that was cancelled, set again");
}

static void see_adjusting(void)
{
	struct timex state;

	memset(&state, 0, sizeof(state));
	show(outcome_value(syscall(SYS_adjtimex, &state)), "adjtimex");
	show(number(state.status), "status");
	show(number(state.offset), "offset");
	show(number(state.freq), "freq");
	show(number(state.maxerror), "maxerror");
	show(number(state.esterror), "esterror");
	show(number(state.constant), "constant");
	show(number(state.precision), "precision");
	show(number(state.tolerance), "tolerance");
	show(number(state.tick), "tick");
	show(number(state.tai), "tai");
	SEE(syscall(SYS_adjtimex, NULL));
	SEE(syscall(SYS_adjtimex, bad));
	show(outcome_value(syscall(SYS_clock_adjtime, CLOCK_REALTIME, &state)), "clock_adjtime");
	show(outcome(syscall(SYS_clock_adjtime, CLOCK_MONOTONIC, &state)),
	     "clock_adjtime of CLOCK_MONOTONIC");
	show(outcome(syscall(SYS_clock_adjtime, 77, &state)), "clock_adjtime of clock 77");
	memset(&state, 0, sizeof(state));
	state.modes = ADJ_TICK;
	state.tick = 1;
	show(outcome(syscall(SYS_adjtimex, &state)), "a tick that is too short");
}

int main(void)
{
	see_reading();
	see_sleeping();
	see_adjusting();
	see_setting();
	return 0;
}
