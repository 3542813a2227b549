// SPDX-License-Identifier: BSD-2-Clause
/*
 * Operations with carriers of data and descriptors: sockets whose queues hold sockets, messages with
 * damaged control parts, pipes, splicing between all of them, epoll sets in epoll sets.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static long make_pair(struct fuzzer *fuzzer)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET };
	sigset_t set;
	int ends[2];
	long result = 0;

	switch (pick(fuzzer, 5)) {
	case 0:
		result = pipe2(ends, O_NONBLOCK | (pick(fuzzer, 8) ? 0 : O_DIRECT));
		break;
	case 1:
		ends[0] = eventfd(pick(fuzzer, 3), EFD_NONBLOCK);
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		ends[1] = signalfd(-1, &set, SFD_NONBLOCK);
		break;
	default:
		result = socketpair(AF_UNIX, PICK(fuzzer, types) | SOCK_NONBLOCK, 0, ends);
	}
	if (result < 0)
		return -1;
	fuzz_remember(fuzzer, ends[0]);
	fuzz_remember(fuzzer, ends[1]);
	return 0;
}

/* A message with descriptors, credentials or anything in its control part. */
static long send_message(struct fuzzer *fuzzer)
{
	uint64_t control[40] = { 0 };
	struct iovec data = { fuzz_good_memory(), pick(fuzzer, 3000) };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = control };
	struct cmsghdr *part = (struct cmsghdr *)control;
	unsigned int count = pick(fuzzer, 8) ? pick(fuzzer, 5) : pick(fuzzer, 60);

	message.msg_controllen = CMSG_SPACE(count * sizeof(int));
	part->cmsg_len = CMSG_LEN(count * sizeof(int));
	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = pick(fuzzer, 6) ? SCM_RIGHTS : (int)pick(fuzzer, 5);
	for (unsigned int i = 0; i < count; i++)
		((int *)CMSG_DATA(part))[i] = fuzzer->fds[pick(fuzzer, DESCRIPTORS)];
	switch (pick(fuzzer, 12)) {
	case 0:
		part->cmsg_len = (size_t)random_number(&fuzzer->random);
		break;
	case 1:
		message.msg_controllen = pick(fuzzer, sizeof(control));
		break;
	case 2:
		data = (struct iovec){ (void *)fuzz_edge(fuzzer), (size_t)fuzz_edge(fuzzer) };
		break;
	case 3:
		message.msg_control = fuzz_any_pointer(fuzzer);
		break;
	}
	return sendmsg(fuzz_any_fd(fuzzer), &message,
		       MSG_DONTWAIT | MSG_NOSIGNAL | (pick(fuzzer, 8) ? 0 : 1 << pick(fuzzer, 20)));
}

static long receive_message(struct fuzzer *fuzzer)
{
	uint64_t control[40] = { 0 };
	struct sockaddr_un from;
	struct iovec data = { fuzz_good_memory(), PAGE };
	struct msghdr message = { .msg_name = &from,
				  .msg_namelen = sizeof(from),
				  .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = pick(fuzzer, sizeof(control)) };
	long result = recvmsg(fuzz_any_fd(fuzzer), &message,
			      MSG_DONTWAIT | MSG_CMSG_CLOEXEC |
				      (pick(fuzzer, 3) ? 0 : 1 << pick(fuzzer, 20)));

	if (result < 0)
		return -1;
	leak_check(control, sizeof(control), "recvmsg");
	for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part;
	     part = CMSG_NXTHDR(&message, part))
		for (size_t i = 0; part->cmsg_type == SCM_RIGHTS &&
				   CMSG_LEN((i + 1) * sizeof(int)) <= part->cmsg_len;
		     i++)
			fuzz_remember(fuzzer, ((int *)CMSG_DATA(part))[i]);
	return result;
}

