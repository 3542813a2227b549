// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls with bad descriptors: closed, absurd, or of the wrong kind. All other arguments are good. A line shows
 * the outcomes of one call in the order of the descriptors.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "refused_calls.h"

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

/* Descriptors that are neither absurd numbers nor placeholders. */
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

int main(void)
{
	if (chdir("/tmp") < 0 && chdir("/") < 0)
		return 1;
	signal(SIGPIPE, SIG_IGN);
	/* Low: an address a TiB above it is in user space on every ISA. */
	buffer = map_pages(2, (void *)(1l << 36));
	munmap(buffer + PAGE_BYTES, PAGE_BYTES);
	mapping = map_pages(4, (void *)(1l << 35));
	try_all(with_descriptor, COUNT(with_descriptor), try_descriptors);
	return 0;
}
