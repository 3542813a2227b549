/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls: system calls that Linux/alpha has in another way than x86_64: stat and statfs with 32 bits, and its signal
 * frames. More of OSF/1's: osf_times.c, osf_calls.c. Source of the expected values: Linux's arch/alpha/kernel/osf_sys.c, signal.c
 * and fs/stat.c. A static program of the GNU C library.
 */
#define _GNU_SOURCE

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "points.h"

/* --- stat --- */

struct old_stat {
	uint32_t dev, ino, mode, nlink, uid, gid, rdev;
	int64_t size;
	uint64_t atime, mtime, ctime;
	uint32_t blksize, blocks, flags, gen;
};

static void check_stat(void)
{
	struct old_stat old;
	struct stat now;
	uint32_t osf[40];
	int64_t size, blocks;
	int fd = open("/tested", O_RDWR | O_CREAT, 0640);

	point(write(fd, "12345", 5) == 5 && fstat(fd, &now) == 0, "a file of five bytes");
	memset(&old, 0xff, sizeof(old));
	point(syscall(SYS_fstat, fd, &old) == 0 && old.mode == 0100640 && old.size == 5 &&
		      old.ino == now.st_ino && old.dev == now.st_dev && old.nlink == 1 &&
		      old.mtime == (uint64_t)now.st_mtime && old.blocks == 16 && !old.flags &&
		      !old.gen,
	      "fstat tells of it with 32 bits");
	symlink("/tested", "/link");
	point(syscall(SYS_stat, "/link", &old) == 0 && old.size == 5, "stat follows a link");
	point(syscall(SYS_lstat, "/link", &old) == 0 && old.size == 7 && S_ISLNK(old.mode),
	      "... lstat does not");
	point(fails(syscall(SYS_stat, "/none", &old), ENOENT), "stat of nothing");
	point(fails(syscall(SYS_stat, "/tested", BAD), EFAULT), "stat to nowhere");
	point(fails(syscall(SYS_fstat, 99, &old), EBADF), "fstat of no descriptor");
	memset(osf, 0xff, sizeof(osf));
	point(syscall(SYS_osf_fstat, fd, osf) == 0, "OSF/1's fstat");
	memcpy(&size, osf + 8, sizeof(size));
	memcpy(&blocks, osf + 38, sizeof(blocks));
	point(osf[2] == 0100640 && size == 5 && blocks == 16 && osf[28] == now.st_ino &&
		      osf[32] == (uint32_t)now.st_mtime &&
		      osf[13] == (uint32_t)(now.st_mtim.tv_nsec / 1000),
	      "... with its layout: the time of day in seconds, the microseconds elsewhere");
	point(syscall(SYS_osf_lstat, "/link", osf) == 0 && S_ISLNK(osf[2]), "OSF/1's lstat");
	point(syscall(SYS_osf_stat, "/link", osf) == 0 && S_ISREG(osf[2]), "OSF/1's stat");
	close(fd);
}

/* --- statfs --- */

static void check_statfs(void)
{
	uint32_t old[16], osf[10], cut[2] = { 1, 2 };
	int64_t large[64];

	memset(old, 0xff, sizeof(old));
	point(syscall(SYS_statfs, "/", old) == 0 && old[1] == 8192 && old[9] == 255 &&
		      old[10] == 8192 && !old[12] && !old[15],
	      "statfs tells of the root with 32 bits");
	point(fails(syscall(SYS_statfs, "/none", old), ENOENT), "statfs of nothing");
	point(fails(syscall(SYS_fstatfs, 99, old), EBADF), "fstatfs of no descriptor");
	point(fails(syscall(SYS_statfs, "/", BAD), EFAULT), "statfs to nowhere");
	point(syscall(SYS_osf_statfs, "/", osf, sizeof(osf)) == 0 && osf[1] == 8192 &&
		      osf[2] == 8192,
	      "OSF/1's statfs");
	point(syscall(SYS_osf_statfs, "/", cut, 4) == 0 && cut[1] == 2,
	      "... into a smaller structure");
	memset(large, 0xff, sizeof(large));
	point(syscall(SYS_osf_statfs64, "/", large, sizeof(large)) == 0 && large[57] == 8192 &&
		      large[58] == 8192 && large[62] > 0 && large[63] > 0 && large[63] < large[62],
	      "OSF/1's statfs64 tells of blocks and of inodes");
}

