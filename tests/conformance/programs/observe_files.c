// SPDX-License-Identifier: BSD-2-Clause
/*
 * Files: opening, reading and writing, and descriptors.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "files.h"

static volatile int minus = -1;
static volatile int many = 1025;

/* Returns the rest of descriptor FD, or the name of the error of its read. */
static const char *text_of(int fd)
{
	ssize_t got = read(fd, buffer, sizeof(buffer) - 1);

	buffer[got < 0 ? 0 : got] = '\0';
	return got < 0 ? error_name(errno) : buffer;
}

static void opening(void)
{
	SEE(open("none", O_RDONLY));
	SEE(open("", O_RDONLY));
	SEE(open("none/below", O_RDONLY | O_CREAT, 0600));
	SEE(open(long_name, O_RDONLY | O_CREAT, 0600));
	SEE(open(long_path, O_RDONLY));
	SEE(open(nowhere, O_RDONLY));
	SEE(close(make("file", "contents")));
	SEE(open("file", O_CREAT | O_EXCL, 0600));
	SEE(open("file/", O_RDONLY));
	SEE(open("file/below", O_RDONLY));
	SEE(open("file", O_RDONLY | O_DIRECTORY));
	SEE(open("new/", O_RDWR | O_CREAT, 0600));
	SEE(open(".", O_RDWR));
	SEE(open(".", O_RDONLY | O_CREAT, 0600));
	SEE(open(".", O_WRONLY | O_PATH));
	SEE(close(3));
	SEE(close(3) + 1000);
	SEE(open("file", O_RDONLY | O_CREAT | O_DIRECTORY, 0600));
	SEE(symlink("file", "link"));
	SEE(symlink("nowhere", "dangling"));
	SEE(symlink("loop", "loop"));
	SEE(open("link", O_RDONLY | O_NOFOLLOW));
	SEE(open("link", O_PATH | O_NOFOLLOW));
	SEE(read(3, buffer, 1));
	SEE(fchmod(3, 0600));
	SEE(readlinkat(3, "", buffer, sizeof(buffer)));
	SEE(close(3) + 2000);
	SEE(open("loop", O_RDONLY));
	SEE(open("dangling", O_RDONLY));
	SEE(open("dangling", O_RDWR | O_CREAT | O_EXCL, 0600));
	SEE(open("dangling", O_RDWR | O_CREAT, 0600));
	SEE(close(3) + 3000);
	SEE(unlink("nowhere"));
	SEE(openat(99, "file", O_RDONLY));
	SEE(openat(99, "/", O_RDONLY));
	SEE(close(3) + 4000);
	SEE(open("file", O_RDONLY | O_TMPFILE, 0600));
	SEE(open(".", O_RDONLY | O_TMPFILE, 0600));
	SEE(open(".", O_RDWR | O_TMPFILE, 0600));
	SEE(write(3, "unnamed", 7));
	SEE(linkat(3, "", AT_FDCWD, "named", AT_EMPTY_PATH));
	SEE(of("named").st_nlink);
	SEE(close(3) + 5000);
	SEE(unlink("named"));
	SEE(creat("file", 0600));
	SEE(of("file").st_size);
	SEE(fcntl(3, F_GETFL));
	SEE(close(3) + 6000);
	SEE(unlink("link"));
	SEE(unlink("dangling"));
	SEE(unlink("loop"));
	SEE(unlink("file"));
}

