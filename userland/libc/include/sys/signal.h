/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/signal.h - signal numbers, sets, actions and information, as Linux/x86-64 has them.
 *
 * Replaces newlib's file. A sigset_t is one 64-bit word, signal n in bit n-1, which is what the
 * kernel takes. Source: Linux's arch/x86/include/uapi/asm/signal.h and asm-generic/siginfo.h.
 */
#ifndef _SYS_SIGNAL_H
#define _SYS_SIGNAL_H

#include <_ansi.h>
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

#define SIGHUP	     1
#define SIGINT	     2
#define SIGQUIT	     3
#define SIGILL	     4
#define SIGTRAP	     5
#define SIGABRT	     6
#define SIGIOT	     SIGABRT
#define SIGBUS	     7
#define SIGFPE	     8
#define SIGKILL	     9
#define SIGUSR1	     10
#define SIGSEGV	     11
#define SIGUSR2	     12
#define SIGPIPE	     13
#define SIGALRM	     14
#define SIGTERM	     15
#define SIGSTKFLT    16
#define SIGCHLD	     17
#define SIGCONT	     18
#define SIGSTOP	     19
#define SIGTSTP	     20
#define SIGTTIN	     21
#define SIGTTOU	     22
#define SIGURG	     23
#define SIGXCPU	     24
#define SIGXFSZ	     25
#define SIGVTALRM    26
#define SIGPROF	     27
#define SIGWINCH     28
#define SIGIO	     29
#define SIGPOLL	     SIGIO
#define SIGPWR	     30
#define SIGSYS	     31
#define SIGRTMIN     32
#define SIGRTMAX     64
#define NSIG	     65
#define _NSIG	     NSIG

#define SIG_BLOCK    0
#define SIG_UNBLOCK  1
#define SIG_SETMASK  2

#define SA_NOCLDSTOP 0x00000001
#define SA_NOCLDWAIT 0x00000002
#define SA_SIGINFO   0x00000004
#define SA_RESTORER  0x04000000
#define SA_ONSTACK   0x08000000
#define SA_RESTART   0x10000000
#define SA_NODEFER   0x40000000
#define SA_RESETHAND 0x80000000

#define SS_ONSTACK   1
#define SS_DISABLE   2
#define MINSIGSTKSZ  2048
#define SIGSTKSZ     8192

/* si_code: who sent the signal. */
#define SI_USER	     0
#define SI_KERNEL    0x80
#define SI_QUEUE     (-1)
#define SI_TIMER     (-2)
#define SI_SIGIO     (-5)
#define SI_TKILL     (-6)
#define POLL_IN	     1
#define POLL_HUP     6
#define TRAP_PERF    6
#define SEGV_MAPERR  1
#define SEGV_ACCERR  2

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
