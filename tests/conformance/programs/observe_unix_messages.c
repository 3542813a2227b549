/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What goes along with messages on Unix-domain sockets: descriptors, credentials; the calls that send
 * and receive several parts or several messages; and the options of sockets.
 */
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "observe.h"
#include "pair.h"

static char buffer[8192];

/* Options are named by their numbers on x86_64, and are others on Alpha. */
#ifdef __alpha__
static const int options[][2] = {
	{ 2, SO_REUSEADDR },  { 3, SO_TYPE },	     { 4, SO_ERROR },	     { 5, SO_DONTROUTE },
	{ 6, SO_BROADCAST },  { 7, SO_SNDBUF },	     { 8, SO_RCVBUF },	     { 9, SO_KEEPALIVE },
	{ 10, SO_OOBINLINE }, { 15, SO_REUSEPORT },  { 16, SO_PASSCRED },    { 18, SO_RCVLOWAT },
	{ 19, SO_SNDLOWAT },  { 30, SO_ACCEPTCONN }, { 32, SO_SNDBUFFORCE }, { 33, SO_RCVBUFFORCE },
	{ 38, SO_PROTOCOL },  { 39, SO_DOMAIN },
};

static int other_number(int number, int from)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i][from] == number)
			return options[i][!from];
	return number;
}

#define OPTION(name)	other_number(name, 0)
#define NAME_OF(option) other_number(option, 1)
#else
#define OPTION(name)	(name)
#define NAME_OF(option) (option)
#endif
static union {
	char bytes[2048];
	struct cmsghdr align;
} control;

static const char *const type_names
	[] = { [SOCK_STREAM] = "stream", [SOCK_DGRAM] = "dgram", [SOCK_SEQPACKET] = "seqpacket" };

/* Sends BYTES bytes with one control message of SIZE bytes at DATA. */
static long send_control(int fd, size_t bytes, int level, int type, const void *data, size_t size)
{
	struct iovec part = { buffer, bytes };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = CMSG_SPACE(size) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	memset(control.bytes, 0, CMSG_SPACE(size));
	header->cmsg_len = CMSG_LEN(size);
	header->cmsg_level = level;
	header->cmsg_type = type;
	memcpy(CMSG_DATA(header), data, size);
	return sendmsg(fd, &message, 0);
}

static long send_fds(int fd, const int *fds, int count)
{
	return send_control(fd, 1, SOL_SOCKET, SCM_RIGHTS, fds, (size_t)count * sizeof(int));
}

/* Receives up to BYTES bytes with ROOM bytes for control messages, and tells what came; new descriptors
 * are in RECEIVED, the number of which is returned. */
static int receive(int fd, size_t bytes, size_t room, int flags, int *received, const char *what)
{
	struct iovec part = { buffer, bytes };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = room ? control.bytes : NULL,
				  .msg_controllen = room,
				  .msg_flags = -1 };
	int count = 0;

	memset(control.bytes, 0, sizeof(control.bytes));
	long result = recvmsg(fd, &message, flags | MSG_DONTWAIT);

	if (result < 0) {
		show(error_name(errno), "%s", what);
		return 0;
	}
	printf("%s: %ld bytes, flags %#x, control %zu", what, result, message.msg_flags,
	       (size_t)message.msg_controllen);
	for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
	     header = CMSG_NXTHDR(&message, header)) {
		printf("; level %d type %d size %zu", header->cmsg_level, header->cmsg_type,
		       (size_t)header->cmsg_len);
		if (header->cmsg_type == SCM_RIGHTS) {
			count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
			memcpy(received, CMSG_DATA(header), (size_t)count * sizeof(int));
		} else if (header->cmsg_type == SCM_CREDENTIALS &&
			   header->cmsg_len == CMSG_LEN(sizeof(struct ucred))) {
			struct ucred sender;

			memcpy(&sender, CMSG_DATA(header), sizeof(sender));
			printf(" pid %s uid %u gid %u",
			       sender.pid == getpid() ? "own" :
			       sender.pid == 0	      ? "none" :
							"other",
			       sender.uid, sender.gid);
		}
	}
	printf("\n");
	return count;
}

