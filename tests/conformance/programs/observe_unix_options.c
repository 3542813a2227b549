// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls that send and receive several parts or several messages on Unix-domain sockets, the options of
 * sockets, and waiting calls.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "unix_control.h"
#include "pair.h"

static void observe_message_arguments(void)
{
	int fds[2];
	struct iovec parts[3] = { { buffer, 2 }, { buffer + 100, 0 }, { buffer + 200, 3 } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 3 };
	unsigned char *edge = page_before_a_hole();

	must_pair(SOCK_DGRAM | SOCK_NONBLOCK, fds);
	SEE(sendmsg(fds[0], &message, 0));
	SEE(readv(fds[1], parts, 3));
	SEE(writev(fds[0], parts, 3));
	SEE(recv(fds[1], buffer, 100, 0));
	SEE(writev(fds[0], parts, 0));
	SEE(readv(fds[1], parts, 0));
	SEE(recv(fds[1], buffer, 50, 0));
	SEE(write(fds[0], buffer, 0));
	SEE(recv(fds[1], buffer, 51, 0));
	message.msg_iovlen = 1025;
	show(outcome_value(sendmsg(fds[0], &message, 0)), "sendmsg of 1025 parts");
	show(outcome_value(recvmsg(fds[1], &message, 0)), "recvmsg of 1025 parts");
	message.msg_iovlen = 3;
	parts[1].iov_len = (size_t)-1;
	show(outcome_value(sendmsg(fds[0], &message, 0)), "sendmsg of a negative size");
	parts[1].iov_len = 0;
	message.msg_iov = (struct iovec *)(edge + PAGE_BYTES - 8);
	show(outcome_value(sendmsg(fds[0], &message, 0)), "sendmsg of parts beyond the edge");
	message.msg_iov = NULL;
	message.msg_iovlen = 0;
	show(outcome_value(sendmsg(fds[0], &message, 0)), "sendmsg of no parts");
	show(outcome_value(recvmsg(fds[1], &message, 0)), "recvmsg of no parts");
	message.msg_iov = parts;
	message.msg_iovlen = 3;
	message.msg_name = buffer;
	message.msg_namelen = (socklen_t)-1;
	show(outcome_value(sendmsg(fds[0], &message, 0)), "sendmsg with a negative name");
	show(outcome_value(recvmsg(fds[1], &message, 0)), "recvmsg with a negative name");
	message.msg_namelen = 0;
	show(outcome_value(sendmsg(fds[0], &message, 0)), "sendmsg with a name of no bytes");
	message.msg_namelen = 200;
	show(outcome_value(sendmsg(fds[0], &message, 0)), "sendmsg with a name that is too long");
	message.msg_name = NULL;
	show(outcome_value(sendmsg(fds[0], &message, 0)), "sendmsg without a name of 200 bytes");
	message.msg_namelen = 0;
	while (recv(fds[1], buffer, 100, 0) >= 0)
		;
	message.msg_controllen = 8;
	show(outcome_value(sendmsg(fds[0], &message, 0)), "control messages nowhere");
	message.msg_control = edge + PAGE_BYTES - 8;
	message.msg_controllen = 8;
	show(outcome_value(sendmsg(fds[0], &message, 0)),
	     "control messages too short for a header");
	message.msg_controllen = 16;
	show(outcome_value(sendmsg(fds[0], &message, 0)), "control messages beyond the edge");
	message.msg_controllen = (size_t)1 << 31;
	show(outcome_value(sendmsg(fds[0], &message, 0)), "control messages of 2 GiB");
	message.msg_controllen = 200000;
	show(outcome_value(sendmsg(fds[0], &message, 0)), "control messages of 200000 bytes");
	message.msg_control = control.bytes;
	message.msg_controllen = 16;
	memset(control.bytes, 0, 64);
	show(outcome_value(sendmsg(fds[0], &message, 0)), "a control message of size 0");
	control.align.cmsg_len = 17;
	show(outcome_value(sendmsg(fds[0], &message, 0)), "a control message longer than the rest");
	message.msg_controllen = 40;
	show(outcome_value(sendmsg(fds[0], &message, 0)), "a control message and one of size 0");
	message.msg_control = NULL;
	message.msg_controllen = 0;
	while (recv(fds[1], buffer, 100, 0) >= 0)
		;
	send(fds[0], "12345678", 8, 0);
	parts[0].iov_base = edge + PAGE_BYTES - 1;
	show(outcome_value(recvmsg(fds[1], &message, 0)), "recvmsg beyond the edge");
	show(outcome_value(recv(fds[1], buffer, 100, 0)), "is the message still there");
	SEE(sendmsg(fds[0], &message, (int)0x80000000));
	SEE(recvmsg(fds[1], &message, (int)0x80000000));
	SEE(send(fds[0], "abc", 3, 0x40000));
	show(outcome_value(recv(fds[1], buffer, 2, MSG_PEEK | MSG_TRUNC)), "the size of the next");
	close_pair(fds);
	int got[10];

	must_pair(SOCK_DGRAM, fds);
	send(fds[0], "abc", 3, MSG_EOR);
	receive(fds[1], 2, 0, 0, got, "a part of a datagram");
	send(fds[0], "abc", 3, 0);
	receive(fds[1], 2, 0, MSG_TRUNC, got, "a part with MSG_TRUNC");
	close_pair(fds);
	must_pair(SOCK_SEQPACKET, fds);
	send(fds[0], "abc", 3, MSG_EOR);
	receive(fds[1], 3, 0, 0, got, "a packet with MSG_EOR");
	close_pair(fds);
}

