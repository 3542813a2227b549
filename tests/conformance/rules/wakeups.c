// SPDX-License-Identifier: BSD-2-Clause
/* Notification of records: poll, select, O_ASYNC. */
#include "buffers.h"
#include "machine.h"
#include "rules.h"
#include "tasks.h"

#include <sys/select.h>

static int poll_now(int fd)
{
	struct pollfd entry = { fd, POLLIN, 0 };

	return poll(&entry, 1, 0) < 0 ? -1 : entry.revents;
}

RULE("poll of an event without a buffer reports POLLHUP")
{
	EXPECT_EQ(poll_now(sampler(1000)), POLLHUP);
}

RULE("poll reports nothing before there is a record")
{
	int fd = sampler(1000);

	map_ring(fd, 1);
	EXPECT_EQ(poll_now(fd), 0);
}

RULE("wakeup_events: poll reports POLLIN after so many samples, and then not again")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);

	a.wakeup_events = 3;
	int fd = need(open_one(&a));
	map_ring(fd, 8);
	work_counted(fd, 1000); /* two samples */
	EXPECT_EQ(poll_now(fd), 0);
	work_counted(fd, 1000);
	EXPECT_EQ(poll_now(fd), POLLIN);
	EXPECT_EQ(poll_now(fd), 0);
}

RULE("watermark: poll reports POLLIN after so many bytes")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);

	a.watermark = 1;
	a.wakeup_watermark = 80; /* five samples of 16 bytes */
	int fd = need(open_one(&a));
	map_ring(fd, 8);
	work_counted(fd, 2000);
	EXPECT_EQ(poll_now(fd), 0);
	work_counted(fd, 2000);
	EXPECT_EQ(poll_now(fd), POLLIN);
}

RULE("without a requested wake-up, half a buffer is one")
{
	int fd = filler(100);

	map_ring(fd, 1);
	work_counted(fd, 5000); /* 100 samples: less than half */
	EXPECT_EQ(poll_now(fd), 0);
	work_counted(fd, 5000);
	EXPECT_EQ(poll_now(fd), POLLIN);
}

RULE("watermark: of more bytes than the buffer has, as many as it has")
{
	attr_t a = dummy();
	char name[] = "wake 0";
	struct pollfd entry = { .events = POLLIN };

	a.comm = 1;
	a.disabled = 0;
	a.watermark = 1;
	a.wakeup_watermark = 0x7fffffff;
	entry.fd = need(open_one(&a));
	struct ring ring = map_ring(entry.fd, 1);
	do {
		empty(&ring);
		name[5] ^= 1;
		EXPECT_EQ(prctl(PR_SET_NAME, name), 0);
	} while (poll(&entry, 1, 0) == 0 && ring.page->data_head < 4 * ring.size);
	EXPECT_EQ(entry.revents, POLLIN);
	EXPECT(ring.page->data_head > ring.size);
	EXPECT(ring.page->data_head <= ring.size + 24);
}

RULE("select reports the same as poll")
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);
	struct timeval none = { 0, 0 };
	fd_set set;

	a.wakeup_events = 1;
	int fd = need(open_one(&a));
	map_ring(fd, 8);
	FD_ZERO(&set);
	FD_SET(fd, &set);
	EXPECT_EQ(select(fd + 1, &set, NULL, NULL, &none), 0);
	work_counted(fd, 1000);
	FD_SET(fd, &set);
	EXPECT_EQ(select(fd + 1, &set, NULL, NULL, &none), 1);
}

static void spin_later(uint64_t loops)
{
	pause_ms(20);
	spin(loops);
	pause();
}

RULE("poll waits for a sample of another task")
{
	attr_t a = sampling(100000, PERF_SAMPLE_IP);

	a.wakeup_events = 1;
	a.disabled = 0;
	struct waiter child = start_waiter(spin_later, 150000);
	int fd = need(sys_open(&a, child.pid, -1, -1, 0));
	struct pollfd entry = { fd, POLLIN, 0 };

	map_ring(fd, 1);
	let_go(&child);
	EXPECT_EQ(poll(&entry, 1, 10000), 1);
	EXPECT_EQ(entry.revents, POLLIN);
	kill(child.pid, SIGKILL);
}

