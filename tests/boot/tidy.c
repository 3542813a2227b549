// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rounds, ten thousand with --all, of what programs do with files, sockets, timers, signals and locks, right and
 * wrong: free pages, the kernel's objects of each size (/proc/slabinfo) and descriptors are the same
 * before and after.
 *
 * The rules of leak.c are about tasks and memory; here are the calls that come cheap. A tenth of the
 * rounds forks.
 *
 * On other kernels free memory cannot be predicted, and the test is skipped.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../unit/tap.h"
#include "page.h"
#include "tidiness.h"

#define ROUNDS	   10000
/* Without --all: so that every shape of machine runs them. */
#define FEW_ROUNDS 200
#define WARM_UP	   20

static int lowest_descriptor(void)
{
	int fd = open("/dev/null", O_RDONLY);

	close(fd);
	return fd;
}

static int rounds = FEW_ROUNDS;

/* WORK, done TIMES times, leaves nothing, and no descriptor. */
static void expect_tidy(void (*work)(void), int times)
{
	int descriptor = lowest_descriptor();

	state_expect_kept(work, WARM_UP, times);
	EXPECT_EQ(lowest_descriptor(), descriptor);
}

/* --- the rounds --- */

static void use_files(void)
{
	char byte = 0;
	int fd = open("/tidy", O_RDWR | O_CREAT, 0600);

	EXPECT(fd >= 0);
	EXPECT_EQ(write(fd, "contents", 8), 8);
	EXPECT_EQ(pwrite(fd, &byte, 1, 20 * PAGE), 1);
	EXPECT_EQ(syscall(__NR_fallocate, fd, 3, 0, 30 * PAGE), 0);
	EXPECT_EQ(syscall(__NR_fsetxattr, fd, "user.name", "value", 5, 0), 0);
	EXPECT_EQ(symlink("/tidy", "/tidy-link"), 0);
	EXPECT_EQ(link("/tidy", "/tidy-2"), 0);
	EXPECT_EQ(rename("/tidy-2", "/tidy-3"), 0);
	EXPECT_EQ(mkdir("/tidy-dir", 0700), 0);
	EXPECT_EQ(rename("/tidy-3", "/tidy-dir/3"), 0);
	EXPECT_EQ(rmdir("/tidy-dir"), -1);
	EXPECT_EQ(unlink("/tidy-dir/3"), 0);
	EXPECT_EQ(rmdir("/tidy-dir"), 0);
	EXPECT_EQ(unlink("/tidy-link"), 0);
	EXPECT_EQ(unlink("/tidy"), 0);
	/* Used when it has no name any more. */
	EXPECT_EQ(ftruncate(fd, 5), 0);
	EXPECT_EQ(close(fd), 0);
	EXPECT_EQ(open("/none/below", O_RDONLY), -1);
	EXPECT_EQ(open((void *)8, O_RDONLY), -1);
}

static void check_files(void)
{
	expect_tidy(use_files, rounds);
}

static void use_pipes(void)
{
	int p[2], q[2], counter, memory;

	EXPECT_EQ(syscall(__NR_pipe2, p, O_NONBLOCK), 0);
	EXPECT_EQ(syscall(__NR_pipe2, q, O_NONBLOCK | O_DIRECT), 0);
	EXPECT_EQ(write(p[1], "12345", 5), 5);
	EXPECT_EQ(syscall(__NR_tee, p[0], q[1], 5, 0), 5);
	EXPECT_EQ(syscall(__NR_splice, p[0], NULL, q[1], NULL, 2, 0), 2);
	EXPECT_EQ(write(q[1], "packet", 6), 6);
	EXPECT_EQ(syscall(__NR_fcntl, p[0], 1031, 8192), 8192);
	counter = (int)syscall(__NR_eventfd2, 1, O_NONBLOCK);
	memory = (int)syscall(__NR_memfd_create, "tidy", 0);
	EXPECT_EQ(write(memory, "x", 1), 1);
	for (int fd = counter; fd <= memory; fd++)
		EXPECT_EQ(close(fd), 0);
	/* With something in them. */
	EXPECT_EQ(close(p[0]), 0);
	EXPECT_EQ(close(p[1]), 0);
	EXPECT_EQ(close(q[1]), 0);
	EXPECT_EQ(close(q[0]), 0);
	EXPECT_EQ(syscall(__NR_pipe2, (void *)8, 0), -1);
}

static void check_pipes(void)
{
	expect_tidy(use_pipes, rounds);
}

/* epoll's structures, as Linux packs them. */
struct epoll_entry {
	uint32_t events;
	uint64_t data;
} __attribute__((packed));