static void close_all(const int *fds, int count)
{
	for (int i = 0; i < count; i++)
		close(fds[i]);
}

static void observe_rights(int type)
{
	const char *what = type_names[type];
	char name[80];
	int fds[2], pipes[2], got[300], many[300], count;

	must_pair(type, fds);
	if (pipe(pipes) < 0)
		exit(1);
	for (int i = 0; i < 300; i++)
		many[i] = pipes[i & 1];
#define RECEIVE(bytes, room, flags, text)                 \
	(snprintf(name, sizeof(name), "%s: " text, what), \
	 receive(fds[1], bytes, room, flags, got, name))
	show(outcome_value(send_fds(fds[0], many, 2)), "%s: send two", what);
	count = RECEIVE(1, 100, 0, "receive two");
	show(outcome_value(write(got[1], "through", 7)), "%s: write to what came", what);
	show(outcome_value(read(pipes[0], buffer, 100)), "%s: read it", what);
	show(outcome_value(fcntl(got[0], F_GETFD)), "%s: close-on-exec of what came", what);
	close_all(got, count);
	send_fds(fds[0], many, 1);
	count = RECEIVE(1, 100, MSG_CMSG_CLOEXEC, "receive with MSG_CMSG_CLOEXEC");
	show(outcome_value(fcntl(got[0], F_GETFD)), "%s: close-on-exec as asked for", what);
	close_all(got, count);
	show(outcome_value(send_fds(fds[0], many, 0)), "%s: send none", what);
	RECEIVE(1, 100, 0, "receive none");
	show(outcome_value(send_fds(fds[0], many, 253)), "%s: send 253", what);
	count = RECEIVE(1, sizeof(control), 0, "receive 253");
	close_all(got, count);
	show(outcome_value(send_fds(fds[0], many, 254)), "%s: send 254", what);
	many[1] = -1;
	show(outcome_value(send_fds(fds[0], many, 2)), "%s: send a bad one", what);
	many[1] = 1000;
	show(outcome_value(send_fds(fds[0], many, 2)), "%s: send one that is not open", what);
	many[1] = pipes[1];
	show(outcome_value(send_control(fds[0], 1, SOL_SOCKET, SCM_RIGHTS, many, 5)),
	     "%s: send one and a quarter", what);
	count = RECEIVE(1, 100, 0, "receive one and a quarter");
	close_all(got, count);

	static const size_t rooms[] = { 0, 1, 15, 16, 19, 20, 23, 24, 25, 28, 31, 32 };

	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
		send_fds(fds[0], many, 3);
		snprintf(name, sizeof(name), "%s: three into %zu bytes", what, rooms[i]);
		count = receive(fds[1], 1, rooms[i], 0, got, name);
		close_all(got, count);
	}
	send_fds(fds[0], many, 2);
	show(outcome_value(read(fds[1], buffer, 1)), "%s: read throws them away", what);
	send_fds(fds[0], many, 2);
	count = RECEIVE(1, 100, MSG_PEEK, "peek at two");
	show(outcome_value(write(got[1], "peeked", 6)), "%s: write to what was peeked at", what);
	show(outcome_value(read(pipes[0], buffer, 100)), "%s: read what was written", what);
	close_all(got, count);
	count = RECEIVE(1, 100, 0, "receive what was peeked at");
	close_all(got, count);

	/* Bounds of messages, with descriptors in the middle. */
	send(fds[0], "aaa", 3, 0);
	send_control(fds[0], 4, SOL_SOCKET, SCM_RIGHTS, many, 4);
	send(fds[0], "cc", 2, 0);
	count = RECEIVE(100, 100, MSG_PEEK, "peek at some of each");
	close_all(got, count);
	count = RECEIVE(5, 100, 0, "some of each, first");
	close_all(got, count);
	count = RECEIVE(100, 100, 0, "some of each, second");
	close_all(got, count);
	count = RECEIVE(100, 100, 0, "some of each, third");
	close_all(got, count);
	count = RECEIVE(100, 100, 0, "some of each, fourth");
	close_all(got, count);
	show(outcome_value(send_control(fds[0], 0, SOL_SOCKET, SCM_RIGHTS, many, 4)),
	     "%s: no bytes, one descriptor", what);
	count = RECEIVE(100, 100, 0, "receive no bytes with it");
	close_all(got, count);

	/* No room in the table. */
	struct rlimit limit, old;

	getrlimit(RLIMIT_NOFILE, &old);
	limit = old;
	send_fds(fds[0], many, 2);
	int next = dup(0);

	close(next);
	limit.rlim_cur = (rlim_t)next + 1;
	setrlimit(RLIMIT_NOFILE, &limit);
	count = RECEIVE(1, 100, 0, "two where one fits");
	close_all(got, count);
	setrlimit(RLIMIT_NOFILE, &old);
	close_pair(pipes);
	send_fds(fds[0], fds, 2);
	count = RECEIVE(1, 100, 0, "a pair through itself");
	show(outcome_value(send(got[0], "self", 4, 0)), "%s: the pair that came", what);
	show(outcome_value(recv(fds[1], buffer, 10, MSG_DONTWAIT)), "%s: the pair that was", what);
	close_all(got, count);
	close_pair(fds);
}

