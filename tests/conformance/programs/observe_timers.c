/* SPDX-License-Identifier: BSD-2-Clause */
/* Interval timers: setitimer, getitimer, alarm. */
#include "timing.h"

static void see_interval_timers(void)
{
	struct itimerval old, ten = { { 0, 0 }, { 10, 0 } }, none = { 0 };
	struct itimerval wrong = { { 0, 0 }, { 0, 1000000 } }, negative = { { 0, 0 }, { -1, 0 } };
	struct itimerval wrong_interval = { { 0, 1000000 }, { 1, 0 } };
	struct itimerval soon = { { 0, 0 }, { 0, 1000 } }, often = { { 0, 1000 }, { 0, 1000 } };

	SEE(syscall(SYS_setitimer, 3, &none, NULL));
	SEE(syscall(SYS_setitimer, -1, &none, NULL));
	SEE(syscall(SYS_getitimer, 3, &old));
	SEE(syscall(SYS_getitimer, ITIMER_REAL, NULL));
	SEE(syscall(SYS_getitimer, ITIMER_REAL, bad));
	SEE(syscall(SYS_setitimer, ITIMER_REAL, bad, NULL));
	SEE(setitimer(ITIMER_REAL, &wrong, NULL));
	SEE(setitimer(ITIMER_REAL, &negative, NULL));
	SEE(setitimer(ITIMER_REAL, &wrong_interval, NULL));
	SEE(syscall(SYS_setitimer, ITIMER_REAL, &none, bad));
	SEE(setitimer(ITIMER_REAL, &ten, NULL));
	SEE(getitimer(ITIMER_REAL, &old));
	show(within_us(&old.it_value, 10), "what is left of ten seconds");
	show(within_us(&old.it_interval, 10), "its interval");
	SEE(syscall(SYS_setitimer, ITIMER_REAL, NULL, &old));
	show(within_us(&old.it_value, 10), "old value when a new one is missing");
	SEE(getitimer(ITIMER_REAL, &old));
	show(within_us(&old.it_value, 10), "a missing value disarms");
	SEE(alarm(100));
	SEE(alarm(50));
	SEE(getitimer(ITIMER_REAL, &old));
	show(within_us(&old.it_value, 50), "alarm sets the interval timer");
	ten.it_value.tv_sec = 7;
	SEE(setitimer(ITIMER_REAL, &ten, &old));
	show(within_us(&old.it_value, 50), "setitimer reports the time that alarm left");
	SEE(alarm(0));
	SEE((int)alarm(0));
	handle(SIGALRM);
	setitimer(ITIMER_REAL, &soon, NULL);
	while (!caught)
		;
	show(number(caught_info.si_code), "si_code of SIGALRM");
	show(number(caught_info.si_pid), "si_pid of SIGALRM");
	getitimer(ITIMER_REAL, &old);
	show(within_us(&old.it_value, 1), "left after one shot");
	setitimer(ITIMER_REAL, &often, NULL);
	while (caught < 4)
		;
	SEE(setitimer(ITIMER_REAL, &none, &old));
	show(within_us(&old.it_interval, 1), "interval of a periodic one");
	caught = 0;
	sleep_ms(5);
	show(number(caught), "signals after it was disarmed");
	setitimer(ITIMER_REAL, &ten, NULL);
	fflush(stdout);
	if (fork() == 0) {
		getitimer(ITIMER_REAL, &old);
		show(within_us(&old.it_value, 10), "a child's interval timer");
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	setitimer(ITIMER_REAL, &none, NULL);
}

static void see_cpu_interval_timers(void)
{
	struct itimerval old, few = { { 0, 0 }, { 0, 20000 } }, none = { 0 };
	struct itimerval ten = { { 0, 0 }, { 10, 0 } };

	for (int which = ITIMER_VIRTUAL; which <= ITIMER_PROF; which++) {
		int signal = which == ITIMER_PROF ? SIGPROF : SIGVTALRM;
		const char *name = which == ITIMER_PROF ? "PROF" : "VIRTUAL";

		handle(signal);
		show(outcome(setitimer(which, &ten, NULL)), "%s: set", name);
		show(outcome(getitimer(which, &old)), "%s: get", name);
		show(within_us(&old.it_value, 11), "%s: left", name);
		show(outcome(setitimer(which, &few, &old)), "%s: set again", name);
		show(within_us(&old.it_value, 11), "%s: old", name);
		while (!caught)
			;
		show(number(caught_info.si_code), "%s: si_code", name);
		setitimer(which, &few, NULL);
		setitimer(which, &none, NULL);
		caught = 0;
		burn_ms(40);
		show(number(caught), "%s: disarmed", name);
		few.it_interval.tv_usec = 5000;
		setitimer(which, &few, NULL);
		while (caught < 3)
			;
		setitimer(which, &none, &old);
		show(within_us(&old.it_interval, 1), "%s: interval", name);
		few.it_interval.tv_usec = 0;
	}
}

int main(void)
{
	see_interval_timers();
	see_cpu_interval_timers();
	return 0;
}
