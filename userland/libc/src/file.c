// SPDX-License-Identifier: BSD-2-Clause
/*
 * file.c - files and terminals: the calls that are not one system call to one function.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

int creat(const char *path, mode_t mode)
{
	return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int mkfifo(const char *path, mode_t mode)
{
	return mknod(path, mode | S_IFIFO, 0);
}

char *getcwd(char *buffer, size_t size)
{
	return syscall(__NR_getcwd, buffer, size) < 0 ? NULL : buffer;
}

int tcgetattr(int fd, struct termios *settings)
{
	return ioctl(fd, TCGETS, settings);
}

int tcsetattr(int fd, int when, const struct termios *settings)
{
	if (when < TCSANOW || when > TCSAFLUSH) {
		errno = EINVAL;
		return -1;
	}
	return ioctl(fd, TCSETS + (unsigned long)when, settings);
}

int isatty(int fd)
{
	struct termios settings;

	return tcgetattr(fd, &settings) == 0;
}