static void observe_credentials(int type)
{
	const char *what = type_names[type];
	struct ucred claimed = { getpid(), 0, 0 };
	int fds[2], on = 1, got[10];
	char name[80];

	must_pair(type, fds);
	send(fds[0], "a", 1, 0);
	show(outcome(setsockopt(fds[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on))),
	     "%s: SO_PASSCRED", what);
	RECEIVE(1, 100, 0, "sent before");
	send(fds[0], "b", 1, 0);
	RECEIVE(1, 100, 0, "sent after");
	send(fds[0], "b", 1, 0);
	RECEIVE(1, 30, 0, "in little room");
	send(fds[0], "b", 1, 0);
	RECEIVE(1, 10, 0, "in less room");
	send(fds[0], "b", 1, 0);
	RECEIVE(1, 0, 0, "in no room");
#define CLAIM(text)                                                                       \
	show(outcome_value(send_control(fds[0], 1, SOL_SOCKET, SCM_CREDENTIALS, &claimed, \
					sizeof(claimed))),                                \
	     "%s: " text, what)
	CLAIM("claim to be who it is");
	RECEIVE(1, 100, 0, "the claim");
	claimed.uid = 7;
	claimed.gid = 8;
	CLAIM("root claims to be another");
	RECEIVE(1, 100, 0, "the claim of another");
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	claimed.pid = child;
	CLAIM("root claims another process");
	RECEIVE(1, 100, 0, "another process");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	claimed.pid = 30000;
	CLAIM("root claims a process that is none");
	show(outcome_value(send_control(fds[0], 1, SOL_SOCKET, SCM_CREDENTIALS, &claimed, 8)),
	     "%s: credentials of the wrong size", what);
	show(outcome_value(send_control(fds[0], 1, SOL_SOCKET, 77, &claimed, 8)),
	     "%s: an unknown type", what);
	show(outcome_value(send_control(fds[0], 1, 77, 1, &claimed, 8)), "%s: an unknown level",
	     what);
	RECEIVE(1, 100, 0, "what the unknown level sent");

	/* What different senders wrote is not read at once. */
	claimed = (struct ucred){ getpid(), 0, 0 };
	send(fds[0], "own", 3, 0);
	claimed.uid = 5;
	CLAIM("another sender");
	RECEIVE(100, 100, 0, "from the first sender");
	RECEIVE(100, 100, 0, "from the second sender");
	if (fork() == 0) {
		int failed = 0;

		failed |= setresgid(9, 9, 9) || setresuid(9, 9, 9);
		claimed = (struct ucred){ getpid(), 0, 9 };
		failed |= send_control(fds[0], 1, SOL_SOCKET, SCM_CREDENTIALS, &claimed,
				       sizeof(claimed)) != -1 ||
			  errno != EPERM;
		claimed = (struct ucred){ getppid(), 9, 9 };
		failed |= (send_control(fds[0], 1, SOL_SOCKET, SCM_CREDENTIALS, &claimed,
					sizeof(claimed)) != -1 ||
			   errno != EPERM)
			  << 1;
		failed |= (send(fds[0], "c", 1, 0) != 1) << 2;
		_exit(failed);
	}
	int status;

	wait(&status);
	printf("%s: another user may not lie: %d\n", what, WEXITSTATUS(status));
	RECEIVE(1, 100, 0, "from another user");
	close_pair(fds);
}

