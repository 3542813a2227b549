// SPDX-License-Identifier: BSD-2-Clause
/*
 * Advisory locks: fcntl's on ranges, those of open files (OFD), flock's. A second process asks for the
 * first one's locks. The text of a call is the name of the observation.
 */
#include "observe.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* The compiler is not to know that these are wrong. */
static void *volatile nowhere = (void *)8;

static struct flock answer;

static int lock(int fd, int command, int type, long start, long length)
{
	answer = (struct flock){ .l_type = (short)type, .l_start = start, .l_len = length };
	return fcntl(fd, command, &answer);
}

/* The lock that another process sees on LENGTH bytes from START on. */
static const char *seen(const char *path, long start, long length)
{
	static char text[80];
	int p[2];

	pipe(p);
	if (fork() == 0) {
		int fd = open(path, O_RDWR);
		int error = lock(fd, F_GETLK, F_WRLCK, start, length);

		if (error)
			snprintf(text, sizeof(text), "%s", error_name(errno));
		else if (answer.l_type == F_UNLCK)
			snprintf(text, sizeof(text), "free");
		else
			snprintf(text, sizeof(text), "%s %ld+%ld by %s",
				 answer.l_type == F_RDLCK ? "read" : "write", (long)answer.l_start,
				 (long)answer.l_len,
				 answer.l_pid == getppid() ? "the parent" :
				 answer.l_pid == -1	   ? "an open file" :
							     "another process");
		write(p[1], text, strlen(text) + 1);
		_exit(0);
	}
	wait(NULL);
	read(p[0], text, sizeof(text));
	close(p[0]);
	close(p[1]);
	return text;
}

static void ranges(void)
{
	int fd = open("locked", O_RDWR | O_CREAT, 0600), other = open("locked", O_RDWR);
	int reader = open("locked", O_RDONLY), writer = open("locked", O_WRONLY);

	write(fd, "0123456789", 10);
	SEE(lock(fd, F_SETLK, F_WRLCK, 2, 4));
	show(seen("locked", 0, 0), "a lock on four bytes");
	show(seen("locked", 6, 0), "the bytes after it");
	SEE(lock(other, F_SETLK, F_RDLCK, 3, 1));
	show(seen("locked", 3, 1), "a byte in the middle made shared");
	show(seen("locked", 4, 10), "the part after the middle");
	SEE(lock(fd, F_SETLK, F_WRLCK, 3, 1));
	show(seen("locked", 0, 0), "the middle made exclusive again");
	SEE(lock(fd, F_SETLK, F_UNLCK, 4, 1));
	show(seen("locked", 4, 1), "a byte given back");
	SEE(lock(fd, F_SETLK, F_RDLCK, 100, 0));
	show(seen("locked", 1000, 1), "a lock without an end");
	SEE(lock(fd, F_SETLK, F_RDLCK, 10, -3));
	show(seen("locked", 7, 1), "a negative length");
	SEE(lock(fd, F_SETLK, F_WRLCK, -1, 1));
	SEE(lock(fd, F_SETLK, F_WRLCK, 1, -5));
	SEE(lock(fd, F_SETLK, F_WRLCK, INT64_MAX, 2));
	SEE(lock(fd, F_SETLK, 9, 0, 1));
	SEE(lock(fd, F_GETLK, F_UNLCK, 0, 1));
	SEE(lock(reader, F_SETLK, F_WRLCK, 0, 1));
	SEE(lock(writer, F_SETLK, F_RDLCK, 0, 1));
	SEE(lock(99, F_SETLK, F_RDLCK, 0, 1));
	SEE(fcntl(fd, F_SETLK, nowhere));
	SEE(lock(fd, F_GETLK, F_WRLCK, 0, 0));
	SEE(answer.l_type == F_UNLCK);
	if (fork() == 0) {
		SEE(lock(fd, F_SETLK, F_WRLCK, 2, 1));
		SEE(lock(fd, F_SETLK, F_RDLCK, 100, 1));
		_exit(0);
	}
	wait(NULL);
	SEE(close(other));
	show(seen("locked", 0, 0), "after any descriptor of the file was closed");
	close(fd);
	close(reader);
	close(writer);
}