static void use_epoll(void)
{
	struct epoll_entry entry = { .events = 1 };
	int p[2], set = (int)syscall(__NR_epoll_create1, 0), other;

	EXPECT(set >= 0);
	EXPECT_EQ(pipe(p), 0);
	EXPECT_EQ(syscall(__NR_epoll_ctl, set, 1, p[0], &entry), 0);
	EXPECT_EQ(syscall(__NR_epoll_ctl, set, 1, p[0], &entry), -1);
	other = (int)syscall(__NR_epoll_create1, 0);
	EXPECT_EQ(syscall(__NR_epoll_ctl, other, 1, set, &entry), 0);
	EXPECT_EQ(syscall(__NR_epoll_ctl, set, 1, other, &entry), -1);
	EXPECT_EQ(write(p[1], "x", 1), 1);
	EXPECT_EQ(syscall(__NR_epoll_wait, other, &entry, 1, 0), 1);
	/* The watched before the watching, and the other way round. */
	EXPECT_EQ(close(p[0]), 0);
	EXPECT_EQ(close(set), 0);
	EXPECT_EQ(close(other), 0);
	EXPECT_EQ(close(p[1]), 0);
}

static void check_epoll(void)
{
	expect_tidy(use_epoll, rounds);
}

/* A message with one descriptor: msghdr and cmsghdr as x86-64 has them. */
struct passing {
	struct {
		uint64_t size;
		int level, type, descriptor, padding;
	} control;
	struct {
		char *base;
		uint64_t size;
	} vector;
	struct {
		void *name;
		uint32_t name_size, padding;
		void *vector;
		uint64_t count;
		void *control;
		uint64_t control_size;
		int flags, padding2;
	} header;
	char byte;
};

static long pass(int socket, int descriptor)
{
	struct passing message = { .byte = 'x' };

	message.control.size = 20;
	message.control.level = 1; /* SOL_SOCKET */
	message.control.type = 1;  /* SCM_RIGHTS */
	message.control.descriptor = descriptor;
	message.vector.base = &message.byte;
	message.vector.size = 1;
	message.header.vector = &message.vector;
	message.header.count = 1;
	message.header.control = &message.control;
	message.header.control_size = 24;
	return syscall(__NR_sendmsg, socket, &message.header, 0);
}

static void use_sockets(void)
{
	int a[2], b[2];

	EXPECT_EQ(syscall(__NR_socketpair, 1, 1, 0, a), 0);
	EXPECT_EQ(syscall(__NR_socketpair, 1, 2, 0, b), 0);
	EXPECT_EQ(write(a[0], "stream", 6), 6);
	EXPECT_EQ(write(b[0], "datagram", 8), 8);
	EXPECT_EQ(pass(a[0], b[0]), 1);
	/* Each passed through the other: no process can receive them when all are closed. */
	EXPECT_EQ(pass(b[0], a[1]), 1);
	EXPECT_EQ(pass(a[1], b[1]), 1);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(close(a[i]), 0);
		EXPECT_EQ(close(b[i]), 0);
	}
	EXPECT_EQ(syscall(__NR_socketpair, 77, 1, 0, a), -1);
}

static void check_sockets(void)
{
	expect_tidy(use_sockets, rounds);
}

static void use_timers(void)
{
	/* it_interval and it_value: once, in 1000 s. */
	const int64_t setting[4] = { 0, 0, 1000, 0 }, soon[4] = { 0, 0, 0, 1 };
	uint64_t set = (uint64_t)1 << (SIGRTMIN - 1);
	int timer = -1, file, signals;

	EXPECT_EQ(syscall(__NR_timer_create, 1, NULL, &timer), 0);
	EXPECT_EQ(syscall(__NR_timer_settime, timer, 0, setting, NULL), 0);
	file = (int)syscall(__NR_timerfd_create, 1, 0);
	EXPECT_EQ(syscall(__NR_timerfd_settime, file, 0, soon, NULL), 0);
	EXPECT_EQ(syscall(__NR_rt_sigprocmask, SIG_BLOCK, &set, NULL, 8), 0);
	signals = (int)syscall(__NR_signalfd4, -1, &set, 8, O_NONBLOCK);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(kill(getpid(), SIGRTMIN), 0);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(syscall(__NR_rt_sigtimedwait, &set, NULL, setting, 8), SIGRTMIN);
	EXPECT_EQ(syscall(__NR_timer_delete, timer), 0);
	EXPECT_EQ(syscall(__NR_timer_delete, timer), -1);
	EXPECT_EQ(close(file), 0);
	EXPECT_EQ(close(signals), 0);
}

