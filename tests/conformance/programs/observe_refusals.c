// SPDX-License-Identifier: BSD-2-Clause
/*
 * What every call that takes a descriptor, a length or an offset says to one that is wrong: a table of calls,
 * each with a set of descriptors that are closed, absurd or of the wrong kind, and a set of numbers at the
 * edges of 32 and 64 bits. What else the call is given is good.
 *
 * One line is one call with one argument tried: the outcomes in the order of the set.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "observe.h"

/* Placeholders among the arguments. */
enum {
	DESCRIPTOR = 0x70000001, /* tried */
	NUMBER,			 /* tried */
	FILE_FD,		 /* a file of 8 bytes, readable and writable */
	READ_FD,		 /* a pipe with 8 bytes in it, not blocking */
	WRITE_FD,
	SOCKET_FD, /* one end of a pair, not blocking, with 8 bytes to read */
	DIRECTORY_FD,
	EPOLL_FD,
	BUFFER,	 /* a zeroed page that ends before one that is not mapped */
	VECTOR,	 /* one piece of 8 bytes */
	NAME,	 /* of a file that is there */
	MAPPING, /* four mapped pages */
};

struct call {
	const char *name;
	long number;
	long arguments[6];
};

/* The same calls under other names. */
#ifndef SYS_newfstatat
#define SYS_newfstatat SYS_fstatat64
#endif

#define CALL(call, ...)                                 \
	{                                               \
#call "(" #__VA_ARGS__ ")", SYS_##call, \
		{                                       \
			__VA_ARGS__                     \
		}                                       \
	}