RULE("poll reports POLLHUP when the task has exited")
{
	attr_t a = sampling(1ULL << 40, PERF_SAMPLE_IP);
	pid_t child = fork();

	if (child == 0)
		for (;;)
			pause();
	int fd = need(sys_open(&a, child, -1, -1, 0));
	struct pollfd entry = { fd, POLLIN, 0 };

	map_ring(fd, 1);
	kill(child, SIGKILL);
	EXPECT_EQ(poll(&entry, 1, 10000), 1);
	EXPECT_EQ(entry.revents, POLLHUP);
}

RULE("poll of an inherited event reports POLLHUP when the last of its tasks has exited")
{
	attr_t a = dummy();
	int gate[2], word[2];
	char byte;

	EXPECT_EQ(pipe(gate), 0);
	EXPECT_EQ(pipe(word), 0);
	pid_t child = fork();

	if (child == 0) {
		close(gate[1]);
		read(gate[0], &byte, 1);
		pid_t grandchild = fork();
		if (grandchild == 0) {
			write(word[1], "", 1);
			read(gate[0], &byte, 1);
		}
		_exit(0);
	}
	a.inherit = 1;
	int fd = need(sys_open(&a, child, 0, -1, 0));
	struct pollfd entry = { fd, POLLIN, 0 };

	map_ring(fd, 1);
	write(gate[1], "", 1);
	EXPECT_EQ(status_of(child), 0);
	EXPECT_EQ(read(word[0], &byte, 1), 1);
	EXPECT_EQ(poll(&entry, 1, 0), 0);
	close(gate[1]);
	EXPECT_EQ(poll(&entry, 1, 10000), 1);
	EXPECT_EQ(entry.revents, POLLHUP);
}

static volatile sig_atomic_t signals, reported_fd, reported_code;

static void note(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	signals++;
	reported_fd = info->si_fd;
	reported_code = info->si_code;
}

/* An event that wakes up at each sample, mapped; this process is sent SIGUSR1 for that, which it notes. */
static int open_noted(void)
{
	attr_t a = sampling(100000, PERF_SAMPLE_IP);
	struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };

	a.wakeup_events = 1;
	sigaction(SIGUSR1, &action, NULL);
	int fd = need(open_one(&a));
	map_ring(fd, 8);
	EXPECT_EQ(fcntl(fd, F_SETOWN, getpid()), 0);
	EXPECT_EQ(fcntl(fd, F_SETSIG, SIGUSR1), 0);
	return fd;
}

RULE("O_ASYNC: each wake-up sends the signal that F_SETSIG names, with the descriptor and POLL_IN")
{
	int fd = open_noted();

	EXPECT_EQ(fcntl(fd, F_SETFL, O_ASYNC), 0);
	work_counted(fd, 160000);
	EXPECT_EQ(signals, 3);
	EXPECT_EQ(reported_fd, fd);
	EXPECT_EQ(reported_code, POLL_IN);
}

RULE("FIOASYNC switches O_ASYNC")
{
	int fd = open_noted(), on = 1, off = 0;

	EXPECT_OK(ioctl(fd, FIOASYNC, &on));
	EXPECT_EQ(fcntl(fd, F_GETFL) & O_ASYNC, O_ASYNC);
	work_counted(fd, 160000);
	EXPECT_EQ(signals, 3);
	EXPECT_EQ(reported_fd, fd);
	EXPECT_OK(ioctl(fd, FIOASYNC, &off));
	EXPECT_EQ(fcntl(fd, F_GETFL) & O_ASYNC, 0);
	work_counted(fd, 160000);
	EXPECT_EQ(signals, 3);
	EXPECT_ERRNO(ioctl(fd, FIOASYNC, NULL), EFAULT);
}

RULE("O_ASYNC: the last overflow of REFRESH reports POLL_HUP")
{
	int fd = open_noted();

	fcntl(fd, F_SETFL, O_ASYNC);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
	spin(150000);
	EXPECT_EQ(signals, 1);
	EXPECT_EQ(reported_code, POLL_HUP);
}

RULE("without O_ASYNC no signal is sent")
{
	attr_t a = sampling(100000, PERF_SAMPLE_IP);

	a.wakeup_events = 1;
	int fd = need(open_one(&a));
	map_ring(fd, 8);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETSIG, SIGUSR1); /* would end this process */
	work_counted(fd, 160000);
	EXPECT_EQ(value_of(fd), WORK_INSTRUCTIONS(160000));
}
