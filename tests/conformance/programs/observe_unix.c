// SPDX-License-Identifier: BSD-2-Clause
/*
 * Unix-domain sockets: making them, names, and wrong use.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "unix_names.h"
#include "pair.h"

static void observe_creation(void)
{
	static const struct {
		int family, type, protocol;
	} requests[] = {
		{ AF_UNIX, SOCK_STREAM, 0 },
		{ AF_UNIX, SOCK_STREAM, 1 },
		{ AF_UNIX, SOCK_STREAM, 2 },
		{ AF_UNIX, SOCK_DGRAM, 0 },
		{ AF_UNIX, SOCK_SEQPACKET, 0 },
		{ AF_UNIX, SOCK_RAW, 0 },
		{ AF_UNIX, SOCK_RDM, 0 },
		{ AF_UNIX, 0, 0 },
		{ AF_UNIX, 10, 0 },
		{ AF_UNIX, 11, 0 },
		{ AF_UNIX, 0x100 | SOCK_STREAM, 0 },
		{ AF_UNSPEC, SOCK_STREAM, 0 },
		{ 3, SOCK_STREAM, 0 },
		{ 12, SOCK_STREAM, 0 },
		{ 45, SOCK_STREAM, 0 },
		{ 46, SOCK_STREAM, 0 },
		{ -1, SOCK_STREAM, 0 },
		{ 3, 12, 0 },
	};
	int fds[2];

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		int fd = socket(requests[i].family, requests[i].type, requests[i].protocol);

		show(outcome(fd), "socket(%d, %d, %d)", requests[i].family, requests[i].type,
		     requests[i].protocol);
		if (fd >= 0)
			close(fd);
		fd = socketpair(requests[i].family, requests[i].type, requests[i].protocol, fds);
		show(outcome(fd), "socketpair(%d, %d, %d)", requests[i].family, requests[i].type,
		     requests[i].protocol);
		if (fd >= 0)
			close_pair(fds);
	}
	SEE(socketpair(AF_UNIX, SOCK_STREAM, 0, NULL));
	SEE(socketpair(AF_UNIX, SOCK_STREAM, 0, (int *)(page_before_a_hole() + PAGE_BYTES - 4)));
	must_pair(SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, fds);
	show(outcome_value(fcntl(fds[0], F_GETFL) & (O_NONBLOCK | O_ACCMODE)), "flags of a pair");
	show(outcome_value(fcntl(fds[1], F_GETFD)), "close-on-exec of a pair");

	struct stat stat;

	show(outcome(fstat(fds[0], &stat)), "fstat");
	printf("mode: %o\n", stat.st_mode);
	printf("size: %ld\n", (long)stat.st_size);
	printf("links: %ld\n", (long)stat.st_nlink);
	SEE(lseek(fds[0], 0, SEEK_SET));
	SEE(pread(fds[0], buffer, 1, 0));
	SEE(ftruncate(fds[0], 0));
	show(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fds[0], 0) == MAP_FAILED ? error_name(errno) :
										"ok",
	     "mmap of a socket");
	SEE(ioctl(fds[0], 0x5401, buffer)); /* TCGETS */
	SEE(ioctl(fds[0], 0x1234, buffer));
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	show(outcome(open(path, O_RDWR)), "opening a socket through /proc");
	close_pair(fds);
}