static long name_socket(struct fuzzer *fuzzer)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	socklen_t length = sizeof(name);
	int fd = fuzz_any_fd(fuzzer);

	snprintf(name.sun_path, sizeof(name.sun_path), "%s%u", pick(fuzzer, 2) ? "@s" : "s",
		 pick(fuzzer, 4));
	if (name.sun_path[0] == '@')
		name.sun_path[0] = '\0';
	if (pick(fuzzer, 4) == 0)
		length = (socklen_t)random_number(&fuzzer->random);
	switch (pick(fuzzer, 8)) {
	case 0:
		fuzz_remember(fuzzer,
			      socket(AF_UNIX, (int)(1 + pick(fuzzer, 5)) | SOCK_NONBLOCK, 0));
		return 0;
	case 1:
		return bind(fd, (struct sockaddr *)&name, length);
	case 2:
		return connect(fd, (struct sockaddr *)&name, length);
	case 3:
		return listen(fd, (int)pick(fuzzer, 5));
	case 4:
		fuzz_remember(fuzzer, accept4(fd, NULL, NULL, SOCK_NONBLOCK));
		return 0;
	case 5:
		length = pick(fuzzer, 100);
		return getsockopt(fd, SOL_SOCKET, (int)pick(fuzzer, 80), fuzz_good_memory(),
				  &length);
	case 6:
		return setsockopt(fd, SOL_SOCKET, (int)pick(fuzzer, 80), fuzz_good_memory(),
				  pick(fuzzer, 20));
	default:
		length = sizeof(name);
		memset(&name, 0, sizeof(name));
		if (getsockname(fd, (struct sockaddr *)&name, &length) == 0)
			leak_check(&name, sizeof(name) & ~7UL, "getsockname");
		return shutdown(fd, (int)pick(fuzzer, 3));
	}
}

static long splice_any(struct fuzzer *fuzzer)
{
	struct iovec range = { fuzz_any_pointer(fuzzer), pick(fuzzer, 9000) };
	loff_t offset = pick(fuzzer, 5000);
	int from = fuzz_any_fd(fuzzer), to = fuzz_any_fd(fuzzer);

	switch (pick(fuzzer, 4)) {
	case 0:
		return tee(from, to, pick(fuzzer, 9000), SPLICE_F_NONBLOCK);
	case 1:
		return vmsplice(to, &range, 1, SPLICE_F_NONBLOCK | pick(fuzzer, 16));
	case 2:
		return syscall(SYS_sendfile, to, from, pick(fuzzer, 2) ? &offset : NULL,
			       pick(fuzzer, 9000));
	default:
		return splice(from, pick(fuzzer, 4) ? NULL : &offset, to, NULL, pick(fuzzer, 9000),
			      SPLICE_F_NONBLOCK | pick(fuzzer, 16));
	}
}

/* Sets in sets, as deep as it goes, and in a circle. */
static long nest_sets(struct fuzzer *fuzzer)
{
	struct epoll_event event = { .events = EPOLLIN };
	int first = epoll_create1(EPOLL_CLOEXEC), last = first;
	long result = 0;

	fuzz_remember(fuzzer, first);
	for (unsigned int i = pick(fuzzer, 8); i > 0 && result >= 0; i--) {
		int set = epoll_create1(EPOLL_CLOEXEC);

		result = epoll_ctl(set, EPOLL_CTL_ADD, last, &event);
		if (pick(fuzzer, 4) == 0)
			result = epoll_ctl(last, EPOLL_CTL_ADD, set, &event);
		fuzz_remember(fuzzer, set);
		last = set;
	}
	count_calls(6);
	return epoll_wait(last, &event, 1, 0);
}

const struct operation fuzz_socket_operations[] = {
	{ "make_pair", make_pair, 8 },
	{ "send_message", send_message, 12 },
	{ "receive_message", receive_message, 10 },
	{ "name_socket", name_socket, 8 },
	{ "splice_any", splice_any, 6 },
	{ "nest_sets", nest_sets, 1 },
	{ 0 },
};
