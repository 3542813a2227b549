// SPDX-License-Identifier: BSD-2-Clause
/*
 * Bytes between files that are not both plain: from and to devices, sockets, terminals, files of /proc,
 * FIFOs, full and empty pipes; and which side waits. The text of a call is the name of the observation.
 */
#include "observe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

static char buffer[128 * 1024] __attribute__((aligned(PAGE_BYTES)));

static void pause_for(int ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static int waiting_in(int fd)
{
	int bytes = -1;

	return ioctl(fd, FIONREAD, &bytes) < 0 ? -1 : bytes;
}

static int work_file(void)
{
	int fd = memfd_create("work", 0);

	write(fd, "0123456789abcdefghijklmnopqrstuvwxyz", 36);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void devices(void)
{
	int p[2], zero = open("/dev/zero", O_RDWR), null = open("/dev/null", O_RDWR);
	int full = open("/dev/full", O_RDWR), random = open("/dev/urandom", O_RDONLY);
	int proc = open("/proc/version", O_RDONLY), directory = open("/", O_RDONLY);
	int file = work_file(), counter = eventfd(1, 0);

	SEE(lseek(zero, 5, SEEK_SET));
	SEE(lseek(null, 5, SEEK_CUR));
	SEE(lseek(full, 5, SEEK_END));
	SEE(pipe2(p, O_NONBLOCK));
	SEE(splice(zero, NULL, p[1], NULL, 100, 0));
	SEE(read(p[0], buffer, 200));
	SEE(splice(random, NULL, p[1], NULL, 100, 0));
	SEE(read(p[0], buffer, 200) + 10);
	SEE(splice(null, NULL, p[1], NULL, 100, 0));
	SEE(splice(full, NULL, p[1], NULL, 100, 0));
	SEE(read(p[0], buffer, 200) + 20);
	SEE(splice(proc, NULL, p[1], NULL, 5, 0));
	SEE(read(p[0], buffer, 200) + 30);
	SEE(splice(directory, NULL, p[1], NULL, 5, 0));
	SEE(splice(counter, NULL, p[1], NULL, 8, 0));
	write(p[1], "bytes", 5);
	SEE(splice(p[0], NULL, zero, NULL, 3, 0));
	SEE(splice(p[0], NULL, full, NULL, 1, 0));
	SEE(splice(p[0], NULL, counter, NULL, 8, 0));
	SEE(splice(p[0], NULL, random, NULL, 8, 0));
	SEE(splice(p[0], NULL, null, NULL, 8, 0));
	SEE(sendfile(p[1], proc, &(off_t){ 0 }, 5));
	SEE(read(p[0], buffer, 200) + 40);
	SEE(sendfile(p[1], zero, NULL, 5));
	SEE(read(p[0], buffer, 200) + 50);
	SEE(sendfile(file, zero, NULL, 5));
	SEE(sendfile(full, file, NULL, 5));
	SEE(sendfile(p[1], directory, NULL, 5));
	SEE(copy_file_range(proc, NULL, file, NULL, 5, 0));
	SEE(copy_file_range(zero, NULL, file, NULL, 5, 0));
	SEE(copy_file_range(directory, NULL, file, NULL, 5, 0));
	int append = open("/proc/self/fd/9999", O_RDONLY);

	SEE(append);
	fcntl(file, F_SETFL, O_APPEND);
	write(p[1], "bytes", 5);
	SEE(splice(p[0], NULL, file, NULL, 5, 0));
	SEE(sendfile(file, zero, NULL, 5) + 10);
	SEE(copy_file_range(file, &(off_t){ 0 }, file, &(off_t){ 100 }, 5, 0));
	for (int fd = p[0]; fd <= p[1]; fd++)
		close(fd);
	close(zero);
	close(null);
	close(full);
	close(random);
	close(proc);
	close(directory);
	close(file);
	close(counter);
}

static void sockets_and_terminals(void)
{
	int p[2], s[2], file = work_file(), terminal, master = posix_openpt(O_RDWR | O_NOCTTY);

	SEE(pipe2(p, O_NONBLOCK));
	SEE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, s));
	SEE(sendfile(s[0], file, NULL, 10));
	SEE(read(s[1], buffer, 100));
	SEE(sendfile(s[0], file, &(off_t){ 30 }, 10));
	SEE(splice(s[1], NULL, p[1], NULL, 4, 0));
	SEE(waiting_in(p[0]));
	SEE(splice(p[0], NULL, s[1], NULL, 100, 0));
	SEE(read(s[0], buffer, 100) + 10);
	SEE(splice(s[0], NULL, p[1], NULL, 4, 0));
	SEE(splice(s[1], NULL, p[1], NULL, 100, 0));
	SEE(splice(s[1], NULL, p[1], NULL, 100, 0) + 10);
	SEE(splice(s[1], &(off_t){ 0 }, p[1], NULL, 100, 0));
	close(s[1]);
	SEE(splice(s[0], NULL, p[1], NULL, 4, 0) + 10);
	SEE(sendfile(s[0], file, &(off_t){ 0 }, 10));
	SEE(splice(p[0], NULL, s[0], NULL, 2, 0));
	SEE(waiting_in(p[0]) + 100);
	close(s[0]);
	grantpt(master);
	unlockpt(master);
	terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	SEE(fcntl(master, F_SETFL, O_RDWR | O_NONBLOCK));
	SEE(sendfile(terminal, file, &(off_t){ 0 }, 10));
	SEE(read(master, buffer, 100));
	write(p[1], "line\n", 5);
	SEE(splice(p[0], NULL, terminal, NULL, 100, 0) > 4);
	SEE(read(master, buffer, 100) > 5);
	write(master, "typed\n", 6);
	SEE(splice(terminal, NULL, p[1], NULL, 100, 0));
	SEE(read(p[0], buffer, 100) + 20);
	close(terminal);
	close(master);
	close(p[0]);
	close(p[1]);
	close(file);
}