static void observe_many(void)
{
	static struct mmsghdr messages[1100];
	static struct iovec parts[1100];
	struct timespec timeout = { 0, 0 };
	int fds[2];

	must_pair(SOCK_DGRAM | SOCK_NONBLOCK, fds);
	for (int i = 0; i < 1100; i++) {
		parts[i] = (struct iovec){ buffer + i, (size_t)i % 10 + 1 };
		messages[i].msg_hdr = (struct msghdr){ .msg_iov = &parts[i], .msg_iovlen = 1 };
	}
	SEE(sendmmsg(fds[0], messages, 3, 0));
	printf("sizes sent: %u %u %u\n", messages[0].msg_len, messages[1].msg_len,
	       messages[2].msg_len);
	parts[0].iov_len = parts[1].iov_len = parts[2].iov_len = 100;
	SEE(recvmmsg(fds[1], messages, 5, 0, NULL));
	printf("sizes received: %u %u %u\n", messages[0].msg_len, messages[1].msg_len,
	       messages[2].msg_len);
	show(outcome_value(recvmmsg(fds[1], messages, 5, 0, NULL)), "recvmmsg of nothing");
	SEE(sendmmsg(fds[0], messages, 0, 0));
	SEE(recvmmsg(fds[1], messages, 0, 0, NULL));
	show(outcome_value(sendmmsg(fds[0], messages, 1100, 0)), "sendmmsg until it is full");
	show(outcome_value(recvmmsg(fds[1], messages, 1100, 0, NULL)), "recvmmsg of all");
	SEE(sendmmsg(fds[0], NULL, 2, 0));
	send(fds[0], "a", 1, 0);
	SEE(recvmmsg(fds[1], NULL, 2, 0, NULL));
	send(fds[0], "a", 1, 0);
	send(fds[0], "a", 1, 0);
	show(outcome_value(recvmmsg(fds[1], messages, 5, 0, &timeout)), "recvmmsg with no time");
	while (recv(fds[1], buffer, 100, 0) >= 0)
		;
	timeout.tv_nsec = -1;
	show(outcome_value(recvmmsg(fds[1], messages, 5, 0, &timeout)), "recvmmsg with a bad time");
	fcntl(fds[1], F_SETFL, 0);
	send(fds[0], "a", 1, 0);
	send(fds[0], "a", 1, 0);
	show(outcome_value(recvmmsg(fds[1], messages, 5, MSG_WAITFORONE, NULL)),
	     "recvmmsg with MSG_WAITFORONE");
	parts[1].iov_base = (void *)8;
	send(fds[0], "a", 1, 0);
	send(fds[0], "a", 1, 0);
	show(outcome_value(recvmmsg(fds[1], messages, 2, 0, NULL)), "recvmmsg into a bad part");
	show(outcome_value(sendmmsg(fds[0], messages, 2, 0)), "sendmmsg from a bad part");
	close_pair(fds);
}

