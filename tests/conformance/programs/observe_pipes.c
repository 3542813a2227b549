// SPDX-License-Identifier: BSD-2-Clause
/*
 * Pipes, moving bytes between files, and waiting for files: pipe, splice, tee, vmsplice, sendfile,
 * copy_file_range, eventfd, poll, select, memfd_create and its seals, extended attributes. The text of
 * a call is the name of the observation.
 */
#include "observe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/xattr.h>

/* The compiler is not to know that these are wrong. */
static void *volatile nowhere = (void *)8;

static char buffer[128 * 1024];

static struct stat of(int fd)
{
	struct stat stat = { 0 };

	fstat(fd, &stat);
	return stat;
}

static int poll_one(int fd, short events)
{
	struct pollfd entry = { fd, events, 0 };
	int result = poll(&entry, 1, 0);

	return result < 0 ? result : entry.revents;
}

static int waiting_in(int fd)
{
	int bytes = -1;

	return ioctl(fd, FIONREAD, &bytes) < 0 ? -1 : bytes;
}

static void pipes(void)
{
	int p[2], full = 0;

	SEE(pipe2(p, 0x10));
	SEE(pipe(nowhere));
	SEE(pipe2(p, O_NONBLOCK));
	SEE(S_ISFIFO(of(p[0]).st_mode));
	SEE(of(p[0]).st_mode & 07777);
	SEE(of(p[0]).st_ino == of(p[1]).st_ino);
	SEE(fcntl(p[0], F_GETFL));
	SEE(fcntl(p[1], F_GETFL));
	SEE(read(p[0], buffer, 10));
	SEE(read(p[1], buffer, 10));
	SEE(write(p[0], "x", 1));
	SEE(lseek(p[0], 0, SEEK_CUR));
	SEE(pread(p[0], buffer, 1, 0));
	SEE(poll_one(p[0], POLLIN | POLLOUT));
	SEE(poll_one(p[1], POLLIN | POLLOUT));
	SEE(write(p[1], "hello", 5));
	SEE(waiting_in(p[0]));
	SEE(waiting_in(p[1]) + 100);
	SEE(poll_one(p[0], POLLIN | POLLRDNORM));
	SEE(read(p[0], buffer, 2));
	SEE(read(p[0], nowhere, 2));
	SEE(waiting_in(p[0]) + 200);
	SEE(read(p[0], buffer, 10) + 100);
	SEE(fcntl(p[0], F_GETPIPE_SZ));
	SEE(fcntl(p[0], F_SETPIPE_SZ, 5000));
	SEE(fcntl(p[0], F_SETPIPE_SZ, 0));
	SEE(fcntl(0, F_GETPIPE_SZ));
	while (write(p[1], buffer, 1) == 1)
		full++;
	SEE(full);
	SEE(write(p[1], buffer, 10));
	SEE(poll_one(p[1], POLLOUT));
	SEE(fcntl(p[0], F_SETPIPE_SZ, 4096));
	SEE(read(p[0], buffer, 4096) + 1000);
	SEE(poll_one(p[1], POLLOUT) + 1000);
	SEE(read(p[0], buffer, sizeof(buffer)));
	SEE(write(p[1], buffer, sizeof(buffer)));
	SEE(close(p[0]));
	SEE(poll_one(p[1], POLLOUT) + 2000);
	SEE(write(p[1], "x", 1));
	SEE(close(p[1]));
	SEE(pipe2(p, O_DIRECT | O_NONBLOCK));
	SEE(write(p[1], "one", 3));
	SEE(write(p[1], "three", 5));
	SEE(waiting_in(p[0]) + 300);
	SEE(read(p[0], buffer, 2) + 10);
	SEE(read(p[0], buffer, 100) + 20);
	SEE(read(p[0], buffer, 100) + 30);
	SEE(write(p[1], buffer, 5000) + 10);
	SEE(read(p[0], buffer, 10000) + 40);
	SEE(read(p[0], buffer, 10000) + 50);
	close(p[1]);
	SEE(poll_one(p[0], POLLIN));
	SEE(read(p[0], buffer, 10000) + 60);
	close(p[0]);
}