static void peer_credentials(int fd, const char *what)
{
	struct ucred peer = { -7, 77, 77 };
	socklen_t size = sizeof(peer);
	int result = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);

	printf("SO_PEERCRED of %s: %s size %u pid %s uid %d gid %d\n", what, outcome(result), size,
	       peer.pid == getpid() ? "own" :
	       peer.pid == 0	    ? "none" :
				      "other",
	       peer.uid, peer.gid);
}

static void observe_peers(void)
{
	struct sockaddr_un name = { AF_UNIX, "\0peers" };
	socklen_t size = offsetof(struct sockaddr_un, sun_path) + 6;
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fds[2];

	peer_credentials(listener, "a new one");
	bind(listener, (struct sockaddr *)&name, size);
	listen(listener, 5);
	peer_credentials(listener, "a listener");
	must_pair(SOCK_DGRAM, fds);
	peer_credentials(fds[0], "a pair");
	close_pair(fds);
	if (fork() == 0) {
		int client = socket(AF_UNIX, SOCK_STREAM, 0);
		struct ucred peer;

		if (setresgid(4, 4, 4) || setresuid(4, 4, 4))
			_exit(1);
		if (connect(client, (struct sockaddr *)&name, size))
			_exit(2);
		size = sizeof(peer);
		getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size);
		_exit(peer.pid == getppid() && peer.uid == 0 && peer.gid == 0 ? 0 : 3);
	}
	int status, server = accept(listener, NULL, NULL);

	wait(&status);
	printf("what a client sees of the listener: %d\n", WEXITSTATUS(status));
	peer_credentials(server, "the accepted");
	close(server);
	int on = 1, client = socket(AF_UNIX, SOCK_STREAM, 0);

	setsockopt(client, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	setsockopt(listener, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	setsockopt(listener, SOL_SOCKET, SO_RCVLOWAT, &(int){ 3 }, sizeof(int));
	setsockopt(listener, SOL_SOCKET, SO_SNDBUF, &(int){ 10000 }, sizeof(int));
	show(outcome(connect(client, (struct sockaddr *)&name, size)), "connect with SO_PASSCRED");
	size = sizeof(name);
	getsockname(client, (struct sockaddr *)&name, &size);
	printf("it has a name then: %s\n", size == 8 ? "yes" : "no");
	server = accept(listener, NULL, NULL);
	static const int inherited[] = { SO_PASSCRED, SO_RCVLOWAT, SO_SNDBUF };

	for (int i = 0; i < 3; i++) {
		int value = -1;

		size = sizeof(value);
		getsockopt(server, SOL_SOCKET, inherited[i], &value, &size);
		printf("option %d of the accepted: %d\n", NAME_OF(inherited[i]), value);
	}
	close(client);
	close(server);
	close(listener);
}

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

	/* Of 4 ms: Linux rounds up to its tick. */
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
	observe_rights(SOCK_STREAM);
	observe_rights(SOCK_DGRAM);
	observe_rights(SOCK_SEQPACKET);
	observe_credentials(SOCK_STREAM);
	observe_credentials(SOCK_DGRAM);
	observe_peers();
	observe_message_arguments();
	observe_many();
	observe_options();
	observe_waiting();
	return 0;
}
