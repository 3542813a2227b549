// SPDX-License-Identifier: BSD-2-Clause
/* An event in an epoll set. */
#include "buffers.h"
#include "rules.h"

#include <sys/epoll.h>

static int watched_sampler(int set, uint32_t events)
{
	attr_t a = sampling(1000, PERF_SAMPLE_IP);
	struct epoll_event event = { .events = events, .data.u64 = 7 };

	a.wakeup_events = 1;
	int fd = need(open_one(&a));
	map_ring(fd, 8);
	EXPECT_EQ(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), 0);
	return fd;
}

RULE("epoll_wait reports an event with a sample")
{
	int set = epoll_create1(0), fd = watched_sampler(set, EPOLLIN);
	struct epoll_event found;

	EXPECT_EQ(epoll_wait(set, &found, 1, 0), 0);
	work_counted(fd, 1000);
	EXPECT_EQ(epoll_wait(set, &found, 1, 0), 1);
	EXPECT_EQ(found.events, EPOLLIN);
	EXPECT_EQ(found.data.u64, 7);
}

RULE("epoll_wait does not find the same sample again")
{
	int set = epoll_create1(0), fd = watched_sampler(set, EPOLLIN);
	struct epoll_event found;

	work_counted(fd, 1000);
	EXPECT_EQ(epoll_wait(set, &found, 1, 0), 1);
	EXPECT_EQ(epoll_wait(set, &found, 1, 0), 0);
	work_counted(fd, 1000);
	EXPECT_EQ(epoll_wait(set, &found, 1, 0), 1);
}

RULE("EPOLLET reports each wake-up once")
{
	int set = epoll_create1(0), fd = watched_sampler(set, EPOLLIN | EPOLLET);
	struct epoll_event found;

	for (int i = 0; i < 3; i++) {
		work_counted(fd, 1000);
		EXPECT_EQ(epoll_wait(set, &found, 1, 0), 1);
		EXPECT_EQ(epoll_wait(set, &found, 1, 0), 0);
	}
}

RULE("an event that is closed leaves the set")
{
	attr_t a = dummy();
	struct epoll_event event = { .events = EPOLLIN };
	int set = epoll_create1(0), fd = need(open_one(&a));

	EXPECT_EQ(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), 0);
	EXPECT_EQ(epoll_wait(set, &event, 1, 0), 1); /* not mapped: EPOLLHUP */
	EXPECT_EQ(event.events, EPOLLHUP);
	close(fd);
	EXPECT_EQ(epoll_wait(set, &event, 1, 0), 0);
}