static const struct call with_descriptor[] = {
	CALL(read, DESCRIPTOR, BUFFER, 8),
	CALL(write, DESCRIPTOR, BUFFER, 8),
	CALL(pread64, DESCRIPTOR, BUFFER, 8, 0),
	CALL(pwrite64, DESCRIPTOR, BUFFER, 8, 0),
	CALL(readv, DESCRIPTOR, VECTOR, 1),
	CALL(writev, DESCRIPTOR, VECTOR, 1),
	CALL(preadv, DESCRIPTOR, VECTOR, 1, 0, 0),
	CALL(pwritev, DESCRIPTOR, VECTOR, 1, 0, 0),
	CALL(preadv2, DESCRIPTOR, VECTOR, 1, 0, 0, 0),
	CALL(pwritev2, DESCRIPTOR, VECTOR, 1, 0, 0, 0),
	CALL(lseek, DESCRIPTOR, 0, SEEK_SET),
	CALL(fstat, DESCRIPTOR, BUFFER),
	CALL(fstatfs, DESCRIPTOR, BUFFER),
	CALL(newfstatat, DESCRIPTOR, NAME, BUFFER, 0),
	CALL(statx, DESCRIPTOR, NAME, 0, 0x7ff, BUFFER),
	CALL(faccessat, DESCRIPTOR, NAME, 0),
	CALL(openat, DESCRIPTOR, NAME, O_RDONLY),
	CALL(mkdirat, DESCRIPTOR, NAME, 0700),
	CALL(unlinkat, DESCRIPTOR, NAME, 0x80),
	CALL(readlinkat, DESCRIPTOR, NAME, BUFFER, 8),
	CALL(symlinkat, NAME, DESCRIPTOR, NAME),
	CALL(linkat, DESCRIPTOR, NAME, DESCRIPTOR, NAME, 0),
	CALL(renameat, DESCRIPTOR, NAME, DESCRIPTOR, NAME),
	CALL(fchmodat, DESCRIPTOR, NAME, 0600),
	CALL(fchownat, DESCRIPTOR, NAME, 0, 0, 0),
	CALL(utimensat, DESCRIPTOR, NAME, 0, 0),
	CALL(getdents64, DESCRIPTOR, BUFFER, 4096),
	CALL(fchdir, DESCRIPTOR),
	CALL(fchmod, DESCRIPTOR, 0644),
	CALL(fchown, DESCRIPTOR, 0, 0),
	CALL(ftruncate, DESCRIPTOR, 8),
	CALL(fallocate, DESCRIPTOR, 0, 0, 8),
	CALL(fsync, DESCRIPTOR),
	CALL(fdatasync, DESCRIPTOR),
	CALL(syncfs, DESCRIPTOR),
	CALL(sync_file_range, DESCRIPTOR, 0, 0, 0),
	CALL(fadvise64, DESCRIPTOR, 0, 8, 0),
	CALL(readahead, DESCRIPTOR, 0, 8),
	CALL(flock, DESCRIPTOR, 8 /* LOCK_UN */),
	CALL(fgetxattr, DESCRIPTOR, NAME, BUFFER, 8),
	CALL(fsetxattr, DESCRIPTOR, NAME, BUFFER, 8, 0),
	CALL(flistxattr, DESCRIPTOR, BUFFER, 8),
	CALL(fremovexattr, DESCRIPTOR, NAME),
	CALL(ioctl, DESCRIPTOR, 0x541b /* FIONREAD */, BUFFER),
	CALL(ioctl, DESCRIPTOR, 0x5401 /* TCGETS */, BUFFER),
	CALL(fcntl, DESCRIPTOR, F_GETFD),
	CALL(fcntl, DESCRIPTOR, F_GETFL),
	CALL(fcntl, DESCRIPTOR, F_GETOWN),
	CALL(fcntl, DESCRIPTOR, F_GETLK, BUFFER),
	CALL(fcntl, DESCRIPTOR, 1032 /* F_GETPIPE_SZ */),
	CALL(fcntl, DESCRIPTOR, 1034 /* F_GET_SEALS */),
	CALL(fcntl, DESCRIPTOR, 77),
	CALL(dup2, DESCRIPTOR, DESCRIPTOR),
	CALL(dup3, DESCRIPTOR, DESCRIPTOR, 0),
	CALL(epoll_ctl, DESCRIPTOR, EPOLL_CTL_DEL, FILE_FD, 0),
	CALL(epoll_ctl, EPOLL_FD, EPOLL_CTL_MOD, DESCRIPTOR, BUFFER),
	CALL(epoll_wait, DESCRIPTOR, BUFFER, 1, 0),
	CALL(splice, DESCRIPTOR, 0, WRITE_FD, 0, 8, 2),
	CALL(splice, READ_FD, 0, DESCRIPTOR, 0, 1, 2),
	CALL(tee, DESCRIPTOR, WRITE_FD, 8, 2),
	CALL(tee, READ_FD, DESCRIPTOR, 8, 2),
	CALL(vmsplice, DESCRIPTOR, VECTOR, 1, 2),
	CALL(sendfile, DESCRIPTOR, FILE_FD, 0, 1),
	CALL(sendfile, WRITE_FD, DESCRIPTOR, 0, 1),
	CALL(copy_file_range, DESCRIPTOR, 0, FILE_FD, 0, 0, 0),
	CALL(copy_file_range, FILE_FD, 0, DESCRIPTOR, 0, 0, 0),
	CALL(timerfd_settime, DESCRIPTOR, 0, BUFFER, 0),
	CALL(timerfd_gettime, DESCRIPTOR, BUFFER),
	CALL(signalfd4, DESCRIPTOR, BUFFER, 8, 0),
	CALL(bind, DESCRIPTOR, BUFFER, 2),
	CALL(listen, DESCRIPTOR, 1),
	CALL(accept4, DESCRIPTOR, 0, 0, 0),
	CALL(connect, DESCRIPTOR, BUFFER, 2),
	CALL(getsockname, DESCRIPTOR, BUFFER, BUFFER),
	CALL(getpeername, DESCRIPTOR, BUFFER, BUFFER),
	CALL(getsockopt, DESCRIPTOR, 1, 3 /* SO_TYPE */, BUFFER, BUFFER),
	CALL(setsockopt, DESCRIPTOR, 1, 16 /* SO_PASSCRED */, BUFFER, 4),
	CALL(shutdown, DESCRIPTOR, 7),
	CALL(sendto, DESCRIPTOR, BUFFER, 0, 0x4040, 0, 0),
	CALL(recvfrom, DESCRIPTOR, BUFFER, 0, 0x40, 0, 0),
	CALL(mmap, 0, 4096, PROT_READ, MAP_PRIVATE, DESCRIPTOR, 0),
	CALL(mmap, 0, 4096, PROT_READ, MAP_SHARED, DESCRIPTOR, 0),
	CALL(execveat, DESCRIPTOR, NAME, 0, 0, 0),
	CALL(pidfd_send_signal, DESCRIPTOR, 0, 0, 0),
	CALL(pidfd_getfd, DESCRIPTOR, 0, 0),
	CALL(waitid, 3 /* P_PIDFD */, DESCRIPTOR, BUFFER, WEXITED | WNOHANG, 0),
};