static void full_and_empty(void)
{
	int p[2], q[2], file = work_file();
	struct iovec vector[2] = { { buffer, 10 * PAGE_BYTES }, { buffer, 10 * PAGE_BYTES } };

	SEE(pipe(p));
	SEE(pipe(q));
	SEE(vmsplice(p[1], vector, 2, SPLICE_F_NONBLOCK));
	SEE(vmsplice(p[1], vector, 2, SPLICE_F_NONBLOCK) + 10);
	SEE(splice(file, NULL, p[1], NULL, 4, SPLICE_F_NONBLOCK));
	SEE(tee(p[0], q[1], 100000, SPLICE_F_NONBLOCK));
	SEE(tee(p[0], q[1], 100000, SPLICE_F_NONBLOCK) + 10);
	SEE(splice(p[0], NULL, q[1], NULL, 10, SPLICE_F_NONBLOCK));
	SEE(splice(p[0], NULL, file, &(off_t){ 5 }, 50, SPLICE_F_NONBLOCK));
	SEE(lseek(file, 0, SEEK_CUR));
	SEE(lseek(file, 0, SEEK_END));
	SEE(vmsplice(p[0], vector, 2, 0));
	SEE(waiting_in(p[0]));
	SEE(splice(p[0], NULL, file, NULL, 1, SPLICE_F_NONBLOCK));
	SEE(vmsplice(p[0], vector, 1, SPLICE_F_NONBLOCK));
	SEE(vmsplice(p[1], vector, 0, 0));
	SEE(vmsplice(p[1], vector, 1025, 0));
	SEE(vmsplice(p[1], (void *)8, 1, 0));
	close(p[1]);
	SEE(splice(p[0], NULL, file, NULL, 1, 0));
	SEE(read(q[0], buffer, 65536));
	SEE(tee(p[0], q[1], 1, 0));
	close(p[0]);
	close(q[0]);
	SEE(splice(file, &(off_t){ 0 }, q[1], NULL, 1, 0));
	SEE(sendfile(q[1], file, &(off_t){ 0 }, 1));
	SEE(vmsplice(q[1], vector, 1, 0));
	close(q[1]);
	/* Packets go one by one. */
	SEE(pipe2(p, O_DIRECT | O_NONBLOCK));
	SEE(pipe2(q, O_NONBLOCK));
	write(p[1], "one", 3);
	write(p[1], "three", 5);
	SEE(splice(p[0], NULL, q[1], NULL, 100, 0));
	show(outcome_value(read(q[0], buffer, 100)), "reading spliced packets");
	close(p[0]);
	close(p[1]);
	close(q[0]);
	close(q[1]);
	close(file);
}

