/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * osf_times: OSF/1's calls with times of 32 bits, beside those with 64. Source of the expected values: Linux's
 * arch/alpha/kernel/osf_sys.c. A static program of the GNU C library, which knows only the others.
 */
#define _GNU_SOURCE

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "points.h"

struct osf_timeval {
	int32_t sec, usec;
};

struct osf_itimerval {
	struct osf_timeval interval, value;
};

struct osf_rusage {
	struct osf_timeval user, system;
	int64_t maxrss, others[3], minor, major, rest[8];
};

struct osf_timex {
	uint32_t modes;
	int64_t before[8];
	struct osf_timeval time;
	int64_t tick, following[14];
};

static struct timespec now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time;
}

static uint64_t now_ns(void)
{
	struct timespec time = now(CLOCK_MONOTONIC);

	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static volatile sig_atomic_t alarms_seen;

static void on_alarm(int number __attribute__((unused)))
{
	alarms_seen++;
}

/* --- the time of day --- */

static void check_day(void)
{
	struct timespec before = now(CLOCK_REALTIME);
	struct osf_timeval time = { -1, -1 };
	struct timezone zone = { 60, 1 }, shown = { -1, -1 };

	point(syscall(SYS_osf_gettimeofday, &time, NULL) == 0 && time.usec >= 0 &&
		      time.usec < 1000000,
	      "gettimeofday tells 32 bits");
	struct timespec after = now(CLOCK_REALTIME);

	point((time.sec > before.tv_sec ||
	       (time.sec == before.tv_sec && time.usec >= before.tv_nsec / 1000)) &&
		      (time.sec < after.tv_sec ||
		       (time.sec == after.tv_sec && time.usec <= after.tv_nsec / 1000)),
	      "... of the same clock");
	point(syscall(SYS_osf_gettimeofday, NULL, NULL) == 0, "... or nothing");
	point(fails(syscall(SYS_osf_gettimeofday, BAD, NULL), EFAULT), "... not to nowhere");
	point(fails(syscall(SYS_osf_gettimeofday, &time, BAD), EFAULT), "... nor the zone");

	point(syscall(SYS_osf_settimeofday, NULL, &zone) == 0 &&
		      syscall(SYS_osf_gettimeofday, NULL, &shown) == 0 &&
		      shown.tz_minuteswest == 60 && shown.tz_dsttime == 1,
	      "settimeofday sets the zone");
	zone.tz_minuteswest = 901;
	point(fails(syscall(SYS_osf_settimeofday, NULL, &zone), EINVAL), "... none so far away");
	/* 2033 */
	time = (struct osf_timeval){ 2000000000, 500000 };
	point(syscall(SYS_osf_settimeofday, &time, NULL) == 0 &&
		      now(CLOCK_REALTIME).tv_sec - 2000000000 < 100 &&
		      now(CLOCK_REALTIME).tv_sec >= 2000000000,
	      "... and the clock");
	/* Linux: timespec64_valid_settod. */
	time = (struct osf_timeval){ -1, 0 };
	point(fails(syscall(SYS_osf_settimeofday, &time, NULL), EINVAL), "... not before 1970");
	time = (struct osf_timeval){ 2000000000, -1 };
	point(fails(syscall(SYS_osf_settimeofday, &time, NULL), EINVAL),
	      "... not fewer than no microseconds");
	time.usec = 1000000;
	point(fails(syscall(SYS_osf_settimeofday, &time, NULL), EINVAL),
	      "... not a second of them");
	point(fails(syscall(SYS_osf_settimeofday, BAD, &zone), EFAULT), "... not from nowhere");
	point(fails(syscall(SYS_osf_settimeofday, &time, BAD), EFAULT),
	      "... nor the zone, which is read first");
	/* The clock of 64 bits goes on where that one ends. */
	struct timespec late = { 0x80000000u + 5ll, 0 };

	point(clock_settime(CLOCK_REALTIME, &late) == 0 &&
		      syscall(SYS_osf_gettimeofday, &time, NULL) == 0 && time.sec < INT32_MIN + 100,
	      "2038's seconds are cut off");
	clock_settime(CLOCK_REALTIME, &before);
}

static void check_timex(void)
{
	struct osf_timex osf;
	struct timex timex = { .modes = 0 };

	memset(&osf, 0xff, sizeof(osf));
	osf.modes = 0;
	point(sizeof(osf) == 200 && syscall(SYS_old_adjtimex, &osf) == TIME_ERROR &&
		      adjtimex(&timex) == TIME_ERROR,
	      "old_adjtimex");
	point(osf.time.sec >= timex.time.tv_sec - 1 && osf.time.sec <= timex.time.tv_sec &&
		      osf.tick == timex.tick && osf.before[2] == timex.maxerror &&
		      osf.following[0] == 0,
	      "... tells what adjtimex does, the time in 32 bits");
	osf.modes = ADJ_TICK;
	osf.tick = 1;
	point(fails(syscall(SYS_old_adjtimex, &osf), EINVAL), "... refuses what that refuses");
	point(fails(syscall(SYS_old_adjtimex, BAD), EFAULT), "... and nowhere");
}

/* --- timers --- */

static void check_timers(void)
{
	struct osf_itimerval set = { { 7, 5 }, { 1000, 250 } }, old, got;
	struct itimerval wide;

	memset(&old, 0xff, sizeof(old));
	point(syscall(SYS_osf_setitimer, ITIMER_REAL, &set, &old) == 0 && !old.value.sec &&
		      !old.value.usec && !old.interval.sec && !old.interval.usec,
	      "setitimer tells what was set: nothing");
	point(getitimer(ITIMER_REAL, &wide) == 0 && wide.it_interval.tv_sec == 7 &&
		      wide.it_interval.tv_usec == 5 && wide.it_value.tv_sec >= 990 &&
		      wide.it_value.tv_sec <= 1000,
	      "... sets the timer that getitimer tells of");
	point(syscall(SYS_osf_getitimer, ITIMER_REAL, &got) == 0 && got.interval.sec == 7 &&
		      got.interval.usec == 5 && got.value.sec >= 990 && got.value.sec <= 1000,
	      "... as does OSF/1's");
	wide.it_interval = (struct timeval){ 0x100000003, 6 };
	setitimer(ITIMER_REAL, &wide, NULL);
	point(syscall(SYS_osf_getitimer, ITIMER_REAL, &got) == 0 && got.interval.sec == 3 &&
		      got.interval.usec == 6,
	      "seconds of more bits are cut off");
	set.value.usec = -1;
	point(fails(syscall(SYS_osf_setitimer, ITIMER_REAL, &set, NULL), EINVAL),
	      "fewer than no microseconds");
	set.value.usec = 1000000;
	point(fails(syscall(SYS_osf_setitimer, ITIMER_REAL, &set, NULL), EINVAL),
	      "a second of them");
	set.value = (struct osf_timeval){ -1, 0 };
	point(fails(syscall(SYS_osf_setitimer, ITIMER_REAL, &set, NULL), EINVAL),
	      "fewer than no seconds");
	set.value.sec = 900;
	point(fails(syscall(SYS_osf_setitimer, 3, &set, NULL), EINVAL), "there is no fourth timer");
	point(fails(syscall(SYS_osf_getitimer, 3, BAD), EINVAL), "... to ask, either");
	point(fails(syscall(SYS_osf_getitimer, ITIMER_REAL, BAD), EFAULT), "nowhere to tell it");
	point(fails(syscall(SYS_osf_setitimer, ITIMER_REAL, BAD, NULL), EFAULT),
	      "nowhere to read it");
	point(fails(syscall(SYS_osf_setitimer, ITIMER_REAL, &set, BAD), EFAULT) &&
		      getitimer(ITIMER_REAL, &wide) == 0 && wide.it_value.tv_sec < 901,
	      "nowhere for the old one, which is replaced all the same");
	point(syscall(SYS_osf_setitimer, ITIMER_REAL, NULL, NULL) == 0 &&
		      getitimer(ITIMER_REAL, &wide) == 0 && !wide.it_value.tv_sec &&
		      !wide.it_value.tv_usec,
	      "no new one stops it");
	signal(SIGALRM, on_alarm);
	set = (struct osf_itimerval){ { 0, 0 }, { 0, 1 } };
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, NULL);
	point(syscall(SYS_osf_setitimer, ITIMER_REAL, &set, NULL) == 0 &&
		      sigwaitinfo(&alarm, NULL) == SIGALRM,
	      "and it goes off");
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
}