static void moving(void)
{
	int a[2], b[2], file = open("moved", O_RDWR | O_CREAT | O_TRUNC, 0600), null;
	struct iovec vector = { "vector", 6 };
	off_t at = 3, negative = -1;

	pipe2(a, O_NONBLOCK);
	pipe2(b, O_NONBLOCK);
	SEE(write(file, "0123456789", 10));
	SEE(splice(file, NULL, a[1], NULL, 10, 0));
	SEE(splice(file, &at, a[1], NULL, 4, 0));
	SEE(at);
	SEE(splice(file, &at, a[1], NULL, 100, 0));
	SEE(splice(file, &negative, a[1], NULL, 1, 0));
	SEE(splice(file, nowhere, a[1], NULL, 1, 0));
	SEE(splice(a[0], &at, b[1], NULL, 1, 0));
	SEE(splice(file, NULL, file, NULL, 1, 0));
	SEE(splice(a[0], NULL, a[1], NULL, 1, 0));
	SEE(splice(a[1], NULL, b[1], NULL, 1, 0));
	SEE(splice(a[0], NULL, b[0], NULL, 1, 0));
	SEE(splice(99, NULL, b[1], NULL, 1, 0));
	SEE(splice(a[0], NULL, b[1], NULL, 1, 64));
	SEE(splice(a[0], NULL, b[1], NULL, 0, 0));
	SEE(waiting_in(a[0]));
	SEE(tee(a[0], b[1], 3, 0));
	SEE(tee(a[0], a[1], 3, 0));
	SEE(tee(file, b[1], 3, 0));
	SEE(tee(a[0], b[1], 0, 0));
	SEE(waiting_in(a[0]) + 100);
	SEE(waiting_in(b[0]));
	SEE(splice(a[0], NULL, b[1], NULL, 2, 0));
	SEE(read(b[0], buffer, 100));
	show(memcmp(buffer, "34534", 5) ? "otherwise" : "34534", "what tee and splice brought");
	SEE(splice(a[0], NULL, file, NULL, 100, 0));
	SEE(splice(a[0], NULL, file, NULL, 100, 0) + 10);
	SEE(of(file).st_size);
	SEE(tee(a[0], b[1], 3, SPLICE_F_NONBLOCK));
	SEE(vmsplice(a[1], &vector, 1, 0));
	SEE(vmsplice(file, &vector, 1, 0));
	SEE(vmsplice(a[1], &vector, 1, 64));
	SEE(read(a[0], buffer, 100) + 10);
	SEE(sendfile(a[1], file, NULL, 10));
	SEE(sendfile(a[1], file, &(off_t){ 2 }, 5));
	SEE(sendfile(a[0], file, NULL, 10));
	SEE(sendfile(a[1], a[0], NULL, 10));
	SEE(sendfile(a[1], 99, NULL, 10));
	SEE(waiting_in(a[0]) + 200);
	SEE(sendfile(file, file, &(off_t){ 0 }, 5));
	SEE(of(file).st_size + 100);
	null = open("/dev/null", O_WRONLY);
	SEE(sendfile(null, file, &(off_t){ 0 }, 5));
	SEE(splice(a[0], NULL, null, NULL, 100, 0));
	int copy = open("copied", O_RDWR | O_CREAT | O_TRUNC, 0600);

	SEE(copy_file_range(file, &(off_t){ 1 }, copy, NULL, 4, 0));
	SEE(copy_file_range(file, &(off_t){ 1 }, copy, &(off_t){ 8 }, 4, 0) + 10);
	SEE(of(copy).st_size);
	SEE(copy_file_range(file, &(off_t){ 1000 }, copy, NULL, 4, 0));
	SEE(copy_file_range(file, NULL, copy, NULL, 4, 1));
	SEE(copy_file_range(a[0], NULL, copy, NULL, 4, 0));
	SEE(copy_file_range(file, &(off_t){ 0 }, file, &(off_t){ 1 }, 4, 0));
	SEE(copy_file_range(file, &(off_t){ 0 }, null, NULL, 4, 0));
	SEE(copy_file_range(99, NULL, copy, NULL, 4, 0));
	SEE(copy_file_range(file, nowhere, copy, NULL, 4, 0));
	for (int fd = 3; fd < 12; fd++)
		close(fd);
	unlink("moved");
	unlink("copied");
}

