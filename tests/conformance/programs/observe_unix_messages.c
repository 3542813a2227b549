// SPDX-License-Identifier: BSD-2-Clause
/*
 * Messages on Unix-domain sockets that carry descriptors and credentials.
 */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "unix_control.h"
#include "pair.h"

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
	show(outcome_value(fcntl(got[0], F_GETFD)), "%s: close-on-exec as requested", what);
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

	/* One read does not join the messages of different senders. */
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

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	observe_rights(SOCK_STREAM);
	observe_rights(SOCK_DGRAM);
	observe_rights(SOCK_SEQPACKET);
	observe_credentials(SOCK_STREAM);
	observe_credentials(SOCK_DGRAM);
	observe_peers();
	return 0;
}