static void open_files(void)
{
	int a = open("locked", O_RDWR), b = open("locked", O_RDWR);

	SEE(lock(a, F_OFD_SETLK, F_WRLCK, 0, 5));
	SEE(lock(b, F_OFD_SETLK, F_WRLCK, 4, 1));
	SEE(lock(b, F_OFD_SETLK, F_WRLCK, 5, 1));
	SEE(lock(b, F_OFD_GETLK, F_WRLCK, 0, 0));
	SEE(answer.l_pid + 10);
	SEE(answer.l_len);
	SEE(lock(b, F_SETLK, F_WRLCK, 0, 1));
	show(seen("locked", 0, 1), "an open file's lock from another process");
	answer = (struct flock){ .l_type = F_RDLCK, .l_pid = 5 };
	SEE(fcntl(a, F_OFD_SETLK, &answer));
	SEE(close(dup(a)));
	show(seen("locked", 0, 1), "an open file's lock when a duplicate is closed");
	close(a);
	show(seen("locked", 0, 1), "an open file's lock when the file is closed");
	close(b);
}

static void whole_files(void)
{
	int a = open("locked", O_RDWR), b = open("locked", O_RDONLY);

	SEE(flock(a, LOCK_EX));
	SEE(flock(b, LOCK_SH | LOCK_NB));
	SEE(flock(a, LOCK_SH));
	SEE(flock(b, LOCK_SH | LOCK_NB) + 10);
	SEE(flock(a, LOCK_EX | LOCK_NB));
	SEE(flock(b, LOCK_UN));
	SEE(flock(a, LOCK_EX | LOCK_NB) + 10);
	SEE(lock(a, F_SETLK, F_WRLCK, 0, 0));
	SEE(flock(a, 0));
	SEE(flock(a, LOCK_EX | LOCK_SH));
	SEE(flock(99, LOCK_EX));
	close(a);
	SEE(flock(b, LOCK_EX | LOCK_NB));
	close(b);
}

static void ignore(int signal)
{
	(void)signal;
}

/* Waits until PID, a child, sleeps. */
static void wait_for_sleep(pid_t pid)
{
	char path[32], text[256], *state;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	do {
		usleep(1000);
		int fd = open(path, O_RDONLY);
		ssize_t size = read(fd, text, sizeof(text) - 1);

		close(fd);
		text[size > 0 ? size : 0] = '\0';
		state = strrchr(text, ')');
	} while (!state || state[2] != 'S');
}

/* A wait for a lock that signals end: they come again, so that one comes while it waits. */
static int lock_until_signal(int fd)
{
	ualarm(5000, 5000);
	int result = lock(fd, F_SETLKW, F_WRLCK, 0, 1);
	int error = errno;

	ualarm(0, 0);
	errno = error;
	return result;
}

static void waiting(void)
{
	struct sigaction action = { .sa_handler = ignore };
	int fd = open("locked", O_RDWR), status;
	pid_t pid;
	int p[2];

	pipe(p);
	sigaction(SIGALRM, &action, NULL);
	lock(fd, F_SETLK, F_WRLCK, 0, 1);
	pid = fork();
	if (pid == 0) {
		lock(fd, F_SETLK, F_WRLCK, 1, 1);
		write(p[1], "x", 1);
		_exit(lock(fd, F_SETLKW, F_WRLCK, 0, 1) ? errno : 0);
	}
	read(p[0], &status, 1);
	wait_for_sleep(pid);
	SEE(lock(fd, F_SETLKW, F_WRLCK, 1, 1));
	SEE(lock(fd, F_SETLK, F_UNLCK, 0, 1));
	waitpid(pid, &status, 0);
	SEE(WEXITSTATUS(status));
	pid = fork();
	if (pid == 0) {
		lock(fd, F_SETLK, F_WRLCK, 0, 0);
		write(p[1], "x", 1);
		pause();
	}
	read(p[0], &status, 1);
	SEE(lock_until_signal(fd));
	kill(pid, SIGKILL);
	SEE(lock(fd, F_SETLKW, F_WRLCK, 0, 1) + 10);
	waitpid(pid, &status, 0);
	close(fd);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	mkdir("/observed", 0755);
	if (chdir("/observed")) {
		show(error_name(errno), "the directory that the rest is about");
		return 1;
	}
	ranges();
	open_files();
	whole_files();
	waiting();
	return 0;
}
