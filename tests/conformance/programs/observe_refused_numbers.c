// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls with numbers at the edges of 32 and 64 bits in one argument. All other arguments are good. A line
 * shows the outcomes of one call in the order of the numbers.
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

#include "refused_calls.h"

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

static void try_numbers(const struct call *call)
{
	for (size_t i = 0; i < COUNT(numbers); i++) {
		prepare();
		printf(" %s", call_with(call, numbers[i]));
	}
}

int main(void)
{
	if (chdir("/tmp") < 0 && chdir("/") < 0)
		return 1;
	signal(SIGPIPE, SIG_IGN);
	/* NAME below DIRECTORY_FD is a directory, and below the current one a file. */
	mkdir("/" NAME_TEXT, 0600);
	/* Low: an address a TiB above it is in user space on every ISA. */
	buffer = map_pages(2, (void *)(1l << 36));
	munmap(buffer + PAGE_BYTES, PAGE_BYTES);
	mapping = map_pages(4, (void *)(1l << 35));
	try_all(with_number, COUNT(with_number), try_numbers);
	return 0;
}
