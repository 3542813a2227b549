// SPDX-License-Identifier: BSD-2-Clause
/*
 * Unix-domain sockets as files: descriptors, nodes in the tree of names, and permissions.
 */
#include <fcntl.h>
#include <linux/sockios.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "unix_addresses.h"
#include "pair.h"

enum { USER = 1000 };

static void observe_descriptor(void)
{
	char path[40], text[80];
	struct statfs system;
	struct stat stat;
	struct flock lock = { .l_type = F_WRLCK };
	int fds[2];

	must_pair(SOCK_STREAM, fds);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	memset(text, 0, sizeof(text));
	show(readlink(path, text, sizeof(text) - 1) > 0 && !strncmp(text, "socket:[", 8) ?
		     "socket and a number" :
		     text,
	     "link in /proc/self/fd");
	show(outcome(fstatfs(fds[0], &system)), "fstatfs");
	printf("type of its file system: %#lx\n", (unsigned long)system.f_type);
	SEE(fsync(fds[0]));
	SEE(fdatasync(fds[0]));
	SEE(flock(fds[0], LOCK_EX | LOCK_NB));
	SEE(fcntl(fds[0], F_SETLK, &lock));
	SEE(fcntl(fds[0], F_GETPIPE_SZ));
	SEE(fallocate(fds[0], 0, 0, 1));
	SEE(posix_fadvise(fds[0], 0, 1, 0));
	SEE(readahead(fds[0], 0, 1));
	SEE(syscall(SYS_getdents64, fds[0], buffer, 100));
	SEE(fchdir(fds[0]));
	SEE(fchmod(fds[0], 0600));
	fstat(fds[0], &stat);
	printf("mode after fchmod: %o\n", stat.st_mode);
	SEE(fchown(fds[0], 5, 6));
	fstat(fds[0], &stat);
	printf("owner after fchown: %u %u\n", stat.st_uid, stat.st_gid);
	SEE(ioctl(fds[0], FIONBIO, &(int){ 1 }));
	SEE(read(fds[0], buffer, 1));
	SEE(fcntl(fds[0], F_GETFL));
	SEE(fcntl(fds[0], F_SETFL, O_APPEND));
	SEE(fcntl(fds[0], F_SETFL, O_DIRECT));
	SEE(fcntl(fds[0], F_SETFL, 0));
	SEE(pwrite(fds[0], buffer, 1, 0));
	SEE(ioctl(fds[0], SIOCATMARK, buffer) <= 0);
	SEE(ioctl(fds[0], SIOCINQ, NULL));
	SEE(ioctl(fds[0], SIOCOUTQ, buffer));
	printf("nothing is under way: %d\n", *(int *)(void *)buffer);
	close_pair(fds);
}

