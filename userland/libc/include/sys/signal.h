/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/signal.h - signal sets, actions and information, as Linux has them; the numbers are the kernel's.
 *
 * Replaces newlib's file. A sigset_t is one 64-bit word, signal n in bit n-1, which is what the
 * kernel takes. Source: Linux's asm-generic/siginfo.h.
 */
#ifndef _SYS_SIGNAL_H
#define _SYS_SIGNAL_H

#include <_ansi.h>
#include <linux/signal.h>
#include <sys/cdefs.h>
#include <sys/features.h>
#include <sys/types.h>
#include <sys/_sigset.h>
#include <sys/_timespec.h>

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(_SIGSET_T_DECLARED)
#define _SIGSET_T_DECLARED
typedef __sigset_t sigset_t;
#endif

#define SIGIOT	 SIGABRT
#define SIGPOLL	 SIGIO
#define SIGRTMIN 32
#define SIGRTMAX SIGNALS_MAX
#define NSIG	 (SIGNALS_MAX + 1)
#define _NSIG	 NSIG

#define SIGSTKSZ 8192

typedef void (*_sig_func_ptr)(int);

union sigval {
	int sival_int;
	void *sival_ptr;
};

/* 128 bytes; the union begins at byte 16. */
typedef struct {
	int si_signo;
	int si_errno;
	int si_code;
	int __si_pad;
	union {
		struct {
			pid_t si_pid;
			uid_t si_uid;
			union sigval si_value;
		} __user;
		struct {
			pid_t si_pid;
			uid_t si_uid;
			int si_status;
			clock_t si_utime;
			clock_t si_stime;
		} __child;
		struct {
			void *si_addr;
			short si_addr_lsb;
			unsigned long si_perf_data;
			unsigned int si_perf_type;
			unsigned int si_perf_flags;
		} __fault;
		struct {
			long si_band;
			int si_fd;
		} __poll;
		char __size[112];
	} __si;
} siginfo_t;

#define si_pid	      __si.__user.si_pid
#define si_uid	      __si.__user.si_uid
#define si_value      __si.__user.si_value
#define si_status     __si.__child.si_status
#define si_addr	      __si.__fault.si_addr
#define si_perf_data  __si.__fault.si_perf_data
#define si_perf_type  __si.__fault.si_perf_type
#define si_perf_flags __si.__fault.si_perf_flags
#define si_band	      __si.__poll.si_band
#define si_fd	      __si.__poll.si_fd

struct sigaction {
	union {
		_sig_func_ptr sa_handler;
		void (*sa_sigaction)(int, siginfo_t *, void *);
	} __handler;
	sigset_t sa_mask;
	int sa_flags;
};

#define sa_handler   __handler.sa_handler
#define sa_sigaction __handler.sa_sigaction

/* Named by newlib's <time.h> for timer_create(), which this library does not have. */
struct sigevent;

typedef struct sigaltstack {
	void *ss_sp;
	int ss_flags;
	size_t ss_size;
} stack_t;

int kill(pid_t pid, int signal);
int killpg(pid_t group, int signal);
int sigaction(int signal, const struct sigaction *action, struct sigaction *old);
int sigprocmask(int how, const sigset_t *set, sigset_t *old);
int sigpending(sigset_t *set);
int sigsuspend(const sigset_t *mask);
int sigaltstack(const stack_t *__restrict stack, stack_t *__restrict old);
int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout);
int sigwaitinfo(const sigset_t *set, siginfo_t *info);

static inline int sigemptyset(sigset_t *set)
{
	*set = 0;
	return 0;
}

static inline int sigfillset(sigset_t *set)
{
	*set = ~0UL;
	return 0;
}

static inline int sigaddset(sigset_t *set, int signal)
{
	*set |= 1UL << (signal - 1);
	return 0;
}

static inline int sigdelset(sigset_t *set, int signal)
{
	*set &= ~(1UL << (signal - 1));
	return 0;
}

static inline int sigismember(const sigset_t *set, int signal)
{
	return (int)(*set >> (signal - 1) & 1);
}

#ifdef __cplusplus
}
#endif

/* Programs include either name for the same thing. */
#ifndef _SIGNAL_H_
#include <signal.h>
#endif

#endif /* _SYS_SIGNAL_H */