/* --- signals --- */

/* The signal of a handler without SA_SIGINFO, and its two other arguments. */
static volatile int seen;
static volatile unsigned long code;
static struct sigcontext *volatile context;
static volatile double real;

static void plain(int signal, unsigned long a1, struct sigcontext *a2)
{
	seen = signal;
	code = a1;
	context = a2;
	real = (double)signal / 3; /* in the registers that are given back */
}

static siginfo_t *volatile info;

static void full(int signal, siginfo_t *report, void *a2)
{
	seen = signal;
	info = report->si_signo == signal && a2 ? report : NULL;
}

struct osf_action {
	void *handler;
	unsigned long mask;
	int flags;
};

static void check_signals(void)
{
	struct osf_action action = { (void *)plain, 1ul << (SIGUSR2 - 1), SA_RESTART }, old;
	struct sigaction mine = { .sa_handler = (void (*)(int))(void *)plain };
	double kept = 1.25;

	sigaction(SIGUSR1, &mine, NULL);
	__asm__ volatile("" : "+f"(kept));
	point(raise(SIGUSR1) == 0 && seen == SIGUSR1 && code == 0 && kept == 1.25,
	      "a handler without SA_SIGINFO returns, its second argument is 0");
	point((uintptr_t)context % 32 == 0 && context->sc_mask == 0 && context->sc_ps == 8,
	      "... its third is the sigcontext, which is its frame");
	mine.sa_sigaction = full;
	mine.sa_flags = SA_SIGINFO;
	sigaction(SIGUSR1, &mine, NULL);
	point(raise(SIGUSR1) == 0 && info, "a handler with SA_SIGINFO has a siginfo");
	point(syscall(SYS_sigaction, SIGUSR1, &action, &old) == 0 && old.handler == (void *)full &&
		      old.flags == SA_SIGINFO,
	      "OSF/1's sigaction tells and changes");
	point(syscall(SYS_sigaction, SIGUSR1, NULL, &old) == 0 && old.handler == (void *)plain &&
		      old.mask == action.mask && old.flags == SA_RESTART,
	      "... all of it");
	point(fails(syscall(SYS_sigaction, SIGKILL, &action, NULL), EINVAL), "... not of SIGKILL");
	point(syscall(SYS_sigaction, SIGKILL, NULL, &old) == 0, "... which it tells of");
	point(fails(syscall(SYS_sigaction, SIGUSR1, BAD, NULL), EFAULT), "... not from nowhere");
	point(fails(syscall(SYS_sigaction, SIGUSR1, NULL, BAD), EFAULT), "... nor to there");
	mine.sa_handler = (void (*)(int))(void *)plain;
	mine.sa_flags = 0;
	sigaction(SIGUSR2, &mine, NULL);
	sigset_t both;

	sigemptyset(&both);
	sigaddset(&both, SIGUSR2);
	sigprocmask(SIG_BLOCK, &both, NULL);
	seen = 0;
	raise(SIGUSR2);
	point(!seen && fails(syscall(SYS_sigsuspend, 0), EINTR) && seen == SIGUSR2 &&
		      context->sc_mask == 1ul << (SIGUSR2 - 1),
	      "sigsuspend takes the mask itself, and gives it back");
	pid_t child = fork();
	int status;

	if (child == 0) {
		register long number __asm__("$0") = SYS_sigreturn;
		register void *frame __asm__("$16") = BAD;

		__asm__ volatile("callsys" : "+r"(number) : "r"(frame) : "$19", "memory");
		_exit(0);
	}
	point(waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
		      WTERMSIG(status) == SIGSEGV,
	      "sigreturn of no frame is SIGSEGV");
}

int main(void)
{
	check_stat();
	check_statfs();
	check_signals();
	return points_done();
}
