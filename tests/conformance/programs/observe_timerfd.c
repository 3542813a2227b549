/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers as files: timerfd. */
#include "timing.h"

int main(void)
{
	struct itimerspec none = spec(0, 0), ten = spec(10000 * MS, 2 * MS), old,
			  soon = spec(1 * MS, 0);
	struct itimerspec series = spec(0, 0), wrong = spec(0, 0);
	static const clockid_t clocks[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, -2, 99 };
	struct pollfd poller = { .events = POLLIN | POLLOUT };
	struct timespec now;
	uint64_t count, room[13];
	int fd, plain = open("/dev/null", O_RDONLY);

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		fd = timerfd_create(clocks[i], 0);
		show(outcome(fd), "timerfd_create of clock %d", clocks[i]);
		close(fd);
	}
	SEE(timerfd_create(CLOCK_MONOTONIC, 1));
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	show(outcome_value(fcntl(fd, F_GETFD)), "F_GETFD");
	show(fcntl(fd, F_GETFL) & O_NONBLOCK ? "yes" : "no", "nonblocking");
	SEE(timerfd_settime(-1, 0, &none, NULL));
	SEE(timerfd_settime(plain, 0, &none, NULL));
	SEE(timerfd_gettime(-1, &old));
	SEE(timerfd_gettime(plain, &old));
	SEE(timerfd_settime(fd, 4, &none, NULL));
	SEE(timerfd_settime(fd, 0, bad, NULL));
	SEE(timerfd_settime(fd, 0, &none, bad));
	SEE(timerfd_gettime(fd, bad));
	wrong.it_value.tv_nsec = 1000000000;
	show(outcome(timerfd_settime(fd, 0, &wrong, NULL)), "timerfd_settime with too many ns");
	wrong = none;
	wrong.it_interval.tv_sec = -1;
	show(outcome(timerfd_settime(fd, 0, &wrong, NULL)),
	     "timerfd_settime with a negative interval");
	show(outcome_value(read(fd, &count, 8)), "read when disarmed");
	SEE(timerfd_settime(fd, 0, &ten, &old));
	show(within(&old.it_value, 1), "old value");
	show(outcome_value(read(fd, &count, 8)), "read before its time");
	show(outcome_value(read(fd, &count, 7)), "read of 7 bytes");
	show(outcome_value(write(fd, &count, 8)), "write");
	show(outcome_value(pread(fd, &count, 8, 0)), "pread");
	show(outcome_value(ioctl(fd, 0x5401, &count)), "ioctl");
	poller.fd = fd;
	show(outcome_value(poll(&poller, 1, 0)), "poll before its time");
	SEE(timerfd_gettime(fd, &old));
	show(within(&old.it_value, 10), "value");
	show(number(old.it_interval.tv_nsec), "interval");
	timerfd_settime(fd, 0, &soon, &old);
	show(number(old.it_interval.tv_nsec), "old interval");
	show(outcome_value(poll(&poller, 1, -1)), "poll");
	show(number(poller.revents), "events");
	show(outcome_value(read(fd, bad, 8)), "read to a bad address");
	timerfd_settime(fd, 0, &soon, NULL);
	poll(&poller, 1, -1);
	show(outcome_value(read(fd, room, sizeof(room))), "read");
	count = room[0];
	show(number((long)count), "count");
	show(outcome_value(read(fd, &count, 8)), "read again");
	timerfd_gettime(fd, &old);
	show(within(&old.it_value, 10), "value after one shot");
	/* Ten intervals ago. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	series.it_value = (struct timespec){ 0, 1 };
	series.it_interval = (struct timespec){ 1000000, 0 };
	timerfd_settime(fd, TFD_TIMER_ABSTIME, &series, NULL);
	poll(&poller, 1, -1);
	show(outcome_value(read(fd, &count, 8)), "read of a series");
	show(number((long)count), "count of a series");
	timerfd_gettime(fd, &old);
	show(within(&old.it_value, 1000000), "value of a series");
	close(fd);
	fd = timerfd_create(CLOCK_REALTIME, 0);
	clock_gettime(CLOCK_REALTIME, &now);
	series.it_value = now;
	series.it_value.tv_sec -= 1050;
	series.it_interval = (struct timespec){ 100, 0 };
	timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &series, NULL);
	show(outcome_value(read(fd, &count, 8)), "blocking read");
	show(number((long)count), "intervals of the past");
	timerfd_settime(fd, TFD_TIMER_ABSTIME, &series, NULL);
	poller.fd = fd;
	poll(&poller, 1, -1);
	timerfd_gettime(fd, &old);
	show(within(&old.it_value, 51), "value of the past");
	show(outcome_value(read(fd, &count, 8)), "read after gettime");
	show(number((long)count), "count after gettime");
	timerfd_settime(fd, TFD_TIMER_ABSTIME, &series, NULL);
	poll(&poller, 1, -1);
	timerfd_settime(fd, 0, &none, &old);
	show(within(&old.it_value, 51), "old value of the past");
	fcntl(fd, F_SETFL, O_NONBLOCK);
	show(outcome_value(read(fd, &count, 8)), "a new setting forgets expiries");
	/* An interval without a first time. */
	wrong = none;
	wrong.it_interval.tv_nsec = 5;
	timerfd_settime(fd, 0, &wrong, NULL);
	timerfd_gettime(fd, &old);
	show(number(old.it_interval.tv_nsec), "interval without a value");
	close(fd);
	return 0;
}