/* --- waiting --- */

/* The next signal is SIGALRM, soon, and each after it until it is stopped. */
static void alarms(bool on)
{
	struct itimerval soon = { { 0, on * 2000 }, { 0, on * 2000 } };

	setitimer(ITIMER_REAL, &soon, NULL);
}

static void check_select(void)
{
	struct osf_timeval time = { 0, 0 };
	fd_set set;
	int ends[2];

	point(pipe(ends) == 0 && write(ends[1], "x", 1) == 1, "a pipe with something in it");
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	FD_SET(ends[1], &set);
	point(syscall(SYS_osf_select, 64, &set, NULL, NULL, NULL) == 1 && FD_ISSET(ends[0], &set) &&
		      !FD_ISSET(ends[1], &set),
	      "select finds it");
	FD_ZERO(&set);
	FD_SET(ends[1], &set);
	point(syscall(SYS_osf_select, 64, &set, NULL, NULL, &time) == 0 && !FD_ISSET(ends[1], &set),
	      "... finds nothing at once");
	uint64_t began = now_ns();

	time = (struct osf_timeval){ 0, 20000 };
	point(syscall(SYS_osf_select, 0, NULL, NULL, NULL, &time) == 0 &&
		      now_ns() - began >= 20000000,
	      "... or after a time");
	point(time.sec == 0 && time.usec == 20000, "... of which it does not tell what is left");
	time.usec = 1000000;
	point(fails(syscall(SYS_osf_select, 0, NULL, NULL, NULL, &time), EINVAL),
	      "... not of a second of microseconds");
	time.usec = -1;
	point(fails(syscall(SYS_osf_select, 0, NULL, NULL, NULL, &time), EINVAL),
	      "... nor of fewer than none");
	time = (struct osf_timeval){ -1, 0 };
	point(fails(syscall(SYS_osf_select, 0, NULL, NULL, NULL, &time), EINVAL),
	      "... nor of such seconds");
	time.sec = 0;
	point(fails(syscall(SYS_osf_select, 0, NULL, NULL, NULL, BAD), EFAULT), "a time nowhere");
	point(fails(syscall(SYS_osf_select, 64, BAD, NULL, NULL, &time), EFAULT), "a set nowhere");
	point(fails(syscall(SYS_osf_select, -1, NULL, NULL, NULL, &time), EINVAL),
	      "fewer than no descriptors");
	FD_ZERO(&set);
	FD_SET(63, &set);
	point(fails(syscall(SYS_osf_select, 64, &set, NULL, NULL, &time), EBADF),
	      "no such descriptor");
	alarms(true);
	time.sec = 1000;
	point(fails(syscall(SYS_osf_select, 0, NULL, NULL, NULL, &time), EINTR), "a signal");
	alarms(false);
	close(ends[0]);
	close(ends[1]);
}