static void counters(void)
{
	uint64_t value = 0;
	int fd;

	SEE(eventfd(0, 64));
	SEE(fd = eventfd(3, EFD_NONBLOCK));
	SEE(poll_one(fd, POLLIN | POLLOUT));
	SEE(read(fd, &value, 4));
	SEE(read(fd, &value, 8));
	SEE(value);
	SEE(read(fd, &value, 8) + 10);
	SEE(write(fd, &(uint64_t){ 0 }, 8));
	SEE(write(fd, &(uint64_t){ UINT64_MAX }, 8));
	SEE(write(fd, &(uint64_t){ UINT64_MAX - 1 }, 8));
	SEE(poll_one(fd, POLLIN | POLLOUT) + 100);
	SEE(write(fd, &(uint64_t){ 1 }, 8));
	SEE(write(fd, &(uint64_t){ 1 }, 7));
	SEE(read(fd, nowhere, 8));
	SEE(lseek(fd, 0, SEEK_SET));
	close(fd);
	SEE(fd = eventfd(2, EFD_NONBLOCK | EFD_SEMAPHORE));
	SEE(read(fd, &value, 8) + 20);
	SEE(value + 100);
	SEE(read(fd, buffer, 100) + 30);
	SEE(read(fd, &value, 8) + 40);
	close(fd);
}

static void selecting(void)
{
	struct timeval none = { 0, 0 }, bad = { 0, -1 };
	fd_set in, out;
	int p[2];

	pipe(p);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(p[0], &in);
	FD_SET(p[1], &out);
	SEE(select(10, &in, &out, NULL, &none));
	SEE(FD_ISSET(p[0], &in));
	SEE(FD_ISSET(p[1], &out));
	write(p[1], "x", 1);
	FD_SET(p[0], &in);
	SEE(select(10, &in, NULL, NULL, NULL));
	SEE(select(10, &in, &out, NULL, &none) + 10);
	SEE(select(-1, &in, NULL, NULL, &none));
	SEE(select(10, &in, NULL, NULL, &bad));
	SEE(select(10, nowhere, NULL, NULL, &none));
	FD_SET(9, &in);
	SEE(select(10, &in, NULL, NULL, &none) + 20);
	SEE(select(0, NULL, NULL, NULL, &none));
	SEE(poll(NULL, 0, 0));
	SEE(poll(nowhere, 1, 0));
	SEE(poll_one(99, POLLIN));
	SEE(poll_one(-1, POLLIN));
	SEE(poll_one(p[0], POLLIN) + 1000);
	SEE(poll_one(p[0], 0));
	close(p[1]);
	SEE(poll_one(p[0], 0) + 100);
	close(p[0]);
}