static void observe_options(void)
{
	static const int names[] = { 1,	 2,  3,	 4,  5,	 6,  7,	 8,  9,	 10, 12,
				     15, 16, 18, 19, 30, 32, 33, 38, 39, 99, 1000 };
	int fds[2], value;
	socklen_t size;

	must_pair(SOCK_SEQPACKET, fds);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		value = -1;
		size = sizeof(value);
		long result = getsockopt(fds[0], SOL_SOCKET, OPTION(names[i]), &value, &size);

		printf("getsockopt %d: %s value %d size %u\n", names[i], outcome(result), value,
		       size);
		value = 1;
		show(outcome(setsockopt(fds[0], SOL_SOCKET, OPTION(names[i]), &value,
					sizeof(value))),
		     "setsockopt %d", names[i]);
		value = -1;
		size = sizeof(value);
		result = getsockopt(fds[0], SOL_SOCKET, OPTION(names[i]), &value, &size);
		printf("getsockopt %d after that: %s value %d\n", names[i], outcome(result), value);
	}
	static const int sizes[] = { 0, 2000, 2304, 2305, 4608, 100000, 212992, 1000000, -1 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		static const int buffers[] = { SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE, SO_RCVLOWAT };

		for (int j = 0; j < 4; j++) {
			int read_as = buffers[j] == SO_SNDBUFFORCE ? SO_SNDBUF : buffers[j];

			value = sizes[i];
			show(outcome(setsockopt(fds[0], SOL_SOCKET, buffers[j], &value,
						sizeof(value))),
			     "option %d to %d", NAME_OF(buffers[j]), sizes[i]);
			size = sizeof(value);
			getsockopt(fds[0], SOL_SOCKET, read_as, &value, &size);
			printf("option %d after %d: %d\n", NAME_OF(buffers[j]), sizes[i], value);
		}
	}
	for (size_t bytes = 0; bytes <= 5; bytes++) {
		value = 0x11111111;
		show(outcome(setsockopt(fds[0], SOL_SOCKET, SO_REUSEADDR, &value,
					(socklen_t)bytes)),
		     "setsockopt of %zu bytes", bytes);
		size = (socklen_t)bytes;
		long result = getsockopt(fds[0], SOL_SOCKET, SO_TYPE, &value, &size);

		printf("getsockopt into %zu bytes: %s value %#x size %u\n", bytes, outcome(result),
		       value, size);
	}
	SEE(setsockopt(fds[0], SOL_SOCKET, SO_REUSEADDR, &value, (socklen_t)-1));
	size = (socklen_t)-1;
	SEE(getsockopt(fds[0], SOL_SOCKET, SO_TYPE, &value, &size));
	SEE(getsockopt(fds[0], SOL_SOCKET, SO_TYPE, NULL, &size));
	SEE(getsockopt(fds[0], SOL_SOCKET, SO_TYPE, &value, NULL));
	SEE(setsockopt(fds[0], SOL_SOCKET, SO_REUSEADDR, NULL, 4));
	SEE(setsockopt(fds[0], 6, 1, &value, 4));
	SEE(setsockopt(fds[0], 0, 1, &value, 4));
	SEE(getsockopt(fds[0], 6, 1, &value, &size));
	SEE(setsockopt(0, SOL_SOCKET, SO_REUSEADDR, &value, 4));
	struct linger linger = { 1, 5 };

	SEE(setsockopt(fds[0], SOL_SOCKET, SO_LINGER, &linger, 4));
	SEE(setsockopt(fds[0], SOL_SOCKET, SO_LINGER, &linger, 8));
	linger.l_linger = 0;
	size = sizeof(linger);
	show(outcome_value(getsockopt(fds[0], SOL_SOCKET, SO_LINGER, &linger, &size)),
	     "getsockopt SO_LINGER");
	printf("linger: %d %d\n", linger.l_onoff, linger.l_linger);

	/* Linux rounds up to its tick of 4 ms. */
	static const struct timeval times[] = { { 0, 0 },   { 3, 996000 }, { 0, 1000000 },
						{ 0, -1 },  { -1, 0 },	   { 1L << 62, 5 },
						{ 5, 4000 } };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct timeval time = { 77, 77 };

		show(outcome(setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &times[i], sizeof(time))),
		     "time-out %ld.%ld", (long)times[i].tv_sec, (long)times[i].tv_usec);
		size = sizeof(time);
		getsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &time, &size);
		printf("time-out after %ld.%ld: %ld %ld\n", (long)times[i].tv_sec,
		       (long)times[i].tv_usec, (long)time.tv_sec, (long)time.tv_usec);
	}
	SEE(setsockopt(fds[0], SOL_SOCKET, SO_SNDTIMEO, times, 8));
	close_pair(fds);
}

