/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of signals that differ between ISAs: OSF/1's numbers. Source: Linux's uapi/asm/signal.h for
 * Alpha.
 */
#ifndef _UAPI_ASM_SIGNAL_H
#define _UAPI_ASM_SIGNAL_H

#include <stddef.h>
#include <stdint.h>

#define SIGEMT	     7
#define SIGBUS	     10
#define SIGSYS	     12
#define SIGURG	     16
#define SIGSTOP	     17
#define SIGTSTP	     18
#define SIGCONT	     19
#define SIGCHLD	     20
#define SIGIO	     23
#define SIGPWR	     29
#define SIGUSR1	     30
#define SIGUSR2	     31

/* sigprocmask */
#define SIG_BLOCK    1
#define SIG_UNBLOCK  2
#define SIG_SETMASK  3

/* sigaction */
#define SA_NOCLDSTOP 0x00000004ul
#define SA_NOCLDWAIT 0x00000020ul
#define SA_SIGINFO   0x00000040ul
#define SA_ONSTACK   0x00000001ul
#define SA_RESTART   0x00000002ul
#define SA_NODEFER   0x00000008ul
#define SA_RESETHAND 0x00000010ul

/* sigaltstack */
#define MINSIGSTKSZ  4096

/* Flags that only this ISA has. */
#define SA_KNOWN_ISA 0ul

/* rt_sigaction's structure; its last member is an argument of its own. */
struct kernel_sigaction {
	uint64_t handler; /* address, SIG_DFL_ADDRESS or SIG_IGN_ADDRESS */
	uint64_t flags;	  /* SA_* */
	uint64_t mask;	  /* bit n - 1: signal n */
	uint64_t restorer;
};

/* Size of the part that rt_sigaction reads and writes. */
#define SIGACTION_SIZE offsetof(struct kernel_sigaction, restorer)

#endif