/* Does WORK as a user without rights; what it returned. */
static void as_user(long (*work)(void), const char *what)
{
	int status;

	fflush(stdout);
	if (fork() == 0) {
		if (setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
			_exit(255);
		_exit(work() < 0 ? errno : 0);
	}
	wait(&status);
	show(WEXITSTATUS(status) ? error_name(WEXITSTATUS(status)) : "ok", "%s", what);
}

static long user_connects(void)
{
	return connect_to(socket(AF_UNIX, SOCK_STREAM, 0), "/node");
}

static long user_connects_below(void)
{
	return connect_to(socket(AF_UNIX, SOCK_STREAM, 0), "/closed/node");
}

static long user_sends(void)
{
	struct sockaddr_un name;
	socklen_t size = make_name(&name, "/closed/datagrams");

	return sendto(socket(AF_UNIX, SOCK_DGRAM, 0), "x", 1, 0, (struct sockaddr *)&name, size);
}

static long user_binds(void)
{
	return bind_to(socket(AF_UNIX, SOCK_STREAM, 0), "/open/node");
}

static long user_sets_debug(void)
{
	return setsockopt(socket(AF_UNIX, SOCK_STREAM, 0), SOL_SOCKET, SO_DEBUG, &(int){ 1 }, 4);
}

static long user_forces_buffer(void)
{
	return setsockopt(socket(AF_UNIX, SOCK_STREAM, 0), SOL_SOCKET, SO_SNDBUFFORCE, &(int){ 1 },
			  4);
}

static long user_sets_priority(void)
{
	return setsockopt(socket(AF_UNIX, SOCK_STREAM, 0), SOL_SOCKET, SO_PRIORITY, &(int){ 7 }, 4);
}

static long user_sets_low_priority(void)
{
	return setsockopt(socket(AF_UNIX, SOCK_STREAM, 0), SOL_SOCKET, SO_PRIORITY, &(int){ 6 }, 4);
}

/* More descriptors in flight than the limit of open ones. */
static long user_sends_many(void)
{
	union {
		char bytes[CMSG_SPACE(10 * sizeof(int))];
		struct cmsghdr header;
	} control = { .header = { CMSG_LEN(10 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec part = { buffer, 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	struct rlimit limit = { 25, 25 };
	int fds[2], sent = 0;

	setrlimit(RLIMIT_NOFILE, &limit);
	must_pair(SOCK_DGRAM | SOCK_NONBLOCK, fds);
	for (int i = 0; i < 10; i++)
		((int *)(void *)CMSG_DATA(&control.header))[i] = fds[1];
	while (sendmsg(fds[0], &message, 0) == 1)
		sent++;
	if (errno != ETOOMANYREFS)
		return -1;
	/* Received, they count no longer. */
	recv(fds[1], buffer, 1, 0);
	if (sendmsg(fds[0], &message, 0) != 1 || sendmsg(fds[0], &message, 0) != -1)
		return -1;
	errno = sent;
	return -1;
}

static void observe_nodes(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), other = socket(AF_UNIX, SOCK_STREAM, 0);
	struct stat stat;

	umask(0027);
	SEE(bind_to(fd, "/node"));
	SEE(lstat("/node", &stat));
	printf("mode with a umask: %o\n", stat.st_mode);
	printf("size and links: %ld %ld\n", (long)stat.st_size, (long)stat.st_nlink);
	SEE(listen(fd, 10));
	as_user(user_connects, "a user connects without permission");
	SEE(chmod("/node", 0444));
	as_user(user_connects, "a user connects to what can be read only");
	SEE(chmod("/node", 0222));
	as_user(user_connects, "a user connects to what can be written only");
	SEE(chmod("/node", 0));
	show(outcome(connect_to(socket(AF_UNIX, SOCK_STREAM, 0), "/node")),
	     "root connects to mode 0");
	SEE(mkdir("/closed", 0700));
	as_user(user_connects_below, "a user connects below a closed directory");
	as_user(user_sends, "a user sends below a closed directory");
	SEE(mkdir("/open", 0755));
	as_user(user_binds, "a user binds in a directory of root's");
	as_user(user_sets_debug, "a user sets SO_DEBUG");
	as_user(user_forces_buffer, "a user sets SO_SNDBUFFORCE");
	as_user(user_sets_priority, "a user sets a high priority");
	as_user(user_sets_low_priority, "a user sets a low priority");
	as_user(user_sends_many, "a user sends many descriptors");
	SEE(symlink("/node", "/link"));
	SEE(connect_to(other, "/link"));
	close(other);
	other = socket(AF_UNIX, SOCK_STREAM, 0);
	SEE(bind_to(other, "/link"));
	SEE(symlink("/dangling-target", "/dangling"));
	SEE(bind_to(other, "/dangling"));
	SEE(connect_to(other, "/dangling"));
	SEE(link("/node", "/hard"));
	SEE(unlink("/node"));
	show(outcome(connect_to(other, "/hard")), "connect through another name");
	close(other);
	close(fd);
	other = socket(AF_UNIX, SOCK_STREAM, 0);
	SEE(access("/hard", F_OK));
	SEE(connect_to(other, "/hard"));
	SEE(bind_to(other, "/hard"));
	SEE(unlink("/hard"));
	show(outcome(bind_to(other, "/hard")), "bind after unlink");
	SEE(truncate("/hard", 0));
	SEE(rename("/hard", "/closed/hard"));
	SEE(chdir("/closed"));
	struct sockaddr_un name;
	socklen_t size = sizeof(name);

	listen(other, 1);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	SEE(connect_to(fd, "hard"));
	getpeername(fd, (struct sockaddr *)&name, &size);
	show(name.sun_path, "the name that it was bound to");
	SEE(mknod("/made", S_IFSOCK | 0777, 0));
	show(outcome(connect_to(socket(AF_UNIX, SOCK_STREAM, 0), "/made")),
	     "connect to a node of mknod");
	SEE(unlink("/made"));
	close(fd);
	close(other);
	SEE(chdir("/"));
	umask(0022);
}

static void observe_moves(void)
{
	int fds[2], pipes[2], file = open("/moved", O_RDWR | O_CREAT | O_TRUNC, 0600);
	off_t offset = 2;

	must_pair(SOCK_STREAM | SOCK_NONBLOCK, fds);
	if (pipe(pipes) < 0 || write(file, "0123456789", 10) != 10)
		exit(1);
	SEE(sendfile(fds[0], file, &offset, 100));
	SEE(recv(fds[1], buffer, 100, 0));
	buffer[8] = '\0';
	show(buffer, "what sendfile sent");
	SEE(sendfile(file, fds[0], NULL, 100));
	SEE(send(fds[0], "splice", 6, 0));
	SEE(splice(fds[1], NULL, pipes[1], NULL, 100, 0));
	SEE(read(pipes[0], buffer, 3));
	SEE(splice(pipes[0], NULL, fds[0], NULL, 100, 0));
	show(outcome_value(recv(fds[1], buffer, 100, 0)), "recv of what was spliced");
	show(outcome_value(splice(fds[1], NULL, pipes[1], NULL, 100, SPLICE_F_NONBLOCK)),
	     "splice of nothing");
	SEE(splice(fds[1], &offset, pipes[1], NULL, 100, 0));
	SEE(copy_file_range(file, NULL, fds[0], NULL, 3, 0));
	close(fds[1]);
	signal(SIGPIPE, SIG_IGN);
	offset = 0;
	show(outcome_value(sendfile(fds[0], file, &offset, 100)), "sendfile without a receiver");
	close(fds[0]);
	close_pair(pipes);
	close(file);
	unlink("/moved");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	observe_descriptor();
	observe_nodes();
	observe_moves();
	return 0;
}