static void check_timers(void)
{
	expect_tidy(use_timers, rounds);
}

/* struct flock as fcntl takes it. */
struct range_lock {
	int16_t type, whence;
	int64_t start, length;
	int32_t pid;
};

static void use_locks(void)
{
	struct range_lock lock = { .type = 1, .start = 10, .length = 10 };
	int fd = open("/tidy-lock", O_RDWR | O_CREAT, 0600), other = open("/tidy-lock", O_RDWR);

	EXPECT_EQ(syscall(__NR_fcntl, fd, 6, &lock), 0);
	lock.type = 2;
	lock.start = 12;
	lock.length = 2;
	EXPECT_EQ(syscall(__NR_fcntl, fd, 6, &lock), 0);
	EXPECT_EQ(syscall(__NR_flock, other, 2), 0);
	EXPECT_EQ(syscall(__NR_flock, fd, 2 | 4), -1);
	lock.type = 1;
	EXPECT_EQ(syscall(__NR_fcntl, other, 37, &lock), 0);
	EXPECT_EQ(close(other), 0);
	EXPECT_EQ(close(fd), 0);
	EXPECT_EQ(unlink("/tidy-lock"), 0);
}

static void check_locks(void)
{
	expect_tidy(use_locks, rounds);
}

static void use_mounts(void)
{
	int fd;

	EXPECT_EQ(mkdir("/tidy-mount", 0700), 0);
	EXPECT_EQ(syscall(__NR_mount, "none", "/tidy-mount", "tmpfs", 0, "size=64k"), 0);
	fd = open("/tidy-mount/file", O_RDWR | O_CREAT, 0600);
	EXPECT_EQ(syscall(__NR_fallocate, fd, 0, 0, 128 * 1024), -1);
	EXPECT_EQ(write(fd, "x", 1), 1);
	EXPECT_EQ(syscall(__NR_umount2, "/tidy-mount", 0), -1);
	EXPECT_EQ(close(fd), 0);
	EXPECT_EQ(syscall(__NR_mount, "none", "/tidy-mount", "none", 0, NULL), -1);
	EXPECT_EQ(syscall(__NR_mount, "none", "/tidy-mount", "tmpfs", 0, "wrong=1"), -1);
	EXPECT_EQ(syscall(__NR_umount2, "/tidy-mount", 0), 0);
	EXPECT_EQ(rmdir("/tidy-mount"), 0);
}

static void check_mounts(void)
{
	expect_tidy(use_mounts, rounds);
}

/* A child that ends in the middle of everything. */
static void abandon(void)
{
	pid_t child = fork();

	if (child == 0) {
		const int64_t setting[4] = { 0, 1000, 0, 1000 };
		struct range_lock lock = { .type = 1 };
		struct epoll_entry entry = { .events = 1 };
		int timer, a[2], set, fd = open("/tidy-left", O_RDWR | O_CREAT, 0600);

		syscall(__NR_fcntl, fd, 6, &lock);
		syscall(__NR_socketpair, 1, 1, 0, a);
		pass(a[0], a[1]);
		pass(a[0], fd);
		set = (int)syscall(__NR_epoll_create1, 0);
		syscall(__NR_epoll_ctl, set, 1, a[1], &entry);
		signal(SIGALRM, SIG_IGN);
		syscall(__NR_timer_create, 1, NULL, &timer);
		syscall(__NR_timer_settime, timer, 0, setting, NULL);
		syscall(__NR_pidfd_open, getpid(), 0);
		if (getpid() & 1)
			kill(getpid(), SIGKILL);
		_exit(0);
	}
	EXPECT(child > 0);
	EXPECT_EQ(waitpid(child, NULL, 0), child);
}

static void check_abandoned(void)
{
	expect_tidy(abandon, rounds / 10);
}

static const struct tap_rule rules[] = {
	{ "files that are made, renamed, filled and removed leave nothing", check_files },
	{ "pipes, counters and files in memory leave nothing", check_pipes },
	{ "sets of watched files leave nothing", check_epoll },
	{ "sockets that were passed through each other leave nothing", check_sockets },
	{ "timers and queued signals leave nothing", check_timers },
	{ "locks leave nothing", check_locks },
	{ "file systems that are mounted and taken away leave nothing", check_mounts },
	{ "a child that ends in the middle of everything leaves nothing", check_abandoned },
};

int main(int argc, char **argv)
{
	struct utsname names;

	if (uname(&names) == 0 && !strstr(names.release, "tally")) {
		printf("1..0 # SKIP free memory is exact on Tally only\n");
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "--all") == 0)
		rounds = ROUNDS;
	have_many_tasks();
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