static void reading(void)
{
	struct iovec two[2] = { { buffer, 2 }, { buffer + 2, 3 } };
	struct iovec negative = { buffer, (size_t)-1 };
	int fd = make("data", "0123456789"), reader = open("data", O_RDONLY),
	    writer = open("data", O_WRONLY);

	SEE(lseek(fd, 0, SEEK_CUR));
	SEE(lseek(fd, -11, SEEK_END));
	SEE(lseek(fd, -10, SEEK_END));
	SEE(lseek(fd, 1, 77));
	SEE(lseek(fd, 1, SEEK_DATA));
	SEE(lseek(fd, 1, SEEK_HOLE));
	SEE(lseek(fd, 10, SEEK_DATA));
	SEE(lseek(fd, 10, SEEK_HOLE));
	SEE(lseek(99, 0, SEEK_SET));
	SEE(lseek(fd, INT64_MAX, SEEK_SET));
	SEE(lseek(fd, 0, SEEK_SET));
	SEE(read(fd, buffer, 4));
	SEE(read(fd, nowhere, 4));
	SEE(lseek(fd, 0, SEEK_CUR) + 100);
	SEE(read(writer, buffer, 1));
	SEE(write(reader, "x", 1));
	SEE(write(fd, nowhere, 1));
	SEE(write(fd, nowhere, 0));
	SEE(pread(fd, buffer, 4, 8));
	SEE(pread(fd, buffer, 4, 10));
	SEE(pread(fd, buffer, 4, -1));
	SEE(pwrite(fd, "ab", 2, 14));
	SEE(of("data").st_size);
	SEE(pwrite(fd, "ab", 2, INT64_MAX));
	SEE(lseek(fd, 8, SEEK_SET));
	show(memcmp((text_of(fd), buffer), "89\0\0\0\0ab", 9) ? "otherwise" : "zeros",
	     "the bytes between the old end and a write after it");
	SEE(lseek(fd, 0, SEEK_SET) + 200);
	SEE(readv(fd, two, 2));
	SEE(readv(fd, two, 0));
	SEE(readv(fd, two, minus));
	SEE(readv(fd, two, many));
	SEE(readv(fd, &negative, 1));
	SEE(readv(fd, nowhere, 1));
	SEE(preadv(fd, two, 2, 14));
	SEE(preadv(fd, two, 2, -1));
	SEE(preadv2(fd, two, 2, -1, 0));
	SEE(preadv2(fd, two, 2, 0, 0x8000));
	SEE(writev(reader, two, 2));
	SEE(pwritev(fd, two, 2, 0));
	SEE(ftruncate(fd, 3));
	SEE(of("data").st_size + 1000);
	SEE(ftruncate(fd, -1));
	SEE(ftruncate(reader, 1));
	SEE(ftruncate(99, 1));
	SEE(truncate("data", 5000));
	SEE(truncate("data", -1));
	SEE(truncate(".", 0));
	SEE(truncate("none", 0));
	SEE(of("data").st_blocks);
	SEE(lseek(fd, 100, SEEK_DATA));
	SEE(lseek(fd, 4096, SEEK_DATA));
	SEE(lseek(fd, 0, SEEK_HOLE));
	SEE(fallocate(fd, 0, 0, 0));
	SEE(fallocate(fd, 0, -1, 10));
	SEE(fallocate(fd, 0, 0, 9000));
	SEE(of("data").st_size + 2000);
	SEE(of("data").st_blocks + 100);
	SEE(fallocate(fd, FALLOC_FL_KEEP_SIZE, 12000, 1000));
	SEE(of("data").st_size + 3000);
	SEE(of("data").st_blocks + 200);
	SEE(fallocate(fd, FALLOC_FL_PUNCH_HOLE, 0, 100));
	SEE(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 100, 8092));
	SEE(of("data").st_blocks + 300);
	SEE(fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0, 4096));
	SEE(fallocate(fd, FALLOC_FL_ZERO_RANGE, 0, 4096));
	SEE(fallocate(reader, 0, 0, 1));
	SEE(fallocate(99, 0, 0, 1));
	SEE(fsync(fd));
	SEE(fdatasync(reader));
	SEE(fsync(99));
	SEE(syncfs(fd));
	SEE(syncfs(99));
	SEE(sync_file_range(fd, 0, 1, SYNC_FILE_RANGE_WRITE));
	SEE(sync_file_range(fd, 0, 1, 64));
	SEE(posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
	SEE(posix_fadvise(fd, 0, 0, 77));
	SEE(posix_fadvise(99, 0, 0, 0));
	SEE(readahead(fd, 0, 100));
	SEE(readahead(writer, 0, 100));
	close(fd);
	close(reader);
	close(writer);
	fd = open("data", O_RDWR | O_APPEND);
	SEE(pwrite(fd, "z", 1, 0));
	SEE(of("data").st_size + 4000);
	close(fd);
	unlink("data");
	fd = open(".", O_RDONLY);
	SEE(read(fd, buffer, 10));
	SEE(write(fd, buffer, 10));
	SEE(ftruncate(fd, 0));
	SEE(fallocate(fd, 0, 0, 10));
	close(fd);
}

static void descriptors(void)
{
	int flag = 1, fd = make("file", "text");

	SEE(dup(fd));
	SEE(dup(99));
	SEE(dup2(fd, 10));
	SEE(dup2(fd, fd));
	SEE(dup2(99, 99));
	SEE(dup2(fd, -1));
	SEE(dup2(fd, 1 << 20));
	SEE(dup3(fd, fd, 0));
	SEE(dup3(fd, 11, O_CLOEXEC));
	SEE(dup3(fd, 11, 1));
	SEE(fcntl(11, F_GETFD));
	SEE(fcntl(10, F_GETFD));
	SEE(fcntl(10, F_SETFD, FD_CLOEXEC));
	SEE(fcntl(10, F_GETFD) + 100);
	SEE(fcntl(fd, F_DUPFD, 20));
	SEE(fcntl(fd, F_DUPFD_CLOEXEC, 20));
	SEE(fcntl(fd, F_DUPFD, -1));
	SEE(fcntl(fd, F_DUPFD, 1 << 20));
	SEE(fcntl(fd, F_GETFL) & O_ACCMODE);
	SEE(fcntl(fd, F_SETFL, O_NONBLOCK | O_APPEND));
	SEE(fcntl(fd, F_GETFL) & (O_NONBLOCK | O_APPEND));
	SEE(fcntl(20, F_GETFL) & (O_NONBLOCK | O_APPEND));
	SEE(fcntl(fd, 9999));
	SEE(fcntl(99, F_GETFL));
	SEE(ioctl(fd, FIOCLEX));
	SEE(fcntl(fd, F_GETFD));
	SEE(ioctl(fd, FIONCLEX));
	SEE(ioctl(fd, FIONBIO, &flag));
	SEE(ioctl(fd, TIOCGPGRP, &flag));
	SEE(ioctl(99, FIONBIO, &flag));
	SEE(syscall(SYS_close_range, 12, 9, 0));
	SEE(syscall(SYS_close_range, 9, 12, 1));
	SEE(syscall(SYS_close_range, 20, 20, 4));
	SEE(fcntl(20, F_GETFD));
	SEE(syscall(SYS_close_range, 5, ~0u, 0));
	SEE(close(10));
	SEE(close(-1));
	close(fd);
	close(4);
	unlink("file");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	memset(long_name, 'n', sizeof(long_name) - 1);
	memset(long_path, '/', sizeof(long_path) - 1);
	umask(022);
	mkdir("/observed", 0755);
	if (chdir("/observed")) {
		show(error_name(errno), "the directory that the rest is about");
		return 1;
	}
	opening();
	reading();
	descriptors();
	return 0;
}