static const struct call with_number[] = {
	CALL(read, FILE_FD, BUFFER, NUMBER),
	CALL(read, READ_FD, BUFFER, NUMBER),
	CALL(write, READ_FD, BUFFER, NUMBER),
	CALL(pread64, FILE_FD, BUFFER, NUMBER, 0),
	CALL(pread64, FILE_FD, BUFFER, 8, NUMBER),
	CALL(pwrite64, FILE_FD, BUFFER, 0, NUMBER),
	CALL(readv, FILE_FD, VECTOR, NUMBER),
	CALL(writev, WRITE_FD, VECTOR, NUMBER),
	CALL(preadv, FILE_FD, VECTOR, 1, NUMBER, 0),
	CALL(lseek, FILE_FD, NUMBER, SEEK_SET),
	CALL(lseek, FILE_FD, NUMBER, SEEK_END),
	CALL(lseek, FILE_FD, 0, NUMBER),
	CALL(ftruncate, DIRECTORY_FD, NUMBER),
	CALL(fadvise64, FILE_FD, NUMBER, 8, 0),
	CALL(fadvise64, FILE_FD, 0, 8, NUMBER),
	CALL(readahead, FILE_FD, NUMBER, 8),
	CALL(sync_file_range, FILE_FD, NUMBER, 8, 0),
	CALL(sync_file_range, FILE_FD, 8, NUMBER, 0),
	CALL(getdents64, DIRECTORY_FD, BUFFER, NUMBER),
	CALL(getcwd, BUFFER, NUMBER),
	CALL(readlink, NAME, BUFFER, NUMBER),
	CALL(getxattr, NAME, NAME, BUFFER, NUMBER),
	CALL(setxattr, NAME, NAME, BUFFER, NUMBER, 0),
	CALL(listxattr, NAME, BUFFER, NUMBER),
	CALL(poll, BUFFER, NUMBER, 0),
	CALL(ppoll, BUFFER, 0, 0, BUFFER, NUMBER),
	CALL(select, NUMBER, 0, 0, 0, BUFFER),
	CALL(epoll_create, NUMBER),
	CALL(epoll_create1, NUMBER),
	CALL(epoll_wait, EPOLL_FD, BUFFER, NUMBER, 0),
	CALL(epoll_ctl, EPOLL_FD, NUMBER, READ_FD, BUFFER),
	CALL(eventfd2, 0, NUMBER),
	CALL(signalfd4, -1, BUFFER, NUMBER, 0),
	CALL(signalfd4, -1, BUFFER, 8, NUMBER),
	CALL(timerfd_create, NUMBER, 0),
	CALL(timerfd_create, 1, NUMBER),
	CALL(memfd_create, NAME, NUMBER),
	CALL(pipe2, BUFFER, NUMBER),
	CALL(dup3, FILE_FD, 90, NUMBER),
	CALL(dup2, FILE_FD, NUMBER),
	CALL(close_range, 100, NUMBER, 0),
	CALL(close_range, 100, 101, NUMBER),
	CALL(splice, READ_FD, 0, WRITE_FD, 0, 0, NUMBER),
	CALL(tee, READ_FD, WRITE_FD, 0, NUMBER),
	CALL(vmsplice, WRITE_FD, VECTOR, NUMBER, 2),
	CALL(copy_file_range, FILE_FD, 0, FILE_FD, 0, 0, NUMBER),
	CALL(fallocate, FILE_FD, NUMBER, 0, 8),
	CALL(fallocate, FILE_FD, 3, 0, NUMBER),
	CALL(fallocate, FILE_FD, 3, NUMBER, 8),
	CALL(flock, FILE_FD, NUMBER),
	CALL(socket, NUMBER, 1, 0),
	CALL(socket, 1, NUMBER, 0),
	CALL(socket, 1, 1, NUMBER),
	CALL(bind, SOCKET_FD, BUFFER, NUMBER),
	CALL(getsockopt, SOCKET_FD, NUMBER, 3, BUFFER, BUFFER),
	CALL(getsockopt, SOCKET_FD, 1, NUMBER, BUFFER, BUFFER),
	CALL(setsockopt, SOCKET_FD, 1, 16, BUFFER, NUMBER),
	CALL(recvfrom, SOCKET_FD, BUFFER, NUMBER, 0x42, 0, 0),
	CALL(mmap, 0, NUMBER, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
	CALL(mmap, 0, 4096, PROT_READ, MAP_PRIVATE, FILE_FD, NUMBER),
	CALL(mmap, 0, 4096, NUMBER, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	CALL(munmap, NUMBER, 4096),
	CALL(mprotect, MAPPING, NUMBER, PROT_READ | PROT_WRITE),
	CALL(mprotect, MAPPING, 4096, NUMBER),
	CALL(madvise, MAPPING, NUMBER, 0),
	CALL(madvise, MAPPING, 4096, NUMBER),
	CALL(msync, MAPPING, NUMBER, 1),
	CALL(msync, MAPPING, 4096, NUMBER),
	CALL(mincore, MAPPING, NUMBER, BUFFER),
	CALL(mlock, MAPPING, NUMBER),
	CALL(mlockall, NUMBER),
	CALL(mremap, MAPPING, NUMBER, 4096, 0),
	CALL(mremap, MAPPING, 4096, 4096, NUMBER),
	CALL(membarrier, NUMBER, 0, 0),
	CALL(kill, 0, NUMBER),
	CALL(tgkill, NUMBER, 1, 0),
	CALL(rt_sigaction, NUMBER, 0, 0, 8),
	CALL(rt_sigaction, 10, 0, 0, NUMBER),
	CALL(rt_sigprocmask, NUMBER, BUFFER, 0, 8),
	CALL(rt_sigprocmask, 0, BUFFER, 0, NUMBER),
	CALL(rt_sigpending, BUFFER, NUMBER),
	CALL(rt_sigtimedwait, BUFFER, 0, BUFFER, NUMBER),
	CALL(wait4, -1, 0, NUMBER, 0),
	CALL(waitid, NUMBER, 1, 0, WEXITED | WNOHANG, 0),
	CALL(waitid, 0, 0, 0, NUMBER, 0),
	CALL(sched_getaffinity, 0, NUMBER, BUFFER),
	CALL(sched_setaffinity, 0, NUMBER, BUFFER),
	CALL(sched_getparam, NUMBER, BUFFER),
	CALL(sched_get_priority_max, NUMBER),
	CALL(sched_setscheduler, 0, NUMBER, BUFFER),
	CALL(getpriority, NUMBER, 0),
	CALL(setpriority, NUMBER, 0, 0),
	CALL(ioprio_get, NUMBER, 0),
	CALL(ioprio_set, 1, 0, NUMBER),
	CALL(getrlimit, NUMBER, BUFFER),
	CALL(prlimit64, 0, NUMBER, 0, BUFFER),
	CALL(getrusage, NUMBER, BUFFER),
	CALL(clock_gettime, NUMBER, BUFFER),
	CALL(clock_getres, NUMBER, BUFFER),
	CALL(clock_nanosleep, NUMBER, 0, BUFFER, 0),
	CALL(timer_create, NUMBER, 0, BUFFER),
	CALL(timer_settime, NUMBER, 0, BUFFER, 0),
	CALL(timer_delete, NUMBER),
	CALL(getitimer, NUMBER, BUFFER),
	CALL(futex, BUFFER, NUMBER, 1, 0, 0, 0),
	CALL(futex, BUFFER, 1, NUMBER, 0, 0, 0),
	CALL(set_robust_list, 0, NUMBER),
	CALL(getgroups, NUMBER, BUFFER),
	CALL(getpgid, NUMBER),
	CALL(getsid, NUMBER),
	CALL(setpgid, 0, NUMBER),
	CALL(getrandom, BUFFER, 8, NUMBER),
	CALL(prctl, NUMBER, 0, 0, 0, 0),
#ifdef SYS_arch_prctl
	CALL(arch_prctl, NUMBER, 0),
#endif
	CALL(personality, NUMBER),
	CALL(sethostname, BUFFER, NUMBER),
	CALL(unshare, NUMBER),
	CALL(clone3, BUFFER, NUMBER),
	CALL(pidfd_open, NUMBER, 0),
	CALL(pidfd_open, 1, NUMBER),
	CALL(execveat, FILE_FD, NAME, 0, 0, NUMBER),
	CALL(ptrace, NUMBER, 0, 0, 0),
	CALL(umount2, NAME, NUMBER),
	CALL(faccessat2, FILE_FD, NAME, NUMBER, 0),
	CALL(newfstatat, DIRECTORY_FD, NAME, BUFFER, NUMBER),
	CALL(statx, DIRECTORY_FD, NAME, NUMBER, 0x7ff, BUFFER),
	CALL(unlinkat, DIRECTORY_FD, NAME, NUMBER),
	CALL(linkat, DIRECTORY_FD, NAME, DIRECTORY_FD, NAME, NUMBER),
	CALL(renameat2, DIRECTORY_FD, NAME, DIRECTORY_FD, NAME, NUMBER),
	CALL(utimensat, DIRECTORY_FD, NAME, 0, NUMBER),
	CALL(perf_event_open, BUFFER, 0, -1, -1, NUMBER),
};

static const long numbers[] = { -1,	  -2,	    INT32_MAX, INT32_MIN, 1l << 31,
				1l << 32, 1l << 40, INT64_MAX, INT64_MIN, INT64_MAX - 4095 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NAME_TEXT    "refusals"

static int file_fd, pipe_fds[2], pair[2], directory_fd, epoll_fd;
static char *buffer, *mapping;
static struct iovec vector;

/* NEAR: where, if there is room. */
static void *map_pages(size_t count, void *near)
{
	return mmap(near, count * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
}

/* Everything anew: the last call may have changed it. */
static void prepare(void)
{
	syscall(SYS_close_range, 3, ~0u, 0);
	file_fd = open(NAME_TEXT, O_RDWR | O_CREAT | O_TRUNC, 0600);
	write(file_fd, "contents", 8);
	lseek(file_fd, 0, SEEK_SET);
	pipe2(pipe_fds, O_NONBLOCK);
	write(pipe_fds[1], "contents", 8);
	socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair);
	write(pair[1], "contents", 8);
	directory_fd = open("/", O_RDONLY | O_DIRECTORY);
	epoll_fd = epoll_create1(0);
	memset(buffer, 0, PAGE_BYTES);
	vector = (struct iovec){ buffer, 8 };
}

static long value_of(long argument, long tried)
{
	switch (argument) {
	case DESCRIPTOR:
	case NUMBER:
		return tried;
	case FILE_FD:
		return file_fd;
	case READ_FD:
		return pipe_fds[0];
	case WRITE_FD:
		return pipe_fds[1];
	case SOCKET_FD:
		return pair[0];
	case DIRECTORY_FD:
		return directory_fd;
	case EPOLL_FD:
		return epoll_fd;
	case BUFFER:
		return (long)buffer;
	case VECTOR:
		return (long)&vector;
	case NAME:
		return (long)NAME_TEXT;
	case MAPPING:
		return (long)mapping;
	default:
		return argument;
	}
}

static const char *call_with(const struct call *call, long tried)
{
	long a[6];

	for (int i = 0; i < 6; i++)
		a[i] = value_of(call->arguments[i], tried);
	return outcome(syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

/* One that is not a number already. */
enum kind { CLOSED, ONLY_PATH, DIRECTORY, EVENT, TIMER, KINDS };

static int descriptor_of(enum kind kind)
{
	switch (kind) {
	case ONLY_PATH:
		return open(NAME_TEXT, O_PATH);
	case DIRECTORY:
		return directory_fd;
	case EVENT:
		return eventfd(1, EFD_NONBLOCK);
	case TIMER:
		return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	default:
		return 90;
	}
}

static void try_descriptors(const struct call *call)
{
	static const long absurd[] = { -1, -100 /* AT_FDCWD */, INT32_MAX, INT32_MIN,
				       1l << 32 | 90 };

	for (size_t i = 0; i < COUNT(absurd); i++) {
		prepare();
		printf(" %s", call_with(call, absurd[i]));
	}
	for (int kind = 0; kind < KINDS; kind++) {
		prepare();
		printf(" %s", call_with(call, descriptor_of((enum kind)kind)));
	}
	for (int i = FILE_FD; i <= EPOLL_FD; i++) {
		prepare();
		printf(" %s", call_with(call, value_of(i, 0)));
	}
}

static void try_numbers(const struct call *call)
{
	for (size_t i = 0; i < COUNT(numbers); i++) {
		prepare();
		printf(" %s", call_with(call, numbers[i]));
	}
}

/* Every call in a process of its own, which may end of it. */
static void try_all(const struct call *calls, size_t count, void (*try)(const struct call *call))
{
	for (size_t i = 0; i < count; i++) {
		int status = 0;

		fflush(stdout);
		pid_t child = fork();

		if (child == 0) {
			alarm(5);
			printf("%s:", calls[i].name);
			try(&calls[i]);
			printf("\n");
			fflush(stdout);
			_exit(0);
		}
		waitpid(child, &status, 0);
		if (status)
			show(WIFSIGNALED(status) ? "by a signal" : "with a status", "%s ended",
			     calls[i].name);
	}
}

int main(void)
{
	if (chdir("/tmp") < 0 && chdir("/") < 0)
		return 1;
	signal(SIGPIPE, SIG_IGN);
	/* Low: what lies a TiB above it is user space everywhere. */
	buffer = map_pages(2, (void *)(1l << 36));
	munmap(buffer + PAGE_BYTES, PAGE_BYTES);
	mapping = map_pages(4, (void *)(1l << 35));
	try_all(with_descriptor, COUNT(with_descriptor), try_descriptors);
	try_all(with_number, COUNT(with_number), try_numbers);
	return 0;
}