static void sealing(void)
{
	int fd;
	void *view;

	SEE(memfd_create("name", 64));
	SEE(memfd_create(nowhere, 0));
	SEE(fd = memfd_create("sealed", MFD_ALLOW_SEALING | MFD_CLOEXEC));
	SEE(fcntl(fd, F_GETFD));
	SEE(of(fd).st_mode);
	SEE(of(fd).st_nlink);
	SEE(fcntl(fd, F_GET_SEALS));
	SEE(ftruncate(fd, 5000));
	SEE(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW));
	SEE(ftruncate(fd, 5001));
	SEE(pwrite(fd, "x", 1, 5000));
	SEE(pwrite(fd, "x", 1, 4999));
	SEE(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 6000));
	SEE(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK));
	SEE(ftruncate(fd, 4999));
	view = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	SEE(view == MAP_FAILED);
	SEE(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	munmap(view, 4096);
	SEE(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) + 10);
	SEE(write(fd, "x", 1));
	SEE(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 10));
	SEE(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
	SEE(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0) == MAP_FAILED);
	SEE(fcntl(fd, F_ADD_SEALS, 1024));
	SEE(fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL));
	SEE(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW) + 20);
	SEE(fcntl(fd, F_GET_SEALS) + 100);
	close(fd);
	fd = memfd_create("plain", 0);
	SEE(fcntl(fd, F_GET_SEALS) + 200);
	SEE(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW) + 30);
	close(fd);
	fd = memfd_create("data", 8);
	SEE(fcntl(fd, F_GET_SEALS) + 300);
	SEE(fchmod(fd, 0777));
	SEE(fchmod(fd, 0600));
	close(fd);
	fd = open("/dev/null", O_RDWR);
	SEE(fcntl(fd, F_GET_SEALS) + 400);
	close(fd);
}

static void extended(void)
{
	int fd = open("named", O_RDWR | O_CREAT, 0600);
	int p[2];

	pipe(p);
	symlink("named", "name");
	SEE(listxattr("named", buffer, sizeof(buffer)));
	SEE(getxattr("named", "user.a", buffer, 10));
	SEE(getxattr("named", "a", buffer, 10));
	SEE(getxattr("named", "user.", buffer, 10));
	SEE(getxattr("named", "", buffer, 10));
	SEE(getxattr("none", "user.a", buffer, 10));
	SEE(setxattr("named", "user.b", "value", 5, XATTR_REPLACE));
	SEE(setxattr("named", "user.b", "value", 5, XATTR_CREATE));
	SEE(setxattr("named", "user.b", "value", 5, XATTR_CREATE) + 10);
	SEE(setxattr("named", "user.b", "value", 5, 4));
	SEE(setxattr("named", "user.a", nowhere, 5, 0));
	SEE(setxattr("named", "user.a", "", 0, 0));
	SEE(setxattr("named", "user.big", buffer, 65537, 0));
	SEE(setxattr("named", "trusted.c", "third", 5, 0));
	SEE(setxattr("named", "other.c", "third", 5, 0));
	SEE(getxattr("name", "user.b", NULL, 0));
	SEE(getxattr("name", "user.b", buffer, 4));
	SEE(getxattr("name", "user.b", buffer, 10));
	SEE(getxattr("name", "user.b", nowhere, 10));
	SEE(lgetxattr("name", "user.b", buffer, 10));
	SEE(lsetxattr("name", "user.b", "x", 1, 0));
	SEE(lsetxattr("name", "trusted.b", "x", 1, 0));
	SEE(fgetxattr(fd, "user.a", buffer, 10));
	SEE(fgetxattr(99, "user.a", buffer, 10));
	SEE(flistxattr(fd, NULL, 0));
	SEE(flistxattr(fd, buffer, 5));
	SEE(flistxattr(fd, buffer, 100));
	for (int i = 0; i < 23; i++)
		buffer[i] = buffer[i] ? buffer[i] : ' ';
	show(buffer, "the names of extended attributes");
	SEE(removexattr("named", "user.a"));
	SEE(removexattr("named", "user.a") + 10);
	SEE(fremovexattr(fd, "user.b"));
	SEE(llistxattr("named", buffer, 100));
	SEE(fsetxattr(p[0], "user.a", "x", 1, 0));
	SEE(flistxattr(p[0], buffer, 100) + 10);
	close(p[0]);
	close(p[1]);
	close(fd);
	unlink("name");
	unlink("named");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGPIPE, SIG_IGN);
	mkdir("/observed", 0755);
	if (chdir("/observed")) {
		show(error_name(errno), "the directory that the rest is about");
		return 1;
	}
	pipes();
	moving();
	counters();
	selecting();
	sealing();
	extended();
	return 0;
}