/* Calls on what is no socket, or with wrong arguments. */
static void observe_misuse(void)
{
	int pipe_fds[2], fd = must_socket(SOCK_STREAM);
	socklen_t size = sizeof(struct sockaddr_un);
	struct sockaddr_un name;

	if (pipe(pipe_fds) < 0)
		exit(1);
	SEE(listen(pipe_fds[0], 1));
	SEE(listen(-1, 1));
	SEE(bind(pipe_fds[0], NULL, 0));
	SEE(connect(-1, NULL, 0));
	SEE(accept(pipe_fds[0], NULL, NULL));
	SEE(send(pipe_fds[1], "x", 1, 0));
	SEE(recv(-1, buffer, 1, 0));
	SEE(shutdown(pipe_fds[0], 0));
	SEE(sendmsg(fd, NULL, 0));
	SEE(recvmsg(fd, NULL, 0));
	SEE(shutdown(fd, 3));
	SEE(shutdown(fd, -1));
	SEE(getsockname(fd, NULL, NULL));
	SEE(getsockname(fd, (struct sockaddr *)&name, NULL));
	size = (socklen_t)-1;
	SEE(getsockname(fd, (struct sockaddr *)&name, &size));
	size = 1;
	show(outcome_value(getsockname(fd, (struct sockaddr *)&name, &size)),
	     "getsockname into a byte");
	printf("getsockname into a byte, size: %u\n", size);
	SEE(getpeername(fd, (struct sockaddr *)&name, &size));
	SEE(accept(fd, NULL, NULL));
	SEE(accept4(fd, NULL, NULL, 1));
	SEE(listen(fd, 1));
	SEE(recv(fd, buffer, 1, MSG_DONTWAIT));
	SEE(send(fd, buffer, 1, MSG_DONTWAIT));
	SEE(read(fd, buffer, 1));
	SEE(read(fd, buffer, 0));
	SEE(write(fd, buffer, 1));
	SEE(write(fd, buffer, 0));
	close(fd);
	fd = open("/tmp", O_PATH);
	if (fd < 0)
		fd = open("/", O_PATH);
	SEE(listen(fd, 2));
	close(fd);
	for (int i = 0; i < TYPE_COUNT; i++) {
		fd = must_socket(types[i]);
		const char *type = type_names[types[i]];

		show(poll_bits(fd), "%s: poll of a new one", type);
		show(outcome_value(listen(fd, 1)), "%s: listen without a name", type);
		show(outcome_value(accept(fd, NULL, NULL)), "%s: accept on a new one", type);
		show(outcome_value(recv(fd, buffer, 1, MSG_DONTWAIT)), "%s: recv on a new one",
		     type);
		show(outcome_value(send(fd, buffer, 1, MSG_DONTWAIT)), "%s: send on a new one",
		     type);
		show(outcome_value(recv(fd, buffer, 1, MSG_OOB)), "%s: out of band", type);
		show(outcome_value(shutdown(fd, SHUT_WR)), "%s: shutdown of a new one", type);
		show(poll_bits(fd), "%s: poll without sending", type);
		show(outcome_value(send(fd, buffer, 1, MSG_DONTWAIT)), "%s: send without sending",
		     type);
		show(outcome_value(shutdown(fd, SHUT_RD)), "%s: shutdown of the rest", type);
		show(poll_bits(fd), "%s: poll without both", type);
		show(outcome_value(recv(fd, buffer, 1, MSG_DONTWAIT)), "%s: recv without waiting",
		     type);
		show(outcome_value(recv(fd, buffer, 1, 0)), "%s: recv with waiting", type);
		close(fd);
	}
	close_pair(pipe_fds);
}