static void check_sleep(void)
{
	struct osf_timeval time = { 0, 20000 }, left = { -1, -1 };
	uint64_t began = now_ns();

	point(syscall(SYS_osf_usleep_thread, &time, &left) == 0 && now_ns() - began >= 20000000 &&
		      !left.sec && !left.usec,
	      "usleep_thread sleeps, and nothing is left");
	time = (struct osf_timeval){ 0, -5 };
	left = (struct osf_timeval){ -1, -1 };
	point(syscall(SYS_osf_usleep_thread, &time, &left) == 0 && !left.sec && !left.usec,
	      "... not for fewer than no microseconds");
	time = (struct osf_timeval){ 1000, 0 };
	alarms(true);
	point(syscall(SYS_osf_usleep_thread, &time, &left) == 0 && left.sec >= 990 &&
		      left.sec <= 1000,
	      "... and tells what is left at a signal, which is no error");
	/* Linux takes the seconds as a large number. */
	time.sec = -5;
	int before = alarms_seen;

	point(syscall(SYS_osf_usleep_thread, &time, NULL) == 0 && alarms_seen > before,
	      "... until one, when fewer than no seconds were asked for");
	alarms(false);
	point(fails(syscall(SYS_osf_usleep_thread, BAD, NULL), EFAULT), "... not from nowhere");
	time = (struct osf_timeval){ 0, 0 };
	point(fails(syscall(SYS_osf_usleep_thread, &time, BAD), EFAULT), "... nor tells it there");
}

/* --- what processes have used --- */

static pid_t ending(int status)
{
	pid_t child = fork();

	if (child == 0)
		_exit(status);
	return child;
}

