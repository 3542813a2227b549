// SPDX-License-Identifier: BSD-2-Clause
/*
 * pidfds: from clone, from pidfd_open, in poll and waitid.
 */
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "observe.h"

enum { STACK_BYTES = 65536, NOT_A_PID = 31000, FLAG_THREAD = O_EXCL };

static volatile int handled;

static void handle(int signal)
{
	handled = signal;
}

static const char *polled(int fd)
{
	static char text[32];
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	if (poll(&poll_fd, 1, 0) < 0)
		return error_name(errno);
	snprintf(text, sizeof(text), "%#x", poll_fd.revents);
	return text;
}

static long send_to(int fd, int signal, siginfo_t *info, unsigned int flags)
{
	return syscall(SYS_pidfd_send_signal, fd, signal, info, flags);
}

/* A process's directory in /proc does for sending, and for nothing else. */
static void see_directories(pid_t pid)
{
	static const struct {
		const char *format, *name;
		int flags;
	} files[] = {
		{ "/proc/%d", "a directory of /proc", O_DIRECTORY },
		{ "/proc/%d", "its path", O_PATH },
		{ "/proc/%d/task", "its threads", O_DIRECTORY },
		{ "/proc/%d/task/%d", "a thread's directory", O_DIRECTORY },
		{ "/proc/%d/stat", "a file of it", 0 },
		{ "/proc", "all processes", O_DIRECTORY },
	};
	siginfo_t info;
	char path[64];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), files[i].format, pid, pid);
		int fd = open(path, O_RDONLY | files[i].flags);

		show(outcome(send_to(fd, 0, NULL, 0)), "sending to %s", files[i].name);
		if (i == 0) {
			show(outcome(send_to(fd, 0, NULL, 1)), "sending to the thread of %s",
			     files[i].name);
			show(outcome(send_to(fd, 65, NULL, 0)), "sending 65 to %s", files[i].name);
			show(outcome(syscall(SYS_pidfd_getfd, fd, 0, 0)), "pidfd_getfd of %s",
			     files[i].name);
			show(outcome(waitid(P_PIDFD, (id_t)fd, &info, WEXITED | WNOHANG)),
			     "waitid of %s", files[i].name);
		}
		close(fd);
	}
}

static void see_pidfd(void)
{
	siginfo_t info = { .si_signo = SIGUSR1, .si_code = SI_QUEUE };
	int ends[2], fd;
	char byte;

	if (pipe(ends) < 0)
		return;
	pid_t pid = fork();

	if (pid == 0) {
		(void)!read(ends[0], &byte, 1);
		_exit(2);
	}
	show(outcome(syscall(SYS_pidfd_open, pid, 1)), "pidfd_open with flag 1");
	show(outcome(syscall(SYS_pidfd_open, 0, 0)), "pidfd_open of 0");
	show(outcome(syscall(SYS_pidfd_open, NOT_A_PID, 0)), "pidfd_open of no process");
	fd = (int)syscall(SYS_pidfd_open, pid, O_NONBLOCK);
	show(outcome(fd), "pidfd_open");
	show(outcome_value(fcntl(fd, F_GETFD)), "its descriptor's flags");
	show(outcome_value(fcntl(fd, F_GETFL)), "its file's flags");
	show(outcome(read(fd, &byte, 1)), "reading it");
	show(polled(fd), "polling it while it runs");
	show(outcome(waitid(P_PIDFD, (id_t)fd, &info, WEXITED)), "waitid, nonblocking");
	info = (siginfo_t){ .si_signo = SIGUSR1, .si_code = SI_QUEUE };
	show(outcome(send_to(fd, 0, NULL, 0)), "sending 0");
	show(outcome(send_to(fd, 65, NULL, 0)), "sending 65");
	show(outcome(send_to(fd, -1, NULL, 0)), "sending -1");
	show(outcome(send_to(fd, SIGUSR2, &info, 0)), "sending what is not in the siginfo");
	info.si_code = SI_USER;
	show(outcome(send_to(fd, SIGUSR1, &info, 0)), "sending as kill would");
	show(outcome(send_to(fd, 0, NULL, 8)), "sending with flag 8");
	show(outcome(send_to(fd, 0, NULL, 3)), "sending with two flags");
	show(outcome(send_to(fd, 0, NULL, 1)), "sending to the thread");
	show(outcome(send_to(fd, 0, NULL, 2)), "sending to the process");
	show(outcome(send_to(fd, 0, NULL, 4)), "sending to a group that is none");
	show(outcome(send_to(1, 0, NULL, 0)), "sending to what is no process");
	show(outcome(send_to(-1, 0, NULL, 0)), "sending to -1");
	show(outcome(send_to(fd, SIGUSR1, (siginfo_t *)8, 0)), "sending a bad address");
	see_directories(pid);
	show(outcome(syscall(SYS_pidfd_getfd, fd, ends[0], 1)), "pidfd_getfd with a flag");
	show(outcome(syscall(SYS_pidfd_getfd, fd, 900, 0)), "pidfd_getfd of none");
	show(outcome(syscall(SYS_pidfd_getfd, 1, ends[0], 0)), "pidfd_getfd from no process");
	int stolen = (int)syscall(SYS_pidfd_getfd, fd, ends[1], 0);

	show(outcome_value(fcntl(stolen, F_GETFD)), "the flags of what pidfd_getfd got");
	show(outcome_value(write(stolen, "x", 1)), "writing to it");
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	show(polled(fd), "polling it when it has ended");
	show(outcome(send_to(fd, SIGUSR1, NULL, 0)), "sending when it has ended");
	show(outcome(syscall(SYS_pidfd_getfd, fd, ends[0], 0)), "pidfd_getfd when it has ended");
	show(outcome(waitid(P_PIDFD, (id_t)fd, &info, WEXITED)), "waitid by it");
	show(polled(fd), "polling it when it was waited for");
	show(outcome(send_to(fd, 0, NULL, 0)), "sending when it was waited for");
	show(outcome(syscall(SYS_pidfd_getfd, fd, ends[0], 0)),
	     "pidfd_getfd when it was waited for");
	show(outcome(waitid(P_PIDFD, (id_t)fd, &info, WEXITED)), "waitid by it again");
	close(fd);

	fd = (int)syscall(SYS_pidfd_open, getpid(), FLAG_THREAD);
	show(outcome(fd), "pidfd_open of a thread");
	show(outcome_value(fcntl(fd, F_GETFL)), "its file's flags, a thread's");
	signal(SIGUSR1, handle);
	handled = 0;
	send_to(fd, SIGUSR1, NULL, 0);
	show(handled == SIGUSR1 ? "came" : "did not come", "a signal to the own thread");
	info = (siginfo_t){ .si_signo = SIGUSR1, .si_code = SI_USER };
	show(outcome(send_to(fd, SIGUSR1, &info, 0)), "sending as kill would, to itself");
	close(fd);

	int made = -1;
	struct clone_args args = { .flags = CLONE_PIDFD,
				   .pidfd = (uintptr_t)&made,
				   .exit_signal = SIGCHLD };

	long child = syscall(SYS_clone3, &args, sizeof(args));

	if (child == 0)
		_exit(3);
	show(outcome_value(fcntl(made, F_GETFD)), "the flags of what CLONE_PIDFD made");
	show(waitid(P_PIDFD, (id_t)made, &info, WEXITED) == 0 && info.si_status == 3 ? "3" : "?",
	     "the status by it");
	args.pidfd = 8;
	show(outcome(syscall(SYS_clone3, &args, sizeof(args))), "CLONE_PIDFD to a bad address");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	see_pidfd();
	return 0;
}