static void ignore(int signal)
{
	(void)signal;
}

static void observe_waiting(void)
{
	const struct timeval soon = { 0, 30000 }, later = { 20, 0 };
	const struct itimerval alarm = { { 0, 30000 }, { 0, 30000 } };
	struct sigaction action = { .sa_handler = ignore };
	int fds[2];

	must_pair(SOCK_STREAM, fds);
	setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
	setsockopt(fds[0], SOL_SOCKET, SO_SNDTIMEO, &soon, sizeof(soon));
	show(outcome_value(recv(fds[0], buffer, 1, 0)), "recv until the time-out");
	send(fds[1], "abc", 3, 0);
	show(outcome_value(recv(fds[0], buffer, 5, MSG_WAITALL)), "recv of more than comes");
	while (send(fds[0], buffer, sizeof(buffer), 0) == sizeof(buffer))
		;
	show(outcome_value(send(fds[0], buffer, 1, 0)), "send until the time-out");
	setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &later, sizeof(later));
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &alarm, NULL);
	show(outcome_value(recv(fds[0], buffer, 1, 0)), "recv until a signal");
	send(fds[1], "abc", 3, 0);
	show(outcome_value(recv(fds[0], buffer, 5, MSG_WAITALL)), "recv of a part until a signal");
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	show(outcome_value(recv(fds[0], buffer, 1, 0)), "recv with a time-out is not restarted");
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ 0 }, sizeof(soon));
	setsockopt(fds[0], SOL_SOCKET, SO_RCVLOWAT, &(int){ 3 }, sizeof(int));
	if (fork() == 0) {
		usleep(20000);
		send(fds[1], "a", 1, 0);
		usleep(20000);
		send(fds[1], "bcd", 3, 0);
		_exit(0);
	}
	show(outcome_value(recv(fds[0], buffer, 5, 0)), "recv with SO_RCVLOWAT");
	wait(NULL);
	if (fork() == 0) {
		usleep(20000);
		shutdown(fds[0], SHUT_RD);
		_exit(0);
	}
	show(outcome_value(recv(fds[0], buffer, 5, 0)), "recv until shutdown by another");
	wait(NULL);
	close_pair(fds);

	must_pair(SOCK_DGRAM, fds);
	if (fork() == 0) {
		usleep(20000);
		shutdown(fds[0], SHUT_RD);
		_exit(0);
	}
	show(outcome_value(recv(fds[0], buffer, 5, 0)), "recv of a datagram until shutdown");
	wait(NULL);
	close_pair(fds);

	/* SIGIO. */
	sigset_t set, pending;
	siginfo_t info;

	must_pair(SOCK_STREAM, fds);
	sigemptyset(&set);
	sigaddset(&set, SIGIO);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fcntl(fds[0], F_SETOWN, getpid());
	show(outcome_value(fcntl(fds[0], F_SETFL, O_ASYNC)), "O_ASYNC");
	send(fds[1], "a", 1, 0);
	sigpending(&pending);
	show(sigismember(&pending, SIGIO) ? "yes" : "no", "SIGIO when something came");
	(void)info;
	close_pair(fds);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	observe_message_arguments();
	observe_many();
	observe_options();
	observe_waiting();
	return 0;
}
