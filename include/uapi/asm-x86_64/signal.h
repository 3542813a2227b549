/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of signals that differ between ISAs. Source: Linux's asm-generic/signal.h and x86's
 * asm/signal.h.
 */
#ifndef _UAPI_ASM_SIGNAL_H
#define _UAPI_ASM_SIGNAL_H

#include <stdint.h>

#define SIGBUS	     7
#define SIGUSR1	     10
#define SIGUSR2	     12
#define SIGSTKFLT    16
#define SIGCHLD	     17
#define SIGCONT	     18
#define SIGSTOP	     19
#define SIGTSTP	     20
#define SIGURG	     23
#define SIGIO	     29
#define SIGPWR	     30
#define SIGSYS	     31

/* sigprocmask */
#define SIG_BLOCK    0
#define SIG_UNBLOCK  1
#define SIG_SETMASK  2

/* sigaction */
#define SA_NOCLDSTOP 0x00000001ul
#define SA_NOCLDWAIT 0x00000002ul
#define SA_SIGINFO   0x00000004ul
#define SA_RESTORER  0x04000000ul
#define SA_ONSTACK   0x08000000ul
#define SA_RESTART   0x10000000ul
#define SA_NODEFER   0x40000000ul
#define SA_RESETHAND 0x80000000ul

/* sigaltstack */
#define MINSIGSTKSZ  2048

/* Flags that only this ISA has. */
#define SA_KNOWN_ISA SA_RESTORER

/* rt_sigaction's structure. */
struct kernel_sigaction {
	uint64_t handler; /* address, SIG_DFL_ADDRESS or SIG_IGN_ADDRESS */
	uint64_t flags;	  /* SA_* */
	uint64_t restorer;
	uint64_t mask; /* bit n - 1: signal n */
};

/* Size of the part that rt_sigaction reads and writes. */
#define SIGACTION_SIZE sizeof(struct kernel_sigaction)

#endif