static void observe_names(void)
{
	static char longest[109];
	int fd = must_socket(SOCK_STREAM), other;
	struct sockaddr_un name;

	show(name_of(fd, getsockname), "name of a new socket");
	make_name(&name, NAME("x"));
	for (unsigned int size = 0; size <= 3; size++)
		if (size != HEAD)
			show(outcome(bind(fd, (struct sockaddr *)&name, size)), "bind with size %u",
			     size);
	SEE(bind(fd, (struct sockaddr *)&name, 111));
	SEE(bind(fd, (struct sockaddr *)&name, 129));
	SEE(bind(fd, (struct sockaddr *)&name, (socklen_t)-1));
	SEE(bind(fd, NULL, 10));
	name.sun_family = AF_INET;
	SEE(bind(fd, (struct sockaddr *)&name, 10));
	SEE(bind_to(fd, PATH("/nowhere/socket")));
	SEE(bind_to(fd, PATH("/")));
	SEE(bind_to(fd, PATH("/.")));
	SEE(bind_to(fd, PATH("/..")));
	SEE(bind_to(fd, PATH("/socket-slash/")));
	SEE(bind_to(fd, PATH("/socket")));
	show(name_of(fd, getsockname), "name of one bound to a path");
	SEE(bind_to(fd, PATH("/another")));
	SEE(access("/another", F_OK));
	SEE(bind_to(fd, NAME("\0abstract")));
	struct stat stat = { 0 };

	SEE(lstat("/socket", &stat));
	printf("mode of the node: %o\n", stat.st_mode);
	SEE(open("/socket", O_RDWR));
	SEE(open("/socket", O_PATH) >= 0);
	other = must_socket(SOCK_STREAM);
	SEE(bind_to(other, PATH("/socket")));
	SEE(bind_to(other, PATH("/socket/x")));
	show(name_of(other, getsockname), "name after that");
	SEE(connect_to(other, PATH("/socket")));
	SEE(connect_to(other, PATH("/nothing")));
	SEE(connect_to(other, PATH("/dev")));
	SEE(connect_to(other, NAME("\0nobody")));
	SEE(rename("/socket", "/renamed"));
	SEE(listen(fd, 0));
	SEE(connect_to(other, PATH("/socket")) == -1 && errno == ENOENT);
	SEE(connect_to(other, PATH("/renamed")));
	show(name_of(other, getpeername), "name of a renamed peer");
	SEE(unlink("/renamed"));
	close(fd);
	close(other);

	fd = must_socket(SOCK_DGRAM);
	SEE(bind_to(fd, NAME("relative")));
	show(name_of(fd, getsockname), "name of a path without end");
	SEE(unlink("relative"));
	SEE(bind_to(fd, PATH("relative")));
	close(fd);
	memset(longest, 'l', sizeof(longest) - 1);
	longest[0] = '/';
	fd = must_socket(SOCK_DGRAM);
	SEE(bind_to(fd, longest, 108));
	struct {
		struct sockaddr_un name;
		char end[4];
	} room;
	socklen_t size = sizeof(room);

	SEE(getsockname(fd, (struct sockaddr *)&room, &size));
	printf("size of the longest path: %u\n", size);
	SEE(unlink(longest));
	close(fd);

	fd = must_socket(SOCK_STREAM);
	other = must_socket(SOCK_STREAM);
	SEE(bind_to(fd, NAME("\0a\0b")));
	show(name_of(fd, getsockname), "name of an abstract one");
	SEE(bind_to(other, NAME("\0a\0b")));
	SEE(bind_to(other, NAME("\0a\0b\0")));
	close(other);
	other = must_socket(SOCK_DGRAM);
	show(outcome(bind_to(other, NAME("\0a\0b"))), "the same name for another type");
	close(other);
	close(fd);
	fd = must_socket(SOCK_STREAM);
	show(outcome(bind_to(fd, NAME("\0a\0b"))), "the same name when the first is closed");
	close(fd);

	fd = must_socket(SOCK_STREAM);
	name.sun_family = AF_UNIX;
	show(outcome(bind(fd, (struct sockaddr *)&name, HEAD)), "bind to any name");
	size = sizeof(name);
	getsockname(fd, (struct sockaddr *)&name, &size);
	printf("size of any name: %u\n", size);
	show(name.sun_path[0] == 0 && strspn(name.sun_path + 1, "0123456789abcdef") >= 5 ? "so" :
											   "not",
	     "any name is abstract, of hexadecimal digits");
	show(outcome(bind(fd, (struct sockaddr *)&name, HEAD)), "bind to any name again");
	close(fd);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	observe_creation();
	observe_misuse();
	observe_names();
	return 0;
}