static void check_wait(void)
{
	struct osf_rusage usage;
	int status = -1;
	pid_t child = ending(7);

	memset(&usage, 0xff, sizeof(usage));
	point(syscall(SYS_osf_wait4, child, &status, 0, &usage) == child && WIFEXITED(status) &&
		      WEXITSTATUS(status) == 7,
	      "wait4 tells how a child ended");
	point(sizeof(usage) == 128 && usage.user.sec == 0 && usage.user.usec >= 0 &&
		      usage.maxrss > 0 && usage.minor > 0 && usage.major == 0 &&
		      usage.others[0] == 0,
	      "... and what it has used");
	point(fails(syscall(SYS_osf_wait4, -1, &status, 0, &usage), ECHILD), "... one child");
	child = ending(8);
	point(syscall(SYS_osf_wait4, child, NULL, 0, NULL) == child, "... or nothing at all");
	child = ending(9);
	point(fails(syscall(SYS_osf_wait4, child, BAD, 0, &usage), EFAULT) &&
		      fails(syscall(SYS_osf_wait4, child, NULL, 0, NULL), ECHILD),
	      "no place for how it ended: it is gone all the same");
	child = ending(10);
	status = -1;
	point(fails(syscall(SYS_osf_wait4, child, &status, 0, BAD), EFAULT) &&
		      WEXITSTATUS(status) == 10,
	      "no place for what it has used: how it ended is told");
	point(fails(syscall(SYS_osf_wait4, -1, &status, 0x1000, NULL), EINVAL), "no such option");
	point(fails(syscall(SYS_osf_wait4, INT32_MIN, &status, 0, NULL), ESRCH), "no such group");
	int ends[2];

	point(pipe(ends) == 0, "a pipe");
	child = fork();
	if (child == 0) {
		char byte;

		close(ends[1]);
		_exit(read(ends[0], &byte, 1) != 0);
	}
	close(ends[0]);
	point(syscall(SYS_osf_wait4, child, &status, WNOHANG, BAD) == 0,
	      "a child that has not ended");
	close(ends[1]);
	point(syscall(SYS_osf_wait4, 0, &status, 0, &usage) == child && status == 0,
	      "... then it has");
}

static void check_usage(void)
{
	struct osf_rusage usage;
	struct rusage wide;

	memset(&usage, 0xff, sizeof(usage));
	/* A tick is 1/1024 s, of microseconds each that rounded down: 976. */
	point(syscall(SYS_osf_getrusage, RUSAGE_SELF, &usage) == 0 && usage.user.usec % 976 == 0 &&
		      usage.system.usec % 976 == 0 && usage.minor > 0,
	      "getrusage tells times in ticks, and page faults");
	point(usage.maxrss == 0 && usage.others[0] == 0 && usage.rest[6] == 0 && usage.rest[7] == 0,
	      "... and nothing else");
	point(getrusage(RUSAGE_CHILDREN, &wide) == 0 &&
		      syscall(SYS_osf_getrusage, RUSAGE_CHILDREN, &usage) == 0 &&
		      usage.minor == wide.ru_minflt && usage.major == wide.ru_majflt &&
		      usage.user.sec <= wide.ru_utime.tv_sec,
	      "... of its children");
	point(fails(syscall(SYS_osf_getrusage, RUSAGE_THREAD, &usage), EINVAL),
	      "... not of a thread");
	point(fails(syscall(SYS_osf_getrusage, RUSAGE_SELF, BAD), EFAULT), "... not to nowhere");
}

/* --- files --- */

static void check_utimes(void)
{
	struct osf_timeval times[2] = { { 1000, 999999 }, { -5, 7 } };
	struct stat stat;

	close(open("/timed", O_RDWR | O_CREAT, 0640));
	point(syscall(SYS_osf_utimes, "/timed", times) == 0 && lstat("/timed", &stat) == 0 &&
		      stat.st_atim.tv_sec == 1000 && stat.st_atim.tv_nsec == 999999000 &&
		      stat.st_mtim.tv_sec == -5 && stat.st_mtim.tv_nsec == 7000,
	      "utimes, also before 1970");
	time_t before = now(CLOCK_REALTIME).tv_sec;

	point(syscall(SYS_osf_utimes, "/timed", NULL) == 0 && lstat("/timed", &stat) == 0 &&
		      stat.st_atim.tv_sec >= before && stat.st_mtim.tv_sec >= before,
	      "... or now");
	times[1].usec = 1000000;
	point(fails(syscall(SYS_osf_utimes, "/timed", times), EINVAL),
	      "... not a second of microseconds");
	times[1].usec = 0;
	times[0].usec = -1;
	point(fails(syscall(SYS_osf_utimes, "/none", times), EINVAL),
	      "... nor fewer than none, whatever the file");
	times[0].usec = 0;
	point(fails(syscall(SYS_osf_utimes, "/none", times), ENOENT), "... of no file");
	point(fails(syscall(SYS_osf_utimes, BAD, times), EFAULT), "... nor of one nowhere");
	point(fails(syscall(SYS_osf_utimes, "/none", BAD), EFAULT), "... at no time");
	unlink("/timed");
}

int main(void)
{
	check_day();
	check_timex();
	check_timers();
	check_select();
	check_sleep();
	check_wait();
	check_usage();
	check_utimes();
	return points_done();
}