/* One process moves and sleeps until another has done its part. */
static void waiting(void)
{
	int p[2], q[2], status, file = work_file();

	SEE(pipe(p) + 10);
	SEE(pipe(q) + 20);
	pid_t child = fork();

	if (child == 0) {
		ssize_t moved = splice(p[0], NULL, q[1], NULL, 10, 0);

		moved += splice(p[0], NULL, q[1], NULL, 10, 0);
		close(p[1]);
		moved += 10 * splice(p[0], NULL, q[1], NULL, 10, 0);
		_exit((int)moved);
	}
	pause_for(20);
	write(p[1], "xy", 2);
	SEE(read(q[0], buffer, 10));
	pause_for(20);
	write(p[1], "xyz", 3);
	SEE(read(q[0], buffer, 10) + 10);
	close(p[1]);
	waitpid(child, &status, 0);
	SEE(WEXITSTATUS(status));
	while (fcntl(q[1], F_SETFL, O_NONBLOCK) == 0 && write(q[1], buffer, 4096) > 0)
		;
	fcntl(q[1], F_SETFL, 0);
	child = fork();
	if (child == 0)
		_exit((int)sendfile(q[1], file, NULL, 30));
	pause_for(20);
	SEE(waitpid(child, &status, WNOHANG));
	SEE(read(q[0], buffer, 65536));
	waitpid(child, &status, 0);
	SEE(WEXITSTATUS(status) + 100);
	SEE(read(q[0], buffer, 100) + 200);
	close(p[0]);
	close(q[0]);
	close(q[1]);
	close(file);
}

static void fifos(void)
{
	char path[] = "/observe.fifo";
	int status, reader, writer, both;

	unlink(path);
	SEE(mkfifo(path, 0600));
	SEE(open(path, O_WRONLY | O_NONBLOCK));
	SEE(reader = open(path, O_RDONLY | O_NONBLOCK));
	struct pollfd entry = { reader, POLLIN, -1 };

	SEE(poll(&entry, 1, 0));
	SEE(entry.revents);
	SEE(read(reader, buffer, 10));
	SEE(writer = open(path, O_WRONLY | O_NONBLOCK));
	SEE(read(reader, buffer, 10) + 10);
	SEE(write(writer, "x", 1));
	close(writer);
	SEE(poll(&entry, 1, 0) + 10);
	SEE(entry.revents + 100);
	SEE(read(reader, buffer, 10) + 20);
	SEE(read(reader, buffer, 10) + 30);
	SEE(poll(&entry, 1, 0) + 20);
	SEE(entry.revents + 200);
	writer = open(path, O_WRONLY);
	SEE(poll(&entry, 1, 0) + 30);
	SEE(fcntl(reader, F_GETPIPE_SZ));
	write(writer, "kept?", 5);
	close(reader);
	close(writer);
	SEE(both = open(path, O_RDWR | O_NONBLOCK));
	SEE(read(both, buffer, 10) + 40);
	SEE(write(both, "to myself", 9));
	SEE(read(both, buffer, 10) + 50);
	entry = (struct pollfd){ both, POLLIN | POLLOUT, -1 };
	SEE(poll(&entry, 1, 0) + 40);
	SEE(entry.revents + 300);
	close(both);
	pid_t child = fork();

	if (child == 0) {
		writer = open(path, O_WRONLY);
		_exit(write(writer, "hello", 5) == 5 ? 3 : 4);
	}
	pause_for(20);
	SEE(waitpid(child, &status, WNOHANG));
	reader = open(path, O_RDONLY);
	SEE(read(reader, buffer, 10) + 60);
	SEE(read(reader, buffer, 10) + 70);
	waitpid(child, &status, 0);
	SEE(WEXITSTATUS(status) + 300);
	close(reader);
	struct stat stat;

	lstat(path, &stat);
	SEE(S_ISFIFO(stat.st_mode));
	SEE(stat.st_size);
	SEE(lseek(open(path, O_RDWR), 0, SEEK_SET));
	SEE(truncate(path, 0));
	SEE(unlink(path));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	devices();
	sockets_and_terminals();
	full_and_empty();
	waiting();
	fifos();
	return 0;
}
